"""How the daemon is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from textual.content import Content
from textual.widget import Widget

from widgets.text import cut, fit, plain, width
from widgets.units import UNKNOWN, count, duration, memory

DaemonState = Literal["unknown", "starting", "running", "stopping", "gone", "unreachable"]

BARS = "▁▂▃▄▅▆▇█"
OLD_AFTER_SECONDS = 5.0
LABEL = 9
TWO_COLUMNS = 30

_MARKS: dict[DaemonState, tuple[str, str]] = {
    "unknown": ("○", "$foreground 50%"),
    "starting": ("◐", "$warning"),
    "running": ("●", "$success"),
    "stopping": ("◐", "$warning"),
    "gone": ("○", "$foreground 50%"),
    "unreachable": ("✗", "$error"),
}


@dataclass(frozen=True, slots=True)
class DaemonView:
    """What the card shows. None is what is not known."""

    pid: int | None = None
    version: str | None = None
    uptime_seconds: float | None = None
    clients: Sequence[str] | None = None
    requests_per_second: Sequence[float] = ()
    """The rate of the last seconds or minutes, oldest first."""
    requests_served: int | None = None
    requests_running: int | None = None
    memory_bytes: int | None = None
    sessions: int | None = None
    log_lines: Sequence[str] = ()
    age_seconds: float = 0.0
    """How long ago all this was known."""


def sparkline(numbers: Sequence[float], cells: int) -> str:
    """The newest numbers as bars, the highest one full; nothing is drawn for no numbers."""
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

    def __init__(
        self, *, name: str | None = None, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._daemon_view: DaemonView | None = None
        self._daemon_state: DaemonState = "unknown"

    def show(self, view: DaemonView | None, state: DaemonState) -> None:
        """Show this. A view of a daemon that is gone is shown as what was known last."""
        self._daemon_view, self._daemon_state = view, state
        self.refresh()

    @property
    def daemon_state(self) -> DaemonState:
        return self._daemon_state

    def render(self) -> Content:
        cells, lines = self.content_size
        view = self._daemon_view
        drawn = [self._headline(cells)]
        if view is not None:
            drawn += self._facts(view, cells)
            room = lines - len(drawn) - 1
            if view.log_lines and room > 0:
                drawn.append(Content(""))
                drawn += [
                    Content.styled(cut(plain(line), cells), "$foreground 55%")
                    for line in list(view.log_lines)[-room:]
                ]
        return Content("\n").join(drawn[:lines])

    def _is_old(self, view: DaemonView) -> bool:
        return self._daemon_state != "running" or view.age_seconds > OLD_AFTER_SECONDS

    def _headline(self, cells: int) -> Content:
        state, view = self._daemon_state, self._daemon_view
        mark, color = _MARKS[state]
        left = Content.assemble((mark, color), " ", (state, "bold"))
        note = ""
        if view is not None:
            if self._is_old(view):
                note = f"as of {duration(view.age_seconds)} ago"
            else:
                note = f"up {duration(view.uptime_seconds)}"
        gap = cells - left.cell_length - width(note)
        if not note or gap < 1:
            return left
        return Content.assemble(left, " " * gap, (note, "$foreground 70%"))

    def _facts(self, view: DaemonView, cells: int) -> list[Content]:
        is_old = self._is_old(view)
        text = "$foreground 45%" if is_old else "$foreground"
        name = "$foreground 45%" if is_old else "$foreground 60%"

        def fact(label: str, value: str, room: int) -> Content:
            labelled = min(LABEL, room)
            parts = (fit(label, labelled), name), (fit(value, room - labelled), text)
            return Content.assemble(*parts)

        facts = [
            ("pid", UNKNOWN if view.pid is None else str(view.pid)),
            ("version", UNKNOWN if view.version is None else plain(view.version)),
            ("memory", memory(view.memory_bytes)),
            ("sessions", count(view.sessions)),
            ("clients", UNKNOWN if view.clients is None else str(len(view.clients))),
            ("served", count(view.requests_served)),
        ]
        if cells >= TWO_COLUMNS:
            half = (cells + 1) // 2
            lines = [
                Content.assemble(fact(*one, half), fact(*other, cells - half))
                for one, other in zip(facts[::2], facts[1::2], strict=True)
            ]
        else:
            lines = [fact(*each, cells) for each in facts]
        lines.append(self._load(view, cells, name, text))
        if view.clients:
            names = ", ".join(plain(client) for client in view.clients)
            lines.append(Content.styled(cut(names, cells), name))
        return lines

    def _load(self, view: DaemonView, cells: int, name: str, text: str) -> Content:
        rates = view.requests_per_second
        now = f"{rates[-1]:.1f}/s" if rates else UNKNOWN
        if view.requests_running and cells >= 40:
            now += f" · {view.requests_running} running"
        bars = sparkline(rates, cells - LABEL - width(now) - 1)
        return Content.assemble(
            (fit("load", LABEL), name),
            (f"{bars} " if bars else "", text if self._is_old(view) else "$primary"),
            (now, text),
        )
