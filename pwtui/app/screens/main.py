"""The main screen: the panes, and the keys that work in all of them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.css.query import NoMatches
from textual.events import Resize
from textual.screen import Screen
from textual.widgets import Static

from pwtui.app import actions
from pwtui.app.panes.page import PagePane
from pwtui.app.panes.page_area import PageArea
from pwtui.app.panes.pane import Area, Pane, PaneFrame
from pwtui.app.panes.panes import PANES
from pwtui.app.screens.list_window import ListOutput
from pwtui.app.screens.log_keys import DETAIL_CELLS, LOG_KEYS, LogKeys
from pwtui.app.status_line import status_line
from pwtui.app.store import StorePart
from pwtui.widgets.containers import Columns, Rows
from pwtui.widgets.dialogs import PromptDialog
from pwtui.widgets.envelope_log import EnvelopeLog
from pwtui.widgets.key_bar import KeyBar
from pwtui.widgets.lasting_notice import LastingNotice
from pwtui.widgets.snapshot_tree import SnapshotTreeView
from pwtui.widgets.splitter import Splitter

TICK_SECONDS = 0.5
PAINT_SECONDS = 1 / 10
HOME = "tree"
"""The initial pane."""


def _tab(pane: Pane, *, is_shown: bool) -> str:
    """The name of a pane in the line of a narrow window; a click shows the pane."""
    if is_shown:
        return f"[b $primary]\\[{pane.label}][/]"
    return f" [@click=screen.pane('{pane.id}')]{pane.label}[/] "


def pane_keys(panes: Iterable[Pane]) -> list[BindingType]:
    """The keys that focus the panes."""
    return [
        Binding(pane.key, f"pane('{pane.id}')", pane.title, show=False, id=f"pane.{pane.id}")
        for pane in panes
    ]


class PaneKeys(KeyBar):
    """Shows the keys of the page only in its pane; they work everywhere."""

    PAGE_ACTIONS: ClassVar = frozenset(("snapshot", "repeat", "open_url", "picture"))
    URGENT_ACTIONS: ClassVar = ("answer", "reopen")

    def offers(self, binding: Binding) -> bool:
        focused = self.screen.focused
        if binding.id == "beside" and not self.screen.has_class("-wide"):
            return False
        is_in_page = focused is None or isinstance(focused, PagePane)
        return is_in_page or binding.action not in self.PAGE_ACTIONS

    def is_urgent(self, binding: Binding) -> bool:
        return binding.action.startswith(self.URGENT_ACTIONS)

    def pinned_keys(self) -> Sequence[str]:
        """Together they lead to everything; and back from a zoomed pane."""
        back = () if self.screen.maximized is None else ("zoom",)
        return (*back, "command", "palette", "help")

    def extra_keys(self) -> Sequence[str]:
        return ("beside", "time.back", "find", "undo", "pulse", "statistics")


class MainScreen(LogKeys, ListOutput, Screen[None]):
    """Shows the store and routes keys to actions."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-normal"), (DETAIL_CELLS, "-wide")]  # noqa: RUF012
    AUTO_FOCUS = f"#{HOME}"
    ALLOW_IN_MAXIMIZED_VIEW = "#status, KeyBar"
    PANES: ClassVar[Sequence[Pane]] = PANES

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", "filter", key_display="/", id="filter"),
        Binding("ctrl+f", "find", "find", show=False, id="find"),
        Binding("s", "snapshot", "snapshot", tooltip="update the tree now", id="snapshot"),
        Binding(
            "full_stop",
            "repeat",
            "repeat",
            key_display=".",
            tooltip="repeat the last action",
            id="repeat",
        ),
        Binding("u", "open_url", "go to URL", id="goto"),
        Binding("z", "zoom", "zoom", tooltip="show only this pane", id="zoom"),
        Binding(
            "v", "picture", "screenshot", tooltip="show a screenshot of the page", id="picture"
        ),
        Binding(
            "B",
            "beside",
            "picture beside",
            show=False,
            tooltip="show the picture beside the tree, in a wide window",
            id="beside",
        ),
        Binding(
            "ctrl+z",
            "undo",
            "undo",
            show=False,
            tooltip="undo the last change of a profile, storage, route or tab",
            id="undo",
        ),
        *LOG_KEYS,
        Binding(
            "ctrl+o",
            "jump",
            "jump",
            show=False,
            tooltip="jump to a ref or a pane by letters",
            id="jump",
        ),
        Binding(
            "ctrl+x",
            "cancel_request",
            "cancel request",
            show=False,
            tooltip="cancel what runs here",
            id="cancel-request",
        ),
        Binding(
            "less_than_sign",
            "resize('split-left', -1)",
            "narrower",
            show=False,
            tooltip="narrow the left side",
            id="narrower",
        ),
        Binding(
            "greater_than_sign",
            "resize('split-left', 1)",
            "wider",
            show=False,
            tooltip="widen the left side",
            id="wider",
        ),
        Binding(
            "left_curly_bracket",
            "resize('split-log', -1)",
            "lower",
            show=False,
            tooltip="lower the log",
            id="lower",
        ),
        Binding(
            "right_curly_bracket",
            "resize('split-log', 1)",
            "higher",
            show=False,
            tooltip="raise the log",
            id="higher",
        ),
        Binding(
            "equals_sign",
            "reset_splits",
            "reset sizes",
            show=False,
            tooltip="reset the sizes of the panes",
            id="reset-sizes",
        ),
        Binding("P", "pulse", "pulse", show=False, id="pulse", tooltip="show all sessions at once"),
        Binding(
            "p", "hold", "pause", show=False, id="pause", tooltip="pause or resume the session"
        ),
        Binding("C", "take_control", "take control", id="take-control"),
        Binding("escape", "back", "back", key_display="esc", show=False, id="back"),
        *pane_keys(PANES),
        Binding("tab", "app.focus_next", "next pane", show=False, id="pane.next"),
        Binding("shift+tab", "app.focus_previous", "previous pane", show=False, id="pane.previous"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.frames = {pane.id: PaneFrame(pane) for pane in self.PANES}
        self._dirty: set[StorePart] = set()
        self._painting = False
        self._painted_at = 0.0
        # Before the screen is mounted: later, each class would restyle all widgets.
        self._mark_pane(HOME, update=False)
        self.place_detail(self.app.size[0])
        widths = (name for width, name in self.HORIZONTAL_BREAKPOINTS if width <= self.app.size[0])
        self.add_class(*list(widths)[-1:], update=False)

    def compose(self) -> ComposeResult:
        yield Static(id="status", markup=False)
        yield LastingNotice()
        yield Static(id="tabs", markup=False)
        with Columns(id="body"):
            with Rows(id="left"):
                yield from self._in("left")
            yield Splitter("vertical", id="split-left", minimum=20, minimum_other=40)
            with Rows(id="right"):
                yield PageArea(lambda: self._in("centre"), id="centre")
                yield Splitter(
                    "horizontal", id="split-log", resizes="after", minimum=5, minimum_other=6
                )
                with Columns(id="bottom"):
                    yield from self._in("bottom")
        yield PaneKeys()

    def _in(self, area: Area) -> list[PaneFrame]:
        return [frame for frame in self.frames.values() if frame.pane.area == area]

    def on_mount(self) -> None:
        for splitter in self.query(Splitter):
            splitter.position = self.app.settings.now.splits.get(str(splitter.id))
        self._paint_status()
        self.app.store.listeners.append(self._changed)
        self.set_interval(TICK_SECONDS, self._tick)
        for frame in self.frames.values():
            frame.paint(self.app.store)
        self.query_one(PageArea).paint(self.app.store)
        self._paint_views()

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        # At the start, all widgets have just been styled.
        event.refresh_styles = self._painted_at > 0

    def on_resize(self, event: Resize) -> None:
        self.place_detail(event.size.width)

    def on_unmount(self) -> None:
        self.app.store.listeners.remove(self._changed)

    # -- the store's changes ---------------------------------------------------------------------

    def _changed(self, *parts: StorePart) -> None:
        """Collect changes into one repaint; during a flood, leave time for keys."""
        self._dirty.update(parts)
        if not self._painting:
            self._painting = True
            wait = self._painted_at + PAINT_SECONDS - time.monotonic()
            if wait > 0:
                self.set_timer(wait, self._paint)
            else:
                self.call_later(self._paint)

    def _paint(self) -> None:
        self._painting = False
        self._painted_at = time.monotonic()
        parts, self._dirty = self._dirty, set()
        with suppress(NoMatches):  # on exit, the panes are removed before their screen
            for frame in self.frames.values():
                if not parts.isdisjoint(frame.pane.parts) and not self._is_behind(frame):
                    self._paint_frame(frame)
            if not parts.isdisjoint(PageArea.PARTS):
                self.query_one(PageArea).paint(self.app.store)
            self._paint_status()
            self._paint_views()
            if "notices" in parts:
                self._paint_notices()

    def _paint_notices(self) -> None:
        bar, notices = self.query_one(LastingNotice), self.app.store.notices.shown
        if notices:
            last = notices[-1]
            bar.show(last.text, at=last.at, more=len(notices) - 1, is_bad=last.is_bad)
        else:
            bar.hide()

    @on(LastingNotice.Dismissed)
    def _dismiss_notices(self) -> None:
        self.app.store.notices.dismiss()

    def _paint_frame(self, frame: PaneFrame) -> None:
        store = self.app.store
        frame.paint(store)
        for part in frame.pane.parts:
            store.looked_at(part)

    def _is_behind(self, frame: PaneFrame) -> bool:
        """Whether it is a view of the page that is not shown."""
        is_beside = frame.has_class("-beside") and self.has_class("-wide")
        return frame.pane.area == "centre" and not (frame.has_class("-front") or is_beside)

    def _paint_views(self) -> None:
        """Show the views of the page in the upper border of the one in front."""
        store, views = self.app.store, []
        for frame in self._in("centre"):
            count, cross, errors = frame.pane.badge(store).partition("✗")
            label = f"{frame.pane.label} {count}".rstrip()
            bad = f" [$text-error]✗{errors}[/]" if cross else ""
            link = f"[@click=screen.pane('{frame.pane.id}')][not b $foreground-muted]{label}[/]"
            views.append((f"[b]{label}[/]" if frame.has_class("-front") else f"{link}[/]") + bad)
        for frame in self._in("centre"):
            title = " │ ".join(views) if frame.has_class("-front") else frame.pane.label
            if frame.views != title:
                frame.views = frame.border_title = title

    def _paint_status(self) -> None:
        store = self.app.store
        self._put("#status", status_line(store, self.size.width - 2))
        tabs = [
            _tab(frame.pane, is_shown=frame.has_class("-shown"))
            for frame in self.frames.values()
            if not self._is_behind(frame)
            and (not frame.pane.is_optional or frame.has_class("-open"))
        ]
        self._put("#tabs", Content.from_markup(" ".join(tabs)))
        for frame in self.frames.values():
            if not frame.paint_caption(store):
                self._changed()  # try again

    def _put(self, line: str, text: Content) -> None:
        """Update a fixed line if its text changed."""
        static = self.query_one(line, Static)
        if static.content != text:
            static.update(text, layout=False)

    def _tick(self) -> None:
        """Repaint ages and running times."""
        self._changed("sessions", "daemon")

    # -- panes -----------------------------------------------------------------------------------

    def action_pane(self, name: str) -> None:
        self._mark_pane(name)
        frame = self.frames[name]
        if frame.pane.area == "centre":
            self._paint_frame(frame)
            self._paint_views()
        self._paint_status()
        frame.body.focus()

    def _mark_pane(self, name: str, *, update: bool = True) -> None:
        """Open a pane; in a narrow window, only one pane of an area is shown."""
        area = self.frames[name].pane.area
        is_narrow = self.has_class("-narrow")
        # Restyling a frame is slow: restyle all at once, and only if the layout depends on it.
        for frame in self.frames.values():
            is_shown = frame.pane.id == name
            frame.set_class(is_shown, "-shown", update=False)
            if frame.pane.area == area == "centre" and is_shown != frame.has_class("-front"):
                frame.set_class(is_shown, "-front", update=update and not is_narrow)
            if is_shown or (frame.pane.is_optional and is_narrow):
                frame.set_class(is_shown, "-open", update=update and not is_narrow)
        for each in ("left", "centre", "bottom"):
            self.set_class(each == area, f"-{each}", update=False)
        if update and is_narrow:
            self.update_node_styles()

    def _focused_frame(self) -> PaneFrame:
        around = self.focused.ancestors_with_self if self.focused else []
        found = (widget for widget in around if isinstance(widget, PaneFrame))
        return next(found, self.frames[HOME])

    def action_zoom(self) -> None:
        if self.maximized is not None:
            self.minimize()
        elif self.focused is not None:
            # `maximize` refuses widgets that cannot have the focus.
            frame = self._focused_frame()
            self.maximized = self.query_one(PageArea) if frame.pane.area == "centre" else frame

    def action_resize(self, splitter: str, steps: int) -> None:
        self.query_one(f"#{splitter}", Splitter).grow(steps)

    def action_reset_splits(self) -> None:
        for splitter in self.query(Splitter):
            splitter.reset()

    @on(Splitter.Moved)
    def _remember_split(self, event: Splitter.Moved) -> None:
        self.app.settings.set_split(str(event.splitter.id), event.position)

    def action_back(self) -> None:
        """Close the zoom, the filter, the search or the optional pane, in this order."""
        filters = [frame for frame in self.frames.values() if frame.has_open_filter]
        optional = [f for f in self._in("bottom") if f.pane.is_optional and f.has_class("-open")]
        if self.maximized is not None:
            self.minimize()
        elif filters:
            filters[0].close_filter(clear=True)
        elif self.return_to_now():
            pass
        elif (searched := self._searched_frame()).search_text:
            searched.search("")
            self._changed()
        elif optional and self.query_one("#bottom").has_focus_within:
            self.is_detail_closed = True
            for frame in optional:
                frame.remove_class("-open", "-beside")
            self.action_pane("log")
        elif self.app.store.notices.shown:
            self.app.store.notices.dismiss()
        elif self.app.store.is_viewing:
            self.controller.activate(self.app.store.control_profile)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "take_control":
            return self.app.store.is_viewing
        return action != "filter" or bool(self._focused_frame().pane.filter_hint)

    # -- filters and search ----------------------------------------------------------------------

    def action_filter(self) -> None:
        self._focused_frame().open_filter()

    @on(PaneFrame.CaptionChanged)
    @on(EnvelopeLog.FollowChanged)
    @on(EnvelopeLog.SelectionChanged)
    def _caption_changed(self) -> None:
        self._changed()

    @work
    async def action_find(self) -> None:
        """Highlight matches; n and N go to the next and the previous one."""
        frame = self._searched_frame()
        prompt = PromptDialog(
            f"Find in {frame.pane.title}",
            value=frame.search_text,
            placeholder=frame.pane.search_hint,
            accept="Find",
        )
        text = await self.app.push_screen_wait(prompt)
        if text is not None:
            frame.search(text)
            self._changed()

    def _searched_frame(self) -> PaneFrame:
        frame = self._focused_frame()
        return frame if frame.pane.search_hint else self.frames[HOME]

    # -- actions -----------------------------------------------------------------------------

    def action_snapshot(self) -> None:
        self.controller.refresh_snapshot()

    def action_beside(self) -> None:
        """Show the picture beside the view in front, or no longer."""
        frame = self.frames["picture"]
        frame.toggle_class("-beside")
        if not self.has_class("-wide"):
            frame.remove_class("-beside")
            self.notify("The picture needs a width of 150 columns beside the tree.", timeout=4)
        elif frame.has_class("-front"):
            self.action_pane(HOME)
        self._changed("picture")

    def action_picture(self) -> None:
        from pwtui.app.screens.picture import PictureScreen

        self.app.push_screen(PictureScreen(self.query_one(SnapshotTreeView).cursor_ref))

    def action_repeat(self) -> None:
        if (request := self.controller.history.last_action) is not None:
            self.app.send(request)

    def action_undo(self) -> None:
        from pwtui.app.actions.undo import undo

        self.app.start(undo(self.app))

    def action_open_url(self) -> None:
        self.app.start(actions.page.go_to_url(self.app))

    def action_cancel_request(self) -> None:
        self.app.start(actions.page.cancel_requests(self.app))

    def action_pulse(self) -> None:
        from pwtui.app.screens.pulse import PulseScreen

        self.app.push_screen(PulseScreen())

    def action_hold(self) -> None:
        """Pause or resume the session that is shown."""
        store = self.app.store
        if (session := store.session_of(store.active_profile)) is not None:
            is_held = store.activity_of(session).held_by is not None
            op = "session.resume" if is_held else "session.pause"
            self.app.start(actions.sessions.change_hold(self.app, op, session))

    def action_take_control(self) -> None:
        self.app.store.take_control()

    def action_jump(self) -> None:
        from pwtui.app.screens.jump import JumpScreen

        self.app.push_screen(JumpScreen(self, self.query_one(SnapshotTreeView)))
