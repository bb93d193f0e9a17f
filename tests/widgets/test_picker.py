"""The picker: typing, moving, choosing, with thousands of items and with hostile ones."""

from __future__ import annotations

from time import perf_counter

import pytest
from textual.app import App, ComposeResult
from textual.scroll_view import ScrollView
from textual.widget import Widget
from textual.widgets import Input

from pwtui.widgets.picker import Picker, PickerItem, PickerList
from tests.waiting import until
from tests.widgets.support import HOSTILE, controls, shadowing, shown

ITEMS = [
    PickerItem("op.click", "click", "op", "Click an element.", "enter"),
    PickerItem("op.navigate", "navigate", "op", "Go to a URL."),
    PickerItem("op.page.text", "page.text", "op", "The text of the page."),
    PickerItem("app.close", "close session", "app", "Ends the browser.", "x"),
    PickerItem("app.theme", "choose theme", "app", "", "ctrl+t"),
]


class Picking(App[None]):
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, picker: Picker) -> None:
        super().__init__()
        self.picker = picker
        self.heard: list[tuple[str, str]] = []

    def compose(self) -> ComposeResult:
        yield self.picker

    def on_mount(self) -> None:
        self.picker.focus()

    def on_picker_highlighted(self, event: Picker.Highlighted) -> None:
        self.heard.append(("highlighted", event.item.id))

    def on_picker_chosen(self, event: Picker.Chosen) -> None:
        self.heard.append(("chosen", event.item.id))

    def on_picker_cancelled(self) -> None:
        self.heard.append(("cancelled", ""))

    @property
    def chosen(self) -> list[str]:
        return [item for what, item in self.heard if what == "chosen"]

    @property
    def at(self) -> str:
        item = self.picker.highlighted_item
        return "" if item is None else item.id


async def test_without_a_query_recent_items_come_first() -> None:
    app = Picking(Picker(ITEMS, recent=["app.theme", "op.navigate", "gone"]))
    async with app.run_test():
        lines = shown(app.query_one(PickerList)).splitlines()

        assert [line.split()[0] for line in lines[:5]] == [
            "▌",
            "navigate",
            "click",
            "page.text",
            "close",
        ]
        assert "choose theme" in lines[0]
        assert lines[0].endswith("ctrl+t  app")


async def test_typing_narrows_and_ranks_and_help_follows() -> None:
    app = Picking(Picker(ITEMS, placeholder="type"))
    async with app.run_test() as pilot:
        await pilot.press("c", "l")
        assert app.at == "op.click"
        assert app.picker.hit_count == 2
        await until(lambda: "2 of 5" in shown(app.picker), "the label as wide as its text")
        assert "Click an element." in shown(app.picker)

        await pilot.press("o")
        assert app.at == "app.close"
        assert "Ends the browser." in shown(app.picker)

        await pilot.press("backspace", "backspace", "backspace")
        assert app.picker.hit_count == 5
        assert app.at == "op.click"


async def test_the_group_can_be_typed_too() -> None:
    app = Picking(Picker(ITEMS))
    async with app.run_test() as pilot:
        await pilot.press(*"app cl")

        assert [app.at, app.picker.hit_count] == ["app.close", 1]


async def test_enter_chooses_the_item_under_the_cursor() -> None:
    app = Picking(Picker(ITEMS))
    async with app.run_test() as pilot:
        await pilot.press("enter")
        item = app.picker.highlighted_item

        assert app.chosen == ["op.click"]
        assert item is not None
        assert item.id == "op.click"


async def test_enter_without_a_hit_chooses_nothing() -> None:
    app = Picking(Picker(ITEMS))
    async with app.run_test() as pilot:
        await pilot.press(*"zzz", "enter", "down", "pagedown", "ctrl+end")

        assert app.chosen == []
        assert app.picker.highlighted_item is None
        assert "No matches." in shown(app.picker)


