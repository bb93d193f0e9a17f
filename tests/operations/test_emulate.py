"""emulate.*, trace.*, video.*."""

from __future__ import annotations

import asyncio
import os
import stat
import zipfile
from collections.abc import Callable
from typing import Any

from playwright.async_api import Error

from tests.client import Client
from tests.site import TestSite

VIEW = "[innerWidth, innerHeight, devicePixelRatio]"


async def asked(client: Client, expression: str) -> Any:
    return (await client.data("page.eval", {"expression": expression}))["result"]


async def test_device_is_emulated_in_all_tabs_and_can_be_reset(
    client: Client, site: TestSite
) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    before = await asked(client, VIEW)
    about = "[screen.width, devicePixelRatio, navigator.maxTouchPoints, navigator.userAgent]"
    assert (await client.data("emulate.device", {"name": "pixel 7"}))["device"] == "Pixel 7"
    width, ratio, touch, agent = await asked(client, about)
    assert (width, ratio, touch > 0, "Pixel 7" in agent) == (412, 2.625, True, True)
    opened = await client.data("tabs.new", {"url": site.url("/form.html")})
    assert (await asked(client, about))[:2] == [412, 2.625]
    await client.data("emulate.device", {"name": "Desktop Chrome HiDPI"})
    assert await asked(client, VIEW) == [1280, 720, 2]
    assert "device" not in await client.data("emulate.device", {"name": ""})
    assert "Pixel" not in await asked(client, "navigator.userAgent")
    await client.data("tabs.close", {"target": opened["index"]})
    assert await asked(client, VIEW) == before
    error = await client.error("emulate.device", {"name": "Pixl 7"})
    assert (error.code, "Pixel 7" in str(error.hint)) == ("INVALID_INPUT", True)


async def test_language_and_time_zone_change_and_change_back(
    client: Client, site: TestSite
) -> None:
    about = "navigator.language + (1234.5).toLocaleString() + new Date(0).getHours()"
    await client.data("navigate", {"url": site.url("/text.html")})
    before = await asked(client, about)
    await client.data("emulate.locale", {"locale": "de-DE"})
    await client.data("emulate.timezone", {"timezone": "Asia/Tokyo"})
    assert await asked(client, about) == "de-DE1.234,59"
    opened = await client.data("tabs.new", {"url": site.url("/text.html")})
    assert await asked(client, about) == "de-DE1.234,59"
    await client.data("tabs.close", {"target": opened["index"]})
    await client.data("navigate", {"url": site.url("/echo")})
    assert "de-DE" in (await client.data("page.text", {"selector": "body"}))["text"]
    for op, input in (("locale", {"locale": "x!"}), ("timezone", {"timezone": "Mars/Base"})):
        assert (await client.error(f"emulate.{op}", input)).code == "INVALID_INPUT"
    await client.data("emulate.timezone", {"timezone": ""})
    left = await client.data("emulate.locale", {"locale": ""})
    assert left == {"offline": False, "media": {}}
    assert await asked(client, about) == before


async def test_media_features_network_state_and_geolocation_are_emulated(
    client: Client, site: TestSite
) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    wanted = {"colorScheme": "dark", "reducedMotion": "reduce", "media": "print"}
    queries = "['(prefers-color-scheme: dark)', '(prefers-reduced-motion)', 'print']"
    matches = f"{queries}.map(query => matchMedia(query).matches)"
    assert (await client.data("emulate.media", wanted))["media"] == wanted
    assert await asked(client, matches) == [True, True, True]
    # Chromium forgets the media type when a page navigates that has several CDP sessions.
    opened = await client.data("tabs.new", {"url": site.url("/text.html")})
    assert (await asked(client, matches))[:2] == [True, True]
    await client.data("tabs.close", {"target": opened["index"]})
    left = await client.data("emulate.media", {"colorScheme": "reset", "media": None})
    assert left["media"] == {"reducedMotion": "reduce"}
    assert await asked(client, matches) == [False, True, False]
    await client.data("emulate.media", {"reducedMotion": "reset"})
    assert (await client.error("emulate.media", {})).code == "INVALID_INPUT"

    await client.data("emulate.offline", {"offline": True})
    online = "fetch('/text.html').then(answer => answer.ok, () => false)"
    assert await asked(client, online) is False
    await client.data("emulate.offline", {"offline": False})
    assert await asked(client, online) is True

    where = "new Promise(done => navigator.geolocation.getCurrentPosition("
    where += "place => done(place.coords.latitude), problem => done(problem.code)))"
    await client.data("emulate.geolocation", {"latitude": 52.5, "longitude": 13.4})
    assert await asked(client, where) == 52.5
    assert "geolocation" not in await client.data("emulate.geolocation", {})
    assert (await client.error("emulate.geolocation", {"latitude": 1.0})).code == "INVALID_INPUT"


