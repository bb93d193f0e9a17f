"""The accessibility snapshot of a page as a tree with refs to act on.

One ScrollView over flat arrays: only the lines on the screen are ever drawn, so fifty thousand
nodes cost what fifty do. What is shown comes from a page that nobody trusts, so no text of it is
ever read as markup.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.geometry import Offset, Size
from textual.message import Message
from textual.reactive import var
from textual.scroll_view import ScrollView
from textual.strip import Strip

from pwtui.protocol.snapshot import SnapshotNode, SnapshotTree
from pwtui.widgets.text import cut, plain, width
from pwtui.widgets.tree_paint import ASCII, PARTS, STYLES, UNICODE, Look, RowPainter
from pwtui.widgets.tree_query import QueryError
from pwtui.widgets.tree_rows import TreeRows

__all__ = ["SnapshotTreeView", "VisibleRef"]

_PREFIX: Final = "snapshot-tree--"
_CACHED_ROWS: Final = 512
_RIGHT_BUTTON: Final = 3

_MOVE: Final = Binding.Group("move", compact=True)
_FOLD: Final = Binding.Group("fold", compact=True)
_FIND: Final = Binding.Group("match", compact=True)


class VisibleRef(NamedTuple):
    """A ref on the screen; `y` counts from the first line of the widget's content."""

    ref: str
    node: SnapshotNode
    y: int


