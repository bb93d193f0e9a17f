"""Browsers of other programs: listed, attached on request, never changed otherwise."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from pwtui.browser.launch.other_browsers import PATIENCE_SECONDS
from tests.daemon.house import House, eventually, is_browser, is_running
from tests.daemon.support import is_open, sandbox_flags, unused_port
from tests.daemon.wire import Wire
from tests.site import TestSite

BIND = """
import sys
from playwright.sync_api import sync_playwright
with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=sys.argv[1])
    browser.new_page()
    print(browser.bind("shared", workspace_dir=sys.argv[2])["endpoint"], flush=True)
    sys.stdin.read()
"""


@contextmanager
def bare_chromium(
    house: House, executable: Path, name: str
) -> Iterator[tuple[psutil.Process, int]]:
    """A browser that a user started by hand, and its port."""
    port = unused_port()
    process = house.spawn(
        executable,
        "--headless=new",
        f"--remote-debugging-port={port}",
        f"--user-data-dir={house.folder / name}",
        "--no-first-run",
        *sandbox_flags(),
        "about:blank",
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    eventually(lambda: is_open(port), "the browser listens")
    yield psutil.Process(process.pid), port
    process.terminate()
    process.wait(30)


@contextmanager
def bound_browser(house: House, executable: Path) -> Iterator[tuple[psutil.Process, str]]:
    """A browser that another Playwright program bound, and its endpoint."""
    process = house.spawn(
        sys.executable, "-c", BIND, executable, house.folder, stdin=subprocess.PIPE
    )
    assert process.stdin
    assert process.stdout
    endpoint = process.stdout.readline().decode().strip()
    yield psutil.Process(process.pid), endpoint
    process.stdin.close()
    process.wait(30)


LAUNCH = """
import subprocess, sys
from playwright.sync_api import sync_playwright
# It outlives the shell that starts it.
subprocess.run(["sh", "-c", '"$0" "$@" >/dev/null 2>&1 &', *sys.argv[1:], "--headless=new"])
with sync_playwright() as playwright:
    playwright.chromium.launch(executable_path=sys.argv[1])
    print("ready", flush=True)
    sys.stdin.read()
