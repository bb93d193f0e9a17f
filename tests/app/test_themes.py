"""Themes and keymaps: bundled ones, the user's, and invalid ones."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import AsyncMock, patch

import pytest
from rich.color import Color

from pwtui.app.app import PanelApp
from pwtui.app.controller import Controller
from pwtui.app.screens.help import HelpScreen
from pwtui.app.screens.main import MainScreen
from pwtui.app.settings import PastRequest, Settings
from pwtui.state.workspace import Workspace
from pwtui.themes import bundled_themes
from tests.app.fixed import fixed_panel
from tests.app.panel import Panel
from tests.themes.test_themes import contrast, least
from tests.waiting import until

MINE = """
name = "mine"
[colors]
primary = "#336699"
foreground = "#eeeeee"
background = "{background}"
"""


def unreadable(panel: Panel, least: float) -> set[tuple[str, str, str, float]]:
    """Words on the top screen with less contrast, and their colours."""
    screen = panel.app.screen
    boxes = screen.query("#box, .dialog--box")
    shown = boxes.first().region if boxes and screen is not panel.main else screen.region
    found = set()
    for y, strip in enumerate(screen._compositor.render_strips()):
        for segment in strip.crop(shown.x, shown.right) if shown.contains(shown.x, y) else ():
            style = segment.style
            if style is None or not any(letter.isalnum() for letter in segment.text):
                continue
            assert not style.dim, segment.text
            assert style.color is not None
            assert style.bgcolor is not None
            color, ground = style.color.get_truecolor().hex, style.bgcolor.get_truecolor().hex
            if (ratio := contrast(color, ground)) < least:
                found.add((segment.text.strip(), color, ground, round(ratio, 2)))
    return found


def colors(panel: Panel) -> set[Color | None]:
    return {
        segment.style.bgcolor
        for strip in panel.app.screen._compositor.render_strips()
        for segment in strip
        if segment.style
    }


PLACES = {
    "tree and detail": ("9", "enter", "4"),
    "sessions": ("2",),
    "console and filter": ("5", "slash", "x"),
    "storage": ("7",),
    "palette": ("ctrl+p", "p", "a"),
    "form": ("ctrl+p", *"emulate", "enter"),
}
MORE_PLACES = {
    "keys": ("question_mark",),
    "profile": ("1", "e", "tab"),
    "question": ("1", "delete"),
    "prompt": ("u",),
    "menu": ("4", "a"),
    "keywords": ("colon", "c", "l"),
}


@pytest.mark.parametrize(
    "place",
    [*PLACES, *(pytest.param(place, marks=pytest.mark.thorough) for place in MORE_PLACES)],
)
async def test_every_text_is_readable_in_every_theme(user: Path, place: str) -> None:
    async with fixed_panel() as panel:
        await panel.press(*(PLACES | MORE_PLACES)[place])
        panel.tree.show(panel.tree.snapshot, stale=place == "sessions")
        for theme in bundled_themes():
            panel.app.theme = theme.name
            await panel.pilot.pause()
            assert unreadable(panel, least(theme)) == set(), theme.name
            assert Color.parse(str(theme.background)) in colors(panel), theme.name


async def test_the_theme_is_saved(user: Path) -> None:
    async with fixed_panel() as panel:
        await panel.press("ctrl+t")
        await panel.until(lambda: "daylight" in panel.screen_text, "the themes")
        panel.app.screen.dismiss("daylight")
        await panel.until(lambda: panel.app.theme == "daylight", "the theme")

        # At once: a terminal that is killed does not end the panel first.
        await panel.until(lambda: Settings().now.theme == "daylight", "the theme on disk")

    async with fixed_panel() as panel:
        assert panel.app.theme == "daylight"


def test_two_panels_keep_what_the_other_changed(user: Path) -> None:
    one, other = Settings(), Settings()
    past = PastRequest(workspace="/shop", request={"op": "page.title", "input": {}})
    one.set_theme("daylight")
    one.close()
    other.set_split("split-log", 12)
    other.remember(past)
    other.close()

    now = Settings().now
    assert (now.theme, now.splits, now.history) == ("daylight", {"split-log": 12}, [past])


BROKEN = [
    ("state/pwtui/panel.json", '{"history": 7}'),
    ("state/pwtui/panel.json", '{"history": [7]}'),
    ("state/pwtui/panel.json", '{"splits": []}'),
    ("state/pwtui/panel.json", '{"theme": 5}'),
    ("state/pwtui/panel.json", "[]"),
    ("state/pwtui/panel.json", "\x00"),
    ("config/pwtui/keymap.toml", "keys = 5"),
    ("config/pwtui/keymap.toml", '[keys]\nhelp = ""'),
    ("config/pwtui/keymap.toml", "a = " + "[" * 5000),
    ("config/pwtui/themes/bad.toml", "colors = 5"),
    ("config/pwtui/themes/bad.toml", "a = " + "[" * 5000),
]


@pytest.mark.parametrize(("file", "text"), BROKEN)
async def test_an_invalid_file_is_ignored_and_reported_once(
    user: Path, file: str, text: str
) -> None:
    path = user / file
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")

    app = PanelApp(Workspace(user))
    with patch.object(Controller, "run", AsyncMock()):
        async with app.run_test() as pilot:
            await until(lambda: isinstance(app.screen, MainScreen), "the main screen")
            await pilot.pause()
            assert [path.name in each.message for each in app._notifications] == [True]
            app.use_theme("daylight")
    assert Settings().now.theme == "daylight"


def test_the_history_of_an_older_version_is_not_used(user: Path) -> None:
    path = user / "state/pwtui/panel.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"theme": "daylight", "history": [{"op": "click"}]}', encoding="utf-8")

    settings = Settings()
    assert (settings.problem, settings.now.theme, settings.now.history) == ("", "daylight", [])


async def test_a_user_theme_is_offered_and_reloaded_after_an_edit(user: Path) -> None:
    folder = user / "config" / "pwtui" / "themes"
    folder.mkdir(parents=True)
    (folder / "mine.toml").write_text(MINE.format(background="#101010"), encoding="utf-8")
    async with fixed_panel() as panel:
        panel.app.theme = "mine"
        await panel.until(lambda: Color.parse("#101010") in colors(panel), "its background")
        await panel.pilot.pause(0.5)

        (folder / "mine.toml").write_text(MINE.format(background="#202030"), encoding="utf-8")

        await panel.until(lambda: Color.parse("#202030") in colors(panel), "the new background")
        assert panel.app.theme == "mine"


async def test_an_invalid_theme_and_an_invalid_keymap_are_reported_and_ignored(user: Path) -> None:
    folder = user / "config" / "pwtui" / "themes"
    folder.mkdir(parents=True)
    (folder / "bad.toml").write_text('name = "[/bad]"\n[colors]\nprimary = "[/]"', encoding="utf-8")
    (user / "config" / "pwtui" / "keymap.toml").write_text("[keys\n", encoding="utf-8")

    async with fixed_panel(toasts=True) as panel:
        await panel.until(lambda: "bad.toml" in panel.screen_text, "a toast on the screen")
        assert any("bad.toml" in each for each in panel.toasts)
        assert any("keymap.toml" in each for each in panel.toasts)
        await panel.shows("Corner Store")


async def test_the_keymap_changes_the_keys(user: Path) -> None:
    path = user / "config" / "pwtui" / "keymap.toml"
    path.parent.mkdir(parents=True)
    path.write_text('[keys]\nhelp = "f1"\nzoom = "f10"\n"tree.fold" = 5\n', encoding="utf-8")

    async with fixed_panel() as panel:
        await panel.until(
            lambda: any("tree.fold" in each for each in panel.toasts), "what is wrong"
        )
        await panel.press("question_mark")
        assert panel.app.screen is panel.main
        await panel.press("f1")
        await panel.screen(HelpScreen)
        await panel.press("escape")
        await panel.home()
        await panel.press("f10")
        await panel.until(lambda: panel.main.maximized is not None, "the zoom")


async def test_without_colour_everything_can_still_be_read(
    user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with fixed_panel() as panel:
        assert panel.app.no_color
        await panel.shows("Corner Store")
        svg = panel.app.export_screenshot()
        assert "Corner" in svg
