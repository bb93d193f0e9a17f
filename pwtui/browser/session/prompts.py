"""Dialogs and file choosers that a page opens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from playwright.async_api import Dialog, FileChooser, Page

from pwtui.protocol.errors import SessionError
from pwtui.protocol.model import WireModel
from pwtui.protocol.models import DialogInfo

CHOOSER_SECONDS = 1.0


class ChooserInfo(WireModel):
    """An open file chooser. It blocks nothing."""

    multiple: bool


class Prompts:
    """The dialog and the file chooser that are open in a page.

    A chooser that is caught is not shown by the browser. In a browser that a person uses too
    (`is_ours` is false), they are caught only while we act.

    Playwright closes a dialog at once when no client listens. Without `keeps_dialogs` that does not
    change: a dialog is known when it has closed.
    """

    def __init__(
        self,
        page: Page,
        on_change: Callable[[str], None],
        *,
        is_ours: bool,
        keeps_dialogs: bool = True,
    ) -> None:
        self._page = page
        self._on_change = on_change
        self._dialog: Dialog | None = None
        self._chooser: FileChooser | None = None
        self.chooser_seen = asyncio.Event()
        self._catching = 0
        self._keeps_dialogs = keeps_dialogs
        if keeps_dialogs:
            page.on("dialog", self._on_dialog)
        page.on("dialogclosed", self._on_dialog_closed)
        if is_ours:
            self.catch_choosers()

    @property
    def open(self) -> tuple[Dialog | None, FileChooser | None]:
        """To compare with what is open later."""
        return self._dialog, self._chooser

    @property
    def has_dialog(self) -> bool:
        return self._dialog is not None

    @property
    def dialog(self) -> DialogInfo | None:
        if self._dialog is None:
            return None
        return DialogInfo.model_validate(
            {
                "type": self._dialog.type,
                "message": self._dialog.message,
                "defaultValue": self._dialog.default_value or None,
            }
        )

    async def answer(self, *, accept: bool, text: str | None = None) -> DialogInfo:
        info, dialog = self.dialog, self._dialog
        if info is None or dialog is None:
            raise SessionError("no dialog is open in this tab")
        self._dialog = None
        if not accept:
            await dialog.dismiss()
        elif text is None and dialog.type != "prompt":
            await dialog.accept()
        else:
            await dialog.accept(dialog.default_value if text is None else text)
        return info

    @property
    def chooser(self) -> ChooserInfo | None:
        return ChooserInfo(multiple=self._chooser.is_multiple()) if self._chooser else None

    def take_chooser(self) -> FileChooser | None:
        """The open file chooser, which no longer counts as open."""
        chooser, self._chooser = self._chooser, None
        return chooser

    def catch_choosers(self) -> None:
        self._catching += 1
        if self._catching == 1:
            self._page.on("filechooser", self._on_chooser)

    def release_choosers(self, linger: float = 0.0) -> None:
        """Stop intercepting file choosers, with a delay: one may open after the action."""
        loop = asyncio.get_running_loop()
        loop.call_later(CHOOSER_SECONDS + linger, self._release_choosers)

    def _release_choosers(self) -> None:
        self._catching -= 1
        if self._catching == 0 and not self._page.is_closed():
            self._page.remove_listener("filechooser", self._on_chooser)

    def _on_dialog(self, dialog: Dialog) -> None:
        self._dialog = dialog
        self._on_change("dialog")

    def _on_dialog_closed(self, dialog: Dialog) -> None:
        if not self._keeps_dialogs:
            self._on_dialog(dialog)
        if dialog is self._dialog:
            self._dialog = None
        self._on_change("dialogclosed")

    def _on_chooser(self, chooser: FileChooser) -> None:
        self._chooser = chooser
        self._on_change("filechooser")
        self.chooser_seen.set()