"""


def test_pipe_browsers_and_orphans_are_listed_and_ended_but_not_one_with_a_window(
    warm: House, wire: Wire, executable: Path, tmp_path: Path
) -> None:
    window, port = unused_port(), unused_port()
    program = warm.spawn(
        *(sys.executable, "-c", LAUNCH, executable, f"--remote-debugging-port={port}"),
        *(f"--user-data-dir={tmp_path}", "--no-first-run", *sandbox_flags()),
        stdin=subprocess.PIPE,
    )
    # The arguments of a browser with a window; nothing here has a display.
    shown = warm.spawn(
        *(sys.executable, "-c", FAKE, "answers", str(window)), f"--remote-debugging-port={window}"
    )
    assert program.stdout
    assert shown.stdout
    program.stdout.readline()
    shown.stdout.readline()
    pipes = [
        each
        for each in psutil.Process(program.pid).children(recursive=True)
        if "--remote-debugging-pipe" in each.cmdline() and is_browser(each)
    ]

    def orphan() -> dict[str, Any]:
        found = on_ports(wire.data("session.list"), {port}).get(port, {})
        return found if "orphan" in found else {}

    abandoned = eventually(orphan, "the orphan")
    listed = wire.data("session.list")["sessions"]
    (piped,) = [each for each in listed if each.get("pid") in {each.pid for each in pipes}]
    refused = wire.call("session.kill", {"pids": [abandoned["pid"], shown.pid]})
    strange = wire.call("session.kill", {"pids": [program.pid]})
    still = psutil.pid_exists(abandoned["pid"]), shown.poll()
    ended = wire.data("session.kill", {"pids": [abandoned["pid"], piped["pid"]]})
    by_name = wire.data("session.kill", {"pids": [shown.pid], "window": True})
    program.kill()
    program.wait(30)
    shown.wait(30)

    assert (piped["origin"], piped["headless"], piped["browser"]) == ("pipe", True, "chromium")
    assert piped["programs"][0].startswith("python")
    assert "orphan" not in piped
    assert not {"cdpEndpoint", "wsEndpoint"} & piped.keys()
    assert abandoned["idleSeconds"] >= 0
    assert (refused["error"]["code"], strange["error"]["code"]) == ("INVALID_INPUT",) * 2
    assert "a person may be using it" in refused["error"]["message"]
    assert still == (True, None)
    assert ended["killed"] == [abandoned["pid"], piped["pid"]]
    assert by_name["killed"] == [shown.pid]
    eventually(lambda: not psutil.pid_exists(abandoned["pid"]), "it has ended")
    assert not any(map(is_running, pipes))


@pytest.fixture(scope="module")
def neighbour(warm: House, executable: Path) -> Iterator[tuple[psutil.Process, int]]:
    with bare_chromium(warm, executable, "neighbour") as found:
        yield found


def test_all_running_browsers_are_listed(
    warm: House,
    wire: Wire,
    site: TestSite,
    executable: Path,
    neighbour: tuple[psutil.Process, int],
) -> None:
    browser, port = neighbour
    wire.data("navigate", {"url": site.url("/form.html")})
    with bound_browser(warm, executable) as (program, endpoint):
        # On a busy machine the browser may not have answered the first list in time.
        listed = eventually(
            lambda: (
                (found := wire.data("session.list"))
                and on_ports(found, {port})[port]["pages"]
                and found
            ),
            "the browser lists its pages",
        )
        by_command = warm.thin("session", "list")
        family = [program, *program.children(recursive=True)]
        pids = {each.pid for each in family}
    after = wire.data("session.list")["sessions"]

    assert listed["count"] == len(listed["sessions"])
    shown = [each.get("wsEndpoint") for each in by_command.json["data"]["sessions"]]
    assert endpoint in shown
    (ours,) = [each for each in listed["sessions"] if each["origin"] == "pwtui"]
    assert (ours["owner"], ours["profile"], ours["attached"]) == ("daemon", "default", False)
    (bare,) = [each for each in listed["sessions"] if f":{port}/" in each.get("cdpEndpoint", "")]
    assert bare["origin"] == "cdp"
    assert bare["ownerPid"] == browser.pid
    assert bare["memoryBytes"] > 1_000_000
    assert bare["ageSeconds"] >= 0
    assert [page["url"] for page in bare["pages"]] == ["about:blank"]
    assert bare["version"].startswith(("Chrome/", "HeadlessChrome/"))
    (bound,) = [each for each in listed["sessions"] if each.get("wsEndpoint") == endpoint]
    assert bound["origin"] == "playwright"
    assert bound["title"] == "shared"
    assert bound["workspace"] == str(warm.folder)
    assert bound["ownerPid"] in pids
    assert bound["memoryBytes"] > 1_000_000
    assert bound["ageSeconds"] >= 0
    assert bound["pages"] is None
    assert endpoint not in [each.get("wsEndpoint") for each in after]
    assert is_running(browser)


def test_browsers_of_other_programs_can_be_left_out(
    wire: Wire, neighbour: tuple[psutil.Process, int]
) -> None:
    listed = wire.data("session.list", {"others": False})["sessions"]

    assert {each["origin"] for each in listed} <= {"pwtui"}


def test_a_running_browser_can_be_used_and_keeps_running(
    wire: Wire, site: TestSite, neighbour: tuple[psutil.Process, int]
) -> None:
    browser, port = neighbour
    connected = wire.data("connect", {"endpoint": f"http://127.0.0.1:{port}"}, profile="guest")
    wire.data("navigate", {"url": site.url("/form.html")}, profile="guest")
    text = wire.data("page.text", {"selector": "h1"}, profile="guest")
    status = wire.data("session.status", profile="guest")
    stopped = wire.data("session.stop", profile="guest")
    discovered = wire.data("connect", {"discover": True, "port": port}, profile="guest")
    kept = wire.data("page.text", {"selector": "h1"}, profile="guest")
    cleared = wire.data("connect", {"clear": True}, profile="guest")

    assert connected["action"] == "set"
    assert text["text"] == kept["text"] == "Form"
    assert status["session"]["attached"] is True
    assert stopped["stopped"] is True
    assert discovered["action"] == "discovered"
    assert cleared["action"] == "cleared"
    assert is_running(browser)


def test_a_browser_that_another_playwright_program_bound_can_be_used(
    warm: House, wire: Wire, site: TestSite, executable: Path
) -> None:
    with bound_browser(warm, executable) as (program, endpoint):
        wire.data("connect", {"endpoint": endpoint}, profile="bound")
        wire.data("navigate", {"url": site.url("/form.html")}, profile="bound")
        text = wire.data("page.text", {"selector": "h1"}, profile="bound")
        wire.data("session.stop", profile="bound")
        still_runs = any(is_browser(each) for each in program.children(recursive=True))

    assert text["text"] == "Form"
    assert still_runs


def test_a_playwright_server_can_be_used_with_headers_that_stay_private(
    warm: House, wire: Wire, site: TestSite, executable: Path
) -> None:
    server = warm.spawn(sys.executable, "-m", "playwright", "run-server", "--unsafe")
    assert server.stdout
    endpoint = server.stdout.readline().decode().split()[-1]
    options = json.dumps(
        {"executablePath": str(executable), "args": sandbox_flags(), "secret": "s3cret"}
    )
    headers = {"x-playwright-launch-options": options}

    connected = wire.call("connect", {"endpoint": endpoint, "headers": headers}, profile="served")
    wire.data("navigate", {"url": site.url("/form.html")}, profile="served")
    text = wire.data("page.text", {"selector": "h1"}, profile="served")
    shown = wire.call("connect", profile="served")
    folder = warm.workspace.profiles_dir / "served" / "auth"
    modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in folder.iterdir()}
    wire.data("session.stop", profile="served")
    wire.data("connect", {"clear": True}, profile="served")

    assert text["text"] == "Form"
    assert connected["inputs"]["headers"] == "••••••"
    assert "s3cret" not in json.dumps([connected, shown])
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert list(folder.iterdir()) == []


def test_a_playwright_server_without_its_browser_is_named_as_such(warm: House, wire: Wire) -> None:
    server = warm.spawn(sys.executable, "-m", "playwright", "run-server", "--unsafe")
    assert server.stdout
    endpoint = server.stdout.readline().decode().split()[-1]
    options = json.dumps({"executablePath": "/no/such/chromium"})
    headers = {"x-playwright-launch-options": options}
    wire.data("connect", {"endpoint": endpoint, "headers": headers}, profile="lacking")

    failed = wire.call("navigate", {"url": "about:blank"}, profile="lacking")
    wire.data("connect", {"clear": True}, profile="lacking")

    assert failed["error"]["code"] == "BROWSER_LAUNCH_FAILED"
    assert "/no/such/chromium" in failed["error"]["message"]


def playwright_cli(house: House, *arguments: str) -> str:
    command = [sys.executable, "-m", "playwright", "cli", *arguments]
    done = subprocess.run(
        command, cwd=house.root, env=house.environment(), capture_output=True, timeout=60
    )
    assert done.returncode == 0, (done.stdout, done.stderr)
    return done.stdout.decode()


def test_playwrights_own_cli_sees_and_drives_our_session(
    warm: House, wire: Wire, site: TestSite
) -> None:
    wire.data("navigate", {"url": site.url("/form.html")})

    listed = playwright_cli(warm, "list", "--all")
    attached = playwright_cli(warm, "attach", "w:default")
    playwright_cli(warm, "-s=w:default", "click", "#agree")
    seen: Any = wire.data("page.eval", {"expression": "document.querySelector('#agree').checked"})
    playwright_cli(warm, "-s=w:default", "detach")
    after = wire.call("page.text", {"selector": "h1"})

    assert 'browser "w:default"' in listed
    assert site.url("/form.html") in attached
    assert seen["result"] is True
    assert after["ok"] is True


FAKE = """
import json, socket, sys
silent, port = sys.argv[1] == "silent", int(sys.argv[2])
listener = socket.create_server(("127.0.0.1", port))
port = listener.getsockname()[1]
print(port, flush=True)
kept = []
while True:
    client, _ = listener.accept()
    if silent:
        kept.append(client)
        print("asked", flush=True)
        continue
    path = client.recv(65536).split()[1].decode()
    answer = [{"type": "page", "title": "Fake", "url": "http://fake/"}]
    if path == "/json/version":
        answer = {"Browser": "Fake/1", "webSocketDebuggerUrl": f"ws://127.0.0.1:{port}/devtools/x"}
    body = json.dumps(answer).encode()
    client.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(body) + body)
    client.close()
