"""The log as it is seen, by key and by mouse."""

from __future__ import annotations

import inspect
import json
import random
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual.binding import Binding
from textual.events import MouseScrollUp
from textual.pilot import Pilot
from textual.scroll_view import ScrollView
from textual.widget import Widget

from pwtui.widgets.envelope_detail import EnvelopeDetail
from pwtui.widgets.envelope_log import EnvelopeLog
from pwtui.widgets.log_entry import LogEntry
from pwtui.widgets.log_line import columns_for, line_cells
from pwtui.widgets.log_order import SortedRows
from pwtui.widgets.log_store import LogStore
from pwtui.widgets.text_view import TextView
from tests.widgets.log_samples import (
    NOON,
    Stage,
    count_lines_drawn,
    done,
    entry,
    failed,
    on_stage,
    success,
    until,
)

Shown = tuple[Stage[EnvelopeLog], Pilot[None], EnvelopeLog]


@asynccontextmanager
async def log_of(
    *entries: LogEntry, size: tuple[int, int] = (80, 12), **options: Any
) -> AsyncIterator[Shown]:
    store = LogStore(**options)
    log = EnvelopeLog(store, clock=lambda: NOON + 100)
    store.add(entries)
    async with on_stage(log, size) as (stage, pilot):
        yield stage, pilot, log


def many(count: int, start: int = 0) -> list[LogEntry]:
    return [done(seq, "click", selector=f"#r{seq}") for seq in range(start, start + count)]


async def shown_now(log: EnvelopeLog, pilot: Pilot[None]) -> None:
    log.flush()
    await pilot.pause()


def finish(log: EnvelopeLog, answered: LogEntry) -> None:
    log.store.finish(answered.seq, answered.request, answered.response or {})


def cursor_seq(log: EnvelopeLog) -> int:
    assert log.cursor_entry is not None
    return log.cursor_entry.seq


def top_seq(log: EnvelopeLog) -> int:
    return log.store.shown()[log.scroll_offset.y].seq


# Lines -------------------------------------------------------------------------------------------


async def test_each_line_shows_client_operation_target_and_outcome() -> None:
    data = {"status": 200, "title": "Orders"}
    entries = [
        entry(1, "navigate", url="https://acme.test", response=success("navigate", data=data)),
        failed(2, "click", code="SELECTOR_NOT_FOUND", ref="e27", client="agent", profile="b"),
    ]
    async with log_of(*entries, size=(120, 12)) as (stage, _, _log):
        well, badly = stage.screen_lines()[:2]

    for part in ("✓", "pw exec", "acme-qa", "navigate", "acme.test", "→ 200 Orders", "61 ms"):
        assert part in well
    for part in ("✗", "click", "e27", "SELECTOR_NOT_FOUND", "12 ms"):
        assert part in badly


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120, 200])
async def test_a_line_fits_any_width(width: int) -> None:
    async with log_of(*many(3), failed(9), entry(10), size=(width, 8)) as (stage, _, log):
        assert len(log.render_line(0).text) <= width
        assert stage.screen_lines()[0].startswith(" ✓")


def test_the_columns_never_exceed_the_width() -> None:
    for width in range(40, 300):
        columns = columns_for(width)
        assert min(columns) >= 0
        assert sum(columns) <= width


@pytest.mark.parametrize("width", [66, 80, 120])
def test_the_durations_end_in_the_same_column(width: int) -> None:
    cart = success(data={"navigated": True, "afterUrl": "https://acme.test/cart"})
    lines = [
        "".join(text for text, _ in line_cells(each, None, columns_for(width), NOON))
        for each in (done(1, selector="x" * 90), entry(2, response=cart, selector="a"))
    ]

    assert lines[0].index(" 61 ms") == lines[1].index(" 61 ms")


async def test_error_codes_are_whole_at_eighty_columns() -> None:
    async with log_of(failed(1, code="SELECTOR_NOT_FOUND")) as (stage, _, _log):
        assert "SELECTOR_NOT_FOUND " in stage.screen_lines()[0]


