"""Replays side by side: several recordings, browsers and endpoints at a time."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import urlopen
from xml.etree import ElementTree

import psutil
import pytest

from pwtui.browser.launch.find_browser import find_chromium
from pwtui.browser.launch.processes import kill_tree
from tests.daemon.house import House
from tests.operations.support import data_url
from tests.repl.gateway import TOKEN, gateway
from tests.waiting import eventually

Serve = Callable[[], tuple[str, int]]


@pytest.fixture
def serve(house: House) -> Iterator[Serve]:
    """Starts `playwright run-server`: its endpoint and its process."""
    started: list[int] = []

    def start() -> tuple[str, int]:
        server = house.spawn(sys.executable, "-m", "playwright", "run-server", "--unsafe")
        started.append(server.pid)
        assert server.stdout
        return server.stdout.readline().decode().split()[-1], server.pid

    yield start
    for pid in started:
        kill_tree(pid)


def recordings(house: House, count: int) -> None:
    shutil.rmtree(house.root / "flows", ignore_errors=True)
    (house.root / "flows").mkdir()
    for number in range(count):
        line = f"goto {json.dumps(data_url(f'Number {number}'))}\nverify-text 'Number {number}'\n"
        (house.root / "flows" / f"{number:02}.pw").write_text(line)


def header() -> str:
    """Playwright's own browsers may not be installed."""
    sandbox = ["--no-sandbox"] * (os.geteuid() == 0)
    options = {"executablePath": str(find_chromium(headless=True)), "args": sandbox}
    return f"x-playwright-launch-options: {json.dumps(options)}"


def suites(path: Path) -> list[str]:
    return [each.get("name", "") for each in ElementTree.parse(path).getroot().iter("testsuite")]


@pytest.mark.parametrize(
    ("servers", "count"), [(2, 4), pytest.param(3, 60, marks=pytest.mark.thorough)]
)
def test_recordings_of_a_server_that_was_killed_run_on_the_others(
    house: House, serve: Serve, servers: int, count: int
) -> None:
    recordings(house, count)
    running = [serve() for _ in range(servers)]
    (house.root / "servers.txt").write_text("\n".join(endpoint for endpoint, _ in running))
    options = ("--on", "servers.txt", "--header", header(), "--report", "all.xml")

    replay = house.start("replay", "flows", *options)
    victim = running[0][1]
    eventually(lambda: psutil.Process(victim).children(recursive=True), "it runs a browser")
    kill_tree(victim)
    out, err = replay.communicate(timeout=170)

    assert replay.returncode == 0, (out, err)
    assert f"{count} passed, 0 failed".encode() in out
    assert running[0][0].encode() in err
    assert sorted(suites(house.root / "all.xml")) == [f"flows/{n:02}.pw" for n in range(count)]


def test_browsers_behind_a_gateway_are_used_with_headers(house: House, serve: Serve) -> None:
    """A Grid returns a session's CDP address; other services speak Playwright's protocol."""
    recordings(house, 2)
    server, _ = serve()
    session = house("exec", "session.start", "port:=0", "--profile", "grid").json["data"]
    port = urlsplit(session["cdpEndpoint"]).port
    with urlopen(f"http://127.0.0.1:{port}/json/version") as answer:
        browser = json.load(answer)["webSocketDebuggerUrl"]

    with gateway({"/session/1/se/cdp": browser, "/playwright": server}) as address:
        headers = json.dumps({"Authorization": TOKEN})
        (house.root / "grid.txt").write_text(f"# a Grid\n{address}/session/1/se/cdp {headers}\n")
        hosted = (f"endpoint={address}/playwright", f"headers:={headers}", "--profile", "hosted")
        house("exec", "connect", *hosted)
        done = house("replay", "flows", "--on", "grid.txt,hosted", "--header", header())
        without = house("replay", "flows/00.pw", "--on", f"{address}/playwright")
        for profile in ("hosted", "grid"):  # the gateway ends after its connections
            house("session", "stop", "--profile", profile)

    assert "2 passed, 0 failed" in done.out, done.out
    assert "HTTP 401" in without.out


