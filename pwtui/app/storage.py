"""Reads what the site of the page stores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pwtui.app.snapshots import Ask
from pwtui.app.store import Store
from pwtui.protocol.envelope import Response
from pwtui.widgets.storage_list import StorageKind, StorageRow, in_order

FAMILIES = ("cookies", "localstorage", "sessionstorage")
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
            cookies, *others = [await self._ask(f"{family}.list") for family in FAMILIES]
            names = await self._ask("page.eval", expression=_NAMES)
        finally:
            self._is_reading = False
        if profile == store.active_profile:
            known = [each for each in (cookies, *others) if each.data is not None]
            rows = [row for each in known for row in rows_of(each.op, each.data or {})]
            rows += _names(names)
            problem = cookies.error.message if cookies.error else ""
            store.page.set_storage(in_order(rows), problem)


def rows_of(op: str, data: dict[str, Any]) -> list[StorageRow]:
    """The items that a list of cookies, local or session storage has."""
    if op.startswith("cookies."):
        return [_cookie(each) for each in data["cookies"]]
    kind: StorageKind = "local" if op.startswith("localstorage.") else "session"
    return [StorageRow(kind, each["key"], each["value"]) for each in data["items"]]


def _cookie(data: dict[str, Any]) -> StorageRow:
    return StorageRow(
        "cookie",
        data["name"],
        data["value"],
        data["domain"],
        data["path"],
        data["expires"],
        data["httpOnly"],
        data["secure"],
        data.get("sameSite") or "",
    )


def setting(row: StorageRow, value: str) -> tuple[str, dict[str, Any]]:
    """The operation and input that give an item a value."""
    if row.kind != "cookie":
        return f"{row.kind}storage.set", {"key": row.name, "value": value}
    input: dict[str, Any] = {"name": row.name, "value": value}
    if row.domain:  # it is there: only its value changes
        input |= {"domain": row.domain, "path": row.path}
        input |= {"httpOnly": row.is_http_only, "secure": row.is_secure}
        input |= {"expires": row.expires} if row.expires >= 0 else {}
        input |= {"sameSite": row.same_site} if row.same_site else {}
    return "cookies.set", input


def deletion(row: StorageRow) -> tuple[str, dict[str, Any]]:
    """The operation and input that delete an item."""
    if row.kind != "cookie":
        return f"{row.kind}storage.delete", {"key": row.name}
    return "cookies.delete", {"name": row.name, "domain": row.domain, "path": row.path}


def _names(response: Response) -> Iterator[StorageRow]:
    found = (response.data or {}).get("result") or {}
    yield from (StorageRow("indexedDB", name) for name in found.get("indexedDB") or ())
    yield from (StorageRow("cache", name) for name in found.get("cache") or ())
