"""The screenshot of the page: its mark, its file and its keys."""

from __future__ import annotations

import asyncio
import stat
import tempfile
from pathlib import Path

import pytest
from PIL import Image
from textual.geometry import Region
from textual.strip import Strip
from textual.widgets import Input, Static

from pwtui.app.element_marker import find_mark
from pwtui.app.screens.picture import PictureScreen
from pwtui.demo import DemoSite
from pwtui.widgets.dialogs import ConfirmDialog, PromptDialog
from pwtui.widgets.half_blocks import Frame, HalfBlocks
from tests.app.conftest import Opens
from tests.app.panel import Panel
from tests.site import TestSite

MARK = (230, 0, 126)
FAR_DOWN = "data:text/html,<title>Far</title><div style='height:5000px'></div><button>Down</button>"
DENSE = "data:text/html,<title>Dense</title><body style='margin:0'><button>Here</button>"


@pytest.fixture
def pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the panel's temporary files are."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


async def open_picture(panel: Panel, ref: str | None = None) -> PictureScreen:
    if ref is not None:
        await panel.go_to(ref)
    await panel.press("v")
    screen = await panel.screen(PictureScreen)
    await panel.until(lambda: not screen.is_taking, "the picture")
    return screen


def subtitle(screen: PictureScreen) -> str:
    return str(screen.query_one("#box").border_subtitle)


def note(screen: PictureScreen) -> str:
    return str(screen.query_one("#note", Static).content)


