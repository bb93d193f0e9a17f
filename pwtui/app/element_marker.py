"""Marks an element on a screenshot of its page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PIL import Image, ImageDraw, ImageFont

from pwtui.protocol.envelope import Response
from pwtui.protocol.models import CoordsData, read
from pwtui.protocol.snapshot import NO_PARENT, SnapshotTree
from pwtui.widgets.half_blocks import Frame

if TYPE_CHECKING:
    from pwtui.app.controller import Controller

LINE_WIDTH = 3
FONT_SIZE = 18
_COLOUR, _LETTERS = "#e6007e", "#ffffff"


class NotOnPicture(Exception):
    """The element is not on the screenshot; the text says why."""


async def find_mark(controller: Controller, ref: str, size: tuple[int, int]) -> Frame:
    """The element's box in pixels of a screenshot of this size."""
    box = await find_box(controller, ref)
    page = _data(await controller.ask("page.snapshot", textOnly=True, maxTextLength=0))
    # The screenshot has device pixels.
    scale = size[0] / max(1, page["viewportWidth"])
    mark = scaled(box, scale)
    if mark.right <= 0 or mark.bottom <= 0 or mark.left >= size[0] or mark.top >= size[1]:
        raise NotOnPicture(f"{ref} is outside the viewport")
    return mark


async def find_box(controller: Controller, ref: str) -> Frame:
    """The element's box in pixels of the viewport."""
    left, top, width, height = await _box(controller, ref)
    # A box is relative to its own document. The border of an iframe is not known, but is rarely
    # wider than the drawn line.
    for frame in _frames_around(controller.store.snapshot.tree, ref):
        frame_left, frame_top, *_ = await _box(controller, frame)
        left, top = left + frame_left, top + frame_top
    if not width or not height:
        raise NotOnPicture(f"{ref} has no size")
    return Frame(round(left), round(top), round(left + width), round(top + height), ref)


def scaled(box: Frame, scale: float) -> Frame:
    """The box on a picture of another size."""
    left, top, right, bottom = (round(each * scale) for each in box[:4])
    return Frame(left, top, right, bottom, box.text)


def draw_mark(picture: Image.Image, mark: Frame) -> Image.Image:
    """The screenshot with a rectangle around the element, and its ref."""
    marked = picture.copy()
    draw = ImageDraw.Draw(marked)
    left, top, right, bottom, ref = mark
    around = (left - LINE_WIDTH, top - LINE_WIDTH, right + LINE_WIDTH, bottom + LINE_WIDTH)
    draw.rectangle(around, outline=_COLOUR, width=LINE_WIDTH)
    font = ImageFont.load_default(FONT_SIZE)
    # Above the element, or inside if there is no room.
    x = max(0, min(left, picture.width - int(draw.textlength(ref, font)) - 8))
    y = top - FONT_SIZE - 8 if top >= FONT_SIZE + 8 else max(0, top)
    x0, y0, x1, y1 = draw.textbbox((x + 4, y + 2), ref, font)
    draw.rectangle((x0 - 4, y0 - 4, x1 + 4, y1 + 4), fill=_COLOUR)
    draw.text((x + 4, y + 2), ref, fill=_LETTERS, font=font)
    return marked


async def _box(controller: Controller, ref: str) -> tuple[float, float, int, int]:
    box = read(CoordsData, _data(await controller.ask("page.coords", ref=ref))).coords
    return box.x - box.width / 2, box.y - box.height / 2, box.width, box.height


def _data(response: Response) -> dict[str, Any]:
    if response.data is None:
        raise NotOnPicture(str(response.error) if response.error else "unknown element")
    return response.data


def _frames_around(tree: SnapshotTree | None, ref: str) -> list[str]:
    """The refs of the iframes around the element, the innermost first."""
    index = tree.find_ref(ref) if tree else None
    frames: list[str] = []
    while tree is not None and index is not None and index != NO_PARENT:
        index = tree.parents[index]
        if index != NO_PARENT and tree.nodes[index].role == "iframe":
            frames += [found] if (found := tree.nodes[index].ref) else []
    return frames
