"""Prompts for the value of a control: one of its options, or a number in its range."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pwtui.protocol.snapshot import SnapshotNode, SnapshotTree
from pwtui.widgets.dialogs import Choice, ChoiceDialog, PromptDialog
from pwtui.widgets.text import cut, plain

if TYPE_CHECKING:
    from pwtui.app.app import PanelApp
    from pwtui.protocol.envelope import Request

_DESCRIBE = """element => {
  const options = list => [...list].map(each => ({
    value: each.value, label: each.label || each.value, isChosen: each.selected && !element.list
  }));
  if (element.tagName === "SELECT")
    return { kind: "select", isMultiple: element.multiple, options: options(element.options) };
  if (element.list) return { kind: "suggestions", options: options(element.list.options) };
  const own = element.tagName === "INPUT";
  const number = (name, aria) => element.getAttribute(own ? name : aria);
  return {
    kind: own || element.isContentEditable ? "text" : "other",
    value: own ? element.value : element.getAttribute("aria-valuenow"),
    least: number("min", "aria-valuemin"), most: number("max", "aria-valuemax")
  };
}"""


# The common keys of ARIA sliders and spin buttons; some support only left and right.
_STEPS = (
    ("+", "increase", "ArrowUp"),
    ("-", "decrease", "ArrowDown"),
    ("r", "right", "ArrowRight"),
    ("l", "left", "ArrowLeft"),
    ("u", "increase more", "PageUp"),
    ("d", "decrease more", "PageDown"),
    ("s", "smallest", "Home"),
    ("g", "greatest", "End"),
)


@dataclass(frozen=True)
class _Option:
    """One option, and the operation that selects it."""

    label: str
    op: str
    input: dict[str, Any]
    is_chosen: bool = False


@dataclass(frozen=True)
class PageControl:
    """A control of the page, and the values that it accepts."""

    ref: str
    title: str
    described: dict[str, Any]
    options: tuple[_Option, ...]

    @classmethod
    async def find(
        cls, app: PanelApp, ref: str, node: SnapshotNode, tree: SnapshotTree | None
    ) -> PageControl:
        """Read the control from the page, or from the tree if the page does not respond."""
        response = await app.controller.ask("page.eval", ref=ref, expression=_DESCRIBE)
        result = (response.data or {}).get("result")
        described = result if isinstance(result, dict) else {}
        options = _of_element(ref, described) or _of_tree(ref, tree, is_custom=bool(described))
        title = cut(plain(f"{node.role} {node.name or ''}".strip()), 50)
        return cls(ref, title, described, tuple(options))

    async def ask_option(self, app: PanelApp) -> Request | None:
        """Ask for an option. Without options: ask for text, or click to open a list."""
        if not self.options:
            if self.described.get("kind") == "other":
                return app.controller.request("click", {"ref": self.ref})
            return await self._ask_text(app)
        choices: list[Choice[_Option | Literal["text"]]] = [
            Choice(each, f"{'●' if each.is_chosen else '○'} {each.label}") for each in self.options
        ]
        if self.described.get("kind") == "suggestions":
            choices.append(Choice("text", "other text…"))
        chosen = await app.push_screen_wait(ChoiceDialog(self.title, choices))
        if chosen == "text":
            return await self._ask_text(app)
        return app.controller.request(chosen.op, chosen.input) if chosen is not None else None

    async def ask_number(self, app: PanelApp) -> Request | None:
        """Ask for a number, or for a key if the control cannot be filled."""
        least, most = (_number(self.described.get(name)) for name in ("least", "most"))
        limits = [
            f"{word} {at:g}" for word, at in (("from", least), ("to", most)) if at is not None
        ]
        if self.described.get("kind") == "other":
            return await self._ask_step(app, limits)

        def problem(text: str) -> str | None:
            value = _number(text)
            if value is None:
                return "must be a number"
            if least is not None and value < least:
                return f"must be at least {least:g}"
            return f"must be at most {most:g}" if most is not None and value > most else None

        text = await app.push_screen_wait(
            PromptDialog(
                f"Set {self.title}",
                " ".join(limits),
                value=str(self.described.get("value") or ""),
                placeholder="number",
                validate=problem,
            )
        )
        if text is None:
            return None
        return app.controller.request("fill", {"ref": self.ref, "text": text.strip()})

    async def _ask_step(self, app: PanelApp, limits: list[str]) -> Request | None:
        now = self.described.get("value") or "no value"
        title = plain(" ".join([f"{self.title}: {now}", *limits]))
        choices = [Choice(key, label, letter, key) for letter, label, key in _STEPS]
        key = await app.push_screen_wait(ChoiceDialog(title, choices))
        return app.controller.request("press", {"ref": self.ref, "key": key}) if key else None

    async def _ask_text(self, app: PanelApp) -> Request | None:
        value = str(self.described.get("value") or "")
        text = await app.push_screen_wait(PromptDialog(f"Fill {self.title}", value=value))
        if text is None:
            return None
        return app.controller.request("fill", {"ref": self.ref, "text": text})


def _of_element(ref: str, described: dict[str, Any]) -> list[_Option]:
    options = described.get("options") or []
    if described.get("kind") == "suggestions":
        return [
            _Option(each["label"], "fill", {"ref": ref, "text": each["value"]}) for each in options
        ]
    found = []
    chosen = [each["value"] for each in options if each["isChosen"]]
    for each in options:
        values = [each["value"]]
        if described.get("isMultiple"):
            # Selecting an option of a multiple select toggles it.
            values = [value for value in chosen if value != each["value"]]
            values += [] if each["isChosen"] else [each["value"]]
        input = {"ref": ref, "values": values}
        found.append(_Option(each["label"], "select", input, bool(each["isChosen"])))
    return found


def _of_tree(ref: str, tree: SnapshotTree | None, *, is_custom: bool) -> Iterable[_Option]:
    """The options below the node. A custom list (no <select>) is operated by clicks."""
    start = tree.find_ref(ref) if tree is not None else None
    if tree is None or start is None:
        return
    for each in tree.nodes[start + 1 : tree.ends[start]]:
        if each.role == "option" and each.name and (each.ref or not is_custom):
            by_name = {"ref": ref, "values": [each.name]}
            op, input = ("click", {"ref": each.ref}) if is_custom else ("select", by_name)
            yield _Option(each.name, op, input, each.states.get("selected") is True)


def _number(text: object) -> float | None:
    try:
        return float(str(text))
    except ValueError:
        return None
