"""Browsers of other Playwright programs are observed, and their programs do not notice."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.daemon.bound import Cli, Mcp, Script
from tests.daemon.house import House, eventually, is_running
from tests.daemon.wire import Message, Wire
from tests.site import TestSite
from tests.waiting import LIMIT

SECRET = 'horse" locator("#battery'


@pytest.fixture(scope="module")
def script(warm: House, executable: Path) -> Iterator[Script]:
    with Script(warm, executable) as running:
        yield running


@pytest.fixture
def watcher(warm: House) -> Iterator[Wire]:
    with warm.wire(client="watcher") as connection:
        yield connection


def watch(watcher: Wire, *kinds: str, session: str | None = None) -> list[Message]:
    """Subscribe; the sessions that are there, with the one that is asked for."""

    def subscribed() -> list[Message] | None:
        reply = watcher.ask("subscribe", kinds=list(kinds), session=session)
        assert reply["ok"], reply
        sessions: list[Message] = reply["sessions"]
        return sessions if sessions or session is None else None

    # A busy machine may not start an observer in the time that a subscriber waits.
    sessions = eventually(subscribed, f"{session} is observed")
    assert sessions is not None
    return sessions


def finished(watcher: Wire, verb: str) -> Message:
    """The event of a call that has ended."""
    return watcher.event(
        "call", lambda each: each["title"].startswith(verb) and each["status"] != "running"
    )


def test_every_call_of_a_script_is_an_event(
    warm: House, watcher: Wire, script: Script, site: TestSite
) -> None:
    (state,) = watch(watcher, "call", "console", "navigation", session="shopper")
    script("goto", site.url("/form.html"))
    script("fill", "#name", SECRET)
    script("click", "#agree")
    script("eval", "page.click('#missing', timeout=100)")
    script("evaluate", "console.log('hello')")
    went, filled, clicked = (finished(watcher, verb) for verb in ("Navigate", "Fill", "Click"))
    failed = finished(watcher, "Click")
    everything = [went, filled, clicked, failed, *watcher.kept]

    assert state["client"] == "shopper"
    assert state["sessionKey"].startswith("playwright:")
    assert went["target"] == site.url("/form.html").removeprefix("http://")
    assert filled["title"] == 'Fill "••••••" locator("#name")'
    assert filled["target"] == 'locator("#name")'
    assert (clicked["target"], clicked["status"]) == ('locator("#agree")', "success")
    assert (failed["status"], failed["error"]) == ("error", "Timeout 100ms exceeded.")
    assert failed["durationMs"] > 0
    assert clicked["source"]["file"].endswith("/shopper.py")
    assert clicked["source"]["line"] > 1
    for each in (went, filled, clicked):
        assert (each["tool"], each["client"]) == ("python shopper.py", "shopper")
        assert each["pid"] == script.process.pid
    assert watcher.event("console")["text"] == "hello"
    assert watcher.event("navigation")["url"] == site.url("/form.html")
    assert "horse" not in str(everything)
    assert "Get page title" not in str(everything)  # a call of the observer


def test_the_tree_follows_what_a_script_does_and_leaves_its_refs(
    watcher: Wire, script: Script, site: TestSite
) -> None:
    script("goto", site.url("/form.html"))
    ref = script(
        "eval",
        """next(line.split("[ref=")[1].split("]")[0]
        for line in page.aria_snapshot(mode="ai").splitlines() if '"I agree"' in line)""",
    )
    watch(watcher, "snapshot", "call", session="shopper")
    shown = watcher.event("snapshot", lambda each: "I agree" in each["text"])
    script("fill", "#name", SECRET)
    script("evaluate", "document.title = 'Another'")
    filled = watcher.event("snapshot", lambda each: "••••••" in each["text"])
    script("click", f"aria-ref={ref}")
    clicked = watcher.event("snapshot", lambda each: "[checked]" in each["text"])

    assert shown["url"] == site.url("/form.html")
    assert "horse" not in filled["text"]
    assert f"[ref={ref}]" in clicked["text"]


def test_the_picture_follows_the_page_that_a_script_opened_last(
    watcher: Wire, script: Script
) -> None:
    (state,) = watch(watcher, "frame", session="shopper")
    tabs = [watcher.event("frame")["tab"]]

    def show_another() -> None:
        before = tabs[-1]
        while tabs[-1] == before:
            watcher.ask("ack", session=state["sessionKey"])
            tabs.append(watcher.event("frame")["tab"])

    assert script("eval", "[globals().update(other=browser.new_page()), 1][1]") == 1
    show_another()
    assert script("eval", "[other.close(), 1][1]") == 1
    show_another()

    assert tabs[0] == tabs[-1]


def test_what_playwright_cli_and_playwright_mcp_do_is_in_pw_watch(
    warm: House, executable: Path, site: TestSite
) -> None:
    process = warm.start("watch", "--format", "text", "--kind", "call,browser")
    assert process.stderr is not None
    assert process.stdout is not None
    process.stderr.readline()
    cli, mcp = Cli(warm, executable, "terminal"), Mcp(warm, executable, "assistant")
    cli("open")
    mcp("browser_navigate", url="about:blank")
    # Their first calls may be earlier than the observer.
    with warm.wire() as wire:
        names = ("terminal", "assistant")
        eventually(lambda: len(observed(wire, *names)) == 2, "both are observed")
        keys = observed(wire, *names)
        listed = wire.data("session.list")["sessions"]
    cli("goto", site.url("/form.html"))
    cli("fill", "#name", SECRET)
    cli("click", "#agree")
    mcp("browser_navigate", url=site.url("/form.html"))
    mcp("browser_type", target="#name", element="name", text=SECRET)
    mcp("browser_click", target="#agree", element="agree")
    mcp.close()
    cli("close")
    lines: list[str] = []
    while sum(": exited" in each for each in lines) < 2:
        lines.append(process.stdout.readline().decode())
    process.send_signal(signal.SIGINT)
    process.wait(LIMIT)

    place = site.url("/form.html").removeprefix("http://")
    for client, tool in (("terminal", "playwright cli"), ("assistant", "playwright mcp")):
        own = [each.split("  ", 1)[1] for each in lines if f" {client} " in each]
        assert any(each.startswith(f"{tool}: Navigate {place} → ok") for each in own), lines
        assert any(each.startswith(f'{tool}: Fill "••••••" ') for each in own), lines
        assert any(each.startswith(f"{tool}: Click ") for each in own), lines
        (shown,) = [each for each in listed if each["title"] == client]
        assert (shown["tool"], shown["sessionKey"]) == (tool, keys[client])
        assert shown["pages"] is not None
    assert "horse" not in "".join(lines)


def observed(wire: Wire, *names: str) -> dict[str, str]:
    """The keys of the browsers with these names that have an observer, which knows their pages."""
    listed = wire.data("session.list")["sessions"]
    return {
        each["title"]: each["sessionKey"]
        for each in listed
        if each["title"] in names and each["pages"] is not None
    }


def test_dialogs_are_seen_and_left_to_the_program(
    watcher: Wire, warm: House, script: Script, executable: Path
) -> None:
    watch(watcher, "dialog", session="shopper")
    # Without a listener of the program, Playwright closes it.
    closed_at_once = script("evaluate", "confirm('Really?')")
    opened, closed = watcher.event("dialog"), watcher.event("dialog")
    script("eval", "page.once('dialog', lambda dialog: dialog.accept('Ada'))")
    answered = script("evaluate", "prompt('Name?')")

    assert closed_at_once is False or closed_at_once == 0
    assert (opened["change"], closed["change"]) == ("opened", "closed")
    assert opened["dialog"] == {"type": "confirm", "message": "Really?"}
    assert answered == "Ada"
    assert watcher.event("dialog")["dialog"]["message"] == "Name?"


def test_an_observer_runs_only_while_a_subscriber_wants_it_and_leaves_nothing(
    warm: House, script: Script, site: TestSite
) -> None:
    script("goto", site.url("/form.html"))
    driver = psutil.Process(script.process.pid).children()[0]
    entries = registry(warm)
    eventually(lambda: not observers_of(warm, script), "no observer is left of other tests")
    with warm.wire(client="watcher") as watcher:
        (state,) = watch(watcher, "call", "network", "tab", session="shopper")
        seen = len(driver.net_connections(kind="unix"))
        (observer,) = observers_of(warm, script)
        files = observer.children(recursive=True)
        watch(watcher, "call")  # all sessions, this one included
        still = observers_of(warm, script)
        watcher.ask("subscribe", kinds=["call"], profile="default")
        eventually(lambda: not is_running(observer), "the observer has exited")

    assert [each["url"] for each in state["tabs"]] == [site.url("/form.html")]
    assert still == [observer]
    eventually(lambda: not any(map(is_running, files)), "its driver has exited")
    # Not compared with the number before: it may have included one that was being closed.
    eventually(
        lambda: len(driver.net_connections(kind="unix")) < seen, "the connection has been closed"
    )
    assert registry(warm) == entries
    assert script("title") == "Form"


def registry(house: House) -> list[str]:
    return sorted(each.name for each in (house.folder / "cache/ms-playwright/b").iterdir())


def observers_of(house: House, script: Script) -> list[psutil.Process]:
    """The workers that run: the parents of all drivers but the script's."""
    parents = [each.parent() for each in house.drivers() if each.ppid() != script.process.pid]
    return [each for each in parents if each is not None]


