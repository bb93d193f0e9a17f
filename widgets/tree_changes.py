"""What became of a page between two snapshots: which node is which, which is new, which changed."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import Final

from pwtui.protocol.snapshot import NO_PARENT, SnapshotNode, SnapshotTree

SAME: Final = 0
ADDED: Final = 1
CHANGED: Final = 2

_NONE: Final = -1


@dataclass(frozen=True, slots=True)
class Changes:
    """`marks` has SAME, ADDED or CHANGED for each node of the new tree. `target` has the index in
    the new tree for each node of the old one, or -1."""

    marks: bytearray
    target: array[int]
    added: int
    changed: int
    removed: int

    @property
    def kept(self) -> int:
        return len(self.target) - self.removed


def compare(old: SnapshotTree, new: SnapshotTree) -> Changes:
    """A node is the one with its ref and role; else the one of the same role and name in the same
    place; else, for texts, which have no ref, the next of its role there."""
    origin = _origins(old, new)
    marks = bytearray(len(new.nodes))
    target = array("i", [_NONE]) * len(old.nodes)
    old_nodes = old.nodes
    for index, node in enumerate(new.nodes):
        before = origin[index]
        if before == _NONE:
            marks[index] = ADDED
        else:
            target[before] = index
            old_node = old_nodes[before]
            if old_node.source != node.source and not _looks_same(old_node, node):
                marks[index] = CHANGED
    return Changes(marks, target, marks.count(ADDED), marks.count(CHANGED), target.count(_NONE))


def _looks_same(old: SnapshotNode, new: SnapshotNode) -> bool:
    """The box is left out: one banner would mark everything beneath it."""
    return (
        old.name == new.name
        and old.text == new.text
        and old.states == new.states
        and old.props == new.props
    )


def _origins(old: SnapshotTree, new: SnapshotTree) -> array[int]:
    """For each new node the old one, or -1."""
    origin = array("i", [_NONE]) * len(new.nodes)
    taken = bytearray(len(old.nodes))
    old_nodes, find_old = old.nodes, old.find_ref
    # In document order, so that a parent's own origin is known before its children are asked for.
    unknown: dict[int, list[int]] = {}
    for index, node in enumerate(new.nodes):
        ref, parent = node.ref, node.parent
        if ref is not None:
            before = find_old(ref)
        else:
            # Most texts stay where they were, and this finds them without a search.
            before = index if parent == NO_PARENT else origin[parent] + index - parent
            if not _stayed(old_nodes, before, node, origin[parent] if parent >= 0 else NO_PARENT):
                before = None
        if before is not None and old_nodes[before].role == node.role:
            origin[index] = before
            taken[before] = True
        elif parent in unknown:
            unknown[parent].append(index)
        else:
            unknown[parent] = [index]
    for parent, children in unknown.items():
        before = NO_PARENT if parent == NO_PARENT else origin[parent]
        if parent == NO_PARENT or before != _NONE:
            _match_children(old, new, before, children, origin, taken)
    return origin


def _stayed(old_nodes: list[SnapshotNode], before: int, node: SnapshotNode, parent: int) -> bool:
    if before >= len(old_nodes):
        return False
    old = old_nodes[before]
    return (
        old.ref is None and old.parent == parent and old.text == node.text and old.name == node.name
    )


def _match_children(
    old: SnapshotTree,
    new: SnapshotTree,
    parent: int,
    children: list[int],
    origin: array[int],
    taken: bytearray,
) -> None:
    by_name: dict[tuple[str, str | None, str | None], list[int]] = {}
    # Backwards, so that pop() takes the first of several.
    for index in reversed(list(old.children(parent))):
        node = old.nodes[index]
        if not taken[index]:
            by_name.setdefault((node.role, node.name, node.text), []).append(index)
    if not by_name:
        return
    unnamed: list[int] = []
    for index in children:
        node = new.nodes[index]
        same = by_name.get((node.role, node.name, node.text))
        if same:
            origin[index] = same.pop()
        else:
            unnamed.append(index)
    if not unnamed:
        return
    by_place: dict[str, list[int]] = {}
    for index in sorted([index for left in by_name.values() for index in left], reverse=True):
        place = _place(old.nodes[index])
        if place is not None:
            by_place.setdefault(place, []).append(index)
    for index in unnamed:
        place = _place(new.nodes[index])
        same = by_place.get(place) if place is not None else None
        if same:
            origin[index] = same.pop()


def _place(node: SnapshotNode) -> str | None:
    """What else tells a node among its siblings, if anything does. A field keeps its name when it
    is drawn anew with another value; an element with another ref and no name is another one."""
    if node.ref is None:
        return node.role
    return f"{node.role}\n{node.name}" if node.name else None
