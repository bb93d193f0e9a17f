"""connect: attaching to browsers of other programs."""

from __future__ import annotations

import socket
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import psutil
import pytest
import pytest_asyncio

from pwtui.browser.launch.cdp import listening_browser
from pwtui.browser.launch.find_browser import BROWSER_VARIABLE, find_chromium
from pwtui.state.relay_records import relay_token
from pwtui.state.workspace import Workspace
from tests.client import Client
from tests.operations.support import browser_pids, delta, refs
from tests.site import TestSite


@pytest.fixture(autouse=True)
def _headless_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test needs a window: a shell, where there is one, starts in a third of the time."""
    if found := find_chromium(headless=True):
        monkeypatch.setenv(BROWSER_VARIABLE, str(found))


@pytest.fixture
def quiet(workspace: Workspace) -> Client:
    """A client for what starts no browser."""
    return Client(workspace.root)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@pytest.mark.parametrize("what", ["launch", "discover"])
async def test_a_profile_of_another_browser_gets_no_endpoint_of_a_chromium(
    quiet: Client, what: str
) -> None:
    error = await quiet.error("connect", {what: True}, overrides={"browser": "firefox"})

    assert error.code == "UNSUPPORTED_MODE"
    assert "launch and discover require chromium, not firefox" in error.message


async def test_endpoint_is_set_shown_and_cleared(quiet: Client) -> None:
    assert await quiet.data("connect") == {
        "action": "show",
        "message": "no endpoint is set",
        "endpoint": None,
    }
    endpoint = "http://127.0.0.1:9999"
    response = await quiet.send("connect", {"endpoint": endpoint})
    assert response.data == {
        "action": "set",
        "message": f"will attach to {endpoint}",
        "endpoint": endpoint,
    }
    assert response.inputs == {"endpoint": endpoint}
    assert delta(response) == {}
    shown = await quiet.send("connect")
    assert shown.data is not None
    assert (shown.data["action"], shown.data["endpoint"]) == ("show", endpoint)
    assert shown.effective_runtime is not None
    assert shown.effective_runtime.cdp_endpoint == endpoint
    cleared = await quiet.data("connect", {"clear": True})
    assert (cleared["action"], cleared["endpoint"]) == ("cleared", None)
    assert (await quiet.data("connect"))["endpoint"] is None


async def test_endpoint_of_one_request_is_not_kept(quiet: Client) -> None:
    override = {"cdpEndpoint": "http://127.0.0.1:9999"}
    assert (await quiet.data("connect", overrides=override))["endpoint"] == override["cdpEndpoint"]
    assert (await quiet.data("connect"))["endpoint"] is None


@pytest.mark.parametrize("endpoint", ["localhost:9222", "ftp://x", "", "file:///etc/passwd"])
async def test_endpoint_of_another_kind_is_refused(quiet: Client, endpoint: str) -> None:
    error = await quiet.error("connect", {"endpoint": endpoint})
    assert error.code == "INVALID_INPUT"


@pytest.mark.parametrize("port", [0, 70_000, "9222"])
async def test_invalid_port_is_refused(quiet: Client, port: object) -> None:
    error = await quiet.error("connect", {"discover": True, "port": port})
    assert error.code == "INVALID_INPUT"
    assert "input.port" in error.message


async def test_only_the_first_of_several_actions_applies(quiet: Client) -> None:
    everything = {"kill": True, "clear": True, "launch": True, "discover": True}
    data = await quiet.data("connect", {**everything, "endpoint": "ws://x", "port": free_port()})
    assert data["action"] == "kill"
    data = await quiet.data("connect", {"clear": True, "endpoint": "ws://x"})
    assert data["action"] == "cleared"


async def test_killing_without_a_browser_succeeds(quiet: Client) -> None:
    port = free_port()
    data = await quiet.data("connect", {"kill": True, "port": port})
    assert data == {
        "action": "kill",
        "message": f"no browser listens on port {port}",
        "endpoint": None,
        "port": port,
    }


async def test_discovering_nothing_is_an_error(quiet: Client) -> None:
    port = free_port()
    error = await quiet.error("connect", {"discover": True, "port": port})
    assert error.code == "SESSION_ERROR"
    assert str(port) in error.message


async def test_server_that_is_not_a_browser_is_neither_found_nor_killed(
    quiet: Client, site: TestSite
) -> None:
    port = int(site.origin.rpartition(":")[2])
    killed = await quiet.data("connect", {"kill": True, "port": port})
    assert killed["action"] == "kill"
    error = await quiet.error("connect", {"discover": True, "port": port})
    assert error.code == "SESSION_ERROR"


async def test_browser_that_is_not_there_fails_to_launch_with_advice(
    client: Client, site: TestSite
) -> None:
    error = await client.error(
        "navigate",
        {"url": site.url("/text.html")},
        overrides={"cdpEndpoint": f"http://127.0.0.1:{free_port()}"},
    )
    assert error.code == "BROWSER_LAUNCH_FAILED"
    assert "clear" in str(error.hint)


class Refusing(BaseHTTPRequestHandler):
    """An endpoint that answers, but not as a browser does."""

    status, body = 401, b"{}"

    def do_GET(self) -> None:
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.parametrize("scheme", ["http", "ws"])
@pytest.mark.parametrize(
    ("status", "body", "cause"),
    [
        (401, b"{}", "HTTP 401 Unauthorized"),
        (403, b"{}", "HTTP 403 Forbidden"),
        (500, b"{}", "HTTP 500 Internal Server Error"),
        (200, b"<html>", "not JSON"),
    ],
)
async def test_an_attach_error_names_what_the_endpoint_answered(
    quiet: Client, scheme: str, status: int, body: bytes, cause: str
) -> None:
    handler = type("Handler", (Refusing,), {"status": status, "body": body})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        endpoint = f"{scheme}://127.0.0.1:{server.server_port}"
        override = {"cdpEndpoint": endpoint}
        error = await quiet.error("navigate", {"url": "about:blank"}, overrides=override)
        server.shutdown()

    assert error.code == "BROWSER_LAUNCH_FAILED"
    assert error.message.startswith(f"could not attach to {endpoint}: ")
    assert (cause if (scheme, status) != ("ws", 200) else "200") in error.message


async def test_an_attach_error_names_a_refused_connection(quiet: Client) -> None:
    override = {"cdpEndpoint": f"http://127.0.0.1:{free_port()}"}
    error = await quiet.error("navigate", {"url": "about:blank"}, overrides=override)
    assert "connection refused" in error.message


class Neighbour:
    """A second browser, with its own debugging port and its own page."""

    def __init__(self, data: dict[str, Any], process: psutil.Process) -> None:
        self.data = data
        self.process = process
        self.port: int = data["port"]
        self.endpoint: str = data["endpoint"]

    def end(self) -> None:
        with suppress(psutil.NoSuchProcess):
            self.process.kill()
            self.process.wait(10)


@pytest_asyncio.fixture(loop_scope="session")
async def neighbour(fresh_client: Callable[[], Client]) -> AsyncIterator[Neighbour]:
    owner = fresh_client()
    config = {"defaults": {"headless": True}}
    await owner.data("profile.set", {"name": "default", "config": config})
    data = await owner.data("connect", {"launch": True, "port": free_port()})
    process = listening_browser(data["port"])
    assert process is not None
    running = Neighbour(data, process)
    try:
        yield running
    finally:
        running.end()


async def test_launched_browser_is_described(neighbour: Neighbour) -> None:
    assert neighbour.data.keys() == {
        "action",
        "message",
        "endpoint",
        "browser",
        "port",
        "userDataDir",
    }
    assert neighbour.data["action"] == "launched"
    assert neighbour.data["endpoint"].startswith("ws://")
    assert "Chrom" in neighbour.data["browser"]
    assert Path(neighbour.data["userDataDir"]).is_dir()


async def test_second_browser_on_the_same_port_is_refused(
    neighbour: Neighbour, quiet: Client
) -> None:
    error = await quiet.error("connect", {"launch": True, "port": neighbour.port})
    assert error.code == "INVALID_INPUT"
    assert error.details == {"port": neighbour.port}


async def test_running_browser_is_discovered_used_and_killed_alone(
    neighbour: Neighbour, fresh_client: Callable[[], Client], site: TestSite
) -> None:
    client = fresh_client()
    found = await client.data("connect", {"discover": True, "port": neighbour.port})
    assert found.keys() == {"action", "message", "endpoint", "browser", "port", "found"}
    assert found["action"] == "discovered"
    assert found["port"] == neighbour.port
    assert found["endpoint"].rpartition("/")[2] == neighbour.endpoint.rpartition("/")[2]
    assert found["found"] == [found["endpoint"]]

    response = await client.send(
        "fill", {"url": site.url("/form.html"), "selector": "#name", "text": "x"}
    )
    assert response.ok, response.error
    assert response.effective_runtime is not None
    assert response.effective_runtime.cdp_endpoint == found["endpoint"]
    await client.data("click", {"ref": (await refs(client))["Submit"]})
    status = await client.data("session.status")
    assert status["active"] is True
    assert status["session"]["attached"] is True
    await client.data("session.stop")
    assert neighbour.process.is_running()

    own = browser_pids() - {neighbour.process.pid}
    another = await client.send("connect", {"kill": True, "port": neighbour.port, "pid": 1})
    assert another.error is not None
    assert f"belongs to process {neighbour.process.pid}, not to 1" in another.error.message
    assert neighbour.process.is_running()
    killed = await client.data("connect", {"kill": True})
    assert killed["action"] == "killed"
    assert killed["port"] == neighbour.port
    assert killed["pids"] == [neighbour.process.pid]
    assert not neighbour.process.is_running() or neighbour.process.status() == "zombie"
    assert psutil.Process().is_running()
    assert own <= browser_pids()
    assert (await client.data("connect"))["endpoint"] is None


async def test_attached_browser_keeps_its_page_when_the_client_goes(
    neighbour: Neighbour, fresh_client: Callable[[], Client], site: TestSite
) -> None:
    override = {"cdpEndpoint": neighbour.endpoint}
    first = fresh_client()
    url = site.url("/form.html")
    fill = {"url": url, "selector": "#name", "text": "Ada"}
    await first.data("fill", fill, overrides=override)
    await first.close()
    second = fresh_client()
    data = await second.data(
        "page.eval", {"expression": "document.querySelector('#name').value"}, overrides=override
    )
    assert data["result"] == "Ada"


async def test_chooser_of_an_attached_browser_is_caught_while_it_is_watched_for(
    neighbour: Neighbour, fresh_client: Callable[[], Client], site: TestSite
) -> None:
    client, override = fresh_client(), {"cdpEndpoint": neighbour.endpoint}
    await client.data("navigate", {"url": site.url("/actions.html")}, overrides=override)
    opens_late = "void document.querySelector('#zone').addEventListener('click', () => {"
    opens_late += "setTimeout(() => document.querySelector('#file').click(), 1500) })"
    await client.data("page.eval", {"expression": opens_late}, overrides=override)
    click = {"selector": "#zone", "waitMs": 30_000}
    clicked = await client.data("click", click, overrides=override)
    assert clicked["fileChooser"] == {"multiple": False}


async def test_saved_login_is_loaded_into_a_discovered_browser(
    neighbour: Neighbour, fresh_client: Callable[[], Client], site: TestSite, tmp_path: Path
) -> None:
    login = tmp_path / "login.json"
    login.write_text(
        '{"cookies": [{"name": "login", "value": "42", "domain": "127.0.0.1", "path": "/"}]}'
    )
    client = fresh_client()
    found = await client.data(
        "connect",
        {"discover": True, "port": neighbour.port},
        overrides={"authFile": str(login)},
    )
    assert found["auth"] == {"file": str(login), "cookiesApplied": 1, "originsPresent": 0}
    await client.data("navigate", {"url": site.url("/cookies/show")})
    assert '"login": "42"' in (await client.data("page.text", {"selector": "body"}))["text"]


async def test_protected_tab_of_an_attached_browser_is_left_alone(
    neighbour: Neighbour, fresh_client: Callable[[], Client], site: TestSite
) -> None:
    override = {"cdpEndpoint": neighbour.endpoint}
    first = fresh_client()
    await first.data("navigate", {"url": site.url("/form.html")}, overrides=override)
    await first.close()
    second = fresh_client()
    await second.data("protect.add", {"pattern": "form.html"})
    await second.data("navigate", {"url": site.url("/text.html")}, overrides=override)
    tabs = (await second.data("tabs.list", overrides=override))["tabs"]
    assert {tab["title"]: tab.get("protected", False) for tab in tabs} == {
        "Form": True,
        "Text": False,
    }


async def test_a_token_is_masked_and_that_of_an_own_relay_is_not_kept(
    quiet: Client,
) -> None:
    config = quiet.profiles.folder("default") / "config.json"
    own = await quiet.send(
        "connect", {"endpoint": f"ws://127.0.0.1:9/cdp?extension=1&token={relay_token()}"}
    )
    assert own.ok, own.error
    kept = config.read_text()
    other = await quiet.send("connect", {"endpoint": "wss://cloud.example/cdp?token=s3cr3t"})
    shown = await quiet.send("connect")
    assert '"ws://127.0.0.1:9/cdp?extension=1"' in kept
    assert relay_token() not in own.to_json()
    # Without it the profile could not connect.
    assert "s3cr3t" in config.read_text()
    assert config.stat().st_mode & 0o777 == 0o600
    assert "s3cr3t" not in other.to_json() + shown.to_json()
