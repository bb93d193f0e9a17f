"""Reads what the site of the page stores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pwtui.app.snapshots import Ask
from pwtui.app.store import Store
from pwtui.protocol.envelope import Response
from pwtui.widgets.storage_list import StorageRow, in_order

# Neither exists on a page that is not secure.
_NAMES = """async () => {
  const names = async ask => { try { return await ask() } catch { return [] } };
  return {
    indexedDB: await names(async () => (await indexedDB.databases()).map(each => each.name)),
    cache: await names(async () => await caches.keys()),
  };
}"""


class StorageReader:
    """Asks while the storage is shown; nothing reports its changes."""

    def __init__(self, store: Store, ask: Ask) -> None:
        self._store = store
        self._ask = ask
        self._is_reading = False

    async def read(self) -> None:
        """Read everything again, unless a request is running."""
        store, profile = self._store, self._store.active_profile
        is_open = store.session_of(profile) is not None
        if self._is_reading or store.is_busy(profile) or not is_open:
            return
        self._is_reading = True
        try:
            cookies = await self._ask("cookies.list")
            local = await self._ask("localstorage.list")
            session = await self._ask("sessionstorage.list")
            names = await self._ask("page.eval", expression=_NAMES)
        finally:
            self._is_reading = False
        if profile == store.active_profile:
            rows = [
                *_cookies(cookies),
                *(StorageRow("local", each["key"], each["value"]) for each in _items(local)),
                *(StorageRow("session", each["key"], each["value"]) for each in _items(session)),
                *_names(names),
            ]
            problem = cookies.error.message if cookies.error else ""
            store.page.set_storage(in_order(rows), problem)


def _items(response: Response, name: str = "items") -> list[dict[str, Any]]:
    return (response.data or {}).get(name) or []


def _cookies(response: Response) -> Iterator[StorageRow]:
    for each in _items(response, "cookies"):
        yield StorageRow(
            "cookie",
            each["name"],
            each["value"],
            each["domain"],
            each["path"],
            each["expires"],
            each["httpOnly"],
            each["secure"],
            each.get("sameSite") or "",
        )


def _names(response: Response) -> Iterator[StorageRow]:
    found = (response.data or {}).get("result") or {}
    yield from (StorageRow("indexedDB", name) for name in found.get("indexedDB") or ())
    yield from (StorageRow("cache", name) for name in found.get("cache") or ())
