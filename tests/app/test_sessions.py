"""Sessions: what other programs do shows by itself, and each session can be used and ended."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from pwtui.demo import DemoSite
from pwtui.state.profiles import Profiles
from pwtui.state.workspace import Workspace
from tests.app.conftest import Opens
from tests.app.panel import Panel, client_of, envelope
from tests.site import TestSite
from widgets.dialogs import ChoiceDialog
from widgets.session_list import SessionList


async def open_menu(panel: Panel, key: str) -> None:
    """The menu of a session, by the keys of the list."""
    await panel.press("2")
    await panel.until(lambda: panel.main.query_one(SessionList).move_to(key), f"session {key}")
    await panel.press("enter")
    await panel.screen(ChoiceDialog)


def here(panel: Panel, profile: str) -> dict[str, Any]:
    session = panel.store.session_of(profile)
    assert session is not None, panel.store.sessions
    return session


async def test_what_another_program_does_shows_by_itself(
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
        assert "robot" in panel.text("#log")
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


async def test_the_menu_of_a_session_copies_activates_and_stops(
    open: Opens, site: TestSite, workspace: Workspace, copied: list[str]
) -> None:
    async with open() as panel, client_of(workspace) as other:
        await other.request(envelope("navigate", "second", url=site.url("/form.html")))
        await panel.until(lambda: panel.store.session_of("second"), "the session")
        key = here(panel, "second")["sessionKey"]

        await open_menu(panel, key)
        await panel.press("2")
        await panel.until(lambda: copied, "the endpoint is copied")
        assert copied == [here(panel, "second")["wsEndpoint"]]
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
    """A browser with a debugging port that nobody keeps a session with; its endpoint."""
    async with client_of(Workspace(root.resolve())) as starter:
        started = await starter.request(envelope("connect", launch=True))
        assert started.data is not None, started.error
        try:
            yield started.data["endpoint"]
        finally:
            await starter.request(envelope("connect", kill=True, port=started.data["port"]))


async def test_a_foreign_browser_appears_and_can_be_attached_and_left(
    open: Opens, site: TestSite, tmp_path: Path
) -> None:
    root = tmp_path / "elsewhere"
    root.mkdir()
    headless = lambda config: setattr(config.defaults, "headless", True)  # noqa: E731
    Profiles(Workspace(root.resolve())).change_config("default", headless)
    async with open() as panel, foreign_browser(root) as endpoint:
        panel.app.controller.refresh_sessions()
        await open_menu(panel, endpoint)
        await panel.press("a")
        attach = await panel.answer("connect")
        assert attach.ok, attach.response
        assert attach.request["input"] == {"endpoint": endpoint}
        panel.app.send(panel.app.controller.request("navigate", {"url": site.url("/form.html")}))
        assert (await panel.answer("navigate")).ok
        await panel.page("Form")
        await panel.until(lambda: here(panel, "default")["attached"], "it is attached")

        await open_menu(panel, here(panel, "default")["sessionKey"])
        await panel.press("d")

        detach = await panel.answer("connect", 2)
        assert detach.ok
        assert detach.request["input"] == {"clear": True}
        assert panel.profiles.load("default").config.defaults.cdp_endpoint is None