async def test_hostile_text_is_shown_as_text() -> None:
    hostile = "[/bold][red]\x1b[31m\x9b\u202e\nname\ud800"
    nasty = entry(
        1, "page.eval[/]", client="\x1b]0;x\x07", profile="[@click=app.quit]", selector=hostile
    )
    async with log_of(nasty, done(2), size=(200, 5)) as (stage, _, log):
        line = stage.screen_lines()[0]
        log.search("[/bold]")

    assert "[/bold][red]␛[31m��↵name�" in line
    assert "[@click=app.qui…" in line
    assert not set(line) & {"\x1b", "\x07", "\x9b", "\u202e", "\n"}


async def test_wide_letters_keep_the_columns_in_line() -> None:
    async with log_of(done(1, selector="漢字" * 40), done(2, selector="a")) as (_, _, log):
        assert log.render_line(0).cell_length == log.render_line(1).cell_length == 79


async def test_an_empty_log_shows_a_message() -> None:
    async with log_of() as (stage, pilot, log):
        assert "No requests yet" in stage.screen_lines()[0]
        log.store.add([done(1)])
        log.filter("nothing")
        await pilot.pause()
        assert "No requests match the filter" in stage.screen_lines()[0]


async def test_signs_show_marked_recorded_and_selected_without_colour() -> None:
    first = done(1)
    first.recorded = True
    async with log_of(first, done(2)) as (stage, pilot, _):
        await pilot.press("up", "m")
        marked = stage.screen_lines()[0]
        await pilot.press("space", "down")
        both, at_cursor = stage.screen_lines()[:2]
        await pilot.press("up", "m", "down")
        selected = stage.screen_lines()[0]

    assert marked.startswith("▌✓◆ ")
    assert both.startswith(" ✓◈ ")
    assert at_cursor.startswith("▌✓  ")
    assert selected.startswith(" ✓■ ")
    assert "●" in selected


# Pending and finished ----------------------------------------------------------------------------


async def test_a_running_request_shows_its_elapsed_time() -> None:
    now = [NOON + 3.2]
    log = EnvelopeLog(LogStore(), clock=lambda: now[0])
    async with on_stage(log) as (stage, pilot):
        log.store.add([entry(0)])
        await shown_now(log, pilot)
        line = stage.screen_lines()[0]
        assert "◐" in line
        assert "running" in line
        assert "3.2 s" in line

        now[0] += 1
        await until(lambda: "4.2 s" in stage.screen_lines()[0], pilot)

        finish(log, failed(0, code="TIMEOUT"))
        await shown_now(log, pilot)
        assert "✗" in stage.screen_lines()[0]
        assert "TIMEOUT" in stage.screen_lines()[0]


@pytest.mark.usefixtures("every_frame")
async def test_the_clock_redraws_visible_running_lines_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with log_of(entry(0), *many(50, 1), entry(99), size=(80, 12)) as (_, pilot, log):
        await pilot.pause(0.3)
        drawn = count_lines_drawn(log, monkeypatch)

        await until(lambda: len(drawn) > 1, pilot)

        assert set(drawn) == {11}


async def test_a_response_may_replace_the_request_by_a_masked_one() -> None:
    async with log_of(entry(1, selector="#password", value="secret")) as (_, _, log):
        finish(log, done(1, selector="#pw", value="***"))

        assert log.store.entries[0].request["input"]["value"] == "***"


async def test_a_response_without_a_request_is_ignored() -> None:
    async with log_of(done(1)) as (_, pilot, log):
        finish(log, done(77))
        await shown_now(log, pilot)

        assert len(log.store.entries) == 1


