"""The envelope log: appending, filtering, painting, and keys under load.

The first times are CPU time, the best of several. For the last ones an app runs in a pseudo
terminal, and the time from a key to its paint is measured.
"""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import time
from collections.abc import Callable
from typing import Any, ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.widgets import Static

from bench.terminal import SIZE, Terminal
from pwtui.widgets.envelope_detail import EnvelopeDetail
from pwtui.widgets.envelope_log import EnvelopeLog
from pwtui.widgets.json_lines import json_lines
from pwtui.widgets.log_entry import LogEntry
from pwtui.widgets.log_store import LogStore
from pwtui.widgets.virtual_list import VirtualList

ENTRIES = 100_000
RATE = 1000
SOAK_SECONDS = 5


def main() -> None:
    asyncio.run(_in_process())
    _soak()


# Entries -----------------------------------------------------------------------------------------


def make_entry(seq: int) -> LogEntry:
    request = {
        "schemaVersion": 5,
        "requestId": f"req-{seq}",
        "op": ("click", "fill", "navigate", "page.text")[seq % 4],
        "input": {"selector": f"#row-{seq % 977} > a", "url": f"https://acme.test/orders/{seq}"},
    }
    op = str(request["op"])
    return LogEntry(seq, time.time(), f"agent {seq % 5}", f"profile-{seq % 7}", op, request)


def make_response(seq: int) -> dict[str, Any]:
    response: dict[str, Any] = {"ok": seq % 17 != 0, "durationMs": seq % 1300}
    if response["ok"]:
        response["contextDelta"] = {"url": f"https://acme.test/orders/{seq}"}
    else:
        response["error"] = {"code": "TIMEOUT", "message": "nothing happened; try again"}
    return response


def make_finished(seq: int) -> LogEntry:
    entry = make_entry(seq)
    entry.answer(entry.request, make_response(seq))
    return entry


# In one process ----------------------------------------------------------------------------------


class _Bare(App[None]):
    def __init__(self, *shown: VirtualList) -> None:
        super().__init__()
        self._shown = shown

    def compose(self) -> ComposeResult:
        yield from self._shown


async def _in_process() -> None:
    log, detail = EnvelopeLog(LogStore()), EnvelopeDetail()
    entries = [make_finished(seq) for seq in range(ENTRIES)]
    async with _Bare(log).run_test(size=SIZE) as pilot:
        log.store.add(entries[:1000])
        log.flush()
        await pilot.pause()
        small = _paint_ms(log)

        def append() -> None:
            for start in range(1000, ENTRIES, 1000):
                log.store.add(entries[start : start + 1000])
                log.flush()

        rate = (ENTRIES - 1000) / _cpu_ms(append) * 1000
        print(f"append {ENTRIES:,} entries            {rate:12,.0f} /s")

        for text in (
            "row-99",
            "op:click",
            "is:error",
            "client:3 !click",
            "re:row-9.*TIMEOUT",
            "",
        ):
            took = _best_ms(lambda text=text: log.filter(text))  # type: ignore[misc]
            print(f"filter {text or '(cleared)':24} {took:12.1f} ms   {log.row_count:,} shown")

        await pilot.pause()
        large = _paint_ms(log)
        print(f"paint at 1,000 entries            {small:12.2f} ms")
        print(f"paint at {ENTRIES:,} entries          {large:12.2f} ms   x{large / small:.2f}")

    row = {"name": "Order", "price": 1.5, "tags": ["a", "b"], "ok": True}
    data = {"rows": [row | {"id": number} for number in range(25_800)]}
    made = _best_ms(lambda: json_lines(data), rounds=3)
    lines = json_lines(data)
    size = sum(map(len, lines)) / 1e6
    count = len(lines)
    print(f"pretty-print {size:.1f} MB               {made:12.1f} ms   {count:,} lines")

    large_entry = make_finished(1)
    large_entry.answer(large_entry.request, {"ok": True, "data": data})
    async with _Bare(detail).run_test(size=SIZE) as pilot:
        await pilot.pause()
        shown = _cpu_ms(lambda: detail.show(large_entry))
        small = _paint_ms(detail)
        built = _cpu_ms(detail._build_large)
        large, ratio = _paint_ms(detail), _paint_ms(detail) / small
    print(f"paint at {count:,} lines of JSON    {large:12.2f} ms   x{ratio:.2f} of a few lines")
    print(
        f"detail of {size:.1f} MB: first view       {shown:12.1f} ms, its data {built:.0f} ms later"
    )


