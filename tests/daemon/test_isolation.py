"""A hostile page in one profile does not affect another profile."""

from __future__ import annotations

import statistics
import time

import pytest

from tests.daemon.house import House, eventually, lower_priority, processor_seconds
from tests.daemon.wire import Wire
from tests.site import TestSite

HOSTILE = {
    "console": "setInterval(() => { for (let i = 0; i < 3000; i++) console.log('x' + i) }, 5)",
    "requests": "setInterval(() => { for (let i = 0; i < 60; i++) "
    "fetch('/form.html?' + Math.random()).catch(() => 0) }, 15)",
    "errors": "setInterval(() => { for (let i = 0; i < 300; i++) "
    "setTimeout(() => { throw new Error('e'.repeat(2000)) }) }, 10)",
    "titles": "setInterval(() => { for (let i = 0; i < 300; i++) { document.title = Math.random(); "
    "history.replaceState(0, '', '?' + Math.random()) } }, 10)",
    "frames": "setInterval(() => { for (let i = 0; i < 20; i++) { "
    "const f = document.createElement('iframe'); document.body.append(f); "
    "setTimeout(() => f.remove(), 60) } }, 40)",
    "long messages": "setInterval(y => console.log(y), 200, 'y'.repeat(1e7))",
}
REQUESTS = 15
BUSY_SECONDS = 0.3
# `bench.daemon` measures it; here other tests use the processors as well.
MOST_TIMES_SLOWER = 5.0


def median_seconds(wire: Wire) -> float:
    """How long a request of the calm profile takes, of which none may fail."""
    times = []
    for number in range(REQUESTS):
        began = time.monotonic()
        op, input = (
            ("page.eval", {"expression": "1 + 1"}),
            ("page.text", {"selector": "h1"}),
        )[number % 2]
        wire.data(op, input, profile="calm")
        times.append(time.monotonic() - began)
        time.sleep(0.02)
    return statistics.median(times)


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_page_does_not_slow_the_others(
    warm: House, wire: Wire, site: TestSite, what: str
) -> None:
    wire.data("navigate", {"url": site.url("/form.html")}, profile="calm")
    alone = median_seconds(wire)
    wire.data("navigate", {"url": site.url("/form.html")}, profile="hostile")
    browser = warm.session_processes("hostile").browser
    lower_priority(browser)
    before = processor_seconds(browser)
    wire.data("page.eval", {"expression": f"({HOSTILE[what]}, 1)"}, profile="hostile")
    eventually(lambda: processor_seconds(browser) > before + BUSY_SECONDS, "the page is at work")
    beside = median_seconds(wire)
    stopped = wire.call("session.stop", profile="hostile")
    after = median_seconds(wire)

    assert beside < MOST_TIMES_SLOWER * max(alone, after)
    assert stopped["data"] == {"stopped": True}, stopped
