"""Tabs, frames and workers that can be used through the extension, and the clients that use them.

Chrome has one debugger for each tab for an extension, and clients expect one each. So the relay
keeps which client switched on what, sends events to those who asked for them, and sends a later
client what an earlier one got.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pwtui.relay.overrides import INTERCEPTION, EmulationOverrides

if TYPE_CHECKING:
    from pwtui.relay.client import RelayClient

# Held back until a client knows the frames that they are about.
ABOUT_FRAMES = frozenset(("Page", "Runtime", "Network", "Log", "Target"))
# Until a dialog is answered nothing continues, not even the answer that ends the hold.
URGENT = frozenset(("Page.javascriptDialogOpening", "Page.javascriptDialogClosed"))


@dataclass(eq=False)
class Subscription:
    """One client's session with one target."""

    client: RelayClient
    target: RelayTarget
    session: str
    domains: set[str] = field(default_factory=set)
    scripts: set[str] = field(default_factory=set)
    auto_attach: bool = False
    # Commands without an answer yet, and the number of the last one.
    pending: int = 0
    last_command: int = 0
    _held: list[tuple[str, str]] | None = None

    def event(self, method: str, params: str) -> None:
        """Send an event, now or when the client is ready for it."""
        is_about_frames = method.partition(".")[0] in ABOUT_FRAMES and method not in URGENT
        if self._held is not None and is_about_frames:
            self._held.append((method, params))
        else:
            self.client.event(method, params, self.session)

    def hold(self) -> None:
        """Hold events about frames back until `release`.

        Chrome sends an extension events and answers on two ways, and an event may overtake an
        answer. Playwright listens to frames only once it has the frame tree: an event that comes
        before would be lost, and the page would hang.
        """
        if self._held is None:
            self._held = []

    def release(self, frame_tree: dict[str, Any] | None = None) -> None:
        """Send the held events, but not those that the frame tree shows already.

        Whatever came before the last event that the tree shows happened before it was drawn.
        """
        held, self._held = self._held or [], None
        documents = dict(_documents(frame_tree)) if frame_tree else {}
        shown = [i for i, event in enumerate(held) if _is_shown(*event, documents)]
        first_news = shown[-1] + 1 if shown else 0
        for index, (method, params) in enumerate(held):
            if index >= first_news or not method.startswith("Page."):
                self.client.event(method, params, self.session)


def _documents(tree: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Each frame of a tree with the document that it shows."""
    yield tree["frame"]["id"], tree["frame"]["loaderId"]
    for child in tree.get("childFrames", ()):
        yield from _documents(child)


def _is_shown(method: str, params: str, documents: dict[str, str]) -> bool:
    if method == "Page.frameAttached":
        return json.loads(params)["frameId"] in documents
    if method == "Page.frameNavigated":
        frame = json.loads(params)["frame"]
        return bool(documents.get(frame["id"]) == frame["loaderId"])
    return False


@dataclass(frozen=True)
class JavaScriptContext:
    """A JavaScript context of a target: its event, as text."""

    params: str
    is_default: bool


@dataclass(eq=False)
class RelayTarget:
    """A tab, or a frame or worker inside one (then it has a parent)."""

    session: str
    info: dict[str, Any]
    parent: RelayTarget | None = None
    waiting: bool = False
    contexts: dict[int, JavaScriptContext] = field(default_factory=dict)
    subscriptions: list[Subscription] = field(default_factory=list)
    crashed: bool = False
    overrides: EmulationOverrides = field(default_factory=EmulationOverrides)
    # Commands that Chrome accepts once, and which a client has sent.
    sent_once: set[str] = field(default_factory=set)
    # A dialog that is open: its event, and the client that it was sent to.
    dialog: tuple[str, RelayClient] | None = None
    announced: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def id(self) -> str:
        return str(self.info["targetId"])

    @property
    def url(self) -> str:
        return str(self.info.get("url", ""))

    @property
    def has_url(self) -> bool:
        return self.url not in ("", ":")

    @property
    def is_tab(self) -> bool:
        return self.parent is None

    @property
    def tab(self) -> RelayTarget:
        return self if self.parent is None else self.parent.tab

    def is_enabled(self, domain: str, *, besides: Subscription | None = None) -> bool:
        return any(domain in s.domains for s in self.subscriptions if s is not besides)

    def clients(self, domain: str) -> list[RelayClient]:
        """The clients that get the events of a domain, in the order in which they came."""
        return list({subscription.client: None for subscription in self.listeners(domain)})

    def listeners(self, domain: str) -> Sequence[Subscription]:
        """The subscriptions that enabled a domain, or all if none did.

        A paused request goes to one client only: two answers would break the page.
        """
        if domain == "Fetch":
            holder = self.overrides.holder(INTERCEPTION)
            return () if holder is None else (holder,)
        return [s for s in self.subscriptions if domain in s.domains] or list(self.subscriptions)
