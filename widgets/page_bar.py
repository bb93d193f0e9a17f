"""The address of a page with its buttons, and the tabs of its browser if there are several."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, TypeAlias

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from pwtui.widgets.stylesheet import stylesheet
from pwtui.widgets.text import ELLIPSIS, cut, plain, width

Button: TypeAlias = Literal["back", "forward", "reload", "stop", "address", "new_tab"]

_META = "page_bar"
_LONGEST_TAB, _SHORTEST_TAB = 26, 9
_TAB_FRAME = 4  # the mark, the cross and the spaces around them


@dataclass(frozen=True)
class TabLabel:
    """`warning` is a mark for what a tab waits for."""

    index: int
    title: str
    is_active: bool = False
    warning: str = ""


class PageView(NamedTuple):
    """What the bar shows. `state` is in its right corner."""

    url: str = ""
    title: str = ""
    state: str = ""
    is_loading: bool = False
    tabs: tuple[TabLabel, ...] = ()


class PageBar(Widget):
    """One line, or two if there are several tabs. Drawn, without a widget for each button."""

    DEFAULT_CSS = stylesheet("page_bar")
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "page-bar--muted",
        "page-bar--strong",
        "page-bar--button",
        "page-bar--busy",
        "page-bar--active",
        "page-bar--hover",
    }

    @dataclass
    class Pressed(Message):
        """A button was clicked, or the address."""

        button: Button

    @dataclass
    class TabChosen(Message):
        """The user wants to see another tab."""

        index: int

    @dataclass
    class TabClosed(Message):
        """The user wants to close a tab."""

        index: int

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.view = PageView()
        self._hovered: object = None

    def show(self, view: PageView) -> None:
        if view != self.view:
            had_tabs, self.view = len(self.view.tabs) > 1, view
            if had_tabs != (len(view.tabs) > 1):
                self.set_class(not had_tabs, "-tabs")
            self.refresh()

    # -- drawing ---------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        cells = self.size.width
        segments = [*(self._address(cells) if y == 0 else self._tabs(cells))]
        return Strip(segments).adjust_cell_length(cells, self._ink())

    def _ink(self, *names: str, on: object = None) -> Style:
        """The style of these component classes; `on` is what a click does."""
        names = tuple(f"page-bar--{name}" for name in names)
        if on is not None and on == self._hovered:
            names += ("page-bar--hover",)
        style = self.get_visual_style(*names).rich_style
        return style if on is None else style + Style(meta={_META: on})

    def _address(self, cells: int) -> Iterator[Segment]:
        view = self.view
        buttons: list[tuple[Button, str]] = [("back", "◀"), ("forward", "▶")]
        buttons.append(("stop", "✕") if view.is_loading else ("reload", "⟳"))
        for button, symbol in buttons:
            yield Segment(f" {symbol}", self._ink("button", on=button))
        state = cut(plain(view.state), max(0, cells // 3))
        room = cells - 2 * len(buttons) - 2 - width(state) - 6
        url = shortened(plain(view.url) or "no page", room)
        yield Segment("  ", self._ink())
        yield Segment(url, self._ink("strong" if view.url else "muted", on="address"))
        left = room - width(url)
        title = f"  {cut(plain(view.title), left - 2)}" if view.title and left > 8 else ""
        yield Segment(title + " " * max(0, left - width(title)), self._ink("muted"))
        yield Segment(f"  {state} ", self._ink("busy" if view.is_loading else "muted"))
        yield Segment(" + ", self._ink("button", on="new_tab"))

    def _tabs(self, cells: int) -> Iterator[Segment]:
        tabs, first, longest = fitted(self.view.tabs, cells - 2)
        yield Segment(" " if not first else ELLIPSIS, self._ink("muted"))
        for tab in tabs:
            names = ("active",) if tab.is_active else ("muted",)
            mark = "▎" if tab.is_active else " "
            warning = f"{tab.warning} " if tab.warning else ""
            title = cut(f"{warning}{plain(tab.title) or 'blank'}", longest)
            yield Segment(f"{mark}{title} ", self._ink(*names, on=tab.index))
            yield Segment("× ", self._ink("muted", on=("close", tab.index)))
        if first + len(tabs) < len(self.view.tabs):
            yield Segment(ELLIPSIS, self._ink("muted"))

    # -- the mouse -------------------------------------------------------------------------------

    def on_click(self, event: events.Click) -> None:
        event.stop()
        match event.style.meta.get(_META):
            case int(index):
                self.post_message(self.TabChosen(index))
            case ("close", int(index)):
                self.post_message(self.TabClosed(index))
            case str(button):
                self.post_message(self.Pressed(button))  # type: ignore[arg-type]

    def on_mouse_move(self, event: events.MouseMove) -> None:
        self._hover(event.style.meta.get(_META))

    def on_leave(self) -> None:
        self._hover(None)

    def _hover(self, what: object) -> None:
        if what != self._hovered:
            self._hovered = what
            self.refresh()


def shortened(url: str, cells: int) -> str:
    """The URL without its middle, if it is too long."""
    if width(url) <= cells:
        return url
    if cells < 12:
        return cut(url, max(0, cells))
    end = cells // 2
    return cut(url, cells - end) + url[-end:]


def fitted(tabs: tuple[TabLabel, ...], cells: int) -> tuple[tuple[TabLabel, ...], int, int]:
    """The tabs that have room, the number of those before them, and how long a title may be."""
    if not tabs:
        return (), 0, 0
    longest = min(_LONGEST_TAB, max(_SHORTEST_TAB, cells // len(tabs) - _TAB_FRAME))
    count = max(1, cells // (longest + _TAB_FRAME))
    active = next((at for at, tab in enumerate(tabs) if tab.is_active), 0)
    first = max(0, min(active - count // 2, len(tabs) - count))
    return tabs[first : first + count], first, longest
