"""The list of console messages: marks, counts, filter, and following the end."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult
from textual.scroll_view import ScrollView

from pwtui.widgets.console_list import ConsoleList, ConsoleLog, ConsoleRow
from pwtui.widgets.event_list import KEPT, TRIMMED
from tests.widgets.support import HOSTILE, controls, shadowing, shown


def row(text: str, type: str = "log", source: str = "") -> ConsoleRow:
    return ConsoleRow(0, type, text, 0.0, source)


class Console(App[None]):
    def __init__(self, *rows: ConsoleRow) -> None:
        super().__init__()
        self.log_of_page = ConsoleLog()
        self.log_of_page.replace(rows)

    def compose(self) -> ComposeResult:
        yield ConsoleList()

    def on_mount(self) -> None:
        self.update()

    @property
    def rows(self) -> ConsoleList:
        return self.query_one(ConsoleList)

    def update(self) -> None:
        self.rows.show(list(self.log_of_page.rows))

    def lines(self) -> list[str]:
        return [line for line in shown(self.rows).splitlines() if line.strip()]


async def test_a_message_has_a_mark_its_text_and_its_source() -> None:
    app = Console(
        row("hello", source="app.js:3"), row("careful", "warning"), row("oh no", "pageerror")
    )
    async with app.run_test(size=(80, 10)):
        first, second, third = app.lines()

    assert first.startswith(" · ")
    assert " hello " in first
    assert first.endswith("app.js:3")
    assert second.startswith(" ! ")
    assert third.startswith("▌✗ ")


async def test_equal_messages_in_a_row_are_counted() -> None:
    app = Console(row("again"), row("again"), row("again"), row("other"), row("again"))
    async with app.run_test(size=(80, 10)):
        assert [line.split()[2:] for line in app.lines()] == [["again", "×3"], ["other"], ["again"]]


async def test_the_end_is_followed_until_the_cursor_leaves_it() -> None:
    app = Console(*(row(str(number)) for number in range(30)))
    async with app.run_test(size=(80, 10)) as pilot:
        assert app.rows.cursor == 29
        app.log_of_page.add(row("new"))
        app.update()
        assert app.rows.cursor == 30

        app.rows.focus()
        await pilot.press("up")
        app.log_of_page.add(row("newer"))
        app.update()
        assert app.rows.cursor == 29


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("is:error", ["oh no"]),
        ("!is:error", ["hello", "careful"]),
        ("source:app", ["hello"]),
        ("care", ["careful"]),
        ("re:^log", ["hello"]),
    ],
)
async def test_a_filter_shows_what_matches(text: str, found: list[str]) -> None:
    app = Console(
        row("hello", source="app.js:3"), row("careful", "warning"), row("oh no", "pageerror")
    )
    async with app.run_test(size=(80, 10)):
        app.rows.filter(text)

        assert [each.text for each in app.rows._rows] == found


async def test_a_wrong_filter_says_why() -> None:
    app = Console(row("hello"))
    async with app.run_test(size=(80, 10)):
        app.rows.filter("is:eror")

        assert "unknown state is:eror" in app.rows.summary()


def test_errors_are_new_until_they_are_looked_at() -> None:
    log = ConsoleLog()
    log.replace([row("before the console was loaded", "error")])
    log.add(row("new", "error"))
    log.add(row("fine"))
    assert log.new_errors == 2

    log.clear()
    assert log.new_errors == 0


def test_only_the_newest_messages_are_kept() -> None:
    log = ConsoleLog()

    for number in range(KEPT + TRIMMED):
        log.add(row(str(number)))

    assert len(log.rows) == KEPT
    assert log.rows[0].text == str(TRIMMED)


@pytest.mark.parametrize("text", HOSTILE)
async def test_a_message_is_shown_as_text(text: str) -> None:
    app = Console(row(text, source=text))
    async with app.run_test(size=(60, 5)):
        assert controls(app) == set()


def test_no_field_hides_one_of_textual() -> None:
    assert shadowing(ConsoleList(), ScrollView) == []
