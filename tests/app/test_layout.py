"""Panes, filters, sizes, help and jump mode."""

from __future__ import annotations

import json
from pathlib import Path

from pwtui.app.panes.panes import PANES
from pwtui.app.screens.help import HelpScreen
from pwtui.app.screens.jump import JumpLabel, JumpScreen
from pwtui.app.screens.operation import OperationScreen
from pwtui.app.screens.palette import PaletteScreen
from pwtui.widgets.envelope_detail import EnvelopeDetail
from pwtui.widgets.picker import Picker, PickerList
from pwtui.widgets.splitter import Splitter
from tests.app.conftest import Opens
from tests.app.panel import Panel
from tests.site import TestSite


async def test_a_slash_filters_the_tree_and_escape_clears_the_filter(
    open_kept: Opens, site: TestSite
) -> None:
    async with open_kept(url=site.url("/form.html")) as panel:
        await panel.shows("Password", "#tree")

        await panel.press("slash")
        await panel.type("re:(")
        await panel.below("#tree-pane", "not a regular expression: missing )")
        assert panel.main.query_one("#tree-filter").has_class("-wrong")
        keys = panel.screen_text.splitlines()[-1]
        assert keys.startswith(" ⏎ keep filter  ")
        assert keys.endswith("  ^p palette  esc show all")
        await panel.shows("Password", "#tree")
        await panel.clear()
        await panel.type("role:button")

        await panel.until(lambda: "Password" not in panel.text("#tree"), "the filter")
        await panel.shows("Submit", "#tree")
        await panel.below("#tree-pane", " of ")
        assert not panel.main.query_one("#tree-filter").has_class("-wrong")
        await panel.press("enter")
        assert panel.tree.has_focus
        assert "Password" not in panel.text("#tree")
        await panel.press("escape")
        await panel.until(lambda: "I agree" in panel.text("#tree"), "the whole tree")
        assert not panel.main.query_one("#tree-filter").display


async def test_a_slash_in_the_log_filters_the_log(open_kept: Opens, site: TestSite) -> None:
    async with open_kept(url=site.url("/form.html")) as panel:
        panel.app.send(panel.app.controller.request("profile.list"))
        await panel.answer("profile.list")
        await panel.shows("navigate", "#log")

        await panel.press("9", "slash")
        await panel.type("is:odd")
        await panel.below("#log-pane", "unknown state is:odd")
        assert panel.main.query_one("#log-filter").has_class("-wrong")
        await panel.clear()
        await panel.type("op:profile.list")

        await panel.until(lambda: "navigate" not in panel.text("#log"), "the filter")
        assert [each.op for each in panel.log.store.shown()] == ["profile.list"]
        await panel.below("#log-pane", "1 of 2")
        await panel.press("escape")
        await panel.until(lambda: "navigate" in panel.text("#log"), "the whole log")
        assert panel.log.has_focus


async def test_ctrl_f_finds_in_the_tree_the_log_and_the_detail(
    open_kept: Opens, site: TestSite
) -> None:
    async with open_kept(url=site.url("/form.html")) as panel:
        await panel.press("ctrl+f")
        await panel.type("role:textbox password")
        await panel.press("enter")
        await panel.until(lambda: panel.tree.has_focus, "the tree")
        node = panel.tree.cursor_node
        assert node is not None
        assert node.name == "Password"
        await panel.shows('heading "Form"', "#tree")
        await panel.below("#tree-pane", "1 found")

        await panel.press("9", "ctrl+f")
        await panel.type("nowhere")
        await panel.press("enter")
        missed = "No matches for nowhere"
        await panel.until(lambda: missed in panel.toasts, "that there is none")
        await panel.press("enter", "0", "ctrl+f")
        await panel.type("effectiveRuntime")
        await panel.press("enter")
        detail = panel.main.query_one(EnvelopeDetail)
        await panel.until(lambda: detail.has_focus, "the detail")
        assert "effectiveRuntime" in detail.line_text(detail.cursor)

        await panel.press("escape")
        assert detail.search_text == ""
        assert panel.shows_detail
        await panel.press("escape")
        assert not panel.shows_detail
        await panel.press("4", "escape")
        await panel.until(lambda: "found" not in panel.tree.summary(), "the end of the search")


