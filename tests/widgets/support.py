"""What the tests of widgets share."""

from __future__ import annotations

from typing import Any

from textual.app import App
from textual.widget import Widget

from pwtui.widgets.text import width

# Texts that a page could put anywhere.
HOSTILE = [
    "[/]",
    "[bold]not bold[/bold]",
    "[@click=app.quit]press[/]",
    "[type=x, v={'a[0]'}]",
    "\x1b[31mred\x1b[0m\x07",
    "two\nlines\r\n\ttab",
    "👩‍👩‍👧 family 日本語 wide",
    "\u202eright to left",
    "",
    "x" * 500,
]


def shown(widget: Widget) -> str:
    """What is on the screen where the widget is, line by line."""
    region = widget.region
    lines = screen_cells(widget.app)[region.y : region.bottom]
    return "\n".join("".join(line[region.x : region.right]).rstrip() for line in lines)


def screen_cells(app: App[Any]) -> list[list[str]]:
    """The letters of the whole screen; the second cell of a wide one is empty."""
    lines = []
    for strip in app.screen._compositor.render_strips():
        cells: list[str] = []
        for letter in strip.text:
            cells += [letter, *[""] * (width(letter) - 1)]
        lines.append(cells)
    return lines


def controls(app: App[Any]) -> set[str]:
    """The control characters on the screen; there must be none."""
    return {letter for line in screen_cells(app) for letter in line if letter and ord(letter) < 32}


def shadowing(widget: Widget, base: type[Widget]) -> list[str]:
    """The own fields of a widget whose names Textual uses, too."""
    own = vars(widget).keys() - vars(base()).keys()
    return sorted(name for name in own if hasattr(base, name))
