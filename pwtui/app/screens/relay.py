"""The relay: its browsers, and the progress of each connection."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from pwtui.app.screens.list_window import ListWindow
from pwtui.app.screens.window import styles
from pwtui.protocol.models import RelayClientData, RelayTrace, RelayTraceData, read
from pwtui.widgets.connection_list import ConnectionList, ConnectionRow
from pwtui.widgets.key_bar import KeyBar
from pwtui.widgets.text import plain

EVERY_SECONDS = 1.0


class RelayScreen(ListWindow):
    """Shows the seven connection steps of every client and page."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "close", key_display="esc", id="relay.close"),
        Binding("r", "look", "refresh", id="relay.look"),
    ]

    DEFAULT_CSS = styles("relay")

    def compose(self) -> ComposeResult:
        with Vertical(id="box") as box:
            box.border_title = "Relay"
            yield Static("loading…", id="relay-who", markup=False)
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
        yield "No relay is running. Start one with `pw relay start`; see `pw relay extension`."
    for relay in relays:
        window = ", tabs in a separate window" if relay.separate_window else ""
        yield f"127.0.0.1:{relay.port}, process {relay.pid}{window}"
        for extension in relay.extensions:
            pages = ", ".join(plain(page.title or page.url) for page in extension.pages)
            yield f"  {plain(extension.browser)}: {pages or 'no attached tab'}"
        if not relay.extensions:
            yield "  no browser extension is connected"
        for each in relay.unpaired:
            yield f"  refused, not paired: {plain(each.browser)} ({plain(each.id)})"
        for note in relay.notes[-2:]:
            yield f"  {note.level}: {plain(note.message)}"


def connection_rows(relays: list[RelayTrace]) -> Iterator[ConnectionRow]:
    """The connected clients of all relays, the newest first; then the disconnected ones."""
    for relay in relays:
        for client in reversed(relay.clients):
            yield from _client_rows(relay.port, client)
    for relay in relays:
        for client in reversed(relay.past):
            yield from _client_rows(relay.port, client, is_past=True)


def _client_rows(
    port: int, client: RelayClientData, *, is_past: bool = False
) -> Iterator[ConnectionRow]:
    state = "connected" if client.connected else "refused" if client.refused else "disconnected"
    key = f"{port}:{client.id}:{client.connected_at if is_past else ''}"
    title = f"client {client.id}" + (f"  {client.agent}" if client.agent else "")
    yield ConnectionRow(key, title, client, state, is_past=is_past)
    for target in client.targets:
        title, state = f"{target.type} {target.url}", "crashed" if target.crashed else ""
        page_key = f"{key}:{target.target_id}"
        yield ConnectionRow(page_key, title, target, state, is_page=True, is_past=is_past)
