"""Only this user can connect; the kernel reports the user of each connection."""

from __future__ import annotations

import asyncio
import os
import socket

import pytest

from pwtui.client.connection import DaemonConnection
from pwtui.daemon.peer import peer_of
from pwtui.daemon.server import DaemonServer, listen
from tests.daemon.house import House
from tests.waiting import within


async def no_commands(*_: object) -> None:
    return None


def test_the_kernel_reports_user_and_process() -> None:
    one, other = socket.socketpair(socket.AF_UNIX)
    with one, other:
        peer = peer_of(one)

    assert (peer.uid, peer.pid) == (os.getuid(), os.getpid())
    assert peer.is_same_user


async def served(house: House, monkeypatch: pytest.MonkeyPatch, uid: int) -> tuple[bytes, int]:
    """The reply to a client of a user with this id, and the number of clients."""
    monkeypatch.setenv("PWTUI_RUNTIME_DIR", str(house.runtime_folder))
    listener = listen()
    server = DaemonServer(idle_seconds=0, run_command=no_commands)
    ready = asyncio.Event()
    serving = asyncio.create_task(server.serve(listener, ready.set))
    await within(ready.wait())
    monkeypatch.setattr(os, "getuid", lambda: uid)
    reader, writer = await asyncio.open_unix_connection(str(house.socket))
    writer.write(b'{"cmd": "status", "id": 1}\n')
    try:
        line = await asyncio.wait_for(reader.readline(), 10)
    except ConnectionError:
        line = b""
    clients = len(server.connections)
    writer.close()
    server.end()
    await serving
    return line, clients


async def test_another_user_is_refused(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    assert await served(house, monkeypatch, os.getuid() + 1) == (b"", 0)


async def test_the_same_user_is_accepted(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    line, clients = await served(house, monkeypatch, os.getuid())

    assert b'"ok": true' in line
    assert clients == 1


@pytest.mark.parametrize("mode", [0o777, 0o750, 0o705])
async def test_no_client_trusts_a_folder_that_others_can_use(
    house: House, monkeypatch: pytest.MonkeyPatch, mode: int
) -> None:
    monkeypatch.setenv("PWTUI_RUNTIME_DIR", str(house.runtime_folder))
    listener = listen()
    trusted = await DaemonConnection.connect()
    assert trusted is not None
    await trusted.close()
    house.runtime_folder.chmod(mode)

    with listener:
        assert await DaemonConnection.connect() is None
