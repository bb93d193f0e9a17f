"""Events of sessions as lines of `pw watch` and `pw exec --events`."""

from __future__ import annotations

import re
from typing import Any

import pytest

from pwtui.cli.event_lines import line_of
from pwtui.protocol.events import ObservedEvent, read_event
from pwtui.protocol.kinds import KINDS

COMMON = {"time": 0, "sessionKey": "w:default:chromium:headless", "workspace": "/w"}
URL = "https://example.com/"
REQUEST = {"request": 1, "method": "GET", "url": URL, "resourceType": "document"}
FRAMES = {"framesSent": 2, "framesReceived": 3, "bytesSent": 9, "bytesReceived": 9}
SOCKET = {"socket": 1, "url": "wss://example.com/", **FRAMES}
FILE = {"download": 1, "url": URL, "suggestedFilename": "report.pdf"}

EVENTS: list[tuple[str, dict[str, Any], str]] = [
    (
        "call",
        {"call": 1, "tool": "playwright mcp", "title": "Click button", "status": "success"}
        | {"source": {"file": "a.py", "line": 3}, "durationMs": 12.4},
        "playwright mcp: Click button → ok 12 ms (a.py:3)",
    ),
    ("hold", {"change": "began", "by": "pwtui"}, "began by pwtui"),
    ("hold", {"change": "held", "client": "agent", "action": "click"}, "held agent click"),
    ("console", {"type": "log", "text": "hello", "pageUrl": URL}, "log: hello"),
    (
        "console",
        {"type": "error", "text": "no", "url": "/app.js", "line": 7, "pageUrl": URL},
        "error: no (/app.js:7)",
    ),
    ("pageError", {"text": "Error: late", "pageUrl": URL}, f"Error: late ({URL})"),
    ("network", {"change": "request", **REQUEST}, f"request GET {URL}"),
    (
        "network",
        {"change": "finished", **REQUEST, "status": 200, "fromCache": True, "durationMs": 12.4},
        f"finished GET {URL} 200 from cache 12 ms",
    ),
    (
        "network",
        {"change": "failed", **REQUEST, "failure": "net::ERR_ABORTED"},
        f"failed GET {URL} net::ERR_ABORTED",
    ),
    (
        "websocket",
        {"change": "frames", **SOCKET},
        "frames wss://example.com/: 2 frames sent, 3 received",
    ),
    (
        "websocket",
        {"change": "closed", **SOCKET, "error": "reset"},
        "closed wss://example.com/: reset",
    ),
    (
        "dialog",
        {"change": "opened", "dialog": {"type": "alert", "message": "Hi"}},
        "opened alert: Hi",
    ),
    ("dialog", {"change": "closed"}, "closed"),
    ("fileChooser", {"multiple": True}, "for several files"),
    ("fileChooser", {"multiple": False}, "for one file"),
    ("download", {"change": "started", **FILE}, f"started report.pdf from {URL}"),
    (
        "download",
        {"change": "progress", **FILE, "receivedBytes": 5, "totalBytes": 9},
        f"progress report.pdf from {URL}, 5 of 9 bytes",
    ),
    (
        "user",
        {"action": "fill", "url": URL, "selector": "getByLabel('Name')", "text": "Ada"},
        "fill getByLabel('Name') Ada",
    ),
    ("user", {"action": "navigate", "url": URL}, f"navigate {URL}"),
    (
        "download",
        {"change": "failed", **FILE, "failure": "canceled"},
        f"failed report.pdf from {URL}: canceled",
    ),
    ("navigation", {"url": URL, "frame": "main"}, URL),
    ("navigation", {"url": URL, "frame": "child"}, f"{URL} in a frame"),
    ("tab", {"change": "title", "url": URL, "title": "Home"}, f"title Home {URL}"),
    ("browser", {"change": "ended", "how": "exited"}, "ended: exited"),
    (
        "snapshot",
        {"url": URL, "title": "Home", "text": '- button "Go" [ref=e1]\n- text: Hi'},
        f"Home {URL}: 2 nodes",
    ),
    (
        "frame",
        {"frame": 1, "data": "QUJD", "viewportWidth": 800, "viewportHeight": 600},
        "800x600: 4 bytes",
    ),
    (
        "flood",
        {"kind": "console", "dropped": 40, "pauses": 1},
        "too many console events: dropped at least 40",
    ),
]


def event(kind: str, fields: dict[str, Any], **more: Any) -> ObservedEvent:
    found = read_event({"event": kind, "profile": "default", **COMMON, **fields, **more})
    assert found is not None
    assert found.event != "dropped"
    return found


@pytest.mark.parametrize(("kind", "fields", "text"), EVENTS)
def test_an_event_is_one_line(kind: str, fields: dict[str, Any], text: str) -> None:
    line = line_of(event(kind, fields, tab=2))

    assert re.fullmatch(rf"{kind} \d\d:\d\d:\d\d default 2  {re.escape(text)}", line), line


def test_every_kind_of_event_has_a_line() -> None:
    assert {kind for kind, _, _ in EVENTS} - {"flood"} == set(KINDS)


def test_a_line_has_no_tab_if_it_is_unknown_and_no_control_characters() -> None:
    line = line_of(event("console", {"type": "log", "text": "a\x1b[31m\nb", "pageUrl": URL}))

    assert line.endswith(r" default log: a\u001b[31m b")


def test_dropped_events_are_counted() -> None:
    dropped = read_event({"event": "dropped", "count": 7})

    assert dropped is not None
    assert line_of(dropped) == "dropped 7 events: this terminal is too slow"
