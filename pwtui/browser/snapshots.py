"""The page as an accessibility tree, with nothing of its secret fields in it."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from playwright.async_api import Error, Frame, Page

from pwtui.browser.scripts import script
from pwtui.protocol.envelope import MASK
from pwtui.protocol.snapshot import SnapshotTree, parse

SHORTEST_IN_NAME = 3
DEEPEST = 45


async def take_snapshot(
    page: Page, *, timeout_ms: float, boxes: bool = False, depth: int | None = None
) -> SnapshotTree:
    """A whole snapshot with refs. It replaces the page's map of refs."""
    # Playwright never answers for pages that are nested deeper; below this nobody finds anything.
    depth = min(depth or DEEPEST, DEEPEST)
    text, secrets = await asyncio.gather(
        page.aria_snapshot(mode="ai", boxes=boxes, depth=depth, timeout=timeout_ms),
        asyncio.gather(*(_secrets(frame) for frame in page.frames)),
    )
    tree = parse(text)
    mask(tree, {secret for of_frame in secrets for secret in of_frame})
    return tree


def mask(tree: SnapshotTree, secrets: set[str]) -> None:
    """Hide the value of every field that holds one of the secrets."""
    if not secrets:
        return
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


async def _secrets(frame: Frame) -> list[str]:
    # A frame that goes away meanwhile has no secrets left to show.
    with suppress(Error):
        found: list[str] = await frame.evaluate(script("secrets"))
        return found
    return []