"""


@pytest.fixture
def fake_browsers(warm: House) -> Iterator[dict[int, subprocess.Popen[bytes]]]:
    """Processes that look like browsers with debugging ports; half of them never answer."""
    started = [
        warm.spawn(sys.executable, "-c", FAKE, kind, "0", "--remote-debugging-port=0", stderr=None)
        for kind in ["silent", "answers"] * 10
    ]
    by_port = {}
    for process in started:
        assert process.stdout
        by_port[int(process.stdout.readline())] = process
    yield by_port
    for process in started:
        process.kill()
        process.wait(30)


def cmdline_of(process: subprocess.Popen[bytes]) -> list[str]:
    return psutil.Process(process.pid).cmdline()


def on_ports(listed: dict[str, Any], ports: set[int]) -> dict[int, dict[str, Any]]:
    found = {}
    for each in listed["sessions"]:
        port = each.get("cdpEndpoint", "").partition("://")[2].partition("/")[0].rpartition(":")[2]
        if port and int(port) in ports:
            found[int(port)] = each
    return found


def test_browsers_that_never_answer_delay_no_list(
    wire: Wire, site: TestSite, fake_browsers: dict[int, subprocess.Popen[bytes]]
) -> None:
    wire.data("navigate", {"url": site.url("/form.html")})
    ports = set(fake_browsers)
    silent = {port for port, each in fake_browsers.items() if "silent" in cmdline_of(each)}
    first = on_ports(wire.data("session.list"), ports)
    # They are being asked, and owe their answers while the next lists are made.
    began = time.monotonic()
    later = [wire.data("session.list") for _ in range(3)]
    took = time.monotonic() - began
    own = wire.data("session.list", {"others": False})

    assert set(first) == ports
    for listed in later:
        found = on_ports(listed, ports)
        assert {port for port in ports if found[port]["pages"] is None} == silent
        assert [each["profile"] for each in listed["sessions"] if each["origin"] == "pwtui"]
    assert {found[port]["ownerPid"] for port in ports} == {e.pid for e in fake_browsers.values()}
    answered = found[min(ports - silent)]
    assert answered["version"] == "Fake/1"
    assert answered["pages"] == [{"title": "Fake", "url": "http://fake/"}]
    # One that owes an answer would hold a list for its whole patience.
    assert took < 3 * PATIENCE_SECONDS
    assert {each["origin"] for each in own["sessions"]} == {"pwtui"}


def test_a_browser_that_answers_late_is_reported_by_an_event(warm: House, wire: Wire) -> None:
    late = warm.spawn(sys.executable, "-c", FAKE, "answers", "0", "--remote-debugging-port=0")
    try:
        assert late.stdout
        port = int(late.stdout.readline())
        psutil.Process(late.pid).suspend()
        wire.ask("subscribe", events=["session"])
        before = on_ports(wire.data("session.list"), {port})
        psutil.Process(late.pid).resume()
        wire.event("session", lambda event: event["change"] == "others")
        after = on_ports(wire.data("session.list"), {port})
    finally:
        late.kill()
        late.wait(30)

    assert before[port]["pages"] is None
    assert after[port]["pages"] is not None


def test_a_hung_page_delays_no_list(wire: Wire, site: TestSite) -> None:
    wire.data("navigate", {"url": site.url("/busy.html")}, profile="hung")
    wire.data("session.list", {"others": False})
    name = wire.request("click", {"selector": "#busy-now"}, profile="hung")
    wire.wait_until_running(1)
    pages = [_pages(wire, "hung") for _ in range(3)]
    running = [each["op"] for each in wire.running()]
    wire.data("session.stop", profile="hung")
    wire.answer(name)

    assert running == ["click"]
    assert pages[-1] == [{"title": pages[0][0]["title"], "url": site.url("/busy.html"), "index": 0}]


def _pages(wire: Wire, profile: str) -> Any:
    listed = wire.data("session.list", {"others": False})["sessions"]
    return next(each["pages"] for each in listed if each["profile"] == profile)
