"""Modal dialogs: confirm, prompt for a line, choose from a menu."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from rich.segment import Segment
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.geometry import Offset, Size
from textual.widgets import Button, Input, Static

from pwtui.widgets.key_bar import KeyBar
from pwtui.widgets.line_field import LineField
from pwtui.widgets.modal import Modal
from pwtui.widgets.row_list import Ink, RowList, sides
from pwtui.widgets.stylesheet import stylesheet
from pwtui.widgets.text import cut, plain, width

T = TypeVar("T")
Result = TypeVar("Result")

MOST_LOSSES = 8


class Dialog(Modal[Result]):
    """A centred box. Escape and a click outside cancel."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+g", "refuse", "cancel", key_display="esc", id="dialog.cancel"),
    ]

    DEFAULT_CSS = stylesheet("dialog")

    answer_refused: ClassVar[object] = None

    def __init__(self, title: str, message: str = "") -> None:
        super().__init__()
        self._heading = plain(title)
        self._message = message

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog--box") as box:
            box.border_title = Content(self._heading)
            if self._message:
                lines = "\n".join(plain(line) for line in self._message.splitlines())
                yield Static(Content(lines), classes="dialog--text", markup=False)
            yield from self.compose_box()
        yield KeyBar()

    def compose_box(self) -> ComposeResult:
        """The widgets below the message."""
        yield from ()

    def action_refuse(self) -> None:
        self.dismiss(self.answer_refused)  # type: ignore[arg-type]

    def on_click(self, event: events.Click) -> None:
        if event.widget is self:
            self.action_refuse()


