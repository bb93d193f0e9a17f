"""A picture in letters: each cell is the upper half of a block, so it shows two pixels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from PIL import Image
from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from widgets.text import cut, plain, width

UPPER_HALF = "▀"
Pixel = tuple[int, int, int]


class Label(NamedTuple):
    """A word on the picture; x and y are the pixel of its first letter."""

    x: int
    y: int
    text: str


class HalfBlocks(Widget):
    """Shows RGB pixels as large as fits, in their proportions. A pixel of it is half a cell high."""

    COMPONENT_CLASSES = {"half-blocks--label"}  # noqa: RUF012 - so declared by Textual

    DEFAULT_CSS = """
    HalfBlocks { width: 1fr; height: 1fr; }
    HalfBlocks .half-blocks--label { background: $warning; color: $background; text-style: bold; }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._picture: Image.Image | None = None
        self._labels: Sequence[Label] = ()
        self._scaled: Image.Image | None = None

    def show(self, pixels: bytes, size: tuple[int, int], labels: Sequence[Label] = ()) -> None:
        """Show a picture of so many pixels, three bytes for each, row by row."""
        self._picture = Image.frombytes("RGB", size, pixels)
        self._labels = labels
        self._scaled = None
        self.refresh()

    def clear(self) -> None:
        self._picture = self._scaled = None
        self.refresh()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        cells, lines = self.content_size
        ground = self.rich_style
        picture = self._fitted(cells, lines)
        if picture is None:
            return Strip.blank(cells, ground)
        left, top = (cells - picture.width) // 2, (lines - (picture.height + 1) // 2) // 2
        row = 2 * (y - top)
        if not 0 <= row < picture.height:
            return Strip.blank(cells, ground)
        segments = [
            Segment(" " * left, ground),
            *_drawn(_row(picture, row), _row(picture, row + 1), ground),
            Segment(" " * (cells - left - picture.width), ground),
        ]
        strip = Strip(segments, cells).simplify()
        for label in self._labels:
            strip = self._labelled(strip, label, picture, left, row)
        return strip

    def _fitted(self, cells: int, lines: int) -> Image.Image | None:
        """The picture in the size in which it is shown."""
        if self._picture is None or cells < 1 or lines < 1:
            return None
        size = fitting(Size(*self._picture.size), Size(cells, lines * 2))
        if self._scaled is None or self._scaled.size != size:
            self._scaled = self._picture.resize(
                size, Image.Resampling.LANCZOS, reducing_gap=2.0
            ).convert("RGB")
        return self._scaled

    def _labelled(
        self, strip: Strip, label: Label, picture: Image.Image, left: int, row: int
    ) -> Strip:
        assert self._picture is not None
        x = label.x * picture.width // self._picture.width
        y = label.y * picture.height // self._picture.height
        y = min(max(y, 0), picture.height - 1)
        if not row <= y < row + 2:
            return strip
        text = cut(f" {plain(label.text)} ", picture.width)
        start = left + max(0, min(x, picture.width - width(text)))
        style = self.get_component_rich_style("half-blocks--label")
        return Strip.join(
            [
                strip.crop(0, start),
                Strip([Segment(text, style)]),
                strip.crop(start + width(text), strip.cell_length),
            ]
        )


def fitting(picture: Size, room: Size) -> tuple[int, int]:
    """The size of the picture in the room: as large as possible, in the same proportions."""
    factor = min(room.width / picture.width, room.height / picture.height)
    return (
        max(1, min(room.width, round(picture.width * factor))),
        max(1, min(room.height, round(picture.height * factor))),
    )


def _row(picture: Image.Image, row: int) -> list[Pixel | None]:
    """A row's pixels; none below the last one."""
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
            # A space has no seam where a terminal's font does not fill the cell.
            segments.append(Segment(" " * count, _style(None, below)))
        else:
            style = _style(above, below)
            segments.append(Segment(UPPER_HALF * count, style if below else ground + style))
    return segments


@lru_cache(maxsize=16384)
def _style(above: Pixel | None, below: Pixel | None) -> Style:
    return Style(
        color=Color.from_rgb(*above) if above else None,
        bgcolor=Color.from_rgb(*below) if below else None,
    )