async def test_digits_focus_the_panes_and_z_zooms(open: Opens) -> None:
    async with open() as panel:
        for pane in PANES:
            await panel.press(pane.key)

            assert panel.main.focused is not None
            assert panel.main.focused.id == pane.id
        await panel.press("escape")
        assert not panel.shows_detail
        assert panel.log.has_focus

        await panel.press("z")

        await panel.until(lambda: panel.main.query_one("#log-pane").size.width > 110, "the zoom")
        await panel.until(lambda: "1 Profiles" not in panel.screen_text, "no other pane")
        await panel.press("z")
        await panel.until(lambda: "1 Profiles" in panel.screen_text, "all panes")
        await panel.press("4", "z")
        await panel.until(lambda: panel.tree.size.width > 110, "the zoom")
        await panel.press("escape")
        await panel.until(lambda: "1 Profiles" in panel.screen_text, "all panes")


async def test_sizes_are_changed_by_keys_and_mouse_and_saved(open: Opens, user: Path) -> None:
    async with open() as panel:
        left, page = panel.main.query_one("#left"), panel.main.query_one("#tree-pane")
        width, height = left.size.width, page.size.height

        await panel.press("greater_than_sign", "greater_than_sign", "left_curly_bracket")

        await panel.until(lambda: left.size.width == width + 4, "a wider left side")
        await panel.until(lambda: page.size.height == height + 1, "a lower log")
        splitter = panel.main.query_one("#split-left", Splitter)
        await panel.pilot.mouse_down(splitter, offset=(0, 5))
        await panel.pilot.hover(splitter, offset=(6, 5))
        await panel.pilot.mouse_up(splitter, offset=(0, 5))
        await panel.until(lambda: left.size.width > width + 4, "dragged to the right")
        dragged = left.size.width

    kept = json.loads((user / "state" / "pwtui" / "panel.json").read_bytes())
    assert kept["splits"]["split-left"] == dragged

    async with open() as panel:
        left = panel.main.query_one("#left")
        await panel.until(lambda: left.size.width == dragged, "as it was")
        await panel.press("equals_sign")
        await panel.until(lambda: left.size.width == width, "as at first")

    kept = json.loads((user / "state" / "pwtui" / "panel.json").read_bytes())
    assert kept["splits"] == {}


async def test_help_lists_the_keys_of_all_panes(open: Opens) -> None:
    async with open() as panel:
        await panel.press("2")
        await panel.press("question_mark")
        help = await panel.screen(HelpScreen)

        picker = help.query_one(Picker)
        await panel.until(lambda: picker.hit_count > 60, "the keys")
        rows = picker.query_one(PickerList)._rows
        headings = [row.heading for row in rows if row.heading]
        others = [pane.title for pane in PANES if pane.id not in ("sessions", "detail")]
        assert headings == ["Sessions", "Everywhere", *others, "Detail", "All lists"]
        titles = [row.item.title for row in rows if not row.heading]
        assert [each for each in titles if each.endswith("  up")] == ["↑ k            up"]
        ours = [each for each in titles if "Screen" in each or "super" in each]
        assert ours == [], "names of the framework"
        await panel.type("go to url")
        await panel.until(lambda: help.query_one(Picker).hit_count < 5, "the search")
        item = help.query_one(Picker).highlighted_item
        assert item is not None
        assert "go to URL" in item.title
        assert item.title.startswith("u ")
        assert "goto" in item.help
        await panel.press("escape")
        await panel.home()


async def test_the_footer_shows_the_keys_of_the_pane_that_has_the_focus(open: Opens) -> None:
    async with open(size=(200, 40)) as panel:
        footers = {}
        for digit in "123":
            await panel.press(digit)
            await panel.pilot.pause()
            footers[digit] = panel.screen_text.splitlines()[-1]

        assert "n new" in footers["1"]
        assert "e edit  d duplicate  f2 rename" in footers["1"]
        assert "actions" in footers["2"]
        assert "r restart" in footers["3"]


