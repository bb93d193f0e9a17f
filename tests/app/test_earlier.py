"""The log begins with what the history has, and continues after restarts."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from pwtui.history.database import history_file
from pwtui.history.writer import HistoryWriter
from pwtui.state.workspace import Workspace
from tests.app.conftest import Opens, use_folders
from tests.app.panel import Panel, client_of, envelope
from tests.history.support import finished, started

COUNT = 6000


def write_history(workspace: Workspace) -> None:
    """Requests of two workspaces, as a daemon has recorded them."""
    writer = HistoryWriter(history_file())
    writer.open()
    now = time.time() - 100_000
    for number in range(COUNT):
        op = "page.title" if number % 100 >= 50 else "click"
        input: dict[str, Any] = {} if op == "page.title" else {"selector": f"#row{number}"}
        request = json.dumps({"requestId": f"r{number}", "op": op, "input": input})
        is_ok = number % 100 != 7
        code = None if is_ok else "TIMEOUT"
        error = {} if is_ok else {"error": {"code": code, "message": "nothing happened"}}
        response = json.dumps({"op": op, "ok": is_ok, "durationMs": number % 400, **error})
        begun = started(
            op=op,
            effect=int(op == "click"),
            time=now + number,
            workspace=str(workspace.root) if number % 1000 else "/elsewhere/other",
        )
        # As the daemon saw it: with the start of a browser, which is not in the response.
        ms = 5000.0 if op == "click" else number % 400.0
        ended = finished(ok=is_ok, code=code, ms=ms)
        envelopes = request.encode(), response.encode()
        writer.add(writer.new_number(number), begun, ended, *envelopes)
    writer.close()


def rows(panel: Panel) -> list[str]:
    return panel.text(panel.log).splitlines()


async def read(panel: Panel, total: int) -> None:
    earlier = panel.log.store.earlier
    await panel.until(
        lambda: earlier.total == total and not earlier.is_reading, f"{total} earlier entries"
    )
    panel.log.flush()
    await panel.pilot.pause()


async def test_the_log_begins_with_the_history(open: Opens, workspace: Workspace) -> None:
    write_history(workspace)
    async with open() as panel:
        here = COUNT - COUNT // 1000
        await read(panel, here)
        panel.log.focus()
        # The latest 50 requests are one row: each read the same.
        assert "page.title" in rows(panel)[-1]
        assert "×50" in rows(panel)[-1]
        assert "350–399 ms" in rows(panel)[-1]
        assert "#row5949" in rows(panel)[-2]
        assert f"{here:,} earlier" in panel.log.summary()

        await panel.press("w")
        await panel.until(lambda: panel.log.row_count == here, "each in its own row")
        await panel.press("w")
        await panel.until(lambda: panel.log.row_count < here, "repeats in one row")

        await panel.press("a")
        await read(panel, COUNT)
        await panel.press("g")
        await panel.shows("other:", panel.log)
        await panel.press("a", "G")
        await read(panel, here)

        for text, count in (("is:error", 60), ("#row123", 11), ("since:1h", 0), ('re:row12"', 1)):
            panel.log.filter(text)
            await read(panel, count)
        assert "#row12" in rows(panel)[0]
        panel.log.filter("")
        await read(panel, here)

        # A mark and a selection belong to the entry, also when it is read again.
        await panel.press("up", "m", "space", "G")
        panel.log.filter("is:marked")
        await read(panel, 1)
        assert rows(panel)[0].startswith("▌✓◈")
        assert [each.target for each in panel.log.store.selection()] == ["#row5949"]
        panel.log.filter("")
        await read(panel, here)

        await panel.press("g")
        await panel.until(lambda: panel.log.cursor == 0, "the first entry")
        assert "#row1 " in rows(panel)[0]
        await panel.press("enter")
        await panel.shows("#row1", panel.detail)
        await panel.press("escape", "G")

        panel.log.focus()
        await panel.press("o")
        await panel.until(lambda: panel.log.row_count == here, "each in its own row")
        await read(panel, here)
        assert all("399 ms" in row for row in rows(panel)[:2])
        await panel.press("o")
        await panel.until(lambda: "✗" in rows(panel)[0] and "#row5907" in rows(panel)[0], "status")
        await panel.press("f")
        await read(panel, here)
        assert "×50" in rows(panel)[-1]

        async with client_of(workspace, "robot") as robot:
            await robot.request(envelope("profile.list"))
        await panel.answer("profile.list")
        await panel.shows("earlier ↑   now ↓", panel.log)
        assert "profile" in rows(panel)[-1]


async def test_nothing_is_shown_twice_after_a_restart_of_the_panel(
    open: Opens, workspace: Workspace, runtime_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_folders(monkeypatch, runtime_folder, runtime_folder)  # that of the daemon
    async with client_of(workspace, "robot") as robot:
        for name in ("one", "two", "three"):
            await robot.request(envelope("protect.add", pattern=name))
        async with open() as panel:
            await read(panel, 3)
            panel.app.send(panel.app.controller.request("protect.add", {"pattern": "four"}))
            await panel.answer("protect.add")
            await robot.request(envelope("protect.add", pattern="five"))
            await panel.answer("protect.add", 2)
            await read(panel, 3)
            assert [each.target for each in panel.entries()] == ["four", "five"]
            panel.log.filter("op:protect")
            await read(panel, 3)
            assert panel.log.row_count == 6  # with the rule
        async with open() as panel:
            await read(panel, 5)
            targets = [panel.log.store.at(row).target for row in range(panel.log.row_count)]
            assert targets == ["one", "two", "three", "four", "five"]
