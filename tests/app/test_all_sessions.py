"""All sessions: those of other programs are followed, held and viewed, and never changed."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pwtui.app.controller import Controller
from pwtui.app.screens.pulse import PulseScreen
from pwtui.app.screens.session import SessionScreen
from pwtui.app.session_watch import SessionWatch
from pwtui.app.store import Store
from pwtui.browser.launch.find_browser import find_chromium
from pwtui.protocol.models import SessionData, read
from pwtui.state.workspace import Workspace
from pwtui.widgets.dialogs import ConfirmDialog, PromptDialog
from pwtui.widgets.session_list import SessionList, session_row_key
from tests.app.conftest import Opens
from tests.app.panel import Panel, client_of, envelope
from tests.daemon.bound import Script
from tests.site import TestSite


class Programs:
    """Starts programs in the environment of the test, as a `House` does."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def spawn(self, *command: str | Path, **options: Any) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [str(each) for each in command], stdout=subprocess.PIPE, env=dict(os.environ), **options
        )


@pytest.fixture
def script(user: Path, daemon: None) -> Iterator[Script]:
    executable = find_chromium(headless=True)
    assert executable is not None
    with Script(Programs(user), executable, "assistant") as running:  # type: ignore[arg-type]
        yield running
    assert running.process.stdout
    running.process.stdout.close()


def bound(panel: Panel, name: str) -> SessionData | None:
    return next((each for each in panel.store.other_sessions if each.title == name), None)


async def go_to_session(panel: Panel, session: SessionData) -> None:
    await panel.press("2")
    rows, key = panel.main.query_one(SessionList), session_row_key(session)
    await panel.until(lambda: rows.move_to_key(key), f"a row of {session.title}")


async def test_a_session_of_another_program_is_followed_held_and_viewed(
    open_kept: Opens, site: TestSite, script: Script
) -> None:
    async with open_kept(url=site.url("/links.html")) as panel:
        session = await panel.until(lambda: bound(panel, "assistant"), "the session")
        assert session is not None
        activity = panel.store.activity_of(session)
        script("goto", site.url("/form.html"))
        await panel.shows("assistant", "#sessions")
        await panel.until(lambda: bound(panel, "assistant").pages, "it is observed")  # type: ignore[union-attr]

        await go_to_session(panel, session)
        await panel.press("p")
        await panel.until(lambda: "⏸ paused" in panel.status, "it is paused")
        script.begin("click", "#agree")
        await panel.until(lambda: "1 held" in panel.text("#sessions"), "the held action")
        assert "⏸ 1 held" in panel.status
        keys = panel.text("KeyBar")
        assert "p resume" in keys
        assert "n step" in keys
        assert "p pause" not in keys
        await panel.shows("assistant is paused by pwtui", "LastingNotice")
        await panel.press("n")
        assert script.result() is None
        script.begin("uncheck", "#agree")
        await panel.until(lambda: len(activity.waiting) == 1, "the next one is held")
        await panel.press("p")
        assert script.result() is None
        await panel.until(lambda: "held" not in panel.status, "it is resumed")
        await panel.until(lambda: not panel.store.notices.shown, "the notice is removed")
        script("fill", "#name", "secret text")

        await panel.press("enter")
        view = await panel.screen(SessionScreen)
        await panel.shows('textbox "Name"', "#view-tree")
        await panel.shows("Fill", "#view-actions")
        assert "secret text" not in panel.screen_text
        script("check", "#agree")
        await panel.shows("checked", "#view-tree")
        await panel.press("enter")
        await panel.until(lambda: any("only viewed" in each for each in panel.toasts), "a reason")
        assert view.query_one("#view-tree").has_focus
        await panel.press("escape")
        await panel.home()

        await panel.press("P")
        await panel.screen(PulseScreen)
        await panel.shows("assistant")
        await panel.shows(site.url("/form.html").partition("//")[2])
        await panel.shows("✓ Check")
        await panel.press("right", "enter")
        await panel.screen_of(SessionScreen)
        await panel.press("escape")
        await panel.home()

        assert panel.store.active_profile == "default"
        assert panel.profiles.load("default").config.defaults.cdp_endpoint is None
        assert [each.op for each in panel.entries() if each.op.startswith("session.")] == [
            "session.pause",
            "session.step",
            "session.resume",
        ]