# Keys --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "seq"),
    [
        (["up"], 48),
        (["k", "k"], 47),
        (["up", "up", "down"], 48),
        (["k", "k", "j"], 48),
        (["g"], 0),
        (["home"], 0),
        (["g", "G"], 49),
        (["home", "end"], 49),
        (["pageup"], 38),
        (["g", "pagedown"], 11),
        (["ctrl+u"], 43),
        (["g", "ctrl+d"], 6),
        (["g", "up"], 0),
        (["down"], 49),
    ],
)
async def test_keys_move_the_cursor_and_keep_it_visible(keys: list[str], seq: int) -> None:
    async with log_of(*many(50)) as (stage, pilot, log):
        await pilot.press(*keys)
        await pilot.pause()

        assert cursor_seq(log) == seq
        assert log.cursor in log.visible_rows()
        assert stage.heard(EnvelopeLog.EntryHighlighted)[-1].entry.seq == seq


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("enter", EnvelopeLog.EntryOpened),
        ("r", EnvelopeLog.RunAgainRequested),
        ("e", EnvelopeLog.EditRequested),
    ],
)
async def test_keys_post_messages_about_the_entry(
    key: str, message: type[EnvelopeLog.EntryMessage]
) -> None:
    async with log_of(*many(3)) as (stage, pilot, log):
        await pilot.press("up", key)

        (posted,) = stage.heard(message)
        assert posted.entry.seq == 1
        assert posted.control is log


async def test_y_copies_the_request() -> None:
    async with log_of(*many(3)) as (stage, pilot, log):
        await pilot.press("up", "y")

        (posted,) = stage.heard(EnvelopeLog.CopyRequested)
        assert json.loads(posted.text) == log.store.entries[1].request


async def test_keys_do_nothing_in_an_empty_log() -> None:
    async with log_of() as (stage, pilot, log):
        await pilot.press("enter", "r", "e", "y", "m", "space", "n", "up", "G", "f", "!")

        assert log.cursor_entry is None
        assert not stage.heard(EnvelopeLog.EntryMessage)


async def test_space_selects_and_unselects() -> None:
    async with log_of(*many(5)) as (stage, pilot, log):
        await pilot.press("space", "up", "up", "space")
        assert [each.seq for each in log.store.selection()] == [2, 4]
        assert "2 selected" in log.summary()

        await pilot.press("space")
        assert [posted.seqs for posted in stage.heard(EnvelopeLog.SelectionChanged)] == [
            (4,),
            (2, 4),
            (4,),
        ]


async def test_m_marks_and_the_filter_for_marks_follows() -> None:
    async with log_of(*many(5)) as (_, pilot, log):
        await pilot.press("up", "m", "up", "m")
        log.filter("is:marked")
        assert [each.seq for each in log.store.shown()] == [2, 3]

        await pilot.press("g", "m")
        assert [each.seq for each in log.store.shown()] == [3]


async def test_the_exclamation_mark_shows_errors_only_within_the_filter() -> None:
    entries = [done(1, profile="a"), failed(2, profile="a"), failed(3, profile="b")]
    async with log_of(*entries) as (stage, pilot, log):
        log.filter("profile:a")
        await pilot.press("!")
        assert [each.seq for each in log.store.shown()] == [2]
        assert "errors only" in log.summary()

        await pilot.press("!")
        await pilot.pause()
        assert [each.seq for each in log.store.shown()] == [1, 2]
        posted = stage.heard(EnvelopeLog.FilterChanged)[-1]
        assert (posted.shown, posted.total) == (2, 3)


def test_every_key_has_an_id_and_a_description() -> None:
    bindings = EnvelopeLog._merged_bindings
    assert bindings is not None
    for _, binding in bindings:
        assert isinstance(binding, Binding)
        assert (binding.id or "").startswith(("log.", "list."))
        assert binding.description