class ConfirmDialog(Dialog[bool]):
    """Asks before something is lost and lists it. Cancel has the focus."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "agree", "yes", id="dialog.yes"),
        Binding("n", "refuse", "no", show=False, id="dialog.no"),
        Binding("left,up,h,k", "app.focus_previous", "previous", show=False),
        Binding("right,down,l,j", "app.focus_next", "next", show=False),
    ]
    answer_refused = False

    def __init__(
        self,
        title: str,
        message: str = "",
        *,
        losses: Sequence[str] = (),
        confirm: str = "Yes",
        cancel: str = "Cancel",
    ) -> None:
        super().__init__(title, message)
        self._losses = losses
        self._labels = plain(cancel), plain(confirm)

    def compose_box(self) -> ComposeResult:
        cancel, confirm = self._labels
        if self._losses:
            yield Static(_listed(self._losses), classes="dialog--list", markup=False)
        with Horizontal(classes="dialog--buttons"):
            yield Button(Content(cancel), id="dialog-cancel", compact=True)
            yield Button(Content(confirm), id="dialog-confirm", classes="-danger", compact=True)

    def on_mount(self) -> None:
        self.query_one("#dialog-cancel").focus()

    @on(Button.Pressed)
    def _answer(self, event: Button.Pressed) -> None:
        event.stop()
        self.dismiss(event.button.id == "dialog-confirm")

    def action_agree(self) -> None:
        self.dismiss(True)


class PromptDialog(Dialog[str | None]):
    """Asks for one line; shows a problem or a note while the user types."""

    FIELD: ClassVar[type[LineField]] = LineField

    DEFAULT_CSS = """
    PromptDialog {
        .dialog--box { width: 64; }
        .dialog--text { width: 100%; }
        Input { background: $panel; padding: 0 1; margin-top: 1; }
    }
    """

    def __init__(
        self,
        title: str,
        message: str = "",
        *,
        value: str = "",
        placeholder: str = "",
        accept: str = "OK",
        password: bool = False,
        validate: Callable[[str], str | None] | None = None,
        note: Callable[[str], str] | None = None,
    ) -> None:
        super().__init__(title, message)
        self._given = value
        self._placeholder = plain(placeholder)
        self._accept = plain(accept)
        self._password = password
        self._find_problem = validate or (lambda _: None)
        self._note = note or (lambda _: "")

    def compose_box(self) -> ComposeResult:
        yield self.FIELD(
            self._given,
            placeholder=self._placeholder,
            password=self._password,
            select_on_focus=False,
            compact=True,
        )
        yield Static("", classes="dialog--problem", markup=False)
        with Horizontal(classes="dialog--buttons"):
            yield Button(Content("Cancel"), id="dialog-cancel", compact=True)
            yield Button(Content(self._accept), id="dialog-accept", compact=True)

    def on_mount(self) -> None:
        entry = self.query_one(Input)
        entry.focus()
        # Typing replaces the line, as in the address bar of a browser.
        entry.action_select_all()
        # Show no problem for an empty line before the user types.
        self._check(show=bool(self._given))

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self._check()

    @on(Button.Pressed, "#dialog-cancel")
    def _cancelled(self, event: Button.Pressed) -> None:
        event.stop()
        self.action_refuse()

    def _check(self, show: bool = True) -> bool:
        value = self.query_one(Input).value
        problem = self._find_problem(value)
        text = problem if problem is not None else self._note(value)
        line = self.query_one(".dialog--problem", Static)
        line.set_class(problem is None, "-note")
        line.update(Content(cut(plain(text), 60) if show else ""), layout=False)
        return problem is None

    @on(Input.Submitted)
    @on(Button.Pressed, "#dialog-accept")
    def _submit(self, event: Input.Submitted | Button.Pressed) -> None:
        event.stop()
        if self._check():
            self.dismiss(self.query_one(Input).value)
        else:
            entry = self.query_one(Input)
            entry.action_end()
            entry.focus()


@dataclass(frozen=True, slots=True)
class Choice(Generic[T]):
    """One line of a menu. Its key selects it at once."""

    value: T
    label: str
    key: str = ""
    help: str = ""
    is_dangerous: bool = False


class ChoiceList(RowList[Choice[Any]]):
    """The lines of a menu."""

    CHOOSE_ON_CLICK = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "choose", id="list.choose"),
    ]

    def row_key(self, row: Choice[Any]) -> str:
        return str(self._rows.index(row))

    def draw(self, row: Choice[Any], line: int, cells: int, ink: Ink) -> list[Segment]:
        left = [
            Segment(f" {row.key:1} ", ink("list--accent", "list--strong")),
            Segment(f" {row.label} ", ink("list--bad") if row.is_dangerous else ink()),
        ]
        help_text = [Segment(f"{row.help} ", ink("list--faint"))] if row.help else []
        return sides(left, help_text, cells, ink())


class ChoiceDialog(Dialog[T | None], Generic[T]):
    """A menu, centred or at a place on the screen. Returns a value, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "refuse", "close", show=False, id="dialog.close"),
    ]

    DEFAULT_CSS = stylesheet("choice_dialog")

    def __init__(
        self, title: str, choices: Sequence[Choice[T]], *, at: Offset | None = None
    ) -> None:
        super().__init__(title)
        self._choices = [
            Choice(c.value, plain(c.label), plain(c.key)[:1], plain(c.help), c.is_dangerous)
            for c in choices
        ]
        self._at = at
        self.set_class(at is not None, "-placed")

    def compose_box(self) -> ComposeResult:
        yield ChoiceList()

    def on_mount(self) -> None:
        rows = self.query_one(ChoiceList)
        rows.show(self._choices)
        rows.focus()
        self._place()

    def on_resize(self) -> None:
        self._place()

    def _place(self) -> None:
        """Move the box next to its place, within the screen."""
        rows, box = self.query_one(ChoiceList), self.query_one(".dialog--box")
        helps = max((width(c.help) + 2 for c in self._choices if c.help), default=0)
        labels = max((width(c.label) for c in self._choices), default=0)
        cells = max(labels + 6 + helps, width(self._heading) + 4)
        room = self.app.size - Size(0, 1)  # the line of keys
        wide = min(cells, room.width - 2, 82)
        high = min(max(len(self._choices), 1), max(1, room.height - 2))
        rows.styles.width, rows.styles.height = wide, high
        if self._at is not None:
            x = max(0, min(self._at.x, room.width - wide - 2))
            # Below the place if it fits, otherwise above.
            below = self._at.y + 1
            y = below if below + high + 2 <= room.height else max(0, self._at.y - high - 2)
            box.styles.offset = (x, y)

    def on_key(self, event: events.Key) -> None:
        """The key of a choice comes before the keys of the list."""
        for choice in self._choices:
            if choice.key and event.character == choice.key:
                event.stop()
                event.prevent_default()
                self.dismiss(choice.value)
                return

    @on(ChoiceList.Chosen)
    def _chosen(self, event: ChoiceList.Chosen) -> None:
        event.stop()
        if (choice := self.query_one(ChoiceList).cursor_row) is not None:
            self.dismiss(choice.value)

    @on(ChoiceList.Highlighted)
    def _highlighted(self, event: ChoiceList.Highlighted) -> None:
        event.stop()


def _listed(losses: Sequence[str]) -> Content:
    lines = [f"· {cut(plain(loss), 76)}" for loss in losses[:MOST_LOSSES]]
    if len(losses) > MOST_LOSSES:
        lines.append(f"· and {len(losses) - MOST_LOSSES} more")
    return Content("\n".join(lines))
