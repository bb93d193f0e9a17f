"""What only the tests of widgets share."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import textual.app
import textual.pilot

from tests.painting import EVERY_FRAME, paint_on_demand, parse_styles_once

SOON = 0.02


@pytest.fixture(autouse=True)
def _cheap_screens(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if EVERY_FRAME not in request.fixturenames:
        paint_on_demand(monkeypatch, set())
    parse_styles_once(monkeypatch)


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """A widget needs nothing but its event loop, so a pause can end when the loop is idle."""
    for module in (textual.app, textual.pilot):
        monkeypatch.setattr(module, "wait_for_idle", _loop_is_idle)


async def _loop_is_idle(*_: float) -> None:
    """Wait until nothing is ready to run and no timer is due soon.

    Textual's pilot waits for 20 ms in which the process hardly works, after every key.
    """
    loop: Any = asyncio.get_running_loop()
    end = loop.time() + 0.2  # some timers never end
    while loop.time() < end:
        await asyncio.sleep(0)
        if not loop._ready:
            due = [timer.when() for timer in loop._scheduled if not timer.cancelled()]
            if (pause := min(due, default=end) - loop.time()) > SOON:
                return
            await asyncio.sleep(max(0, pause))
