"""Frames are pictures of the active tab: the newest one, after the one before was acknowledged."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import pytest_asyncio

from pwtui.browser.session.observers import Wanted
from pwtui.protocol.events import FrameLimits
from tests.client import Client
from tests.site import TestSite
from tests.waiting import until


class Viewer:
    """A subscriber that takes frames when a test lets it."""

    def __init__(self, client: Client) -> None:
        self._observers = client.executor.pool.observers
        self.client = client
        self.frames: list[dict[str, Any]] = []

    def watch(self, **limits: int) -> None:
        wanted = Wanted(frozenset(("frame",)), frames=FrameLimits(**limits))
        self._observers.subscribe(self._deliver, wanted)

    def close(self) -> None:
        self._observers.unsubscribe(self._deliver)

    def acknowledge(self) -> None:
        self._observers.acknowledge(self.frames[-1]["sessionKey"])

    async def count(self, number: int) -> dict[str, Any]:
        """The newest frame, when there are that many."""
        await until(lambda: len(self.frames) >= number, f"{number} frames")
        return self.frames[-1]

    async def until(self, matches: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first frame that matches, all before it acknowledged."""
        seen = 0

        def found() -> bool:
            nonlocal seen
            if len(self.frames) > seen and not matches(self.frames[-1]):
                seen = len(self.frames)
                self.acknowledge()
            return matches(self.frames[-1])

        await until(found, "a frame")
        return self.frames[-1]

    async def paint(self, colour: str) -> None:
        script = f"document.body.style.background = '{colour}'; 1"
        await self.client.data("page.eval", {"expression": script})

    async def seen(self, script: str, event: dict[str, Any]) -> Any:
        """What a script of the page says about the picture."""
        source = f"data:image/jpeg;base64,{event['data']}"
        expression = f"""(async () => {{
            const image = new Image();
            image.src = {source!r};
            await image.decode();
            const canvas = document.createElement('canvas');
            canvas.width = canvas.height = 1;
            const paper = canvas.getContext('2d');
            paper.drawImage(image, 0, 0, 1, 1);
            const [red, green, blue] = paper.getImageData(0, 0, 1, 1).data;
            return {script};
        }})()"""
        return (await self.client.data("page.eval", {"expression": expression}))["result"]

    def _deliver(self, kind: str, event: dict[str, Any]) -> None:
        self.frames.append(event)


@pytest_asyncio.fixture(loop_scope="session")
async def viewer(client: Client, own_tab: int, site: TestSite) -> AsyncIterator[Viewer]:
    viewer = Viewer(client)
    await client.data("navigate", {"url": site.url("/text.html")})
    await viewer.paint("red")
    yield viewer
    viewer.close()


async def test_a_frame_is_a_jpeg_within_the_limits(viewer: Viewer) -> None:
    viewer.watch(max_width=320, max_height=200, quality=40)
    frame = await viewer.count(1)
    width, height = await viewer.seen("[image.naturalWidth, image.naturalHeight]", frame)

    assert base64.b64decode(frame["data"])[:3] == b"\xff\xd8\xff"
    assert 100 < width <= 320
    assert 100 < height <= 200
    assert (frame["viewportWidth"], frame["viewportHeight"]) == (1280, 720)


@pytest.mark.thorough  # Chromium sometimes sends no frame of the last change
async def test_the_next_frame_waits_for_the_acknowledgement_and_is_the_newest(
    viewer: Viewer,
) -> None:
    viewer.watch()
    await viewer.count(1)
    for colour in ("blue", "yellow", "black", "white", "orange", "blue", "lime"):
        await viewer.paint(colour)
    held, painted = len(viewer.frames), list[str]()
    while "lime" not in painted:
        count = len(viewer.frames)
        viewer.acknowledge()
        newest = await viewer.count(count + 1)
        painted.append(await viewer.seen("green > 200 && red + blue < 90 ? 'lime' : ''", newest))

    assert held == 1
    assert len(viewer.frames) <= 4
    numbers = [each["frame"] for each in viewer.frames]
    assert numbers == sorted(numbers)


async def test_another_tab_and_another_size_begin_with_a_frame(
    viewer: Viewer, client: Client, site: TestSite
) -> None:
    viewer.watch(max_width=200)
    first = await viewer.count(1)
    other = (await client.data("tabs.new", {"url": site.url("/form.html")}))["index"]
    second = await viewer.until(lambda each: each["tab"] == other)
    viewer.watch(max_width=640)
    third = await viewer.until(lambda each: len(each["data"]) > 1.5 * len(second["data"]))

    assert first["tab"] != second["tab"] == third["tab"]
    assert await viewer.seen("image.naturalWidth", second) <= 200
    assert await viewer.seen("image.naturalWidth", third) > 200


async def test_without_a_subscriber_there_is_no_screencast(viewer: Viewer, client: Client) -> None:
    viewer.watch()
    await viewer.count(1)
    (session,) = client.executor.pool.sessions.values()
    assert session.active is not None
    screencast = session.active.page.screencast._impl_obj
    assert screencast._started
    viewer.close()
    await until(lambda: not screencast._started, "the end of the screencast")
    count = len(viewer.frames)
    await viewer.paint("green")

    assert len(viewer.frames) == count