@pytest.mark.parametrize(
    ("keys", "at"),
    [
        (["down"], "op.navigate"),
        (["down", "down", "up"], "op.navigate"),
        (["ctrl+n", "ctrl+n", "ctrl+p"], "op.navigate"),
        (["up"], "op.click"),
        (["ctrl+end"], "app.theme"),
        (["ctrl+end", "down"], "app.theme"),
        (["ctrl+end", "ctrl+home"], "op.click"),
        (["pagedown"], "app.theme"),
        (["pagedown", "pageup"], "op.click"),
    ],
)
async def test_keys_move_the_cursor_while_the_input_keeps_the_focus(
    keys: list[str], at: str
) -> None:
    app = Picking(Picker(ITEMS))
    async with app.run_test() as pilot:
        await pilot.press(*keys)

        assert app.at == at
        assert isinstance(app.focused, Input)
        assert app.heard[-1] == ("highlighted", at) or at == "op.click"


async def test_escape_cancels() -> None:
    app = Picking(Picker(ITEMS, id="it"))
    async with app.run_test() as pilot:
        await pilot.press("escape")

        assert app.heard[-1] == ("cancelled", "")


async def test_a_click_chooses() -> None:
    app = Picking(Picker(ITEMS))
    async with app.run_test() as pilot:
        await pilot.click(PickerList, offset=(5, 3))
        await pilot.click(PickerList, offset=(5, 9))

        assert app.chosen == ["app.close"]


async def test_hovering_shows_where_a_click_would_go() -> None:
    app = Picking(Picker(ITEMS))
    async with app.run_test() as pilot:
        await pilot.hover(PickerList, offset=(5, 3))
        rows = app.query_one(PickerList)
        assert rows._list_hover == 3

        await pilot.hover("#picker-input")
        assert rows._list_hover == -1


async def test_new_items_keep_query_and_cursor() -> None:
    app = Picking(Picker(ITEMS))
    async with app.run_test() as pilot:
        await pilot.press("c", "down", "down")
        assert app.at == "app.close"

        app.picker.show_items([*ITEMS, PickerItem("op.check", "check", "op")], recent=["op.check"])
        await pilot.pause()

        assert app.picker._input.value == "c"
        assert app.at == "app.close"
        assert app.picker.hit_count == 4


async def test_the_query_can_be_set() -> None:
    app = Picking(Picker(ITEMS))
    async with app.run_test() as pilot:
        app.picker._input.value = "the"
        await pilot.pause()

        assert app.at == "app.theme"


async def test_matched_letters_are_highlighted() -> None:
    app = Picking(Picker(ITEMS))
    async with app.run_test() as pilot:
        await pilot.press("p", "t")
        rows = app.query_one(PickerList)
        strip = rows.render_line(0)
        marked = [s.text for s in strip if s.style and s.style.bold]

        assert marked == ["p", "t"]


async def test_hostile_texts_are_shown_as_they_are() -> None:
    items = [
        PickerItem(str(i), text, group=text[:20], help=text, keys=text[:10])
        for i, text in enumerate(HOSTILE)
    ]
    app = Picking(Picker(items, placeholder="[/]"))
    async with app.run_test(size=(110, 24)) as pilot:
        for _ in items:
            await pilot.press("down")
            assert controls(app) == set()
        text = shown(app.query_one(PickerList))
        assert "[@click=app.quit]press[/]" in text
        assert "␛[31mred" in text
        await pilot.press(*"[/]", "enter")

        assert app.chosen == ["0"]


async def typing_in(count: int) -> float:
    """How long it takes to find the last of so many items, key by key."""
    items = [
        PickerItem(f"i{i}", f"click e{i} button account settings {i}", "op") for i in range(count)
    ]
    app = Picking(Picker(items))
    async with app.run_test() as pilot:
        started = perf_counter()
        await pilot.press(*"set", "space", *str(count - 1), "pagedown")
        took = perf_counter() - started

        assert app.picker.hit_count >= 1
        assert str(count - 1) in shown(app.query_one(PickerList))
    return took


async def test_the_cost_is_linear_in_the_items() -> None:
    assert await typing_in(5000) < 30 * await typing_in(500)


async def test_it_fits_into_a_narrow_window() -> None:
    app = Picking(Picker(ITEMS))
    async with app.run_test(size=(16, 8)) as pilot:
        await pilot.press("down")

        assert "navigate" in shown(app.query_one(PickerList))


def test_no_field_shadows_one_of_textual() -> None:
    assert shadowing(Picker(ITEMS), Widget) == []
    assert shadowing(PickerList(), ScrollView) == []
