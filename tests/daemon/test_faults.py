"""Processes that are killed at any time: a clear error, the next request works, no leftovers."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.cli.pw import INSTALLED, MODULE
from tests.daemon.house import House, cmdline, eventually, has_ended, is_running, kill
from tests.daemon.wire import Message, Wire
from tests.site import TestSite
from tests.waiting import LIMIT


def hang(wire: Wire, site: TestSite, profile: str) -> str:
    """A request that is in the middle of its work; its id."""
    site.requests.clear()
    name = wire.request("navigate", {"url": site.url("/hang")}, profile=profile)
    eventually(lambda: ("GET", "/hang") in site.requests, "the page loads")
    return name


def heading(wire: Wire, site: TestSite, profile: str) -> Message:
    return wire.call(
        "page.text", {"url": site.url("/form.html"), "selector": "h1"}, profile=profile
    )


def the_browser(house: House) -> psutil.Process:
    (found,) = house.browsers()
    return found


def the_driver(house: House) -> psutil.Process:
    """The one that drives the browser; a spare worker has another."""
    driver = the_browser(house).parent()
    assert driver is not None
    return driver


@pytest.mark.parametrize("victim", [the_browser, the_driver])
def test_a_process_that_is_killed_during_a_request_is_reported_and_replaced(
    warm: House, wire: Wire, site: TestSite, victim: Callable[[House], psutil.Process]
) -> None:
    name = hang(wire, site, "fault")
    family = [*warm.browsers(), *warm.drivers()]
    killed = victim(warm)
    kill(killed)

    answer = wire.answer(name)
    after = heading(wire, site, "fault")
    own = {each.pid for each in (*warm.browsers(), *warm.drivers())}
    wire.data("session.stop", profile="fault")

    assert answer["error"]["code"] == "SESSION_ERROR", answer
    assert "the next request" in answer["error"]["hint"]
    assert after["ok"] is True, after.get("error")
    assert after["data"]["text"] == "Form"
    assert len(after["diagnostics"]) == 1
    assert killed.pid not in own
    for each in family:
        assert is_running(each) is (each.pid in own)
    assert wire.running() == []


def has_descriptor(house: House) -> bool:
    return (house.sessions_folder("launch") / "session.json").exists()


def has_page(house: House) -> bool:
    return any("--type=renderer" in cmdline(each) for each in house.processes())


@pytest.mark.parametrize("stage", [House.browsers, has_page, has_descriptor])
def test_a_browser_that_is_killed_while_it_starts_is_reported(
    warm: House, wire: Wire, site: TestSite, stage: Callable[[House], object]
) -> None:
    name = wire.request("navigate", {"url": site.url("/hang")}, profile="launch")
    eventually(lambda: stage(warm), "it starts")
    kill(the_browser(warm))

    answer = wire.answer(name)
    after = heading(wire, site, "launch")
    wire.data("session.stop", profile="launch")

    assert answer["error"]["code"] in ("BROWSER_LAUNCH_FAILED", "SESSION_ERROR"), answer
    assert after["ok"] is True, after.get("error")
    assert warm.browsers() == []


def test_a_driver_that_is_killed_while_idle_is_replaced(
    warm: House, wire: Wire, site: TestSite
) -> None:
    assert heading(wire, site, "idle")["ok"]
    browser, driver = the_browser(warm), the_driver(warm)
    kill(driver)
    # Its threads end one after the other; the daemon sees the end of the last.
    eventually(lambda: not psutil.pid_exists(driver.pid), "the driver has exited")

    after = heading(wire, site, "idle")
    wire.data("session.stop", profile="idle")

    assert after["ok"] is True, after.get("error")
    assert len(after["diagnostics"]) == 1
    assert has_ended(browser)
    assert driver not in warm.drivers()


def test_a_session_is_stopped_although_its_browser_hangs(
    warm: House, wire: Wire, site: TestSite
) -> None:
    assert heading(wire, site, "stuck")["ok"]
    browser = the_browser(warm)
    browser.suspend()

    stopped = wire.call("session.stop", profile="stuck")

    assert stopped["data"] == {"stopped": True}
    assert has_ended(browser)


def test_a_browser_that_is_stopped_is_named_and_replaced(
    warm: House, wire: Wire, site: TestSite
) -> None:
    assert heading(wire, site, "stuck")["ok"]
    browser = the_browser(warm)
    browser.suspend()

    late = wire.call("page.title", profile="stuck", overrides={"timeoutMs": 500})
    after = heading(wire, site, "stuck")
    wire.data("session.stop", profile="stuck")

    assert late["error"]["details"]["cause"] == "browserHung"
    assert "was stopped, and was killed" in late["error"]["message"]
    assert has_ended(browser)
    assert after["ok"] is True, after.get("error")
    assert len(after["diagnostics"]) == 1


@pytest.mark.thorough
def test_a_page_that_logs_without_end_does_not_stop_the_others(
    warm: House, wire: Wire, site: TestSite
) -> None:
    flood = "setInterval(() => { for (let i = 0; i < 1000; i++) console.log('x') }, 20), 1"
    assert heading(wire, site, "calm")["ok"]
    wire.data("page.eval", {"url": site.url("/form.html"), "expression": flood}, profile="loud")

    calm = [wire.call("page.title", profile="calm") for _ in range(3)]
    stopped = wire.call("session.stop", profile="loud")
    wire.data("session.stop", profile="calm")

    assert [each.get("error") for each in calm] == [None] * 3
    assert stopped["data"] == {"stopped": True}, stopped
    assert warm.browsers() == []


def test_a_driver_that_hangs_is_named_and_replaced(warm: House, wire: Wire, site: TestSite) -> None:
    assert heading(wire, site, "stuck")["ok"]
    browser, driver = the_browser(warm), the_driver(warm)
    driver.suspend()

    late = wire.call("page.title", profile="stuck", overrides={"timeoutMs": 500})
    after = heading(wire, site, "stuck")
    wire.data("session.stop", profile="stuck")

    assert late["error"]["details"]["cause"] in ("driverHung", "browserGone"), late
    assert "Playwright's driver" in late["error"]["message"]
    assert after["ok"] is True, after.get("error")
    assert after["diagnostics"]
    assert has_ended(driver)
    assert has_ended(browser)


def test_a_driver_that_hangs_ends_what_has_no_deadline(
    warm: House, wire: Wire, site: TestSite
) -> None:
    assert heading(wire, site, "stuck")["ok"]
    endless = {"expression": "new Promise(() => {})"}
    name = wire.request("page.eval", endless, profile="stuck", overrides={"timeoutMs": 0})
    wire.wait_until_running(1)
    the_driver(warm).suspend()

    answer = wire.answer(name)

    assert answer["error"]["code"] == "SESSION_ERROR"
    assert "Playwright's driver hung" in answer["error"]["message"]


@pytest.mark.parametrize("victim", [the_browser, the_driver, House.daemon])
def test_the_daemon_stops_although_a_process_hangs(
    house: House, site: TestSite, victim: Callable[[House], psutil.Process]
) -> None:
    house.start_daemon()
    with house.wire() as wire:
        assert heading(wire, site, "default")["ok"]
    victim(house).suspend()

    stopped = house("daemon", "stop")
    left = house.nothing_is_left()
    after = house("daemon", "start")

    assert (stopped.code, stopped.json["data"]["stopped"]) == (0, True)
    assert left
    assert after.json["data"]["started"] is True


def test_a_daemon_that_holds_its_lock_and_does_not_listen_is_stopped(house: House) -> None:
    daemon = house.start_daemon()
    house.socket.unlink()
    daemon.suspend()

    stopped = house("daemon", "stop")

    assert stopped.json["data"]["stopped"] is True
    assert has_ended(daemon)


@pytest.mark.parametrize("command", [INSTALLED, MODULE], ids=["thin", "whole"])
def test_a_daemon_that_is_killed_during_a_command_is_reported(
    house: House, site: TestSite, command: list[str]
) -> None:
    daemon = house.start_daemon()
    site.requests.clear()
    envelope = json.dumps({"url": site.url("/hang")})
    process = house.spawn(*command, "exec", "navigate", "--input", envelope)
    eventually(lambda: ("GET", "/hang") in site.requests, "the page loads")

    kill(daemon)
    out, err = process.communicate(timeout=60)

    assert site.requests.count(("GET", "/hang")) == 1
    assert process.returncode == 1
    response = json.loads(out)
    assert response["error"]["code"] == "SESSION_ERROR"
    assert "daemon" in response["error"]["message"]
    assert b"Traceback" not in err
    assert house.nothing_is_left()


def test_a_batch_continues_with_the_next_daemon(house: House, site: TestSite) -> None:
    daemon = house.start_daemon()
    process = house.start("batch")
    assert process.stdin
    assert process.stdout

    def send(op: str, input: dict[str, Any]) -> None:
        assert process.stdin
        process.stdin.write(json.dumps({"op": op, "input": input}).encode() + b"\n")
        process.stdin.flush()

    site.requests.clear()
    send("navigate", {"url": site.url("/hang")})
    eventually(lambda: ("GET", "/hang") in site.requests, "the page loads")
    kill(daemon)
    lost = json.loads(process.stdout.readline())
    send("page.text", {"url": site.url("/form.html"), "selector": "h1"})
    found = json.loads(process.stdout.readline())
    process.communicate(timeout=LIMIT)

    assert lost["error"]["code"] == "SESSION_ERROR"
    assert lost["error"]["details"] == {"cause": "daemonGone"}
    assert found["ok"] is True, found
    assert found["data"]["text"] == "Form"
    assert house.daemon() is not None


def test_the_next_daemon_cleans_up_after_a_killed_one(house: House, site: TestSite) -> None:
    daemon = house.start_daemon()
    second = house.new_workspace("second")
    with house.wire() as wire:
        assert heading(wire, site, "default")["ok"]
    by_command = house.thin("exec", "session.start", environment={"PW_WORKSPACE_ROOT": str(second)})
    descriptors = [
        root / "playwright/.pw-cli-v4/profiles/default/sessions/session.json"
        for root in (house.root, second)
    ]
    before = [each.exists() for each in descriptors]
    killed = json.loads(descriptors[0].read_bytes())["pid"]
    kill(daemon)
    gone = house.nothing_is_left()
    house.start_daemon()
    with house.wire() as wire:
        wire.data("session.list")
        left = list((house.folder / "cache" / "pwtui").glob("*/*"))
        registered = list((house.folder / "cache" / "ms-playwright" / "b").iterdir())
        reports = [heading(wire, site, "default")["diagnostics"] for _ in range(2)]

    assert by_command.code == 0
    assert before == [True, True]
    assert gone
    assert left == registered == []
    (report,), nothing = reports
    assert f"process {killed}" in report["message"]
    assert nothing == []


def test_sigterm_closes_everything(house: House, site: TestSite) -> None:
    daemon = house.start_daemon()
    with house.wire() as wire:
        wire.data("session.start", profile="b")
        name = hang(wire, site, "a")
        daemon.send_signal(signal.SIGTERM)
        assert wire.has_ended()

    answers = [each for each in wire.kept if each.get("requestId") == name]
    assert [each["ok"] for each in answers] in ([], [False])
    assert has_ended(daemon)
    assert house.nothing_is_left()
    assert not house.socket.exists()
    for profile in ("a", "b"):
        assert list(house.sessions_folder(profile).iterdir()) == []
    assert list((house.folder / "cache" / "pwtui").glob("*/*")) == []


@pytest.mark.parametrize("delay", [0.0, 0.4])
def test_sigterm_while_a_browser_starts_leaves_none(house: House, delay: float) -> None:
    daemon = house.start_daemon()
    with house.wire() as wire:
        wire.request("session.start")
        wire.wait_until_running(1)
        time.sleep(delay)
        daemon.send_signal(signal.SIGTERM)
        assert wire.has_ended()

    assert has_ended(daemon)
    assert house.nothing_is_left()
    assert not list(house.sessions_folder().glob("*.json"))
    assert "Traceback" not in house.log


def test_a_full_disk_loses_no_file(house: House) -> None:
    house("exec", "protect.add", "--input", '{"pattern": "kept"}', command=MODULE)
    folder = house.workspace.profiles_dir / "default"
    before = {each.name: each.read_bytes() for each in folder.rglob("*") if each.is_file()}
    full = 'ulimit -f 0 && exec "$@"'

    process = house.spawn(
        *("sh", "-c", full, "sh", *MODULE, "exec", "protect.add", "--input", '{"pattern": "x"}')
    )
    out, err = process.communicate(timeout=LIMIT)
    after = {each.name: each.read_bytes() for each in folder.rglob("*") if each.is_file()}

    assert process.returncode == 1
    assert json.loads(out)["error"]["code"] == "IO_ERROR"
    assert b"Traceback" not in err
    assert before
    assert after == before


def test_a_daemon_on_a_full_disk_still_answers(house: House) -> None:
    house("exec", "protect.add", "--input", '{"pattern": "kept"}', command=MODULE)
    config = house.workspace.profiles_dir / "default" / "config.json"
    before = config.read_bytes()
    module = ("-c", "import sys; from pwtui.daemon_process import main; sys.exit(main())")
    full = 'ulimit -f 0 && exec "$@"'
    house.runtime_folder.mkdir(mode=0o700)
    house.spawn("sh", "-c", full, "sh", MODULE[0], *module, "--idle-timeout=0")
    eventually(house.daemon, "it listens")

    with house.wire() as wire:
        refused = wire.call("protect.add", {"pattern": "x"})
        listed = wire.data("protect.list")

    assert refused["error"]["code"] == "IO_ERROR"
    assert listed["protected"] == ["kept"]
    assert config.read_bytes() == before


def test_an_internal_error_is_in_the_log_that_the_response_names(house: House) -> None:
    broken = "import pwtui.state.profiles as p; p.Profiles.names = lambda self: 1 / 0"
    house.start_daemon(first=broken)

    with house.wire() as wire:
        answer = wire.call("profile.list")
        after = wire.call("protect.list")

    assert answer["error"]["code"] == "INTERNAL_ERROR"
    details = answer["error"]["details"]
    assert details["fault"] in Path(details["log"]).read_text()
    assert after["ok"] is True


def test_an_internal_error_does_not_block_a_command(house: House) -> None:
    broken = "import pwtui.cli.context as c; c.Context.show = lambda *_, **__: 1 / 0"
    house.start_daemon(first=broken)

    process = house.spawn(*INSTALLED, "exec", "protect.list")
    out, err = process.communicate(timeout=LIMIT)

    assert b"Traceback" not in err
    assert out or err
