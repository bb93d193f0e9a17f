"""The views of the page beside the tree: console and network."""

from __future__ import annotations

import json
import socket
from functools import partial

import pytest

from pwtui.app.panes.console import ConsolePane
from pwtui.app.panes.network import NetworkPane
from pwtui.app.screens.operation import OperationScreen
from pwtui.app.screens.request import FoldedWindow, RequestWindow
from pwtui.state.workspace import Workspace
from pwtui.widgets.breadcrumb import Breadcrumb
from pwtui.widgets.dialogs import ChoiceDialog, PromptDialog
from pwtui.widgets.half_blocks import HalfBlocks
from pwtui.widgets.session_list import SessionList, SessionRow
from tests.app.conftest import Opens
from tests.app.panel import Panel, client_of, envelope, open_panel
from tests.site import TestSite

LATER = "setTimeout(() => {{ {} }}, 0)"


async def run_in_page(panel: Panel, script: str, *, logged: bool = False) -> None:
    """Run a script in the page, as another client."""
    async with client_of(panel.app.controller.workspace) as other:
        request = envelope("page.eval", expression=LATER.format(script))
        await other.request(request, look=not logged)


async def test_errors_of_the_page_are_counted_and_listed(open_kept: Opens, site: TestSite) -> None:
    async with open_kept(url=site.url("/form.html")) as panel:
        await run_in_page(panel, "console.log('hello'); throw new Error('no such thing')")

        await panel.until(lambda: "✗ 1 console" in panel.status, "the count")
        await panel.shows("5 Console ✗1")
        await panel.press("5")
        await panel.shows("no such thing", "#console")
        console = panel.main.query_one(ConsolePane)
        assert console.has_focus
        assert [each.type for each in console._rows][-2:] == ["log", "pageerror"]
        await panel.until(lambda: "console" not in panel.status, "no count")

        await panel.press("enter")
        await panel.screen(FoldedWindow)
        await panel.shows("Stack")
        await panel.shows("Error: no such thing")
        await panel.press("escape")
        await panel.home()
        await panel.press("ctrl+l")
        await panel.shows("The page has logged nothing", "#console")


async def test_the_tree_follows_a_page_that_changes_by_itself(
    open_kept: Opens, site: TestSite
) -> None:
    async with open_kept(url=site.url("/form.html")) as panel:
        await run_in_page(panel, "document.querySelector('h1').textContent = 'Changed by a timer'")

        await panel.shows('heading "Changed by a timer"', "#tree")
        await panel.below("#tree-pane", "live")
        assert not panel.entries("page.aria")


async def test_an_expression_is_evaluated_in_the_console(open_kept: Opens, site: TestSite) -> None:
    async with open_kept(url=site.url("/form.html")) as panel:
        await panel.press("5", "e")
        await panel.screen(PromptDialog)
        await panel.type("({answer: 6 * 7})")
        await panel.press("enter")

        await panel.shows('{"answer": 42}', "#console")
        assert (await panel.answer("page.eval")).ok
        await panel.press("enter")
        await panel.screen(FoldedWindow)
        await panel.shows('    "answer": 42')
        await panel.press("enter")
        await panel.shows("▸ { … 2 lines")


async def test_requests_are_listed_and_opened(
    open_kept: Opens, site: TestSite, copied: list[str]
) -> None:
    async with open_kept(url=site.url("/form.html")) as panel:
        await panel.press("6")
        await panel.shows("/form.html", "#network")
        await panel.press("4")
        await run_in_page(
            panel, "fetch('/missing?page=2', {method: 'POST', body: 'a=1'})", logged=True
        )

        await panel.until(lambda: "✗ 1 request" in panel.status, "the count")
        await panel.press("6")
        await panel.shows("/missing?page=2", "#network")
        network = panel.main.query_one(NetworkPane)
        await panel.until(lambda: network.shown_rows[0].size, "an earlier request with its size")
        await panel.until(
            lambda: network.cursor_row and network.cursor_row.index and network.cursor_row.status,
            "the response",
        )
        await panel.shows("← page.eval", "#network")
        await panel.press("enter")
        window = await panel.screen(RequestWindow)
        for text in ("POST /missing", "page: 2", "caused by: page.eval", "Response headers"):
            await panel.shows(text)
        await panel.until(lambda: "request" in window.exchange.bodies, "the body")
        await panel.shows("a=1")
        await panel.press("escape")
        await panel.home()

        await panel.press("c")
        await panel.screen(ChoiceDialog)
        await panel.press("c")
        await panel.until(lambda: copied, "the command")
        assert copied[0].startswith(f"curl '{site.url('/missing?page=2')}' -X POST")
        assert copied[0].endswith("--data-raw a=1")
        await panel.home()
        await panel.press("c", "h")
        await panel.until(lambda: len(copied) == 2, "the HAR")
        (entry,) = json.loads(copied[1])["log"]["entries"]
        assert entry["request"]["postData"]["text"] == "a=1"
        assert entry["response"]["status"] == 404
        await panel.home()
        await panel.press("c", "r")
        await panel.until(lambda: len(copied) == 3, "the route")
        route_envelope = json.loads(copied[2])
        assert (route_envelope["op"], route_envelope["input"]["status"]) == ("route.add", 404)
        await panel.home()
        await panel.press("c", "u")
        await panel.until(lambda: len(copied) == 4, "the URL")
        assert copied[3] == site.url("/missing?page=2")

        await panel.home()
        await panel.press("m")
        await panel.screen(OperationScreen)
        await panel.shows("route.add")
        await panel.press("escape")
        await panel.home()
        await panel.press("slash")
        await panel.type("body:agree")
        await panel.until(lambda: [row.type for row in network._rows] == ["document"], "the page")
        await panel.press("escape", "G")
        await panel.press("b")
        route = await panel.answer("route.add")
        await panel.press("ctrl+z")
        removed = await panel.answer("route.remove")
        assert removed.request["input"] == {"pattern": route.request["input"]["pattern"]}
        assert route.request["input"] == {"pattern": site.url("/missing*"), "abort": True}


