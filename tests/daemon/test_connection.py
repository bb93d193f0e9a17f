"""Messages on the socket: envelopes, control messages, and invalid lines."""

from __future__ import annotations

import time

import pytest

from pwtui import __version__
from pwtui.protocol.ndjson import MAX_LINE_BYTES
from tests.daemon.house import House, eventually, has_ended, is_running
from tests.daemon.wire import Wire
from tests.site import TestSite

SLOW = "new Promise(done => setTimeout(done, 800, 'slow'))"


def test_hello_returns_the_description_of_the_daemon(warm: House) -> None:
    with Wire(warm.socket) as wire:
        reply = wire.ask("hello", workspace=str(warm.root), cwd=str(warm.root), client="me")
        status = wire.ask("status")
    daemon = warm.daemon()

    assert daemon is not None
    assert reply["ok"] is True
    assert reply["pid"] == status["pid"] == daemon.pid
    assert reply["version"] == status["version"] == __version__
    assert "me" in status["clients"]


def test_envelopes_are_accepted_only_after_hello(warm: House) -> None:
    with Wire(warm.socket) as wire:
        refused = wire.call("ops.list")
        launch = wire.ask("launch")

    assert refused["error"]["code"] == "INVALID_INPUT"
    assert "hello" in refused["error"]["message"]
    assert launch["ok"] is False
    assert "hello" in launch["error"]["message"]


@pytest.mark.parametrize(
    "line",
    [
        b"nonsense",
        b"{",
        b"[]",
        b"7",
        b"null",
        b'"op"',
        b"\xff\xfe\x00\x01",
        b"\x00" * 100,
        b'{"op": 7}',
        b'{"input": {}}',
        b'{"op": "ops.list", "input": []}',
        b'{"op": "ops.list", "cmd": "status", "input": {"x": 1}}',
        b'{"op": "ops.list", "input": ' + b"[" * 100_000,
        b'{"op": "\\ud800"}',
    ],
)
def test_an_invalid_line_gets_an_error_and_the_next_line_works(wire: Wire, line: bytes) -> None:
    wire.send(line)
    answer = wire.read()
    after = wire.call("ops.describe", {"op": "click"})

    assert answer is not None
    assert answer["ok"] is False
    assert answer["error"]["code"] == "INVALID_INPUT"
    assert after["ok"] is True


@pytest.mark.parametrize(
    "message",
    [
        {"cmd": "nonsense"},
        {"cmd": None},
        {"cmd": ["status"]},
        {"cmd": "cancel", "seq": "first"},
        {"cmd": "hello"},
        {"cmd": "hello", "workspace": 7, "cwd": None},
        {"cmd": "subscribe", "events": "all"},
        {"cmd": "close"},
        {"cmd": "close", "session_id": "none"},
        {"cmd": "connect", "session_id": "none"},
        {"cmd": "launch", "browser": "lynx"},
        {"cmd": "shutdown", "when": "never"},
        {"cmd": "run", "argv": []},
    ],
)
def test_an_invalid_control_message_is_refused_with_a_reason(
    wire: Wire, message: dict[str, object]
) -> None:
    wire.send(message | {"id": {"any": ["thing"]}})
    reply = wire.read()

    assert reply is not None
    assert reply["ok"] is False
    assert reply["id"] == {"any": ["thing"]}
    assert reply["error"]["code"] == "INVALID_INPUT"
    assert reply["error"]["message"]
    assert wire.ask("status")["ok"] is True


def test_a_line_that_is_too_long_gets_an_error_and_the_next_line_works(wire: Wire) -> None:
    wire.send(b'{"op": "' + b"x" * MAX_LINE_BYTES + b'"}')
    answer = wire.read()

    assert answer is not None
    assert answer["error"]["code"] == "INVALID_INPUT"
    assert answer["error"]["details"] == {"limitBytes": MAX_LINE_BYTES}
    assert wire.call("ops.describe", {"op": "click"})["ok"] is True


def test_lines_may_come_in_pieces_and_end_with_carriage_returns(wire: Wire) -> None:
    for piece in (
        b'{"op": "ops.de',
        b'scribe", "requestId": "x", "in',
        b'put": {"op": "click"}}\r',
    ):
        wire.socket.sendall(piece)
    wire.send(b"", b"\r", b"  ")

    assert wire.answer("x")["ok"] is True


def test_many_requests_run_at_once_on_one_connection(wire: Wire) -> None:
    names = [
        wire.request("protect.list", profile=f"p{number % 7}")
        if number % 2
        else wire.request("ops.describe", {"op": "click"})
        for number in range(300)
    ]

    answers = [wire.answer(name) for name in names]

    assert [each["requestId"] for each in answers] == names
    assert all(each["ok"] for each in answers)
    assert wire.kept == []


def test_one_profile_keeps_the_order_and_others_do_not_wait(wire: Wire, site: TestSite) -> None:
    wire.data("navigate", {"url": site.url("/form.html")})
    slow = wire.request("page.eval", {"expression": SLOW})
    after = [wire.request("page.eval", {"expression": str(number)}) for number in range(3)]
    changed = wire.request("protect.add", {"pattern": "never"})
    beside = [wire.request("protect.list", profile=f"p{number}") for number in range(3)]

    finished = [(wire.read() or {}).get("requestId") for _ in range(8)]

    assert set(finished[:3]) == set(beside)
    assert finished[3:] == [slow, *after, changed]


