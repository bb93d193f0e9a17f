"""Finds out whether the terminal can show images, and the widget for it."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from textual.app import App, SuspendNotSupported

if TYPE_CHECKING:
    from textual_image.widget import SixelImage, TGPImage

PixelImage: TypeAlias = "SixelImage | TGPImage"

_ASKS = "textual_image.widget"


def pixel_image(app: App[Any]) -> type[PixelImage] | None:
    """The image widget for this terminal; None if it can show text only."""
    if _ASKS not in sys.modules and not _ask_the_terminal(app):
        return None
    from textual_image import renderable, widget

    if renderable.Image is renderable.SixelImage:
        return widget.SixelImage
    return widget.TGPImage if renderable.Image is renderable.TGPImage else None


def _ask_the_terminal(app: App[Any]) -> bool:
    """Import textual-image, which queries the terminal on import and reads the reply.

    The app must not read the terminal meanwhile, so it is suspended. That is not possible without
    a terminal: in a web browser or in a test.
    """
    # Most of the import time, without a query.
    import_module("PIL.Image")
    failed = False
    try:
        with app.suspend():
            try:
                import_module(_ASKS)
            except Exception:
                # Whatever the terminal replies, the app must resume.
                failed = True
    except SuspendNotSupported:
        return False
    return not failed
