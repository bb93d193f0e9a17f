"""The live browser sessions: who, their browsers, their tabs, and the frames in these."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.widget import Widget

from pwtui.protocol.addresses import BOUND, Endpoint, SessionKey
from pwtui.widgets.row_list import Ink, RowList, sides
from pwtui.widgets.text import cut, fit, plain, width
from pwtui.widgets.units import UNKNOWN, duration, memory

if TYPE_CHECKING:
    from pwtui.protocol.models import FrameInfo, PageInfo, SessionData

WIDE, ROOMY = 72, 100
OTHERS = "others"
"""The key of the heading of browsers that are folded away."""

SessionRowKey = tuple[SessionKey | str, str | None, str | None]
MANY_TABS = 20
"""A session with more tabs is folded at first."""


class SessionRow(NamedTuple):
    """A session and what is known about it, or one of its tabs or frames. None is unknown."""

    session: SessionData
    profile: str = ""
    """Empty for a session of another workspace."""
    workspace: str = ""
    """The name of another workspace."""
    who: str = ""
    """The program that uses it."""
    age_seconds: float | None = None
    last_request: float | None = None
    """Seconds since the last request; while the session is busy, since that request started."""
    is_current: bool = False
    """It is shown in the panel."""
    is_other: bool = False
    """It is one of the browsers that are folded away."""
    has_ended: bool = False
    """The browser exited by itself; `last_request` is the time since then."""
    running: str = ""
    """The action that is running."""
    last_action: str = ""
    """The last one that has ended, with a mark of its result."""
    warning: str = ""
    """What blocks the page."""
    errors: int = 0
    is_paused: bool = False
    waiting: tuple[str, ...] = ()
    """The actions that are held, with their clients."""
    active_tab: int | None = None
    """The index of the tab that is shown."""
    tab: int | None = None
    """The row is this page of the session, counted from zero."""
    frame: int | None = None
    """The row is this frame of the tab."""

    @property
    def name(self) -> str:
        place = f"{self.workspace}:" if self.workspace else ""  # as in the log
        port = Endpoint(self.session.cdp_endpoint).port if self.session.origin == "cdp" else None
        return f"{place}{self.profile or self.session.title}{f' :{port}' if port else ''}"

    @property
    def url(self) -> str:
        return self._page.url if self._page is not None else ""

    @property
    def title(self) -> str:
        return self._page.title if self._page is not None else ""

    @property
    def _page(self) -> PageInfo | None:
        """The tab of this row, else the active one, else the first."""
        pages = self.session.pages or ()
        if self.tab is not None:
            return pages[self.tab]
        first = next(iter(pages), None)
        return next((page for page in pages if page.index == self.active_tab), first)

    @property
    def tab_index(self) -> int | None:
        """The index of the tab of this row."""
        return self._page.index if self.tab is not None and self._page is not None else None

    @property
    def is_active_tab(self) -> bool:
        is_shown = self.is_current and self.frame is None
        return is_shown and self.tab_index is not None and self.tab_index == self.active_tab

    @property
    def frames(self) -> list[FrameInfo]:
        """The frames in the tab of this row."""
        page = self._page if self.tab is not None else None
        return page.frames or [] if page is not None else []

    @property
    def frame_info(self) -> FrameInfo | None:
        return self.frames[self.frame] if self.frame is not None else None

    @property
    def pid(self) -> int | None:
        return self.session.pid or self.session.owner_pid

    @property
    def idle(self) -> float | None:
        """Seconds without an action, or else without use of the processor."""
        return self.last_request if self.last_request is not None else self.session.idle_seconds


@dataclass(frozen=True)
class Heading:
    """The line of the browsers that are folded away."""

    count: int
    orphans: int
    memory_bytes: int


def session_row_key(session: SessionData) -> SessionRowKey:
    """The key of a session's row; an attached profile may have two sessions."""
    ws, cdp = session.ws_endpoint, session.cdp_endpoint
    if session.session_key and not session.session_key.startswith(BOUND):
        return SessionKey.parse(session.session_key), ws, cdp
    return "" if ws or cdp else f"{session.title} {session.pid}", ws, cdp


