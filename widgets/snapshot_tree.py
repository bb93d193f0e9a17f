"""The accessibility snapshot of a page as a tree, with refs to act on.

Only the visible lines are drawn, so fifty thousand nodes are as fast as fifty. The text comes from
an untrusted page and is never parsed as markup.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, NamedTuple

from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Offset
from textual.message import Message
from textual.reactive import var
from textual.strip import Strip

from pwtui.protocol.snapshot import SnapshotNode, SnapshotTree
from pwtui.widgets.stylesheet import stylesheet
from pwtui.widgets.tree_paint import PARTS, RowLook, RowPainter
from pwtui.widgets.tree_roles import is_interactive
from pwtui.widgets.tree_rows import TreeRows, TreeView
from pwtui.widgets.virtual_list import VirtualList

_PREFIX: Final = "snapshot-tree--"
_RIGHT_BUTTON: Final = 3


class VisibleRef(NamedTuple):
    """A ref on the screen; `y` is its line in the widget's content."""

    ref: str
    node: SnapshotNode
    y: int


class SnapshotTreeView(VirtualList):
    TEXT_SUFFIX: ClassVar[str] = ".yaml"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "act", id="act.default", tooltip="default action of the node"),
        Binding("a", "actions", "actions", id="act.menu", tooltip="all actions of the node"),
        Binding("i", "fill", "fill", id="act.fill", tooltip="type into the node"),
        Binding("space", "toggle_fold", "fold", id="tree.fold", tooltip="fold or unfold"),
        Binding("y", "copy", "copy", show=False, id="list.copy"),
        Binding("n", "search(1)", "next", id="list.match-next"),
        Binding("N", "search(-1)", "previous", id="list.match-previous"),
        Binding("left,h", "out", "collapse, parent", id="tree.out", show=False),
        Binding("right,l", "into", "expand, child", id="tree.in", show=False),
        Binding("E", "unfold_all", "expand all", id="tree.all", show=False),
        Binding("minus", "fold_to_level(2)", "two levels", id="tree.level", show=False),
        Binding("I", "toggle_view('controls')", "controls only", id="tree.interactive", show=False),
        Binding("W", "toggle_view('raw')", "raw tree", id="tree.raw", show=False),
        Binding("D", "toggle_changes", "show changes", id="tree.changes", show=False),
        Binding("m", "toggle_mark", "mark", id="tree.mark", show=False),
        Binding("apostrophe", "next_mark", "next mark", id="tree.next_mark", show=False),
    ]

    COMPONENT_CLASSES: ClassVar[set[str]] = {_PREFIX + part for part in PARTS}

    DEFAULT_CSS = stylesheet("snapshot_tree_view")

    placeholder: var[str] = var("No page is open.", init=False)
    """The text that is shown without a tree."""
    view: var[TreeView] = var[TreeView]("tidy", init=False)
    changes_shown: var[bool] = var(True, init=False)
    """Mark new and changed nodes in the gutter."""

    @dataclass
    class NodeMessage(VirtualList.ListMessage):
        """A message about a node."""

        node: SnapshotNode

        @property
        def ref(self) -> str:
            return self.node.ref or ""

    @dataclass
    class CursorMoved(VirtualList.ListMessage):
        """The cursor is on another node; `path` is the node and its ancestors."""

        path: list[SnapshotNode]

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, type(self))

    class RefChosen(NodeMessage):
        """The user wants the default action of the node."""

    class FillRequested(NodeMessage):
        """The user wants to type into the node."""

    @dataclass
    class ActionsRequested(NodeMessage):
        """The user wants a menu of all actions of the node, at this place on the screen."""

        screen_offset: Offset

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._tree_rows = TreeRows()
        self.cursor_index: int | None = None
        self._tree_had_ref = False
        # The node under the cursor when the filter was opened; each key starts from there.
        self._tree_anchor = 0
        self._tree_painter: RowPainter | None = None
        self.is_stale = False
        self.filter_text = ""
        self.filter_error = ""
        self.search_error = ""

    def show(self, tree: SnapshotTree | None, *, url: str = "", stale: bool = False) -> None:
        """Show another snapshot; cursor, folds, marks and scroll position stay with their nodes."""
        self.is_stale = stale and tree is not None
        self.set_class(self.is_stale, "-stale")
        rows = self._tree_rows
        if tree is rows.tree and tree is not None:
            return
        old_lines = rows.lines
        held = self._held_line()
        held_y = held - self.scroll_offset.y
        changes = rows.show(tree, url)
        line = rows.line_after(changes, old_lines, self.cursor)
        top = rows.line_after(changes, old_lines, held) - held_y if changes else 0
        self.rows_changed(line)
        self._tree_anchor = self.cursor_index or 0
        self.scroll_to(y=max(top, 0))
        if rows.is_filtered:
            self._post_filter_changed()

    def label(self, labels: Mapping[str, str]) -> None:
        """Show these texts for the nodes with these refs."""
        if labels != self._tree_rows.labels:
            self._tree_rows.labels = labels
            self._repaint()

    @property
    def snapshot(self) -> SnapshotTree | None:
        return self._tree_rows.tree

    def summary(self) -> str:
        """The counts for a border: `12 of 1,204 nodes · 3 found · +3 ~1 -2`."""
        text = self._tree_rows.summary(self.changes_shown)
        said = [self.filter_error, self.search_error, "stale" if self.is_stale else "", text]
        return " · ".join(filter(None, said))

    @property
    def cursor_node(self) -> SnapshotNode | None:
        index = self.cursor_index
        return None if index is None else self._tree_rows.nodes[index]

    @property
    def cursor_ref(self) -> str | None:
        node = self.cursor_node
        return node.ref if node else None

    def go_to_ref(self, ref: str) -> bool:
        """Move the cursor to a ref and unfold it. False if it is missing or filtered out."""
        tree = self._tree_rows.tree
        index = tree.find_ref(ref) if tree else None
        return index is not None and self._go_to_index(index)

    def go_near_ref(self, ref: str) -> bool:
        """Move the cursor to a ref, or to the element around it that is shown."""
        index = self.snapshot.find_ref(ref) if self.snapshot else None
        if index is None:
            return False
        line = None if self._go_to_index(index) else self._tree_rows.line_near(index)
        if line is not None:
            self.reveal(line, center=True)
            self.move_to(line)
        return True

    def visible_refs(self) -> list[VisibleRef]:
        """The refs on the screen, from top to bottom."""
        rows, top = self._tree_rows, self.scroll_offset.y
        shown = rows.lines[top : top + self.view_height]
        return [
            VisibleRef(node.ref, node, y)
            for y, node in enumerate([rows.nodes[index] for index in shown])
            if node.ref is not None
        ]

    def filter(self, text: str) -> int:
        """Hide what does not match and return how many nodes do.

        An invalid filter changes nothing; `filter_error` says what is wrong with it.
        """
        self.filter_text = text
        self.filter_error = self._tree_rows.filter(text)
        self._filter_changed()
        self._post_filter_changed()
        return self._tree_rows.hit_count

    def search(self, text: str) -> None:
        """Highlight what matches and go to it; `search_error` says what is wrong with the text."""
        self.search_error = self._tree_rows.search(text)
        if self.search_error:
            self.search_text = text
            self._repaint()
        else:
            super().search(text)
        self.refresh_bindings()

    def row_matches(self, row: int) -> bool:
        found = self._tree_rows.found
        return found is None or self._tree_rows.lines[row] in found

    def action_search(self, step: int) -> None:
        index = self.cursor_index
        found = None if index is None else self._tree_rows.next_match(index, step)
        if found is not None:
            self._go_to_index(found)
        elif self.search_text:
            self.post_message(self.SearchMissed(self, self.search_text))

    def watch_view(self, view: TreeView) -> None:
        self._tree_rows.use_view(view)
        self._filter_changed()
        self._post_filter_changed()

    def _post_filter_changed(self) -> None:
        rows = self._tree_rows
        counts = rows.hit_count, len(rows.nodes)
        self.post_message(self.FilterChanged(self, *counts, self.filter_error))

    def _filter_changed(self) -> None:
        rows = self._tree_rows
        y = self._held_line() - self.scroll_offset.y
        if rows.is_filtered:
            line = rows.hit_line(self._tree_anchor)
        else:
            # A filter without matches has no cursor.
            index = self._tree_anchor if self.cursor_index is None else self.cursor_index
            line = rows.line_near(index) if rows.lines else None
        self.rows_changed(line or 0)
        self.scroll_to(y=max(self.cursor - y, 0))
        self.refresh_bindings()

    @property
    def row_count(self) -> int:
        return len(self._tree_rows.lines)

    def strip_key(self, row: int) -> Hashable:
        return self._tree_rows.lines[row]

    def draw_row(self, row: int, line: int) -> Strip:
        if self._tree_painter is None:
            self._tree_painter = RowPainter(self._look())
        hovered = row == self._list_hover
        return self._tree_painter.strip(
            self._tree_rows.row(row), at_cursor=row == self.cursor, hovered=hovered
        )

    def forget_strips(self) -> None:
        super().forget_strips()
        self._tree_painter = None

    def _look(self) -> RowLook:
        rows = self._tree_rows
        query = rows.search_query or rows.filter_query
        return RowLook(
            base=self.rich_style,
            styles={part: self._part_style(part) for part in PARTS},
            width=self.view_width,
            max_depth=rows.max_depth,
            highlight=query.highlight,
            changes_shown=self.changes_shown,
        )

    def _part_style(self, part: str) -> Style:
        """The style of a part; without a separate background, which would hide the cursor."""
        full = self.get_component_rich_style(_PREFIX + part)
        partial = self.get_component_rich_style(_PREFIX + part, partial=True)
        return partial + Style(
            color=full.color if partial.color else None,
            bgcolor=full.bgcolor if partial.bgcolor else None,
        )

    def nothing_shown(self) -> str:
        rows = self._tree_rows
        if rows.tree is None:
            return self.placeholder
        if not rows.nodes:
            return "The page is empty."
        if rows.filter_query:
            return f"No matches for {self.filter_text}. Escape shows all."
        return "No controls on this page."

    def _repaint(self) -> None:
        self.forget_strips()
        self.refresh()

    def watch_changes_shown(self) -> None:
        self._repaint()

    def watch_placeholder(self) -> None:
        self.refresh()

    def rows_changed(self, cursor: int) -> None:
        super().rows_changed(cursor)
        self.cursor_moved()

    def cursor_moved(self) -> None:
        lines = self._tree_rows.lines
        self.cursor_index = lines[self.cursor] if lines else None
        has_ref = self.cursor_ref is not None
        if not has_ref or not self._tree_had_ref:
            self.refresh_bindings()
        self._tree_had_ref = has_ref
        index = self.cursor_index
        self.post_message(
            self.CursorMoved(self, [] if index is None else self._tree_rows.path(index))
        )

    def move_to(self, row: int) -> None:
        if self.row_count:
            super().move_to(row)
            self._tree_anchor = self._tree_rows.lines[self.cursor]

    def _go_to_index(self, index: int) -> bool:
        rows = self._tree_rows
        count = len(rows.lines)
        line = rows.reveal(index)
        if line is None:
            return False
        if len(rows.lines) != count:
            self.rows_changed(line)
        self.reveal(line, center=True)
        self.move_to(line)
        return True

    def _held_line(self) -> int:
        """The line that keeps its place on the screen when the lines around it change."""
        top = self.scroll_offset.y
        on_screen = top <= self.cursor < top + self.view_height
        return self.cursor if on_screen else top

    def _fold(self, index: int, closed: bool) -> None:
        cursor = self.cursor_index
        if cursor is not None and self._tree_rows.fold(index, closed):
            self._folds_changed(cursor)

    def _folds_changed(self, cursor: int) -> None:
        self.rows_changed(self._tree_rows.line_near(cursor) or 0)
        self._tree_anchor = self.cursor_index or 0
        self.reveal(self.cursor)

    def action_toggle_fold(self) -> None:
        index = self.cursor_index
        if index is not None:
            self._fold(index, index not in self._tree_rows.folded)

    def action_out(self) -> None:
        rows, line = self._tree_rows, self.cursor
        if not rows.lines:
            return
        fold = rows.fold_at(line)
        if fold.possible and not fold.closed:
            self._fold(rows.lines[line], closed=True)
        elif (parent := rows.parent_line(line)) is not None:
            self.move_to(parent)

    def action_into(self) -> None:
        rows, line = self._tree_rows, self.cursor
        if not rows.lines:
            return
        fold = rows.fold_at(line)
        if fold.closed:
            self._fold(rows.lines[line], closed=False)
        elif fold.possible:
            self.move_to(line + 1)

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

    def action_toggle_view(self, view: TreeView) -> None:
        self.view = "tidy" if self.view == view else view

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

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("actions", "fill"):
            return True if self.cursor_ref else None
        if action in ("choose", "toggle_fold"):
            return True if self.cursor_node else None
        if action == "search":
            rows = self._tree_rows
            return rows.found is not None or rows.is_filtered
        return True

    def action_choose(self) -> None:
        """Run the default action of a control; fold anything else, or show its actions."""
        node, line = self.cursor_node, self.cursor
        if node is not None and node.ref is not None and is_interactive(node):
            self.post_message(self.RefChosen(self, node))
        elif node is not None and self._tree_rows.fold_at(line).possible:
            self.action_toggle_fold()
        else:
            self.action_actions()

    def action_fill(self) -> None:
        node = self.cursor_node
        if node is not None and node.ref is not None:
            self.post_message(self.FillRequested(self, node))

    def action_actions(self) -> None:
        y = self.cursor - self.scroll_offset.y
        self._request_actions(self.content_region.offset + Offset(2, y + 1))

    def _request_actions(self, screen_offset: Offset) -> None:
        node = self.cursor_node
        if node is not None and node.ref is not None:
            self.post_message(self.ActionsRequested(self, node, screen_offset))

    def copied_text(self) -> str | None:
        node = self.cursor_node
        return node.source if node is not None else None

    def whole_text(self) -> str:
        return self.snapshot.render() if self.snapshot is not None else ""

    def on_click(self, event: events.Click) -> None:
        row = self.row_at(event.get_content_offset(self))
        if event.button == _RIGHT_BUTTON and row >= 0:
            event.stop()
            self.move_to(row)
            self._request_actions(event.screen_offset)

    def row_clicked(self, row: int, event: events.Click, *, again: bool) -> None:
        event.stop()
        meta = event.style.meta
        if "tree_fold" in meta:
            self.action_toggle_fold()
        elif "tree_ref" in meta:
            # The first click on a ref runs the action; a double click must not run it twice.
            if event.chain == 1 and (node := self.cursor_node) is not None:
                self.post_message(self.RefChosen(self, node))
        elif event.chain == 2:
            self.action_choose()

    def hovered_row(self, event: events.MouseMove) -> int:
        index = event.style.meta.get("tree_ref")
        line = None if index is None else self._tree_rows.line_of(index)
        return -1 if line is None else line
