"""What a query can test in a snapshot tree: words, `role:`, `ref:` and `is:`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from pwtui.protocol.query import Query, Test, parse_query
from pwtui.protocol.snapshot import SnapshotNode
from pwtui.widgets.tree_changes import ADDED, SAME
from pwtui.widgets.tree_roles import is_interactive


def parse_tree_query(text: str) -> Query:
    return parse_query(text, ("role", "ref", "is"))


@dataclass
class Corpus:
    """The nodes by their index, with their changes since the last snapshot, the user's marks and
    the texts that their rows show in place of hidden nodes."""

    nodes: Sequence[SnapshotNode]
    changes: Sequence[int]
    marked: Collection[int]
    previews: Mapping[int, str] = field(default_factory=dict)

    def select(self, query: Query, candidates: Collection[int] | None = None) -> list[int]:
        """The nodes that match, all or of the candidates, in document order."""
        indexes = range(len(self.nodes)) if candidates is None else candidates
        return query.select(indexes, self._haystacks.__getitem__, self._field)

    @cached_property
    def _haystacks(self) -> list[str]:
        """One text per node. Each part has its own line, so that no word spans two of them."""
        found = [
            f"{node.role}\n{node.name or ''}\n{node.text or ''}\n{node.ref or ''}".lower()
            for node in self.nodes
        ]
        for index, preview in self.previews.items():
            found[index] += "\n" + preview.lower()
        return found

    @cached_property
    def _roles(self) -> frozenset[str]:
        return frozenset([node.role for node in self.nodes])

    def _field(self, name: str, value: str) -> Test[int]:
        nodes, changes, marked = self.nodes, self.changes, self.marked
        if name == "role":
            # A role that is not on the page is not typed to its end: match its beginning.
            known = [role for role in self._roles if role.lower().startswith(value)]
            roles = frozenset((value,) if value in self._roles else known)
            return lambda index: nodes[index].role in roles
        if name == "ref":
            return lambda index: nodes[index].ref == value
        states: dict[str, Callable[[int], bool]] = {
            "interactive": lambda index: is_interactive(nodes[index]),
            "changed": lambda index: changes[index] != SAME,
            "new": lambda index: changes[index] == ADDED,
            "marked": lambda index: index in marked,
        }
        if value in states:
            return states[value]
        return lambda index: nodes[index].states.get(value, False) not in (False, "false")
