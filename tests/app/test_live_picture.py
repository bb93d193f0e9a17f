"""The live picture of the page: it follows the page, shows the element, and takes clicks."""

from __future__ import annotations

import pytest
from textual.widget import Widget

from pwtui.app.panes.picture import PicturePane
from pwtui.widgets.half_blocks import HalfBlocks
from tests.app.conftest import Opens
from tests.app.panel import Panel
from tests.app.test_inspector import run_in_page
from tests.site import TestSite

PAINT = "document.body.style = 'background:{};height:100vh;margin:0'"
BUTTON = """
    document.body.innerHTML = "<button onclick='document.title = `Clicked`'>Here</button>";
    document.querySelector('button').style = 'position:fixed;left:0;top:0;width:50%;height:100%'
"""


def pixel(pane: PicturePane, x: float, y: float) -> tuple[int, ...]:
    """The colour at a place of the picture, from 0 to 1."""
    image = pane._image
    assert image is not None
    found = image.getpixel((int(x * image.width), int(y * image.height)))
    assert isinstance(found, tuple)
    return found


def is_red(pane: PicturePane) -> bool:
    red, green, _ = pixel(pane, 0.9, 0.9) if pane._image else (0, 0, 0)
    return red > 200 and green < 60


async def picture_of(panel: Panel) -> tuple[PicturePane, Widget]:
    pane = panel.main.query_one(PicturePane)
    await panel.until(lambda: pane._drawn is not None, "a picture")
    return pane, pane.query_one(HalfBlocks)


async def test_the_picture_follows_the_page_and_takes_clicks_while_it_is_shown(
    open_kept: Opens, site: TestSite
) -> None:
    async with open_kept(url=site.url("/form.html")) as panel:
        subscribed = panel.app.controller._client.daemon
        assert not panel.main.query_one(PicturePane).query(HalfBlocks)
        await panel.press("8")
        pane, blocks = await picture_of(panel)
        await panel.below("#picture-pane", "half blocks · live")

        await run_in_page(panel, PAINT.format("red"))
        await panel.until(lambda: is_red(pane), "the change")
        await run_in_page(panel, BUTTON.replace("\n", " "))
        await panel.until(lambda: not is_red(pane) or pixel(pane, 0.1, 0.5)[1] > 60, "the button")
        await panel.pilot.click(blocks, offset=(blocks.size.width // 3, blocks.size.height // 2))
        clicked = await panel.answer("mouse.click")
        assert clicked.ok
        await panel.until(lambda: "Clicked" in panel.store.snapshot.title, "its effect")

        await panel.press("F")
        await panel.until(lambda: "Click an element" in "".join(panel.toasts), "the hint")
        button = panel.ref("button", "Here")
        await panel.pilot.click(blocks, offset=(blocks.size.width // 3, blocks.size.height // 2))
        await panel.answer("mouse.click", 2)
        await panel.until(lambda: panel.tree.cursor_ref == button, "the tree at the button")
        await panel.press("4")
        await panel.until(lambda: "frame" not in subscribed._observed["kinds"], "no pictures")
        assert panel.store.page.picture is None


@pytest.mark.thorough
async def test_a_wide_window_shows_the_picture_beside_the_tree_with_the_element_in_a_box(
    open_kept: Opens, site: TestSite
) -> None:
    async with open_kept(url=site.url("/form.html"), size=(180, 50)) as panel:
        await panel.press("B")
        pane, _ = await picture_of(panel)
        assert panel.tree.region.area
        ref = panel.ref("button", "Submit")
        coords = (await panel.app.controller.ask("page.coords", ref=ref)).data
        assert coords is not None
        await panel.go_to(ref)
        await panel.until(lambda: pane._box is not None and pane._box.text == ref, "the box")
        assert pane._box is not None
        assert abs(pane._box.left + pane._box.right - 2 * coords["coords"]["x"]) <= 2

        await panel.press("B")
        await panel.until(lambda: not pane.region.area, "the tree alone")
