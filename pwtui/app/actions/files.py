"""Asks for files to read and to write."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING

from pwtui.widgets.dialogs import ConfirmDialog

if TYPE_CHECKING:
    from pwtui.app.app import PanelApp


async def ask_files(
    app: PanelApp, title: str, *, suffixes: Collection[str] = (), several: bool = False
) -> list[Path]:
    """Existing files; none if the user cancels."""
    from pwtui.widgets.path_dialog import PathDialog

    dialog = PathDialog(title, folder=Path.cwd(), suffixes=suffixes, several=several)
    text = await app.push_screen_wait(dialog)
    return [] if text is None else dialog.paths(text)


async def ask_target(
    app: PanelApp,
    title: str,
    value: str,
    *,
    suffixes: Collection[str] = (),
    validate: Callable[[str], str | None] | None = None,
) -> Path | None:
    """A file to write, after a question if it exists; None if the user cancels."""
    from pwtui.widgets.path_dialog import PathDialog

    dialog = PathDialog(
        title,
        folder=Path.cwd(),
        value=value,
        suffixes=suffixes,
        accept="Save",
        saves=True,
        validate=validate,
    )
    text = await app.push_screen_wait(dialog)
    if text is None:
        return None
    (path,) = dialog.paths(text)
    if path.exists():
        replace = ConfirmDialog("Replace this file?", losses=[str(path)], confirm="Replace")
        if not await app.push_screen_wait(replace):
            return None
    return path