def test_launch_connect_and_close_a_session(warm: House, wire: Wire, site: TestSite) -> None:
    launched = wire.ask("launch", browser="chromium", headless=True, profile="launched")
    again = wire.ask("launch", profile="launched")
    connected = wire.ask("connect", session_id=launched["session_id"])
    wire.data("navigate", {"url": site.url("/form.html")})
    there = wire.call("page.text", {"selector": "h1"})
    listed = [
        each["sessionKey"] for each in wire.data("session.list", {"others": False})["sessions"]
    ]
    closed = wire.ask("close", session_id=launched["session_id"])
    gone = wire.ask("close", session_id=launched["session_id"])

    key = str(warm.workspace.session_key("launched", "chromium", headless=True))
    assert launched["session_id"] == again["session_id"] == key
    assert launched["cdp_endpoint"].startswith("http://127.0.0.1:")
    assert launched["ws_endpoint"]
    assert connected["ok"] is True
    assert there["effectiveRuntime"]["profile"] == "launched"
    assert there["data"]["text"] == "Form"
    assert key in listed
    assert closed["ok"] is True
    assert gone["ok"] is False
    assert list(warm.sessions_folder("launched").iterdir()) == []


def test_a_session_of_another_workspace_is_not_connected_to(warm: House, wire: Wire) -> None:
    launched = wire.ask("launch")
    with Wire(warm.socket) as other:
        elsewhere = str(warm.folder)
        other.ask("hello", workspace=elsewhere, cwd=elsewhere)
        refused = other.ask("connect", session_id=launched["session_id"])

    assert refused["ok"] is False
    assert "another workspace" in refused["error"]["message"]


@pytest.mark.parametrize("page", ["/hang", "/busy.html"])
def test_control_messages_are_handled_while_a_page_hangs(
    wire: Wire, site: TestSite, page: str
) -> None:
    site.requests.clear()
    if page == "/hang":
        hanging = wire.request("navigate", {"url": site.url(page)}, profile="hangs")
    else:
        hanging = wire.request(
            "click", {"url": site.url(page), "selector": "#busy-now"}, profile="hangs"
        )
    eventually(lambda: ("GET", page) in site.requests, "the page loads")
    queued = wire.request("page.text", {"selector": "h1"}, profile="hangs")
    wire.wait_until_running(2)

    daemon = wire.ask("status")
    listed = wire.data("session.list", {"others": False})
    status = wire.data("session.status", profile="hangs")
    other = wire.call("protect.list", profile="free")
    (key,) = [s["sessionKey"] for s in listed["sessions"] if s["profile"] == "hangs"]
    closed = wire.ask("close", session_id=key)
    ended = wire.answer(hanging)
    wire.answer(queued)
    after = wire.call(
        "page.text", {"url": site.url("/form.html"), "selector": "h1"}, profile="hangs"
    )
    stopped = wire.data("session.stop", profile="hangs")

    assert daemon["requestsRunning"][0]["op"] in ("navigate", "click")
    assert status["active"] is True
    assert other["ok"] is True
    assert closed["ok"] is True
    assert ended["ok"] is False
    assert ended["error"]["code"] in ("SESSION_ERROR", "NAVIGATION_FAILED")
    assert after["ok"] is True, after
    assert after["data"]["text"] == "Form"
    assert stopped["stopped"] is True


def test_text_that_utf8_cannot_encode_gets_a_response(wire: Wire, site: TestSite) -> None:
    response = wire.call(
        "page.eval", {"url": site.url("/"), "expression": "'a\\ud800b\\u0000' + '\\u{1F600}'"}
    )

    assert response["ok"] is True
    assert response["data"]["result"].startswith("a")
    assert response["data"]["result"].endswith("b\x00\N{GRINNING FACE}")


def test_shutdown_when_idle_waits_for_running_requests(house: House) -> None:
    daemon = house.start_daemon()
    with house.wire() as wire:
        name = wire.request("session.start")
        wire.ask("shutdown", when="idle")
        runs_on = is_running(daemon)
        answer = wire.answer(name)
        assert wire.has_ended()

    assert runs_on
    assert answer["ok"] is True
    assert has_ended(daemon)
    assert house.nothing_is_left()


def test_shutdown_now_ends_a_hanging_page_too(house: House, site: TestSite) -> None:
    daemon = house.start_daemon()
    with house.wire() as wire:
        site.requests.clear()
        name = wire.request("click", {"url": site.url("/busy.html"), "selector": "#busy-now"})
        eventually(lambda: ("GET", "/busy.html") in site.requests, "the page loads")
        time.sleep(0.5)
        reply = wire.ask("shutdown", when="now")
        assert wire.has_ended()

    answers = [each for each in wire.kept if each.get("requestId") == name]
    assert reply["ok"] is True
    assert [each["ok"] for each in answers] in ([], [False])
    assert has_ended(daemon)
    assert house.nothing_is_left()
    assert list(house.sessions_folder().iterdir()) == []


def test_status_counts_what_was_served(wire: Wire) -> None:
    before = wire.ask("status")["requestsServed"]
    for _ in range(5):
        wire.call("ops.describe", {"op": "click"})

    after = eventually(lambda: wire.ask("status"), "a status")

    assert after["requestsServed"] == before + 5
    assert after["requestsRunning"] == []
    assert after["memoryBytes"] > 0