class SnapshotTreeView(ScrollView, can_focus=True, inherit_bindings=False):
    ALLOW_SELECT = False

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "act", id="act.default", tooltip="Default action of the node"),
        Binding("a", "actions", "actions", id="act.menu", tooltip="All actions of the node"),
        Binding("i", "fill", "fill", id="act.fill", tooltip="Type into the node"),
        Binding("space", "toggle_fold", "fold", id="tree.fold", tooltip="Fold or unfold"),
        Binding("n", "match(1)", "next", id="match.next", group=_FIND),
        Binding("N", "match(-1)", "previous", id="match.prev", group=_FIND),
        Binding("up,k", "move(-1)", "up", id="nav.up", group=_MOVE, show=False),
        Binding("down,j", "move(1)", "down", id="nav.down", group=_MOVE, show=False),
        Binding("pageup", "page(-1.0)", "page up", id="nav.page_up", show=False),
        Binding("pagedown", "page(1.0)", "page down", id="nav.page_down", show=False),
        Binding("ctrl+u", "page(-0.5)", "half page up", id="nav.half_up", show=False),
        Binding("ctrl+d", "page(0.5)", "half page down", id="nav.half_down", show=False),
        Binding("home,g", "first", "first", id="nav.first", show=False),
        Binding("end,G", "last", "last", id="nav.last", show=False),
        Binding("left,h", "out", "collapse, parent", id="tree.out", group=_FOLD, show=False),
        Binding("right,l", "into", "expand, child", id="tree.in", group=_FOLD, show=False),
        Binding("E", "unfold_all", "expand all", id="tree.all", group=_FOLD, show=False),
        Binding("minus", "fold_to_level(2)", "two levels", id="tree.level", show=False),
        Binding("I", "toggle_interactive", "controls only", id="tree.interactive", show=False),
        Binding("D", "toggle_changes", "show changes", id="tree.changes", show=False),
        Binding("m", "toggle_mark", "mark", id="tree.mark", show=False),
        Binding("apostrophe", "next_mark", "next mark", id="tree.next_mark", show=False),
    ]

    COMPONENT_CLASSES: ClassVar[set[str]] = {_PREFIX + part for part in PARTS}

    DEFAULT_CSS = STYLES

    placeholder: var[str] = var("no page yet", init=False)
    """What is shown while there is no tree."""
    interactive_only: var[bool] = var(False, init=False)
    """Leaves only what one can act on, and the named things around it."""
    changes_shown: var[bool] = var(True, init=False)
    """Marks in the gutter what is new and what changed."""
    ascii_only: var[bool] = var(False, init=False)
    """Draws with symbols that every terminal has."""

    # Messages -------------------------------------------------------------------------------------

    class TreeMessage(Message):
        """Of a tree, so that `@on` can tell by a selector which one it was."""

        tree_view: SnapshotTreeView

        @property
        def control(self) -> SnapshotTreeView:
            return self.tree_view

    @dataclass
    class NodeHighlighted(TreeMessage):
        """The cursor is on another node, or the node was read anew; None on an empty view."""

        tree_view: SnapshotTreeView
        index: int | None
        node: SnapshotNode | None

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, type(self)) and message.tree_view is self.tree_view

    @dataclass
    class RefChosen(TreeMessage):
        """The default action of the node is wanted."""

        tree_view: SnapshotTreeView
        ref: str
        node: SnapshotNode

    @dataclass
    class ActionsRequested(TreeMessage):
        """All actions of the node are asked for, in a menu at this place of the screen."""

        tree_view: SnapshotTreeView
        ref: str
        node: SnapshotNode
        screen_offset: Offset

    @dataclass
    class FillRequested(TreeMessage):
        """Something is to be typed into the node."""

        tree_view: SnapshotTreeView
        ref: str
        node: SnapshotNode

    @dataclass
    class FilterChanged(TreeMessage):
        """How many nodes the filter leaves. With an error, the filter before is still in force."""

        tree_view: SnapshotTreeView
        count: int
        error: str = ""

    @dataclass
    class SearchMissed(TreeMessage):
        """Nothing that is shown matches the search."""

        tree_view: SnapshotTreeView
        text: str

    # What is shown --------------------------------------------------------------------------------

    def __init__(
        self,
        *,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._tree_rows = TreeRows()
        self._tree_line = 0
        self._tree_index: int | None = None
        self._tree_told: SnapshotNode | None = None
        # The node that a filter is typed from: each key narrows from there, not from the last hit.
        self._tree_anchor = 0
        self._tree_hovered: int | None = None
        self._tree_strips: LRUCache[tuple[int, bool, bool], Strip] = LRUCache(_CACHED_ROWS)
        self._tree_painter: RowPainter | None = None
        self._tree_stale = False
        self.filter_text = ""
        self.filter_error = ""
        self.search_text = ""
        self.search_error = ""

    def show(self, tree: SnapshotTree | None, *, url: str = "", stale: bool = False) -> None:
        """Shows another snapshot. Cursor, folds, marks and the place on the screen stay with their
        nodes; what is new or changed is marked until the next one."""
        self._tree_stale = stale and tree is not None
        self.set_class(self._tree_stale, "-stale")
        rows = self._tree_rows
        if tree is rows.tree and tree is not None:
            return
        old_lines = rows.lines
        held = self._held_line()
        held_y = held - self.scroll_offset.y
        changes = rows.show(tree, url)
        line = rows.line_after(changes, old_lines, self._tree_line)
        top = rows.line_after(changes, old_lines, held) - held_y if changes else 0
        self._lines_changed(line)
        self._tree_anchor = self._tree_index or 0
        self.scroll_to(y=max(top, 0), animate=False)
        if rows.is_filtered:
            self.post_message(self.FilterChanged(self, rows.hit_count, self.filter_error))

    @property
    def snapshot(self) -> SnapshotTree | None:
        return self._tree_rows.tree

    @property
    def is_stale(self) -> bool:
        return self._tree_stale

    def summary(self) -> str:
        """One line for a border: ``1,204 nodes · 87 refs · 12 shown · +3 ~1 -2``."""
        text = self._tree_rows.summary(self.changes_shown)
        said = [self.filter_error, self.search_error, "stale" if self._tree_stale else "", text]
        return " · ".join(filter(None, said))

    # The cursor -----------------------------------------------------------------------------------

    @property
    def cursor_index(self) -> int | None:
        return self._tree_index

    @property
    def cursor_node(self) -> SnapshotNode | None:
        index = self.cursor_index
        return None if index is None else self._tree_rows.nodes[index]

    @property
    def cursor_ref(self) -> str | None:
        node = self.cursor_node
        return node.ref if node else None

    def go_to_ref(self, ref: str) -> bool:
        """Moves the cursor to a ref, out of any fold. False if it is not there or filtered out."""
        tree = self._tree_rows.tree
        index = tree.find_ref(ref) if tree else None
        return index is not None and self._go_to_index(index)

    def visible_refs(self) -> list[VisibleRef]:
        """The refs on the screen, from top to bottom."""
        rows, top = self._tree_rows, self.scroll_offset.y
        shown = rows.lines[top : top + self._page_height()]
        return [
            VisibleRef(node.ref, node, y)
            for y, node in enumerate([rows.nodes[index] for index in shown])
            if node.ref is not None
        ]

    # Filter and search ----------------------------------------------------------------------------

    def filter(self, text: str) -> int:
        """Hides what does not match. How many match; see `filter_error` for a bad expression."""
        rows = self._tree_rows
        self.filter_text, self.filter_error = text, ""
        try:
            rows.filter(text)
        except QueryError as error:
            self.filter_error = str(error)
        else:
            self.filter_error = rows.filter_query.problem
            self._filter_changed()
        self.post_message(self.FilterChanged(self, rows.hit_count, self.filter_error))
        return rows.hit_count

    def search(self, text: str) -> int:
        """Marks what matches, for n and N, and goes to the first from the cursor on.

        How many match; see `search_error` for a bad expression.
        """
        self.search_text, self.search_error = text, ""
        try:
            self._tree_rows.search(text)
        except QueryError as error:
            self.search_error = str(error)
        else:
            self.search_error = self._tree_rows.search_query.problem
        self._forget_rows()
        self.refresh()
        self.refresh_bindings()
        found = self._tree_rows.found or []
        if found and self.cursor_index not in found:
            self.action_match(1)
        elif text and not found and not self.search_error:
            self.post_message(self.SearchMissed(self, text))
        return len(found)

    def watch_interactive_only(self, only: bool) -> None:
        self._tree_rows.show_interactive_only(only)
        self._filter_changed()
        self.post_message(self.FilterChanged(self, self._tree_rows.hit_count, self.filter_error))

    def _filter_changed(self) -> None:
        rows = self._tree_rows
        y = self._held_line() - self.scroll_offset.y
        if rows.is_filtered:
            line = rows.hit_line(self._tree_anchor)
        else:
            # A filter that found nothing has left no cursor.
            index = self._tree_anchor if self._tree_index is None else self._tree_index
            line = rows.line_near(index) if rows.lines else None
        self._lines_changed(line or 0)
        self.scroll_to(y=max(self._tree_line - y, 0), animate=False)
        self.refresh_bindings()

    # Drawing --------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        rows = self._tree_rows
        line = y + self.scroll_offset.y
        if not rows.lines:
            return self._placeholder_line(y)
        if line >= len(rows.lines):
            return Strip.blank(self._row_width(), self.rich_style)
        index = rows.lines[line]
        key = (index, line == self._tree_line, index == self._tree_hovered)
        strip = self._tree_strips.get(key)
        if strip is None:
            if self._tree_painter is None:
                self._tree_painter = RowPainter(self._look())
            strip = self._tree_painter.strip(rows.row(line), at_cursor=key[1], hovered=key[2])
            self._tree_strips[key] = strip
        return strip

    def _look(self) -> Look:
        rows = self._tree_rows
        query = rows.search_query or rows.filter_query
        return Look(
            base=self.rich_style,
            styles={part: self._part_style(part) for part in PARTS},
            width=self._row_width(),
            max_depth=rows.max_depth,
            glyphs=ASCII if self.ascii_only else UNICODE,
            highlight=query.highlight,
            changes_shown=self.changes_shown,
        )

    def _part_style(self, part: str) -> Style:
        """The partial style has no blended colours, and the full one has a background of its own
        for each part, which would hide the cursor's."""
        full = self.get_component_rich_style(_PREFIX + part)
        partial = self.get_component_rich_style(_PREFIX + part, partial=True)
        return partial + Style(
            color=full.color if partial.color else None,
            bgcolor=full.bgcolor if partial.bgcolor else None,
        )

    def _placeholder_line(self, y: int) -> Strip:
        columns = self._row_width()
        lines = self._empty_text().splitlines()
        at = y - max((self._page_height() - len(lines)) // 3, 0)
        text = cut(plain(lines[at]), columns) if 0 <= at < len(lines) else ""
        left = max((columns - width(text)) // 2, 0)
        style = self.rich_style + self._part_style("placeholder")
        return Strip([Segment(" " * left + text, style)]).adjust_cell_length(columns, style)

    def _empty_text(self) -> str:
        rows = self._tree_rows
        if rows.tree is None:
            return self.placeholder
        if not rows.nodes:
            return "the page is empty"
        if rows.filter_query:
            return f"nothing matches {plain(self.filter_text)}"
        return "nothing to act on"

    def _forget_rows(self) -> None:
        self._tree_strips.clear()
        self._tree_painter = None

    def notify_style_update(self) -> None:
        self._forget_rows()
        super().notify_style_update()

    def _repaint(self) -> None:
        self._forget_rows()
        self.refresh()

    def watch_changes_shown(self) -> None:
        self._repaint()

    def watch_ascii_only(self) -> None:
        self._repaint()

    def watch_placeholder(self) -> None:
        self.refresh()

    def on_resize(self) -> None:
        self._forget_rows()
        self._scroll_into_view(self._tree_line)

    # Moving ---------------------------------------------------------------------------------------

    def _row_width(self) -> int:
        return self.scrollable_content_region.width

    def _page_height(self) -> int:
        return self.scrollable_content_region.height

    def _lines_changed(self, line: int) -> None:
        """After lines came or went; the cursor is on this one now."""
        self._forget_rows()
        self._tree_hovered = None
        self.virtual_size = Size(1, len(self._tree_rows.lines))
        self._set_cursor(line)
        self.refresh()

    def _set_cursor(self, line: int) -> None:
        lines = self._tree_rows.lines
        self._tree_line = line
        self._tree_index = lines[line] if lines else None
        node = self.cursor_node
        if node is self._tree_told:
            return
        if (node and node.ref) is None or (self._tree_told and self._tree_told.ref) is None:
            self.refresh_bindings()
        self._tree_told = node
        self.post_message(self.NodeHighlighted(self, self._tree_index, node))

    def _go_to_line(self, line: int) -> None:
        lines = self._tree_rows.lines
        if not lines:
            return
        line = max(0, min(line, len(lines) - 1))
        self._tree_anchor = lines[line]
        if line != self._tree_line:
            self.refresh_line(self._tree_line)
            self.refresh_line(line)
            self._set_cursor(line)
        self._scroll_into_view(line)

    def _go_to_index(self, index: int) -> bool:
        rows = self._tree_rows
        count = len(rows.lines)
        line = rows.reveal(index)
        if line is None:
            return False
        if len(rows.lines) != count:
            self._lines_changed(line)
        self._scroll_into_view(line, center=True)
        self._go_to_line(line)
        return True

    def _scroll_into_view(self, line: int, *, center: bool = False) -> None:
        top, height = self.scroll_offset.y, self._page_height()
        if height <= 0 or top <= line < top + height:
            return
        if center:
            line -= height // 2
        elif line > top:
            line -= height - 1
        self.scroll_to(y=line, animate=False)

    def _held_line(self) -> int:
        """The line that stays where it is on the screen when the lines around it change."""
        top = self.scroll_offset.y
        on_screen = top <= self._tree_line < top + self._page_height()
        return self._tree_line if on_screen else top

    def action_move(self, lines: int) -> None:
        self._go_to_line(self._tree_line + lines)

    def action_page(self, pages: float) -> None:
        step = max(1, round(abs(pages) * self._page_height()))
        self._go_to_line(self._tree_line + (step if pages > 0 else -step))

    def action_first(self) -> None:
        self._go_to_line(0)

    def action_last(self) -> None:
        self._go_to_line(len(self._tree_rows.lines) - 1)

    def action_match(self, direction: int) -> None:
        index = self.cursor_index
        found = None if index is None else self._tree_rows.next_match(index, direction)
        if found is not None:
            self._go_to_index(found)

    # Folding --------------------------------------------------------------------------------------

    def _fold(self, index: int, closed: bool) -> None:
        cursor = self.cursor_index
        if cursor is not None and self._tree_rows.fold(index, closed):
            self._folds_changed(cursor)

    def _folds_changed(self, cursor: int) -> None:
        self._lines_changed(self._tree_rows.line_near(cursor) or 0)
        self._tree_anchor = self._tree_index or 0
        self._scroll_into_view(self._tree_line)

    def action_toggle_fold(self) -> None:
        index = self.cursor_index
        if index is not None:
            self._fold(index, index not in self._tree_rows.folded)

    def action_out(self) -> None:
        rows, line = self._tree_rows, self._tree_line
        if not rows.lines:
            return
        fold = rows.fold_at(line)
        if fold.possible and not fold.closed:
            self._fold(rows.lines[line], closed=True)
        elif (parent := rows.parent_line(line)) is not None:
            self._go_to_line(parent)

    def action_into(self) -> None:
        rows, line = self._tree_rows, self._tree_line
        if not rows.lines:
            return
        fold = rows.fold_at(line)
        if fold.closed:
            self._fold(rows.lines[line], closed=False)
        elif fold.possible:
            self._go_to_line(line + 1)

    def action_unfold_all(self) -> None:
        cursor = self.cursor_index
        if cursor is not None:
            self._tree_rows.unfold_all()
            self._folds_changed(cursor)

    def action_fold_to_level(self, level: int) -> None:
        cursor = self.cursor_index
        if cursor is not None:
            self._tree_rows.fold_to_level(level)
            self._folds_changed(cursor)

    def action_toggle_interactive(self) -> None:
        self.interactive_only = not self.interactive_only

    def action_toggle_changes(self) -> None:
        self.changes_shown = not self.changes_shown

    def action_toggle_mark(self) -> None:
        index = self.cursor_index
        if index is not None:
            self._tree_rows.toggle_mark(index)
            self._repaint()

    def action_next_mark(self) -> None:
        index = self.cursor_index
        marked = None if index is None else self._tree_rows.next_mark(index)
        if marked is not None:
            self._go_to_index(marked)

    # Acting ---------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("actions", "fill"):
            return True if self.cursor_ref else None
        if action in ("choose", "toggle_fold"):
            return True if self.cursor_node else None
        if action == "match":
            rows = self._tree_rows
            return rows.found is not None or rows.is_filtered
        return True

    def action_choose(self) -> None:
        """A node without a ref cannot be acted on, but it can be opened."""
        node = self.cursor_node
        if node is not None and node.ref is not None:
            self.post_message(self.RefChosen(self, node.ref, node))
        else:
            self.action_toggle_fold()

    def action_fill(self) -> None:
        node = self.cursor_node
        if node is not None and node.ref is not None:
            self.post_message(self.FillRequested(self, node.ref, node))

    def action_actions(self) -> None:
        y = self._tree_line - self.scroll_offset.y
        self._request_actions(self.content_region.offset + Offset(2, y + 1))

    def _request_actions(self, screen_offset: Offset) -> None:
        node = self.cursor_node
        if node is not None and node.ref is not None:
            self.post_message(self.ActionsRequested(self, node.ref, node, screen_offset))

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None or offset.y + self.scroll_offset.y >= len(self._tree_rows.lines):
            return
        event.stop()
        meta = event.style.meta
        self._go_to_line(offset.y + self.scroll_offset.y)
        if event.button == _RIGHT_BUTTON:
            self._request_actions(event.screen_offset)
        elif event.button != 1:
            return
        elif "tree_fold" in meta:
            self.action_toggle_fold()
        elif "tree_ref" in meta:
            # The first click has acted, and a second one would do it again.
            if event.chain == 1:
                self.action_choose()
        elif event.chain == 2:
            self.action_choose()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        self._hover(event.style.meta.get("tree_ref"))

    def on_leave(self) -> None:
        self._hover(None)

    def on_mouse_scroll_down(self) -> None:
        self._hover(None)

    def on_mouse_scroll_up(self) -> None:
        self._hover(None)

    def _hover(self, index: int | None) -> None:
        before, self._tree_hovered = self._tree_hovered, index
        if before == index:
            return
        for node in (before, index):
            line = None if node is None else self._tree_rows.line_of(node)
            if line is not None:
                self.refresh_line(line)
