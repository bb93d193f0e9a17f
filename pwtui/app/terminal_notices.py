"""Notifications of the terminal (OSC 9 or OSC 777) when something needs the user."""

from __future__ import annotations

import os
from collections.abc import Callable

from pwtui.app.notices import Notice
from pwtui.app.store import Store, StorePart
from pwtui.protocol.printable import one_line

KINDS = ("off", "osc9", "osc777")
LONGEST = 200


class TerminalNotices:
    """Sends each notice and each dialog once, while the terminal does not have the focus."""

    def __init__(self, store: Store, kind: Callable[[], str], is_away: Callable[[], bool]) -> None:
        self.write: Callable[[str], object] = lambda text: None
        self._store = store
        self._kind = kind
        self._is_away = is_away
        self._known: set[object] = set()
        store.listeners.append(self._changed)

    def _changed(self, part: StorePart) -> None:
        if part not in ("notices", "page"):
            return
        found: dict[object, str] = {(each.about, each.text): each.text for each in self._notices()}
        for profile, dialog in self._store.dialogs.items():
            text = f"{profile}: {dialog.info.type} {dialog.info.message}"
            found[profile, dialog.opened] = text
        new = [text for key, text in found.items() if key not in self._known]
        self._known = set(found)
        if self._is_away():
            for text in new:
                self.write(sequence(self._kind(), text))

    def _notices(self) -> list[Notice]:
        return self._store.notices.shown


def sequence(kind: str, text: str) -> str:
    """What makes a terminal show a notification; page text cannot end it."""
    shown = one_line(text)[:LONGEST].replace(";", ",")
    known = {"osc9": f"]9;pwtui: {shown}\x07", "osc777": f"]777;notify;pwtui;{shown}\x07"}
    if kind not in known:
        return ""
    # tmux drops it, except in an envelope that it passes on with `allow-passthrough`.
    before, after = ("\x1bPtmux;\x1b", "\x1b\\") if os.environ.get("TMUX") else ("", "")
    return f"{before}\x1b{known[kind]}{after}"
