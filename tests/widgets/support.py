"""What the tests of widgets share."""

from __future__ import annotations

from textual.app import App
from textual.widget import Widget

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
    lines = screen_lines(widget.app)
    return "\n".join(
        line[region.x : region.right].rstrip() for line in lines[region.y : region.bottom]
    )


def screen_lines(app: App[object]) -> list[str]:
    """The text of the whole screen. Cells of wide letters are kept in step with an empty one."""
    strips = app.screen._compositor.render_strips()
    lines = []
    for strip in strips:
        cells: list[str] = []
        for segment in strip:
            for letter in segment.text:
                cells.append(letter)
        lines.append("".join(cells))
    return lines


def controls(app: App[object]) -> set[str]:
    """The control characters on the screen; there must be none."""
    return {letter for line in screen_lines(app) for letter in line if ord(letter) < 32}