def marked_pixels(path: Path) -> set[tuple[int, int]]:
    with Image.open(path) as image:
        picture = image.convert("RGB")
    data, width = picture.tobytes(), picture.width
    found = (i for i in range(0, len(data), 3) if data[i : i + 3] == bytes(MARK))
    return {(i // 3 % width, i // 3 // width) for i in found}


async def test_the_page_is_shown_with_the_selected_element_framed(
    open_kept: Opens, shop: DemoSite, pictures: Path
) -> None:
    async with open_kept(url=shop.url) as panel:
        ref = panel.ref("button", "Search")
        coords = (await panel.app.controller.ask("page.coords", ref=ref)).data
        screen = await open_picture(panel, ref)

        assert coords is not None
        box = coords["coords"]
        assert screen.mark == Frame(
            round(box["x"] - box["width"] / 2),
            round(box["y"] - box["height"] / 2),
            round(box["x"] + box["width"] / 2),
            round(box["y"] + box["height"] / 2),
            ref,
        )
        assert screen.has_class("-picture")
        await panel.shows("▀", "#picture")
        await panel.shows(f" {ref} ", "#picture")
        assert subtitle(screen) == f"1280x720 · {ref}"
        await panel.shows(shop.url)
        assert [each.op for each in panel.entries()] == ["navigate"]


@pytest.mark.thorough
async def test_without_a_selected_element_there_is_no_frame(
    open_kept: Opens, shop: DemoSite, pictures: Path
) -> None:
    async with open_kept(url=shop.url) as panel:
        panel.app.push_screen(PictureScreen())
        screen = await panel.screen(PictureScreen)
        await panel.until(lambda: screen.has_class("-picture"), "the picture")

        assert screen.mark is None
        assert subtitle(screen) == "1280x720"


async def test_an_element_in_nested_frames_is_framed_where_it_is_seen(
    open_kept: Opens, site: TestSite
) -> None:
    where = """() => {
        const corner = {x: 0, y: 0};
        let window_ = window;
        for (const id of ["nested", "deep"]) {
            const frame = window_.document.getElementById(id);
            const box = frame.getBoundingClientRect();
            corner.x += box.x + frame.clientLeft;
            corner.y += box.y + frame.clientTop;
            window_ = frame.contentWindow;
        }
        const box = window_.document.getElementById("inner-button").getBoundingClientRect();
        return {x: corner.x + box.x, y: corner.y + box.y};
    }"""
    async with open_kept(url=site.url("/frames.html")) as panel:
        tree = panel.store.snapshot.tree
        assert tree is not None
        buttons = [node for node in tree.nodes if node.name == "Inner button"]
        deepest = max(buttons, key=lambda node: node.depth).ref
        assert deepest is not None
        response = await panel.app.controller.ask("page.eval", expression=where)
        assert response.data is not None
        true = response.data["result"]

        mark = await find_mark(panel.app.controller, deepest, (1280, 720))

        # Two borders of two pixels are all that is not known.
        assert abs(mark.left - true["x"]) <= 5
        assert abs(mark.top - true["y"]) <= 5


@pytest.mark.thorough
async def test_the_frame_is_scaled_by_the_device_pixel_ratio(
    open_kept: Opens, pictures: Path
) -> None:
    async with open_kept(url=DENSE) as panel:
        ref = panel.ref("button", "Here")
        once = await find_mark(panel.app.controller, ref, (1280, 720))
        twice = await find_mark(panel.app.controller, ref, (2560, 1440))

        # The middle of the element is known to half a pixel.
        assert all(abs(two - 2 * one) <= 2 for one, two in zip(once[:4], twice[:4], strict=True))
        assert twice.right - twice.left > once.right - once.left


@pytest.mark.thorough
async def test_an_element_outside_the_viewport_is_reported(
    open_kept: Opens, pictures: Path
) -> None:
    async with open_kept(url=FAR_DOWN) as panel:
        ref = panel.ref("button", "Down")
        screen = await open_picture(panel, ref)

        assert screen.has_class("-picture")
        assert screen.mark is None
        assert subtitle(screen).endswith(f"{ref} is outside the viewport")


@pytest.mark.thorough
async def test_the_picture_is_shown_without_a_removed_element(
    open_kept: Opens, shop: DemoSite, pictures: Path
) -> None:
    async with open_kept(url=shop.url) as panel:
        panel.app.push_screen(PictureScreen("e99999"))
        screen = await panel.screen(PictureScreen)
        await panel.until(lambda: not screen.is_taking, "the picture")

        assert screen.has_class("-picture")
        assert "e99999" in subtitle(screen)


async def test_the_file_is_private_and_gone_after_closing(
    open_kept: Opens, shop: DemoSite, pictures: Path
) -> None:
    async with open_kept(url=shop.url) as panel:
        await open_picture(panel, panel.ref("button", "Search"))
        (folder,) = pictures.iterdir()
        (file,) = folder.iterdir()
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert marked_pixels(file)

        await panel.press("escape")
        await panel.home()
        assert list(pictures.iterdir()) == []


@pytest.mark.thorough
async def test_closing_before_the_picture_is_taken_leaves_no_file(
    open_kept: Opens, shop: DemoSite, pictures: Path
) -> None:
    async with open_kept(url=shop.url) as panel:
        for _ in range(3):
            await panel.press("v")
            await panel.screen(PictureScreen)
            await panel.press("q")
            await panel.home()

        await panel.until(lambda: not list(pictures.iterdir()), "the files to be gone")
        assert panel.toasts == []


@pytest.mark.thorough
async def test_r_takes_the_picture_again(open_kept: Opens, shop: DemoSite, pictures: Path) -> None:
    async with open_kept(url=shop.url) as panel:
        screen = await open_picture(panel)
        (folder,) = pictures.iterdir()
        first = next(folder.iterdir()).stat().st_ino

        await panel.press("r")
        await panel.until(
            lambda: [each for each in folder.iterdir() if each.stat().st_ino != first],
            "the next picture",
        )
        await panel.until(lambda: not screen.is_taking, "it is shown")
        assert screen.has_class("-picture")


async def test_zooming_keeps_the_element_visible(
    open_kept: Opens, shop: DemoSite, pictures: Path
) -> None:
    async with open_kept(url=shop.url) as panel:
        ref = panel.ref("button", "Search")
        await open_picture(panel, ref)
        blocks = panel.app.screen.query_one(HalfBlocks)
        fitting = blocks.size

        await panel.press("plus", "plus")
        await panel.until(lambda: blocks.size.width > 2 * fitting.width, "a larger picture")
        await panel.until(lambda: f" {ref} " in panel.text("#view"), "the element")
        await panel.press("minus", "minus", "minus")
        await panel.until(lambda: blocks.size == fitting, "the picture as before")


async def test_a_copy_is_saved_with_the_frame(
    open_kept: Opens, shop: DemoSite, pictures: Path, user: Path
) -> None:
    async with open_kept(url=shop.url) as panel:
        screen = await open_picture(panel, panel.ref("button", "Search"))
        mark = screen.mark
        assert mark is not None

        await panel.press("s")
        await panel.screen(PromptDialog)
        await panel.clear()
        await panel.type("search.jpg")
        await panel.press("enter")
        assert isinstance(panel.app.screen, PromptDialog)
        await panel.clear()
        await panel.type("shots/search.png")
        await panel.press("enter")
        saved = user / "shots" / "search.png"
        await panel.until(saved.is_file, "the copy")
        await panel.until(lambda: str(saved) in "".join(panel.toasts[-1:]), "a toast")

        await panel.screen(PictureScreen)
        assert {(mark.left - 1, mark.top - 1), (mark.right + 1, mark.bottom + 1)} <= (
            marked_pixels(saved)
        )


@pytest.mark.thorough
async def test_a_file_is_replaced_only_after_asking(
    open_kept: Opens, shop: DemoSite, pictures: Path, user: Path
) -> None:
    old = user / "page.png"
    old.write_bytes(b"old")
    async with open_kept(url=shop.url) as panel:
        await open_picture(panel)
        for answer in ("n", "y"):
            assert old.read_bytes() == b"old"
            await panel.press("s")
            dialog = await panel.screen(PromptDialog)
            assert dialog.query_one(Input).value == "page.png"
            await panel.press("enter")
            await panel.screen(ConfirmDialog)
            await panel.press(answer)
            await panel.screen(PictureScreen)
        await panel.until(lambda: old.read_bytes()[1:4] == b"PNG", "the copy")


@pytest.mark.thorough
async def test_without_colours_the_path_of_the_file_is_shown(
    open_kept: Opens, shop: DemoSite, pictures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with open_kept(url=shop.url) as panel:
        screen = await open_picture(panel)
        (folder,) = pictures.iterdir()
        (file,) = folder.iterdir()

        assert not screen.has_class("-picture")
        assert note(screen).splitlines()[-1] == str(file)
        await panel.shows("NO_COLOR", "#note")


@pytest.mark.thorough
async def test_without_a_page_there_is_no_picture_and_no_browser(
    open: Opens, pictures: Path
) -> None:
    async with open() as panel:
        await panel.until(lambda: panel.store.link == "connected", "the daemon")
        screen = await open_picture(panel)

        assert not screen.has_class("-picture")
        assert screen.query_one("#note").has_class("-wrong")
        assert note(screen)
        assert panel.store.session_of("default") is None
        await panel.press("s", "plus")
        assert panel.app.screen is screen


async def test_a_failed_screenshot_shows_the_error(
    open_kept: Opens, shop: DemoSite, pictures: Path
) -> None:
    async with open_kept(url=shop.url) as panel:
        screen = PictureScreen()
        (folder,) = pictures.iterdir()
        folder.rmdir()
        folder.write_text("in the way")
        panel.app.push_screen(screen)
        await panel.screen(PictureScreen)
        await panel.until(lambda: not screen.is_taking, "the answer")

        assert screen.query_one("#note").has_class("-wrong")
        assert str(folder) in note(screen)
        folder.unlink()
        folder.mkdir()
        await panel.press("r")
        await panel.until(lambda: screen.has_class("-picture"), "the picture")


@pytest.mark.thorough
@pytest.mark.usefixtures("every_frame")
async def test_changes_of_the_panel_do_not_redraw_the_picture(
    open_kept: Opens, shop: DemoSite, pictures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_kept(url=shop.url) as panel:
        await open_picture(panel)
        blocks = panel.app.screen.query_one(HalfBlocks)
        drawn: list[Region] = []
        draw = blocks.render_lines

        def watched(crop: Region) -> list[Strip]:
            drawn.append(crop)
            return draw(crop)

        monkeypatch.setattr(blocks, "render_lines", watched)
        panel.tree.refresh()
        await asyncio.sleep(1)
        await panel.pilot.pause()
        assert drawn == []

        blocks.refresh()
        await panel.until(lambda: drawn, "the picture, drawn for itself")
