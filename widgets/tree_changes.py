"""Compares two snapshots: which nodes are the same, new or changed."""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Sequence
from itertools import compress, count
from operator import is_not
from typing import Final, NamedTuple

from pwtui.protocol.snapshot import NO_PARENT, SnapshotNode, SnapshotTree

SAME: Final = 0
ADDED: Final = 1
CHANGED: Final = 2

_NONE: Final = -1


class Span(NamedTuple):
    """Neighbours that the trees do not share: the first one, and the first one after them."""

    start: int
    old_stop: int
    new_stop: int


class Changes(NamedTuple):
    """`marks` has SAME, ADDED or CHANGED for each new node. `target` has the new index of each old
    node, or -1."""

    marks: bytearray
    target: array[int]
    added: int
    changed: int
    removed: int
    spans: Sequence[Span]
    """All changes are in them. If there are several, `in_place` is true."""
    in_place: bool
    """Whether no node has another place in the tree."""

    @property
    def kept(self) -> int:
        return len(self.target) - self.removed


def compare(old: SnapshotTree, new: SnapshotTree) -> Changes:
    """Match nodes by ref and role; then by role, name and text among siblings; then by place."""
    spans = _spans(old, new)
    origin = _Origins(old, new, spans).found
    marks = bytearray(len(new.nodes))
    target = array("i", range(len(old.nodes)))
    for start, old_stop, new_stop in spans:
        target[start:old_stop] = array("i", [_NONE]) * (old_stop - start)
        if new_stop != old_stop:
            target[old_stop:] = array("i", range(new_stop, len(new.nodes)))
    old_nodes, new_nodes = old.nodes, new.nodes
    for index, before in origin.items():
        if before == _NONE:
            marks[index] = ADDED
        else:
            target[before] = index
            old_node, node = old_nodes[before], new_nodes[index]
            if old_node.source != node.source and not _looks_same(old_node, node):
                marks[index] = CHANGED
    added, changed, removed = marks.count(ADDED), marks.count(CHANGED), target.count(_NONE)
    in_place = old.parents is new.parents
    return Changes(marks, target, added, changed, removed, spans, in_place)


def _spans(old: SnapshotTree, new: SnapshotTree) -> list[Span]:
    if old.parents is new.parents:  # single nodes were replaced
        changed = compress(count(), map(is_not, old.nodes, new.nodes))
        return [Span(index, index + 1, index + 1) for index in changed]
    start = next(compress(count(), map(is_not, old.nodes, new.nodes)), None)
    least = min(len(old.nodes), len(new.nodes))
    start = least if start is None else start
    pairs = map(is_not, reversed(old.nodes), reversed(new.nodes))
    same = min(next(compress(count(), pairs), least), least - start)
    return [Span(start, len(old.nodes) - same, len(new.nodes) - same)]


def _looks_same(old: SnapshotNode, new: SnapshotNode) -> bool:
    """Ignores the box: one banner would move, and mark, everything below it."""
    return (
        old.name == new.name
        and old.text == new.text
        and old.states == new.states
        and old.props == new.props
    )


class _Origins:
    """`found` has the old index, or -1, of each new node that the trees do not share."""

    def __init__(self, old: SnapshotTree, new: SnapshotTree, spans: Sequence[Span]) -> None:
        self._old = old
        self._new = new
        self._spans = spans
        self.found: dict[int, int] = {}
        self._taken = bytearray(b"\1") * len(old.nodes)
        refs: dict[str, int] = {}
        for start, old_stop, _ in spans:
            self._taken[start:old_stop] = bytes(old_stop - start)
            for index in range(start, old_stop):
                if (ref := old.nodes[index].ref) is not None:
                    refs[ref] = index
        # In document order: the origin of a parent is known before those of its children.
        unknown: dict[int, list[int]] = {}
        for start, _, new_stop in spans:
            for index in range(start, new_stop):
                self._match(index, refs, unknown)
        for parent, children in unknown.items():
            before = self._origin(parent)
            if before != _NONE or parent == NO_PARENT:
                self._match_children(before, children)

    def _origin(self, index: int) -> int:
        before = self.found.get(index)
        if before is not None or index == NO_PARENT:
            return NO_PARENT if before is None else before
        start, old_stop, new_stop = self._spans[0]
        return index if index < start else index + old_stop - new_stop

    def _match(self, index: int, refs: dict[str, int], unknown: dict[int, list[int]]) -> None:
        node, parent = self._new.nodes[index], self._new.parents[index]
        before: int | None
        if node.ref is not None:
            before = refs.get(node.ref)
        else:
            # Most texts keep their place: no search needed.
            origin = self._origin(parent)
            before = index if parent == NO_PARENT else origin + index - parent
            is_known = parent == NO_PARENT or origin != _NONE
            before = before if is_known and self._stayed(before, node, origin) else None
        if before is not None and self._old.nodes[before].role == node.role:
            self.found[index] = before
            self._taken[before] = True
        else:
            self.found[index] = _NONE
            unknown.setdefault(parent, []).append(index)

    def _stayed(self, before: int, node: SnapshotNode, parent: int) -> bool:
        if before >= len(self._old.nodes) or self._taken[before]:
            return False
        old = self._old.nodes[before]
        is_same = old.ref is None and old.text == node.text and old.name == node.name
        return is_same and self._old.parents[before] == parent

    def _match_children(self, parent: int, children: list[int]) -> None:
        old, new = self._old.nodes, self._new.nodes
        left = [index for index in self._old.children(parent) if not self._taken[index]]
        for identity in (_content, _place):
            candidates: dict[Hashable, list[int]] = {}
            # Backwards, so that pop() takes the first of several.
            for index in reversed(left):
                candidates.setdefault(identity(old[index]), []).append(index)
            candidates.pop(None, None)
            for index in children:
                if same := candidates.get(identity(new[index])):
                    self.found[index] = same.pop()
            children = [index for index in children if self.found[index] == _NONE]
            left = sorted([index for same in candidates.values() for index in same])


def _content(node: SnapshotNode) -> Hashable:
    return node.role, node.name, node.text


def _place(node: SnapshotNode) -> Hashable | None:
    """What identifies a node among its siblings after a change of its value: the role of a text,
    the role and name of an element. An element without a name cannot be identified."""
    if node.ref is None:
        return node.role
    return (node.role, node.name) if node.name else None
