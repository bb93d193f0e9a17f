"""Whether the terminal can show real pictures, and the widget that shows them there."""

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
    """The widget for this terminal; None where only letters can be shown."""
    if _ASKS not in sys.modules and not _ask_the_terminal(app):
        return None
    from textual_image import renderable, widget

    if renderable.Image is renderable.SixelImage:
        return widget.SixelImage
    return widget.TGPImage if renderable.Image is renderable.TGPImage else None


def _ask_the_terminal(app: App[Any]) -> bool:
    """Import textual-image, which asks the terminal then and reads the answer itself.

    The app must not read at that moment, so it steps aside. It cannot where it has no terminal of
    its own: in a web browser or in a test.
    """
    # Takes most of the time, and asks nothing.
    import_module("PIL.Image")
    failed = False
    try:
        with app.suspend():
            try:
                import_module(_ASKS)
            except Exception:
                # Whatever a strange terminal answers: the app must come back.
                failed = True
    except SuspendNotSupported:
        return False
    return not failed
