"""The panel without a terminal, driven by keys and the mouse."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from textual import events
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static, TextArea

from pwtui.app.app import PanelApp
from pwtui.app.screens.main import MainScreen
from pwtui.app.store import Store
from pwtui.client.connection import DaemonConnection
from pwtui.client.link import DaemonLink
from pwtui.protocol.envelope import Request, RuntimeBlock
from pwtui.protocol.snapshot import SnapshotNode
from pwtui.runtime.caller import Caller
from pwtui.state.profiles import Profiles
from pwtui.state.workspace import Workspace
from pwtui.widgets.envelope_detail import EnvelopeDetail
from pwtui.widgets.envelope_log import EnvelopeLog
from pwtui.widgets.log_entry import LogEntry
from pwtui.widgets.schema_form import SchemaForm
from pwtui.widgets.snapshot_tree import SnapshotTreeView
from tests.waiting import LIMIT
from tests.widgets.support import screen_cells

T = TypeVar("T")
S = TypeVar("S", bound=Screen[Any])

SIZE = (120, 40)


class Panel:
    """An open panel and its content."""

    def __init__(self, app: PanelApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot

    # -- looking -----------------------------------------------------------------------------------

    @property
    def store(self) -> Store:
        return self.app.store

    @property
    def main(self) -> MainScreen:
        return next(each for each in self.app.screen_stack if isinstance(each, MainScreen))

    @property
    def tree(self) -> SnapshotTreeView:
        return self.main.query_one(SnapshotTreeView)

    @property
    def log(self) -> EnvelopeLog:
        return self.main.query_one(EnvelopeLog)

    @property
    def detail(self) -> EnvelopeDetail:
        return self.main.query_one(EnvelopeDetail)

    @property
    def shows_detail(self) -> bool:
        return self.main.query_one("#detail-pane").display

    @property
    def profiles(self) -> Profiles:
        return self.app.controller.profiles

    @property
    def status(self) -> str:
        return str(self.main.query_one("#status", Static).content)

    @property
    def toasts(self) -> list[str]:
        """The current toasts, with their titles."""
        return [f"{each.title} {each.message}".strip() for each in self.app._notifications]

    @property
    def screen_text(self) -> str:
        return "\n".join("".join(line).rstrip() for line in screen_cells(self.app))

    def text(self, widget: Widget | str) -> str:
        """The text of a widget on the screen."""
        shown = self.app.screen.query_one(widget) if isinstance(widget, str) else widget
        region = shown.region
        lines = screen_cells(self.app)[region.y : region.bottom]
        return "\n".join("".join(line[region.x : region.right]).rstrip() for line in lines)

    async def shows(self, text: str, where: Widget | str | None = None) -> None:
        """Wait until the screen, or a widget, shows a text."""

        def is_shown() -> bool:
            return text in (self.screen_text if where is None else self.text(where))

        await self.until(is_shown, f"{text!r} on {where or 'the screen'}")

    async def below(self, pane: str, text: str) -> None:
        """Wait until the lower border of a pane shows a text."""
        shown = self.main.query_one(pane)
        await self.until(lambda: text in str(shown.border_subtitle), f"{text!r} below {pane}")

    def node(self, role: str, name: str) -> SnapshotNode:
        tree = self.store.snapshot.tree
        assert tree is not None, "there is no tree"
        found = [node for node in tree.nodes if node.role == role and node.name == name]
        assert found, f"no {role} {name!r} in {[(node.role, node.name) for node in tree.nodes]}"
        return found[0]

    def ref(self, role: str, name: str) -> str:
        ref = self.node(role, name).ref
        assert ref is not None
        return ref

    def entries(self, op: str | None = None) -> list[LogEntry]:
        """The requests of this workspace; those of others are only shown on demand."""
        own = (each for each in self.log.store.entries if not each.workspace)
        return [each for each in own if op in (None, each.op)]

    # -- waiting -----------------------------------------------------------------------------------

    async def until(self, condition: Callable[[], T], what: str) -> T:
        return await until(self.pilot, condition, what)

    async def page(self, title: str = "") -> None:
        """Wait until the tree shows the current page."""

        def is_shown() -> bool:
            snapshot = self.store.snapshot
            is_fresh = snapshot.tree is not None and not snapshot.is_stale
            is_painted = self.tree.snapshot is snapshot.tree and not self.tree.is_stale
            return is_fresh and is_painted and title in snapshot.title and not self.store.running

        await self.until(is_shown, f"the tree of {title or 'a page'}")

    async def at(self, url: str) -> None:
        """Until the tree is one of this page."""
        await self.until(lambda: self.store.snapshot.url == url, f"the tree of {url}")

    async def answer(self, op: str, number: int = 1) -> LogEntry:
        """The finished log entry of the n-th request of an operation."""

        def answered() -> list[LogEntry]:
            return [each for each in self.entries(op) if not each.pending]

        await self.until(lambda: len(answered()) >= number, f"{number} answers to {op}")
        return answered()[number - 1]

    async def screen(self, kind: type[S]) -> S:
        """The screen on top, once it is of this kind and takes keys."""
        found = await self.screen_of(kind)
        await self.until(lambda: found.focused, f"focus in {kind.__name__}")
        return found

    async def screen_of(self, kind: type[S]) -> S:
        """The screen on top, once it is of this kind."""
        await self.until(
            lambda: isinstance(self.app.screen, kind) and self.app.screen.is_mounted,
            f"a {kind.__name__}",
        )
        found = self.app.screen
        assert isinstance(found, kind)
        return found

    async def home(self) -> None:
        """Wait until the main screen is on top."""
        await self.until(lambda: isinstance(self.app.screen, MainScreen), "the main screen")
        await self.pilot.pause()

    # -- acting ------------------------------------------------------------------------------------

    async def press(self, *keys: str) -> None:
        """Wait until the keys are handled and their screens are open."""
        await self.pilot.press(*keys)
        keys_ahead = self.app._type_ahead
        if not keys_ahead.is_idle:
            await self.until(lambda: keys_ahead.is_idle or not self.app.is_running, f"{keys}")

    async def type(self, text: str) -> None:
        """Type into the focused widget, all at once."""
        self.app.post_message(events.Paste(text))
        await self.pilot.pause()

    async def fill_in(self, form: SchemaForm, field: str, text: str) -> None:
        """Type into a field of a form, instead of what is in it."""
        control = form._form_rows[field].control
        assert isinstance(control, TextArea)
        control.focus()
        control.select_all()
        await self.pilot.pause()
        await self.type(text)

    async def clear(self) -> None:
        """Empty the field that has the focus."""
        await self.press("home", "ctrl+k")

    async def go_to(self, ref: str) -> None:
        """Put the cursor of the tree on a ref."""
        assert self.tree.go_to_ref(ref)
        self.tree.focus()
        await self.pilot.pause()

    async def click_ref(self, ref: str, button: int = 1) -> None:
        """Click the ref's own letters in the tree."""
        self.tree.go_to_ref(ref)
        await self.pilot.pause()
        y = next(each.y for each in self.tree.visible_refs() if each.ref == ref)
        corner = self.tree.content_region.offset
        line = screen_cells(self.app)[corner.y + y]
        place = "".join(cell or " " for cell in line).index(ref, corner.x)
        await self.pilot.click(offset=(place, corner.y + y), button=button)

    async def choose(self, ref: str, key: str) -> None:
        """An action of a ref's menu, by its key."""
        from pwtui.widgets.dialogs import ChoiceDialog

        await self.go_to(ref)
        await self.press("a")
        await self.screen(ChoiceDialog)
        await self.press(key)


