"""The tidy view of a snapshot: without the nodes that only wrap others or repeat their text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from pwtui.protocol.snapshot import SnapshotNode, SnapshotTree

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
_ITEMS: Final = frozenset(("listitem", "paragraph"))
_LABELS: Final = frozenset(("text", "generic"))
_LONGEST_PREVIEW: Final = 300


@dataclass(frozen=True, slots=True)
class Tidy:
    """`visibility` has a value for each node, `previews` the text of hidden nodes below a row."""

    visibility: bytearray = field(default_factory=bytearray)
    previews: dict[int, str] = field(default_factory=dict)


def tidy(tree: SnapshotTree) -> Tidy:
    """What the tidy view shows of a tree."""
    nodes = tree.nodes
    result = Tidy(bytearray([HIT]) * len(nodes))
    visibility = result.visibility
    # The text of each subtree that is nothing but text, else None.
    texts: list[str | None] = [None] * len(nodes)
    # From the end, so that the children of a node are known before it.
    for index in range(len(nodes) - 1, -1, -1):
        node = nodes[index]
        if node.end == index + 1:
            _leaf(nodes, index, texts, visibility)
        else:
            _branch(tree, index, texts, result)
        if node.name is not None and node.end < len(nodes):
            label = nodes[node.end]
            if label.text == node.name and label.parent == node.parent and label.role in _LABELS:
                visibility[node.end] = HIDDEN
    return result


def _leaf(
    nodes: list[SnapshotNode], index: int, texts: list[str | None], visibility: bytearray
) -> None:
    node = nodes[index]
    role = node.role
    if node.pointer or (role not in _INLINE and role not in _REPEATED):
        return
    text = texts[index] = node.text or node.name or ""
    if role in _LABELS:
        following = nodes[index + 1] if index + 1 < len(nodes) else None
        repeats = following is not None and following.parent == node.parent
        if not text or (repeats and following is not None and following.name == text):
            visibility[index] = HIDDEN


def _branch(tree: SnapshotTree, index: int, texts: list[str | None], result: Tidy) -> None:
    node, nodes = tree.nodes[index], tree.nodes
    children = list(tree.children(index))
    parts = [texts[child] for child in children]
    words = [part for part in parts if part is not None]
    is_text = len(words) == len(parts)
    name = node.name
    if is_text and not node.pointer and (node.role in _INLINE or node.role in _REPEATED):
        texts[index] = name or " ".join(words)
    if is_text and name and _squeezed(name) == _squeezed("".join(words)):
        result.visibility[index + 1 : node.end] = bytes(node.end - index - 1)
        return
    role = node.role
    if role in _PREVIEWED and any(words):
        shown = []
        for child, part in zip(children, parts, strict=True):
            if part is not None and nodes[child].role not in _REPEATED:
                if part and result.visibility[child] != HIDDEN:  # a label of another child
                    shown.append(part)
                end = nodes[child].end
                result.visibility[child:end] = bytes(end - child)
        if shown:
            result.previews[index] = " · ".join(shown)[:_LONGEST_PREVIEW]
            return
    if node.pointer or node.text or (node.states and [*node.states] != ["active"]):
        return
    has_one = sum([result.visibility[child] != HIDDEN for child in children]) < 2
    is_wrapper = role in _WRAPPERS or (role in _ITEMS and has_one)
    if (name is None and is_wrapper) or role in _CELLS:  # a cell is named after its content
        result.visibility[index] = PASSED


def _squeezed(text: str) -> str:
    """Without white space: a name has it where the elements of a page are apart."""
    return "".join(text.split())
