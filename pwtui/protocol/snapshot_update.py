"""Parses a snapshot of a page whose earlier snapshot is known: only what has changed."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from dataclasses import replace

from pwtui.protocol.snapshot import (
    NO_PARENT,
    OWN_LINE_STARTS,
    SnapshotNode,
    SnapshotTree,
    append_lines,
    indent_of,
    parse_snapshot,
)


def update_snapshot(before: SnapshotTree | None, text: str) -> SnapshotTree:
    """The tree of `text`. It has the same nodes as the tree before, except those that changed."""
    if before is None or not before.first_lines or not text:
        return parse_snapshot(text)
    if before.render() == text:
        return before
    return _Update(before, text).tree()


class _Update:
    """Two snapshots, and the lines between those that are the same at the start and at the end."""

    def __init__(self, before: SnapshotTree, text: str) -> None:
        old = before.render()
        start = old.rfind("\n", 0, _common_start(old, text)) + 1
        same = _common_end(old, text, min(len(old), len(text)) - start)
        end = old.find("\n", len(old) - same) if same else -1
        end = len(old) if end < 0 else end
        self.before = before
        self.text = text
        self.nodes = list(before.nodes)
        self.first = old.count("\n", 0, start)
        """The number of the first of the lines."""
        self.old = old[start:end].split("\n")
        self.new = text[start : len(text) - len(old) + end].split("\n")

    def tree(self) -> SnapshotTree:
        before = self.before
        at = self._replace_in_place()
        if at == len(self.old) == len(self.new):
            lists = before.parents, before.ends, before.first_lines
            return SnapshotTree(self.nodes, *lists, self.text)
        return self._with_part(at)

    # -- nodes that stay where they are ------------------------------------------------------------

    def _replace_in_place(self) -> int:
        """Replace single nodes as far as possible; returns how many lines are done."""
        at, old, new = 0, self.old, self.new
        in_both = min(len(old), len(new))
        while at < in_both:
            if old[at] == new[at]:
                at += 1
                continue
            index = bisect_right(self.before.first_lines, self.first + at) - 1
            source = self.nodes[index].source.split("\n")
            begin = self.before.first_lines[index] - self.first
            end = begin + len(source)
            for place in range(max(begin, 0), min(end, in_both)):
                source[place - begin] = new[place]
            # With more or fewer lines, those after it have to be the same again.
            is_alone = len(old) == len(new) or (end < in_both and old[end] == new[end])
            node = self._in_place(index, source) if is_alone else None
            if node is None:
                return at
            self.nodes[index] = node
            at = min(end, in_both)
        return at

    def _in_place(self, index: int, source: list[str]) -> SnapshotNode | None:
        """The node that these lines make of a node; None if the nodes around it may change, too."""
        known, ends, parents = self.nodes[index], self.before.ends, self.before.parents
        if indent_of(source[0]) != indent_of(known.source):
            return None
        if ends[index] > index + 1 and _may_be_part(self.nodes[index + 1].source):
            return None
        if _may_be_part(source[0]) and parents[index] == index - 1:
            return None
        tree = parse_snapshot("\n".join(source))
        return replace(tree.nodes[0], depth=known.depth) if len(tree.nodes) == 1 else None

    # -- a part with other lines -------------------------------------------------------------------

    def _with_part(self, at: int) -> SnapshotTree:
        """The tree in which the lines from this one on are parsed again."""
        before, nodes = self.before, self.nodes
        first_lines = before.first_lines
        first, end = self.first + at, self.first + len(self.old)
        # The first line may belong to the node before it.
        start = max(0, bisect_right(first_lines, first) - 2)
        while start and _may_be_part(nodes[start].source):
            start -= 1
        stop = bisect_left(first_lines, end)
        lines = [
            *self._lines(start, stop)[: first - first_lines[start]],
            *self.new[at:],
            *(self._lines(stop - 1, stop)[end - first_lines[stop - 1] :]),
        ]
        # What follows must not be below it, and must not be a part of its last node.
        lowest = min(map(indent_of, [*lines, *(node.source for node in nodes[start:stop])]))
        while stop < len(nodes) and (
            indent_of(nodes[stop].source) > lowest or _may_be_part(nodes[stop].source)
        ):
            lowest = min(lowest, indent_of(nodes[stop].source))
            lines += self._lines(stop, stop + 1)
            stop += 1
        return self._spliced(start, stop, lines)

    def _lines(self, start: int, stop: int) -> list[str]:
        return "\n".join([node.source for node in self.nodes[start:stop]]).split("\n")

    def _spliced(self, start: int, stop: int, lines: list[str]) -> SnapshotTree:
        """The tree with these lines in place of the nodes from `start` to `stop`."""
        before, nodes = self.before, self.nodes
        ancestors = []
        parent = before.parents[start]
        while parent != NO_PARENT:
            ancestors.append(parent)
            parent = before.parents[parent]
        ancestors.reverse()
        indents = [indent_of(nodes[each].source) for each in ancestors]
        tree = SnapshotTree(
            nodes[:start],
            before.parents[:start],
            before.ends[:start],
            before.first_lines[:start],
            self.text,
        )
        following = nodes[stop].source if stop < len(nodes) else None
        append_lines(tree, lines, following, ancestors, indents, before.first_lines[start])
        new_stop = len(tree.nodes)
        for index in range(start, min(stop, new_stop)):
            if tree.nodes[index] != nodes[index]:
                break
            tree.nodes[index] = nodes[index]  # read again, but the same
        indent = -1 if following is None else indent_of(following)
        for ancestor, its_indent in zip(ancestors, indents, strict=True):
            contains_it = its_indent < indent
            end = before.ends[ancestor] + new_stop - stop if contains_it else new_stop
            tree.ends[ancestor] = end
        if following is not None:
            line = before.first_lines[start] + len(lines)
            tree.nodes += nodes[stop:]
            tree.parents += _moved(before.parents[stop:], new_stop - stop, stop)
            tree.ends += _moved(before.ends[stop:], new_stop - stop)
            tree.first_lines += _moved(before.first_lines[stop:], line - before.first_lines[stop])
        return tree


def _moved(numbers: array[int], by: int, least: int = 0) -> array[int]:
    """The numbers, of which those from `least` on are increased."""
    if not by:
        return numbers
    return array("i", [each + by if each >= least else each for each in numbers])


def _may_be_part(line: str) -> bool:
    """Whether a line may belong to the node above it."""
    return line.startswith(OWN_LINE_STARTS, indent_of(line.partition("\n")[0]))


def _common_start(one: str, other: str) -> int:
    """How many characters are the same at the start."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_end(one: str, other: str, most: int) -> int:
    """How many characters are the same at the end, at most so many."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        parts = (each[len(each) - middle : len(each) - low] for each in (one, other))
        if next(parts) == next(parts):
            low = middle
        else:
            high = middle - 1
    return low
