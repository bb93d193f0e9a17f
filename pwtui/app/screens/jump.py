"""Jump mode: a label for every visible ref and pane."""

from __future__ import annotations

from itertools import product
from typing import Any

from textual import events
from textual.app import ComposeResult
from textual.content import Content
from textual.geometry import Offset
from textual.screen import Screen
from textual.widgets import Static

from pwtui.widgets.modal import Modal
from pwtui.widgets.snapshot_tree import SnapshotTreeView

_LETTERS = "asdfghjklqwertyuiopzxcvbnm"


class JumpLabel(Static):
    DEFAULT_CSS = """
    JumpLabel {
        position: absolute;
        width: auto;
        height: 1;
        background: $warning;
        color: $background;
        text-style: bold;
        padding: 0 1;
    }
    """


class JumpScreen(Modal[None]):
    """Type a label to move the cursor there; escape closes."""

    DEFAULT_CSS = "JumpScreen { background: transparent; }"

    def __init__(self, over: Screen[Any], tree: SnapshotTreeView) -> None:
        super().__init__()
        self._over = over
        self._tree = tree
        self._typed = ""
        self._targets: dict[str, tuple[Offset, Any]] = {}

    def compose(self) -> ComposeResult:
        refs = self._tree.visible_refs()
        panes = [pane for pane in self._over.query(".pane") if pane.display and pane.region.area]
        labels = _labels(len(refs) + len(panes))
        corner = self._tree.content_region.offset
        for label, visible in zip(labels, refs, strict=False):
            self._targets[label] = (corner + Offset(0, visible.y), visible.ref)
        for label, pane in zip(labels[len(refs) :], panes, strict=False):
            self._targets[label] = (pane.region.offset + Offset(2, 0), pane)
        for label, (offset, _) in self._targets.items():
            mark = JumpLabel(Content(label), markup=False)
            mark.styles.offset = offset
            yield mark

    def on_key(self, event: events.Key) -> None:
        event.stop()
        if event.key in ("escape", "ctrl+g") or event.character is None:
            self.dismiss()
            return
        self._typed += event.character
        if self._typed in self._targets:
            target = self._targets[self._typed][1]
            self.dismiss()
            if isinstance(target, str):
                self._tree.go_to_ref(target)
                self._tree.focus()
            else:
                focusable = next((w for w in target.query("*") if w.can_focus), target)
                focusable.focus()
        elif not any(label.startswith(self._typed) for label in self._targets):
            self.dismiss()


def _labels(count: int) -> list[str]:
    """Labels of the same length, so that none is a prefix of another."""
    if count <= len(_LETTERS):
        return list(_LETTERS[:count])
    return ["".join(pair) for pair in product(_LETTERS, _LETTERS)][:count]
