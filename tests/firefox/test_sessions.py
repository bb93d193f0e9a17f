"""Sessions of the daemon with Firefox: kept, found, shared, observed and replaced."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import psutil
import pytest

from pwtui.browser.launch.firefox import STOCK, StockFirefox
from tests.daemon.house import House
from tests.daemon.wire import Wire
from tests.operations.support import data_url
from tests.waiting import eventually

FIREFOX = {"browser": "firefox", "channel": STOCK}
PAGE = data_url("<button onclick='console.log(\"pressed\")'>Press</button>")


@pytest.fixture(scope="module")
def warm(stock: StockFirefox) -> Iterator[House]:
    with House() as shared:
        shared.start_daemon()
        yield shared


@pytest.fixture
def wire(warm: House) -> Iterator[Wire]:
    with warm.wire(client="test") as connection:
        assert connection.call("navigate", {"url": PAGE}, overrides=FIREFOX)["ok"]
        yield connection


def test_another_profile_attaches_to_its_bound_endpoint(wire: Wire) -> None:
    endpoint = _session(wire)["wsEndpoint"]
    attached = {"browser": "firefox", "cdpEndpoint": endpoint}

    title = wire.call("page.title", profile="second", overrides=attached)
    wire.call("session.stop", profile="second", overrides=attached)

    assert title["data"]["title"] == "Own page"
    assert wire.call("page.title", overrides=FIREFOX)["data"]["title"] == "Own page"


def test_what_the_page_logs_is_an_event(wire: Wire) -> None:
    assert wire.ask("subscribe", kinds=["console"])["ok"]

    assert wire.call("click", {"selector": "button"}, overrides=FIREFOX)["ok"]

    event = wire.wait(lambda message: message.get("event") == "console", "the console event")
    assert event["text"] == "pressed"


def test_without_the_daemon_a_session_is_refused(warm: House, wire: Wire) -> None:
    runtime = {"profile": "alone", "overrides": {**FIREFOX, "useDaemon": False}}
    request = json.dumps({"op": "session.start", "runtime": runtime})

    result = warm("exec", "--file", "-", input=request.encode())

    assert result.json["error"]["code"] == "UNSUPPORTED_MODE"
    assert "ends with the command that launched it" in result.json["error"]["message"]


def test_a_firefox_that_was_killed_is_replaced_and_leaves_no_process(wire: Wire) -> None:
    pid = _session(wire)["pid"]
    processes = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]

    psutil.Process(pid).kill()
    eventually(lambda: not any(each.is_running() for each in processes), "all have exited")
    again = wire.call("navigate", {"url": PAGE}, overrides=FIREFOX)

    assert again["ok"]
    assert "had exited" in again["diagnostics"][0]["message"]
    assert _session(wire)["pid"] != pid


def _session(wire: Wire) -> dict[str, Any]:
    sessions = wire.call("session.list")["data"]["sessions"]
    found: dict[str, Any] = next(each for each in sessions if each.get("profile") == "default")
    return found


def test_a_recording_is_replayed_in_each_browser(warm: House, stock: StockFirefox) -> None:
    (warm.root / "flow.pw").write_text(f"goto {json.dumps(PAGE)}\nverify-title 'Own page'\n")

    done = warm("replay", "flow.pw", "--browser", "chromium,firefox", "--report", "both.xml")

    assert "PASS flow.pw [chromium]" in done.out
    assert "PASS flow.pw [firefox]" in done.out
    assert 'name="flow.pw [firefox]"' in (warm.root / "both.xml").read_text()
