"""The line that names a node of the page and the nodes around it."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.events import Resize
from textual.widget import Widget

from pwtui.protocol.snapshot import SnapshotNode
from pwtui.widgets.text import cut, plain, width

_SEPARATOR = " › "
_LONGEST_NAME = 40


class Breadcrumb(Widget):
    """The path to a node; where there is no room for all of it, its end."""

    DEFAULT_CSS = """
    Breadcrumb { height: 1; padding: 0 1; color: $foreground-muted; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._path: Sequence[SnapshotNode] = ()

    def show(self, path: Sequence[SnapshotNode]) -> None:
        """Show the path from the outermost node to the innermost."""
        self._path = path
        self.refresh()

    def on_resize(self, event: Resize) -> None:
        self.refresh()

    def render(self) -> Content:
        *around, last = [_label(node) for node in self._path] or [""]
        room = self.content_size.width
        last = cut(last, room)
        shown = ""
        while around and width(around[-1] + _SEPARATOR + shown + last) <= room:
            shown = around.pop() + _SEPARATOR + shown
        if around and width("…" + _SEPARATOR + shown + last) <= room:
            shown = "…" + _SEPARATOR + shown
        return Content.assemble(shown, (last, "$foreground"))


def _label(node: SnapshotNode) -> str:
    name = cut(plain(node.name), _LONGEST_NAME) if node.name else ""
    return f'{plain(node.role)} "{name}"' if name else plain(node.role)
