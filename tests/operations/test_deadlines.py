"""Timeouts: endless loops, silent servers, crashes, killed browsers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

import pwtui.browser.session.tab as browser_tabs
from pwtui.operations.framework import polling
from pwtui.operations.framework.declare import operations
from tests.client import Client
from tests.operations.support import browser_pids, messages
from tests.site import TestSite

TIMEOUT = 150
SHORT = {"timeoutMs": TIMEOUT}
BOUND = 50 * TIMEOUT
"""Far beyond the timeout, and far below what any wait without one takes."""


LOOP = "while (true) {}"
# Blocks the page's thread as a loop does, but takes no processor from other tests.
WAIT = "const request = new XMLHttpRequest(); request.open('GET', '/hang', false); request.send()"


async def get_stuck(client: Client, site: TestSite, how: str = LOOP) -> None:
    await client.data("navigate", {"url": site.url("/busy.html")})
    await client.data("page.eval", {"expression": f"setTimeout(() => {{ {how} }}, 50)"})
    await asyncio.sleep(0.1)


@pytest.mark.usefixtures("own_tab")
async def test_click_whose_handler_never_returns_is_a_timeout(
    client: Client, site: TestSite
) -> None:
    await client.data("navigate", {"url": site.url("/busy.html")})
    response = await client.send("click", {"selector": "#busy-now"}, overrides={"timeoutMs": 1000})
    assert response.error is not None
    assert response.error.code == "TIMEOUT"
    assert response.error.details is not None
    assert response.error.details["cause"] == "pageBlocked"
    assert response.duration_ms is not None
    assert response.duration_ms < BOUND


@pytest.mark.usefixtures("own_tab")
async def test_every_page_operation_ends_on_a_page_that_is_blocked(
    client: Client, site: TestSite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (browser_tabs, polling):
        monkeypatch.setattr(module, "GRACE_SECONDS", 0.1)
    await get_stuck(client, site, WAIT)
    inputs: dict[str, dict[str, Any]] = {
        "wait": {"condition": "#nowhere"},
        "screenshot": {"output": str(tmp_path / "page.png")},
        "page.coords": {"selector": "h1"},
        "page.pick": {"timeoutSecs": 1},
    }
    answers_anyway = {
        *("page.console", "page.url", "auth.cookies", "cookies.set", "wait.url", "verify.url"),
        *("requests.list", "requests.show", "requests.body", "requests.clear", "upload"),
        *("video.start", "page.resize"),
    }
    leaves_the_page = {"back", "forward", "reload"}
    # Each takes its time: of those that are alike, one speaks for all.
    spoken_for = {"mouse": "mouse.click", "key": "key.down", "verify": "verify.text"}
    spoken_for |= {"localstorage": "localstorage.list", "sessionstorage": "localstorage.list"}
    for op in operations().values():
        if not op.needs_page or op.run.interactive or op.id in answers_anyway | leaves_the_page:
            continue
        if spoken_for.get(op.info.family, op.id) != op.id:
            continue
        example = {key: value for key, value in op.example.items() if key != "url"}
        response = await client.send(op.id, inputs.get(op.id, example), overrides=SHORT)
        assert response.error is not None, op.id
        assert response.error.code == "TIMEOUT", (op.id, response.error)
        assert response.duration_ms is not None
        assert response.duration_ms < BOUND, op.id
    await client.data("page.console")
    await client.data("auth.cookies")


@pytest.mark.usefixtures("own_tab")
async def test_page_in_an_endless_loop_can_be_navigated_and_closed(
    client: Client, site: TestSite, own_tab: int
) -> None:
    await get_stuck(client, site)
    tabs = {tab["index"]: tab for tab in (await client.data("tabs.list"))["tabs"]}
    assert tabs[own_tab]["title"] == ""
    data = await client.data("tabs.new", {"url": site.url("/text.html")})
    assert data["title"] == "Text"
    closed = await client.data("tabs.close", {"target": own_tab})
    assert closed["closed"] is True


@pytest.mark.usefixtures("own_tab")
async def test_failure_on_a_page_in_an_endless_loop_is_reported_without_delay(
    client: Client, site: TestSite, tmp_path: Path
) -> None:
    await get_stuck(client, site)
    response = await client.send(
        "page.text", {"selector": "h1"}, overrides=SHORT, artifacts_dir=tmp_path / "failures"
    )
    assert response.error is not None
    assert response.error.code == "TIMEOUT"
    assert not response.artifacts
    assert any("failure" in message for message in messages(response))
    assert response.duration_ms is not None
    assert response.duration_ms < BOUND


@pytest.mark.usefixtures("own_tab")
@pytest.mark.parametrize(
    ("op", "input"),
    [
        ("navigate", {}),
        ("navigate", {"waitUntil": "commit"}),
        ("click", {"selector": "h1"}),
        ("page.text", {"selector": "h1"}),
        ("page.eval", {"expression": "1"}),
        ("page.read", {}),
        ("page.aria", {}),
        ("wait", {"condition": "h1"}),
        ("auth.cookies", {}),
        ("tabs.new", {}),
    ],
)
async def test_operation_ends_when_the_server_hangs(
    client: Client, site: TestSite, op: str, input: dict[str, Any]
) -> None:
    response = await client.send(op, {**input, "url": site.url("/hang")}, overrides=SHORT)
    assert response.error is not None
    assert response.error.code == "TIMEOUT"
    assert response.duration_ms is not None
    assert response.duration_ms < BOUND


@pytest.mark.usefixtures("own_tab")
async def test_page_that_hangs_again_is_a_timeout_again(client: Client, site: TestSite) -> None:
    for _ in range(2):
        error = await client.error("navigate", {"url": site.url("/hang")}, overrides=SHORT)
        assert error.code == "TIMEOUT"


async def test_timeout_of_the_profile_applies(client: Client, site: TestSite) -> None:
    url = site.url("/text.html")
    await client.data("navigate", {"url": url}, profile="impatient")
    config = {"defaults": {"timeoutMs": 300}}
    await client.data("profile.set", {"name": "impatient", "config": config})
    response = await client.send("click", {"selector": "#nowhere"}, profile="impatient")
    assert response.error is not None
    assert response.error.code == "SELECTOR_NOT_FOUND"
    assert response.effective_runtime is not None
    assert response.effective_runtime.timeout_ms == 300


@pytest.mark.usefixtures("own_tab")
async def test_crashed_page_is_reported_and_the_next_url_is_opened(
    client: Client, site: TestSite
) -> None:
    await client.data("navigate", {"url": site.url("/form.html")})
    response = await client.send("navigate", {"url": "chrome://crash"})
    assert response.error is not None
    assert response.error.code == "SESSION_ERROR"
    assert response.error.details is not None
    assert response.error.details["cause"] == "pageCrashed"
    response = await client.send("page.text", {"selector": "h1"})
    assert response.error is not None
    assert response.error.code == "SESSION_ERROR"
    assert response.duration_ms is not None
    assert response.duration_ms < BOUND
    tabs = (await client.data("tabs.list"))["tabs"]
    assert [tab["crashed"] for tab in tabs] == [True]
    data = await client.data("navigate", {"url": site.url("/text.html")})
    assert data["title"] == "Text"
    assert len((await client.data("tabs.list"))["tabs"]) == 1


@pytest.mark.usefixtures("own_tab")
async def test_crash_ends_the_operation_that_runs(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    waiting = asyncio.create_task(client.send("wait", {"condition": 20_000}))
    await asyncio.sleep(0.2)
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            if "--type=renderer" in process.cmdline():
                process.kill()
    response = await waiting
    assert response.error is not None
    assert response.error.code == "SESSION_ERROR"
    assert response.error.details is not None
    assert response.error.details["cause"] == "pageCrashed"
    assert response.duration_ms is not None
    assert response.duration_ms < 10_000


async def kill_browser(client: Client, site: TestSite) -> None:
    """End the browser that the client has just started, and wait until it is no more."""
    before = browser_pids()
    await client.data("navigate", {"url": site.url("/text.html")})
    (browser,) = browser_pids() - before
    process = psutil.Process(browser)
    process.kill()
    await asyncio.to_thread(psutil.wait_procs, [process], timeout=5)


async def test_killed_browser_is_started_again_with_a_diagnostic(
    fresh_client: Callable[[], Client], site: TestSite
) -> None:
    client = fresh_client()
    await kill_browser(client, site)
    await asyncio.sleep(0.5)
    response = await client.send("page.text", {"selector": "h1"})
    assert response.ok, response.error
    assert response.data is not None
    assert response.data["text"] == "Hello"
    lost = "the browser of the last session had exited"
    assert any(lost in message for message in messages(response))
    again = await client.send("page.text", {"selector": "h1"})
    assert messages(again) == []


async def test_request_right_after_the_browser_was_killed_is_no_internal_error(
    fresh_client: Callable[[], Client], site: TestSite
) -> None:
    client = fresh_client()
    await kill_browser(client, site)
    response = await client.send("page.text", {"selector": "h1"})
    assert response.ok or (response.error and response.error.code == "SESSION_ERROR")
    data = await client.data("page.text", {"selector": "h1"})
    assert data["text"] == "Hello"


async def test_browser_that_is_killed_during_an_operation_ends_it(
    fresh_client: Callable[[], Client], site: TestSite
) -> None:
    client = fresh_client()
    before = browser_pids()
    await client.data("navigate", {"url": site.url("/text.html")})
    (browser,) = browser_pids() - before
    waiting = asyncio.create_task(client.send("wait", {"condition": 20_000}))
    await asyncio.sleep(0.2)
    psutil.Process(browser).kill()
    response = await waiting
    assert response.error is not None
    assert response.error.code == "SESSION_ERROR"
    assert response.error.details is not None
    assert response.error.details["cause"] == "browserGone"
    assert response.duration_ms is not None
    assert response.duration_ms < 10_000
