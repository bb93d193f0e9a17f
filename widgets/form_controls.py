"""The controls of a form: a text that can grow, and a choice on one line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import TextArea

from pwtui.widgets.schema_fields import MISSING, Field, FieldKind, choice_text, from_text, to_text
from pwtui.widgets.stylesheet import stylesheet
from pwtui.widgets.text import cut, plain, width
from pwtui.widgets.text_field import TextField


class FieldControl(Widget):
    """The interface of a control."""

    @dataclass
    class Edited(Message):
        """The user changed the value."""

        source: FieldControl

    class Entered(Message):
        """The user pressed enter where it does not insert a new line."""

    @dataclass
    class Left(Message):
        """The user wants to go to the field above (-1) or below (1)."""

        step: int

    field: Field

    def set_value(self, value: object) -> None:
        """Show a value (MISSING: none)."""

    def read_value(self) -> tuple[object, str]:
        """The value (MISSING if there is none), and what is wrong with it."""
        return MISSING, ""

    def show_problem(self, problem: str) -> bool:
        """Show a problem in the control. False if its value needs the space."""
        return False


class TextControl(TextField, FieldControl):
    """A text, a list with one item per line, or JSON. It grows with its lines."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("alt+enter", "new_line", "new line", show=False, id="form.new-line"),
    ]

    DEFAULT_CSS = stylesheet("text_control")

    def __init__(self, field: Field) -> None:
        super().__init__(
            compact=True,
            tab_behavior="focus",
            highlight_cursor_line=False,
            show_line_numbers=False,
            classes="-compact-field",
        )
        self.field = field
        self._given: object = MISSING
        self._given_text = ""
        self._problem = ""

    def on_resize(self) -> None:
        self._show_placeholder()

    def show_problem(self, problem: str) -> bool:
        self._problem = problem
        self._show_placeholder()
        return not self.text

    def _show_placeholder(self) -> None:
        # Truncate a long description to one line.
        text = cut(plain(self._problem) or _placeholder(self.field), self.content_size.width)
        self.placeholder = Content(text)
        self.set_class(bool(self._problem), "-wrong")

    def set_value(self, value: object) -> None:
        text = "" if value is MISSING else to_text(self.field, value)
        with self.prevent(TextArea.Changed):
            self.load_text(text)
        self._given, self._given_text = value, self.text

    def read_value(self) -> tuple[object, str]:
        # An unchanged value is returned as it was, even if the text cannot express it.
        if self._given is not MISSING and self.text == self._given_text:
            return self._given, from_text(self.field, self.text)[1]
        return from_text(self.field, self.text)

    def get_line(self, line_index: int) -> Text:
        line = self.document.get_line(line_index)
        # Keep tabs: TextArea expands them itself.
        shown = "\t".join(plain(part) for part in line.split("\t"))
        return Text(shown, end="", no_wrap=True)

    async def _on_key(self, event: events.Key) -> None:
        row = self.cursor_location[0]
        if event.key == "enter" and self.field.kind is FieldKind.TEXT:
            self.post_message(self.Entered())
        elif event.key == "up" and row == 0:
            self.post_message(self.Left(-1))
        elif event.key == "down" and row == self.document.line_count - 1:
            self.post_message(self.Left(1))
        else:
            return
        event.stop()
        event.prevent_default()

    def action_new_line(self) -> None:
        self.insert("\n")

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self.post_message(self.Edited(self))


