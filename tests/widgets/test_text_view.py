"""Long text, read only."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding
from textual.events import MouseScrollDown, MouseScrollRight
from textual.geometry import Offset
from textual.selection import Selection

from pwtui.protocol.bounded_regex import Expression
from pwtui.widgets.json_lines import json_lines, json_text, json_tokens
from pwtui.widgets.text_view import TextView, Tokens
from pwtui.widgets.virtual_list import mark
from tests.widgets.log_samples import count_lines_drawn, on_stage


class LineView(TextView):
    """Shows these lines."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__()
        self._lines = lines
        self._text_columns = max(map(len, lines), default=0)

    @property
    def row_count(self) -> int:
        return len(self._lines)

    def line_text(self, row: int) -> str:
        return self._lines[row]

    def tokens(self, row: int, text: str) -> Tokens:
        return json_tokens(text)


NUMBERED = [f"line {number}" for number in range(200)]


# JSON --------------------------------------------------------------------------------------------


def named(line: str) -> list[tuple[str, str]]:
    return [(text, name.removeprefix("json--")) for text, name in json_tokens(line) if name]


@pytest.mark.parametrize(
    ("line", "tokens"),
    [
        (
            '  "key": "value",',
            [('"key"', "key"), (":", "punctuation"), ('"value"', "string"), (",", "punctuation")],
        ),
        (
            '"a": -1.5e3',
            [('"a"', "key"), (":", "punctuation"), ("-1.5e3", "number")],
        ),
        ("true,", [("true", "literal"), (",", "punctuation")]),
        ("null", [("null", "literal")]),
        ("[", [("[", "punctuation")]),
        ('"a: \\"1\\" true"', [('"a: \\"1\\" true"', "string")]),
        ('"open', [('"open', "punctuation")]),
        ("   │ 12 true", [("   │ ", "punctuation"), ("12 true", "string")]),
        ("", []),
    ],
)
def test_a_line_of_json_is_split_into_tokens(line: str, tokens: list[tuple[str, str]]) -> None:
    assert named(line) == tokens


@given(st.text())
def test_tokens_keep_every_character(line: str) -> None:
    assert "".join(text for text, _ in json_tokens(line)) == line


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.text(alphabet=st.characters(exclude_categories=["Cs"])),
    lambda children: st.lists(children) | st.dictionaries(st.text(alphabet="abc"), children),
    max_leaves=10,
)


@given(values)
def test_json_text_is_json(value: Any) -> None:
    assert json.loads(json_text(value)) == value


def test_text_of_many_lines_is_shown_as_a_block() -> None:
    assert json_lines({"text": "one\n two", "n": 1}) == [
        "{",
        '  "text": "',
        "    │ one",
        "    │  two",
        '  ",',
        '  "n": 1',
        "}",
    ]


def test_a_long_string_is_cut_into_pieces() -> None:
    lines = json_lines(["x" * 2500])

    assert [len(line) for line in lines] == [1, 3, 1006, 1006, 506, 3, 1]
    assert lines[2].startswith("    │ x")
    assert lines[3].startswith("    ┆ x")


def test_a_backslash_and_an_n_are_not_a_new_line() -> None:
    assert json_lines({"path": "C:\\new"}) == ["{", '  "path": "C:\\\\new"', "}"]


def test_a_lone_surrogate_can_be_shown() -> None:
    assert json_lines("\ud800") == ['"\\ud800"']


def test_deeply_nested_values_do_no_harm() -> None:
    deep: Any = "end"
    for _ in range(100_000):
        deep = [deep]

    assert "cannot be shown" in json_lines(deep)[0]


def test_matches_are_highlighted_in_any_case_and_across_segments() -> None:
    pen, order = Style(bold=True), Expression("order", ignore_case=True)

    def marked(*pieces: str, wanted: Expression | None = order) -> list[str]:
        segments = mark([Segment(piece) for piece in pieces], wanted, pen)
        return [segment.text for segment in segments if segment.style == pen]

    assert marked("Order or", "der") == ["Order", "or", "der"]
    assert marked("İİ order") == ["order"]
    assert marked("order", wanted=None) == []


# Keys and mouse ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (["down"], 1),
        (["j", "j", "k"], 1),
        (["down", "up"], 0),
        (["pagedown"], 9),
        (["pagedown", "pageup"], 0),
        (["ctrl+d"], 4),
        (["ctrl+d", "ctrl+u"], 0),
        (["G"], 199),
        (["end", "home"], 0),
        (["end", "g"], 0),
    ],
)
async def test_keys_move_the_cursor(keys: list[str], line: int) -> None:
    async with on_stage(LineView(NUMBERED), (40, 10)) as (_, pilot):
        view = pilot.app.query_one(LineView)
        await pilot.press(*keys)

        assert view.cursor == line
        assert line in view.visible_rows()


async def test_a_click_and_the_wheel() -> None:
    async with on_stage(LineView(NUMBERED), (40, 10)) as (stage, pilot):
        await pilot.click(LineView, offset=(3, 4))
        assert stage.shown.cursor == 4

        await pilot._post_mouse_events([MouseScrollDown], LineView, button=0)
        await pilot.pause()
        assert stage.shown.scroll_offset.y > 0


