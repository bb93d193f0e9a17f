"""What a page keeps in the browser: its local storage and its session storage."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING, Annotated, TypeVar

from playwright.async_api import Error
from pydantic import Field

from pwtui.operations.framework.call import PageCall
from pwtui.operations.framework.declare import operation
from pwtui.operations.framework.fields import Data, MayBeSecret, UrlFields
from pwtui.protocol.catalog import Effect
from pwtui.protocol.errors import InvalidInput
from pwtui.protocol.model import Maybe

if TYPE_CHECKING:
    from playwright.async_api._generated import WebStorage

T = TypeVar("T")


class StorageInput(UrlFields):
    pass


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
                f"{url} lets nobody use its {self._name} storage, or it is full; pages without an "
                "origin, such as about:blank and data: URLs, have none",
                details={"url": url},
            ) from error


def _local(call: PageCall) -> _Storage:
    return _Storage(call, "local", call.page.local_storage)


def _session(call: PageCall) -> _Storage:
    return _Storage(call, "session", call.page.session_storage)


@operation("localstorage.list", Effect.READS)
async def localstorage_list(call: PageCall, input: StorageInput) -> StorageListData:
    """List what the page's origin keeps in local storage."""
    return await _local(call).list()


@operation("localstorage.get", Effect.READS, example={"key": "theme"})
async def localstorage_get(call: PageCall, input: StorageKeyInput) -> StorageGetData:
    """Give one item of local storage."""
    return await _local(call).get(input)


@operation("localstorage.set", Effect.ACTS, example={"key": "theme", "value": "dark"})
async def localstorage_set(call: PageCall, input: StorageSetInput) -> StorageSetData:
    """Set one item of local storage."""
    return await _local(call).set(input)


@operation("localstorage.delete", Effect.ACTS, example={"key": "theme"})
async def localstorage_delete(call: PageCall, input: StorageKeyInput) -> StorageDeletedData:
    """Delete one item of local storage."""
    return await _local(call).delete(input)


@operation("localstorage.clear", Effect.ACTS)
async def localstorage_clear(call: PageCall, input: StorageInput) -> StorageDeletedData:
    """Delete all that the page's origin keeps in local storage."""
    return await _local(call).clear()


@operation("sessionstorage.list", Effect.READS)
async def sessionstorage_list(call: PageCall, input: StorageInput) -> StorageListData:
    """List what the page's origin keeps in this tab's session storage."""
    return await _session(call).list()


@operation("sessionstorage.get", Effect.READS, example={"key": "draft"})
async def sessionstorage_get(call: PageCall, input: StorageKeyInput) -> StorageGetData:
    """Give one item of session storage."""
    return await _session(call).get(input)


@operation("sessionstorage.set", Effect.ACTS, example={"key": "draft", "value": "Dear Ada"})
async def sessionstorage_set(call: PageCall, input: StorageSetInput) -> StorageSetData:
    """Set one item of session storage."""
    return await _session(call).set(input)


@operation("sessionstorage.delete", Effect.ACTS, example={"key": "draft"})
async def sessionstorage_delete(call: PageCall, input: StorageKeyInput) -> StorageDeletedData:
    """Delete one item of session storage."""
    return await _session(call).delete(input)


@operation("sessionstorage.clear", Effect.ACTS)
async def sessionstorage_clear(call: PageCall, input: StorageInput) -> StorageDeletedData:
    """Delete all that the page's origin keeps in session storage."""
    return await _session(call).clear()
