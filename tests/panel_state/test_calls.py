"""The calls of other programs in their own browsers are rows of the log."""

from __future__ import annotations

from typing import Any

import pytest

from pwtui.app.store import Store
from pwtui.protocol.events import BrowserEvent, CallEvent, UnseenEvent
from pwtui.protocol.models import RequestEvent
from pwtui.widgets.log_entry import LogEntry
from tests.app.fixed import NOW, ROOT

PLACE: dict[str, Any] = {"session_key": "playwright:1", "workspace": ROOT, "client": "shopper"}
FILL = {"title": 'Fill "••••••" locator("#name")', "target": 'locator("#name")'}


@pytest.fixture
def store() -> Store:
    return Store("default", ROOT)


def call(number: int, status: str, **more: Any) -> CallEvent:
    fields = {"time": NOW, "call": number, "tool": "python shop.py", "pid": 7, "status": status}
    return CallEvent.model_validate({**PLACE, **fields, **FILL, **more})


def rows(store: Store) -> list[tuple[str, ...]]:
    return [(e.client, e.profile, e.op, e.target, e.outcome) for e in store.log.entries]


def test_a_call_is_a_row_that_is_finished_by_its_result(store: Store) -> None:
    place = ("python shop.py", "shopper", 'Fill "••••••"', 'locator("#name")')
    store.observed(call(1, "running"))
    running = rows(store)
    store.observed(call(1, "success", duration_ms=12.5))
    store.observed(call(2, "error", duration_ms=5.0, error="Timeout 100ms exceeded."))
    first, second = store.log.entries

    assert running == [(*place, "running")]
    assert rows(store) == [(*place, ""), (*place, "ERROR  Timeout 100ms exceeded.")]
    assert (first.duration_ms, second.time) == (12.5, NOW - 0.005)
    assert all(each.is_event for each in (first, second))  # cannot be sent again
    assert first.request["pid"] == 7


def test_calls_whose_observer_has_ended_do_not_run_forever(store: Store) -> None:
    store.observed(call(1, "running"))
    ended = {**PLACE, "time": NOW, "change": "ended", "how": "workerLost"}
    store.observed(BrowserEvent.model_validate(ended))
    store.observed(call(1, "running"))  # its successor counts from one again
    store.fail_pending("daemon")

    assert [each.failed for each in store.log.entries] == [True, True]
    assert store.log.pending == 0


def test_calls_in_other_workspaces_are_not_in_the_log(store: Store) -> None:
    there = {**PLACE, "time": NOW, "workspace": "/elsewhere"}
    elsewhere = call(1, "success", workspace="/elsewhere", duration_ms=1.0)
    anywhere = call(2, "success", workspace=None, duration_ms=1.0)
    unseen = UnseenEvent.model_validate({**there, "kind": "browser", "reason": "it has ended"})
    exited = BrowserEvent.model_validate({**there, "change": "ended", "how": "exited"})
    for event in (elsewhere, anywhere, unseen, exited):
        store.observed(event)
    (entry,) = store.log.entries

    assert not store.notices.shown
    assert isinstance(entry, LogEntry)


def test_only_a_browser_that_exits_during_an_action_is_reported(store: Store) -> None:
    exited = BrowserEvent.model_validate({**PLACE, "time": NOW, "change": "ended", "how": "exited"})
    store.observed(exited)
    store.observed(call(1, "running", title="Close browser", target=None))
    store.observed(exited)
    store.observed(call(1, "success", title="Close browser", target=None))
    assert not store.notices.shown

    store.observed(call(2, "running"))
    store.observed(exited)

    [notice] = store.notices.shown
    assert notice.text == 'the browser of shopper has exited during Fill "••••••" locator("#name")'


def test_a_request_that_was_sent_before_the_panel_connected_names_its_client(store: Store) -> None:
    request = {"schemaVersion": 5, "requestId": "r1", "op": "click", "input": {}}
    sent = {"seq": 7, "time": NOW, "client": {"name": "agent"}, "profile": "default"}
    response = {"schemaVersion": 5, "requestId": "r1", "op": "click", "ok": False, "durationMs": 9}
    store.finish(
        RequestEvent.model_validate({**sent, "request": request, "response": response}), "daemon"
    )

    activity = store.activities.of((ROOT, "default"))
    assert (activity.client, activity.errors, activity.rate(NOW)) == ("agent", 1, 1)
