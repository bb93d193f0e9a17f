"""A picture in letters: its pixels, its proportions, and the frame on it."""

from __future__ import annotations

import pytest
from rich.color import Color
from textual.app import App, ComposeResult
from textual.geometry import Size
from textual.widget import Widget

from pwtui.widgets.half_blocks import UPPER_HALF, Frame, HalfBlocks, Pixel, fitting
from tests.widgets.support import HOSTILE, controls, shadowing, shown

RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)
FRAME_COLOUR = (230, 0, 126)


class Wall(App[None]):
    def compose(self) -> ComposeResult:
        yield HalfBlocks()

    @property
    def blocks(self) -> HalfBlocks:
        return self.query_one(HalfBlocks)


def picture(*rows: list[Pixel]) -> tuple[bytes, tuple[int, int]]:
    return bytes(part for row in rows for pixel in row for part in pixel), (len(rows[0]), len(rows))


def plain_picture(width: int, height: int, colour: Pixel = WHITE) -> tuple[bytes, tuple[int, int]]:
    return bytes(colour) * (width * height), (width, height)


def rgb(colour: Color | None) -> Pixel | None:
    triplet = colour.triplet if colour else None
    return (triplet.red, triplet.green, triplet.blue) if triplet else None


def pixels(blocks: HalfBlocks, line: int) -> list[tuple[Pixel | None, Pixel | None]]:
    """The upper and the lower pixel of each cell of a line; None where no picture is."""
    found: list[tuple[Pixel | None, Pixel | None]] = []
    own = rgb(blocks.rich_style.bgcolor)
    for text, style, _ in blocks.render_line(line):
        assert style is not None
        lower = rgb(style.bgcolor)
        upper = rgb(style.color) if text[:1] == UPPER_HALF else lower
        found += [(upper if upper != own else None, lower if lower != own else None)] * len(text)
    return found


async def test_a_cell_shows_two_pixels_one_above_the_other() -> None:
    app = Wall()
    async with app.run_test(size=(2, 2)) as pilot:
        app.blocks.show(*picture([RED, GREEN], [BLUE, WHITE], [RED, RED], [RED, RED]))
        await pilot.pause()

        assert pixels(app.blocks, 0) == [(RED, BLUE), (GREEN, WHITE)]
        assert pixels(app.blocks, 1) == [(RED, RED), (RED, RED)]
        assert shown(app.blocks).splitlines()[0] == UPPER_HALF * 2


async def test_an_odd_last_row_fills_half_a_cell() -> None:
    app = Wall()
    async with app.run_test(size=(1, 2)) as pilot:
        app.blocks.show(*picture([RED], [GREEN], [BLUE]))
        await pilot.pause()

        assert pixels(app.blocks, 0) == [(RED, GREEN)]
        assert pixels(app.blocks, 1) == [(BLUE, None)]


@pytest.mark.parametrize(
    ("size", "columns", "lines"),
    [((8, 8), range(8), (3, 4)), ((20, 2), range(6, 14), (0, 1)), ((4, 9), range(4), (4,))],
)
async def test_a_picture_keeps_its_proportions_in_the_middle(
    size: tuple[int, int], columns: range, lines: tuple[int, ...]
) -> None:
    app = Wall()
    async with app.run_test(size=size) as pilot:
        app.blocks.show(*plain_picture(200, 100))
        await pilot.pause()
        filled = [
            (x, y)
            for y in range(size[1])
            for x, halves in enumerate(pixels(app.blocks, y))
            if any(halves)
        ]

    assert {y for _, y in filled} == set(lines)
    assert {x for x, _ in filled} == set(columns)


async def test_a_picture_fits_again_after_the_window_changed() -> None:
    app = Wall()
    async with app.run_test(size=(10, 5)) as pilot:
        app.blocks.show(*plain_picture(100, 100))
        await pilot.pause()
        assert pixels(app.blocks, 0) == [(WHITE, WHITE)] * 10

        await pilot.resize_terminal(24, 10)
        await pilot.pause()
        assert (
            pixels(app.blocks, 0) == [(None, None)] * 2 + [(WHITE, WHITE)] * 20 + [(None, None)] * 2
        )


async def test_a_frame_is_a_thin_line_however_small_the_picture_is_shown() -> None:
    app = Wall()
    async with app.run_test(size=(20, 10)) as pilot:
        app.blocks.show(*plain_picture(2000, 2000), Frame(500, 1000, 999, 1499, "e12"))
        await pilot.pause()
        upper = [above for above, _ in pixels(app.blocks, 5)]
        inside = pixels(app.blocks, 6)
        word = app.blocks.render_line(4).text

    assert upper == [WHITE] * 5 + [FRAME_COLOUR] * 5 + [WHITE] * 10
    assert inside[5][0] == inside[9][0] == FRAME_COLOUR
    assert inside[6] == inside[8] == (WHITE, WHITE)
    assert word == "      e12           "


@pytest.mark.parametrize("text", HOSTILE)
async def test_a_hostile_label_cannot_break_the_picture(text: str) -> None:
    app = Wall()
    async with app.run_test(size=(30, 10)) as pilot:
        app.blocks.show(*plain_picture(300, 200), Frame(290, 0, 400, 50, text))
        await pilot.pause()

        assert controls(app) == set()
        assert all(app.blocks.render_line(y).cell_length == 30 for y in range(10))


@pytest.mark.parametrize(
    "frame", [Frame(-50, -50, 10, 10, "e1"), Frame(90, 90, 500, 500, "e1"), Frame(5, 5, 5, 5, "e1")]
)
async def test_a_frame_may_reach_over_the_edge(frame: Frame) -> None:
    app = Wall()
    async with app.run_test(size=(20, 10)) as pilot:
        app.blocks.show(*plain_picture(100, 100), frame)
        await pilot.pause()

        assert "e1" in shown(app.blocks)
        assert all(app.blocks.render_line(y).cell_length == 20 for y in range(10))


async def test_without_a_picture_nothing_is_drawn() -> None:
    app = Wall()
    async with app.run_test(size=(6, 3)):
        assert shown(app.blocks).strip() == ""


@pytest.mark.parametrize(
    ("given", "room", "fits"),
    [
        (Size(1280, 720), Size(80, 40), (71, 40)),
        (Size(1280, 720), Size(80, 200), (80, 45)),
        (Size(1, 10_000), Size(80, 40), (1, 40)),
        (Size(10_000, 1), Size(80, 40), (80, 1)),
        (Size(3, 2), Size(300, 200), (300, 200)),
    ],
)
def test_the_largest_size_in_the_same_proportions(
    given: Size, room: Size, fits: tuple[int, int]
) -> None:
    assert fitting(given, room) == fits


def test_no_field_shadows_one_of_textual() -> None:
    assert shadowing(HalfBlocks(), Widget) == []
