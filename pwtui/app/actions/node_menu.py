"""The menu of a tree node, from the declarations of the operations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pwtui.protocol.catalog import Effect, NodeMenu, catalog
from pwtui.protocol.snapshot import SnapshotNode


@dataclass(frozen=True)
class NodeOperation:
    """An operation in the menu of a node."""

    op: str
    menu: NodeMenu

    def input(self, ref: str, answer: str | None = None) -> dict[str, str]:
        input = {name: text.replace("{ref}", ref) for name, text in self.menu.input.items()}
        if self.menu.asks is not None:
            input[self.menu.asks] = answer or ""
        return {"ref": ref, **input}


@dataclass(frozen=True)
class NodeCopy:
    """A value of a node that can be copied."""

    what: Literal["ref", "locator"]
    title: str
    key: str


COPIES = (NodeCopy("ref", "copy ref", "r"), NodeCopy("locator", "copy durable locator", "l"))


def operations_of(node: SnapshotNode) -> list[NodeOperation]:
    """The operations for a node: first those for its role, then those that act, then the rest."""
    is_checked = node.states.get("checked") is True
    first: list[NodeOperation] = []
    acting: list[NodeOperation] = []
    reading: list[NodeOperation] = []
    for info in catalog().values():
        for menu in info.menu:
            is_for_all = not menu.roles and not menu.also
            if menu.checked is not None and menu.checked != is_checked:
                continue
            if node.role in menu.roles:
                first.append(NodeOperation(info.id, menu))
            elif is_for_all or node.role in menu.also:
                others = acting if info.effect is Effect.ACTS else reading
                others.append(NodeOperation(info.id, menu))
    return [*first, *acting, *reading]


def text_operation() -> NodeOperation:
    """The operation that fills a field."""
    found = ((info.id, menu) for info in catalog().values() for menu in info.menu)
    return next(NodeOperation(op, menu) for op, menu in found if menu.asks == "text")
