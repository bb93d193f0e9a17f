"""The panel's log over a history of a million requests, beside one of a thousand.

The time from a filter to its first paint, from a key to its paint far back in the log, the time
until all entries are filtered, and the memory of the process.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import psutil
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.pilot import Pilot

from bench.terminal import SIZE
from pwtui.app.earlier import EarlierLog
from pwtui.history.database import history_file
from pwtui.history.writer import HistoryWriter
from pwtui.widgets.envelope_log import EnvelopeLog
from pwtui.widgets.log_store import LogStore

COUNTS = (1_000, 1_000_000)
WORKSPACE = "/shop"
FILTERS = (
    "op:click",
    "is:error",
    "client:agent1 !click",
    "row-99",
    "url:orders/99",
    "nothing-such",
)

# Every sixth request of four kinds, runs of equal ones, a seventeenth failed.
_FILL = """
with recursive number(n) as (select 1 union all select n + 1 from number where n < {count})
insert into requests
    (id, run, seq, time, ms, state, effect, op, client, pid, workspace, profile, url)
select n, 1, n, {now} - ({count} - n) / 10.0, n % 1300, iif(n % 17, 1, 2), iif(n % 50 < 25, 0, 1),
    iif(n % 50 < 25, 1, 2 + n % 3), 5 + iif(n % 50 < 25, 1, n % 3), 42, 8, 9,
    'https://acme.test/orders/' || n
from number;
insert into bodies(id, request, response) select requests.id,
    '{{"schemaVersion":5,"requestId":"r' || requests.id || '","op":"' || text || '","input":' ||
    iif(effect, '{{"selector":"#row-' || (requests.id % 977) || ' > a"}}', '{{}}') || '}}',
    '{{"schemaVersion":5,"op":"' || text || '","ok":' || iif(state = 1, 'true', 'false') ||
    ',"durationMs":' || ms ||
    iif(state = 1, '', ',"error":{{"code":"TIMEOUT","message":"late"}}') ||
    ',"contextDelta":{{"url":"' || url || '"}}}}'
from requests join names on names.id = op;
"""
_NAMES = "page.title click fill navigate agent0 agent1 agent2 /shop default".split()


class _Logged(App[None]):
    def __init__(self, earlier: EarlierLog) -> None:
        super().__init__()
        self.log_of_history = EnvelopeLog(LogStore(20_000, earlier))

    def compose(self) -> ComposeResult:
        yield self.log_of_history


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="pwtui-bench-") as folder:
        for count in COUNTS:
            os.environ["XDG_STATE_HOME"] = str(Path(folder) / str(count))
            write(count, WORKSPACE)
            asyncio.run(_measure(count))


def write(count: int, workspace: str) -> None:
    """Fill the history of the current state folder with requests."""
    writer = HistoryWriter(history_file())
    writer.open()
    connection = writer._connection
    assert connection is not None
    connection.execute("pragma synchronous = off")
    names = [workspace if name == WORKSPACE else name for name in _NAMES]
    connection.executemany("insert into names(id, text) values(?, ?)", list(enumerate(names, 1)))
    connection.executescript(_FILL.format(count=count, now=time.time()))
    connection.execute("pragma wal_checkpoint(truncate)")
    writer.close()


async def _measure(count: int) -> None:
    before = psutil.Process().memory_info().rss
    earlier = EarlierLog(WORKSPACE, "bench")
    app = _Logged(earlier)
    async with app.run_test(size=SIZE) as pilot:
        log = app.log_of_history
        log.focus()
        reading = asyncio.create_task(earlier.run())
        print(f"\n{count:,} requests in the history; load {os.getloadavg()[0]:.1f}")
        first, whole = await _until_shown(log, lambda: log.filter(""))
        _print("from the start to the first paint", first)
        _print("until all are known", whole)
        print(f"{'rows, with equal neighbours in one':40} {log.row_count:>12,}")
        for text in FILTERS:
            first, whole = await _until_shown(log, lambda text=text: log.filter(text))  # type: ignore[misc]
            _print(f"filter {text}: first paint", first)
            _print(f"  all of {earlier.total:,}", whole)
        await _until_shown(log, lambda: log.filter(""))
        for key in ("g", "pagedown", "ctrl+d", "down"):
            _print(f"{key}: median, longest of 30", *await _paints(log, pilot, key))
        log.move_to(log.row_count // 2)
        _print("pageup in the middle: median, longest", *await _paints(log, pilot, "pageup"))
        grown = psutil.Process().memory_info().rss - before
        print(f"{'memory that it needs':40} {grown / 2**20:12.1f} MiB")
        reading.cancel()
        earlier.close()


async def _until_shown(log: EnvelopeLog, act: Callable[[], None]) -> tuple[float, float]:
    """Milliseconds until the first entries are drawn, and until all are known."""
    earlier, first = log.store.earlier, None
    assert isinstance(earlier, EarlierLog)
    before, started = earlier._ids, time.perf_counter()
    act()
    while earlier.is_reading or first is None:
        await asyncio.sleep(0.002)
        if first is None and earlier._ids is not before:
            log.flush()
            log.render_lines(Region(0, 0, *log.size))
            first = (time.perf_counter() - started) * 1000
    return first, (time.perf_counter() - started) * 1000


async def _paints(log: EnvelopeLog, pilot: Pilot[None], key: str) -> tuple[float, float]:
    times = []
    for _ in range(30):
        started = time.perf_counter()
        await pilot.press(key)
        log.render_lines(Region(0, 0, *log.size))
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times), max(times)


def _print(what: str, *values: float) -> None:
    print(f"{what:40}", *(f"{value:12.1f} ms" for value in values))


if __name__ == "__main__":
    main()
