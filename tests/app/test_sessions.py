"""Sessions: requests of other programs appear, and each session can be used and stopped."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from pwtui.app.actions.sessions import session_choices
from pwtui.app.controller import Controller
from pwtui.demo import DemoSite
from pwtui.protocol.envelope import Response
from pwtui.protocol.models import SessionData, read
from pwtui.state.profiles import Profiles
from pwtui.state.workspace import Workspace
from pwtui.widgets.dialogs import ChoiceDialog, ConfirmDialog
from pwtui.widgets.session_list import SessionList, SessionRow, SessionRowKey, session_row_key
from tests.app.conftest import Opens
from tests.app.panel import Panel, client_of, envelope, stop_sessions
from tests.daemon.house import kill
from tests.site import TestSite


async def open_menu(panel: Panel, key: SessionRowKey) -> None:
    """The menu of a session, by the keys of the list."""
    await panel.press("2")
    await panel.until(lambda: panel.main.query_one(SessionList).move_to_key(key), f"session {key}")
    await panel.press("a")
    await panel.screen(ChoiceDialog)


def here(panel: Panel, profile: str) -> SessionData:
    session = panel.store.session_of(profile)
    assert session is not None, panel.store.sessions
    return session


async def test_requests_of_another_program_appear(
    open: Opens, site: TestSite, workspace: Workspace
) -> None:
    async with open() as panel, client_of(workspace, "robot") as robot:
        await panel.until(lambda: panel.store.link == "connected", "the daemon")

        await robot.request(envelope("navigate", url=site.url("/form.html")))

        entry = await panel.answer("navigate")
        assert entry.client == "robot"
        await panel.page("Form")
        ref = panel.ref("textbox", "Name")
        await robot.request(envelope("fill", ref=ref, text="by a robot"))
        await panel.answer("fill")
        await panel.until(lambda: "by a robot" in panel.text("#tree"), "the text in the tree")
        panel.app.send(panel.app.controller.request("page.title"))
        await panel.answer("page.title")
        await panel.shows("robot", "#log")
        await robot.request(envelope("navigate", url=site.url("/links.html")))
        await panel.page("Links")


async def test_another_workspace_is_not_in_the_log(
    open: Opens, shop: DemoSite, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    async with open() as panel, client_of(Workspace(elsewhere.resolve())) as other:
        await panel.until(lambda: panel.store.link == "connected", "the daemon")

        await other.request(envelope("profile.list"))
        panel.app.send(panel.app.controller.request("profile.list"))
        await panel.answer("profile.list")

        assert [each.client for each in panel.entries()] == ["pwtui"]
        await panel.until(lambda: "1 request " in panel.screen_text, "the own request")
        await panel.press("9", "a")
        await panel.until(lambda: "2 requests " in panel.screen_text, "both requests")
        await panel.shows("other", "#log")


async def test_the_menu_of_a_session_copies_activates_and_stops(
    open: Opens, site: TestSite, workspace: Workspace, copied: list[str]
) -> None:
    async with open() as panel, client_of(workspace) as other:
        await other.request(envelope("navigate", "second", url=site.url("/form.html")))
        await panel.until(lambda: panel.store.session_of("second"), "the session")
        key = session_row_key(here(panel, "second"))

        await open_menu(panel, key)
        await panel.press("2")
        await panel.until(lambda: copied, "the endpoint is copied")
        assert copied == [here(panel, "second").ws_endpoint]
        await open_menu(panel, key)
        await panel.press("i")
        await panel.until(lambda: len(copied) == 2, "the session is copied")
        assert '"sessionKey"' in copied[1]
        await open_menu(panel, key)
        await panel.press("c")
        await panel.until(lambda: panel.store.active_profile == "second", "it is current")
        await panel.page("Form")
        await open_menu(panel, key)
        await panel.press("x")
        await panel.until(lambda: panel.store.session_of("second") is None, "it has ended")
        assert (await panel.answer("session.stop")).ok
        await panel.until(lambda: panel.tree.is_stale, "its tree is old")


@asynccontextmanager
async def foreign_browser(root: Path) -> AsyncIterator[str]:
    """A browser with a debugging port and without a session; yields its endpoint."""
    async with client_of(Workspace(root.resolve())) as starter:
        started = await starter.request(envelope("connect", launch=True))
        assert started.data is not None, started.error
        try:
            yield started.data["endpoint"]
        finally:
            await starter.request(envelope("connect", kill=True, port=started.data["port"]))


async def test_attaching_shows_the_other_browser_at_once_and_names_the_running_one(
    open: Opens, site: TestSite, tmp_path: Path
) -> None:
    root = tmp_path / "elsewhere"
    root.mkdir()
    headless = lambda config: setattr(config.defaults, "headless", True)  # noqa: E731
    Profiles(Workspace(root.resolve())).change_config("default", headless)
    async with open(url=site.url("/form.html")) as panel, foreign_browser(root) as endpoint:
        await panel.until(lambda: panel.store.session_of("default"), "the own session")
        own = here(panel, "default")

        await open_menu(panel, ("", None, endpoint))
        await panel.press("a")

        await panel.until(lambda: panel.store.snapshot.url == "about:blank", "the other page")
        attach = await panel.answer("connect")
        assert attach.request["input"] == {"endpoint": endpoint}
        await panel.until(
            lambda: (now := panel.store.session_of("default")) and now.attached, "the mark moves"
        )
        rows = panel.main.query_one(SessionList)

        def current() -> list[SessionRowKey]:
            shown = [each for each in rows._rows if isinstance(each, SessionRow)]
            return [session_row_key(row.session) for row in shown if row.is_current]

        attached = session_row_key(here(panel, "default"))
        await panel.until(
            lambda: set(current()) == {attached}, "the row of the attached one is marked"
        )
        await panel.until(
            lambda: panel.toasts and "is still running" in panel.toasts[-1], "a toast"
        )
        assert f"pid {own.pid}" in panel.toasts[-1]

        await open_menu(panel, session_row_key(own))
        await panel.press("x")
        stop = await panel.answer("session.stop")
        assert stop.request["input"] == {"pid": own.pid}
        await panel.until(lambda: own not in panel.store.sessions, "the old browser has ended")
        await panel.until(lambda: here(panel, "default").attached, "the attached one is left")
        older = here(panel, "default").model_copy()  # as in a row from before the newest list
        assert "d" in {each.key for each in session_choices(panel.app, older)}

        await open_menu(panel, session_row_key(here(panel, "default")))
        await panel.press("d")

        detach = await panel.answer("connect", 2)
        assert detach.ok
        assert detach.request["input"] == {"clear": True}
        assert panel.profiles.load("default").config.defaults.cdp_endpoint is None
        await panel.until(lambda: panel.store.session_of("default") is None, "no session is left")


async def test_actions_that_change_a_session_are_offered_only_for_this_workspace(
    open: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def find_none(controller: Controller) -> None:
        """Ignore the other browsers of this machine."""

    monkeypatch.setattr(Controller, "_keep_other_sessions", find_none)
    shared = {"browser": "chromium", "attached": False, "pages": []}
    elsewhere = shared | {
        "origin": "pwtui",
        "title": "default",
        "profile": "default",
        "workspace": "/other/place",
        "sessionKey": "w:default:chromium:headless",
        "pid": 1,
    }
    relay = shared | {"origin": "relay", "title": "relay", "cdpEndpoint": "http://127.0.0.1:19988"}
    foreign = shared | {
        "origin": "cdp",
        "title": "Chrome/156",
        "cdpEndpoint": "http://127.0.0.1:9333",
        "pid": 815,
        "ownerPid": 815,
        "pages": [{"title": "Corner Store", "url": "https://shop.example/"}],
    }
    async with open() as panel:
        offered = {
            name: {each.key for each in session_choices(panel.app, read(SessionData, session))}
            for name, session in (("elsewhere", elsewhere), ("relay", relay), ("cdp", foreign))
        }
        panel.store.set_other_sessions([read(SessionData, foreign)])
        await open_menu(panel, session_row_key(read(SessionData, foreign)))
        menu = panel.screen_text
        await panel.press("k")
        await panel.screen(ConfirmDialog)
        question = panel.screen_text
        await panel.press("escape")

    assert not {"x", "c", "d", "k", "a"} & offered["elsewhere"]
    assert "k" not in offered["relay"]
    assert "a" in offered["relay"]
    assert "k" in offered["cdp"]
    for shown in (menu, question):
        assert "Corner Store · pid 815 · port 9333" in shown


async def test_a_killed_browser_is_reported_and_a_click_in_its_tree_starts_nothing(
    open: Opens, site: TestSite
) -> None:
    async with open(url=site.url("/form.html")) as panel:
        await panel.until(lambda: panel.store.session_of("default"), "the session")
        ref = panel.ref("button", "Submit")
        kill(psutil.Process(here(panel, "default").pid))

        await panel.below("#tree-pane", "browser exited")
        await panel.until(lambda: "✗ default" in panel.text("#sessions"), "the red mark")
        await panel.until(lambda: "0 sessions" in panel.status, "the header")
        await panel.until(lambda: panel.entries("browser"), "a line in the log")
        await panel.go_to(ref)
        await panel.press("enter")

        clicked = await panel.answer("click")
        assert clicked.code == "SELECTOR_NOT_FOUND"
        assert "no browser is open" in clicked.message
        assert panel.store.session_of("default") is None
        await panel.until(lambda: "start again" in panel.text("PaneKeys"), "the key")
        await panel.press("o")
        await panel.answer("navigate", 2)
        await panel.page("Form")
        await panel.until(lambda: "✗ default" not in panel.text("#sessions"), "no red mark")


async def test_unknown_sessions_are_not_shown_as_none(open: Opens) -> None:
    async with open() as panel:
        await panel.until(lambda: "0 sessions" in panel.status, "no sessions")
        rows = panel.main.query_one(SessionList)
        await panel.until(lambda: rows.empty_text == SessionList.EMPTY_TEXT, "no sessions")

        panel.store.set_link("gone")

        await panel.until(lambda: "unreachable" in panel.status, "the header")
        await panel.until(lambda: "waiting" in rows.empty_text, "not known in the list")


async def test_the_tree_needs_no_list_of_sessions(
    open: Opens, site: TestSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = Controller.ask

    async def never_lists(self: Controller, op: str, /, **input: Any) -> Response:
        if op == "session.list":
            await asyncio.Event().wait()
        return await ask(self, op, **input)

    monkeypatch.setattr(Controller, "ask", never_lists)
    async with open(url=site.url("/form.html")) as panel:
        assert "Form" in panel.store.snapshot.title


async def test_the_page_of_another_workspace_is_not_shown(
    open: Opens, site: TestSite, tmp_path: Path
) -> None:
    elsewhere = Workspace((tmp_path / "elsewhere").resolve())
    elsewhere.root.mkdir()
    async with open(url=site.url("/form.html")) as panel, client_of(elsewhere) as other:
        await panel.until(lambda: panel.store.session_of("default"), "the session")

        await other.request(envelope("navigate", url=site.url("/dialogs.html")))
        await other.request(envelope("page.eval", expression="setTimeout(() => alert(1), 0)"))
        await panel.until(lambda: len(panel.store.own_sessions or ()) == 2, "both sessions")
        await stop_sessions(elsewhere)

        assert panel.store.snapshot.url == site.url("/form.html")
        assert not panel.store.dialogs


async def test_ctrl_c_cancels_what_this_panel_sent_and_nothing_else(
    open: Opens, site: TestSite, workspace: Workspace
) -> None:
    async with open(url=site.url("/form.html")) as panel, client_of(workspace, "robot") as robot:
        theirs = asyncio.ensure_future(robot.request(envelope("wait", condition=4000)))
        await panel.until(lambda: panel.entries("wait"), "their request")

        await panel.press("ctrl+c")
        panel.app.send(panel.app.controller.request("profile.list"))
        await panel.answer("profile.list")
        assert not theirs.done()
        await panel.press("ctrl+x")

        assert (await theirs).error is not None