class SessionList(RowList[Any]):
    """One line per session, tab and frame; a wide list has columns.

    ● idle, ◐ busy, ⏸ paused, ⚠ blocked by a dialog, ✗ exited, ▶ current, ○ not driven by pwtui.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "fold", "fold", show=False, id="session.fold"),
        Binding("left,h", "unfold(False)", "fold", show=False, id="list.left"),
        Binding("right,l", "unfold(True)", "unfold", show=False, id="list.right"),
    ]
    EMPTY_TEXT = "No browser is running. b in Profiles starts one."
    ORDERS: ClassVar[dict[str, Callable[[SessionRow], Any]]] = {
        "name": lambda row: row.name.lower(),
        "memory": lambda row: -(row.session.memory_bytes or 0),
        "idle": lambda row: -(row.idle or 0.0),
        "errors": lambda row: -row.errors,
        "age": lambda row: -(row.age_seconds or 0.0),
    }

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._session_folds: dict[Hashable, bool] = {}
        """The folds that the user has changed: whether it is folded."""

    def row_key(self, row: SessionRow | Heading) -> Hashable:
        if isinstance(row, Heading):
            return OTHERS
        return _key_of(row)

    def row_text(self, row: SessionRow | Heading) -> str:
        if isinstance(row, Heading):
            return ""
        session = row.session
        if (frame := row.frame_info) is not None:
            return f"frame {frame.name} {frame.url}"
        known = (row.name, session.title, row.title, row.url, row.who, session.browser)
        facts = (session.origin, session.cdp_endpoint, session.ws_endpoint, str(row.pid or ""))
        marks = ("orphan" if session.orphan else "", "paused" if row.is_paused else "")
        programs = session.programs or ()
        return " ".join(filter(None, [*known, *facts, *marks, row.running, *programs]))

    def matching(self, rows: Sequence[Any]) -> Sequence[Any]:
        """The lines: sessions in their order, with their tabs unless they are folded."""
        is_filtered = bool(self.filter_text.strip())
        found = super().matching(rows)
        if self.order or self.is_reversed:  # the current one stays on top
            found = sorted(found, key=lambda row: (row.is_other, not row.is_current))
        others = [row for row in found if row.is_other]
        lines: list[Any] = []
        for row in found:
            if not row.is_other:
                lines += self._with_tabs(row)
        if others:
            lines.append(
                Heading(
                    len(others),
                    sum(1 for row in others if row.session.orphan),
                    sum(row.session.memory_bytes or 0 for row in others),
                )
            )
            if is_filtered or not self._session_folds.get(OTHERS, True):
                for row in others:
                    lines += self._with_tabs(row)
        return lines

    def _with_tabs(self, row: SessionRow) -> list[SessionRow]:
        if self._is_folded(row):
            return [row]
        lines = [row]
        for index in range(len(row.session.pages or ())):
            lines.append(tab := row._replace(tab=index))
            if not self._is_folded(tab):
                lines += (tab._replace(frame=number) for number in range(len(tab.frames)))
        return lines

    def action_fold(self) -> None:
        if (row := self.cursor_row) is not None:
            self._fold(row, not self._is_folded(row))

    def action_unfold(self, wanted: bool) -> None:
        row = self.cursor_row
        if isinstance(row, SessionRow) and not wanted and self._is_folded(row):
            row = row._replace(tab=None, frame=None)  # its session
        if row is not None:
            self._fold(row, not wanted)

    def action_choose(self) -> None:
        if isinstance(self.cursor_row, Heading):
            self.action_fold()
        else:
            super().action_choose()

    def row_clicked(self, row: int, event: events.Click, *, again: bool) -> None:
        if isinstance(self._rows[row], Heading):
            self.action_fold()
        else:
            super().row_clicked(row, event, again=again)

    def move_to_key(self, key: Hashable) -> bool:
        hidden = [r for r in self._all_rows if r.is_other and session_row_key(r.session) == key]
        if hidden and self._session_folds.get(OTHERS, True):
            self._session_folds[OTHERS] = False
            self.show(self._all_rows)
        return super().move_to_key(key)

    def _fold_key(self, row: SessionRow | Heading) -> Hashable:
        """Of what is folded with this row: a tab with frames, or its session."""
        if isinstance(row, Heading):
            return OTHERS
        return _key_of(row._replace(frame=None, tab=row.tab if row.frames else None))

    def _is_folded(self, row: SessionRow | Heading) -> bool:
        if isinstance(row, Heading):
            usual = True
        elif row.frames:
            usual = not row._replace(frame=None).is_active_tab
        else:
            many = len(row.session.pages or ()) > MANY_TABS
            usual = row.is_other or bool(row.workspace) or many
        return self._session_folds.get(self._fold_key(row), usual)

    def _fold(self, row: SessionRow | Heading, is_folded: bool) -> None:
        key = self._fold_key(row)
        self._session_folds[key] = is_folded
        self.show(self._all_rows, cursor=key)

    def draw(self, row: Any, line: int, cells: int, ink: Ink) -> list[Segment]:
        if isinstance(row, Heading):
            return self._draw_heading(row, cells, ink)
        if row.frame_info is not None:
            return _draw_frame(row.frame_info, cells, ink)
        if row.tab is not None:
            return _draw_tab(row, cells, ink, is_folded=self._is_folded(row))
        fold = Segment(self._fold_mark(row), ink("list--faint"))
        head = [
            Segment("▶ ", ink("list--accent")) if row.is_current else fold,
            Segment(*_dot(row, ink)),
            Segment(plain(row.name), ink("list--strong")),
        ]
        if cells >= WIDE:
            return _draw_columns(row, head, cells, ink)
        if row.who:
            head.append(Segment(f" {plain(row.who)}", ink("list--muted")))
        right = [*_marks(row, ink), Segment(f" {_when(row)} ", ink("list--muted"))]
        return sides(head, right, cells, ink())

    def _draw_heading(self, row: Heading, cells: int, ink: Ink) -> list[Segment]:
        mark = "▸" if self._is_folded(row) and not self.filter_text.strip() else "▾"
        left = [
            Segment(f"{mark} ", ink("list--faint")),
            Segment(f"{row.count} other browser{'s' if row.count > 1 else ''}", ink()),
        ]
        orphans = f"{row.orphans} orphan{'s' if row.orphans > 1 else ''}" if row.orphans else ""
        if cells < WIDE:
            return sides(left, [Segment(f"{orphans} ", ink("list--busy"))], cells, ink())
        if orphans:
            left.append(Segment(f"  {orphans}", ink("list--busy")))
        columns = _columns(cells)
        used = f"{memory(row.memory_bytes):>{_MEMORY}}{'':{_IDLE + columns.pid}} "
        return sides(left, [Segment(used, ink("list--muted"))], cells, ink())

    def _fold_mark(self, row: SessionRow) -> str:
        if not row.session.pages:
            return "  "
        return "▸ " if self._is_folded(row) else "▾ "


class SessionColumns(Widget):
    """The names of the columns of a wide list, above it."""

    DEFAULT_CSS = "SessionColumns { height: 1; color: $text-muted; display: none; }"

    def show_for(self, cells: int) -> None:
        """Show the columns if the list is this wide."""
        self.display = cells >= WIDE

    def render(self) -> str:
        name, who, page, pid = _columns(self.size.width - 1)  # the list has a scrollbar
        last = f"{'ERR':>{_ERRORS}}{'MEMORY':>{_MEMORY}}{'IDLE':>{_IDLE}}"
        last += f"{'PID':>{pid}} " if pid else " "
        return f"{fit('    NAME', name)}{fit('PROGRAM', who)}{fit('ACTION OR PAGE', page)}{last}"


_ERRORS, _MEMORY, _IDLE = 5, 8, 8
_SHORTEST_PATH = 8


class _Columns(NamedTuple):
    name: int
    who: int
    page: int
    pid: int


def _columns(cells: int) -> _Columns:
    """The width of each column; the action or page has the rest."""
    name, who, pid = (28, 20, 8) if cells >= ROOMY else (22, 12, 0)
    return _Columns(name, who, cells - name - who - pid - _ERRORS - _MEMORY - _IDLE - 1, pid)


def _draw_columns(row: SessionRow, head: list[Segment], cells: int, ink: Ink) -> list[Segment]:
    columns = _columns(cells)
    pid = f"{UNKNOWN if row.pid is None else row.pid:>{columns.pid}}" if columns.pid else ""
    state, tone = session_state(row)
    who = row.who if not row.session.orphan else f"orphan {row.who}"
    errors = f"✗{row.errors}" if row.errors else ""
    return [
        *sides(head, [], columns.name - 1, ink()),
        Segment(" ", ink()),
        Segment(
            fit(plain(who), columns.who - 1) + " ",
            ink("list--busy") if row.session.orphan else ink("list--muted"),
        ),
        Segment(fit(plain(state), columns.page), ink(*tone)),
        Segment(f"{errors:>{_ERRORS}}", ink("list--bad")),
        Segment(
            f"{memory(row.session.memory_bytes):>{_MEMORY}}{_when(row):>{_IDLE}}{pid} ",
            ink("list--muted"),
        ),
    ]


def _key_of(row: SessionRow) -> Hashable:
    key = session_row_key(row.session)
    return key if row.tab is None else (key, row.tab, row.frame)


def _draw_tab(row: SessionRow, cells: int, ink: Ink, *, is_folded: bool) -> list[Segment]:
    fold = "" if not row.frames else "▸" if is_folded else "▾"
    left = [
        Segment(f"  {fold:1}", ink("list--faint")),
        Segment("▶ " if row.is_active_tab else "  ", ink("list--accent")),
        Segment(plain(row.title) or plain(row.url) or UNKNOWN, ink()),
    ]
    return _with_address(left, row.title, row.url, cells, ink)


def _draw_frame(frame: FrameInfo, cells: int, ink: Ink) -> list[Segment]:
    left = [Segment("      frame ", ink("list--faint")), Segment(plain(frame.name), ink())]
    return _with_address(left, frame.name or " ", frame.url, cells, ink)


def _with_address(
    left: list[Segment], title: str, address: str, cells: int, ink: Ink
) -> list[Segment]:
    """A row with the path of an address at its right edge, or with all of it."""
    if not title:
        return sides(left, [], cells, ink())
    url = address.partition("://")[2] or address
    host, slash, path = url.partition("/")
    before = sum(segment.cell_length for segment in left)
    room = cells - min(before + 2, cells - 2)
    shown = cut(plain(url if cells >= WIDE else slash + path if path or slash else host), room)
    if width(shown) < min(_SHORTEST_PATH, width(slash + path)):
        shown = ""  # its beginning says nothing
    return sides(left, [Segment(f"{shown} ", ink("list--faint"))], cells, ink())


def _dot(row: SessionRow, ink: Ink) -> tuple[str, Any]:
    if row.has_ended:
        return "✗ ", ink("list--bad")
    if row.is_paused:
        return "⏸ ", ink("list--busy")
    if row.warning:
        return "⚠ ", ink("list--busy")
    if row.running:
        return "◐ ", ink("list--busy")
    if row.session.orphan:
        return "○ ", ink("list--busy")
    return ("● ", ink("list--good")) if not row.is_other else ("○ ", ink("list--muted"))


def _marks(row: SessionRow, ink: Ink) -> list[Segment]:
    """What needs attention, in a narrow list."""
    marks = []
    if row.session.orphan:
        marks.append(Segment(" orphan", ink("list--busy")))
    if row.waiting:
        marks.append(Segment(f" {len(row.waiting)} held", ink("list--busy")))
    if row.errors:
        marks.append(Segment(f" ✗{row.errors}", ink("list--bad")))
    if not (row.waiting or row.errors):
        marks.append(Segment(f" {memory(row.session.memory_bytes)}", ink("list--muted")))
    return marks


def _when(row: SessionRow) -> str:
    return duration(row.idle)


def session_state(row: SessionRow) -> tuple[str, tuple[str, ...]]:
    """What it does, or else its page."""
    if row.has_ended:
        return f"exited {duration(row.last_request)} ago", ("list--bad",)
    if row.waiting:
        return f"held: {', '.join(row.waiting)}", ("list--busy",)
    if row.is_paused:
        return "paused, nothing is held", ("list--busy",)
    if row.warning:
        return row.warning, ("list--busy",)
    if row.running:
        return f"{row.running} …", ("list--busy",)
    if row.session.origin == "pipe":
        return "only its program can reach it", ("list--faint",)
    pages = row.session.pages
    more = f"{len(pages)} tabs: " if pages and len(pages) > 1 else ""
    return f"{more}{row.title or row.url or UNKNOWN}", ()
