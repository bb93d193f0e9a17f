"""Tabs, frames and workers of the extension, and the clients that use them.

Chrome has one debugger per tab for an extension, but every client expects its own. So the relay
records what each client has enabled, sends events to the clients that enabled them, and repeats
earlier events for a client that connects later.
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

# Held back until the client has the frame tree.
ABOUT_FRAMES = frozenset(("Page", "Runtime", "Network", "Log", "Target"))
# An open dialog blocks the page, also the response that would end the hold.
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
    # Number of commands without a response, and the number of the last command.
    pending: int = 0
    last_command: int = 0
    _held: list[tuple[str, str]] | None = None

    def event(self, method: str, params: str) -> None:
        """Send an event now, or when the client is ready for it."""
        is_about_frames = method.partition(".")[0] in ABOUT_FRAMES and method not in URGENT
        if self._held is not None and is_about_frames:
            self._held.append((method, params))
        else:
            self.client.event(method, params, self.session)

    def hold(self) -> None:
        """Hold back events about frames until `release`.

        For an extension, an event may overtake a response. Playwright handles events of frames only
        after it has the frame tree: it would lose an earlier event, and the page would hang.
        """
        if self._held is None:
            self._held = []

    def release(self, frame_tree: dict[str, Any] | None = None) -> None:
        """Send the held events, except page events that the frame tree already includes.

        Events before the last included one are older than the tree.
        """
        held, self._held = self._held or [], None
        documents = dict(_documents(frame_tree)) if frame_tree else {}
        included = [i for i, event in enumerate(held) if _is_included(*event, documents)]
        first_new = included[-1] + 1 if included else 0
        for index, (method, params) in enumerate(held):
            if index >= first_new or not method.startswith("Page."):
                self.client.event(method, params, self.session)


def _documents(tree: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The frames of a tree with their documents."""
    yield tree["frame"]["id"], tree["frame"]["loaderId"]
    for child in tree.get("childFrames", ()):
        yield from _documents(child)


def _is_included(method: str, params: str, documents: dict[str, str]) -> bool:
    if method == "Page.frameAttached":
        return json.loads(params)["frameId"] in documents
    if method == "Page.frameNavigated":
        frame = json.loads(params)["frame"]
        return bool(documents.get(frame["id"]) == frame["loaderId"])
    return False


@dataclass(frozen=True)
class JavaScriptContext:
    """A JavaScript context of a target: the text of its event."""

    params: str
    is_default: bool


@dataclass(eq=False)
class RelayTarget:
    """A tab, or a frame or worker in a tab, which has a parent."""

    session: str
    info: dict[str, Any]
    parent: RelayTarget | None = None
    waiting: bool = False
    contexts: dict[int, JavaScriptContext] = field(default_factory=dict)
    subscriptions: list[Subscription] = field(default_factory=list)
    crashed: bool = False
    overrides: EmulationOverrides = field(default_factory=EmulationOverrides)
    # Commands that Chrome accepts only once and that a client has sent.
    sent_once: set[str] = field(default_factory=set)
    # The open dialog: its event, and the client that received it.
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
        """The clients that receive the events of a domain, in the order of their connection."""
        return list({subscription.client: None for subscription in self.listeners(domain)})

    def listeners(self, domain: str) -> Sequence[Subscription]:
        """The subscriptions that enabled a domain, or all if none did.

        A paused request is sent to only one client: two responses would break the page.
        """
        if domain == "Fetch":
            holder = self.overrides.holder(INTERCEPTION)
            return () if holder is None else (holder,)
        return [s for s in self.subscriptions if domain in s.domains] or list(self.subscriptions)
