"""Local storage and session storage of a page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, TypeVar

from pydantic import Field

from pwtui.operations.framework.browser_errors import rejected_as
from pwtui.operations.framework.declare import Group, Outcome, acts, reads
from pwtui.operations.framework.fields import Data, MayBeSecret
from pwtui.operations.framework.page_call import PageCall
from pwtui.operations.framework.target_fields import UrlFields
from pwtui.protocol.errors import InvalidInput
from pwtui.protocol.model import Maybe

if TYPE_CHECKING:
    from playwright.async_api._generated import WebStorage

GROUP = Group.STORAGE
T = TypeVar("T")


class StorageKeyInput(UrlFields):
    key: str = Field(description="Name of the item.")


class StorageSetInput(StorageKeyInput):
    value: Annotated[str, MayBeSecret()] = Field(description="Value of the item.")


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
    created: bool = Field(description="Whether the item is new.")


class StorageDeletedData(Data):
    deleted: int = Field(description="Number of deleted items.")


async def _ask(call: PageCall, answer: Awaitable[T]) -> T:
    kind, url = call.op.partition("storage")[0], call.tab.url
    unavailable = InvalidInput(
        f"{kind} storage is unavailable on {url}: no origin, or quota exceeded",
        details={"url": url},
    )
    with rejected_as(call, lambda _: unavailable):
        return await answer


def _declare(id: str, shown: str, storage: Callable[[PageCall], WebStorage], example: str) -> None:
    """The five operations on one of the page's two storages."""
    item = {"key": example}
    python = f"page.{shown}_storage"
    deleted = "deleted {deleted}"

    @reads(
        f"{id}.list",
        f"{id}-list",
        outcome=Outcome(("{key}={value:any}",), rows="items", empty="no items"),
        help=f"List the items in the {shown} storage of the page's origin.",
    )
    async def list(call: PageCall, input: UrlFields) -> StorageListData:
        items = await _ask(call, storage(call).items())
        return StorageListData(
            origin=await call.page.evaluate("location.origin"),
            items=[StorageItem(key=item["name"], value=item["value"]) for item in items],
            count=len(items),
        )

    @reads(
        f"{id}.get",
        f"{id}-get key",
        example=item,
        outcome=Outcome(("{value:returned}",), empty="no such item"),
        help=f"Get an item from {shown} storage.",
    )
    async def get(call: PageCall, input: StorageKeyInput) -> StorageGetData:
        value = await _ask(call, storage(call).get_item(input.key))
        return StorageGetData(key=input.key, found=value is not None, value=value)

    @acts(
        f"{id}.set",
        f"{id}-set key value...",
        example=item | {"value": "dark"},
        outcome="{key} {created?set:replaced}",
        python=f"{python}.set_item(key, value)",
        help=f"Set an item in {shown} storage.",
    )
    async def set(call: PageCall, input: StorageSetInput) -> StorageSetData:
        call.hidden_inputs.add("value")
        before = await _ask(call, storage(call).get_item(input.key))
        await _ask(call, storage(call).set_item(input.key, input.value))
        return StorageSetData(key=input.key, created=before is None)

    @acts(
        f"{id}.delete",
        f"{id}-delete key",
        example=item,
        outcome=deleted,
        python=f"{python}.remove_item(key)",
        help=f"Delete an item from {shown} storage.",
    )
    async def delete(call: PageCall, input: StorageKeyInput) -> StorageDeletedData:
        before = await _ask(call, storage(call).get_item(input.key))
        await _ask(call, storage(call).remove_item(input.key))
        return StorageDeletedData(deleted=int(before is not None))

    @acts(
        f"{id}.clear",
        f"{id}-clear",
        outcome=deleted,
        python=f"{python}.clear()",
        help=f"Delete all items in the {shown} storage of the page's origin.",
    )
    async def clear(call: PageCall, input: UrlFields) -> StorageDeletedData:
        count = len(await _ask(call, storage(call).items()))
        await _ask(call, storage(call).clear())
        return StorageDeletedData(deleted=count)


_declare("localstorage", "local", lambda call: call.page.local_storage, "theme")
_declare("sessionstorage", "session", lambda call: call.page.session_storage, "draft")
