"""Whether the terminal can show real pictures, and the widget that shows them there."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from textual.app import App, SuspendNotSupported
from textual.geometry import Size

if TYPE_CHECKING:
    from textual_image.widget import SixelImage, TGPImage

    PixelImage = type[SixelImage] | type[TGPImage]


def pixel_image(app: App[Any]) -> PixelImage | None:
    """The widget for this terminal; None where only letters can be shown.

    textual-image asks the terminal when it is imported, and reads the answer itself. So the app
    must not read at that moment, and steps aside; the first time only. It cannot do so without a
    terminal of its own, as in a web browser or in a test.
    """
    # Takes most of the time, and asks nothing.
    import_module("PIL.Image")
    try:
        with app.suspend():
            from textual_image.renderable import Image as best
            from textual_image.renderable.sixel import Image as Sixel
            from textual_image.renderable.tgp import Image as TGP
            from textual_image.widget import SixelImage, TGPImage
    except SuspendNotSupported:
        return None
    if best is Sixel:
        return SixelImage
    return TGPImage if best is TGP else None


def cell_pixels() -> Size:
    """A cell's size in pixels; only known after `pixel_image` found a widget."""
    from textual_image._terminal import get_cell_size

    return Size(*get_cell_size())
