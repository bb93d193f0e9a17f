"""The snapshot tree in a small app: keys, mouse, what is drawn, and how much work that is."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.geometry import Offset
from textual.message import Message
from textual.pilot import Pilot
from textual.scroll_view import ScrollView

from pwtui.protocol.snapshot import SnapshotTree, parse_snapshot
from pwtui.widgets.snapshot_tree import SnapshotTreeView
from pwtui.widgets.text import width
from pwtui.widgets.virtual_list import VirtualList

PAGE = """\
- banner [ref=e1]:
  - link "Home" [ref=e2] [cursor=pointer]:
    - /url: /start
  - navigation "Main" [ref=e3]:
    - link "Cart" [ref=e5]
- main [ref=e6]:
  - heading "Your cart" [level=1] [ref=e7]
  - textbox "Email" [ref=e9]:
    - /placeholder: you@example.org
    - text: ana@example.org
  - button "Save draft" [disabled] [ref=e10]
  - checkbox "Gift" [checked=mixed] [ref=e11]
  - text: Nothing else"""

SIZE = (60, 16)
HEIGHT = SIZE[1]


class TreeApp(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.messages: list[Message] = []

    def compose(self) -> ComposeResult:
        yield SnapshotTreeView()

    def on_snapshot_tree_view_ref_chosen(self, message: SnapshotTreeView.RefChosen) -> None:
        self.messages.append(message)

    def on_snapshot_tree_view_actions_requested(
        self, message: SnapshotTreeView.ActionsRequested
    ) -> None:
        self.messages.append(message)

    def on_snapshot_tree_view_fill_requested(self, message: SnapshotTreeView.FillRequested) -> None:
        self.messages.append(message)

    def on_virtual_list_filter_changed(self, message: SnapshotTreeView.FilterChanged) -> None:
        self.messages.append(message)

    def on_virtual_list_search_missed(self, message: SnapshotTreeView.SearchMissed) -> None:
        self.messages.append(message)


class Driver:
    """The view, the pilot, and the messages that the app received."""

    def __init__(self, app: TreeApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot
        self.view = app.query_one(SnapshotTreeView)

    async def show(self, page: str | SnapshotTree | None, **options: Any) -> None:
        self.view.show(parse_snapshot(page) if isinstance(page, str) else page, **options)
        await self.pilot.pause()

    async def press(self, *keys: str) -> str | None:
        await self.pilot.press(*keys)
        await self.pilot.pause()
        return self.view.cursor_ref

    def lines(self) -> list[str]:
        return [self.view.render_line(y).text for y in range(self.view.size.height)]

    def refs(self) -> list[str]:
        return [visible.ref for visible in self.view.visible_refs()]

    def gutters(self) -> dict[str, str]:
        return {ref.ref: self.lines()[ref.y][1] for ref in self.view.visible_refs()}

    def posted(self, kind: type[Message]) -> list[Any]:
        return [message for message in self.app.messages if type(message) is kind]

    def place_of(self, text: str) -> Offset:
        for y, line in enumerate(self.lines()):
            if text in line:
                return Offset(width(line[: line.index(text)]), y)
        raise AssertionError(f"{text!r} is not on the screen")

    def place_of_ref(self, ref: str) -> Offset:
        return self.place_of(f"  {ref}") + Offset(2, 0)


@asynccontextmanager
async def running(page: str | SnapshotTree | None = PAGE) -> AsyncIterator[Driver]:
    app = TreeApp()
    async with app.run_test(size=SIZE) as pilot:
        driver = Driver(app, pilot)
        if page is not None:
            await driver.show(page)
        yield driver


def many(count: int, name: str = "Item") -> SnapshotTree:
    """Groups of ten, so that there is something to fold."""
    lines = ['- main "All" [ref=e0]:']
    for number in range(1, count):
        indent = "  " if number % 10 == 1 else "    "
        lines.append(f'{indent}- listitem "{name} {number}" [ref=e{number}]')
    return parse_snapshot("\n".join(lines))


class TestDrawing:
    async def test_a_row_has_role_name_text_states_and_its_ref_behind_them(self) -> None:
        async with running() as tree:
            lines = [line.rstrip() for line in tree.lines()]

        assert lines[0].startswith("▌ ▾ banner")
        assert re.fullmatch(r'  │   link "Home"  → /start  e2', lines[1])
        assert re.fullmatch(r'  │   heading "Your cart"  level=1  e7', lines[5])
        assert lines[6].startswith('  │   textbox "Email": ana@example.org  placeholder=')
        assert re.fullmatch(r'  │   button "Save draft"  disabled  e10', lines[7])
        assert re.fullmatch(r'  │   checkbox "Gift"  checked=mixed  e11', lines[8])
        assert lines[9] == "  │   text: Nothing else"

    async def test_every_line_is_exactly_as_wide_as_the_view(self) -> None:
        async with running() as tree:
            columns = tree.view.scrollable_content_region.width

            assert {width(line) for line in tree.lines()} == {columns}

    async def test_a_long_name_is_cut_before_its_ref(self) -> None:
        page = f'- button "Short" [ref=e1]\n- button "{"long " * 50}" [ref=e22]'
        async with running(page) as tree:
            first, second = (line.rstrip() for line in tree.lines()[:2])

        assert first.endswith('button "Short"  e1')
        assert second.endswith("…  e22")
        assert len(second) < SIZE[0]

    async def test_a_folded_row_shows_how_many_rows_it_hides(self) -> None:
        async with running() as tree:
            await tree.press("space")

            assert tree.lines()[0].startswith("▌ ▸ banner (3)")

    async def test_an_empty_view_shows_the_placeholder(self) -> None:
        async with running(None) as tree:
            assert "No page is open" in "".join(tree.lines())

            tree.view.placeholder = "opening [/]\nplease wait"
            await tree.pilot.pause()

            assert "opening [/]" in "".join(tree.lines())
            assert tree.view.cursor_node is None
            assert tree.view.summary() == ""

    async def test_an_empty_page_shows_a_message(self) -> None:
        async with running("") as tree:
            assert "The page is empty" in "".join(tree.lines())

    async def test_a_stale_tree_is_dimmed_and_marked(self) -> None:
        async with running() as tree:
            snapshot = tree.view.snapshot
            await tree.press("down")

            await tree.show(snapshot, stale=True)

            assert tree.view.has_class("-stale")
            assert tree.view.summary() == "stale · 10 nodes"
            assert tree.view.cursor_ref == "e2"
            await tree.show(snapshot)
            assert not tree.view.has_class("-stale")

    async def test_another_theme_redraws(self) -> None:
        async with running() as tree:
            before = tree.view.render_line(1)

            tree.app.theme = "textual-light"
            await tree.pilot.pause()

            assert tree.view.render_line(1).text == before.text
            assert list(tree.view.render_line(1)) != list(before)

    @pytest.mark.parametrize("theme", ["textual-dark", "ansi-dark"])
    async def test_without_colour_the_cursor_and_the_matches_are_still_seen(
        self, theme: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("NO_COLOR", "1")
        async with running() as tree:
            tree.app.theme = theme
            tree.view.search("cart")
            await tree.press("home")
            await tree.pilot.pause()

            cursor = tree.view.render_line(0)
            [match] = [segment for segment in tree.view.render_line(3) if segment.text == "Cart"]

        assert cursor.text.startswith("▌")
        assert match.style is not None
        assert match.style.reverse

    async def test_a_small_view_draws_what_fits(self) -> None:
        async with running() as tree:
            await tree.pilot.resize_terminal(8, 4)
            await tree.pilot.pause()

            assert len({width(line) for line in tree.lines()}) == 1

    async def test_no_field_shadows_one_of_textual(self) -> None:
        async with running():
            fields = {*vars(SnapshotTreeView())} - {*vars(ScrollView())}
            ours = {*vars(SnapshotTreeView), *vars(VirtualList)}
            names = {name for name in ours if not name.startswith("__")}
            textual = {*dir(ScrollView), *vars(ScrollView())}

        public = {"filter_text", "filter_error", "search_text", "search_error"}
        public |= {"cursor_index", "is_stale"}
        assert {name for name in fields if not name.startswith(("_tree_", "_list_"))} == public
        assert fields.isdisjoint(textual)
        assert {name for name in names & textual if not name.startswith("_")} == {
            *("ALLOW_SELECT", "BINDINGS", "COMPONENT_CLASSES", "DEFAULT_CSS"),
            *("can_focus", "can_focus_children"),
            *("check_action", "notify_style_update", "render_line", "render_lines"),
            *("scroll_to", "watch_scroll_y"),
        }


class TestHostileText:
    @pytest.mark.parametrize(
        ("name", "shown"),
        [
            ("[/]", '"[/]"'),
            ("[@click=app.quit]x[/]", '"[@click=app.quit]x[/]"'),
            ("[bold red]x", '"[bold red]x"'),
            ("\\u001b[31mred\\u001b]0;title\\u0007", '"␛[31mred␛]0;title␇"'),
            ("a\\nb\\tc", '"a↵b c"'),
            ("\\u202eevil\\u2066", '"�evil�"'),
            ("שלום עולם", '"שלום עולם"'),
            ("👩‍👩‍👧 🎉🎉 漢字", "漢字"),
            ("\\u009b31m", '"�31m"'),
        ],
    )
    async def test_a_hostile_name_is_shown_as_text(self, name: str, shown: str) -> None:
        page = f'- button "{name}" [ref=e1]\n- link "after" [ref=e2]'
        async with running(page) as tree:
            line = tree.lines()[0]
            await tree.press("down", "up")

            assert shown in line
            assert line.rstrip().endswith("  e1")
            assert width(line) == width(tree.lines()[1])
            assert not re.search(r"[\x00-\x1f\x7f-\x9f]", line)
            for segment in tree.view.render_line(0):
                assert segment.style is None or "@click" not in segment.style.meta

    async def test_wide_names_are_cut_by_cells(self) -> None:
        async with running(f'- button "{"漢" * 200}" [ref=e1]') as tree:
            line = tree.lines()[0]

            assert width(line) == tree.view.scrollable_content_region.width
        assert line.rstrip().endswith("…  e1")

    async def test_values_and_properties_are_as_untrusted_as_names(self) -> None:
        page = '- textbox [ref=e1]:\n  - /url: "\\u001b[2J[/]"\n  - text: "[red]\\x07"'
        async with running(page) as tree:
            line = tree.lines()[0]

        assert "\x1b" not in line
        assert "\x07" not in line

    async def test_a_hostile_filter_and_placeholder_are_plain_text(self) -> None:
        async with running() as tree:
            tree.view.filter("[/]\x1b[31m")
            await tree.pilot.pause()

            assert "No matches for [/]␛[31m" in "".join(tree.lines())


class TestKeys:
    @pytest.mark.parametrize(
        ("keys", "ref"),
        [
            ("down", "e2"),
            ("j", "e2"),
            ("down down up", "e2"),
            ("j j k", "e2"),
            ("up", "e1"),
            ("end", None),
            ("G", None),
            ("G g", "e1"),
            ("end home", "e1"),
            ("right", "e2"),
            ("l", "e2"),
            ("left right right", "e2"),
            ("j left", "e1"),
            ("j j j h", "e3"),
            ("j j j h h", "e3"),
            ("j j j h h h", "e1"),
            ("space j", "e6"),
            ("space space j", "e2"),
            ("minus j j", "e3"),
            ("minus j j j", "e6"),
            ("minus E j j j", "e5"),
            ("pagedown pageup", "e1"),
            ("ctrl+d ctrl+u", "e1"),
            ("ctrl+d", "e11"),
            ("I j", "e3"),
            ("m j m j apostrophe", "e1"),
        ],
    )
    async def test_keys_move_the_cursor(self, keys: str, ref: str | None) -> None:
        async with running() as tree:
            assert await tree.press(*keys.split()) == ref

    async def test_a_page_leaves_one_line_of_the_view(self) -> None:
        async with running(many(200)) as tree:
            assert await tree.press("pagedown") == f"e{HEIGHT - 1}"
            assert await tree.press("ctrl+d") == f"e{HEIGHT - 1 + HEIGHT // 2}"
            assert await tree.press("ctrl+u", "pageup") == "e0"

    async def test_the_cursor_is_always_on_the_screen(self) -> None:
        async with running(many(200)) as tree:
            for key in ("end", "pageup", "home", "pagedown", "pagedown", "up", "ctrl+u"):
                ref = await tree.press(key)
                assert ref in tree.refs()

    async def test_folding_an_ancestor_moves_the_cursor_to_it(self) -> None:
        async with running() as tree:
            await tree.press("j", "j", "j")

            assert await tree.press("minus") == "e3"
            assert "".join(tree.lines()).count("▸") == 1

    async def test_enter_a_and_i_ask_for_an_action_of_the_node(self) -> None:
        async with running() as tree:
            await tree.press("j", "enter", "a", "i")

            [chosen] = tree.posted(SnapshotTreeView.RefChosen)
            [actions] = tree.posted(SnapshotTreeView.ActionsRequested)
            [fill] = tree.posted(SnapshotTreeView.FillRequested)
            assert chosen.ref == actions.ref == fill.ref == "e2"
            assert chosen.node.name == "Home"
            assert chosen.control is tree.view
            assert actions.screen_offset == Offset(2, 2)

    async def test_a_node_without_a_ref_has_no_actions_but_can_be_folded(self) -> None:
        async with running('- list "All":\n  - listitem: one') as tree:
            await tree.press("a", "i", "enter")

            assert tree.lines()[0].startswith('▌ ▸ list "All" (1)')
            assert not tree.posted(SnapshotTreeView.RefChosen)
            assert not tree.posted(SnapshotTreeView.ActionsRequested)
            assert tree.view.check_action("fill", ()) is None

    async def test_no_key_does_anything_to_an_empty_view(self) -> None:
        async with running(None) as tree:
            keys = [key for key in tree.view._bindings.key_to_bindings if key != "I"]

            await tree.press(*keys, "I")

            assert tree.view.cursor_index is None
            assert {type(message) for message in tree.app.messages} == {
                SnapshotTreeView.FilterChanged
            }

    async def test_every_binding_has_an_id_and_a_description(self) -> None:
        async with running() as tree:
            bindings = [binding for _, binding in tree.view._bindings]

        assert all(binding.id and binding.description for binding in bindings)
        assert {"ctrl+h", "ctrl+i", "ctrl+m", "ctrl+j"}.isdisjoint(
            binding.key for binding in bindings
        )


class TestMouse:
    async def test_a_click_moves_the_cursor(self) -> None:
        async with running() as tree:
            await tree.pilot.click(SnapshotTreeView, offset=tree.place_of("Cart"))
            await tree.pilot.pause()

            assert tree.view.cursor_ref == "e5"
            assert not tree.posted(SnapshotTreeView.RefChosen)

    async def test_a_double_click_on_a_ref_chooses_it_once(self) -> None:
        async with running() as tree:
            await tree.pilot.double_click(SnapshotTreeView, offset=tree.place_of_ref("e9"))
            await tree.pilot.pause()

            [chosen] = tree.posted(SnapshotTreeView.RefChosen)
            assert chosen.ref == "e9"
            assert tree.view.cursor_ref == "e9"

    async def test_a_double_click_on_a_row_chooses_it(self) -> None:
        async with running() as tree:
            await tree.pilot.double_click(SnapshotTreeView, offset=tree.place_of("button"))
            await tree.pilot.pause()

            assert [message.ref for message in tree.posted(SnapshotTreeView.RefChosen)] == ["e10"]

    async def test_a_right_click_asks_for_the_actions_at_that_place(self) -> None:
        async with running() as tree:
            place = tree.place_of_ref("e10")
            await tree.pilot.click(SnapshotTreeView, offset=place, button=3)
            await tree.pilot.pause()

            [actions] = tree.posted(SnapshotTreeView.ActionsRequested)
            assert (actions.ref, actions.screen_offset) == ("e10", place)
            assert not tree.posted(SnapshotTreeView.RefChosen)

    async def test_a_click_on_the_fold_mark_folds(self) -> None:
        async with running() as tree:
            await tree.pilot.click(SnapshotTreeView, offset=tree.place_of("▾ main"))
            await tree.pilot.pause()

            assert "▸ main (5)" in "".join(tree.lines())

    async def test_a_click_beneath_the_last_row_does_nothing(self) -> None:
        async with running() as tree:
            await tree.pilot.click(SnapshotTreeView, offset=(5, HEIGHT - 1))
            await tree.pilot.pause()

            assert tree.view.cursor_ref == "e1"

    async def test_a_click_finds_its_row_inside_a_border_and_after_scrolling(self) -> None:
        async with running(many(200)) as tree:
            tree.view.styles.border = ("round", "red")
            await tree.press("end", "up")
            place = tree.place_of_ref("e190") + Offset(1, 1)
            await tree.pilot.click(SnapshotTreeView, offset=place)
            await tree.pilot.pause()

            assert [message.ref for message in tree.posted(SnapshotTreeView.RefChosen)] == ["e190"]

    async def test_a_ref_under_the_mouse_is_underlined(self) -> None:
        async with running() as tree:
            place = tree.place_of_ref("e2")

            await tree.pilot.hover(SnapshotTreeView, offset=place)
            await tree.pilot.pause()
            assert self.underlined(tree, 1) == "e2"
            await tree.pilot.hover(SnapshotTreeView, offset=place + Offset(0, 1))
            await tree.pilot.pause()
            assert self.underlined(tree, 1) == ""
            await tree.pilot.hover(SnapshotTreeView, offset=(1, HEIGHT - 1))
            await tree.pilot.pause()
            assert self.underlined(tree, 2) == ""

    def underlined(self, tree: Driver, y: int) -> str:
        return "".join(
            segment.text
            for segment in tree.view.render_line(y)
            if segment.style and segment.style.underline
        )

    async def test_the_wheel_scrolls_at_once_and_leaves_the_cursor(self) -> None:
        async with running(many(200)) as tree:
            wheel = events.MouseScrollDown(tree.view, 5, 5, 0, 0, 0, False, False, False)
            tree.view.post_message(wheel)
            await tree.pilot.pause()

            assert tree.view.scroll_offset.y == tree.app.scroll_sensitivity_y
            assert tree.view.cursor_ref == "e0"


class TestFilterAndSearch:
    async def test_a_filter_goes_to_the_first_match_from_where_it_was_typed(self) -> None:
        async with running() as tree:
            await tree.press("j", "j")
            for text in ("s", "sa", "save"):
                assert tree.view.filter(text) > 0

            assert tree.view.cursor_ref == "e10"
            tree.view.filter("")
            await tree.pilot.pause()
            assert tree.view.cursor_ref == "e10"
            assert tree.view.summary() == "10 nodes"

    async def test_clearing_a_filter_restores_the_cursor(self) -> None:
        async with running() as tree:
            await tree.press("j")

            tree.view.filter("gift")
            assert tree.view.cursor_ref == "e11"
            tree.view.filter("g")
            assert tree.view.cursor_ref == "e3"
            tree.view.filter("gzz")
            assert tree.view.cursor_node is None
            tree.view.filter("")
            assert tree.view.cursor_ref == "e2"

    async def test_ancestors_of_matches_are_dimmed(self) -> None:
        async with running() as tree:
            tree.view.filter("email")
            await tree.pilot.pause()

            [ancestor] = [part for part in tree.view.render_line(0) if part.text == "main"]
            assert tree.refs() == ["e6", "e9"]
            assert ancestor.style is not None
            assert ancestor.style.color == tree.view._part_style("ancestor").color

    async def test_a_filter_posts_the_number_of_matches(self) -> None:
        async with running() as tree:
            tree.view.filter("role:link")
            await tree.pilot.pause()

            [changed] = tree.posted(SnapshotTreeView.FilterChanged)
            assert (changed.shown, changed.problem) == (2, "")
            assert tree.view.summary() == "2 of 10 nodes"

    async def test_an_invalid_expression_is_reported_and_changes_nothing(self) -> None:
        async with running() as tree:
            tree.view.filter("email")
            tree.view.filter("re:(")
            await tree.pilot.pause()

            assert tree.view.filter_error.startswith("re:( is not a regular expression")
            assert tree.posted(SnapshotTreeView.FilterChanged)[-1].problem == tree.view.filter_error
            assert tree.refs() == ["e6", "e9"]
            tree.view.filter("re:(e)")
            assert tree.view.filter_error == ""
            tree.view.search("re:[")
            assert tree.view.search_error

    async def test_a_slow_expression_is_reported(self) -> None:
        text = f'- button "{"a" * 300}c" [ref=e1]\n- link "b" [ref=e2]'
        async with running() as tree:
            tree.view.show(parse_snapshot(text))
            tree.view.filter("re:(a|aa)+$")
            await tree.pilot.pause()

            assert tree.refs() == []
            assert "takes too long" in tree.view.filter_error
            assert tree.view.summary().startswith(tree.view.filter_error)
            tree.view.filter("re:b$")
            assert tree.refs() == ["e2"]
            assert tree.view.filter_error == ""
            tree.view.filter("")
            tree.view.search("re:(a|aa)+$")
            assert tree.view.summary().count("0 found")
            assert "takes too long" in tree.view.search_error

    async def test_a_search_goes_to_the_first_match_and_n_to_the_next(self) -> None:
        async with running() as tree:
            assert tree.view.check_action("search", ()) is False
            tree.view.search("cart")
            await tree.pilot.pause()

            assert len(tree.refs()) == 9
            assert tree.view.cursor_ref == "e5"
            assert await tree.press("n") == "e7"
            assert await tree.press("n") == "e5"
            tree.view.search("cart")
            assert tree.view.cursor_ref == "e5"
            assert await tree.press("N") == "e7"
            assert tree.view.summary() == "10 nodes · 2 found"

    async def test_the_next_match_is_found_in_a_fold(self) -> None:
        async with running() as tree:
            await tree.press("space")
            tree.view.search("role:link cart")
            await tree.pilot.pause()

            assert tree.view.cursor_ref == "e5"
            assert "e2" in tree.refs()

    async def test_a_search_without_matches_posts_a_message(self) -> None:
        async with running() as tree:
            tree.view.search("nothing at all")
            await tree.pilot.pause()

            [missed] = tree.posted(SnapshotTreeView.SearchMissed)
            assert missed.text == "nothing at all"

    async def test_controls_only_is_a_switch(self) -> None:
        async with running() as tree:
            await tree.press("I")
            assert tree.refs() == ["e1", "e2", "e3", "e5", "e6", "e9", "e10", "e11"]
            assert tree.posted(SnapshotTreeView.FilterChanged)[-1].shown == 5

            await tree.press("I")
            assert len(tree.refs()) == 9

    async def test_a_page_without_controls_shows_a_message(self) -> None:
        async with running("- paragraph: Hello") as tree:
            tree.view.view = "controls"
            await tree.pilot.pause()

            assert "No controls on this page" in "".join(tree.lines())


class TestRefresh:
    async def test_the_cursor_stays_on_its_ref_when_nodes_move(self) -> None:
        async with running() as tree:
            tree.view.go_to_ref("e9")
            moved = PAGE.replace("- banner", '- alert "New" [ref=e50]\n- banner', 1)

            await tree.show(moved)

            assert tree.view.cursor_ref == "e9"

    async def test_the_cursor_finds_an_element_that_was_rendered_again(self) -> None:
        async with running() as tree:
            tree.view.go_to_ref("e10")

            await tree.show(PAGE.replace("[ref=e10]", "[ref=e77]"))

            assert tree.view.cursor_ref == "e77"

    async def test_the_cursor_moves_up_when_its_node_is_removed(self) -> None:
        async with running() as tree:
            tree.view.go_to_ref("e10")

            await tree.show(PAGE.replace('  - button "Save draft" [disabled] [ref=e10]\n', ""))

            assert tree.view.cursor_ref == "e9"
            assert tree.view.summary().endswith(" · -1")

    async def test_folds_and_marks_stay(self) -> None:
        async with running() as tree:
            await tree.press("m", "space")

            await tree.show('- alert "New" [ref=e50]\n' + PAGE)

            assert tree.lines()[1].startswith("◆ ▸ banner (3)")

    async def test_the_cursors_row_stays_where_it_is_on_the_screen(self) -> None:
        async with running(many(200)) as tree:
            await tree.press("pagedown", "pagedown", "up", "up")
            before = next(ref.y for ref in tree.view.visible_refs() if ref.ref == "e28")

            page = many(200).render().split("\n")
            page[1:1] = [f'  - alert "{number}" [ref=e{number}]' for number in range(900, 907)]
            await tree.show("\n".join(page))

            assert tree.view.cursor_ref == "e28"
            assert ("e28", before) in [(ref.ref, ref.y) for ref in tree.view.visible_refs()]

    async def test_the_scroll_position_stays_when_the_cursor_is_not_visible(self) -> None:
        async with running(many(200)) as tree:
            tree.view.scroll_to(y=100, animate=False)
            await tree.pilot.pause()

            page = many(200).render().split("\n")
            page.insert(1, '  - alert "New" [ref=e900]')
            await tree.show("\n".join(page))

            assert tree.refs()[0] == "e100"
            assert tree.view.cursor_ref == "e0"

    async def test_a_shorter_page_leaves_no_empty_screen(self) -> None:
        async with running(many(200)) as tree:
            await tree.press("end")

            await tree.show(many(20))

            assert len(tree.refs()) == HEIGHT
            assert tree.view.cursor_ref == "e19"

    async def test_another_page_starts_at_the_top(self) -> None:
        async with running(None) as tree:
            await tree.show(many(200), url="https://a.test/")
            await tree.press("end")

            await tree.show(PAGE, url="https://b.test/")

            assert tree.view.cursor_ref == "e1"
            assert tree.view.scroll_offset.y == 0
            assert set(tree.gutters().values()) == {" "}

    async def test_new_and_changed_nodes_are_marked_until_the_next_tree(self) -> None:
        changed = PAGE.replace('"Home"', '"Start"') + '\n- alert "New" [ref=e50]'
        async with running() as tree:
            await tree.show(changed)

            gutters = tree.gutters()
            assert (gutters["e2"], gutters["e50"], gutters["e1"]) == ("~", "+", " ")
            assert tree.view.summary() == "11 nodes · +1 ~1"
            await tree.show(changed)
            assert set(tree.gutters().values()) == {" "}

    async def test_marks_of_changes_can_be_hidden(self) -> None:
        async with running() as tree:
            await tree.show(PAGE.replace('"Home"', '"Start"'))

            await tree.press("D")
            assert set(tree.gutters().values()) == {" "}
            assert tree.view.summary() == "10 nodes"
            await tree.press("D")
            assert tree.gutters()["e2"] == "~"

    async def test_a_filter_is_applied_to_the_next_tree(self) -> None:
        async with running() as tree:
            tree.view.filter("role:alert")

            await tree.show(PAGE + '\n- alert "New" [ref=e50]')

            assert tree.refs() == ["e50"]
            assert tree.posted(SnapshotTreeView.FilterChanged)[-1].shown == 1

    async def test_a_tree_set_before_mounting_is_shown(self) -> None:
        class EarlyApp(TreeApp):
            def compose(self) -> ComposeResult:
                view = SnapshotTreeView()
                view.show(parse_snapshot(PAGE))
                yield view

        app = EarlyApp()
        async with app.run_test(size=SIZE) as pilot:
            await pilot.pause()
            tree = Driver(app, pilot)

            assert await tree.press("down") == "e2"
            assert len(tree.refs()) == 9


class TestOwner:
    async def test_going_to_a_ref_unfolds_its_ancestors(self) -> None:
        async with running() as tree:
            await tree.press("space")

            assert tree.view.go_to_ref("e5")
            assert tree.view.cursor_ref == "e5"
            assert "e5" in tree.refs()

    async def test_a_missing_or_filtered_ref_cannot_be_gone_to(self) -> None:
        async with running() as tree:
            assert not tree.view.go_to_ref("e404")
            tree.view.filter("role:button")

            assert not tree.view.go_to_ref("e2")
            assert tree.view.cursor_ref == "e10"

    async def test_visible_refs_have_their_lines(self) -> None:
        async with running(many(200)) as tree:
            tree.view.go_to_ref("e150")
            await tree.pilot.pause()

            for ref, node, y in tree.view.visible_refs():
                assert node.ref == ref
                assert f"  {ref}" in tree.lines()[y]
            assert "e150" in tree.refs()


class Counting(SnapshotTreeView):
    """Counts what a paint costs."""

    drawn = 0

    def render_line(self, y: int) -> Any:
        type(self).drawn += 1
        return super().render_line(y)


class CountingApp(TreeApp):
    def compose(self) -> ComposeResult:
        yield Counting()


class TestSize:
    @pytest.mark.parametrize("count", [10_000, 50_000])
    @pytest.mark.thorough
    @pytest.mark.usefixtures("every_frame")
    async def test_only_the_lines_on_the_screen_are_drawn(self, count: int) -> None:
        app = CountingApp()
        async with app.run_test(size=SIZE) as pilot:
            tree = Driver(app, pilot)
            await tree.show(many(count))

            for step in ("down", "pagedown", "end", "minus", "E", "home", "space", "space"):
                Counting.drawn = 0
                await tree.press(step)
                # A fold lays the screen out and may paint it twice.
                assert 0 < Counting.drawn <= 2 * HEIGHT, step
            Counting.drawn = 0
            tree.view.filter("item 99")
            await pilot.pause()
            assert 0 < Counting.drawn <= 2 * HEIGHT
            Counting.drawn = 0
            await tree.show(many(count, "Other"))
            assert 0 < Counting.drawn <= 2 * HEIGHT

    @pytest.mark.usefixtures("every_frame")
    async def test_moving_the_cursor_draws_two_lines(self) -> None:
        app = CountingApp()
        async with app.run_test(size=SIZE) as pilot:
            tree = Driver(app, pilot)
            await tree.show(many(10_000))
            Counting.drawn = 0

            await tree.press("down")

            assert 0 < Counting.drawn <= 2

    @pytest.mark.thorough
    async def test_five_thousand_levels_are_shown_folded_and_filtered(self) -> None:
        levels = 5_000
        lines = [
            "  " * depth + f'- group "Level {depth}" [ref=e{depth}]:' for depth in range(levels)
        ]
        async with running("\n".join(lines)) as tree:
            assert await tree.press("end") == f"e{levels - 1}"
            assert all(f"[e{levels - 1 - y}]" in tree.lines()[-1 - y] for y in range(HEIGHT))
            assert "4999 │" in tree.lines()[-1]
            assert await tree.press("minus") == "e1"
            assert await tree.press("E", "end", "h") == f"e{levels - 2}"
            assert tree.view.filter("4999") == 1
            await tree.show("\n".join(lines))

            assert tree.view.cursor_ref == f"e{levels - 1}"