class ChoiceControl(FieldControl, can_focus=True):
    """All choices on one line, or the selected one if they do not fit.

    If none is selected, the default is marked faintly.
    """

    ALLOW_SELECT = False

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l", "turn(1)", "next", show=False, id="form.choice-next"),
        Binding("left,h", "turn(-1)", "previous", show=False, id="form.choice-previous"),
        Binding("space", "turn(1, True)", "next", show=False, id="form.choice-turn"),
        Binding("backspace,delete", "unset", "unset", show=False, id="form.choice-unset"),
        Binding("up", "leave(-1)", "field above", show=False),
        Binding("down", "leave(1)", "field below", show=False),
        Binding("enter", "enter", "submit", show=False),
    ]

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "choice--chosen",
        "choice--default",
        "choice--other",
        "choice--wrong",
    }

    DEFAULT_CSS = stylesheet("choice_control")

    def __init__(self, field: Field) -> None:
        super().__init__()
        self.field = field
        self._offered = list(field.choices)
        self._chosen = -1 if field.can_be_unset else self._offered.index(False)
        self._problem = ""

    def set_value(self, value: object) -> None:
        # Keep a value that is not among the choices; the user can select another one.
        self._offered = list(self.field.choices)
        if value is MISSING:
            self._chosen = -1 if self.field.can_be_unset else self._offered.index(False)
        else:
            if not any(_same(value, offered) for offered in self._offered):
                self._offered.append(value)
            self._chosen = next(i for i, each in enumerate(self._offered) if _same(value, each))
        self.refresh()

    def read_value(self) -> tuple[object, str]:
        return (MISSING if self._chosen < 0 else self._offered[self._chosen]), ""

    def show_problem(self, problem: str) -> bool:
        self._problem = plain(problem) if self._chosen < 0 else ""
        self.refresh()
        return self._chosen < 0

    def _choose(self, index: int) -> None:
        if index != self._chosen and (index >= 0 or self.field.can_be_unset):
            self._chosen = index
            self.refresh()
            self.post_message(self.Edited(self))

    def action_turn(self, step: int, around: bool = False) -> None:
        lowest = -1 if self.field.can_be_unset else 0
        if self._chosen < 0 and not around:
            # Start next to the default.
            start = self._default_index()
            index = start + step if start >= 0 else (0 if step > 0 else len(self._offered) - 1)
        else:
            index = self._chosen + step
        if around and index >= len(self._offered):
            index = lowest
        self._choose(min(max(index, 0 if not around else lowest), len(self._offered) - 1))

    def action_unset(self) -> None:
        self._choose(-1)

    def action_leave(self, step: int) -> None:
        self.post_message(self.Left(step))

    def action_enter(self) -> None:
        self.post_message(self.Entered())

    def on_key(self, event: events.Key) -> None:
        """A letter selects the next choice that starts with it."""
        letter = event.character or ""
        if not letter.isalnum() or letter in "hl":
            return
        indexes = [i for i, each in enumerate(self._offered) if choice_text(each)[:1] == letter]
        if indexes:
            event.stop()
            later = [i for i in indexes if i > self._chosen]
            self._choose((later or indexes)[0])

    def on_click(self, event: events.Click) -> None:
        at = event.get_content_offset(self)
        if at is None:
            return
        if not self._fits():
            self.action_turn(1 if at.x > self.content_size.width // 2 else -1)
            return
        for index, (start, end) in enumerate(self._places()):
            if start <= at.x < end:
                # A click on the selected choice deselects it.
                self._choose(-1 if index == self._chosen else index)

    def _labels(self) -> list[str]:
        return [plain(choice_text(each)) for each in self._offered]

    def _places(self) -> list[tuple[int, int]]:
        places, at = [], 0
        for label in self._labels():
            places.append((at, at + 2 + width(label)))
            at = places[-1][1] + 2
        return places

    def _fits(self) -> bool:
        places = self._places()
        return not places or places[-1][1] <= self.content_size.width

    def _default_index(self) -> int:
        default = self.field.default
        return next((i for i, each in enumerate(self._offered) if _same(default, each)), -1)

    def render_line(self, y: int) -> Strip:
        cells = self.content_size.width
        default = self._default_index() if self._chosen < 0 else -1
        segments = []
        for index, label in enumerate(self._labels()):
            if index == self._chosen:
                offered = index < len(self.field.choices)
                mark, name = "●", "choice--chosen" if offered else "choice--wrong"
            elif index == default:
                mark, name = "◌", "choice--default"
            else:
                mark, name = "○", "choice--other"
            segments.append(Segment(f"{mark} {label}", self.get_visual_style(name).rich_style))
        ground = self.get_visual_style().rich_style
        problem = Segment(self._problem, self.get_visual_style("choice--wrong").rich_style)
        if self._fits():
            spaced = [each for segment in segments for each in (segment, Segment("  ", ground))]
            return Strip([*spaced, problem]).adjust_cell_length(cells, ground)
        shown = self._chosen if self._chosen >= 0 else max(default, 0)
        seen, count = problem if self._problem else segments[shown], f" {shown + 1}/{len(segments)}"
        text = cut(f"‹ {seen.text}", cells - width(count) - 2)
        only = Segment(f"{text}{count} ›", seen.style)
        return Strip([only]).adjust_cell_length(cells, ground)


def control_for(field: Field) -> FieldControl:
    return ChoiceControl(field) if field.kind is FieldKind.CHOICE else TextControl(field)


def _placeholder(field: Field) -> str:
    """The default, or the description of the field."""
    given = "" if field.default in (MISSING, None) else to_text(field, field.default)
    return plain(given or field.description)


def _same(one: object, other: object) -> bool:
    return one == other and isinstance(one, bool) == isinstance(other, bool)
