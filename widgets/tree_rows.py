"""The lines of a snapshot tree: folds, filter, search and marks, over flat arrays.

Nodes are in document order, so a subtree is one range. No recursion: a page may be thousands of
levels deep.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from pwtui.protocol.query import Query
from pwtui.protocol.snapshot import NO_PARENT, SnapshotNode, SnapshotTree
from pwtui.widgets.tree_changes import CHANGED, SAME, Changes, Span, compare
from pwtui.widgets.tree_query import Corpus, parse_tree_query
from pwtui.widgets.tree_roles import RoleKind, is_interactive, kind_of
from pwtui.widgets.tree_tidy import ANCESTOR, HIDDEN, HIT, PASSED, Tidy, tidied

TreeView: TypeAlias = Literal["tidy", "controls", "raw"]
"""Without wrappers and repeated texts; only controls and their named ancestors; every node."""

_SHOWN: Final = frozenset((HIT, ANCESTOR))

# At another URL, it is the same page if this share of its nodes is still there.
_SAME_PAGE_SHARE: Final = 0.5


class Fold(NamedTuple):
    """Whether a row can be folded, is folded, and how many rows it hides."""

    possible: bool
    closed: bool = False
    hidden: int = 0


@dataclass(frozen=True, slots=True)
class TreeRow:
    """What is drawn of a node. `is_hit` is False for the ancestor of a match."""

    index: int
    node: SnapshotNode
    depth: int
    fold: Fold
    change: int
    is_marked: bool
    is_hit: bool
    preview: str = ""


class TreeRows:
    """The lines of one tree. `lines` holds the node index of each line, in ascending order."""

    def __init__(self, view: TreeView = "tidy") -> None:
        self.tree: SnapshotTree | None = None
        self.nodes: Sequence[SnapshotNode] = ()
        self._parents = self._ends = array("i")
        self.lines: array[int] = array("I")
        self.changes: Changes | None = None
        self.marked: set[int] = set()
        self.max_depth = 0
        self.view: TreeView = view
        self.filter_query = Query()
        self.search_query = Query()
        # Sorted node indexes; None without a search.
        self.found: list[int] | None = None
        self.labels: Mapping[str, str] = {}
        """What is shown of the nodes with these refs in place of a name."""
        self._url = ""
        self._folded: set[int] = set()
        # A filter unfolds everything; folds made while filtering are dropped with it.
        self._folded_in_filter: set[int] = set()
        self._corpus = Corpus((), (), ())
        self._tidy = Tidy()
        self._hits: list[int] | None = None
        self._visibility: bytearray | None = None
        self._shown_depth = array("I")
        self._unfolded = array("I")

    def show(self, tree: SnapshotTree | None, url: str = "") -> Changes | None:
        """Show another tree and return the changes since the last one.

        None without a last one, or if it was of another page: folds and marks are then dropped.
        """
        old, old_url = self.tree, self._url
        changes = compare(old, tree) if old is not None and tree is not None else None
        if (
            changes
            and url != old_url
            and changes.kept < _SAME_PAGE_SHARE * min(len(self.nodes), len(changes.marks))
        ):
            changes = None
        self.tree, self._url, self.changes = tree, url, changes
        tree = tree or SnapshotTree()
        self.nodes, self._parents, self._ends = tree.nodes, tree.parents, tree.ends
        self._folded = _carried(self._folded, changes)
        self._folded_in_filter = _carried(self._folded_in_filter, changes)
        self.marked = _carried(self.marked, changes)
        self._select_nodes(changes)
        return changes

    def line_after(self, changes: Changes | None, old_lines: array[int], old_line: int) -> int:
        """The new line of an old line's node, or of the nearest node above that still exists."""
        if changes is None or not self.lines:
            return 0
        for line in range(min(old_line, len(old_lines) - 1), -1, -1):
            index = changes.target[old_lines[line]]
            if index >= 0:
                return self.line_near(index) or 0
        return 0

    def summary(self, with_changes: bool) -> str:
        """The counts: `12 of 1,204 nodes · 3 found · +3 ~1 -2`."""
        if self.tree is None:
            return ""
        nodes = _count(len(self.nodes), "node")
        shown = self.hit_count if self.is_filtered else len(self.lines)
        what = " controls" if self.view == "controls" else ""
        parts = [f"{shown:,}{what} of {nodes}" if what or shown < len(self.nodes) else nodes]
        parts += ["raw"] if self.view == "raw" else []
        if self.found is not None:
            parts.append(f"{len(self.found):,} found")
        changes = self.changes if with_changes else None
        if changes:
            signs = (("+", changes.added), ("~", changes.changed), ("-", changes.removed))
            parts.append(" ".join([f"{sign}{count:,}" for sign, count in signs if count]))
        return " · ".join([part for part in parts if part])

    @property
    def is_filtered(self) -> bool:
        return self._hits is not None

    @property
    def hit_count(self) -> int:
        """The number of matches, without their ancestors."""
        return len(self.nodes) if self._hits is None else len(self._hits)

    def filter(self, text: str) -> str:
        """Show only what matches. An invalid query leaves the filter unchanged; returns why."""
        query = parse_tree_query(text)
        if query.invalid:
            return query.invalid
        if query != self.filter_query:
            self._folded_in_filter.clear()
        self.filter_query = query
        self._apply_filter()
        self._apply_search()
        return query.problem

    def use_view(self, view: TreeView) -> None:
        self.view = view
        self._folded_in_filter.clear()
        self._select_nodes()

    def _select_nodes(self, after: Changes | None = None) -> None:
        """Apply view, filter and search to the tree; `after` changes since they were applied."""
        is_tidy = self.view == "tidy" and self.tree is not None
        self._tidy = tidied(self.tree, self._tidy, after) if is_tidy and self.tree else Tidy()
        changes = self.changes
        marks: Sequence[int] = changes.marks if changes else bytearray(len(self.nodes))
        self._corpus = Corpus(self.nodes, marks, self.marked, self._tidy.previews)
        self._apply_filter(after)
        self._apply_search()

    def search(self, text: str) -> str:
        """Find what matches. An invalid query leaves the search unchanged; returns why."""
        query = parse_tree_query(text)
        if query.invalid:
            return query.invalid
        self.search_query = query
        self._apply_search()
        return query.problem

    def next_match(self, index: int, direction: int) -> int | None:
        """The next (1) or previous (-1) match, wrapping at the ends."""
        found = self.found if self.found is not None else self._hits
        if not found:
            return None
        at = bisect_right(found, index) if direction > 0 else bisect_left(found, index) - 1
        return found[at % len(found)]

    def _apply_search(self) -> None:
        query = self.search_query
        candidates = self._hits if self.is_filtered else self._candidates()
        self.found = self._corpus.select(query, candidates) if query else None

    def _candidates(self) -> list[int] | None:
        """The nodes that the view shows without a filter; None: all of them."""
        if self.view == "controls":
            return [index for index, node in enumerate(self.nodes) if is_interactive(node)]
        if self.view == "tidy":
            return [index for index, state in enumerate(self._tidy.visibility) if state == HIT]
        return None

    def _apply_filter(self, after: Changes | None = None) -> None:
        before, known = None if self.is_filtered else self._visibility, self._unfolded
        if self.filter_query or self.view == "controls":
            self._hits = self._corpus.select(self.filter_query, self._candidates())
            self._visibility = self._visible(self._hits)
        else:
            self._hits = None
            self._visibility = self._tidy.visibility if self.view == "tidy" else None
        visibility, count = self._visibility, len(self.nodes)
        if visibility is None:
            self._unfolded, self._shown_depth = array("I", range(count)), array("I")
        elif after is None or before is None or self.is_filtered:
            self._unfolded, self._shown_depth = array("I"), array("I")
            self._show_part(visibility, Span(0, 0, count))
        elif not after.in_place or before != visibility:
            start, old_stop, new_stop = part = Span(after.spans[0].start, *after.spans[-1][1:])
            others = before[:start] + before[old_stop:]
            is_part = others == visibility[:start] + visibility[new_stop:]
            is_part = is_part and max(self._ends[start:new_stop], default=0) <= new_stop
            self._show_part(visibility, part if is_part else Span(0, len(before), count))
        if self._unfolded is not known:
            depths = self._shown_depth or [node.depth for node in self.nodes]
            self.max_depth = max(depths, default=0)
        self._lay_out()

    def _show_part(self, visibility: bytearray, part: Span) -> None:
        """Update which nodes are shown, if nothing is folded, and their depths without the
        hidden ancestors."""
        start, old_stop, new_stop = part
        known, moved = self._unfolded, new_stop - old_stop
        self._unfolded = known[: bisect_left(known, start)]
        self._unfolded.extend([at for at in range(start, new_stop) if visibility[at] in _SHOWN])
        after = known[bisect_left(known, old_stop) :]
        self._unfolded.extend([at + moved for at in after] if moved else after)
        if self.view == "raw":
            return
        depths, parents = self._shown_depth, self._parents
        depths[start:old_stop] = array("I", [0]) * (new_stop - start)
        for index in range(start, new_stop):
            if visibility[index] != HIDDEN and (parent := parents[index]) != NO_PARENT:
                depths[index] = depths[parent] + (visibility[parent] != PASSED)

    def _visible(self, hits: list[int]) -> bytearray:
        parents = self._parents
        visibility = bytearray(len(parents))
        for index in hits:
            visibility[index] = HIT
        for index in hits:
            parent = parents[index]
            while parent != NO_PARENT and visibility[parent] == HIDDEN:
                visibility[parent] = PASSED if self._is_passed(parent) else ANCESTOR
                parent = parents[parent]
        return visibility

    def _is_passed(self, index: int) -> bool:
        """Whether the view shows the descendants of a node without the node."""
        if self.view == "controls":
            return not _is_landmark(self.nodes[index])
        return self.view == "tidy" and self._tidy.visibility[index] == PASSED

    @property
    def folded(self) -> set[int]:
        return self._folded_in_filter if self.is_filtered else self._folded

    def fold(self, index: int, closed: bool) -> bool:
        """Fold or unfold a node; False if nothing changed."""
        line = self.line_of(index)
        if line is None or closed == (index in self.folded) or not self.fold_at(line).possible:
            return False
        self.folded.symmetric_difference_update((index,))
        self._lay_out()
        return True

    def unfold_all(self) -> None:
        self.folded.clear()
        self._lay_out()

    def fold_to_level(self, level: int) -> None:
        """Fold everything below this many levels."""
        folded = self.folded
        folded.clear()
        depths = self._shown_depth
        for index, node in enumerate(self.nodes):
            depth = depths[index] if depths else node.depth
            if depth == level - 1 and self._ends[index] > index + 1 and self._any_beneath(index):
                folded.add(index)
        self._lay_out()

    def reveal(self, index: int) -> int | None:
        """Unfold the ancestors of a node; its line, or None if the filter hides it."""
        folded = self.folded
        parent = self._parents[index]
        closed = []
        while parent != NO_PARENT:
            if parent in folded:
                closed.append(parent)
            parent = self._parents[parent]
        if closed:
            folded.difference_update(closed)
            self._lay_out()
        return self.line_of(index)

    def _any_beneath(self, index: int) -> bool:
        if self._visibility is None:
            return True
        end = self._ends[index]
        return any(self._visibility.find(state, index + 1, end) >= 0 for state in (HIT, ANCESTOR))

    def toggle_mark(self, index: int) -> None:
        self.marked.symmetric_difference_update((index,))

    def next_mark(self, index: int) -> int | None:
        visibility = self._visibility
        marked = sorted(
            [mark for mark in self.marked if visibility is None or visibility[mark] in _SHOWN]
        )
        return marked[bisect_right(marked, index) % len(marked)] if marked else None

    def row(self, line: int) -> TreeRow:
        index = self.lines[line]
        node = self.nodes[index]
        return TreeRow(
            index,
            node,
            self._shown_depth[index] if self._shown_depth else node.depth,
            self.fold_at(line),
            self._change_of(index),
            index in self.marked,
            self._visibility is None or self._visibility[index] == HIT,
            self.labels.get(node.ref or "") or self._tidy.previews.get(index, ""),
        )

    def _change_of(self, index: int) -> int:
        """How a node has changed, or what its preview shows."""
        if self.changes is None:
            return SAME
        marks, hidden = self.changes.marks, self._tidy.visibility
        if marks[index] == SAME and index in self._tidy.previews:
            below = range(index + 1, self._ends[index])
            if any(marks[each] != SAME and hidden[each] == HIDDEN for each in below):
                return CHANGED
        return marks[index]

    def fold_at(self, line: int) -> Fold:
        index = self.lines[line]
        end = self._ends[index]
        if index in self.folded:
            visibility = self._visibility
            beneath = visibility.count(HIT, index + 1, end) if visibility else end - index - 1
            return Fold(True, True, beneath)
        return Fold(line + 1 < len(self.lines) and self.lines[line + 1] < end)

    def line_of(self, index: int) -> int | None:
        line = bisect_left(self.lines, index)
        return line if line < len(self.lines) and self.lines[line] == index else None

    def line_near(self, index: int) -> int | None:
        """The line of a node or of an ancestor; if the filter hides it, of a match."""
        if self.is_filtered and self._visibility and self._visibility[index] not in _SHOWN:
            return self.hit_line(index)
        ancestor = index
        while ancestor != NO_PARENT:
            line = self.line_of(ancestor)
            if line is not None:
                return line
            ancestor = self._parents[ancestor]
        return min(bisect_left(self.lines, index), len(self.lines) - 1) if self.lines else None

    def hit_line(self, index: int) -> int | None:
        """The line of the first match from a node on, or of the last match."""
        if not self._hits:
            return None
        at = bisect_left(self._hits, index)
        return self.reveal(self._hits[min(at, len(self._hits) - 1)])

    def parent_line(self, line: int) -> int | None:
        parent = self._parents[self.lines[line]]
        while parent != NO_PARENT:
            above = self.line_of(parent)
            if above is not None:
                return above
            parent = self._parents[parent]
        return None

    def path(self, index: int) -> list[SnapshotNode]:
        """A node and its visible ancestors, the outermost first."""
        found = [self.nodes[index]]
        while (index := self._parents[index]) != NO_PARENT:
            if self._visibility is None or self._visibility[index] in _SHOWN:
                found.append(self.nodes[index])
        return found[::-1]

    def _lay_out(self) -> None:
        """Make the lines: all visible nodes, without the folded ranges."""
        self.lines = lines = array("I")
        start = 0
        for index in sorted(self.folded):
            stop = bisect_right(self._unfolded, index)
            # Skip a fold inside another one.
            if stop > start:
                lines.extend(self._unfolded[start:stop])
                start = bisect_left(self._unfolded, self._ends[index])
        lines.extend(self._unfolded[start:])


def _carried(indexes: Collection[int], changes: Changes | None) -> set[int]:
    if changes is None:
        return set()
    return {changes.target[index] for index in indexes} - {-1}


def _is_landmark(node: SnapshotNode) -> bool:
    """Whether a node helps to identify the controls below it."""
    return bool(node.name) or kind_of(node.role) is RoleKind.LANDMARK


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
