"""The relay: whose browsers it reaches, and how far each connection is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from pwtui.app.controller import Controller
from pwtui.widgets.connection_list import ConnectionList, ConnectionRow, StepMark
from pwtui.widgets.key_bar import KeyBar
from pwtui.widgets.modal import Modal
from pwtui.widgets.text import plain

EVERY_SECONDS = 1.0


class RelayScreen(Modal[None]):
    """The seven steps between an endpoint and code that runs, for every client and page."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "close", key_display="esc", id="relay.close"),
        Binding("r", "look", "look again", id="relay.look"),
    ]

    DEFAULT_CSS = """
    RelayScreen {
        align: center middle;
        background: $background 45%;
        #relay-box {
            width: 96%;
            height: 90%;
            background: $surface;
            border: round $primary;
            border-title-color: $primary;
        }
        #relay-who { height: auto; max-height: 8; padding: 0 1; color: $foreground-muted; }
    }
    """

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        self.controller = controller

    def compose(self) -> ComposeResult:
        with Vertical(id="relay-box") as box:
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
        relays = (response.data or {}).get("relays", [])
        problem = str(response.error) if response.error else ""
        text = problem or "\n".join(_who(relays))
        self.query_one("#relay-who", Static).update(Content(text))
        self.query_one(ConnectionList).show(list(connection_rows(relays)))

    def action_close(self) -> None:
        self.dismiss()


def _who(relays: list[dict[str, Any]]) -> Iterator[str]:
    if not relays:
        yield "no relay runs; start one with `pw relay start`, see `pw relay extension`"
    for relay in relays:
        window = ", tabs in a separate window" if relay["separateWindow"] else ""
        yield f"127.0.0.1:{relay['port']}, process {relay['pid']}{window}"
        for extension in relay["extensions"]:
            pages = ", ".join(plain(page["title"] or page["url"]) for page in extension["pages"])
            yield f"  {plain(extension['browser'])}: {pages or 'no tab is attached'}"
        if not relay["extensions"]:
            yield "  no browser's extension is connected"
        for each in relay["unpaired"]:
            yield f"  refused, not paired: {plain(each['browser'])} ({plain(each['id'])})"
        for note in relay["notes"][-2:]:
            yield f"  {note['level']}: {plain(note['message'])}"


def connection_rows(relays: list[dict[str, Any]]) -> Iterator[ConnectionRow]:
    """Connected clients of all relays first, the newest on top; then those that have ended."""
    for kind in ("clients", "past"):
        for relay in relays:
            for client in reversed(relay[kind]):
                yield from _client_rows(relay["port"], client, is_past=kind == "past")


def _client_rows(port: int, client: dict[str, Any], *, is_past: bool) -> Iterator[ConnectionRow]:
    state = "connected" if client["connected"] else "refused" if client["refused"] else "left"
    key = f"{port}:{client['id']}:{client['connectedAt'] if is_past else ''}"
    title = f"client {client['id']}"
    if client.get("agent"):
        title += f"  {client['agent']}"
    yield _row(client, key, title, state, is_past=is_past)
    for target in client["targets"]:
        where = f"{target['type']} {target['url']}"
        state = "crashed" if target["crashed"] else ""
        place = f"{key}:{target['targetId']}"
        yield _row(target, place, where, state, is_page=True, is_past=is_past)


def _row(
    wire: dict[str, Any],
    key: str,
    title: str,
    state: str,
    *,
    is_page: bool = False,
    is_past: bool = False,
) -> ConnectionRow:
    missing = wire["missing"] or {}
    steps = [StepMark(f"{each['number']} {each['step']}", each["atMs"]) for each in wire["steps"]]
    waited = missing.get("waitedMs")
    return ConnectionRow(
        key=key,
        title=title,
        state=state,
        steps=steps,
        missing=str(missing.get("step", "")),
        hint=str(missing.get("hint", "")),
        waited_seconds=waited / 1000 if waited is not None else None,
        is_page=is_page,
        is_past=is_past,
    )
