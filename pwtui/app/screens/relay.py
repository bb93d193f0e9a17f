"""The relay: whose browsers it reaches, and how far each connection is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from pwtui.app.screens.window import Window, styles
from pwtui.protocol.models import (
    RelayClientData,
    RelayProgress,
    RelayTrace,
    RelayTraceData,
    read,
)
from pwtui.widgets.connection_list import ConnectionList, ConnectionRow, StepMark
from pwtui.widgets.key_bar import KeyBar
from pwtui.widgets.text import plain

EVERY_SECONDS = 1.0


class RelayScreen(Window):
    """The seven steps between an endpoint and code that runs, for every client and page."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "close", key_display="esc", id="relay.close"),
        Binding("r", "look", "look again", id="relay.look"),
    ]

    DEFAULT_CSS = styles("relay")

    def compose(self) -> ComposeResult:
        with Vertical(id="box") as box:
            box.border_title = "Relay"
            yield Static("asking…", id="relay-who", markup=False)
            yield ConnectionList()
        yield KeyBar()

    def on_mount(self) -> None:
        self.query_one(ConnectionList).focus()
        self.set_interval(EVERY_SECONDS, self.action_look)
        self.action_look()

    @work(exclusive=True, group="relay-look")
    async def action_look(self) -> None:
        response = await self.controller.ask("relay.trace")
        if not self.is_mounted:
            return
        relays = read(RelayTraceData, response.data).relays if response.data is not None else []
        problem = str(response.error) if response.error else ""
        text = problem or "\n".join(_who(relays))
        self.query_one("#relay-who", Static).update(Content(text))
        self.query_one(ConnectionList).show(list(connection_rows(relays)))


def _who(relays: list[RelayTrace]) -> Iterator[str]:
    if not relays:
        yield "no relay runs; start one with `pw relay start`, see `pw relay extension`"
    for relay in relays:
        window = ", tabs in a separate window" if relay.separate_window else ""
        yield f"127.0.0.1:{relay.port}, process {relay.pid}{window}"
        for extension in relay.extensions:
            pages = ", ".join(plain(page.title or page.url) for page in extension.pages)
            yield f"  {plain(extension.browser)}: {pages or 'no tab is attached'}"
        if not relay.extensions:
            yield "  no browser's extension is connected"
        for each in relay.unpaired:
            yield f"  refused, not paired: {plain(each.browser)} ({plain(each.id)})"
        for note in relay.notes[-2:]:
            yield f"  {note.level}: {plain(note.message)}"


def connection_rows(relays: list[RelayTrace]) -> Iterator[ConnectionRow]:
    """Connected clients of all relays first, the newest on top; then those that have ended."""
    for relay in relays:
        for client in reversed(relay.clients):
            yield from _client_rows(relay.port, client)
    for relay in relays:
        for client in reversed(relay.past):
            yield from _client_rows(relay.port, client, is_past=True)


def _client_rows(
    port: int, client: RelayClientData, *, is_past: bool = False
) -> Iterator[ConnectionRow]:
    state = "connected" if client.connected else "refused" if client.refused else "left"
    key = f"{port}:{client.id}:{client.connected_at if is_past else ''}"
    title = f"client {client.id}" + (f"  {client.agent}" if client.agent else "")
    yield _row(client, key, title, state, is_past=is_past)
    for target in client.targets:
        where, state = f"{target.type} {target.url}", "crashed" if target.crashed else ""
        place = f"{key}:{target.target_id}"
        yield _row(target, place, where, state, is_page=True, is_past=is_past)


def _row(
    progress: RelayProgress,
    key: str,
    title: str,
    state: str,
    *,
    is_page: bool = False,
    is_past: bool = False,
) -> ConnectionRow:
    missing = progress.missing
    waited = missing.waited_ms if missing else None
    return ConnectionRow(
        key=key,
        title=title,
        state=state,
        steps=[StepMark(f"{step.number} {step.step}", step.at_ms) for step in progress.steps],
        missing=missing.step if missing else "",
        hint=missing.hint if missing else "",
        waited_seconds=waited / 1000 if waited is not None else None,
        is_page=is_page,
        is_past=is_past,
    )