async def test_trace_is_recorded_privately(client: Client, site: TestSite) -> None:
    assert (await client.error("trace.stop")).code == "INVALID_INPUT"
    await client.data("trace.start")
    assert (await client.error("trace.start")).code == "INVALID_INPUT"
    await client.data("navigate", {"url": site.url("/text.html")})
    # A path that cannot be written does not end the trace.
    os.mkfifo(client.root / "pipe", 0o644)
    for refused in ("/dev/null/t.zip", "pipe"):
        assert (await client.error("trace.stop", {"output": refused})).code == "IO_ERROR"
    response = await client.send("trace.stop", {"output": "kept/trace.zip"})
    assert response.ok, response.error
    path = client.root / "kept/trace.zip"
    assert "trace.trace" in zipfile.ZipFile(path).namelist()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert response.artifacts is not None
    assert response.artifacts[0].type == "trace"


async def test_video_is_recorded_or_the_error_says_how_to_install_ffmpeg(
    client: Client, site: TestSite
) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    for op, input in (("video.stop", {}), ("video.chapter", {"title": "One"})):
        assert (await client.error(op, input)).code == "INVALID_INPUT"
    assert (await client.error("video.start", {"output": "a.mp4"})).code == "INVALID_INPUT"
    assert (await client.error("video.start", {"size": "big"})).code == "INVALID_INPUT"
    response = await client.send("video.start", {"output": "film.webm", "size": "400x300"})
    if response.error is not None:
        assert response.error.code == "UNSUPPORTED_MODE"
        assert "pw install ffmpeg" in str(response.error.hint)
        return
    assert (await client.error("video.start")).code == "INVALID_INPUT"
    await client.data("video.chapter", {"title": "One", "durationMs": 100})
    data = await client.data("video.stop")
    assert data["sizeBytes"] == (client.root / "film.webm").stat().st_size > 0


async def test_geolocation_changes_no_other_permission(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    (session,) = client.executor.pool.sessions.values()
    await session.context.grant_permissions(["clipboard-read"])
    ask = "navigator.permissions.query({name: '%s'}).then(found => found.state)"

    await client.data("emulate.geolocation", {"latitude": 52.5, "longitude": 13.4})
    during = [await asked(client, ask % name) for name in ("geolocation", "clipboard-read")]
    await client.data("emulate.geolocation", {})
    after = [await asked(client, ask % name) for name in ("geolocation", "clipboard-read")]

    assert during == ["granted", "granted"]
    assert after == ["prompt", "granted"]


async def test_a_protocol_session_that_failed_is_not_kept(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    (session,) = client.executor.pool.sessions.values()
    (tab,) = session.tabs
    failed: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    failed.set_exception(Error("it failed"))
    session.emulation._protocol[tab.page] = failed

    assert (await client.send("emulate.timezone", {"timezone": "Europe/Paris"})).ok


async def test_an_error_of_playwright_in_a_session_operation_is_explained(
    fresh_client: Callable[[], Client], site: TestSite
) -> None:
    client = fresh_client()
    await client.data("navigate", {"url": site.url("/text.html")})
    (session,) = client.executor.pool.sessions.values()
    await session.context.close()
    error = await client.error("cookies.list")
    assert error.code == "SESSION_ERROR"
    assert "cookies.list failed" in error.message
