"""The panel's colour themes, one TOML file each.

name = "harbour"
dark = true

[colors]        # of Textual's colour system; primary, foreground and background are needed
primary = "#6cb2d6"

[variables]     # Textual's CSS variables
border = "#8fd0a8"
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from textual.color import Color, ColorParseError
from textual.css.constants import VALID_STYLE_FLAGS
from textual.theme import Theme

COLORS = (
    *("primary", "secondary", "accent", "foreground", "background", "surface", "panel"),
    *("success", "warning", "error"),
)
NEEDED_COLORS = ("primary", "foreground", "background")


class ThemeError(ValueError):
    """An invalid theme file; the text names the file and the field."""


def load_theme(path: Path | Traversable) -> Theme:
    """Load a theme file. Raises ThemeError if it is invalid."""
    theme, problems = _read(path)
    if theme is None:
        raise ThemeError("\n".join(problems))
    return theme


def bundled_themes() -> list[Theme]:
    """The bundled themes, the default first."""
    themes = [load_theme(file) for file in _files(files(__name__))]
    return sorted(themes, key=lambda theme: theme.name != "harbour")


def themes_in(folder: Path) -> tuple[list[Theme], list[str]]:
    """The themes of a folder, and the problems of its files."""
    themes: dict[str, Theme] = {}
    problems: list[str] = []
    try:
        found = _files(folder)
    except FileNotFoundError:
        return [], []
    except OSError as error:
        return [], [f"{folder}: cannot be read ({error.strerror or error})"]
    for file in found:
        theme, troubles = _read(file)
        problems += troubles
        if theme is not None and theme.name in themes:
            problems.append(f"{file.name}: name: duplicate name {theme.name!r}")
        elif theme is not None:
            themes[theme.name] = theme
    return list(themes.values()), problems


def _files(folder: Path | Traversable) -> list[Path | Traversable]:
    names = sorted(
        (file.name, file)
        for file in folder.iterdir()
        if file.name.endswith(".toml") and not file.name.startswith(".")
    )
    return [file for _, file in names]


def _read(file: Path | Traversable) -> tuple[Theme | None, list[str]]:
    """The theme (None if the file is invalid), and the problems of the file."""
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        return None, [f"{file.name}: is not UTF-8 text"]
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return None, [f"{file.name}: is not TOML: {error}"]
    except OSError as error:
        return None, [f"{file.name}: cannot be read ({error.strerror or error})"]
    wrong = [f"{file.name}: {problem}" for problem in _wrong(data)]
    unknown = [f"{file.name}: {problem}" for problem in _unknown(data)]
    if wrong:
        return None, wrong + unknown
    variables = data.get("variables", {})
    known = {name: text for name, text in variables.items() if name in _known_variables()}
    colors = {name: text for name, text in data["colors"].items() if name in COLORS}
    theme = Theme(name=data["name"], dark=data.get("dark", True), variables=known, **colors)
    return theme, unknown


def _wrong(data: dict[str, Any]) -> Iterator[str]:
    """The problems that make the theme unusable."""
    name = data.get("name")
    if not isinstance(name, str) or not name.strip() or not name.isprintable() or "," in name:
        yield "name: must be one line of text without commas"
    if not isinstance(data.get("dark", True), bool):
        yield "dark: must be true or false"
    colors = data.get("colors")
    if not isinstance(colors, dict):
        yield "colors: missing table [colors]"
        return
    for name in NEEDED_COLORS:
        if name not in colors:
            yield f"colors.{name}: missing"
    for name, text in colors.items():
        if name in COLORS and not _is_color(text):
            yield f"colors.{name}: {text!r} is not a colour"
    variables = data.get("variables", {})
    if not isinstance(variables, dict):
        yield "variables: must be a table [variables]"
        return
    for name, text in variables.items():
        if name not in _known_variables():
            continue
        if "-style" in name:
            if not _is_text_style(text):
                yield f"variables.{name}: {text!r} is not a text style"
        elif not _is_color(text, variable=True):
            yield f"variables.{name}: {text!r} is not a colour"


def _unknown(data: dict[str, Any]) -> Iterator[str]:
    """The unknown keys, which are ignored."""
    for name in data:
        if name not in ("name", "dark", "colors", "variables"):
            yield f"{name}: unknown key"
    for table, known in (("colors", COLORS), ("variables", _known_variables())):
        names = data.get(table)
        for name in names if isinstance(names, dict) else ():
            if name not in known:
                yield f"{table}.{name}: unknown key"


@cache
def _known_variables() -> frozenset[str]:
    return frozenset(Theme(name="any", primary="#000000").to_color_system().generate())


def _is_color(text: object, variable: bool = False) -> bool:
    """Whether it is a colour; a variable may also have an opacity ("#6cb2d6 30%") or a keyword."""
    if not isinstance(text, str):
        return False
    color, _, strength = text.strip().partition(" ")
    if strength and not (variable and _is_percentage(strength)):
        return False
    if variable and color in ("auto", "initial", "transparent"):
        return True
    try:
        Color.parse(color)
    except ColorParseError:
        return False
    return True


def _is_percentage(text: str) -> bool:
    number = text.strip().removesuffix("%")
    return text.strip().endswith("%") and number.isascii() and number.isdigit()


def _is_text_style(text: object) -> bool:
    return isinstance(text, str) and bool(text) and set(text.split()) <= VALID_STYLE_FLAGS
