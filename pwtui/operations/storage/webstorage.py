"""What a page keeps in the browser: its local storage and its session storage."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, TypeVar

from playwright.async_api import Error
from pydantic import Field

from pwtui.operations.framework.declare import Group, Outcome, acts, reads
from pwtui.operations.framework.fields import Data, MayBeSecret, UrlFields
from pwtui.operations.framework.page_call import PageCall
from pwtui.protocol.errors import InvalidInput
from pwtui.protocol.model import Maybe

if TYPE_CHECKING:
    from playwright.async_api._generated import WebStorage

GROUP = Group.STORAGE
T = TypeVar("T")


class StorageKeyInput(UrlFields):
    key: str = Field(description="Name of the item.")


class StorageSetInput(StorageKeyInput):
    value: Annotated[str, MayBeSecret()] = Field(description="What the item is to hold.")


class StorageItem(Data):
    key: str
    value: str


class StorageListData(Data):
    origin: str
    items: list[StorageItem]
    count: int


class StorageGetData(Data):
    key: str
    found: bool
    value: Maybe[str] = None


class StorageSetData(Data):
    key: str
    created: bool = Field(description="Whether there was no such item before.")


class StorageDeletedData(Data):
    deleted: int = Field(description="How many items are gone.")


class _Storage:
    """One of the page's two storages; both are used in the same way."""

    def __init__(self, call: PageCall, name: str, storage: WebStorage) -> None:
        self._call = call
        self._name = name
        self._storage = storage

    async def list(self) -> StorageListData:
        items = await self._ask(self._storage.items())
        return StorageListData(
            origin=await self._call.page.evaluate("location.origin"),
            items=[StorageItem(key=item["name"], value=item["value"]) for item in items],
            count=len(items),
        )

    async def get(self, input: StorageKeyInput) -> StorageGetData:
        value = await self._ask(self._storage.get_item(input.key))
        return StorageGetData(key=input.key, found=value is not None, value=value)

    async def set(self, input: StorageSetInput) -> StorageSetData:
        self._call.hidden_inputs.add("value")
        before = await self._ask(self._storage.get_item(input.key))
        await self._ask(self._storage.set_item(input.key, input.value))
        return StorageSetData(key=input.key, created=before is None)

    async def delete(self, input: StorageKeyInput) -> StorageDeletedData:
        before = await self._ask(self._storage.get_item(input.key))
        await self._ask(self._storage.remove_item(input.key))
        return StorageDeletedData(deleted=int(before is not None))

    async def clear(self) -> StorageDeletedData:
        count = len(await self._ask(self._storage.items()))
        await self._ask(self._storage.clear())
        return StorageDeletedData(deleted=count)

    async def _ask(self, answer: Awaitable[T]) -> T:
        navigations = self._call.tab.navigations
        try:
            return await answer
        except Error as error:
            if not self._call.tab.is_usable or self._call.tab.navigations > navigations:
                raise
            url = self._call.tab.url
            raise InvalidInput(
                f"{self._name} storage is unavailable on {url}: it is full, or the page has no "
                "origin, as about:blank and data: URLs",
                details={"url": url},
            ) from error


def _declare(id: str, shown: str, storage: Callable[[PageCall], WebStorage], example: str) -> None:
    """The five operations on one of the page's two storages."""
    item = {"key": example}
    deleted = "deleted {deleted}"

    def of(call: PageCall) -> _Storage:
        return _Storage(call, shown, storage(call))

    @reads(
        f"{id}.list",
        f"{id}-list",
        outcome=Outcome(("{key}={value:any}",), rows="items", empty="nothing is stored"),
        help=f"List what the page's origin keeps in {shown} storage.",
    )
    async def list(call: PageCall, input: UrlFields) -> StorageListData:
        return await of(call).list()

    @reads(
        f"{id}.get",
        f"{id}-get key",
        example=item,
        outcome=Outcome(("{value:returned}",), empty="nothing is stored under this key"),
        help=f"Get one item of {shown} storage.",
    )
    async def get(call: PageCall, input: StorageKeyInput) -> StorageGetData:
        return await of(call).get(input)

    @acts(
        f"{id}.set",
        f"{id}-set key value...",
        example=item | {"value": "dark"},
        outcome="{key} {created?set:replaced}",
        python=f"page.{shown}_storage.set_item(key, value)",
        help=f"Set one item of {shown} storage.",
    )
    async def set(call: PageCall, input: StorageSetInput) -> StorageSetData:
        return await of(call).set(input)

    @acts(
        f"{id}.delete",
        f"{id}-delete key",
        example=item,
        outcome=deleted,
        python=f"page.{shown}_storage.remove_item(key)",
        help=f"Delete one item of {shown} storage.",
    )
    async def delete(call: PageCall, input: StorageKeyInput) -> StorageDeletedData:
        return await of(call).delete(input)

    @acts(
        f"{id}.clear",
        f"{id}-clear",
        outcome=deleted,
        python=f"page.{shown}_storage.clear()",
        help=f"Delete all that the page's origin keeps in {shown} storage.",
    )
    async def clear(call: PageCall, input: UrlFields) -> StorageDeletedData:
        return await of(call).clear()


_declare("localstorage", "local", lambda call: call.page.local_storage, "theme")
_declare("sessionstorage", "session", lambda call: call.page.session_storage, "draft")
