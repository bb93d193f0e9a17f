"""`make pictures`: take the pictures of the documentation from the panel on the demo site."""

from __future__ import annotations

import asyncio
import io
import re
import sys
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

import pytest
from PIL import Image
from playwright.async_api import Browser, async_playwright

import pwtui
from pwtui.app.screens.operation import OperationScreen
from pwtui.app.screens.palette import PaletteScreen
from pwtui.app.store import Store
from pwtui.browser.launch.find_browser import find_chromium
from pwtui.client.start import OutsideControl
from pwtui.demo import open_demo
from pwtui.state.config import ProfileConfig
from pwtui.state.profiles import Profiles
from pwtui.state.workspace import Workspace
from tests.app.conftest import use_folders
from tests.app.panel import Panel, open_panel

FOLDER = Path(__file__).parents[1] / "pictures"
FONT = "'Fira Code', 'JetBrains Mono', 'DejaVu Sans Mono', monospace"
SCALE = 1.25
COLOURS = 128

Scene = Callable[[Panel], Awaitable[None]]


async def the_panel(panel: Panel) -> None:
    """A shop with something in the cart, put there by a person, an agent and a command."""
    shop = panel.store.snapshot.url
    root = panel.app.controller.workspace.root
    await panel.go_to(panel.ref("link", "Harbour Mug"))
    await panel.press("enter")
    await panel.page("Harbour Mug")
    async with pwtui.connect_async(workspace=root, profile="demo", name="agent") as agent:
        await agent.call("click", words="Add to cart")
        await agent.call("verify.value", selector="#quantity", value="1")
    async with pwtui.connect_async(workspace=root, profile="demo", name="pw") as command:
        await command.call("navigate", url=f"{shop}cart.html")
        await command.call("page.text", selector="#total")
    await panel.page("Cart")
    await panel.go_to(panel.ref("navigation", "Main"))
    await panel.press("space")  # folds it
    await panel.until(lambda: len(panel.entries("page.text")) == 1, "the last request")
    await panel.go_to(panel.ref("button", "Remove Harbour Mug"))


async def the_detail(panel: Panel) -> None:
    await the_panel(panel)
    await panel.press("9", "up", "up", "up", "enter")
    await panel.until(lambda: panel.shows_detail, "the detail of the request")
    await panel.press("down", "down", "down", "enter")  # folds the request


async def the_palette(panel: Panel) -> None:
    await the_panel(panel)
    await panel.press("ctrl+p")
    await panel.screen(PaletteScreen)
    await panel.type("page")
    await panel.shows("page.text")


async def a_form(panel: Panel) -> None:
    await the_panel(panel)
    await panel.press("ctrl+p")
    await panel.screen(PaletteScreen)
    await panel.type("emulate.media")
    await panel.shows("emulate.media")
    await panel.press("enter")
    await panel.screen(OperationScreen)
    await panel.press("right", "space")
    await panel.shows('"colorScheme"')


async def daylight(panel: Panel) -> None:
    panel.app.theme = "daylight"
    await the_panel(panel)


SCENES: dict[str, tuple[tuple[int, int], Scene]] = {
    "panel": ((120, 40), the_panel),
    "detail": ((160, 40), the_detail),
    "palette": ((120, 36), the_palette),
    "form": ((120, 36), a_form),
    "daylight": ((120, 40), daylight),
}


async def take(name: str, browser: Browser) -> None:
    size, scene = SCENES[name]
    with tempfile.TemporaryDirectory(prefix="pwtui-demo-") as folder, closing(open_demo()) as shop:
        workspace = Workspace(Path(folder).resolve())
        Profiles(workspace).create("staging", ProfileConfig())
        async with open_panel(workspace, "demo", url=shop.url, size=size) as panel:
            await scene(panel)
            await panel.pilot.pause(0.5)  # toasts and marks of what changed are painted
            svg = panel.app.export_screenshot(title="pwtui")
    (FOLDER / f"{name}.png").write_bytes(await _png(svg, browser))
    print(FOLDER / f"{name}.png")  # noqa: T201


async def _png(svg: str, browser: Browser) -> bytes:
    """As a browser paints it, in a font of this machine and in few colours."""
    drawing = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    drawing = re.sub(r"font-family: [^;]*;", f"font-family: {FONT};", drawing)
    page = await browser.new_page(device_scale_factor=SCALE)
    await page.set_content(f"<body style='margin: 0'>{drawing}")
    picture = await page.locator("svg").screenshot(omit_background=True)
    await page.close()
    image = Image.open(io.BytesIO(picture)).quantize(COLOURS, Image.Quantize.FASTOCTREE)
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True)
    return file.getvalue()


async def main(names: list[str]) -> None:
    with (
        tempfile.TemporaryDirectory(prefix="pwt-") as folder,
        pytest.MonkeyPatch.context() as patch,
    ):
        use_folders(patch, Path(folder), Path(folder))
        # Other browsers of this machine are not in the pictures.
        patch.setattr(Store, "set_other_sessions", lambda store, sessions: None)
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(
                executable_path=find_chromium(headless=True), chromium_sandbox=False
            )
            try:
                for name in names or SCENES:
                    await take(name, browser)
            finally:
                await OutsideControl().stop()
                await browser.close()


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    asyncio.run(main(sys.argv[1:]))