def test_a_killed_observer_is_replaced(warm: House, script: Script, watcher: Wire) -> None:
    watch(watcher, "call", "tab", session="shopper")
    for observer in observers_of(warm, script):
        observer.kill()
    watcher.event("tab", lambda each: each["change"] == "opened")
    watcher.event("tab", lambda each: each["change"] == "opened")
    script("evaluate", "1 + 1")

    assert finished(watcher, "Evaluate")["status"] == "success"


def test_a_name_that_is_unknown_is_refused(watcher: Wire) -> None:
    reply = watcher.ask("subscribe", kinds=["call"], session="stranger")

    assert reply["error"]["code"] == "INVALID_INPUT"
    assert "'stranger'" in reply["error"]["message"]


def acted(script: Script, rounds: int) -> tuple[list[Any], float]:
    """The results of actions of a program, and how long they took."""
    results = []
    began = time.monotonic()
    for number in range(rounds):
        results.append(script("fill", "#name", f"text {number}"))
        results.append(script("click", "#agree"))
        results.append(script("input_value", "#name"))
        results.append(script("is_checked", "#agree"))
    return results, time.monotonic() - began


@pytest.mark.parametrize(
    "rounds", [15, pytest.param(250, marks=pytest.mark.thorough)], ids=["60", "1000"]
)
def test_nothing_changes_for_a_program_that_is_observed(
    warm: House, watcher: Wire, script: Script, site: TestSite, rounds: int
) -> None:
    script("goto", site.url("/form.html"))
    acted(script, 5)
    script("goto", site.url("/form.html"))
    alone, seconds = acted(script, rounds)
    watch(watcher, "call", "console", "network", "dialog", "tab", session="shopper")
    script("goto", site.url("/form.html"))
    watched, watched_seconds = acted(script, rounds)
    assert watcher.ask("sync")["complete"]
    calls = {each["call"] for each in watcher.kept if each.get("event") == "call"}

    assert watched == alone
    assert len(calls) == 4 * rounds + 1
    # A few milliseconds for each action would be many times as long.
    assert watched_seconds < 3 * seconds + 1
