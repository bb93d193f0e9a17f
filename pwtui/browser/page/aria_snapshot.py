"""The accessibility snapshot of a page, with secret fields masked."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TypedDict

from playwright.async_api import Error, Frame, Page

from pwtui.browser.page.scripts import script
from pwtui.protocol.secrets import MASK
from pwtui.protocol.snapshot import SnapshotTree, parse_snapshot

SHORTEST_IN_NAME = 3
DEEPEST = 45
_FIELDS = ("textbox", "searchbox")


@dataclass(frozen=True)
class Snapshot:
    """A snapshot of a page, and what is known about it."""

    title: str
    text: str

    @cached_property
    def tree(self) -> SnapshotTree:
        return parse_snapshot(self.text)

    @property
    def is_cut(self) -> bool:
        """Whether the page is nested deeper than the snapshot."""
        # A line that far in may still be the last node's own.
        return f"\n{' ' * 2 * (DEEPEST - 1)}" in self.text and any(
            node.depth >= DEEPEST - 1 for node in self.tree.nodes
        )


async def take_snapshot(
    page: Page, *, timeout_ms: float, boxes: bool = False, depth: int | None = None
) -> Snapshot:
    """A whole snapshot with refs. It replaces the page's map of refs."""
    # Playwright never answers for pages that are nested deeper.
    depth = min(depth or DEEPEST, DEEPEST)
    asked = [asyncio.ensure_future(_ask(frame)) for frame in page.frames]
    try:
        text = await page.aria_snapshot(mode="ai", boxes=boxes, depth=depth, timeout=timeout_ms)
        frames = [await each for each in asked]
    finally:
        for each in asked:
            each.cancel()
    secrets = {secret for frame in frames for secret in frame["secrets"]}
    return Snapshot(frames[0]["title"], mask_secrets(text, secrets) if secrets else text)


async def take_snapshot_without_scripts(page: Page, *, title: str, timeout_ms: float) -> Snapshot:
    """A snapshot of another program's page.

    Which fields are secret is not known, so the text of all is masked. Only the mode with refs
    keeps those that the program has.
    """
    text = await page.aria_snapshot(mode="ai", depth=DEEPEST, timeout=timeout_ms)
    typed = {each.text for each in parse_snapshot(text).nodes if each.role in _FIELDS and each.text}
    return Snapshot(title, mask_secrets(text, typed) if typed else text)


def mask_secrets(text: str, secrets: set[str]) -> str:
    """The snapshot with the values of secret fields masked."""
    tree = parse_snapshot(text)
    # The snapshot normalises white space in what it prints; so must the comparison.
    folded = {" ".join(secret.split()) for secret in secrets}
    for index, node in enumerate(tree.nodes):
        if node.text is not None and " ".join(node.text.split()) in folded:
            tree.replace_text(index, MASK)
        for secret in folded:
            if node.text and len(secret) >= SHORTEST_IN_NAME and secret in node.text:
                tree.replace_text(index, node.text.replace(secret, MASK))
        # A field inside a label is part of the name of what the label names.
        for secret in folded:
            if node.name and len(secret) >= SHORTEST_IN_NAME and secret in node.name:
                tree.replace_name(index, node.name.replace(secret, MASK))
    return tree.render()


class _FrameFacts(TypedDict):
    title: str
    secrets: list[str]


async def _ask(frame: Frame) -> _FrameFacts:
    # A frame that was removed meanwhile is not in the snapshot.
    with suppress(Error):
        facts: _FrameFacts = await frame.evaluate(script("frame_facts"))
        return facts
    return {"title": "", "secrets": []}
