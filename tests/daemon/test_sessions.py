"""Browsers that outlive a command: owners, descriptors, and how they are closed."""

from __future__ import annotations

import json
import os
import socket
import stat
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from pwtui.browser.launch.driver import DRIVER_VERSION
from tests.daemon.house import House, eventually, has_ended, is_running, kill
from tests.daemon.support import write_stale
from tests.daemon.wire import Wire
from tests.site import TestSite


def descriptor_of(house: House, profile: str = "default") -> dict[str, Any]:
    path = house.sessions_folder(profile) / "session.json"
    value: dict[str, Any] = json.loads(path.read_bytes())
    return value


def open_form(wire: Wire, site: TestSite, **more: Any) -> dict[str, Any]:
    return wire.call("navigate", {"url": site.url("/form.html")}, **more)


def messages(response: dict[str, Any]) -> str:
    return " ".join(note["message"] for note in response["diagnostics"])


def test_the_descriptor_identifies_the_browser(warm: House, wire: Wire, site: TestSite) -> None:
    open_form(wire, site)
    found = descriptor_of(warm)
    (listed,) = wire.data("session.list", {"others": False})["sessions"]
    process = psutil.Process(found["pid"])
    daemon = warm.daemon()

    assert daemon is not None
    assert process.pid in [each.pid for each in warm.browsers()]
    assert abs(found["startedAt"] - process.create_time()) < 1
    assert found["ownerPid"] == daemon.pid
    assert found["owner"] == "daemon"
    key = f"{warm.workspace.id}:default:chromium:headless"
    assert found["sessionKey"] == listed["sessionKey"] == key
    assert (found["workspace"], found["workspaceId"]) == (str(warm.root), warm.workspace.id)
    assert Path(found["wsEndpoint"]).is_socket()
    assert found["driverVersion"] == DRIVER_VERSION
    assert process.create_time() - 1 <= found["createdAt"] <= found["lastUsedAt"] <= time.time()
    assert listed["pid"] == found["pid"]
    assert listed["pages"] == [{"title": "Form", "url": site.url("/form.html"), "index": 0}]
    assert listed["memoryBytes"] > 1_000_000
    path = warm.sessions_folder() / "session.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_profiles_and_workspaces_have_separate_browsers(
    warm: House, wire: Wire, site: TestSite
) -> None:
    root = warm.new_workspace("second")
    open_form(wire, site)
    open_form(wire, site, profile="b")
    with Wire(warm.socket) as elsewhere:
        elsewhere.ask("hello", workspace=str(root), cwd=str(root))
        open_form(elsewhere, site)
        ours = elsewhere.data("session.list", {"others": False})["sessions"]
        elsewhere.data("session.stop")
    wire.data("page.eval", {"expression": "localStorage.setItem('who', 'default')"})
    other = wire.data("page.eval", {"expression": "localStorage.getItem('who')"}, profile="b")
    stopped = wire.data("session.stop", profile="b")

    assert len({each["pid"] for each in ours}) == 3
    assert len({each["wsEndpoint"] for each in ours}) == 3
    assert len({each["sessionKey"] for each in ours}) == 3
    assert other["result"] is None
    assert stopped["stopped"] is True
    assert wire.data("session.status")["active"] is True


def test_a_killed_browser_is_replaced_and_reported(warm: House, wire: Wire, site: TestSite) -> None:
    open_form(wire, site, profile="killed")
    first = descriptor_of(warm, "killed")
    kill(psutil.Process(first["pid"]))
    wire.data("session.list", {"others": False})  # reading does not consume the report

    envelope = json.dumps({"url": site.url("/form.html"), "selector": "h1"})
    result = warm.thin("exec", "page.text", "--input", envelope, "--profile", "killed", "-v")
    second = descriptor_of(warm, "killed")
    wire.data("session.stop", profile="killed")

    assert result.code == 0
    assert result.json["data"]["text"] == "Form"
    assert "browser relaunched" in result.err
    assert messages(result.json).count("had exited") == 1
    assert f"process {first['pid']}" in messages(result.json)
    assert second["pid"] != first["pid"]


def test_a_port_in_use_is_not_used(warm: House, wire: Wire) -> None:
    port = warm.workspace.default_port("conflict")
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", port))
        other.listen()
        launched = wire.ask("launch", profile="conflict")
    wire.data("session.stop", profile="conflict")

    assert launched["ok"] is True
    assert launched["cdp_endpoint"] != f"http://127.0.0.1:{port}"


def test_after_a_crash_of_the_page_the_next_command_works(wire: Wire, site: TestSite) -> None:
    open_form(wire, site, profile="crash")
    crashed = wire.call("navigate", {"url": "chrome://crash"}, profile="crash")
    refused = wire.call("page.text", {"selector": "h1"}, profile="crash")
    again = wire.call(
        "page.text", {"url": site.url("/form.html"), "selector": "h1"}, profile="crash"
    )
    wire.data("session.stop", profile="crash")

    assert crashed["ok"] is False
    assert crashed["error"]["code"] == "SESSION_ERROR"
    assert refused["error"]["code"] == "SESSION_ERROR"
    assert "crashed" in refused["error"]["message"]
    assert again["ok"] is True, again
    assert again["data"]["text"] == "Form"


