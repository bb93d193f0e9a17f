"""Themes: every bundled one can be read by eye, every broken file is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.color import Color
from textual.theme import Theme
from textual.widgets import Button, Footer, Input, Static

from pwtui.themes import (
    COLORS,
    ThemeError,
    bundled_themes,
    load_theme,
    themes_in,
)

GOOD = """
name = "mine"
dark = false
[colors]
primary = "#224466"
foreground = "black"
background = "rgb(250,250,250)"
[variables]
border = "#884400"
block-cursor-text-style = "bold underline"
input-selection-background = "#224466 30%"
"""

every_theme = pytest.mark.parametrize("theme", bundled_themes(), ids=lambda theme: theme.name)


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2."""

    def luminance(text: str) -> float:
        rgb = Color.parse(text).rgb
        parts = [c / 255 for c in rgb]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def least(theme: Theme) -> float:
    return 7.0 if theme.name == "beacon" else 4.5


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


# Bundled themes ----------------------------------------------------------------------------------


def test_the_default_theme_is_first() -> None:
    names = [theme.name for theme in bundled_themes()]

    assert names[0] == "harbour"
    assert len(set(names)) == len(names) >= 5
    assert {theme.dark for theme in bundled_themes()} == {True, False}


def test_the_bundled_themes_have_no_problems() -> None:
    themes, problems = themes_in(Path(__file__).parents[2] / "themes")

    assert problems == []
    assert len(themes) == len(bundled_themes())


@every_theme
def test_a_bundled_theme_sets_every_colour(theme: Theme) -> None:
    assert [name for name in COLORS if getattr(theme, name) is None] == []


@every_theme
def test_text_is_readable_on_every_background(theme: Theme) -> None:
    assert theme.foreground
    grounds = {
        name: ground
        for name in ("background", "surface", "panel")
        if (ground := getattr(theme, name))
    }

    ratios = {name: contrast(theme.foreground, ground) for name, ground in grounds.items()}

    assert {name: ratio for name, ratio in ratios.items() if ratio < least(theme)} == {}


@every_theme
@pytest.mark.parametrize("ground", ["background", "surface"])
def test_coloured_text_is_readable(theme: Theme, ground: str) -> None:
    names = ("primary", "secondary", "accent", "success", "warning", "error")
    colors = {name: str(getattr(theme, name)) for name in names}
    quieter = ("foreground-muted", "foreground-disabled", "footer-key-foreground")
    colors |= {name: theme.variables[name] for name in quieter}

    ratios = {name: contrast(color, getattr(theme, ground)) for name, color in colors.items()}

    assert {name: ratio for name, ratio in ratios.items() if ratio < least(theme)} == {}


@every_theme
@pytest.mark.parametrize("cursor", ["block-cursor-background", "block-cursor-blurred-background"])
def test_text_is_readable_under_the_cursor(theme: Theme, cursor: str) -> None:
    foreground = theme.variables["block-cursor-foreground"]

    assert contrast(foreground, theme.variables[cursor]) >= 4.5


@every_theme
async def test_a_bundled_theme_can_be_used(theme: Theme) -> None:
    app = Dressed()
    async with app.run_test() as pilot:
        app.register_theme(theme)

        app.theme = theme.name
        await pilot.pause()

        assert app.query_one(Static).styles.color == Color.parse(theme.variables["border"])


class Dressed(App[None]):
    CSS = "Static { color: $border; background: $success 20%; }"

    def compose(self) -> ComposeResult:
        yield Static("text", markup=False)
        yield Input()
        yield Button("press")
        yield Footer()


# Files of users ----------------------------------------------------------------------------------


def test_a_file_becomes_a_theme(tmp_path: Path) -> None:
    theme = load_theme(write(tmp_path, "mine.toml", GOOD))

    assert (theme.name, theme.dark, theme.primary) == ("mine", False, "#224466")
    assert theme.variables["border"] == "#884400"


def test_a_missing_folder_has_no_themes(tmp_path: Path) -> None:
    assert themes_in(tmp_path / "nowhere") == ([], [])


def test_a_file_instead_of_the_folder_is_a_problem(tmp_path: Path) -> None:
    themes, problems = themes_in(write(tmp_path, "file", ""))

    assert themes == []
    assert len(problems) == 1


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name = ", "is not TOML"),
        (GOOD.replace('name = "mine"', ""), "name: must be one line"),
        (GOOD.replace('"mine"', "7"), "name: must be one line"),
        (GOOD.replace('"mine"', '"a\\u001b[2Jb"'), "name: must be one line"),
        (GOOD.replace("false", '"no"'), "dark: must be true or false"),
        ('name = "x"', "colors: missing table"),
        ('name = "x"\ncolors = 3', "colors: missing table"),
        (GOOD.replace('primary = "#224466"', ""), "colors.primary: missing"),
        (GOOD.replace('"#224466"\nf', '"#22446"\nf'), "colors.primary: '#22446' is not a colour"),
        (GOOD.replace('"black"', "[1]"), "colors.foreground: [1] is not a colour"),
        (GOOD.replace('"#884400"', '"} * {"'), "variables.border: '} * {' is not a colour"),
        (GOOD.replace('"bold underline"', '"loud"'), "variables.block-cursor-text-style: 'loud'"),
        (GOOD.replace("30%", "much"), "variables.input-selection-background: '#224466 much'"),
        ('name="x"\nvariables=1\n[colors]\nprimary="red"', "variables: must be a table"),
    ],
)
def test_an_invalid_file_is_a_problem_that_names_file_and_field(
    tmp_path: Path, text: str, problem: str
) -> None:
    path = write(tmp_path, "broken.toml", text)
    write(tmp_path, "good.toml", GOOD.replace("mine", "good"))

    themes, problems = themes_in(tmp_path)

    assert [theme.name for theme in themes] == ["good"]
    assert any(each.startswith("broken.toml: ") and problem in each for each in problems), problems
    with pytest.raises(ThemeError, match=r"broken\.toml"):
        load_theme(path)


def test_bytes_that_are_not_text_are_a_problem(tmp_path: Path) -> None:
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")

    assert themes_in(tmp_path) == ([], ["binary.toml: is not UTF-8 text"])


def test_a_folder_named_like_a_theme_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "folder.toml").mkdir()

    themes, problems = themes_in(tmp_path)

    assert themes == []
    assert problems[0].startswith("folder.toml: cannot be read")


def test_unknown_keys_are_reported_and_the_theme_is_used(tmp_path: Path) -> None:
    text = GOOD.replace("dark = false", "drak = true").replace(
        "[variables]", "[variables]\nrfe='#000'"
    )
    write(tmp_path, "typo.toml", text + "\n[extra]\n")

    themes, problems = themes_in(tmp_path)

    assert [theme.name for theme in themes] == ["mine"]
    assert problems == [
        "typo.toml: drak: unknown key",
        "typo.toml: extra: unknown key",
        "typo.toml: variables.rfe: unknown key",
    ]
    assert "rfe" not in themes[0].variables


def test_two_themes_of_the_same_name_are_a_problem(tmp_path: Path) -> None:
    write(tmp_path, "a.toml", GOOD)
    write(tmp_path, "b.toml", GOOD)

    themes, problems = themes_in(tmp_path)

    assert len(themes) == 1
    assert problems == ["b.toml: name: duplicate name 'mine'"]


def test_other_files_are_ignored(tmp_path: Path) -> None:
    write(tmp_path, "notes.txt", "hello")
    write(tmp_path, ".hidden.toml", "=")

    assert themes_in(tmp_path) == ([], [])
