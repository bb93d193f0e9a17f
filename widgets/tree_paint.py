"""How a row of the snapshot tree looks: its pieces, their styles, and how they share the width."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from pwtui.protocol.snapshot import SnapshotNode
from widgets.text import cut, plain, width
from widgets.tree_changes import ADDED, CHANGED
from widgets.tree_roles import Kind, kind_of
from widgets.tree_rows import Row

__all__ = ["ASCII", "PARTS", "UNICODE", "Glyphs", "Look", "RowPainter"]

# The parts of a row, each of which is a component class of the widget.
PARTS: Final = (
    *("cursor", "pointer", "mark", "added", "changed", "guide", "fold", "name", "text", "state"),
    *("prop", "ref", "ref-hover", "count", "match", "ancestor", "placeholder"),
    *(f"role-{kind}" for kind in Kind),
)

# Refs stand in one column, which is no further right than an eye follows a row.
_REF_COLUMN: Final = 130
_GUTTER: Final = 2
# More characters than this cannot be seen of any name, so they are not looked at either.
_LONGEST: Final = 2000


class Glyphs(NamedTuple):
    """The symbols of a row, each one cell wide, but for the arrow."""

    opened: str
    closed: str
    guide: str
    pointer: str
    mark: str
    arrow: str


UNICODE: Final = Glyphs("▾", "▸", "│", "▌", "◆", "→")
ASCII: Final = Glyphs("v", ">", "|", ">", "*", "->")


@dataclass(frozen=True, slots=True)
class Look:
    """What all rows share. `base` is the style of an empty row, `styles` has one for each part."""

    base: Style
    styles: Mapping[str, Style]
    width: int
    max_depth: int
    glyphs: Glyphs = UNICODE
    highlight: re.Pattern[str] | None = None
    changes_shown: bool = True


class _Piece(NamedTuple):
    part: str
    text: str
    is_searched: bool = False


class RowPainter:
    def __init__(self, look: Look) -> None:
        self._look = look
        # Deep pages are indented less, and never by more than half of the width.
        roomy = look.max_depth * 2 <= look.width * 0.4
        self._step = 2 if roomy else 1
        self._max_indent = max(4, look.width // 2)

    def strip(self, row: Row, *, at_cursor: bool, hovered: bool) -> Strip:
        look = self._look
        base = look.base
        if at_cursor:
            base += look.styles["cursor"]
        paint = _Paint(look, base, plain_row=at_cursor and bool(look.styles["cursor"].reverse))
        self._gutter(paint, row, at_cursor)
        self._indent(paint, row)
        ref = f"[{cut(plain(row.node.ref), 24)}]" if row.node.ref else ""
        # One cell stays free on the right, and one before the ref.
        end = look.width - 1
        room = end - len(ref) - 1 if ref else end
        for piece in _pieces(row, look.glyphs):
            paint.add_cut(piece, room, None if row.is_hit else look.styles["ancestor"])
        if ref:
            column = max(min(end, _REF_COLUMN) - len(ref), paint.used + 1)
            paint.add(" " * (column - paint.used), None)
            style = look.styles["ref"]
            if hovered:
                style += look.styles["ref-hover"]
            if not row.is_hit:
                style += look.styles["ancestor"]
            meta = Style(meta={"tree_ref": row.index})
            paint.add_searched(ref, style + meta)
        return Strip(paint.segments).adjust_cell_length(look.width, base)

    def _gutter(self, paint: _Paint, row: Row, at_cursor: bool) -> None:
        glyphs, styles = self._look.glyphs, self._look.styles
        if row.is_marked:
            paint.add(glyphs.mark, styles["mark"])
        else:
            paint.add(glyphs.pointer if at_cursor else " ", styles["pointer"])
        change = row.change if self._look.changes_shown else None
        if change == ADDED:
            paint.add("+", styles["added"])
        elif change == CHANGED:
            paint.add("~", styles["changed"])
        else:
            paint.add(" ", None)

    def _indent(self, paint: _Paint, row: Row) -> None:
        glyphs, styles = self._look.glyphs, self._look.styles
        step = self._step
        indent = (glyphs.guide + " " * (step - 1)) * row.depth
        if len(indent) > self._max_indent:
            # The number tells parent from child where the indent no longer can.
            level = f"{row.depth} "
            indent = level + indent[-max(self._max_indent - len(level), 0) :]
        paint.add(indent, styles["guide"])
        if row.fold.possible:
            glyph = glyphs.closed if row.fold.closed else glyphs.opened
            paint.add(glyph, styles["fold"] + Style(meta={"tree_fold": row.index}))
            paint.add(" ", None)
        else:
            paint.add("  ", None)


class _Paint:
    """The segments of one row, and how many cells they take."""

    def __init__(self, look: Look, base: Style, plain_row: bool) -> None:
        self.segments: list[Segment] = []
        self.used = 0
        self._look = look
        self._base = base
        # On a reversed row, the colours of the parts would become patches of background.
        self._plain_row = plain_row

    def add(self, text: str, style: Style | None) -> None:
        if text:
            self.segments.append(Segment(text, self._style(style)))
            self.used += width(text)

    def add_cut(self, piece: _Piece, room: int, over: Style | None) -> None:
        """As much of the piece as fits; nothing once something was cut."""
        left = room - self.used
        if left <= 0:
            return
        style = self._look.styles[piece.part]
        if over is not None:
            style += over
        text = cut(piece.text, left)
        if piece.is_searched:
            self.add_searched(text, style)
        else:
            self.add(text, style)

    def add_searched(self, text: str, style: Style) -> None:
        pattern = self._look.highlight
        start = 0
        for match in pattern.finditer(text) if pattern else ():
            if match.end() > match.start():
                self.add(text[start : match.start()], style)
                self.add(text[match.start() : match.end()], style + self._look.styles["match"])
                start = match.end()
        self.add(text[start:], style)

    def _style(self, style: Style | None) -> Style:
        if style is None:
            return self._base
        return self._base + (_meta_of(style) if self._plain_row else style)


def _meta_of(style: Style) -> Style:
    return Style(meta=style.meta) if style.meta else Style.null()


def _pieces(row: Row, glyphs: Glyphs) -> Iterator[_Piece]:
    """What a row says, from left to right. All of it comes from the page."""
    node = row.node
    yield _Piece(f"role-{_kind(node)}", _line(node.role), is_searched=True)
    if node.name:
        yield _Piece("name", f' "{_line(node.name)}"', is_searched=True)
    if node.text:
        yield _Piece("role-generic", ": ")
        yield _Piece("text", _line(node.text), is_searched=True)
    if row.fold.closed:
        yield _Piece("count", f" ({row.fold.hidden:,})")
    for key, value in node.states.items():
        state = key if value is True else f"{key}={value}"
        # A level is no state that comes and goes.
        yield _Piece("prop" if key == "level" else "state", f"  {_line(state)}")
    for key, value in node.props.items():
        shown = f"{glyphs.arrow} {_line(value)}" if key == "url" else f"{key}={_line(value)}"
        yield _Piece("prop", f"  {shown}")


def _kind(node: SnapshotNode) -> Kind:
    kind = kind_of(node.role)
    return Kind.ACTION if node.pointer and kind is Kind.GENERIC else kind


def _line(text: str) -> str:
    return plain(text[:_LONGEST])
