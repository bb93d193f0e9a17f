"""Draws a row of the snapshot tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from pwtui.protocol.bounded_regex import Expression
from pwtui.protocol.snapshot import SnapshotNode
from pwtui.widgets.text import cut, plain, width
from pwtui.widgets.tree_changes import ADDED, CHANGED
from pwtui.widgets.tree_roles import RoleKind, kind_of
from pwtui.widgets.tree_rows import TreeRow

# The parts of a row; each is a component class of the widget.
PARTS: Final = (
    *("cursor", "pointer", "mark", "added", "changed", "guide", "fold", "name", "text", "state"),
    *("prop", "ref", "ref-hover", "count", "match", "ancestor"),
    *(f"role-{kind}" for kind in RoleKind),
)

# Muted parts use the cursor's colour in its row, to be readable.
_MUTED: Final = frozenset(
    ("fold", "text", "prop", "ref", "count", "ancestor", "role-structure", "role-generic")
)
# Not part of the node's text: not dimmed for the ancestor of a match.
_APART: Final = frozenset(("mark", "pointer", "added", "changed", "guide", "fold"))

_LONGEST_REF: Final = 24
# Longer than the visible part of any name.
_LONGEST: Final = 2000


class RowLook(NamedTuple):
    """What all rows share; `base` is the style of an empty row, `styles` has one per part."""

    base: Style
    styles: Mapping[str, Style]
    width: int
    max_depth: int
    highlight: Expression | None = None
    changes_shown: bool = True


class _Piece(NamedTuple):
    part: str
    text: str
    is_searched: bool = False


class RowPainter:
    def __init__(self, look: RowLook) -> None:
        self._look = look
        # Deep trees are indented less, and at most by half of the width.
        roomy = look.max_depth * 2 <= look.width * 0.4
        self._step = 2 if roomy else 1
        self._max_indent = max(4, look.width // 2)

    def strip(self, row: TreeRow, *, at_cursor: bool, hovered: bool) -> Strip:
        look = self._look
        paint = _Paint(look, at_cursor=at_cursor, is_hit=row.is_hit)
        self._gutter(paint, row, at_cursor)
        self._indent(paint, row)
        ref = cut(plain(row.node.ref), _LONGEST_REF) if row.node.ref else ""
        # Leave one cell free on the right. A long text is cut before the ref, never the ref.
        room = look.width - 1 - (width(ref) + 2 if ref else 0)
        for piece in _pieces(row):
            paint.add_piece(piece, room)
        if ref:
            paint.add("  ")
            style = paint.part("ref") + Style(meta={"tree_ref": row.index})
            paint.add_searched(ref, style + look.styles["ref-hover"] if hovered else style)
        return Strip(paint.segments).adjust_cell_length(look.width, paint.base)

    def _gutter(self, paint: _Paint, row: TreeRow, at_cursor: bool) -> None:
        if row.is_marked:
            paint.add("◆", paint.part("mark"))
        else:
            paint.add("▌" if at_cursor else " ", paint.part("pointer"))
        change = row.change if self._look.changes_shown else None
        if change == ADDED:
            paint.add("+", paint.part("added"))
        elif change == CHANGED:
            paint.add("~", paint.part("changed"))
        else:
            paint.add(" ")

    def _indent(self, paint: _Paint, row: TreeRow) -> None:
        indent = ("│" + " " * (self._step - 1)) * row.depth
        if len(indent) > self._max_indent:
            # Too deep for the indent: show the level as a number.
            level = f"{row.depth} "
            indent = level + indent[-max(self._max_indent - len(level), 1) :]
        paint.add(indent, paint.part("guide"))
        if row.fold.possible:
            glyph = "▸" if row.fold.closed else "▾"
            paint.add(glyph, paint.part("fold") + Style(meta={"tree_fold": row.index}))
            paint.add(" ")
        else:
            paint.add("  ")


class _Paint:
    """The segments of one row, and how many cells they take."""

    def __init__(self, look: RowLook, *, at_cursor: bool, is_hit: bool) -> None:
        self.segments: list[Segment] = []
        self.used = 0
        self.base = look.base
        self._look = look
        self._is_hit = is_hit
        self._cursor = look.styles["cursor"] if at_cursor else None
        if self._cursor is not None:
            self.base += self._cursor
        # On a reversed row, the colours of the parts would become backgrounds.
        self._is_reversed = self._cursor is not None and bool(self._cursor.reverse)

    def part(self, part: str) -> Style:
        style = self._look.styles[part]
        if self._is_reversed:
            return Style.null()
        if not self._is_hit and part not in _APART:
            style += self._look.styles["ancestor"]
        if self._cursor is not None and (part in _MUTED or not self._is_hit):
            style += Style(color=self._cursor.color)
        return style

    def add(self, text: str, style: Style | None = None) -> None:
        if text:
            self.segments.append(Segment(text, self.base + style if style else self.base))
            self.used += width(text)

    def add_piece(self, piece: _Piece, room: int) -> None:
        """Add as much of the piece as fits."""
        left = room - self.used
        if left > 0:
            text, style = cut(piece.text, left), self.part(piece.part)
            if piece.is_searched:
                self.add_searched(text, style)
            else:
                self.add(text, style)

    def add_searched(self, text: str, style: Style) -> None:
        highlight, done = self._look.highlight, 0
        for start, end in highlight.spans(text) if highlight else ():
            if end > start:
                self.add(text[done:start], style)
                self.add(text[start:end], style + self._look.styles["match"])
                done = end
        self.add(text[done:], style)


def _pieces(row: TreeRow) -> Iterator[_Piece]:
    """The pieces of a row from left to right. All of their text comes from the page."""
    node = row.node
    yield _Piece(f"role-{_kind(node)}", _line(node.role), is_searched=True)
    if row.preview:
        yield _Piece("name", f" {_line(row.preview)}", is_searched=True)
    elif node.name:
        yield _Piece("name", f' "{_line(node.name)}"', is_searched=True)
    if node.text:
        yield _Piece("role-generic", ": ")
        yield _Piece("text", _line(node.text), is_searched=True)
    if row.fold.closed:
        yield _Piece("count", f" ({row.fold.hidden:,})")
    for key, value in node.states.items():
        state = key if value is True else f"{key}={value}"
        # A level does not change.
        yield _Piece("prop" if key == "level" else "state", f"  {_line(state)}")
    for key, value in node.props.items():
        shown = f"→ {_line(value)}" if key == "url" else f"{key}={_line(value)}"
        yield _Piece("prop", f"  {shown}")


def _kind(node: SnapshotNode) -> RoleKind:
    kind = kind_of(node.role)
    return RoleKind.ACTION if node.pointer and kind is RoleKind.GENERIC else kind


def _line(text: str) -> str:
    return plain(text[:_LONGEST])
