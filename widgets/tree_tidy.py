"""The tidy view of a snapshot: without the nodes that only wrap others or repeat their text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Final

from pwtui.protocol.snapshot import NO_PARENT, SnapshotTree
from pwtui.widgets.tree_changes import Changes, Span

# What a view does with a node. PASSED is hidden, but its descendants may be shown.
HIDDEN: Final = 0
ANCESTOR: Final = 1
HIT: Final = 2
PASSED: Final = 3

# Their text can be read in the row of an ancestor.
_INLINE: Final = frozenset(
    """text generic none presentation strong emphasis code time mark insertion deletion subscript
    superscript paragraph cell gridcell columnheader rowheader term definition""".split()
)
# The same, but only where the name of an ancestor repeats all of it.
_REPEATED: Final = frozenset(("heading", "img"))
_PREVIEWED: Final = frozenset(("row", "listitem", "paragraph", "definition"))
_CELLS: Final = frozenset("cell gridcell columnheader rowheader".split())
_WRAPPERS: Final = frozenset("generic none presentation list rowgroup".split())
_ITEMS: Final = frozenset(("listitem", "paragraph", "heading"))
_PLAIN_STATES: Final = frozenset(("active", "level"))
_LABELS: Final = frozenset(("text", "generic"))
_LONGEST_PREVIEW: Final = 300
# Fewer differences than one node in so many are few.
_FEW: Final = 2


@dataclass(frozen=True, slots=True)
class Tidy:
    """`visibility` has a value for each node, `previews` the text of hidden nodes below a row."""

    visibility: bytearray = field(default_factory=bytearray)
    previews: dict[int, str] = field(default_factory=dict)
    texts: list[str | None] = field(default_factory=list)
    """The text of each subtree that is nothing but text, else None."""
    hiding: set[int] = field(default_factory=set)
    """The nodes that hide others below them."""


def tidied(tree: SnapshotTree, before: Tidy | None = None, changes: Changes | None = None) -> Tidy:
    """What the tidy view shows of a tree, which may follow another one with few differences."""
    count = len(tree.nodes)
    spans = changes.spans if changes is not None else ()
    if before is None or not 0 < sum([new - at for at, _, new in spans]) * _FEW < count:
        result = Tidy(bytearray([HIT]) * count, {}, [None] * count)
        _Tidying(tree, result).decide(0, count)
        return result
    visibility, texts = bytearray(before.visibility), list(before.texts)
    previews, hiding = dict(before.previews), set(before.hiding)
    for start, old_stop, new_stop in spans:
        if moved := new_stop - old_stop:  # there is one span
            places = {i: i + moved * (i >= old_stop) for i in hiding if not start <= i < old_stop}
            hiding = set(places.values())
            previews = {places[i]: text for i, text in previews.items() if i in places}
        visibility[start:old_stop] = bytes([HIT]) * (new_stop - start)
        texts[start:old_stop] = [None] * (new_stop - start)
    work = _Tidying(tree, Tidy(visibility, previews, texts, hiding))
    work.decide_changed(spans)
    return work.result


class _Tidying:
    def __init__(self, tree: SnapshotTree, result: Tidy) -> None:
        self.tree = tree
        self.result = result
        self._wanted: list[int] = []
        """A heap of negative indexes: what is last in the tree comes first."""

    def decide(self, start: int, stop: int) -> None:
        """Decide about complete subtrees."""
        # From the end, so that the children of a node are known before it.
        for index in range(stop - 1, start - 1, -1):
            self._decide(index)

    def _decide(self, index: int) -> None:
        end = self.tree.ends[index]
        if end == index + 1:
            self._leaf(index)
        else:
            self._branch(index)
        if self._labels(index, end):
            self.result.visibility[end] = HIDDEN

    def _labels(self, index: int, after: int) -> bool:
        """Whether the text after a subtree repeats its name."""
        name = self.tree.nodes[index].name
        if name is None or after == len(self.tree.nodes):
            return False
        label, parents = self.tree.nodes[after], self.tree.parents
        return label.text == name and parents[after] == parents[index] and label.role in _LABELS

    # -- after a change ----------------------------------------------------------------------------

    def decide_changed(self, spans: Sequence[Span]) -> None:
        for start, _, stop in spans:
            self._want_around(start, stop)
        done = len(self.tree.nodes)
        while self._wanted:
            index = -heappop(self._wanted)
            if index < done:
                done = index
                self._decide_again(index)

    def _want_around(self, start: int, stop: int) -> None:
        """Decide about new nodes, those beside them, and those around them."""
        ends, parents = self.tree.ends, self.tree.parents
        for index in {stop, *range(start, stop), *ends[start:stop]}:
            if index < len(ends):
                heappush(self._wanted, -index)
        index = start - 1
        while index != NO_PARENT:
            heappush(self._wanted, -index)
            index = NO_PARENT if ends[index] > stop else parents[index]

    def _decide_again(self, index: int) -> None:
        visibility, texts, hiding = self.result.visibility, self.result.texts, self.result.hiding
        parents = self.tree.parents
        whole, around = index if index in hiding else NO_PARENT, parents[index]
        while around != NO_PARENT:
            whole, around = around if around in hiding else whole, parents[around]
        if whole not in (index, NO_PARENT):
            heappush(self._wanted, -whole)  # what it hides depends on all below it
            return
        before = visibility[index], texts[index]
        self._forget(index, self.tree.ends[index] if whole == index else index + 1)
        self.decide(index, self.tree.ends[index] if whole == index else index + 1)
        sibling = index - 1
        while sibling > parents[index] and parents[sibling] != parents[index]:
            sibling = parents[sibling]
        if sibling > parents[index] and self._labels(sibling, index):
            visibility[index] = HIDDEN
        first = index
        while first > 0 and parents[first] == first - 1:
            first -= 1
        if first > 0 and self.tree.nodes[first - 1].role in _LABELS:
            heappush(self._wanted, 1 - first)  # whether it is a label depends on what follows
        if (visibility[index], texts[index]) != before and parents[index] != NO_PARENT:
            heappush(self._wanted, -parents[index])

    def _forget(self, start: int, stop: int) -> None:
        result = self.result
        result.visibility[start:stop] = bytes([HIT]) * (stop - start)
        result.texts[start:stop] = [None] * (stop - start)
        for index in range(start, stop):
            result.previews.pop(index, None)
            result.hiding.discard(index)

    # -- one node ----------------------------------------------------------------------------------

    def _leaf(self, index: int) -> None:
        nodes, parents = self.tree.nodes, self.tree.parents
        node = nodes[index]
        role = node.role
        if node.pointer or (role not in _INLINE and role not in _REPEATED):
            return
        text = self.result.texts[index] = node.text or node.name or ""
        if role in _LABELS:
            after = index + 1
            has_next = after < len(nodes) and parents[after] == parents[index]
            while has_next and self.result.visibility[after] == PASSED:
                after += 1
            if not text or (has_next and nodes[after].name == text):
                self.result.visibility[index] = HIDDEN

    def _branch(self, index: int) -> None:
        node, nodes, ends = self.tree.nodes[index], self.tree.nodes, self.tree.ends
        texts, visibility = self.result.texts, self.result.visibility
        children = list(self.tree.children(index))
        parts = [texts[child] for child in children]
        words = [part for part in parts if part is not None]
        is_text = len(words) == len(parts)
        name = node.name
        if is_text and not node.pointer and (node.role in _INLINE or node.role in _REPEATED):
            texts[index] = name or " ".join(words)
        if is_text and name and _squeezed(name) == _squeezed("".join(words)):
            visibility[index + 1 : ends[index]] = bytes(ends[index] - index - 1)
            self.result.hiding.add(index)
            return
        role = node.role
        if role in _PREVIEWED and any(words):
            shown = []
            self.result.hiding.add(index)
            for child, part in zip(children, parts, strict=True):
                if part is not None and nodes[child].role not in _REPEATED:
                    if part and visibility[child] != HIDDEN:  # a label of another child
                        shown.append(part)
                    visibility[child : ends[child]] = bytes(ends[child] - child)
            if shown:
                self.result.previews[index] = " · ".join(shown)[:_LONGEST_PREVIEW]
                return
        if node.pointer or node.text or not _PLAIN_STATES.issuperset(node.states):
            return
        has_one = sum([visibility[child] != HIDDEN for child in children]) < 2
        is_wrapper = role in _WRAPPERS or (role in _ITEMS and has_one)
        if (name is None and is_wrapper) or role in _CELLS:  # a cell is named after its content
            visibility[index] = PASSED


def _squeezed(text: str) -> str:
    """Without white space: a name has it where the elements of a page are apart."""
    return "".join(text.split())