def _paint_ms(widget: VirtualList) -> float:
    """Paint all lines of the view with empty caches."""
    region = Region(0, 0, *widget.size)

    def paint() -> None:
        widget.forget_strips()
        widget._styles_cache.clear()
        widget.render_lines(region)

    return _best_ms(paint, rounds=40)


def _best_ms(act: Callable[[], object], rounds: int = 5) -> float:
    return min(_cpu_ms(act) for _ in range(rounds))


def _cpu_ms(act: Callable[[], object]) -> float:
    started = time.process_time()
    act()
    return (time.process_time() - started) * 1000


# In a pseudo terminal ----------------------------------------------------------------------------


class _Flooded(App[None]):
    """A log of 100,000 entries that gets 1,000 requests and responses per second."""

    CSS = "#status { height: 1; }"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("x", "ping", "Ping"),
        Binding("s", "flood", "Start the flood"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._beats = 0

    def compose(self) -> ComposeResult:
        yield Static("", id="status", markup=False)
        yield EnvelopeLog(LogStore())

    def on_mount(self) -> None:
        log = self.query_one(EnvelopeLog)
        log.store.add(make_finished(seq) for seq in range(ENTRIES))
        log.focus()
        self.call_after_refresh(self._be_ready)

    def _be_ready(self) -> None:
        # As the panel does: a full garbage collection would block it for a fifth of a second.
        gc.collect()
        gc.freeze()
        self._show("ready")

    def action_flood(self) -> None:
        self.run_worker(self._flood(self.query_one(EnvelopeLog)), group="flood")

    async def _flood(self, log: EnvelopeLog) -> None:
        started, sent = time.perf_counter(), 0
        while True:
            due = int((time.perf_counter() - started) * RATE)
            for seq in range(ENTRIES + sent, ENTRIES + due):
                log.store.add([make_entry(seq)])
                log.store.finish(seq - 20, log.store.entries[-21].request, make_response(seq - 20))
            sent = due
            await asyncio.sleep(0.005)

    def _show(self, what: str) -> None:
        self._beats += 1
        self.query_one("#status", Static).update(f"<{self._beats}:{what}>", layout=False)

    def action_ping(self) -> None:
        self._show("ping")

    def on_envelope_log_follow_changed(self) -> None:
        self._show("follow")

    def on_envelope_log_entry_highlighted(self, message: EnvelopeLog.EntryHighlighted) -> None:
        if not message.control.following:
            self._show("moved")


def _soak() -> None:
    terminal = Terminal([sys.executable, "-m", "bench.log_widget", "app"])
    try:
        terminal.wait_for(rb"<\d+:ready>", 0, 60)
        terminal.rest(1)
        load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"
        print(f"{ENTRIES:,} entries; the flood is {RATE:,} responses/s; {load}")
        for what, before, key, pattern in (
            ("a key, nothing arrives", b"", b"x", rb"<\d+:ping>"),
            ("a key in the flood", b"s", b"x", rb"<\d+:ping>"),
            ("the cursor in the flood", b"k", b"k", rb"<\d+:moved>"),
        ):
            if before:
                os.write(terminal.descriptor, before)
                terminal.rest(0.5)
            print(terminal.soak(what, key, pattern, SOAK_SECONDS))
    finally:
        terminal.close()


if __name__ == "__main__":
    if sys.argv[1:] == ["app"]:
        _Flooded().run()
    else:
        main()
