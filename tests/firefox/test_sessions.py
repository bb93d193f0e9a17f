"""One Firefox of the daemon: pages, profile, events, history, panel, other clients, and its end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import psutil
import pytest

from pwtui.browser.launch.firefox import OLDEST_WITHOUT_PROXY, STOCK, StockFirefox
from tests.app.panel import open_panel
from tests.daemon.house import House
from tests.daemon.wire import Wire
from tests.operations.support import data_url, refs_in
from tests.site import TestSite
from tests.waiting import eventually

FIREFOX = {"browser": "firefox", "channel": STOCK}
PAGE = data_url("<button onclick='console.log(\"pressed\"); this.textContent = 1'>Press</button>")
DARK = "matchMedia('(prefers-color-scheme: dark)').matches"


@pytest.fixture(scope="module")
def warm(stock: StockFirefox) -> Iterator[House]:
    """The default profile is one of Firefox."""
    with House() as shared:
        shared.start_daemon()
        with shared.wire() as wire:
            config = {"defaults": FIREFOX}
            wire.data("profile.set", {"name": "default", "config": config})
        yield shared


@pytest.fixture
def wire(warm: House) -> Iterator[Wire]:
    with warm.wire(client="test") as connection:
        connection.data("navigate", {"url": PAGE})
        yield connection


def test_a_page_is_opened_acted_on_and_left(wire: Wire, site: TestSite) -> None:
    first, second = site.url("/form.html"), site.url("/links.html")
    opened = wire.data("navigate", {"url": first})
    ref = refs_in(wire.data("page.aria")["tree"])["Name"]
    filled = wire.call("fill", {"ref": ref, "text": "Ada"})
    wire.data("navigate", {"url": second})

    assert (opened["url"], opened["status"]) == (first, 200)
    assert filled["inputs"]["selector"] == "getByRole('textbox', { name: 'Name' })"
    assert wire.data("back")["url"] == first
    assert wire.data("forward")["url"] == second
    own = _session(wire)
    assert (own["browser"], own["pid"] > 0) == ("firefox", True)


def test_media_is_emulated_or_refused_but_never_ignored(wire: Wire, stock: StockFirefox) -> None:
    response = wire.call("emulate.media", {"colorScheme": "dark"})
    is_dark = wire.data("page.eval", {"expression": DARK})["result"]
    refused = wire.call("emulate.media", {"contrast": "more"})["error"]

    assert response["ok"] == is_dark == (stock.major >= OLDEST_WITHOUT_PROXY)
    assert refused["code"] == "UNSUPPORTED_MODE"
    assert refused["message"] == "this browser does not emulate (prefers-contrast: more)"
    light = wire.data("emulate.media", {"colorScheme": "light"})
    assert light["media"] == {"colorScheme": "light"}


def test_another_profile_attaches_to_its_bound_endpoint(wire: Wire) -> None:
    attached = {"browser": "firefox", "cdpEndpoint": _session(wire)["wsEndpoint"]}

    title = wire.data("page.title", profile="second", overrides=attached)["title"]
    wire.call("session.stop", profile="second", overrides=attached)

    assert title == "Own page"
    assert wire.data("page.title")["title"] == "Own page"


def test_what_happens_in_the_page_is_an_event(wire: Wire, site: TestSite) -> None:
    wire.data("navigate", {"url": site.url("/form.html")})
    assert wire.ask("subscribe", kinds=["console", "dialog", "navigation", "network", "pageError"])[
        "ok"
    ]

    script = "console.warn('careful'); setTimeout(() => { throw new Error('late') }, 10)"
    wire.data("page.eval", {"expression": f"{script}; fetch('/form.html').then(it => it.status)"})
    wire.data("page.eval", {"expression": "setTimeout(() => alert('Now'), 10); 1"})

    assert wire.event("console")["text"] == "careful"
    assert wire.event("pageError")["text"] == "late"
    response = wire.event("network", lambda each: each["change"] == "response")
    assert (response["url"], response["status"]) == (site.url("/form.html"), 200)
    assert wire.event("dialog")["dialog"]["message"] == "Now"
    wire.data("dialog.accept")
    wire.data("navigate", {"url": PAGE})
    assert wire.event("navigation")["url"] == PAGE


def test_requests_are_in_the_history(warm: House, wire: Wire) -> None:
    wire.data("click", {"selector": "button"})

    rows = json.loads(warm("history", "list", "op:click", "--json").out)

    assert (rows[0]["op"], rows[0]["profile"]) == ("click", "default")


async def test_the_panel_shows_and_clicks(
    warm: House, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in warm.environment().items():
        monkeypatch.setenv(name, value)

    async def leave(_: object) -> None:
        """The next test uses the browser, too."""

    async with open_panel(warm.workspace, url=PAGE, leave=leave) as panel:
        await panel.click_ref(panel.ref("button", "Press"))
        entry = await panel.answer("click")
        await panel.shows('button "1"', "#tree")
        await panel.shows("firefox")
        await panel.press("5")
        await panel.shows("pressed")

    assert entry.ok


@pytest.mark.thorough
def test_without_the_daemon_a_session_outlives_its_command(warm: House, wire: Wire) -> None:
    config = {"defaults": {**FIREFOX, "useDaemon": False}}
    wire.data("profile.set", {"name": "alone", "config": config})

    def run(*requests: tuple[str, dict[str, Any]]) -> list[Any]:
        runtime = {"profile": "alone"}
        lines = ({"op": op, "input": input, "runtime": runtime} for op, input in requests)
        answers = warm.batch(*lines).lines
        assert [each.get("error") for each in answers] == [None] * len(requests)
        return [each["data"] for each in answers]

    started, _ = run(("session.start", {}), ("navigate", {"url": PAGE}))
    browser = psutil.Process(started["pid"])
    keeper = next(each for each in browser.parents() if "launch.keeper" in " ".join(each.cmdline()))
    title, _ = run(("page.title", {}), ("session.stop", {}))

    assert (started["owner"], title["title"]) == ("detached", "Own page")
    eventually(lambda: not browser.is_running() and not keeper.is_running(), "both have exited")


@pytest.mark.thorough
def test_a_recording_is_replayed_in_each_browser(warm: House, stock: StockFirefox) -> None:
    (warm.root / "flow.pw").write_text(f"goto {json.dumps(PAGE)}\nverify-title 'Own page'\n")

    done = warm(
        "replay", "flow.pw", "--browser", "chromium,firefox", "-j", "2", "--report", "both.xml"
    )

    assert "PASS flow.pw [chromium]" in done.out
    assert "PASS flow.pw [firefox]" in done.out
    assert 'name="flow.pw [firefox]"' in (warm.root / "both.xml").read_text()


def test_a_firefox_that_was_killed_is_replaced_and_leaves_no_process(wire: Wire) -> None:
    pid = _session(wire)["pid"]
    processes = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]

    psutil.Process(pid).kill()
    eventually(lambda: not any(each.is_running() for each in processes), "all have exited")
    again = wire.call("navigate", {"url": PAGE})

    assert again["ok"]
    assert "had exited" in again["diagnostics"][0]["message"]
    assert _session(wire)["pid"] != pid


def _session(wire: Wire) -> dict[str, Any]:
    """The profile's session, with the process of its browser, which is looked for."""

    def found() -> dict[str, Any] | None:
        sessions = wire.data("session.list")["sessions"]
        return next((e for e in sessions if e.get("profile") == "default" and "pid" in e), None)

    session = eventually(found, "the session with its process")
    assert session is not None
    return session