async def test_it_scrolls_horizontally_by_key_and_wheel() -> None:
    async with on_stage(LineView(["x" * 50 + "y" * 50]), (40, 10)) as (stage, pilot):
        await pilot.press("right", "l")
        assert stage.shown.scroll_offset.x == 16
        await pilot.press("left", "h")
        assert stage.shown.scroll_offset.x == 0

        await pilot._post_mouse_events([MouseScrollRight], LineView, button=0)
        await pilot.pause()
        assert stage.shown.scroll_offset.x == 8


def test_every_key_has_an_id_and_a_description() -> None:
    bindings = LineView._merged_bindings
    assert bindings is not None
    for _, binding in bindings:
        assert isinstance(binding, Binding)
        assert binding.id
        assert binding.description


# Showing -----------------------------------------------------------------------------------------


async def test_hostile_text_is_shown_as_text() -> None:
    async with on_stage(LineView(["[/bold]\x1b[31m \u202e\x07"]), (40, 5)) as (stage, _):
        assert stage.screen_lines()[0] == "[/bold]␛[31m �␇"


async def test_only_the_visible_part_of_a_huge_line_is_drawn() -> None:
    line = "0123456789" * 500_000
    async with on_stage(LineView([line]), (40, 5)) as (stage, pilot):
        assert stage.screen_lines()[0].startswith("0123456789")

        stage.shown.scroll_to(x=2_000_003)
        await pilot.pause()
        assert stage.screen_lines()[0].startswith("3456789")


async def test_wide_letters_can_be_scrolled_to() -> None:
    async with on_stage(LineView(["漢" * 40 + "end"]), (40, 5)) as (stage, pilot):
        await pilot.pause()
        stage.shown.scroll_to(x=10_000)
        await pilot.pause()

        assert stage.screen_lines()[0].endswith("end")


@pytest.mark.usefixtures("every_frame")
async def test_a_quarter_of_a_million_lines_are_drawn_like_fifty(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    view = LineView([f'  "key{number}": {number},' for number in range(258_000)])
    async with on_stage(view, (120, 40)) as (_, pilot):
        drawn = count_lines_drawn(view, monkeypatch)
        for keys, most in ((["end"], 44), (["home"], 44), (["down"], 4), (["pagedown"], 44)):
            drawn.clear()
            await pilot.press(*keys)
            await pilot.pause()
            assert 0 < len(drawn) <= most


# Find --------------------------------------------------------------------------------------------


async def test_find_goes_through_the_matches_and_wraps() -> None:
    lines = ["Match" if number % 50 == 7 else "other" for number in range(200)]
    async with on_stage(LineView(lines), (40, 10)) as (_, pilot):
        view = pilot.app.query_one(LineView)
        view.search("match")
        seen = [view.cursor]
        for key in ("n", "n", "N", "N", "N"):
            await pilot.press(key)
            seen.append(view.cursor)

        assert seen == [7, 57, 107, 57, 7, 157]
        marked = view.get_visual_style("list--match").rich_style.bgcolor
        strip = view.render_line(157 - view.scroll_offset.y)
        assert any(s.style and s.style.bgcolor == marked and s.text == "Match" for s in strip)


async def test_find_scrolls_horizontally_to_the_match() -> None:
    async with on_stage(LineView(["", "x" * 200 + "needle"]), (40, 10)) as (stage, pilot):
        stage.shown.search("needle")
        await pilot.pause()

        assert "needle" in stage.screen_lines()[1]


async def test_a_missing_text_posts_a_message() -> None:
    async with on_stage(LineView(NUMBERED), (40, 10)) as (stage, pilot):
        stage.shown.search("nothing")
        await pilot.pause()

        assert [posted.text for posted in stage.heard(LineView.SearchMissed)] == ["nothing"]


# Copy --------------------------------------------------------------------------------------------


async def test_y_copies_everything() -> None:
    async with on_stage(LineView(["a\x1b", "b"]), (40, 10)) as (stage, pilot):
        await pilot.press("y")

        (posted,) = stage.heard(LineView.CopyRequested)
        assert posted.text == "a\x1b\nb"


async def test_y_copies_the_selection() -> None:
    async with on_stage(LineView(NUMBERED), (40, 10)) as (stage, pilot):
        chosen = Selection(Offset(5, 1), Offset(4, 3))
        stage.screen.selections = {stage.shown: chosen}
        await pilot.pause()
        await pilot.press("y")

        (posted,) = stage.heard(LineView.CopyRequested)
        assert posted.text == "1\nline 2\nline"
        assert stage.screen.get_selected_text() == "1\nline 2\nline"


async def test_the_mouse_selects_text() -> None:
    async with on_stage(LineView(NUMBERED), (40, 10)) as (stage, pilot):
        await pilot.mouse_down(LineView, offset=(0, 1))
        await pilot.hover(LineView, offset=(4, 2))
        await pilot.mouse_up(LineView, offset=(4, 2))
        await pilot.pause()

        text = stage.screen.get_selected_text()
        assert text is not None
        assert text.startswith("line 1\nline")


async def test_a_line_that_continues_ends_with_an_ellipsis() -> None:
    async with on_stage(LineView(["x" * 100, "short"]), size=(40, 4)) as (stage, pilot):
        assert stage.screen_lines()[0].rstrip().endswith("x…")
        assert stage.screen_lines()[1].rstrip().endswith("short")

        await pilot.press(*["right"] * 10)
        await pilot.pause()
        assert stage.screen_lines()[0].rstrip().endswith("xx")
