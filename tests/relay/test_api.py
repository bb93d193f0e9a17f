"""The functions of pwtui.relay: the relay is started once, reused, and replaced if it is old."""

from __future__ import annotations

import asyncio
import os
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import pwtui
from pwtui.browser.launch.relay_endpoint import ask_relay, running_relays
from pwtui.relay import (
    ExtensionNotConnectedError,
    RelayServerError,
    RelayServerStartError,
    aio,
    connect_to_relay,
    ensure_persistent_relay,
    wait_for_extension,
)
from pwtui.relay.api import running_version, stop_relay, wants_separate_window
from tests.relay.rig import Rig, free_port
from tests.site import TestSite
from tests.waiting import LIMIT, eventually


@pytest.fixture
def port(state: Path) -> Iterator[int]:
    """A port with nothing on it yet, and nothing in the end."""
    chosen = free_port()
    yield chosen
    with suppress(RelayServerError):  # it may not have been a relay
        stop_relay(chosen)


def test_a_relay_is_started_once_and_runs_after_its_starter_has_ended(port: int) -> None:
    code = f"from pwtui.relay import *; print(ensure_persistent_relay(port={port}).started)"
    first = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=LIMIT
    )
    again = ensure_persistent_relay(port=port)
    (record,) = running_relays()
    mode = stat.S_IMODE((Path(os.environ["XDG_STATE_HOME"]) / "pwtui/relay/token").stat().st_mode)
    stopped = stop_relay(port)

    assert first.stdout == "True\n", first
    assert (again.started, again.version, again.port) == (False, pwtui.__version__, port)
    assert record.port == port
    assert mode == 0o600
    assert stopped
    assert running_version(port) is None
    assert list(running_relays()) == []


async def test_concurrent_starts_start_one_relay(port: int) -> None:
    found = await asyncio.gather(*(aio.ensure_persistent_relay(port=port) for _ in range(3)))

    assert [info.port for info in found] == [port] * 3
    assert running_version(port) == pwtui.__version__
    assert len(list(running_relays())) == 1


def test_an_older_relay_is_replaced_and_a_newer_one_used(port: int) -> None:
    old = start_version("0.0.9", port)
    replaced = ensure_persistent_relay(port=port)
    old.wait(10)
    stop_relay(port)
    new = start_version("99.0.0", port)
    used = ensure_persistent_relay(port=port)
    stop_relay(port)
    new.wait(10)

    assert (replaced.started, replaced.version) == (True, pwtui.__version__)
    assert (used.started, used.version) == (False, "99.0.0")


def start_version(version: str, port: int) -> subprocess.Popen[bytes]:
    code = (
        f"import pwtui; pwtui.__version__ = {version!r}\n"
        "from pwtui.relay.serve import run_relay\n"
        f"run_relay({port}, separate_window=False, to_terminal=False)"
    )
    process = subprocess.Popen([sys.executable, "-c", code])
    eventually(lambda: process.poll() is not None or running_version(port), "the relay answers")
    return process


def test_waiting_without_an_extension_fails_with_a_hint(port: int) -> None:
    ensure_persistent_relay(port=port)

    with pytest.raises(ExtensionNotConnectedError) as raised:
        wait_for_extension(port=port, timeout=100, poll_interval=20)
    with pytest.raises(ExtensionNotConnectedError):
        connect_to_relay(port=port, timeout=100)

    assert raised.value.port == port
    assert f"(port {port})" in str(raised.value)
    assert raised.value.message == "the extension is not connected"
    assert "click the pwtui button" in str(raised.value.hint)
    assert str(raised.value.hint) in str(raised.value)


def test_waiting_without_a_relay_fails_immediately(port: int) -> None:
    with pytest.raises(RelayServerError) as raised:
        wait_for_extension(port=port)

    assert "no relay responds" in str(raised.value)


def test_another_program_on_the_port_is_not_used_as_a_relay(port: int) -> None:
    with socket.create_server(("127.0.0.1", port)) as listener:
        threading.Thread(target=_answer_nonsense, args=(listener,), daemon=True).start()
        with pytest.raises(RelayServerError) as raised:
            ensure_persistent_relay(port=port)

    assert "another program listens" in str(raised.value)


def _answer_nonsense(listener: socket.socket) -> None:
    connection, _ = listener.accept()
    with connection:
        connection.recv(4096)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")


def test_the_error_of_a_relay_that_does_not_start_has_the_log(port: int) -> None:
    silent = socket.create_server(("127.0.0.1", port))

    with silent, pytest.raises(RelayServerStartError) as raised:
        ensure_persistent_relay(port=port)

    assert "relay.log" in str(raised.value)
    assert raised.value.port == port


@pytest.mark.parametrize(
    ("variable", "argument", "wanted"),
    [("1", None, True), ("", None, False), ("1", False, False), ("", True, True)],
)
def test_the_separate_window_is_the_option_else_the_variable(
    monkeypatch: pytest.MonkeyPatch, variable: str, argument: bool | None, wanted: bool
) -> None:
    monkeypatch.setenv("PWTUI_SEPARATE_WINDOW", variable)

    assert wants_separate_window(argument) is wanted


def test_the_window_mode_of_a_running_relay_is_changed_only_by_the_option(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PWTUI_SEPARATE_WINDOW", "1")
    modes = []
    for given in (None, False, None, True):
        ensure_persistent_relay(port=port, separate_window=given)
        modes.append(ask_relay(port, "/trace")["separateWindow"])

    assert modes == [True, False, False, True]


async def test_sync_and_async_programs_can_connect(rig: Rig, site: TestSite) -> None:
    await rig.open(site.url("/form.html"))
    script = (
        "from pwtui.relay import connect_to_relay\n"
        "for _ in range(2):\n"
        f"    browser = connect_to_relay(port={rig.port})\n"
        "    print(browser.contexts[0].pages[0].title())\n"
        "    browser.close()\n"
    )
    environment = os.environ | {"XDG_STATE_HOME": str(rig.state)}
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        env=environment,
    )
    browsers = [await aio.connect_to_relay(port=rig.port) for _ in range(2)]
    titles = [await browser.contexts[0].pages[0].title() for browser in browsers]
    for browser in browsers:
        await browser.close()

    assert (done.stdout, done.stderr) == ("Form\nForm\n", "")
    assert titles == ["Form", "Form"]
    assert len(await rig.pages()) == 1
