"""A command line with completions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.suggester import Suggester
from textual.widget import Widget
from textual.widgets import Input, Static

from pwtui.protocol.keyword import Completion
from pwtui.widgets.line_field import LineField
from pwtui.widgets.row_list import Ink, RowList
from pwtui.widgets.stylesheet import stylesheet
from pwtui.widgets.text import cut, fit, plain, width

MOST_ROWS = 8

Completer = Callable[[str, int], Sequence[Completion]]
Ghost = Callable[[str], str]


class CompletionList(RowList[Completion], can_focus=False):
    """The completions, best first."""

    CHOOSE_ON_CLICK = True

    DEFAULT_CLASSES = "-active"

    def row_key(self, row: Completion) -> str:
        return row.text

    def draw(self, row: Completion, line: int, cells: int, ink: Ink) -> list[Segment]:
        names = min(30, max((width(plain(each.text)) for each in self._rows), default=0)) + 2
        at_cursor = row is self.cursor_row
        return [
            Segment("▌ " if at_cursor else "  ", ink("list--accent")),
            Segment(fit(plain(row.text), names), ink("list--strong")),
            Segment(cut(plain(row.description), max(0, cells - names - 3)), ink("list--muted")),
        ]


class _GhostText(Suggester):
    """A suggestion for the rest of the line, dimmed after the cursor."""

    def __init__(self, ghost: Ghost) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._ghost = ghost

    async def get_suggestion(self, value: str) -> str | None:
        rest = self._ghost(value)
        return value + plain(rest) if rest else None


class CommandLine(Widget):
    """Tab completes; up and down select a completion or an earlier line; enter submits."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "complete", "complete", id="command.complete"),
        Binding("up,ctrl+p", "move(-1)", "up", show=False, id="command.up"),
        Binding("down,ctrl+n", "move(1)", "down", show=False, id="command.down"),
        Binding("escape", "cancel", "close", id="command.close"),
    ]

    DEFAULT_CSS = stylesheet("command_line")

    @dataclass
    class Submitted(Message):
        """The user entered a line."""

        line: str

    class Cancelled(Message):
        """The user closed the line."""

    def __init__(self, complete: Completer, ghost: Ghost, history: Sequence[str] = ()) -> None:
        super().__init__()
        self._complete = complete
        self._ghost = ghost
        self._history = [*history, ""]
        self._at = len(self._history) - 1

    def compose(self) -> ComposeResult:
        yield CompletionList()
        yield Static("", id="command-problem", markup=False)
        with Horizontal(id="command-row"):
            yield Static(":", id="command-prompt", markup=False)
            yield LineField(id="command-input", compact=True, suggester=_GhostText(self._ghost))

    def on_mount(self) -> None:
        self.entry.focus()
        self._show_completions()

    @property
    def entry(self) -> Input:
        return self.query_one("#command-input", Input)

    def show_problem(self, text: str) -> None:
        """Show what is wrong with the line and keep the line."""
        problem = self.query_one("#command-problem", Static)
        problem.update(Content("\n".join(plain(line) for line in text.splitlines())))
        problem.display = bool(text)

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self.show_problem("")
        self._show_completions()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if event.value.strip():
            self.post_message(self.Submitted(event.value))
        else:
            self.post_message(self.Cancelled())

    @on(CompletionList.Chosen)
    def _clicked(self, event: CompletionList.Chosen) -> None:
        event.stop()
        self.action_complete()

    def action_complete(self) -> None:
        """Insert the selected completion, or the suggestion if there is none."""
        entry = self.entry
        chosen = self.query_one(CompletionList).cursor_row
        if chosen is not None:
            after = entry.value[entry.cursor_position :]
            text = entry.value[: chosen.start] + chosen.text
            space = "" if text.endswith("=") or after.startswith(" ") else " "
            entry.value = text + space + after
            entry.cursor_position = len(text + space)
        else:
            entry.value += self._ghost(entry.value)
            entry.cursor_position = len(entry.value)

    def action_move(self, step: int) -> None:
        """Select another completion; on an empty line, show an earlier line."""
        line = self.entry.value
        if line and line != self._history[self._at]:
            self.query_one(CompletionList).action_move(step)
            return
        self._at = max(0, min(len(self._history) - 1, self._at + step))
        self.entry.value = self._history[self._at]
        self.entry.cursor_position = len(self.entry.value)

    def action_cancel(self) -> None:
        self.post_message(self.Cancelled())

    def _show_completions(self) -> None:
        entry = self.entry
        found = self._complete(entry.value, entry.cursor_position) if entry.value else []
        rows = self.query_one(CompletionList)
        rows.display = bool(found)
        rows.styles.height = min(MOST_ROWS, len(found))
        rows.show(found, cursor=found[0].text if found else None)
