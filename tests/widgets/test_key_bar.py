"""The line of keys: what is possible here, by key and by mouse."""

from __future__ import annotations

from typing import ClassVar

import pytest
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.pilot import Pilot
from textual.widgets import Button, Input

from pwtui.widgets.key_bar import MORE, KeyBar
from tests.widgets.support import screen_cells


class _Keys(App[None]):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("z", "zoom", "zoom"),
        Binding("f6", "save", "save it all"),
        Binding("j,down", "lower", "lower", key_display="j"),
        Binding("x", "secret", "hidden", show=False),
    ]
    ENABLE_COMMAND_PALETTE = False
    can_save = True

    def __init__(self) -> None:
        super().__init__()
        self.done: list[str] = []

    def compose(self) -> ComposeResult:
        yield _Own(id="own")
        yield Button(id="other")
        yield KeyBar()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return None if action == "save" and not self.can_save else True

    def action_zoom(self) -> None:
        self.done.append("zoom")

    def action_save(self) -> None:
        self.done.append("save")

    def action_lower(self) -> None:
        self.done.append("lower")


class _Own(Button):
    BINDINGS: ClassVar[list[BindingType]] = [Binding("o", "app.zoom", "own")]


def bar_of(pilot: Pilot[None]) -> str:
    return "".join(screen_cells(pilot.app)[-1]).rstrip()


class _Typing(App[None]):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", "filter", key_display="/"),
        Binding("z", "zoom", "zoom"),
        Binding("Q,ctrl+q", "leave", "leave", key_display="Q", priority=True),
        Binding("escape,q", "save", "save", key_display="esc"),
    ]
    ENABLE_COMMAND_PALETTE = False

    def compose(self) -> ComposeResult:
        yield Input()
        yield Button()
        yield KeyBar()


async def test_keys_that_a_field_inserts_are_not_shown() -> None:
    async with _Typing().run_test(size=(60, 10)) as pilot:
        pilot.app.query_one(Input).focus()
        await pilot.pause()
        assert bar_of(pilot).strip() == "esc save"

        pilot.app.query_one(Button).focus()
        await pilot.pause()
        # Escape is at the right end.
        assert bar_of(pilot) == f"{' Q leave  / filter  z zoom':51}esc save"


async def test_the_keys_of_the_focus_come_first_then_all_others() -> None:
    async with _Keys().run_test(size=(60, 10)) as pilot:
        pilot.app.query_one("#own").focus()
        await pilot.pause()
        assert bar_of(pilot) == " o own  z zoom  f6 save it all  j lower"

        pilot.app.query_one("#other").focus()
        await pilot.pause()
        assert bar_of(pilot) == " z zoom  f6 save it all  j lower"


async def test_a_click_presses_the_key() -> None:
    async with _Keys().run_test(size=(60, 10)) as pilot:
        pilot.app.query_one("#other").focus()
        await pilot.pause()
        for column in (2, 10, 25):
            await pilot.click(KeyBar, offset=(column, 0))

        assert isinstance(pilot.app, _Keys)
        assert pilot.app.done == ["zoom", "save", "lower"]


async def test_a_click_beside_the_keys_does_nothing() -> None:
    async with _Keys().run_test(size=(60, 10)) as pilot:
        pilot.app.query_one("#other").focus()
        await pilot.pause()
        for column in (8, 50):
            await pilot.click(KeyBar, offset=(column, 0))

        assert isinstance(pilot.app, _Keys)
        assert pilot.app.done == []


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (33, " z zoom  f6 save it all  j lower"),
        (32, f" z zoom  f6 save it all  {MORE}"),
        (5, f" {MORE}"),
    ],
)
async def test_only_whole_keys_are_shown(width: int, shown: str) -> None:
    async with _Keys().run_test(size=(width, 10)) as pilot:
        pilot.app.query_one("#other").focus()
        await pilot.pause()
        assert bar_of(pilot) == shown


class _PinnedBar(KeyBar):
    def pinned_keys(self) -> tuple[str, ...]:
        return ("all", "help")


class _Pinned(_Keys):
    def compose(self) -> ComposeResult:
        yield Button(id="other")
        yield _PinnedBar()

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark", "help", "keys", key_display="?", show=False, id="help"),
        Binding("ctrl+p", "zoom", "all", show=False, id="all"),
    ]


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (60, " z zoom  f6 save it all  j lower             ^p all  ? keys"),
        (43, f" z zoom  f6 save it all  {MORE}  ^p all  ? keys"),
        (20, f" {MORE}   ^p all  ? keys"),
        (16, " ^p all  ? keys"),
        (9, "  ? keys"),
    ],
)
async def test_pinned_keys_are_shown_in_every_width(width: int, shown: str) -> None:
    async with _Pinned().run_test(size=(width, 10)) as pilot:
        pilot.app.query_one("#other").focus()
        await pilot.pause()
        assert bar_of(pilot) == shown


async def test_a_key_that_cannot_be_used_now_is_not_shown() -> None:
    async with _Keys().run_test(size=(60, 10)) as pilot:
        assert isinstance(pilot.app, _Keys)
        pilot.app.can_save = False
        pilot.app.query_one("#other").focus()
        pilot.app.screen.refresh_bindings()
        await pilot.pause()
        assert bar_of(pilot) == " z zoom  j lower"


async def test_the_key_under_the_mouse_is_marked() -> None:
    async with _Keys().run_test(size=(60, 10)) as pilot:
        pilot.app.query_one("#other").focus()
        await pilot.pause()
        bar = pilot.app.query_one(KeyBar)
        before = bar.render_line(0)
        await pilot.hover(KeyBar, offset=(2, 0))
        await pilot.pause()
        assert bar.render_line(0) != before
        await pilot.hover("#other")
        await pilot.pause()
        assert bar.render_line(0) == before
