"""Moving in the log moves in time."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from pwtui.app.panes.storage import StoragePane
from pwtui.app.screens.statistics import StatisticsScreen
from pwtui.app.screens.text import TextWindow
from pwtui.history.database import history_file
from pwtui.history.reader import EventRow, HistoryReader
from pwtui.widgets.dialogs import ChoiceDialog, PromptDialog
from tests.app.conftest import Opens, use_folders
from tests.app.panel import Panel
from tests.operations.support import data_url

PAGE = """<title>Shop</title><button onclick="
    document.body.append(Object.assign(document.createElement('h1'), {textContent: 'Bought'}));
    console.error('out of quinces')">Buy</button>"""


async def looked(panel: Panel, op: str) -> None:
    """Until the history has the page after the last request of an operation."""

    def is_recorded() -> bool:
        with HistoryReader(history_file()) as history:
            here = [e for e in history.entries() if e.workspace == panel.store.workspace]
            return any(each.op == op and each.tree is not None for each in here)

    await panel.until(is_recorded, f"the look after {op}")


def events(panel: Panel, kind: str) -> list[EventRow]:
    with HistoryReader(history_file()) as history:
        found = history.events(0, time.time(), kinds=[kind])
        return [each for each in found if each.workspace == panel.store.workspace]


async def test_the_log_shows_the_page_of_each_moment(
    open_kept: Opens, runtime_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_folders(monkeypatch, runtime_folder, runtime_folder)  # that of the daemon
    async with open_kept(url=data_url(PAGE)) as panel:
        await looked(panel, "navigate")
        panel.app.send(panel.app.controller.request("click", {"selector": "button"}))
        await panel.answer("click")
        await looked(panel, "click")
        await panel.until(lambda: events(panel, "console"), "the message is recorded")
        await panel.shows("Bought", panel.tree)
        panel.app.send(panel.app.controller.request("page.title"))
        await panel.answer("page.title")

        # By keys, from everywhere: the title was read, before it was the click, the navigation.
        await panel.press("[", "[", "[")
        await panel.shows("past", "#past-bar")
        await panel.press("7")
        await panel.shows("The history has no storage.", "#storage")
        assert not panel.main.query_one(StoragePane).check_action("add", ())
        await panel.press("4")
        await panel.until(lambda: "Bought" not in panel.text(panel.tree), "the tree of before")
        assert "Buy" in panel.text(panel.tree)
        assert panel.store.past is not None
        assert panel.store.past.entry.op == "navigate"
        await panel.press("enter")  # acts on nothing
        await panel.until(lambda: "return to now" in "".join(panel.toasts), "why nothing acts")
        await panel.press("]")
        await panel.shows("tree +", "#past-bar")
        await panel.shows("Bought", panel.tree)
        await panel.press("5")
        await panel.shows("out of quinces", "#console")
        await panel.press("4", "escape")
        await panel.until(lambda: panel.store.past is None, "now")
        await panel.until(lambda: not panel.main.query_one("#past-bar").display, "no mark")
        assert panel.log.following

        # Resting on an entry does the same; two marked ones are compared.
        panel.log.focus()
        await panel.press("up", "m", "up", "m")
        await panel.until(lambda: panel.store.past is not None, "the past")
        await panel.press("M")
        window = await panel.screen(TextWindow)
        await panel.shows('heading "Bought"', window.query_one("DiffLines"))
        assert "▾ request" in panel.text("DiffLines")
        assert "[ref=" not in panel.text("DiffLines")
        await panel.press("escape")
        await panel.home()
        await panel.press("G")
        await panel.until(lambda: panel.store.past is None, "now")

        for kind, suffix in (("k", ".pw"), ("y", ".py"), ("h", ".har"), ("w", ".html")):
            target = tmp_path / f"run{suffix}"
            await panel.press("x")
            await panel.screen(ChoiceDialog)
            await panel.press(kind)
            await panel.screen(PromptDialog)
            await panel.clear()
            await panel.type(str(target))
            await panel.press("enter")
            await panel.until(target.exists, f"{target}: {panel.toasts}")
            await panel.home()
        assert "click" in (tmp_path / "run.pw").read_text()
        assert "data:image/jpeg" in (tmp_path / "run.html").read_text()

        # Requests of an hour, which are in the history only.
        await panel.press("x")
        await panel.screen(ChoiceDialog)
        await panel.press("t")
        await panel.screen(PromptDialog)
        await panel.press("enter")
        await panel.shows("Export since 1h")
        await panel.screen(ChoiceDialog)
        await panel.press("p")
        await panel.screen(PromptDialog)
        await panel.clear()
        await panel.type(str(tmp_path / "hour.ndjson"))
        await panel.press("enter")
        await panel.until((tmp_path / "hour.ndjson").exists, f"the file: {panel.toasts}")
        await panel.home()
        assert '"page.title"' in (tmp_path / "hour.ndjson").read_text()

        await panel.press("S")
        await panel.screen(StatisticsScreen)
        await panel.shows("page.title", "StatisticsList")
        await panel.press("o", "o")
        await panel.shows("by p50")
        await panel.press("slash", *"title", "enter", "y")
        await panel.until(lambda: "click" not in panel.text("StatisticsList"), "the filter")
        await panel.press("escape", "b")
        await panel.shows("CLIENT", "StatisticsColumns")
        await panel.shows("pwtui", "StatisticsList")
        await panel.press("escape")
        await panel.home()


async def test_a_wide_window_has_the_detail_beside_the_log(
    open_kept: Opens,
) -> None:
    async with open_kept(size=(150, 40)) as panel:
        panel.app.send(panel.app.controller.request("profile.list"))
        await panel.answer("profile.list")
        assert panel.shows_detail
        await panel.shows("profile.list", panel.detail)
        await panel.pilot.resize_terminal(120, 40)
        await panel.until(lambda: not panel.shows_detail, "no room for the detail")
        await panel.pilot.resize_terminal(200, 60)
        await panel.until(lambda: panel.shows_detail, "room for the detail")
        panel.detail.focus()
        await panel.press("escape")
        await panel.until(lambda: not panel.shows_detail, "closed by the user")
        await panel.pilot.resize_terminal(180, 60)
        await panel.pilot.pause()
        assert not panel.shows_detail
