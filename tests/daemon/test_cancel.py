"""A request can be cancelled at any point: by its client, by another, or by disconnecting."""

from __future__ import annotations

import time

import pytest

from tests.daemon.house import House, eventually
from tests.daemon.wire import Message, Wire
from tests.site import TestSite


@pytest.fixture
def page(wire: Wire, site: TestSite) -> str:
    """The form is open and counts the clicks on it."""
    wire.data("navigate", {"url": site.url("/form.html")})
    count = "window.clicks = 0; document.addEventListener('click', () => window.clicks++, true)"
    wire.data("page.eval", {"expression": count})
    return site.url("/form.html")


def is_cancelled(response: Message) -> bool:
    return not response["ok"] and response["error"]["code"] == "CANCELLED"


def heading(wire: Wire) -> str:
    text: str = wire.data("page.text", {"selector": "h1"})["text"]
    return text


def test_a_queued_request_can_be_cancelled(wire: Wire, site: TestSite, page: str) -> None:
    first = wire.request("page.eval", {"expression": "new Promise(() => {})"})
    second = wire.request("click", {"selector": "#agree"})
    wire.wait_until_running(2)

    reply = wire.ask("cancel", requestId=second)
    answer = wire.answer(second)
    still_running = [each["op"] for each in wire.running()]
    wire.ask("cancel", requestId=first)

    assert reply["cancelled"] is True
    assert is_cancelled(answer)
    assert still_running == ["page.eval"]
    assert is_cancelled(wire.answer(first))
    assert wire.data("page.eval", {"expression": "window.clicks"})["result"] == 0


def test_a_request_can_be_cancelled_while_the_browser_starts(warm: House, wire: Wire) -> None:
    name = wire.request("session.start", profile="starting")
    wire.wait_until_running(1)

    wire.ask("cancel", requestId=name)
    answer = wire.answer(name)
    after = wire.call("session.start", profile="starting")
    stopped = wire.data("session.stop", profile="starting")

    assert is_cancelled(answer)
    assert after["ok"] is True
    assert stopped["stopped"] is True
    assert list(warm.sessions_folder("starting").iterdir()) == []


def test_a_request_can_be_cancelled_while_the_page_loads(
    wire: Wire, site: TestSite, page: str
) -> None:
    site.requests.clear()
    name = wire.request("navigate", {"url": site.url("/hang")})
    eventually(lambda: ("GET", "/hang") in site.requests, "the page loads")

    wire.ask("cancel", requestId=name)

    assert is_cancelled(wire.answer(name))
    assert wire.data("navigate", {"url": page})["url"] == page
    assert heading(wire) == "Form"


def test_a_request_can_be_cancelled_while_it_waits_for_an_element(wire: Wire, page: str) -> None:
    name = wire.request("click", {"selector": "#never"})
    wire.wait_until_running(1)

    wire.ask("cancel", requestId=name)

    assert is_cancelled(wire.answer(name))
    assert heading(wire) == "Form"


def test_a_cancelled_click_does_not_click_later(wire: Wire, site: TestSite) -> None:
    wire.data("navigate", {"url": site.url("/form.html")})
    name = wire.request("click", {"selector": "#late"})
    wire.wait_until_running(1)
    time.sleep(0.3)

    wire.ask("cancel", requestId=name)
    answer = wire.answer(name)
    add = (
        "const late = document.createElement('button'); late.id = 'late'; late.textContent = 'L';"
        "window.clicks = 0; late.onclick = () => window.clicks++; document.body.prepend(late)"
    )
    wire.data("page.eval", {"expression": add})
    time.sleep(1.5)

    assert is_cancelled(answer)
    assert wire.data("page.eval", {"expression": "window.clicks"})["result"] == 0
    wire.data("click", {"selector": "#late"})
    assert wire.data("page.eval", {"expression": "window.clicks"})["result"] == 1


def test_a_page_in_an_endless_loop_can_be_left(wire: Wire, site: TestSite) -> None:
    wire.data("navigate", {"url": site.url("/busy.html")}, profile="busy")
    name = wire.request("click", {"selector": "#busy-now"}, profile="busy")
    wire.wait_until_running(1)
    time.sleep(0.5)

    wire.ask("cancel", requestId=name)

    assert is_cancelled(wire.answer(name))
    assert wire.data("session.stop", profile="busy")["stopped"] is True


def test_a_request_of_another_connection_is_cancelled_by_its_number(
    warm: House, wire: Wire, page: str
) -> None:
    with warm.wire() as other:
        name = other.request("page.eval", {"expression": "new Promise(() => {})"})
        wire.wait_until_running(1)
        (running,) = wire.running()
        by_id = wire.ask("cancel", requestId=name)
        by_number = wire.ask("cancel", seq=running["seq"])
        answer = other.answer(name)

    assert by_id["cancelled"] is False
    assert by_number["cancelled"] is True
    assert is_cancelled(answer)


def test_cancelling_twice_or_too_late_changes_nothing(wire: Wire, page: str) -> None:
    name = wire.request("page.eval", {"expression": "new Promise(() => {})"})
    wire.wait_until_running(1)
    wire.send(
        {"cmd": "cancel", "requestId": name, "id": 1},
        {"cmd": "cancel", "requestId": name, "id": 2},
        {"cmd": "cancel", "requestId": name, "id": 3},
    )
    answer = wire.answer(name)
    late = wire.ask("cancel", requestId=name)
    done = wire.call("ops.describe", {"op": "click"}, name="done")
    done_late = wire.ask("cancel", requestId="done")

    assert is_cancelled(answer)
    assert late["cancelled"] is done_late["cancelled"] is False
    assert done["ok"] is True
    assert [each for each in wire.kept if each.get("requestId") == name] == []
    assert heading(wire) == "Form"


def test_the_requests_of_a_client_that_disconnects_are_cancelled(
    warm: House, wire: Wire, page: str
) -> None:
    wire.ask("subscribe", events=["request", "response", "client"])
    with warm.wire(client="leaver") as leaver:
        hanging = leaver.request("page.eval", {"expression": "new Promise(() => {})"})
        leaver.request("click", {"selector": "#agree"})
        wire.wait_until_running(2)
    wire.wait_until_running(0)

    gone = wire.event("client", lambda each: not each["connected"])
    assert gone["client"]["name"] == "leaver"
    assert "leaver" not in wire.ask("status")["clients"]
    assert wire.data("page.eval", {"expression": "window.clicks"})["result"] == 0
    assert heading(wire) == "Form"
    asked = wire.event("request", lambda each: each["request"].get("requestId") == hanging)
    responses = [each for each in wire.kept if each.get("event") == "response"]
    assert [
        is_cancelled(each["response"]) for each in responses if each["seq"] == asked["seq"]
    ] == [True]


def test_a_client_that_disconnects_while_its_browser_starts_leaves_a_usable_session(
    warm: House, wire: Wire, site: TestSite
) -> None:
    with warm.wire() as leaver:
        leaver.request("session.start", profile="left")
        wire.wait_until_running(1)
    wire.wait_until_running(0)

    response = wire.call(
        "page.text", {"url": site.url("/form.html"), "selector": "h1"}, profile="left"
    )

    assert response["ok"] is True
    assert wire.data("session.stop", profile="left")["stopped"] is True