@pytest.mark.parametrize("widget", [EnvelopeLog, TextView, EnvelopeDetail])
def test_no_field_shadows_one_of_textual(widget: type[Widget]) -> None:
    ours = {
        name
        for kind in widget.__mro__
        if kind.__module__.startswith("pwtui.widgets.")
        for name in vars(kind)
        if not name.startswith("__")
    }
    meant = {
        *("ALLOW_SELECT", "BINDINGS", "COMPONENT_CLASSES", "DEFAULT_CSS", "can_focus"),
        *("scroll_to", "notify_style_update", "render_line", "render_lines", "watch_scroll_y"),
        *("check_action", "get_selection", "selection_updated"),
        *("can_focus_children", "_reactives", "_decorated_handlers", "_css_type_names"),
    }
    taken = {
        name
        for name in ours & {*dir(ScrollView), *dir(Widget)}
        if not name.startswith(("_inherit", "_merged", "_css", "_computes", "_selector", "on_"))
    }

    assert taken - meant == set()


# Mouse -------------------------------------------------------------------------------------------


async def test_a_click_moves_the_cursor_and_a_double_click_opens() -> None:
    async with log_of(*many(5)) as (stage, pilot, log):
        await pilot.click(EnvelopeLog, offset=(20, 1))
        assert cursor_seq(log) == 1
        assert not stage.heard(EnvelopeLog.EntryOpened)

        await pilot.double_click(EnvelopeLog, offset=(20, 3))
        assert [posted.entry.seq for posted in stage.heard(EnvelopeLog.EntryOpened)] == [3]


async def test_a_click_below_the_last_line_does_nothing() -> None:
    async with log_of(*many(2)) as (_, pilot, log):
        await pilot.click(EnvelopeLog, offset=(20, 8))

        assert cursor_seq(log) == 1
        assert log.following


async def test_the_wheel_scrolls_at_once_and_leaves_the_cursor() -> None:
    async with log_of(*many(50)) as (_, pilot, log):
        bottom = log.scroll_offset.y
        await pilot._post_mouse_events([MouseScrollUp], EnvelopeLog, button=0)
        await pilot.pause()

        assert log.scroll_offset.y < bottom
        assert cursor_seq(log) == 49
        assert not log.following


async def test_the_scrollbar_leaves_the_end_too() -> None:
    async with log_of(*many(50)) as (_, pilot, log):
        log.scroll_page_up()
        await pilot.pause()

        assert not log.following
        assert log.scroll_offset.y == 50 - 2 * 12


# Following ---------------------------------------------------------------------------------------


async def test_it_follows_its_end_from_the_start() -> None:
    async with log_of(*many(30)) as (_, pilot, log):
        log.store.add(many(30, 30))
        await shown_now(log, pilot)

        assert log.following
        assert cursor_seq(log) == 59
        assert log.visible_rows()[-1] == 59


@pytest.mark.parametrize("key", ["up", "k", "pageup", "ctrl+u", "home", "g", "f"])
async def test_any_move_up_leaves_the_end(key: str) -> None:
    async with log_of(*many(30)) as (stage, pilot, log):
        await pilot.press(key)
        at, top = cursor_seq(log), top_seq(log)
        log.store.add(many(30, 30))
        await shown_now(log, pilot)

        assert not log.following
        assert (cursor_seq(log), top_seq(log)) == (at, top)
        assert [posted.following for posted in stage.heard(EnvelopeLog.FollowChanged)] == [False]


@pytest.mark.parametrize("key", ["G", "end", "f"])
async def test_these_keys_return_to_the_end(key: str) -> None:
    async with log_of(*many(30)) as (stage, pilot, log):
        await pilot.press("up", "up")
        log.store.add(many(5, 30))
        await pilot.press(key)
        log.store.add(many(5, 35))
        await shown_now(log, pilot)

        assert log.following
        assert cursor_seq(log) == 39
        assert [each.following for each in stage.heard(EnvelopeLog.FollowChanged)] == [
            False,
            True,
        ]


@pytest.mark.parametrize("keys", [["down"], ["pagedown"], ["j"], ["ctrl+d"]])
async def test_a_move_down_at_the_end_stays_there(keys: list[str]) -> None:
    async with log_of(*many(30)) as (_, pilot, log):
        await pilot.press(*keys)

        assert log.following