async def test_a_navigation_that_failed_is_opened(open_kept: Opens, site: TestSite) -> None:
    async with open_kept(url=site.url("/form.html")) as panel:
        await panel.until(lambda: panel.store.network.rows, "the requests of the page are listed")
        with socket.create_server(("127.0.0.1", 0)) as unused:
            url = f"http://127.0.0.1:{unused.getsockname()[1]}/x"
        panel.app.send(panel.app.controller.request("navigate", {"url": url}))
        await panel.answer("navigate", 2)
        await panel.press("6")
        network = panel.main.query_one(NetworkPane)
        await panel.until(lambda: network.cursor_row and network.cursor_row.failure, "the failure")

        await panel.press("enter")

        await panel.screen(RequestWindow)
        await panel.shows("failure: net::ERR_")
        assert not panel.toasts[1:], panel.toasts


async def test_what_happened_before_the_panel_opened_is_shown(
    open_kept: Opens, site: TestSite
) -> None:
    async with open_kept(url=site.url("/form.html")) as panel:
        await run_in_page(panel, "console.error('earlier')")
        await panel.until(lambda: panel.store.console.rows, "the message")

        async def leave(_: Workspace) -> None: ...

        workspace = panel.app.controller.workspace
        async with open_panel(workspace, leave=leave) as second:
            await second.press("5")
            await second.shows("earlier", "#console")


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_click_on_a_view_shows_it(
    open_kept: Opens, site: TestSite, size: tuple[int, int]
) -> None:
    async with open_kept(url=site.url("/form.html"), size=size) as panel:
        await panel.shows("5 Console")
        line = panel.main.query_one("#tree-pane").region.y
        place = panel.screen_text.splitlines()[line].index("6 Network") + 2

        await panel.pilot.click(offset=(place, line))

        await panel.until(lambda: panel.main.query_one(NetworkPane).has_focus, "the view")
        assert not panel.tree.display or not panel.tree.region.area


async def test_iframes_show_their_title_and_url(open_kept: Opens, site: TestSite) -> None:
    async with open_kept(url=site.url("/frames.html")) as panel:
        await panel.shows("Cross origin · http://", "#tree")
        await panel.shows("Inner frame · /frame-inner.html", "#tree")

        await panel.press("2")
        await panel.shows("frame cross")
        sessions = panel.main.query_one(SessionList)
        rows = [row for row in sessions._rows if isinstance(row, SessionRow)]
        frames = {row.frame_info.name: row for row in rows if row.frame_info}
        assert sorted(frames) == ["cross", "deep", "nested", "same"]
        for name, path in (("deep", "iframe › iframe"), ("cross", "iframe")):
            await panel.press("2", "z")
            assert sessions.move_to_key(sessions.row_key(frames[name]))
            await panel.press("enter")
            await panel.until(lambda: panel.main.maximized is None, "the tree")
            await panel.until(partial(shows_path, panel, path), name)
            assert panel.tree.has_focus


def shows_path(panel: Panel, path: str) -> bool:
    """Whether the line below the tree shows this path."""
    return panel.text(panel.main.query_one(Breadcrumb)).strip() == path


async def test_an_image_is_shown_below_its_headers(open_kept: Opens, site: TestSite) -> None:
    async with open_kept(url=site.url("/form.html")) as panel:
        await run_in_page(
            panel, "document.body.append(Object.assign(new Image(), {src: '/red.png'}))"
        )
        await panel.press("6")
        await panel.shows("/red.png", "#network")
        network = panel.main.query_one(NetworkPane)
        await panel.until(lambda: network.cursor_row and network.cursor_row.index, "its number")
        assert network.cursor_row is not None
        assert network.cursor_row.url == site.url("/red.png")
        await panel.press("enter")
        window = await panel.screen(RequestWindow)
        await panel.shows("Content-Type: image/png")
        await panel.until(lambda: window.query(HalfBlocks), "the image")
        await panel.shows("(image/png")
