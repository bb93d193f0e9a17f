"""A person holds, releases and single-steps the actions of other clients."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil
import pytest

from pwtui.browser.session.hold import GUARD_MODULE
from tests.daemon.bound import Script
from tests.daemon.house import House, cmdline, eventually
from tests.daemon.wire import Message, Wire
from tests.site import TestSite
from tests.waiting import LIMIT

RELEASE_SECONDS = 5.0


@pytest.fixture(scope="module")
def script(warm: House, executable: Path, site: TestSite) -> Iterator[Script]:
    with Script(warm, executable, "held") as running:
        running("goto", site.url("/form.html"))
        yield running


@pytest.fixture
def watcher(warm: House) -> Iterator[Wire]:
    with warm.wire(client="watcher") as connection:
        yield connection


def watch(watcher: Wire) -> None:
    assert watcher.ask("subscribe", kinds=["hold"])["ok"]


def change(watcher: Wire, what: str) -> Message:
    return watcher.event("hold", lambda each: each["change"] == what)


def guards(house: House) -> list[psutil.Process]:
    return [each for each in house.processes() if GUARD_MODULE in cmdline(each)]


def observer(house: House, script: Script) -> psutil.Process:
    """The worker that observes the script's browser: neither the script nor a guard."""
    parents = [each.parent() for each in house.drivers() if each.ppid() != script.process.pid]
    known = {each.pid for each in guards(house)}
    (found,) = [each for each in parents if each is not None and each.pid not in known]
    return found


def test_actions_of_a_script_are_held_stepped_and_released(
    warm: House, wire: Wire, watcher: Wire, script: Script
) -> None:
    watch(watcher)
    paused = wire.data("session.pause", {"name": "held"})
    again = wire.data("session.pause", {"name": "held"})
    began = change(watcher, "began")
    script.begin("eval", "page.fill('#name', 'horse', timeout=500)")
    held = change(watcher, "held")
    (listed,) = [each for each in wire.data("session.list")["sessions"] if each["title"] == "held"]
    time.sleep(1)  # longer than the action's timeout
    wire.data("session.step", {"name": "held"})
    filled = script.result()
    change(watcher, "released")
    script.begin("click", "#agree")
    second = change(watcher, "held")
    resumed = wire.data("session.resume", {"name": "held"})
    script.result()
    change(watcher, "ended")
    free = script("input_value", "#name")
    after = wire.data("session.resume", {"name": "held"})

    assert (paused["changed"], again["changed"], resumed["changed"]) == (True, False, True)
    assert after["changed"] is False
    assert (began["by"], began["client"]) == ("test", "held")
    assert held["action"] == 'Fill "••••••" locator("#name")'
    assert second["action"] == 'Click locator("#agree")'
    assert listed["held"] is True
    assert filled is None
    assert free == "horse"
    eventually(lambda: not guards(warm), "no guard is left")


def test_a_session_that_was_resumed_before_any_action_holds_nothing(
    wire: Wire, script: Script
) -> None:
    wire.data("session.pause", {"name": "held"})
    wire.data("session.resume", {"name": "held"})

    assert script("input_value", "#name") is not None
    assert script("click", "#agree") is None


KINDS = ["observer", "guard", "daemon", "client"]


@pytest.mark.parametrize(
    "victims",
    [
        ("observer", "client"),
        *(pytest.param((each,) * 20, marks=pytest.mark.thorough) for each in KINDS),
    ],
    ids=["once", *(f"{each} 20 times" for each in KINDS)],
)
def test_a_held_call_continues_when_a_process_is_killed(
    executable: Path, site: TestSite, victims: Sequence[str]
) -> None:
    with House() as house, Script(house, executable, "held") as script:
        script("goto", site.url("/form.html"))
        for victim in victims:
            daemon = house.daemon() or house.start_daemon()
            client = pause(house, victim)
            with house.wire() as wire:
                watch(wire)
                script.begin("click", "#agree")
                change(wire, "held")
            processes = {"daemon": daemon, "client": psutil.Process(client.pid)}
            if victim in ("observer", "guard"):
                processes = {"observer": observer(house, script), "guard": guards(house)[0]}
            began = time.monotonic()
            processes[victim].send_signal(signal.SIGKILL)
            script.result()
            took = time.monotonic() - began
            client.kill()
            client.wait(LIMIT)
            eventually(lambda: not guards(house), "no guard is left")
            assert took < RELEASE_SECONDS
            assert script("input_value", "#name") == ""


