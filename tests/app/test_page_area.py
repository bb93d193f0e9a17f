"""The address, the tabs, and what a page asks: the bars above its views."""

from __future__ import annotations

from pathlib import Path

from pwtui.app.panes.page_area import PageArea
from pwtui.widgets.dialogs import PromptDialog
from pwtui.widgets.page_bar import PageBar
from tests.app.conftest import Opens
from tests.app.panel import Panel
from tests.app.test_inspector import run_in_page
from tests.site import TestSite

CHOOSER = """
    const field = document.createElement('input');
    field.type = 'file';
    field.onchange = () => document.title = 'Got ' + field.files[0].name;
    document.onclick = () => field.click();
    document.querySelector('h1').style = 'position:fixed;inset:0';
"""


async def click(panel: Panel, text: str) -> None:
    """Click a text in the address or the tabs."""
    bar = panel.main.query_one(PageBar)
    lines = panel.text(bar).splitlines()
    y = next(at for at, line in enumerate(lines) if text in line)
    await panel.pilot.click(bar, offset=(lines[y].index(text), y))


async def test_tabs_are_opened_shown_and_closed_by_the_page_and_by_the_user(
    open_kept: Opens, site: TestSite
) -> None:
    async with open_kept(url=site.url("/form.html")) as panel:
        bar = panel.main.query_one(PageBar)
        await panel.until(lambda: len(panel.store.page.tabs) == 1, "the tab")
        assert bar.size.height == 1
        await run_in_page(panel, f"open('{site.url('/article.html')}')")
        await panel.until(lambda: len(bar.view.tabs) == 2, "the tab of the page")
        await panel.shows("▎Form", bar)

        await click(panel, "form.html")
        prompt = await panel.screen(PromptDialog)
        assert prompt._given == site.url("/form.html")
        await panel.press("escape")
        await panel.home()
        other = bar.view.tabs[1]
        await panel.until(lambda: bar.view.tabs[1].title != "about:blank", "its title")
        panel.tree.focus()
        await panel.press("J")
        await panel.until(lambda: panel.store.page.active_tab == other.index, "the other tab")
        await panel.shows("article.html", bar)
        await panel.press("6")
        await panel.shows("/slow-image.svg", "#network")

        await click(panel, "Form")
        await panel.until(lambda: panel.store.page.active_tab != other.index, "the first tab")
        last = panel.text(bar).splitlines()[1]
        await panel.pilot.click(bar, offset=(last.rindex("×"), 1))
        await panel.until(lambda: len(bar.view.tabs) == 1, "one tab")
        assert panel.entries("tabs.close")[0].request["input"] == {"target": other.index}
        await panel.press("ctrl+z")
        again = await panel.answer("tabs.new")
        assert again.request["input"] == {"url": site.url("/article.html")}
        await panel.until(lambda: len(bar.view.tabs) == 2, "the tab again")
        await panel.press("ctrl+w")
        await panel.until(lambda: len(bar.view.tabs) == 1, "one tab")
        await panel.press("T")
        await panel.screen(PromptDialog)
        await panel.press("enter")
        await panel.until(lambda: len(bar.view.tabs) == 2, "a blank tab")
        await panel.home()
        await panel.press("ctrl+w")
        await panel.until(lambda: len(bar.view.tabs) == 1, "one tab again")


async def test_the_address_goes_back_and_stops_a_slow_page(
    open_kept: Opens, site: TestSite
) -> None:
    async with open_kept(url=site.url("/form.html")) as panel:
        await panel.until(lambda: panel.store.page.active_tab is not None, "the tab")
        await run_in_page(panel, "location = '/article.html'")
        await panel.shows("article.html", "#address")
        await panel.shows("loaded in", "#address")
        await panel.at(site.url("/article.html"))

        await click(panel, "◀")
        assert (await panel.answer("back")).ok
        await panel.shows("form.html", "#address")
        await panel.press("L")
        assert (await panel.answer("forward")).ok

        site.gate.clear()
        panel.app.send(panel.app.controller.request("navigate", {"url": site.url("/gate")}))
        await panel.shows("✕", "#address")
        await panel.shows("navigate", "#address")
        await click(panel, "✕")
        assert (await panel.answer("navigate", 2)).code == "CANCELLED"
        site.gate.set()
        await panel.shows("⟳", "#address")


async def test_files_that_the_page_asks_for_and_downloads_are_shown(
    open_kept: Opens, site: TestSite, tmp_path: Path
) -> None:
    report = tmp_path / "report.csv"
    report.write_text("a,b")
    async with open_kept(url=site.url("/form.html")) as panel:
        area = panel.main.query_one(PageArea)
        script = {"expression": f"(() => {{{CHOOSER}}})()"}
        panel.app.send(panel.app.controller.request("page.eval", script))
        await panel.answer("page.eval")
        panel.app.send(panel.app.controller.request("mouse.click", {"x": 20, "y": 20}))
        await panel.shows("The page asks for a file", area)

        await panel.press("4", "f")
        await panel.screen(PromptDialog)
        await panel.type("missing.csv")
        await panel.shows("no such file")
        await panel.clear()
        await panel.type(str(report))
        await panel.press("enter")
        assert (await panel.answer("upload")).ok
        await panel.page("Got report.csv")
        await panel.until(lambda: "asks for" not in panel.text(area), "no bar")

        await run_in_page(panel, "location = '/download/report.csv'")
        await panel.shows("↓ report.csv", area)
        await panel.shows("complete", area)
        await panel.pilot.click("#download-bar .-hide")
        await panel.until(lambda: "↓" not in panel.text(area), "no bar")
