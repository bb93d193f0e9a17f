"""The proxy in front of a Firefox that lacks a command: what it answers, and how it ends."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect

from pwtui.browser.launch.firefox import StockFirefox, behind_proxy
from tests.waiting import LIMIT, eventually

READY = b"WebDriver BiDi listening on "
Start = Callable[[], tuple[str, psutil.Process, psutil.Process]]


@pytest.fixture
def start(stock: StockFirefox, tmp_path: Path) -> Iterator[Start]:
    """Starts Firefox behind the proxy: the address, and both processes."""
    started: list[subprocess.Popen[bytes]] = []

    def begin() -> tuple[str, psutil.Process, psutil.Process]:
        options = ["--remote-debugging-port=0", "--headless", "--profile", str(tmp_path)]
        program = subprocess.Popen(
            [behind_proxy(stock.path), *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        started.append(program)
        assert program.stderr is not None
        line = next(each for each in program.stderr if each.startswith(READY))
        proxy = psutil.Process(program.pid)
        return line.removeprefix(READY).decode().strip(), proxy, proxy.children()[0]

    yield begin
    for program in started:
        program.terminate()
        program.wait(LIMIT)
        assert program.stderr is not None
        program.stderr.close()


def test_it_answers_what_firefox_does_not_know_and_ends_with_the_connection(start: Start) -> None:
    address, proxy, firefox = start()
    for wrong in ("/session", "/wrong/session"):
        with pytest.raises(InvalidStatus) as refused:
            _connect(address[: address.rindex("/")] + wrong)
        assert refused.value.response.status_code == 404

    with _connect(f"{address}/session") as connection:
        new = _ask(connection, "session.new", {"capabilities": {}})
        media = {"features": {"prefers-color-scheme": "dark"}}
        answers = [
            _ask(connection, "emulation.setMediaFeaturesOverride", media),
            _ask(connection, "emulation.setWeather", {}),
        ]

    assert new["result"]["capabilities"]["browserName"] == "firefox"
    assert [each["type"] for each in answers] == ["success", "error"]
    eventually(lambda: not _is_running(firefox) and not _is_running(proxy), "both exited")


def test_it_ends_when_firefox_is_killed(start: Start) -> None:
    _, proxy, firefox = start()

    firefox.kill()

    eventually(lambda: not _is_running(proxy), "the proxy exited")


def test_firefox_ends_when_the_proxy_is_killed(start: Start) -> None:
    _, proxy, firefox = start()

    proxy.kill()

    eventually(lambda: not _is_running(firefox), "Firefox exited")


def _connect(address: str) -> ClientConnection:
    return connect(address, proxy=None, max_size=None)


def _ask(connection: ClientConnection, method: str, params: dict[str, Any]) -> Any:
    connection.send(json.dumps({"id": 1, "method": method, "params": params}))
    while True:
        answer = json.loads(connection.recv(LIMIT))
        if answer.get("id") == 1:
            return answer


def _is_running(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
