"""Compares two snapshots: which nodes are the same, new or changed."""

from __future__ import annotations

from array import array
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final

from pwtui.protocol.snapshot import NO_PARENT, SnapshotNode, SnapshotTree

SAME: Final = 0
ADDED: Final = 1
CHANGED: Final = 2

_NONE: Final = -1


@dataclass(frozen=True, slots=True)
class Changes:
    """`marks` has SAME, ADDED or CHANGED for each new node. `target` has the new index of each old
    node, or -1."""

    marks: bytearray
    target: array[int]
    added: int
    changed: int
    removed: int

    @property
    def kept(self) -> int:
        return len(self.target) - self.removed


def compare(old: SnapshotTree, new: SnapshotTree) -> Changes:
    """Match nodes by ref and role; then by role, name and text among siblings; then by place."""
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
    """Ignores the box: one banner would move, and mark, everything below it."""
    return (
        old.name == new.name
        and old.text == new.text
        and old.states == new.states
        and old.props == new.props
    )


def _origins(old: SnapshotTree, new: SnapshotTree) -> array[int]:
    """The old index of each new node, or -1."""
    origin = array("i", [_NONE]) * len(new.nodes)
    taken = bytearray(len(old.nodes))
    old_nodes, find_old = old.nodes, old.find_ref
    # In document order: the origin of a parent is known before those of its children.
    unknown: dict[int, list[int]] = {}
    for index, node in enumerate(new.nodes):
        ref, parent = node.ref, node.parent
        if ref is not None:
            before = find_old(ref)
        else:
            # Most texts keep their place: no search needed.
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
    left = [index for index in old.children(parent) if not taken[index]]
    for identity in (_content, _place):
        candidates: dict[Hashable, list[int]] = {}
        # Backwards, so that pop() takes the first of several.
        for index in reversed(left):
            candidates.setdefault(identity(old.nodes[index]), []).append(index)
        candidates.pop(None, None)
        for index in children:
            if same := candidates.get(identity(new.nodes[index])):
                origin[index] = same.pop()
        children = [index for index in children if origin[index] == _NONE]
        left = sorted([index for same in candidates.values() for index in same])


def _content(node: SnapshotNode) -> Hashable:
    return node.role, node.name, node.text


def _place(node: SnapshotNode) -> Hashable | None:
    """What identifies a node among its siblings after a change of its value: the role of a text,
    the role and name of an element. An element without a name cannot be identified."""
    if node.ref is None:
        return node.role
    return (node.role, node.name) if node.name else None