async def until(pilot: Pilot[Any], condition: Callable[[], T], what: str) -> T:
    """Wait until the condition holds; its value."""
    end = time.monotonic() + LIMIT
    while not (value := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"not after {LIMIT:g} s: {what}\n{_seen(pilot)}")
        await asyncio.sleep(0.03)
    await pilot.pause()
    return value


def _seen(pilot: Pilot[Any]) -> str:
    return "\n".join("".join(line).rstrip() for line in screen_cells(pilot.app))


async def stop_sessions(workspace: Workspace) -> None:
    async with _sessions_of(workspace) as (ask, profiles):
        for profile in profiles:
            await ask("session.stop", profile)


async def leave_one_blank_tab(workspace: Workspace) -> None:
    """For the next test, which need not start a browser."""
    async with _sessions_of(workspace) as (ask, profiles):
        for profile in profiles:
            if profile != "default":
                await ask("session.stop", profile)
                continue
            fresh = await ask("tabs.new", profile)
            for tab in (await ask("tabs.list", profile))["tabs"]:
                if tab["index"] != fresh["index"]:
                    await ask("tabs.close", profile, target=tab["index"])


@asynccontextmanager
async def _sessions_of(
    workspace: Workspace,
) -> AsyncIterator[tuple[Callable[..., Awaitable[Any]], list[str]]]:
    """Who to ask, and the profiles with a session; none without a daemon."""
    link = DaemonLink("leave")
    try:
        client = await link.connect(caller_in(workspace), start=False)

        async def ask(op: str, profile: str = "default", **input: Any) -> Any:
            assert client is not None
            response = await client.request(envelope(op, profile, **input), look=True)
            return response.data or {}

        listed = (await ask("session.list", others=False))["sessions"] if client else []
        yield ask, [each["profile"] for each in listed if each["workspace"] == str(workspace.root)]
    finally:
        await link.close()


@asynccontextmanager
async def open_panel(
    workspace: Workspace,
    profile: str = "default",
    *,
    url: str | None = None,
    size: tuple[int, int] = SIZE,
    leave: Callable[[Workspace], Awaitable[None]] = stop_sessions,
) -> AsyncIterator[Panel]:
    """A panel in a workspace; what is done with its browsers after it is `leave`."""
    app = PanelApp(workspace, profile, first_url=url)
    try:
        async with app.run_test(size=size) as pilot:
            panel = Panel(app, pilot)
            await panel.until(lambda: isinstance(app.screen, MainScreen), "the main screen")
            if url is not None:
                entry = await panel.answer("navigate")
                if entry.ok and entry.response is not None:
                    await panel.at(entry.response["data"]["url"])
                await panel.page()
            yield panel
            if app.is_running:
                screen_cells(app)  # the last state can be painted
    finally:
        await leave(workspace)


@asynccontextmanager
async def client_of(workspace: Workspace, name: str = "other") -> AsyncIterator[DaemonConnection]:
    """Another program that is connected to the daemon."""
    link = DaemonLink(name)
    try:
        connection = await link.connect(caller_in(workspace), start=False)
        assert connection is not None, "no daemon runs"
        yield connection
    finally:
        await link.close()


def caller_in(workspace: Workspace) -> Caller:
    return Caller(workspace, cwd=workspace.root, mode="batch")


def envelope(op: str, profile: str = "default", /, **input: Any) -> Request:
    return Request(op=op, input=input, runtime=RuntimeBlock(profile=profile))