async def test_moving_to_the_last_line_does_not_start_to_follow() -> None:
    async with log_of(*many(30)) as (_, pilot, log):
        await pilot.press("up", "down", "down")

        assert cursor_seq(log) == 29
        assert not log.following


async def test_a_button_counts_new_entries_and_scrolls_to_them() -> None:
    async with log_of(*many(30)) as (stage, pilot, log):
        await pilot.press("up")
        assert "new" not in stage.screen_lines()[-1]

        log.store.add(many(1234, 30))
        await shown_now(log, pilot)
        last = stage.screen_lines()[-1]
        assert "+1,234 new" in last

        await pilot.click(EnvelopeLog, offset=(last.index("+1,234"), 11))
        await pilot.pause()
        assert log.following
        assert cursor_seq(log) == 30 + 1234 - 1
        assert "new" not in stage.screen_lines()[-1]


async def test_the_button_does_not_count_seen_entries() -> None:
    async with log_of(*many(30)) as (stage, pilot, log):
        await pilot.press("up")
        log.store.add(many(30, 30))
        await shown_now(log, pilot)

        await pilot.press("pagedown", "pagedown")
        await pilot.pause()

        assert 0 < log.new_count < 30
        assert f"+{log.new_count} new" in stage.screen_lines()[-1]


async def test_what_fits_on_the_screen_is_not_new() -> None:
    async with log_of(*many(3)) as (stage, pilot, log):
        await pilot.press("up")
        log.store.add(many(3, 3))
        await shown_now(log, pilot)

        assert log.new_count == 0
        assert "#r5" in stage.screen_lines()[5]


async def test_following_survives_a_resize() -> None:
    async with log_of(*many(50)) as (_, pilot, log):
        await pilot.resize_terminal(60, 6)
        await pilot.pause()
        assert log.visible_rows()[-1] == 49

        await pilot.resize_terminal(100, 20)
        await pilot.pause()
        assert log.following
        assert log.visible_rows()[-1] == 49


# Bounds ------------------------------------------------------------------------------------------


async def test_trimming_keeps_cursor_and_scroll_on_the_same_entries() -> None:
    async with log_of(*many(100), cap=100) as (_, pilot, log):
        await pilot.press("up", "up")
        at, top = cursor_seq(log), top_seq(log)

        log.store.add(many(40, 100))
        await shown_now(log, pilot)

        assert "40 dropped" in log.summary()
        assert len(log.store.entries) == 100
        assert (cursor_seq(log), top_seq(log)) == (at, top)


async def test_the_cursor_moves_from_a_dropped_entry_to_the_oldest() -> None:
    async with log_of(*many(100), cap=100) as (_, pilot, log):
        await pilot.press("g")
        log.store.add(many(50, 100))
        await shown_now(log, pilot)

        assert cursor_seq(log) == 50
        assert log.scroll_offset.y == 0


async def test_dropped_entries_are_not_selected() -> None:
    async with log_of(*many(100), cap=100) as (stage, pilot, log):
        await pilot.press("g", "space")
        log.store.add(many(50, 100))
        await shown_now(log, pilot)

        assert stage.heard(EnvelopeLog.SelectionChanged)[-1].seqs == ()


async def test_the_summary_counts() -> None:
    async with log_of(done(1), failed(2), entry(3)) as (_, _, log):
        assert log.summary() == "3 requests · 1 error · 1 running"
        log.filter("is:error")
        assert log.summary() == "1 of 3 · 1 error · 1 running"


# Filter and search -------------------------------------------------------------------------------