CLIENT = """
import sys, time, pwtui
with pwtui.connect() as client:
    client.call("session.pause", name="held", while_connected=sys.argv[1] == "client")
    print("paused", flush=True)
    time.sleep(600)
"""


def pause(house: House, victim: str) -> subprocess.Popen[bytes]:
    """A client that has paused the script's session, and stays connected."""
    process = house.spawn(sys.executable, "-c", CLIENT, victim)
    assert process.stdout is not None
    assert process.stdout.readline() == b"paused\n"
    return process


def test_requests_of_other_clients_that_act_are_held_and_reads_are_not(
    warm: House, wire: Wire, watcher: Wire, site: TestSite
) -> None:
    wire.data("navigate", {"url": site.url("/form.html")})
    watch(watcher)
    wire.data("session.pause")
    began = change(watcher, "began")
    with warm.wire(client="agent") as agent:
        first = agent.request("click", {"selector": "#agree"}, overrides={"timeoutMs": 300})
        second = agent.request("fill", {"selector": "#name", "text": "Ada"})
        held = [change(watcher, "held"), change(watcher, "held")]
        notice = agent.event("tell")["text"]
        text = agent.data("page.text", {"selector": "h1"})["text"]
        own = wire.call("click", {"selector": "#large"})
        status = watcher.ask("status")["requestsRunning"]
        time.sleep(0.5)  # longer than the first one's timeout
        wire.data("session.step")
        stepped = agent.answer(first)
        released = change(watcher, "released")
        wire.data("session.resume")
        resumed = agent.answer(second)
    ended = change(watcher, "ended")
    wire.data("session.stop")

    assert (began["by"], began["profile"]) == ("test", "default")
    assert [(each["client"], each["action"]) for each in held] == [
        ("agent", "click"),
        ("agent", "fill"),
    ]
    assert notice == "click waits: a person has paused the session"
    assert text == "Form"
    assert own["ok"], own
    assert len(status) == 2
    assert (stepped["ok"], resumed["ok"]) == (True, True)
    assert released["action"] == "click"
    assert "reason" not in ended


def test_a_command_that_waits_for_a_person_says_why(
    warm: House, wire: Wire, watcher: Wire, site: TestSite
) -> None:
    wire.data("navigate", {"url": site.url("/form.html")}, profile="waiting")
    watch(watcher)
    assert warm.thin("session", "pause", "waiting").code == 0
    process = warm.start("click", "#agree", "-p", "waiting")
    change(watcher, "held")
    assert warm.thin("session", "resume", "waiting").code == 0
    _, err = process.communicate(timeout=LIMIT)
    wire.data("session.stop", profile="waiting")

    assert process.returncode == 0
    assert b"waits: a person has paused the session" in err


def test_a_hold_ends_with_its_client_if_it_was_asked_to(
    warm: House, wire: Wire, watcher: Wire, site: TestSite
) -> None:
    wire.data("navigate", {"url": site.url("/form.html")})
    watch(watcher)
    with warm.wire(client="panel") as panel:
        panel.data("session.pause", {"whileConnected": True})
        name = wire.request("click", {"selector": "#agree"})
        change(watcher, "held")
    response = wire.answer(name)
    wire.data("session.stop")

    assert response["ok"], response
    assert change(watcher, "ended")["reason"] == "panel has disconnected"


def test_a_hold_ends_with_its_session(
    warm: House, wire: Wire, watcher: Wire, site: TestSite
) -> None:
    wire.data("navigate", {"url": site.url("/form.html")}, profile="ending")
    watch(watcher)
    wire.data("session.pause", profile="ending")
    with warm.wire(client="agent") as agent:
        held = agent.request("click", {"selector": "#agree"}, profile="ending")
        change(watcher, "held")
        wire.data("session.stop", profile="ending")
        answer = agent.answer(held)

    assert change(watcher, "ended")["reason"] == "the session has ended"
    assert answer["error"]["code"] == "SESSION_ERROR"
    assert "was held" in answer["error"]["message"]


def test_a_session_that_is_not_there_cannot_be_paused(wire: Wire) -> None:
    unknown = wire.call("session.pause", {"name": "stranger"})
    closed = wire.call("session.pause", profile="nothing-here")

    assert unknown["error"]["code"] == "INVALID_INPUT"
    assert closed["error"]["details"]["cause"] == "nothingOpen"
