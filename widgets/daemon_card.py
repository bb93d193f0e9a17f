"""The status of the daemon."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from textual.content import Content
from textual.widget import Widget

from pwtui.widgets.text import cut, fit, plain, width
from pwtui.widgets.units import UNKNOWN, count, duration, memory

if TYPE_CHECKING:
    from pwtui.protocol.daemon import DaemonData

DaemonState = Literal["unknown", "starting", "running", "stopped", "unreachable"]

BARS = "▁▂▃▄▅▆▇█"
OLD_AFTER_SECONDS = 5.0
LABEL = 9
TWO_COLUMNS = 30
ROOMY = 40
WIDEST = 60
"""In a wider card, the columns would be too far apart to read a line."""

_MARKS: dict[DaemonState, tuple[str, str]] = {
    "unknown": ("○", "$foreground-muted"),
    "starting": ("◐", "$warning"),
    "running": ("●", "$success"),
    "stopped": ("○", "$foreground-muted"),
    "unreachable": ("✗", "$error"),
}


class DaemonView(NamedTuple):
    """What the card shows. None is unknown."""

    daemon: DaemonData
    requests_per_second: Sequence[float] = ()
    """The rates of the last minute, the oldest first."""
    log_lines: Sequence[str] = ()
    age_seconds: float = 0.0
    """The age of this information."""


def sparkline(numbers: Sequence[float], cells: int) -> str:
    """The latest numbers as bars, scaled to the highest one."""
    newest = [max(0.0, number) for number in numbers[-cells:]] if cells > 0 else []
    top = max(newest, default=0.0)
    if top <= 0:
        return BARS[0] * len(newest)
    return "".join(BARS[min(7, round(number / top * 7))] for number in newest)


class DaemonCard(Widget, can_focus=True):
    """State, process, load and the last log lines of the daemon."""

    ALLOW_SELECT = False

    DEFAULT_CSS = """
    DaemonCard { height: 1fr; padding: 0 1; color: $foreground; }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._daemon_view: DaemonView | None = None
        self.daemon_state: DaemonState = "unknown"

    def show(self, view: DaemonView | None, state: DaemonState) -> None:
        """Show the state, and what is known of the daemon, even if it is no longer running."""
        self._daemon_view, self.daemon_state = view, state
        self.refresh()

    def render(self) -> Content:
        full, lines = self.content_size
        cells = min(full, WIDEST)
        view = self._daemon_view
        drawn = [self._headline(cells)]
        if view is not None:
            drawn += [self._load(view, cells), *self._facts(view, cells)]
            room = lines - len(drawn) - 1
            if view.log_lines and room > 0:
                drawn.append(Content(""))
                drawn += [
                    Content.styled(cut(plain(line), full), "$text-disabled")
                    for line in list(view.log_lines)[-room:]
                ]
        return Content("\n").join(drawn[:lines])

    def _is_old(self, view: DaemonView) -> bool:
        return self.daemon_state != "running" or view.age_seconds > OLD_AFTER_SECONDS

    def _headline(self, cells: int) -> Content:
        state, view = self.daemon_state, self._daemon_view
        mark, color = _MARKS[state]
        left = Content.assemble((mark, color), " ", (state, "bold"))
        note = ""
        if view is not None:
            if self._is_old(view):
                note = f"as of {duration(view.age_seconds)} ago"
            else:
                note = f"up {duration(view.daemon.uptime_seconds)}"
        gap = cells - left.cell_length - width(note)
        if not note or gap < 1:
            return left
        return Content.assemble(left, " " * gap, (note, "$foreground-muted"))

    def _facts(self, view: DaemonView, cells: int) -> list[Content]:
        daemon, is_old = view.daemon, self._is_old(view)
        running = daemon.requests_running
        text = "$text-disabled" if is_old else "$foreground"
        name = "$text-disabled" if is_old else "$foreground-muted"

        def fact(label: str, value: str, labelled: int, room: int) -> Content:
            return Content.assemble((fit(label, labelled), name), (fit(value, room), text))

        left = [
            ("pid", UNKNOWN if daemon.pid is None else str(daemon.pid)),
            ("clients", UNKNOWN if daemon.clients is None else str(len(daemon.clients))),
            ("running", UNKNOWN if running is None else str(len(running))),
        ]
        right = [
            ("version", UNKNOWN if daemon.version is None else plain(daemon.version)),
            ("sessions", count(daemon.sessions)),
            ("served", count(daemon.requests_served, short=cells < ROOMY)),
        ]
        if cells >= TWO_COLUMNS:
            half = cells // 2
            lines = [
                Content.assemble(
                    fact(*one, LABEL - 1, half - LABEL),
                    " ",
                    fact(*other, LABEL, cells - half - LABEL),
                )
                for one, other in zip(left, right, strict=True)
            ]
        else:
            lines = [fact(*each, LABEL, cells - LABEL) for each in left + right]
        if daemon.clients:
            named = Counter(map(plain, daemon.clients)).items()
            names = ", ".join(f"{name} ×{times}" if times > 1 else name for name, times in named)
            lines.append(Content.styled(cut(names, cells), name))
        return lines

    def _load(self, view: DaemonView, cells: int) -> Content:
        rates = view.requests_per_second
        text = "$text-disabled" if self._is_old(view) else "$foreground"
        used = fit(memory(view.daemon.memory_bytes), LABEL - 1)
        rate = f"{sum(rates):.0f}/min" if rates else UNKNOWN
        bars = sparkline(rates, cells - LABEL - width(rate))
        color = text if self._is_old(view) else "$primary"
        return Content.assemble((used, text), (f"{bars} " if bars else "", color), (rate, text))