async def test_the_filter_keeps_the_cursor_on_its_entry() -> None:
    entries = [failed(n) if n % 5 == 0 else done(n) for n in range(100)]
    async with log_of(*entries) as (stage, pilot, log):
        await pilot.press("g", *["down"] * 35)
        assert cursor_seq(log) == 35

        log.filter("is:error")
        await pilot.pause()
        assert cursor_seq(log) == 35
        assert (stage.heard(EnvelopeLog.FilterChanged)[-1].shown, log.row_count) == (20, 20)

        log.filter("")
        await pilot.pause()
        assert cursor_seq(log) == 35
        assert log.cursor in log.visible_rows()


async def test_a_filter_that_hides_the_cursors_entry_takes_the_next() -> None:
    async with log_of(*(failed(n) if n % 5 == 0 else done(n) for n in range(50))) as (
        _,
        pilot,
        log,
    ):
        await pilot.press("g", *["down"] * 12)

        log.filter("is:error")

        assert cursor_seq(log) == 15


async def test_an_invalid_regular_expression_is_reported_and_hides_nothing() -> None:
    async with log_of(*many(3)) as (stage, pilot, log):
        log.filter("re:(")
        await pilot.pause()

        posted = stage.heard(EnvelopeLog.FilterChanged)[-1]
        assert "re:(" in posted.problem
        assert posted.shown == posted.total == 3
        assert log.summary().startswith(posted.problem)


async def test_a_slow_expression_is_reported_and_matches_nothing() -> None:
    endless = done(100, client="z" * 300 + "c")
    async with log_of(endless, *many(3)) as (stage, pilot, log):
        log.filter("re:(z|zz)+$")
        await pilot.pause()

        posted = stage.heard(EnvelopeLog.FilterChanged)[-1]
        assert "takes too long" in posted.problem
        assert posted.shown == 0


async def test_rows_that_stop_matching_are_removed_and_the_view_stays() -> None:
    async with log_of(*map(entry, range(40))) as (_, pilot, log):
        log.filter("!is:error")
        await pilot.press("up", "up")
        at, top = cursor_seq(log), top_seq(log)

        finish(log, failed(3))
        await shown_now(log, pilot)

        assert log.row_count == 39
        assert (cursor_seq(log), top_seq(log)) == (at, top)


async def test_o_sorts_by_the_next_column_and_the_cursor_keeps_its_entry() -> None:
    entries = [done(0, ms=50), failed(1), done(2, "fill", ms=900), entry(3), done(4, ms=20)]
    async with log_of(*entries) as (_, pilot, log):

        def seqs() -> list[int]:
            return [log.store.at(row).seq for row in range(log.row_count)]

        await pilot.press("o")
        assert seqs() == [3, 2, 0, 4, 1]
        assert "by duration" in log.summary()
        assert (log.cursor, cursor_seq(log), log.following) == (0, 3, False)

        await pilot.press("down")
        log.store.add([done(5, ms=700), done(6, ms=1000)])
        finish(log, done(3, ms=5))
        await shown_now(log, pilot)
        assert seqs() == [6, 2, 5, 0, 4, 1, 3]
        assert cursor_seq(log) == 2
        log.filter("op:click")
        assert seqs() == [6, 5, 0, 4, 1, 3]
        log.filter("")

        await pilot.press("o")
        assert seqs() == [1, 6, 5, 4, 3, 2, 0]
        await pilot.press("O", "G")
        assert seqs() == [0, 2, 3, 4, 5, 6, 1]
        assert cursor_seq(log) == 1
        await pilot.press("o", "o", "o", "g")
        assert seqs() == [6, 5, 4, 3, 2, 1, 0]
        assert "by time reversed" in log.summary()
        await pilot.press("f")
        assert (cursor_seq(log), log.following) == (6, True)


