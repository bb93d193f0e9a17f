"""What is on a page: elements, text, the accessibility tree, positions."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from playwright.async_api import Page
from playwright.async_api import TimeoutError as PlaywrightTimeout
from pydantic import Field, NonNegativeInt

from pwtui.browser.page.aria_snapshot import DEEPEST, take_snapshot
from pwtui.browser.page.scripts import evaluate_settled, script
from pwtui.operations.framework.declare import Group, reads
from pwtui.operations.framework.fields import Data, Milliseconds
from pwtui.operations.framework.page_call import PageCall
from pwtui.operations.framework.target_fields import ElementInput, UrlFields
from pwtui.protocol.model import Maybe
from pwtui.protocol.models import AriaData, Coords, CoordsData
from pwtui.protocol.snapshot import count_nodes

GROUP = Group.READING

DEFAULT_TEXT_LENGTH = 5000
_INTERACTIVE = (
    "button, a[href], input, textarea, select, [role=button], [role=checkbox], [role=radio]"
)


class ElementData(Data):
    """An interactive element; x and y are the position of its top left corner."""

    tag: str = Field(description="button, link, input, textarea, select, checkbox or radio.")
    selector: str
    text: Maybe[str] = Field(None, description="Its label.")
    name: Maybe[str] = Field(None, description="The type of an input, or checked or unchecked.")
    href: Maybe[str] = None
    id: Maybe[str] = None
    x: int
    y: int
    width: int
    height: int


class SnapshotData(Data):
    url: str
    title: str
    viewport_width: int
    viewport_height: int
    text: Maybe[str] = None
    elements: Maybe[list[ElementData]] = None
    element_count: Maybe[int] = None


async def look_at(
    page: Page,
    *,
    with_content: bool = True,
    text_only: bool = False,
    full: bool = False,
    limit: int = DEFAULT_TEXT_LENGTH,
) -> SnapshotData:
    title, size = await evaluate_settled(
        page, "() => [document.title, [window.innerWidth, window.innerHeight]]"
    )
    data = SnapshotData(url=page.url, title=title, viewport_width=size[0], viewport_height=size[1])
    if with_content:
        data.text = await evaluate_settled(
            page, script("visible_text"), {"full": full, "limit": limit}
        )
        data.elements = [] if text_only else await collect_elements(page)
        data.element_count = len(data.elements)
    return data


async def collect_elements(page: Page) -> list[ElementData]:
    found: list[dict[str, Any]] = await evaluate_settled(page, script("elements"))
    return [ElementData.model_validate(element) for element in found]


class ElementsInput(UrlFields):
    wait: bool = Field(False, description="Wait for the first element when there is none.")
    timeout_ms: Milliseconds = Field(10_000, description="How long to wait.")


class ElementsData(Data):
    elements: list[ElementData]
    count: int


@reads("page.elements", example={"wait": True})
async def page_elements(call: PageCall, input: ElementsInput) -> ElementsData:
    """List the visible interactive elements, each with a unique selector."""
    elements = await collect_elements(call.page)
    if not elements and input.wait:
        call.deadline.extend(input.timeout_ms)
        with suppress(PlaywrightTimeout):
            visible = call.page.locator(_INTERACTIVE).filter(visible=True)
            await visible.first.wait_for(timeout=max(1, input.timeout_ms))
        elements = await collect_elements(call.page)
    return ElementsData(elements=elements, count=len(elements))


class SnapshotInput(UrlFields):
    text_only: bool = Field(False, description="Do not return the elements.")
    full: bool = Field(False, description="Include the text of elements without a size.")
    max_text_length: NonNegativeInt = Field(
        DEFAULT_TEXT_LENGTH, description="Maximum number of characters of text."
    )


@reads("page.snapshot", example={"textOnly": True})
async def page_snapshot(call: PageCall, input: SnapshotInput) -> SnapshotData:
    """Get the page's URL, title, visible text and interactive elements."""
    return await look_at(
        call.page, text_only=input.text_only, full=input.full, limit=input.max_text_length
    )


class AriaInput(UrlFields):
    boxes: bool = Field(
        False, description="Include the bounding box of each element, in viewport pixels."
    )
    depth: NonNegativeInt | None = Field(None, description="Maximum depth of the tree.")
    tree: bool = Field(True, description="Also return the parsed tree.")


@reads(
    "page.aria", "snapshot|s|snap --depth --boxes", example={"boxes": True}, outcome="{snapshot}"
)
async def page_aria(call: PageCall, input: AriaInput) -> AriaData:
    """Get the accessibility snapshot; its refs are valid until the next one.

    The snapshot covers the whole page, frames included: a partial one would invalidate all other
    refs. The content of password fields is masked.
    """
    taken = await take_snapshot(
        call.page, timeout_ms=call.deadline.ms, boxes=input.boxes, depth=input.depth
    )
    if input.depth is None and taken.is_cut:
        call.note(
            "warning", f"the page is nested deeper than {DEEPEST} levels; the rest is omitted"
        )
    nodes, refs = count_nodes(taken.text)
    return AriaData(
        url=call.tab.url,
        title=taken.title,
        snapshot=taken.text,
        tree=taken.tree.to_json() if input.tree else None,
        node_count=nodes,
        ref_count=refs,
    )


class IndexedCoords(Coords):
    index: int


class AllCoordsData(Data):
    coords: list[IndexedCoords]
    selector: str
    count: int


@reads("page.coords", example={"selector": "h1"})
async def page_coords(call: PageCall, input: ElementInput) -> CoordsData:
    """Get the centre and size of an element, in viewport pixels."""
    timeout = call.deadline.ms
    coords = await call.element.do(
        lambda it: it.evaluate(script("coords"), 100, timeout=timeout), "measure"
    )
    return CoordsData(coords=Coords.model_validate(coords), selector=call.element.selector)


@reads("page.coords-all", example={"selector": "li"})
async def page_coords_all(call: PageCall, input: ElementInput) -> AllCoordsData:
    """Get the centre and size of every matching element."""
    measure = f"elements => elements.map(element => ({script('coords')})(element, 80))"
    found: list[dict[str, Any]] = await call.element.do(
        lambda it: it.evaluate_all(measure), "measure"
    )
    coords = [IndexedCoords.model_validate(item | {"index": i}) for i, item in enumerate(found)]
    return AllCoordsData(coords=coords, selector=call.element.selector, count=len(coords))
