"""Many clients at once: every request gets one response, from its own connection."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from tests.daemon.house import House, eventually
from tests.site import TestSite

CLIENTS, REQUESTS = 100, 50


@pytest.mark.parametrize(
    ("clients", "requests"),
    [(40, 20), pytest.param(CLIENTS, REQUESTS, marks=pytest.mark.thorough)],
)
def test_every_request_of_many_clients_gets_its_response(
    warm: House, site: TestSite, clients: int, requests: int
) -> None:
    with warm.wire() as opener:
        for profile in ("a", "b"):
            opener.data("navigate", {"url": site.url("/form.html")}, profile=profile)
    with ExitStack() as stack:
        links = [stack.enter_context(warm.wire(client=f"c{n}")) for n in range(clients)]
        sent: list[list[str]] = [[] for _ in links]
        for number in range(requests):
            for index, client in enumerate(links):
                name = f"c{index}-{number}"
                if number % 10 == 0:
                    expression = f"'{name}'"
                    profile = "ab"[index % 2]
                    client.request(
                        "page.eval", {"expression": expression}, profile=profile, name=name
                    )
                else:
                    client.request("protect.list", profile=f"p{number}", name=name)
                sent[index].append(name)
        for client, names in zip(links, sent, strict=True):
            answers = {name: client.answer(name) for name in names}
            assert client.kept == []
            assert [each["error"] for each in answers.values() if not each["ok"]] == []
            for name, each in answers.items():
                if each["op"] == "page.eval":
                    assert each["data"]["result"] == name
    with warm.wire() as last:
        eventually(lambda: len(last.ask("status")["clients"]) == 1, "all others have gone")
        assert last.running() == []


@pytest.mark.thorough
@pytest.mark.parametrize("profiles", [1, 10])
def test_replies_of_a_session_come_in_the_order_of_the_requests(
    house: House, site: TestSite, profiles: int
) -> None:
    house.start_daemon()
    with house.wire() as opener:
        for number in range(profiles):
            opener.data("navigate", {"url": site.url("/form.html")}, profile=f"p{number}")
    with ExitStack() as stack:
        clients = [stack.enter_context(house.wire(client=f"c{n}")) for n in range(CLIENTS)]
        for number in range(REQUESTS):
            for index, client in enumerate(clients):
                client.request(
                    "page.eval",
                    {"expression": "window.count = (window.count ?? 0) + 1"},
                    profile=f"p{index % profiles}",
                    name=str(number),
                )
        counted: list[set[int]] = [set() for _ in range(profiles)]
        for index, client in enumerate(clients):
            replies = [client.read() or {} for _ in range(REQUESTS)]
            results = [each["data"]["result"] for each in replies]
            assert [each["requestId"] for each in replies] == [str(n) for n in range(REQUESTS)]
            assert results == sorted(results)
            counted[index % profiles].update(results)
    each = CLIENTS * REQUESTS // profiles
    assert counted == [set(range(1, each + 1))] * profiles
