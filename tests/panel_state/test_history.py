"""The panel's history: what is kept, for how long, and without which secrets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from pwtui.app.history import RequestHistory
from pwtui.app.settings import KEPT_REQUESTS, Settings
from pwtui.protocol.envelope import Request, Response
from pwtui.widgets.log_entry import LogEntry


@pytest.fixture
def settings() -> Iterator[Settings]:
    settings = Settings()
    yield settings
    settings.close()


def request(op: str, id: str = "1", **input: Any) -> Request:
    return Request(op=op, input=input, request_id=id)


def response(op: str, **inputs: Any) -> Response:
    return Response.model_validate({"op": op, "ok": True, "inputs": inputs})


def test_a_repeated_request_is_kept_once_and_last(settings: Settings) -> None:
    history = RequestHistory(settings, "/w")
    for id, op in enumerate(("page.title", "page.url", "page.title")):
        history.sent(request(op, str(id)))

    assert [each["op"] for each in history.requests] == ["page.url", "page.title"]


def test_only_the_latest_requests_are_kept(settings: Settings) -> None:
    history = RequestHistory(settings, "/w")
    for number in range(KEPT_REQUESTS + 5):
        history.sent(request("page.text", str(number), selector=f"#{number}"))

    assert len(history.requests) == KEPT_REQUESTS
    assert history.requests[0]["input"] == {"selector": "#5"}


def test_the_last_action_is_one_on_an_element(settings: Settings) -> None:
    history = RequestHistory(settings, "/w")
    click = request("click", ref="e5")
    for each in (click, request("page.text", selector="h1"), request("reload")):
        history.sent(each)

    assert history.last_action == click


def test_a_success_is_kept_with_its_locator_in_its_workspace(settings: Settings) -> None:
    history = RequestHistory(settings, "/w")
    click = request("click", ref="e5")
    history.sent(click)
    history.succeeded(click, response("click", ref="e5", selector="getByRole('button')"))

    assert [each["input"] for each in history.requests] == [{"selector": "getByRole('button')"}]
    assert RequestHistory(settings, "/w").requests == history.requests
    assert RequestHistory(settings, "/other").requests == []


def test_a_secret_is_kept_in_memory_only(settings: Settings) -> None:
    history = RequestHistory(settings, "/w")
    fill = request("fill", selector="#password", text="secret")
    history.sent(fill)
    history.succeeded(fill, response("fill", selector="#password", text="••••••"))
    masked = fill.model_copy(update={"input": {"selector": "#password", "text": "••••••"}})
    entry = LogEntry(1, 0.0, "pwtui", "default", "fill", masked.to_wire())

    assert history.unmasked(entry).request["input"]["text"] == "secret"
    assert "secret" not in str(RequestHistory(settings, "/w").requests)
