"""Only the user can connect to a browser, unless a debugging port was requested."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.daemon.house import House, cmdline, eventually, kill
from tests.daemon.support import is_open, unused_port
from tests.daemon.wire import Message, Wire
from tests.site import TestSite

UNPRIVILEGED = 65534

SNOOP = f"""
import json, os, socket, sys
from pathlib import Path
os.setgroups([])
os.setgid({UNPRIVILEGED})
os.setuid({UNPRIVILEGED})

def attempt(path):
    try:
        if path.is_socket():
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(path))
            return "connected"
        return "listed" if list(path.iterdir()) else "empty"
    except NotADirectoryError:
        try:
            return "read" if path.read_bytes() else "empty"
        except OSError as error:
            return type(error).__name__
    except OSError as error:
        return type(error).__name__

print(json.dumps(dict((path, attempt(Path(path))) for path in sys.argv[1:])))
"""

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")


def as_another_user(*paths: str | Path) -> dict[str, str]:
    """What becomes of an attempt to read each path, or to connect to it."""
    found = subprocess.run(
        [sys.executable, "-c", SNOOP, *map(str, paths)],
        capture_output=True,
        check=True,
        timeout=60,
    )
    attempts: dict[str, str] = json.loads(found.stdout)
    return attempts


def listening_ports(house: House) -> list[int]:
    """The TCP ports that browsers and drivers of this house listen on."""
    return [
        connection.laddr.port
        for process in (*house.browsers(), *house.drivers())
        for connection in process.net_connections(kind="tcp")
        if connection.status == psutil.CONN_LISTEN
    ]


def warnings(response: Message) -> list[str]:
    return [
        each["message"]
        for each in response["diagnostics"]
        if each["level"] == "warning" and "every user of this machine" in each["message"]
    ]


@pytest.fixture
def profile(warm: House, wire: Wire, request: pytest.FixtureRequest) -> Iterator[str]:
    """A profile whose session ends with the test."""
    name = request.node.name.partition("[")[0][-40:]
    yield name
    wire.data("session.stop", profile=name)


def test_a_request_opens_no_port(warm: House, wire: Wire, site: TestSite, profile: str) -> None:
    opened = wire.call("navigate", {"url": site.url("/form.html")}, profile=profile)
    status = wire.data("session.status", profile=profile)["session"]

    assert opened["ok"] is True
    assert warnings(opened) == []
    assert listening_ports(warm) == []
    assert "cdpEndpoint" not in status
    assert Path(status["wsEndpoint"]).is_socket()
    assert not any("--remote-debugging-port" in " ".join(cmdline(b)) for b in warm.browsers())


@as_root
@pytest.mark.parametrize("launch_server", [False, True])
def test_another_user_reaches_neither_the_browser_nor_its_files(
    warm: House, wire: Wire, site: TestSite, profile: str, launch_server: bool
) -> None:
    warm.folder.chmod(0o755)  # a home folder that others may enter, as many are
    if launch_server:
        overrides = {"launchServer": True}
        wire.data("navigate", {"url": site.url("/form.html")}, profile=profile, overrides=overrides)
    else:
        wire.data("navigate", {"url": site.url("/form.html")}, profile=profile)
    endpoint = wire.data("session.list", {"others": False})["sessions"][-1]["wsEndpoint"]
    registry = list((warm.folder / "cache" / "ms-playwright" / "b").iterdir())
    data = [
        argument.partition("=")[2]
        for browser in warm.browsers()
        for argument in cmdline(browser)
        if argument.startswith("--user-data-dir=")
    ]
    descriptors = list(warm.sessions_folder(profile).iterdir())
    paths: list[str | Path] = [*registry, *data, *descriptors, warm.socket]
    paths += [] if launch_server else [endpoint]

    attempts = as_another_user(*paths, "/etc/passwd")

    wire.call("session.stop", profile=profile, overrides={"launchServer": launch_server})
    assert registry
    assert data
    assert descriptors
    assert attempts.pop("/etc/passwd") == "read"
    assert set(attempts.values()) <= {"PermissionError", "FileNotFoundError"}, attempts


def test_session_start_opens_the_port_of_its_profile_and_warns(
    warm: House, wire: Wire, profile: str
) -> None:
    started = wire.call("session.start", profile=profile)
    again = wire.call("session.start", profile=profile)
    port = warm.workspace.default_port(profile)

    assert started["data"]["cdpEndpoint"] == f"http://127.0.0.1:{port}"
    assert is_open(port)
    assert len(warnings(started)) == len(warnings(again)) == 1
    assert started["data"]["cdpEndpoint"] in warnings(started)[0]
    assert "cdp: false" in warnings(started)[0]


def test_session_start_without_cdp_opens_none(warm: House, wire: Wire, profile: str) -> None:
    started = wire.call("session.start", {"cdp": False}, profile=profile)

    assert started["ok"] is True
    assert warnings(started) == []
    assert "cdpEndpoint" not in started["data"]
    assert Path(started["data"]["wsEndpoint"]).is_socket()
    assert listening_ports(warm) == []


def test_session_start_of_a_browser_without_a_port_says_how_to_get_one(
    wire: Wire, site: TestSite, profile: str
) -> None:
    wire.data("navigate", {"url": site.url("/form.html")}, profile=profile)
    started = wire.call("session.start", profile=profile)

    assert "cdpEndpoint" not in started["data"]
    (note,) = started["diagnostics"]
    assert note["level"] == "warning"
    assert "session.stop" in note["message"]


def test_a_launched_session_has_a_port_that_cannot_be_predicted(
    warm: House, wire: Wire, profile: str
) -> None:
    launched = wire.ask("launch", profile=profile)
    (port,) = listening_ports(warm)

    assert launched["cdp_endpoint"] == f"http://127.0.0.1:{port}"
    assert port != warm.workspace.default_port(profile)
    assert len(warnings(launched)) == 1


def test_a_launch_without_cdp_opens_none(warm: House, wire: Wire, profile: str) -> None:
    launched = wire.ask("launch", profile=profile, cdp=False)

    assert launched["ok"] is True
    assert launched["cdp_endpoint"] is None
    assert listening_ports(warm) == []


@pytest.mark.parametrize("cdp", [True, False])
def test_a_profile_decides_for_its_browsers(
    warm: House, wire: Wire, site: TestSite, profile: str, cdp: bool
) -> None:
    config: dict[str, Any] = {"schema": 4, "defaults": {"cdp": cdp}}
    folder = warm.workspace.profiles_dir / profile
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    op, input = ("navigate", {"url": site.url("/form.html")}) if cdp else ("session.start", {})

    opened = wire.call(op, input, profile=profile)
    ports = listening_ports(warm)

    assert opened["ok"] is True
    assert len(ports) == len(warnings(opened)) == cdp
    assert warm.workspace.default_port(profile) not in ports


def test_the_port_of_a_request_is_used(warm: House, wire: Wire, profile: str) -> None:
    port = unused_port()
    started = wire.data("session.start", {"port": port}, profile=profile)

    assert started["cdpEndpoint"] == f"http://127.0.0.1:{port}"


def test_without_the_daemon_a_session_needs_its_port(house: House) -> None:
    house.without_daemon()
    refused = house("exec", "session.start", "--input", '{"cdp": false}')
    started = house("session", "start")
    house("session", "stop")

    assert refused.json["error"]["code"] == "UNSUPPORTED_MODE"
    assert "cdp: false" in refused.json["error"]["hint"]
    assert len(warnings(started.json)) == 1
    assert house.nothing_is_left()


def test_a_command_without_the_daemon_joins_its_browser_through_the_socket(
    warm: House, wire: Wire, site: TestSite, profile: str
) -> None:
    wire.data("navigate", {"url": site.url("/form.html")}, profile=profile)
    wire.data("page.eval", {"expression": "window.kept = 7"}, profile=profile)
    request = {
        "op": "page.eval",
        "input": {"expression": "window.kept"},
        "runtime": {"profile": profile, "overrides": {"useDaemon": False}},
    }
    joined = warm.batch(request)
    after = wire.data("page.eval", {"expression": "window.kept"}, profile=profile)

    assert joined.lines[0]["data"]["result"] == after["result"] == 7


def test_a_killed_driver_leaves_no_files(warm: House, wire: Wire, site: TestSite) -> None:
    wire.data("navigate", {"url": site.url("/form.html")}, profile="driver")
    driver = warm.session_processes("driver").driver
    kill(driver)
    # Its threads end one after the other; the daemon sees the end of the last.
    eventually(lambda: not psutil.pid_exists(driver.pid), "the driver has exited")

    after = wire.call("navigate", {"url": site.url("/form.html")}, profile="driver")
    temporary = [each.name for each in (warm.folder / "cache/pwtui").glob("*/*/playwright*")]
    registry = list((warm.folder / "cache" / "ms-playwright" / "b").iterdir())
    sockets = list((warm.folder / "cache/pwtui").rglob("*.sock"))
    wire.data("session.stop", profile="driver")

    assert after["ok"] is True, after["error"]
    assert len([each for each in after["diagnostics"] if "had exited" in each["message"]]) == 1
    assert len([name for name in temporary if "profile" in name]) == 1, temporary
    assert len([name for name in temporary if "artifacts" in name]) == 1, temporary
    assert len(registry) == len(sockets) == 1


def test_what_a_killed_driver_registered_is_found_by_doctor_and_removed_at_the_next_start(
    house: House, site: TestSite
) -> None:
    house.start_daemon()
    with house.wire() as wire:
        wire.data("navigate", {"url": site.url("/form.html")})
    registry = house.folder / "cache" / "ms-playwright" / "b"
    (entry,) = registry.iterdir()
    content = entry.read_bytes()
    house.stop_daemon()
    left = list(registry.iterdir())
    entry.write_bytes(content)
    findings = house("doctor", "--format", "json").json["findings"]
    house.start_daemon()

    assert left == []
    (found,) = [each for each in findings if each["what"] == "bound browsers"]
    assert found["fixable"] is True
    assert str(entry) in found["message"]
    assert list(registry.iterdir()) == []
