"""The stylesheets of the widgets, one file per class."""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).with_name("styles")


def stylesheet(name: str) -> str:
    """The default style of a widget."""
    return (_FOLDER / f"{name}.tcss").read_text(encoding="utf-8")