@pytest.mark.parametrize("reason", ["dead process", "reused pid", "no browser", "unreadable"])
@pytest.mark.parametrize("asked", ["session.status", "session.list"])
def test_a_stale_descriptor_is_not_believed(
    warm: House, wire: Wire, reason: str, asked: str
) -> None:
    profile = f"{reason} {asked}".replace(" ", "-")
    changes: dict[str, dict[str, Any]] = {
        "dead process": {},
        "reused pid": {"pid": os.getpid()},
        "no browser": {"pid": os.getpid(), "startedAt": psutil.Process().create_time()},
        "unreadable": {"pid": "none"},
    }
    path = write_stale(warm, profile, **changes[reason])

    data = wire.data(asked, {"others": False} if asked == "session.list" else {}, profile=profile)

    if asked == "session.status":
        assert data["active"] is False
    else:
        assert profile not in [each.get("profile") for each in data["sessions"]]
    assert path.exists()  # the next request reports the loss
    assert wire.data("session.stop", profile=profile)["stopped"] is False
    assert is_running(psutil.Process())


def test_a_session_starts_despite_a_stale_descriptor_and_reports_it(
    warm: House, wire: Wire
) -> None:
    path = write_stale(warm, "stale")
    gone = json.loads(path.read_bytes())["pid"]

    response = wire.call("session.start", profile="stale")
    wire.data("session.stop", profile="stale")

    assert response["ok"] is True
    assert f"process {gone}" in messages(response)
    assert messages(response).count("had exited") == 1


def test_a_session_that_hangs_can_be_stopped(warm: House, wire: Wire, site: TestSite) -> None:
    wire.data("navigate", {"url": site.url("/busy.html")}, profile="endless")
    name = wire.request("click", {"selector": "#busy-now"}, profile="endless")
    time.sleep(0.5)

    stopped = wire.data("session.stop", profile="endless")
    ended = wire.answer(name)

    assert stopped["stopped"] is True
    assert ended["error"]["code"] == "SESSION_ERROR"
    assert wire.data("session.status", profile="endless")["active"] is False


def test_a_descriptor_that_cannot_be_written_leaks_no_browser(warm: House, wire: Wire) -> None:
    folder = warm.sessions_folder("full")
    folder.parent.mkdir(parents=True)
    folder.write_text("in the way")
    before = len(warm.browsers())

    answers = [wire.call("session.start", profile="full") for _ in range(2)]
    opened = wire.data("session.status", profile="full")["active"]

    assert len({each["ok"] for each in answers}) == 1
    expected = before + opened
    eventually(lambda: len(warm.browsers()) == expected, "each has a session")
    wire.call("session.stop", profile="full")
    assert folder.read_text() == "in the way"


def test_without_the_daemon_a_session_outlives_its_command(house: House, site: TestSite) -> None:
    house.without_daemon()
    started = house("session", "start", "-v")
    (browser,) = house.browsers()
    opened = house.batch(
        {"op": "navigate", "input": {"url": site.url("/form.html")}},
        {"op": "page.eval", "input": {"expression": "window.kept = 7"}},
    )
    kept = house("exec", "page.eval", "--input", '{"expression": "window.kept"}', "-v")
    sizes = house.batch(
        {"op": "page.eval", "input": {"expression": "[innerWidth, innerHeight]"}},
        {"op": "tabs.new", "input": {"url": site.url("/form.html")}},
        {"op": "page.eval", "input": {"expression": "[innerWidth, innerHeight]"}},
    )
    looked = house.batch({"op": "session.list"}, {"op": "session.start"}, {"op": "session.status"})
    still = is_running(browser)
    stopped = house.batch({"op": "session.stop"}, {"op": "session.stop"})

    assert house.daemon() is None
    assert started.code == 0
    assert started.json["data"]["owner"] == "detached"
    assert started.json["data"]["pid"] == browser.pid
    assert [line["ok"] for line in opened.lines] == [True, True]
    assert kept.json["data"]["result"] == 7
    assert "browser reattached" in kept.err
    first, _, second = sizes.lines
    assert first["data"]["result"] == second["data"]["result"] == [1280, 720]  # as in the daemon
    listed, again, status = (line["data"] for line in looked.lines)
    (ours,) = [each for each in listed["sessions"] if each["origin"] == "pwtui"]
    assert ours["pid"] == again["pid"] == status["session"]["pid"] == browser.pid
    assert still
    assert [line["data"]["stopped"] for line in stopped.lines] == [True, False]
    assert has_ended(browser)
    assert house.nothing_is_left()
    assert list(house.sessions_folder().iterdir()) == []


def test_a_slow_browser_keeps_its_descriptor(house: House) -> None:
    house.without_daemon()
    house("session", "start")
    (browser,) = house.browsers()
    browser.suspend()
    try:
        looked = house.batch({"op": "session.status"}, {"op": "session.list"})
        kept = descriptor_of(house)
    finally:
        browser.resume()
    after = house("exec", "session.status")
    house("session", "stop")

    status, listed = (line["data"] for line in looked.lines)
    assert status["session"]["pid"] == browser.pid
    assert browser.pid in [each.get("pid") for each in listed["sessions"]]
    assert kept["pid"] == browser.pid
    assert after.json["data"]["active"] is True
    assert has_ended(browser)


def test_a_detached_browser_that_was_killed_is_replaced(house: House, site: TestSite) -> None:
    house.without_daemon()
    house("session", "start")
    (browser,) = house.browsers()
    kill(browser)

    envelope = json.dumps({"url": site.url("/form.html"), "selector": "h1"})
    result = house("exec", "page.text", "--input", envelope)

    assert result.json["data"]["text"] == "Form"
    assert f"process {browser.pid}" in messages(result.json)
    assert house.nothing_is_left()