def test_without_any_endpoint_left_recordings_fail(house: House) -> None:
    recordings(house, 2)

    done = house("replay", "flows", "--on", "ws://127.0.0.1:9/", "--json")

    assert done.code == 1
    problems = [each["problem"] for each in done.json["files"]]
    assert problems == ["no endpoint is left: all were lost"] * 2


def test_two_at_a_time_are_reported_in_order(house: House) -> None:
    recordings(house, 3)

    done = house("replay", "flows", "-j", "2", "--report", "a.xml")

    assert "3 passed, 0 failed" in done.out
    assert suites(house.root / "a.xml") == [f"flows/0{number}.pw" for number in range(3)]


def test_ctrl_c_stops_all_workers_and_their_browsers(house: House) -> None:
    (house.root / "long").mkdir()
    for number in range(3):
        (house.root / "long" / f"{number}.pw").write_text("goto about:blank\nwait 60000\n")
    process = house.start("replay", "long", "-j", "2", "--report", "long.xml")
    eventually(lambda: len(house.browsers()) == 2, "two browsers run")

    psutil.Process(process.pid).send_signal(signal.SIGINT)
    process.communicate(timeout=60)

    assert process.returncode == 130
    eventually(lambda: not house.browsers(), "both are closed")
    assert len(suites(house.root / "long.xml")) == 3


def test_wrong_places_are_reported_before_anything_runs(house: House) -> None:
    recordings(house, 1)

    for wrong, message in {
        ("--on", "nosuch"): "neither an endpoint, nor a file, nor a profile",
        ("--header", "a: b"): "--header is for endpoints",
        ("--step", "-j", "2"): "--step is for one recording at a time",
        ("--browser", "chromium,safari"): "'safari' is not a browser",
        ("-j", "0"): "'0' is not a number from 1",
    }.items():
        done = house("replay", "flows", *wrong)
        assert done.code == 2
        assert message in done.err


def test_reports_are_merged_and_later_suites_replace_earlier_ones(house: House) -> None:
    suite = (
        '<testsuites name="pw replay">'
        '<testsuite name="{}" tests="2" failures="{}" time="1.5"/></testsuites>'
    )
    for file, name, failures in (("1", "a", 1), ("2", "b", 0), ("3", "a", 0)):
        (house.root / f"{file}.xml").write_text(suite.format(name, failures))
    case = '<testcase classname="{}" name="{}" time="1">{}</testcase>'
    for file, *cases in (
        ("4", case.format("a", "x", "<failure/>"), case.format("a", "y", "")),
        ("5", case.format("a", "x", ""), case.format("b", "x", "<skipped/>")),
    ):
        inner = f'<testsuite name="pytest" tests="2" failures="1">{"".join(cases)}</testsuite>'
        (house.root / f"{file}.xml").write_text(
            f'<testsuites name="pytest tests">{inner}</testsuites>'
        )
    (house.root / "not.xml").write_text("<html/>")

    merged = house("report", "merge", "1.xml", "2.xml", "3.xml", "-o", "all.xml")
    of_pytest = house("report", "merge", "4.xml", "5.xml")
    wrong = house("report", "merge", "not.xml")

    assert merged.code == 0
    root = ElementTree.parse(house.root / "all.xml").getroot()
    assert suites(house.root / "all.xml") == ["a", "b"]
    assert (root.get("tests"), root.get("failures"), root.get("time")) == ("4", "0", "3.000")
    (merged_suite,) = ElementTree.fromstring(of_pytest.out.encode()).iter("testsuite")
    counts = [merged_suite.get(name) for name in ("tests", "failures", "skipped", "time")]
    assert counts == ["3", "0", "1", "3.000"]
    assert (wrong.code, "its element is <html>" in wrong.err) == (1, True)