async def test_jump_mode_goes_to_a_ref_and_to_a_pane(open_kept: Opens, site: TestSite) -> None:
    async with open_kept(url=site.url("/form.html")) as panel:
        ref = panel.ref("textbox", "Name")

        await _jump(panel, ref)

        await panel.until(lambda: panel.tree.cursor_ref == ref, "the cursor on the ref")
        assert panel.tree.has_focus
        await _jump(panel, panel.main.query_one("#log-pane"))
        await panel.until(lambda: panel.log.has_focus, "the log")
        await panel.press("ctrl+o")
        await panel.screen_of(JumpScreen)
        await panel.press("escape")
        await panel.home()
        assert panel.log.has_focus
        assert panel.entries("click") == []


async def _jump(panel: Panel, target: object) -> None:
    await panel.press("ctrl+o")
    jump = await panel.screen_of(JumpScreen)
    label = next(label for label, (_, where) in jump._targets.items() if where == target)
    assert label in [str(each.content) for each in jump.query(JumpLabel)]
    await panel.press(*label)
    await panel.home()


async def test_a_small_terminal_shows_one_pane_at_a_time(open_kept: Opens, site: TestSite) -> None:
    async with open_kept(url=site.url("/form.html"), size=(80, 24)) as panel:
        assert panel.tree.size.width >= 76
        await panel.shows("[4 Tree]", "#tabs")
        await panel.shows('heading "Form"', "#tree")
        for digit, name in enumerate(("profiles", "sessions", "daemon"), start=1):
            await panel.press(str(digit))
            pane = panel.main.query_one(f"#{name}")
            await panel.until(lambda pane=pane: pane.size.width >= 76, name)  # type: ignore[misc]
            assert pane.size.height >= 15
            assert not panel.tree.region.area
        daemon = await panel.until(lambda: panel.store.daemon, "the daemon's facts")
        assert daemon is not None
        pid = str(daemon.pid)
        await panel.until(lambda: pid in panel.text("#daemon"), "its pid")
        await panel.press("9")
        await panel.until(lambda: panel.log.size.width >= 74, "the log")
        assert panel.log.size.height >= 15
        await panel.shows("navigate", "#log")
        await panel.press("enter")
        await panel.until(lambda: panel.detail.has_focus, "the detail")
        await panel.until(lambda: panel.detail.size.width >= 74, "the whole width")
        assert not panel.log.region.area
        await panel.shows("[0 Detail]", "#tabs")
        await panel.press("escape")
        await panel.until(lambda: panel.log.size.width >= 74, "the log again")
        await panel.press("enter", "4")
        await panel.until(lambda: panel.tree.size.width >= 76, "the page again")
        assert panel.tree.has_focus


async def test_a_large_terminal_shows_the_detail_beside_the_log_and_it_follows_the_cursor(
    open_kept: Opens, site: TestSite, copied: list[str]
) -> None:
    async with open_kept(url=site.url("/form.html"), size=(200, 60)) as panel:
        panel.app.send(panel.app.controller.request("profile.list"))
        await panel.answer("profile.list")
        await panel.press("9", "enter")
        await panel.until(lambda: panel.detail.entry is not None, "the detail")
        assert panel.detail.entry is panel.entries("profile.list")[0]
        await panel.shows("profile.list", "#detail")
        log, detail = panel.log.region, panel.detail.region
        assert detail.x >= log.right
        assert detail.y <= log.y <= detail.bottom
        assert min(log.width, detail.width) >= 60

        await panel.press("9", "up")

        await panel.until(
            lambda: panel.detail.entry is panel.entries("navigate")[0], "the one above"
        )
        await panel.press("y")
        await panel.until(lambda: copied, "a copy")
        assert json.loads(copied[0])["op"] == "navigate"
        await panel.press("r")
        again = await panel.answer("navigate", 2)
        assert again.ok
        assert again.request["input"] == panel.entries("navigate")[0].request["input"]


async def test_in_a_narrow_terminal_a_window_uses_all_of_it(open_kept: Opens) -> None:
    async with open_kept(size=(80, 24)) as panel:
        await panel.press("ctrl+p")
        await panel.screen(PaletteScreen)
        await panel.type("navigate")
        _, *window, keys = panel.screen_text.splitlines()
        assert [len(line) for line in window] == [80] * 22
        assert keys.endswith("esc close")

        await panel.press("enter")
        form = await panel.screen(OperationScreen)
        assert not form.query_one("#side").display
        await panel.press("f7")
        await panel.until(lambda: form.query_one("#side").display, "the JSON")
        assert not form.query_one("#forms").display
