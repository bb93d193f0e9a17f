"""session.* and daemon.*: which browsers are running."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psutil
import pytest

from pwtui.state.workspace import Workspace
from tests.client import Client
from tests.operations.support import browser_pids, delta
from tests.site import TestSite


@pytest.fixture
def quiet(workspace: Workspace) -> Client:
    """A client that starts no browser."""
    return Client(workspace.root)


async def test_no_session_is_reported(quiet: Client) -> None:
    before = browser_pids()
    response = await quiet.send("session.status")
    assert response.data is not None
    assert response.data.keys() == {"active", "message"}
    assert response.data["active"] is False
    assert response.inputs == {}
    assert delta(response) == {}
    stopped = await quiet.data("session.stop")
    assert stopped.keys() == {"stopped", "message"}
    assert stopped["stopped"] is False
    assert browser_pids() == before


@pytest.mark.parametrize(
    ("op", "input"),
    [
        ("tabs.switch", {"target": "0"}),
        ("tabs.close", {}),
        ("dialog.show", {}),
        ("dialog.accept", {}),
        ("trace.stop", {}),
        ("video.stop", {}),
        ("route.remove", {}),
        ("requests.body", {"index": 1}),
        ("back", {}),
    ],
)
async def test_operations_on_an_open_browser_start_none(
    quiet: Client, op: str, input: dict[str, Any]
) -> None:
    before = browser_pids()
    error = await quiet.error(op, input)
    assert error.code == "SESSION_ERROR"
    assert error.message == f"no browser is open for this profile, and {op} needs one"
    assert error.hint == "open one with `navigate`"
    assert error.details == {"cause": "nothingOpen"}
    assert browser_pids() == before


async def test_running_session_is_described_and_stopped(
    fresh_client: Callable[[], Client], site: TestSite
) -> None:
    client = fresh_client()
    before = browser_pids()
    await client.data("navigate", {"url": site.url("/text.html")})
    (browser,) = browser_pids() - before
    status = await client.data("session.status")
    assert status.keys() == {"active", "session"}
    session = status["session"]
    assert status["active"] is True
    assert session["browser"] == "chromium"
    assert session["headless"] is True
    assert session["attached"] is False
    assert session["namespace"] == "default"
    assert session["workspaceId"] == client.caller.workspace.id
    assert session["sessionKey"].startswith(session["workspaceId"])
    assert all("_" not in key for key in session)
    stopped = await client.data("session.stop")
    assert stopped == {"stopped": True}
    assert not psutil.pid_exists(browser) or psutil.Process(browser).status() == "zombie"
    assert (await client.data("session.status"))["active"] is False


async def test_profiles_have_separate_sessions(client: Client, site: TestSite) -> None:
    set_cookie = {"url": site.url("/cookies/set?name=who&value=one")}
    await client.data("navigate", set_cookie, profile="one")
    await client.data("navigate", {"url": site.url("/text.html")}, profile="two")
    assert (await client.data("auth.cookies", profile="one"))["count"] == 1
    assert (await client.data("auth.cookies", profile="two"))["count"] == 0
    await client.data("session.stop", profile="one")
    assert (await client.data("session.status", profile="one"))["active"] is False
    assert (await client.data("session.status", profile="two"))["active"] is True


async def test_started_session_is_the_one_that_requests_use(
    fresh_client: Callable[[], Client], site: TestSite
) -> None:
    client = fresh_client()
    before = browser_pids()
    try:
        response = await client.send("session.start")
        assert response.ok, response.error
        assert response.data is not None
        assert response.data["browser"] == "chromium"
        assert response.data["headless"] is True
        again = await client.data("session.start", {"headful": False})
        assert again["sessionKey"] == response.data["sessionKey"]
        await client.data("navigate", {"url": site.url("/text.html")})
        assert len(browser_pids() - before) == 1
    finally:
        await client.data("session.stop")
    assert (await client.data("session.status"))["active"] is False
    assert browser_pids() <= before


async def test_descriptor_is_cleared_without_touching_a_browser(quiet: Client) -> None:
    path = quiet.profiles.folder("default") / "sessions" / "session.json"
    response = await quiet.send("session.clear")
    assert response.data is not None
    assert response.data.keys() == {"cleared", "path", "message"}
    assert response.data["cleared"] is False
    assert response.data["path"] == str(path)
    path.parent.mkdir(parents=True)
    path.write_text("{}")
    assert await quiet.data("session.clear") == {"cleared": True, "path": str(path)}
    assert not path.exists()


async def test_daemon_that_does_not_run_is_reported(quiet: Client) -> None:
    status = await quiet.data("daemon.status")
    assert status.keys() == {"running", "message"}
    assert status["running"] is False
    stopped = await quiet.data("daemon.stop")
    assert stopped.keys() == {"stopped", "message"}
    assert stopped["stopped"] is False


async def test_daemon_in_the_foreground_is_not_for_a_request(quiet: Client) -> None:
    error = await quiet.error("daemon.start", {"foreground": True})
    assert error.code == "UNSUPPORTED_MODE"
