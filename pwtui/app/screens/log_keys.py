"""The log on the main screen: its detail, and moving in time."""

from __future__ import annotations

from textual import on
from textual.binding import Binding, BindingType
from textual.screen import Screen

from pwtui.app import actions
from pwtui.app.panel import InPanel
from pwtui.app.panes.pane import PaneFrame
from pwtui.app.past import REST_SECONDS
from pwtui.protocol.catalog import catalog
from pwtui.widgets.envelope_detail import EnvelopeDetail
from pwtui.widgets.envelope_log import EnvelopeLog
from pwtui.widgets.log_entry import LogEntry

DETAIL_CELLS = 150
"""From this width on, the detail is open beside the log."""
SEARCHED = 500

LOG_KEYS: list[BindingType] = [
    Binding("x", "export", "export", tooltip="export requests to a file", id="export"),
    Binding("R", "record", "record", tooltip="start or stop a recording", id="record"),
    Binding(
        "left_square_bracket",
        "step_in_time(-1)",
        "back in time",
        key_display="[",
        show=False,
        tooltip="show the page after the request before",
        id="time.back",
    ),
    Binding(
        "right_square_bracket",
        "step_in_time(1)",
        "forward in time",
        key_display="]",
        show=False,
        tooltip="show the page after the next request",
        id="time.forward",
    ),
    Binding(
        "M",
        "compare",
        "compare",
        show=False,
        tooltip="compare two marked requests",
        id="time.compare",
    ),
    Binding(
        "S",
        "statistics",
        "statistics",
        show=False,
        tooltip="count the requests of the log, with their times",
        id="statistics",
    ),
]


class LogKeys(InPanel):
    """A mixin of the main screen."""

    frames: dict[str, PaneFrame]
    is_detail_closed = False
    """The user has closed it."""

    def action_pane(self, name: str) -> None:
        """Show a pane and focus it."""
        raise NotImplementedError

    @property
    def _screen(self) -> Screen[None]:
        assert isinstance(self, Screen)
        return self

    @property
    def _log(self) -> EnvelopeLog:
        return self._screen.query_one(EnvelopeLog)

    # -- the detail ------------------------------------------------------------------------------

    @property
    def shows_newest(self) -> bool:
        """Whether the detail shows the next response, so that a toast would repeat it."""
        return self.frames["detail"].has_class("-open") and self._log.following

    def place_detail(self, width: int) -> None:
        """Open the detail where there is room for it, and close it where there is none."""
        frame = self.frames["detail"]
        is_wide = width >= DETAIL_CELLS
        if self.is_detail_closed or is_wide == frame.has_class("-beside"):
            return
        frame.set_class(is_wide, "-open", "-beside")
        if is_wide and frame.is_mounted and (entry := self._log.cursor_entry) is not None:
            self._screen.query_one(EnvelopeDetail).show(entry)

    @on(EnvelopeLog.EntryHighlighted)
    def _show_entry(self, event: EnvelopeLog.EntryHighlighted) -> None:
        if self.frames["detail"].has_class("-open"):
            self._screen.query_one(EnvelopeDetail).show(event.entry)
        if self._log.following:
            self.app.past.leave()
        elif self._log.has_focus and not (event.entry.is_event or self._log.keeps_top):
            self.app.past.show(event.entry, after=REST_SECONDS)

    @on(EnvelopeLog.FollowChanged)
    def _follow(self, event: EnvelopeLog.FollowChanged) -> None:
        if event.following:
            self.app.past.leave()

    @on(EnvelopeLog.EntryOpened)
    def _open_entry(self, event: EnvelopeLog.EntryOpened) -> None:
        self._screen.query_one(EnvelopeDetail).show(event.entry)
        self.is_detail_closed = False
        self.action_pane("detail")

    # -- time ------------------------------------------------------------------------------------

    def return_to_now(self) -> bool:
        """Show the present; whether the past was shown."""
        was_past = self.app.past.leave()
        if was_past:
            self._log.action_move_last()
        return was_past

    def action_step_in_time(self, step: int) -> None:
        """Go to the previous or the next request to a page; after the last one is now."""
        log = self._log
        log.sort("", is_reversed=False)
        row = log.cursor if self.app.past.is_wanted or step > 0 else log.row_count
        for _ in range(SEARCHED):
            row += step
            if not 0 <= row < log.row_count:
                break
            if _is_of_page(entry := log.store.at(row)):
                log.stay()
                log.move_to(row)
                self.app.past.show(entry)
                return
        if step > 0:
            self.return_to_now()

    def action_compare(self) -> None:
        from pwtui.app.screens.compare import compare

        self.app.start(compare(self.app))

    def action_statistics(self) -> None:
        from pwtui.app.screens.statistics import StatisticsScreen

        self.app.push_screen(StatisticsScreen(self._log.filter_text))

    # -- files -----------------------------------------------------------------------------------

    def action_record(self) -> None:
        actions.output.toggle_recording(self.app)

    def action_export(self) -> None:
        self.app.start(actions.export.export_log(self.app))


def _is_of_page(entry: LogEntry) -> bool:
    info = catalog().get(entry.op)
    is_request = info is not None and info.needs_session and not entry.is_event
    return is_request and not entry.pending
