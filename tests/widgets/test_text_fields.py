"""Fields take letters and editing keys in the order in which they were typed."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import Input, TextArea

from pwtui.widgets.line_field import LineField
from pwtui.widgets.text_field import TextField
from tests.waiting import until

ROOT = Path(__file__).parents[2]


class Typing(App[None]):
    ENABLE_COMMAND_PALETTE = False
    BINDINGS = [Binding("f6", "see", "see"), Binding("escape", "see", "see")]  # noqa: RUF012

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def compose(self) -> ComposeResult:
        # Deep, as in a form: a key that bubbles takes its time.
        with Vertical(), Vertical(), Vertical(), Vertical():
            yield LineField()
            yield TextField(tab_behavior="indent")

    def action_see(self) -> None:
        self.seen.append(_text(self))

    def burst(self, *keys: str) -> None:
        """All at once, as a terminal delivers what was typed quickly."""
        for key in keys:
            self.post_message(events.Key(key, key if len(key) == 1 else None))


def _text(app: App[None]) -> str:
    field = app.focused
    assert isinstance(field, Input | TextArea)
    return field.value if isinstance(field, Input) else field.text


def _backspaces(count: int) -> list[str]:
    return ["backspace"] * count


@pytest.mark.parametrize("kind", [LineField, TextField])
async def test_letters_do_not_overtake_editing_keys(kind: type[Input | TextArea]) -> None:
    app = Typing()
    async with app.run_test() as pilot:
        app.query_one(kind).focus()
        await pilot.pause()
        for _ in range(3):
            app.burst(*"abc", *_backspaces(3), *"5000", "home", "x", "delete", "end", "left", "y")
            await until(lambda: _text(app) == "x00y0", "the edited text")
            app.burst(*_backspaces(9), "end", *_backspaces(9), *"quick fox", *_backspaces(4))
            await until(lambda: _text(app) == "quick", "the edited text")
            app.burst("end", *_backspaces(5))
            await until(lambda: not _text(app), "an empty field")


@pytest.mark.parametrize("kind", [LineField, TextField])
async def test_a_key_of_the_screen_sees_the_letters_before_it_and_none_after_it(
    kind: type[Input | TextArea],
) -> None:
    app = Typing()
    async with app.run_test() as pilot:
        app.query_one(kind).focus()
        await pilot.pause()

        app.burst(*"one", "f6", *"two", "escape", *"three")
        await until(lambda: _text(app) == "onetwothree", "all letters")

        assert app.seen == ["one", "onetwo"]


def test_every_field_of_the_app_is_of_this_kind() -> None:
    made = {
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for folder in ("widgets", "pwtui/app")
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(node, ast.Call) and _is_plain(node.func))
        or (
            isinstance(node, ast.ClassDef)
            and path.name not in ("line_field.py", "text_field.py")
            and any(_is_plain(base) for base in node.bases)
        )
    }

    assert made == set()


def _is_plain(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("Input", "TextArea")
