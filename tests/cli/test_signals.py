"""Signals end a command and its browsers without an error message."""

from __future__ import annotations

import json
import signal
import subprocess
import time

import psutil
import pytest

from tests.cli.pw import Pw
from tests.site import TestSite
from tests.waiting import LIMIT, eventually


def browsers_of(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    return psutil.Process(process.pid).children(recursive=True)


def has_exited(process: subprocess.Popen[bytes]) -> bool:
    """Never true: a process that has exited fails the test."""
    assert process.poll() is None
    return False


def wait_until_the_page_hangs(site: TestSite, process: subprocess.Popen[bytes]) -> None:
    eventually(lambda: ("GET", "/hang") in site.requests or has_exited(process), "the page loads")


def wait_until_it_listens(process: subprocess.Popen[bytes]) -> None:
    """Wait until its event loop, which has sockets, handles signals."""
    eventually(
        lambda: psutil.Process(process.pid).net_connections("unix") or has_exited(process),
        "its event loop has started",
    )
    time.sleep(0.3)


def surviving(processes: list[psutil.Process]) -> list[psutil.Process]:
    _, alive = psutil.wait_procs(processes, timeout=10)
    return [each for each in alive if each.status() != psutil.STATUS_ZOMBIE]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_while_a_page_hangs_ends_the_command_and_its_browser(
    pw: Pw, site: TestSite, number: signal.Signals, code: int
) -> None:
    site.requests.clear()
    request = json.dumps({"op": "navigate", "input": {"url": site.url("/hang")}})
    arguments = ("batch",) if number == signal.SIGTERM else ("exec", "--file", "-")
    process = pw.without_daemon().start(*arguments)
    assert process.stdin
    process.stdin.write(request.encode() + b"\n")
    process.stdin.flush()
    if arguments != ("batch",):
        process.stdin.close()
        process.stdin = None
    wait_until_the_page_hangs(site, process)
    children = browsers_of(process)
    assert any("chrom" in " ".join(each.cmdline()).lower() for each in children)

    process.send_signal(number)
    out, err = process.communicate(timeout=60)

    assert process.returncode == code
    assert (out, err) == (b"", b"")
    assert surviving(children) == []


def test_a_second_signal_does_not_leave_the_browser_behind(pw: Pw, site: TestSite) -> None:
    site.requests.clear()
    request = json.dumps({"url": site.url("/hang")})
    process = pw.without_daemon().start("exec", "navigate", "--input", request)
    wait_until_the_page_hangs(site, process)
    children = browsers_of(process)

    process.send_signal(signal.SIGINT)
    time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)

    assert process.returncode == 130
    assert b"Traceback" not in err
    assert surviving(children) == []


def test_a_signal_while_the_browser_starts_leaves_nothing_behind(pw: Pw, site: TestSite) -> None:
    process = pw.without_daemon().start(
        "exec", "navigate", "--input", json.dumps({"url": site.url("/")})
    )
    eventually(lambda: browsers_of(process) or has_exited(process), "a child process")
    time.sleep(0.3)
    children = browsers_of(process)

    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=60)

    assert process.returncode == 143
    assert err == b""
    assert surviving(children) == []


@pytest.mark.parametrize(
    "arguments", [("batch",), ("exec", "profile.list", "--input", "-"), ("exec", "--file", "-")]
)
def test_a_signal_while_waiting_for_input_ends_the_command_at_once(
    pw: Pw, arguments: tuple[str, ...]
) -> None:
    process = pw.start(*arguments)
    wait_until_it_listens(process)

    process.send_signal(signal.SIGINT)
    try:
        process.wait(timeout=5)
    finally:
        process.kill()
        _, err = process.communicate(timeout=LIMIT)

    assert process.returncode == 130
    assert err == b""


def test_the_end_of_input_ends_the_browser_too(pw: Pw, site: TestSite) -> None:
    with pw.without_daemon().start("batch") as process:
        assert process.stdin
        assert process.stdout
        request = {"op": "navigate", "input": {"url": site.url("/form.html")}}
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["ok"] is True
        children = browsers_of(process)
        assert children
        out, err = process.communicate(timeout=60)

    assert (out, err, process.returncode) == (b"", b"", 0)
    assert surviving(children) == []
