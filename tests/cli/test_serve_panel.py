"""`pwtui --serve`: the panel in a web browser, and which requests are refused."""

from __future__ import annotations

import http.client
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import psutil
import pytest
from playwright.async_api import Page, async_playwright

from pwtui.browser.launch.find_browser import find_chromium
from tests.daemon.house import LONG, House, cmdline, eventually, has_ended

PANEL = [sys.executable, "-m", "pwtui.cli.panel"]
LONG_MS = LONG * 1000


class Served:
    """A running server, with the address that it printed."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        assert process.stderr is not None
        self.url = process.stderr.readline().decode().strip()
        parts = urlsplit(self.url)
        assert parts.hostname == "127.0.0.1"
        assert parts.port is not None
        self.port = parts.port
        self.path = parts.path

    def status(self, path: str, **headers: str) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LONG)
        try:
            connection.request("GET", path, headers=headers)
            return connection.getresponse().status
        finally:
            connection.close()

    def panels(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children()

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(LONG)


@pytest.fixture
def house() -> Iterator[House]:
    with House() as own:
        own.more_environment["XDG_CONFIG_HOME"] = str(own.folder / "config")
        own.more_environment["TMPDIR"] = str(own.new_workspace("t"))
        yield own


def serve(house: House, *arguments: str) -> Served:
    return Served(house.spawn(*PANEL, "--serve", *arguments))


@asynccontextmanager
async def browsing(url: str) -> AsyncIterator[Page]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=find_chromium(headless=True), args=["--no-sandbox"]
        )
        page = await browser.new_page()
        await page.goto(url, timeout=LONG_MS)
        yield page
        await browser.close()


def has_session(house: House) -> bool:
    if house.daemon() is None:
        return False
    with house.wire() as wire:
        return bool(wire.ask("status")["sessions"])


async def shows_the_panel(page: Page) -> None:
    await page.locator("body.-first-byte").wait_for(timeout=LONG_MS)
    await page.locator(".xterm canvas").first.wait_for(timeout=LONG_MS)


async def test_the_panel_works_in_a_browser(house: House) -> None:
    served = serve(house, "--demo")
    async with browsing(served.url) as page:
        foreign: list[str] = []
        page.on("request", lambda request: foreign.append(request.url))
        await shows_the_panel(page)
        (panel,) = served.panels()
        eventually(lambda: has_session(house), "the demo's browser runs")

        await page.locator(".xterm").first.click()
        await page.keyboard.press("Shift+Q")
        await page.locator("body.-closed").wait_for(timeout=LONG_MS)
        assert has_ended(panel)
        assert [url for url in foreign if not url.startswith(served.url)] == []

    assert served.end(signal.SIGINT) == 0
    house.stop_daemon()
    assert house.nothing_is_left()
    assert list((house.folder / "t").iterdir()) == []


@pytest.mark.thorough
async def test_closing_the_tab_ends_its_panel_and_the_browser_of_the_demo(house: House) -> None:
    served = serve(house, "--demo")
    async with browsing(served.url) as page:
        await shows_the_panel(page)
        (panel,) = served.panels()
        eventually(lambda: has_session(house), "the demo's browser runs")

    assert has_ended(panel)
    eventually(lambda: not house.browsers(), "the demo's browser has ended")
    assert served.process.poll() is None
    assert served.end() == 0


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGKILL,
        pytest.param(signal.SIGTERM, marks=pytest.mark.thorough),
        pytest.param(signal.SIGHUP, marks=pytest.mark.thorough),
    ],
)
async def test_panels_end_with_the_server(house: House, number: signal.Signals) -> None:
    served = serve(house, "--profile=work", f"--workspace={house.root}", "about:blank")
    async with browsing(served.url) as page:
        await shows_the_panel(page)
        (panel,) = served.panels()
        assert cmdline(panel)[-4:] == [
            "--profile=work",
            f"--workspace={house.root}",
            "--",
            "about:blank",
        ]
        eventually(house.daemon, "the panel has started the daemon")

        assert served.end(number) == (-9 if number == signal.SIGKILL else 0)
        assert has_ended(panel)
    house.stop_daemon()
    assert house.nothing_is_left()


def test_requests_without_the_secret_or_from_another_origin_are_refused(house: House) -> None:
    served = serve(house, "--demo")
    own = f"127.0.0.1:{served.port}"
    socket = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
    socket["Sec-WebSocket-Key"] = "dGhlIHNhbXBsZSBub25jZQ=="

    assert served.status(served.path) == 200
    assert served.status(served.path, Host=f"localhost:{served.port}") == 200
    assert served.status(served.path, Origin=f"http://{own}") == 200
    assert served.status(f"{served.path}static/js/textual.js") == 200
    wrong = f"/{'x' * len(served.path.strip('/'))}/"
    for path in ("/", "/ws", "/static/js/textual.js", "//", wrong, f"{wrong}ws", "/%ff/"):
        assert served.status(path) == 403, path
    for host in ("evil.example", f"evil.example:{served.port}", "127.0.0.1", "", f"127.1:{own}"):
        assert served.status(served.path, Host=host) in (400, 403), host
    for origin in ("http://evil.example", f"https://{own}", "null", f"http://{own}.evil.example"):
        assert served.status(f"{served.path}ws", Origin=origin, **socket) == 403, origin
    assert served.status(f"{served.path}ws", Host="evil.example", **socket) == 403
    assert served.panels() == []
    assert served.end() == 0
    assert house.nothing_is_left()


def test_it_listens_on_loopback_only_and_its_arguments_hide_the_secret(house: House) -> None:
    served, other = serve(house, "--demo"), serve(house, "--demo")
    connections = psutil.Process(served.process.pid).net_connections("inet")

    assert {each.laddr.ip for each in connections} == {"127.0.0.1"}
    assert len(served.path.strip("/")) >= 32
    assert served.path != other.path
    secret = served.path.strip("/")
    assert not any(secret in argument for argument in psutil.Process(served.process.pid).cmdline())
    assert served.end() == other.end() == 0


def test_the_page_loads_nothing_from_other_sites_and_sends_no_referrer(house: House) -> None:
    served = serve(house, "--demo")
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=LONG)
    connection.request("GET", served.path)
    response = connection.getresponse()
    policy = response.getheader("Content-Security-Policy") or ""
    connection.close()

    assert policy.startswith(f"default-src http://127.0.0.1:{served.port} ")
    assert "frame-ancestors 'none'" in policy
    assert response.getheader("Referrer-Policy") == "no-referrer"
    assert response.getheader("Cache-Control") == "no-store"
    assert served.end() == 0


def test_a_port_can_be_chosen_and_a_taken_one_is_refused(house: House) -> None:
    first = serve(house, "--demo")
    taken = house.spawn(*PANEL, "--serve", f"--port={first.port}")
    _, errors = taken.communicate(timeout=LONG)
    assert taken.returncode == 1
    assert errors.decode().startswith(f"pwtui: port {first.port}: ")
    assert len(errors.splitlines()) == 1
    assert first.end() == 0

    second = serve(house, f"--port={first.port}")
    assert second.port == first.port
    assert second.end() == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("--port=8000",),
        *(("--serve", f"--port={x}") for x in ("0", "65536", "-1", "x")),
        ("--profile=*",),
    ],
)
def test_an_invalid_port_or_profile_is_wrong_usage(
    house: House, arguments: tuple[str, ...]
) -> None:
    process = house.spawn(*PANEL, *arguments)
    _, errors = process.communicate(timeout=LONG)

    assert process.returncode == 2
    assert arguments[-1].partition("=")[0].lstrip("-").encode() in errors.splitlines()[-1]
    assert b"Traceback" not in errors
