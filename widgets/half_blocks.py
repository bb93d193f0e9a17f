"""An image as text: each cell is an upper half block, which shows two pixels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from PIL import Image, ImageDraw
from rich.color import Color, ColorType
from rich.color_triplet import ColorTriplet
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Offset, Size
from textual.strip import Strip
from textual.widget import Widget

from pwtui.widgets.text import cut, plain, width

UPPER_HALF = "▀"
Pixel = tuple[int, int, int]


class Frame(NamedTuple):
    """A rectangle around a part of the image, with a label."""

    left: int
    top: int
    right: int
    bottom: int
    text: str = ""


class HalfBlocks(Widget):
    """Shows RGB pixels as large as possible, in their proportions.

    textual-image has such a widget, too, without the frame and its label, which must be drawn after
    scaling to be visible.
    """

    COMPONENT_CLASSES = {"half-blocks--frame"}  # noqa: RUF012 - so declared by Textual

    # Not a colour of the theme: it must differ from the page.
    DEFAULT_CSS = """
    HalfBlocks { width: 1fr; height: 1fr; }
    HalfBlocks .half-blocks--frame { background: #e6007e; color: #ffffff; text-style: bold; }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._picture: Image.Image | None = None
        self._frame: Frame | None = None
        self._shown: Image.Image | None = None

    def show(self, pixels: bytes, size: tuple[int, int], frame: Frame | None = None) -> None:
        """Show an image of this size; three bytes per pixel, row by row."""
        self._picture = Image.frombytes("RGB", size, pixels)
        self._frame = frame
        self._shown = None
        self.refresh()

    def place_of(self, offset: Offset) -> tuple[float, float] | None:
        """The place in the image, from 0 to 1, of an offset in the content."""
        picture = self._fitted(*self.content_size)
        if picture is None:
            return None
        left, top = self._corner(picture)
        x, y = (offset.x - left + 0.5) / picture.width, (2 * (offset.y - top) + 1) / picture.height
        return (x, y) if 0 <= x < 1 and 0 <= y < 1 else None

    def _corner(self, picture: Image.Image) -> tuple[int, int]:
        """The first column and the first line of the image."""
        cells, lines = self.content_size
        return (cells - picture.width) // 2, (lines - (picture.height + 1) // 2) // 2

    def render_line(self, y: int) -> Strip:
        cells, lines = self.content_size
        ground = self.rich_style
        picture = self._fitted(cells, lines)
        if picture is None:
            return Strip.blank(cells, ground)
        left, top = self._corner(picture)
        row = 2 * (y - top)
        if not 0 <= row < picture.height:
            return Strip.blank(cells, ground)
        segments = [
            Segment(" " * left, ground),
            *_drawn(_row(picture, row), _row(picture, row + 1), ground),
            Segment(" " * (cells - left - picture.width), ground),
        ]
        return self._labelled(Strip(segments, cells), row, left, picture)

    def _fitted(self, cells: int, lines: int) -> Image.Image | None:
        """The image in its drawn size, with the frame."""
        if self._picture is None or cells < 1 or lines < 1:
            return None
        size = fitting(Size(*self._picture.size), Size(cells, lines * 2))
        if self._shown is None or self._shown.size != size:
            self._shown = self._picture.resize(size, Image.Resampling.LANCZOS, reducing_gap=2.0)
            if frame := self._placed(self._shown):
                # Scaling would blur such a thin line.
                colour = self.get_component_styles("half-blocks--frame").background.rgb
                ImageDraw.Draw(self._shown).rectangle(frame[:4], outline=colour)
        return self._shown

    def _placed(self, shown: Image.Image) -> Frame | None:
        """The frame in pixels of the drawn image."""
        if self._frame is None or self._picture is None:
            return None
        left, top, right, bottom, text = self._frame
        x, y = shown.width / self._picture.width, shown.height / self._picture.height
        return Frame(int(left * x), int(top * y), int(right * x), int(bottom * y), text)

    def _labelled(self, strip: Strip, row: int, left: int, picture: Image.Image) -> Strip:
        """The line with the label, if it is the line above the frame."""
        frame = self._placed(picture)
        if frame is None or not frame.text or row != max(0, frame.top // 2 - 1) * 2:
            return strip
        text = cut(f" {plain(frame.text)} ", picture.width)
        start = left + max(0, min(frame.left, picture.width - width(text)))
        word = Strip([Segment(text, self.get_component_rich_style("half-blocks--frame"))])
        before, after = strip.crop(0, start), strip.crop(start + width(text), strip.cell_length)
        return Strip.join([before, word, after])


def fitting(picture: Size, room: Size) -> tuple[int, int]:
    """The largest size of the image in the room, in its proportions."""
    factor = min(room.width / picture.width, room.height / picture.height)
    return (
        max(1, min(room.width, round(picture.width * factor))),
        max(1, min(room.height, round(picture.height * factor))),
    )


def _row(picture: Image.Image, row: int) -> list[Pixel | None]:
    """The pixels of a row; None below the last one."""
    if row >= picture.height:
        return [None] * picture.width
    data = picture.crop((0, row, picture.width, row + 1)).tobytes()
    return list(zip(data[0::3], data[1::3], data[2::3], strict=True))


def _drawn(
    upper: Sequence[Pixel | None], lower: Sequence[Pixel | None], ground: Style
) -> list[Segment]:
    segments = []
    for (above, below), same in groupby(zip(upper, lower, strict=True)):
        assert above is not None
        count = sum(1 for _ in same)
        if above == below:
            # A space has no seam if the font does not fill the cell.
            segments.append(Segment(" " * count, _style(None, below)))
        else:
            style = _style(above, below)
            segments.append(Segment(UPPER_HALF * count, style if below else ground + style))
    return segments


@lru_cache(maxsize=4096)
def _style(above: Pixel | None, below: Pixel | None) -> Style:
    return Style.from_color(_color(above), _color(below))


def _color(pixel: Pixel | None) -> Color | None:
    # Without its name, which takes most of the time of `Color.from_rgb`.
    return Color("", ColorType.TRUECOLOR, None, ColorTriplet(*pixel)) if pixel else None
