"""What can be done to a node of the snapshot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pwtui.protocol.snapshot import SnapshotNode

_TYPED_INTO = frozenset(("textbox", "searchbox"))
_TICKED = frozenset(("checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"))

Prompt = Literal["text", "key", "option", "number"]


@dataclass(frozen=True)
class NodeAction:
    """An action of the menu. `op` is sent; `asks` names the field that the person fills in."""

    key: str
    title: str
    op: str = ""
    asks: Prompt | None = None
    copies: Literal["ref", "locator"] | None = None


_CLICK = NodeAction("c", "click", "click")
_FILL = NodeAction("f", "fill…", "fill", asks="text")
_TYPE = NodeAction("t", "type…", "type", asks="text")
_CHECK = NodeAction("x", "check", "check")
_UNCHECK = NodeAction("x", "uncheck", "uncheck")
_SELECT = NodeAction("s", "select…", "select", asks="option")
_SET = NodeAction("n", "set a number…", "fill", asks="number")
_REST = (
    NodeAction("d", "double click", "dblclick"),
    NodeAction("h", "hover", "hover"),
    NodeAction("p", "press a key…", "press", asks="key"),
    NodeAction("o", "show on the page", "page.highlight"),
    NodeAction("g", "screenshot of it", "screenshot"),
    NodeAction("r", "copy ref", copies="ref"),
    NodeAction("l", "copy durable locator", copies="locator"),
)


def actions_for(node: SnapshotNode) -> list[NodeAction]:
    """The actions of a node, the one that fits its role first."""
    first: list[NodeAction] = []
    if node.role in _TYPED_INTO:
        first = [_FILL, _TYPE, _CLICK]
    elif node.role in _TICKED:
        first = [_UNCHECK if node.states.get("checked") is True else _CHECK, _CLICK]
    elif node.role in ("combobox", "listbox"):
        first = [_SELECT, _CLICK, _FILL]
    elif node.role in ("slider", "spinbutton"):
        first = [_SET, _CLICK]
    else:
        first = [_CLICK]
    return [*first, *_REST]


def default_action(node: SnapshotNode) -> NodeAction:
    return actions_for(node)[0]


def input_for(action: NodeAction, ref: str, answer: str | None = None) -> dict[str, Any]:
    """The input of the action's envelope."""
    input: dict[str, Any] = {"ref": ref}
    if action.asks is not None:
        input[action.asks] = answer or ""
    if action.op == "screenshot":
        input["output"] = f"element-{ref}.png"
    return input
