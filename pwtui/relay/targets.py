"""What can be talked to through the extension, and who does.

Chrome gives an extension one debugger for each tab. Clients expect one each: so the relay remembers
which client switched on what, sends events to those who asked for them, and sends a later client
what an earlier one got.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pwtui.relay.overrides import INTERCEPTION, Overrides

if TYPE_CHECKING:
    from pwtui.relay.client import Client

# Held back until a client knows the frames that they are about.
ABOUT_FRAMES = frozenset(("Page", "Runtime", "Network", "Log", "Target"))
# Without an answer to a dialog nothing continues, the answer that is waited for included.
URGENT = frozenset(("Page.javascriptDialogOpening", "Page.javascriptDialogClosed"))


@dataclass(eq=False)
class Subscription:
    """One client's session with one target."""

    client: Client
    target: Target
    session: str
    domains: set[str] = field(default_factory=set)
    scripts: set[str] = field(default_factory=set)
    auto_attach: bool = False
    # Commands without an answer yet, and the number of the last one.
    pending: int = 0
    last_command: int = 0
    _held: list[tuple[str, str]] | None = None

    def tell(self, method: str, params: str) -> None:
        """Send an event, now or when the client is ready for it."""
        is_about_frames = method.partition(".")[0] in ABOUT_FRAMES and method not in URGENT
        if self._held is not None and is_about_frames:
            self._held.append((method, params))
        else:
            self.client.event(method, self.session, params)

    def hold(self) -> None:
        """Keep events about frames back until `release`.

        Chrome sends an extension events and answers on two ways, and an event may overtake an
        answer. Playwright listens to frames only once it has the frame tree: an event that comes
        before would be lost, and the page would hang.
        """
        if self._held is None:
            self._held = []

    def release(self, frame_tree: dict[str, Any] | None = None) -> None:
        """Send what was held back, but not what the client has seen in the frame tree already.

        Whatever came before the last event that the tree shows happened before it was drawn.
        """
        held, self._held = self._held or [], None
        documents = dict(_documents(frame_tree)) if frame_tree else {}
        shown = [i for i, event in enumerate(held) if _is_shown(*event, documents)]
        first_news = shown[-1] + 1 if shown else 0
        for index, (method, params) in enumerate(held):
            if index >= first_news or not method.startswith("Page."):
                self.client.event(method, self.session, params)


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
class Context:
    """A JavaScript context of a target: its event, as text."""

    params: str
    is_default: bool


@dataclass(eq=False)
class Target:
    """A tab, or a frame or worker inside one (then it has a parent)."""

    session: str
    info: dict[str, Any]
    parent: Target | None = None
    waiting: bool = False
    contexts: dict[int, Context] = field(default_factory=dict)
    subscriptions: list[Subscription] = field(default_factory=list)
    crashed: bool = False
    overrides: Overrides = field(default_factory=Overrides)
    # Commands that Chrome accepts once, and which a client has sent.
    sent_once: set[str] = field(default_factory=set)
    # A dialog that is open: its event, and the client that it was sent to.
    dialog: tuple[str, Client] | None = None
    announced: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def id(self) -> str:
        return str(self.info["targetId"])

    @property
    def url(self) -> str:
        return str(self.info.get("url", ""))

    @property
    def is_tab(self) -> bool:
        return self.parent is None

    def is_enabled(self, domain: str, *, besides: Subscription | None = None) -> bool:
        return any(domain in s.domains for s in self.subscriptions if s is not besides)

    def clients(self, domain: str) -> list[Client]:
        """The clients that hear of the events of a domain, in the order in which they came."""
        return list({each.client: None for each in self.listeners(domain)})

    @property
    def tab(self) -> Target:
        return self if self.parent is None else self.parent.tab

    def listeners(self, domain: str) -> Iterator[Subscription]:
        """Who is to hear of an event: who switched its domain on, or all if none did.

        A paused request goes to one client only: two answers would break the page.
        """
        if domain == "Fetch":
            holder = self.overrides.holder(INTERCEPTION)
            yield from () if holder is None else (holder,)
            return
        listed = [s for s in self.subscriptions if domain in s.domains]
        yield from listed or self.subscriptions