def test_calls_of_a_program_without_source_lines_are_followed() -> None:
    store = Store("default", "/w")
    watch = SessionWatch(store)
    call = {"event": "call", "call": 1, "tool": "playwright cli", "pid": 5, "status": "running"}
    place = {"eventSeq": 1, "time": 1.0, "sessionKey": "playwright:1", "title": 'Click "Pay"'}

    with watch._link.listening(watch._receive, None):
        watch._link._receive(None, {**call, **place}, "7")  # type: ignore[arg-type]

    (running,) = store.activities.of(("", "playwright:1")).running
    assert running.action == 'Click "Pay"'


async def test_a_session_is_viewed_without_acting_until_the_user_takes_control(
    open_kept: Opens, site: TestSite, kept: Workspace
) -> None:
    async with open_kept() as panel, client_of(kept, "robot") as robot:
        await robot.request(envelope("navigate", "second", url=site.url("/form.html")))
        session = await panel.until(lambda: panel.store.session_of("second"), "the session")
        assert session is not None

        await go_to_session(panel, session)
        await panel.press("enter")
        await panel.page("Form")
        assert (panel.store.active_profile, panel.store.control_profile) == ("second", "default")
        await panel.until(lambda: "viewed" in panel.status, "the header")
        await panel.go_to(panel.ref("checkbox", "I agree"))
        await panel.press("enter")
        await panel.until(
            lambda: any("second is only viewed" in each for each in panel.toasts), "the refusal"
        )

        await panel.press("C")
        await panel.until(lambda: "viewed" not in panel.status, "control")
        await panel.press("enter")
        assert (await panel.answer("check")).ok
        await panel.page("Form")

        await panel.press("V")
        await panel.until(lambda: "READ-ONLY" in panel.status, "read-only")
        await panel.press("full_stop")
        await panel.until(
            lambda: any("the panel is read-only" in each for each in panel.toasts), "the refusal"
        )
        response = await panel.app.controller.send(
            panel.app.controller.request("page.title", profile="second")
        )
        assert response.ok
        assert len(panel.entries("check")) == 1
        await panel.press("3")
        await panel.until(lambda: "l copy" in panel.screen_text, "the keys of the daemon")
        assert "del stop" not in panel.screen_text
        await panel.press("V")
        await panel.until(lambda: "del stop" in panel.screen_text, "the key that ends it")
        await panel.press("4", "full_stop")
        await panel.answer("check", 2)
        await robot.request(envelope("session.stop", "second"))


OTHERS = [
    {"pid": 71, "headless": True, "orphan": True, "idleSeconds": 3600, "title": "left alone"},
    {"pid": 72, "headless": True, "orphan": True, "idleSeconds": 5, "title": "still busy"},
    {"pid": 73, "headless": False, "idleSeconds": 3600, "title": "with a window"},
    {"pid": 74, "headless": True, "idleSeconds": 3600, "title": "of a program"},
]


async def test_orphans_are_ended_together_and_a_window_only_after_a_question(
    open_kept: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def find_none(controller: Controller) -> None:
        """Ignore the other browsers of this machine."""

    monkeypatch.setattr(Controller, "_keep_other_sessions", find_none)
    async with open_kept() as panel:
        shared = {"origin": "pipe", "browser": "chromium", "attached": False, "pages": None}
        others = [read(SessionData, shared | each) for each in OTHERS]
        panel.store.set_other_sessions(others)
        await panel.shows("2 orphans", "#sessions")

        await panel.press("2", "K")
        await panel.screen(PromptDialog)
        await panel.press("enter")
        await panel.screen(ConfirmDialog)
        question = panel.screen_text
        await panel.press("escape")
        await go_to_session(panel, others[2])
        await panel.press("delete")
        await panel.screen(ConfirmDialog)
        await panel.shows("It has a window")
        await panel.press("escape")
        await panel.home()

        assert not panel.entries("session.kill")

    assert "left alone" in question
    assert not [each["title"] for each in OTHERS[1:] if str(each["title"]) in question]