def test_sorted_entries_are_merged_with_earlier_ones() -> None:
    numbers = random.Random(5)
    for _ in range(50):
        earlier = sorted(float(numbers.randint(-9, 0)) for _ in range(numbers.randint(0, 30)))
        rows, expected = SortedRows("duration"), []
        for position in range(numbers.randint(0, 30)):
            ms = numbers.randint(0, 9)
            rows.put(position, done(position, ms=ms))
            expected.append((-float(ms), 0, -position))
        gone = numbers.randint(0, 30)
        rows.remove(gone)
        expected = [each for each in expected if each[2] != -gone]
        expected = sorted([*expected, *((key, 1, at) for at, key in enumerate(earlier))])

        for row, (_, is_earlier, place) in enumerate(expected):
            assert rows.find(row, earlier) == ((None, place) if is_earlier else (-place, 0))
            found = (
                rows.row_of_earlier(place, earlier) if is_earlier else rows.row_of(-place, earlier)
            )
            assert found == row


async def test_search_marks_and_n_goes_through_the_matches() -> None:
    entries = [done(n, "fill" if n % 10 == 3 else "click") for n in range(50)]
    async with log_of(*entries) as (_, pilot, log):
        await pilot.press("g")
        log.search("op:fill")
        seen = [cursor_seq(log)]
        for key in ("n", "n", "N", "N", "N"):
            await pilot.press(key)
            seen.append(cursor_seq(log))

        assert seen == [3, 13, 23, 13, 3, 43]
        assert len(log.store.shown()) == 50
        marked = log.get_visual_style("list--match").rich_style.bgcolor
        line = log.render_line(log.cursor - log.scroll_offset.y)
        assert any(s.style and s.style.bgcolor == marked and s.text == "fill" for s in line)


async def test_a_search_without_a_match_posts_a_message() -> None:
    async with log_of(*many(3)) as (stage, pilot, log):
        log.search("nothing")
        await pilot.pause()

        assert [posted.text for posted in stage.heard(EnvelopeLog.SearchMissed)] == ["nothing"]
        assert cursor_seq(log) == 2


async def test_the_response_of_the_entry_under_the_cursor_posts_a_message() -> None:
    async with log_of(entry(1)) as (stage, pilot, log):
        finish(log, done(1))
        await shown_now(log, pilot)

        assert [posted.entry.seq for posted in stage.heard(EnvelopeLog.EntryHighlighted)] == [1, 1]


# Size --------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("every_frame")
@pytest.mark.thorough
async def test_a_hundred_thousand_entries_are_drawn_like_fifty(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with log_of(*many(100_000), size=(120, 40)) as (_, pilot, log):
        drawn = count_lines_drawn(log, monkeypatch)

        async def drawn_by(act: Callable[[], object]) -> int:
            drawn.clear()
            done_ = act()
            if inspect.isawaitable(done_):
                await done_
            await pilot.pause()
            return len(drawn)

        assert 0 < await drawn_by(lambda: pilot.press("home")) <= 44
        assert 0 < await drawn_by(lambda: pilot.press("down")) <= 4
        assert 0 < await drawn_by(lambda: pilot.press("end")) <= 44
        assert 0 < await drawn_by(lambda: log.filter("r9")) <= 44
        assert 0 < await drawn_by(lambda: log.filter("")) <= 44


@pytest.mark.usefixtures("every_frame")
async def test_entries_below_the_view_redraw_the_button_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with log_of(*many(100), size=(120, 40)) as (_, pilot, log):
        await pilot.press("up")
        await pilot.pause()
        drawn = count_lines_drawn(log, monkeypatch)

        log.store.add(many(100, 100))
        await shown_now(log, pilot)

        assert set(drawn) == {39}


async def test_a_flood_is_shown_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    async with log_of(size=(80, 12)) as (_, pilot, log):
        flushes: list[int] = []
        settle = log._settle

        def counting(*arguments: Any) -> None:
            flushes.append(1)
            settle(*arguments)

        monkeypatch.setattr(log, "_settle", counting)
        started = time.monotonic()
        for seq in range(300):
            log.store.add([entry(seq)])
            finish(log, done(seq))
            if seq % 10 == 0:
                await pilot.pause(0.01)
        await until(lambda: log.row_count == 300, pilot)

        assert 2 <= len(flushes) <= (time.monotonic() - started) * 15 + 2
