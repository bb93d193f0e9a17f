"""A pane of the main screen: its record, and the frame around its widget."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import ClassVar, Literal, NamedTuple, Protocol, runtime_checkable

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input

from pwtui.app.store import Store, StorePart
from pwtui.widgets.line_field import LineField
from pwtui.widgets.virtual_list import VirtualList

COUNT_SECONDS = 0.4
RACING_PER_SECOND = 50

Area = Literal["left", "centre", "bottom"]


class Pane(NamedTuple):
    """What the main screen knows about a pane; a new pane is one record and one widget."""

    id: str
    key: str
    title: str
    area: Area
    widget: type[Widget]
    """Made with the pane's id. May be `Painted`, `Captioned`, `Filterable` and `Searchable`."""
    parts: frozenset[StorePart] = frozenset()
    """The parts of the store that it depends on."""
    filter_hint: str = ""
    """The placeholder of the filter; empty: no filter."""
    search_hint: str = ""
    above: Callable[[], Iterable[Widget]] = tuple
    """Fixed lines above the widget."""
    below: Callable[[], Iterable[Widget]] = tuple
    """Fixed lines below the widget."""
    badge: Callable[[Store], str] = lambda store: ""
    """What is new in it."""
    is_optional: bool = False
    """Hidden until it is opened."""

    @property
    def label(self) -> str:
        return f"{self.key} {self.title}"


@runtime_checkable
class Painted(Protocol):
    def paint(self, store: Store) -> None:
        """Show the current content of the store."""


@runtime_checkable
class Captioned(Protocol):
    def caption(self, store: Store) -> str:
        """The text of the pane's lower border."""


@runtime_checkable
class Filterable(Protocol):
    def filter(self, text: str) -> object: ...


@runtime_checkable
class Searchable(Protocol):
    @property
    def search_text(self) -> str: ...

    def search(self, text: str) -> object: ...


class FilterField(LineField):
    """The filter line below a pane."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "keep filter", id="filter.keep"),
        Binding("escape", "screen.back", "show all", key_display="esc", id="filter.end"),
    ]

    def __init__(self, hint: str, *, id: str) -> None:
        super().__init__(placeholder=f"filter: {hint}", id=id, classes="filter", compact=True)


class PaneFrame(Vertical):
    """Border, title, widget and filter of a pane."""

    class CaptionChanged(Message):
        """The text of the lower border may have changed."""

    def __init__(self, pane: Pane) -> None:
        classes = "pane -optional" if pane.is_optional else "pane"
        super().__init__(id=f"{pane.id}-pane", classes=classes)
        self.pane = pane
        self.border_title = pane.label
        self.views = ""
        """The views of the page, if they are in its border."""
        self.body = pane.widget(id=pane.id)
        self.filter_field: FilterField | None = None
        """Made when it is opened first."""
        self._caption = ("", 0.0)

    def compose(self) -> ComposeResult:
        yield from self.pane.above()
        yield self.body
        yield from self.pane.below()

    def paint(self, store: Store) -> None:
        for child in self.children:
            if isinstance(child, Painted):
                child.paint(store)

    def paint_caption(self, store: Store) -> bool:
        """Show the caption; False if it changes too fast to read and has to wait."""
        text = self.body.caption(store) if isinstance(self.body, Captioned) else ""
        before, put_at = self._caption
        if text == before:
            return True
        now = time.monotonic()
        # A new caption redraws the whole pane.
        if max(store.rates(2)) > RACING_PER_SECOND and now - put_at < COUNT_SECONDS:
            return False
        self._caption = (text, now)
        self.border_subtitle = Content(text)
        return True

    # -- search and filter -----------------------------------------------------------------------

    @property
    def search_text(self) -> str:
        return self.body.search_text if isinstance(self.body, Searchable) else ""

    def search(self, text: str) -> None:
        if isinstance(self.body, Searchable):
            self.body.search(text)
        self.body.focus()

    @property
    def has_open_filter(self) -> bool:
        return self.filter_field is not None and self.filter_field.has_class("-open")

    def open_filter(self) -> None:
        if self.filter_field is None:
            self.filter_field = FilterField(self.pane.filter_hint, id=f"{self.pane.id}-filter")
            self.mount(self.filter_field)
        self.filter_field.add_class("-open")
        self.filter_field.focus()

    def close_filter(self, *, clear: bool) -> None:
        field = self.filter_field
        if field is not None and (clear or not field.value):
            field.value = ""
            field.remove_class("-open")
        self.body.focus()

    @on(VirtualList.FilterChanged)
    def _filter_changed(self, event: VirtualList.FilterChanged) -> None:
        if self.filter_field is not None:
            self.filter_field.set_class(bool(event.problem), "-wrong")
        self.post_message(self.CaptionChanged())

    @on(Input.Changed, ".filter")
    def _filter(self, event: Input.Changed) -> None:
        if isinstance(self.body, Filterable):
            self.body.filter(event.value)

    @on(Input.Submitted, ".filter")
    def _keep_filter(self) -> None:
        self.close_filter(clear=False)
