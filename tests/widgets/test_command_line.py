"""The command line: completing, walking through what was typed, and saying what is wrong."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import App, ComposeResult

from pwtui.protocol.keyword import Completion
from pwtui.widgets.command_line import CommandLine, CompletionList
from tests.widgets.support import HOSTILE, controls, shown

WORDS = {"click": "Click an element.", "clear": "Empty a field.", "fill": "Put text in."}


def complete(text: str, cursor: int) -> Sequence[Completion]:
    before = text[:cursor]
    start = before.rfind(" ") + 1
    typed = before[start:]
    return [
        Completion(word, start, about) for word, about in WORDS.items() if word.startswith(typed)
    ]


def ghost(text: str) -> str:
    return next((word[len(text) :] for word in WORDS if text and word.startswith(text)), "")


class Typing(App[None]):
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, history: Sequence[str] = ()) -> None:
        super().__init__()
        self.line = CommandLine(complete, ghost, history)
        self.heard: list[str] = []

    def compose(self) -> ComposeResult:
        yield self.line

    def on_command_line_submitted(self, event: CommandLine.Submitted) -> None:
        self.heard.append(event.line)

    def on_command_line_cancelled(self) -> None:
        self.heard.append("(left)")


async def test_tab_inserts_the_selected_completion_and_enter_submits() -> None:
    app = Typing()
    async with app.run_test() as pilot:
        await pilot.press("c", "l", "down", "tab")
        assert app.line.entry.value == "clear "
        await pilot.press("x", "enter")
        assert app.heard == ["clear x"]


async def test_a_completion_replaces_the_word_at_the_cursor_and_keeps_the_rest() -> None:
    app = Typing()
    async with app.run_test() as pilot:
        app.line.entry.value = "x fi e5"
        app.line.entry.cursor_position = 4
        app.line._show_completions()
        await pilot.press("tab")
        assert app.line.entry.value == "x fill e5"


async def test_a_completion_can_be_clicked() -> None:
    app = Typing()
    async with app.run_test() as pilot:
        await pilot.press("c")
        await pilot.pause()
        await pilot.click(CompletionList, offset=(4, 1))
        assert app.line.entry.value == "clear "


async def test_up_on_an_empty_line_shows_earlier_lines() -> None:
    app = Typing(["one", "two"])
    async with app.run_test() as pilot:
        await pilot.press("up", "up", "up")
        assert app.line.entry.value == "one"
        await pilot.press("down")
        assert app.line.entry.value == "two"
        await pilot.press("down", "enter")
        assert app.heard == ["(left)"]


async def test_a_problem_is_shown_until_the_line_changes_and_the_line_stays() -> None:
    app = Typing()
    async with app.run_test() as pilot:
        await pilot.press("f")
        app.line.show_problem("it needs a target")
        await pilot.pause()
        assert "it needs a target" in shown(app.line)
        assert app.line.entry.value == "f"
        await pilot.press("i")
        assert "it needs a target" not in shown(app.line)
        await pilot.press("escape")
        assert app.heard == ["(left)"]


async def test_hostile_texts_are_shown_as_they_are() -> None:
    app = Typing()
    async with app.run_test() as pilot:
        app.line._complete = lambda text, cursor: [Completion(each, 0, each) for each in HOSTILE]
        await pilot.press("c")
        app.line.show_problem("\n".join(HOSTILE))
        await pilot.pause()
        assert not controls(app)
