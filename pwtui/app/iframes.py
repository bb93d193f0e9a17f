"""Asks what the iframes of the page show: a snapshot contains neither their titles nor URLs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pwtui.app.page_state import IframeView
from pwtui.app.snapshots import Ask
from pwtui.app.store import Store, StorePart

MOST = 12
# The document of another origin cannot be read.
_DESCRIBE = """element => {
  const said = [element.title || element.name, element.src];
  try {
    const inside = element.contentDocument;
    return inside ? [inside.title || said[0], inside.location.href] : said;
  } catch { return said; }
}"""


class IframeLabels:
    """Keeps what the store knows of the iframes of the tree current."""

    def __init__(self, store: Store, ask: Ask, on_change: Callable[[], object]) -> None:
        self._store = store
        self._ask = ask
        self._on_change = on_change
        self._wanted = asyncio.Event()
        store.listeners.append(self._changed)

    def _changed(self, part: StorePart) -> None:
        if part == "snapshot":
            self._wanted.set()

    async def run(self) -> None:
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            store, tree = self._store, self._store.snapshot.tree
            nodes = tree.nodes if tree is not None else ()
            refs = [node.ref for node in nodes if node.role == "iframe" and node.ref][:MOST]
            found = {}
            for ref in refs:
                response = await self._ask("page.eval", ref=ref, expression=_DESCRIBE)
                match (response.data or {}).get("result"):
                    case [str(title), str(url)]:
                        found[ref] = IframeView(title, url)
            if store.snapshot.tree is tree and found != store.page.iframes:
                store.page.set_iframes(found)
                self._on_change()
