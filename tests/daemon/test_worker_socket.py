"""A worker at its end of the socket to the daemon."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from pwtui.browser.launch.driver_process import Driver
from pwtui.daemon.line_protocol import LineStream
from pwtui.daemon.worker_link import sender_json
from pwtui.protocol.events import ConsoleEvent
from pwtui.runtime.caller import Caller
from pwtui.state.workspace import Workspace
from pwtui.worker.worker import MAX_UNSENT_BYTES, Worker
from tests.waiting import LIMIT

TEXT = "x" * 1000
PLACE = {"sessionKey": "0:p:chromium:headless", "workspace": "/w", "profile": "p"}


async def read_until(end: socket.socket, text: bytes) -> bytes:
    """All that comes, until the last line contains the text."""
    loop, received = asyncio.get_running_loop(), bytearray()
    async with asyncio.timeout(LIMIT):
        while text not in received[-100:]:
            received += await loop.sock_recv(end, 1 << 20)
    return bytes(received)


@asynccontextmanager
async def worker_at() -> AsyncIterator[tuple[socket.socket, Worker, LineStream]]:
    """The daemon's end of the socket, the worker, and the worker's end."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    ours.setblocking(False)
    loop = asyncio.get_running_loop()
    _, stream = await loop.create_unix_connection(LineStream, sock=theirs)
    worker = Worker(stream, None, asyncio.create_task(Driver.start()))
    ended = asyncio.create_task(worker.run())
    try:
        yield ours, worker, stream
    finally:
        await loop.sock_sendall(ours, b'{"do": "exit"}\n')
        await ended
        await stream.close()
        ours.close()


async def test_events_that_the_daemon_does_not_read_are_dropped_and_counted() -> None:
    loop = asyncio.get_running_loop()
    async with worker_at() as (ours, worker, stream):
        await loop.sock_sendall(
            ours, b'{"do": "observe", "kinds": ["console"], "sessions": {}, "frames": null}\n'
        )
        await loop.sock_sendall(ours, b'{"do": "ping"}\n')
        await read_until(ours, b"pong")
        observer = worker.pool.observers.new(PLACE)
        count = 3 * MAX_UNSENT_BYTES // len(TEXT)
        for _ in range(count):
            observer.publish(ConsoleEvent, type="log", text=TEXT, pageUrl="")
        unsent = stream.transport.get_write_buffer_size()
        await loop.sock_sendall(ours, b'{"do": "sync", "id": 1}\n')
        lines = (await read_until(ours, b"R1 ")).splitlines()

    (counts,) = [json.loads(each)["counts"] for each in lines if b'"dropped"' in each]
    ((kind, session_key, dropped),) = counts
    assert (kind, session_key) == ("console", PLACE["sessionKey"])
    assert MAX_UNSENT_BYTES < unsent < 1.1 * MAX_UNSENT_BYTES
    assert dropped + sum(each.startswith(b"Vconsole") for each in lines) == count


async def test_a_request_that_is_cancelled_at_once_is_answered(tmp_path: Path) -> None:
    sender = sender_json(Caller(workspace=Workspace(tmp_path), cwd=tmp_path))
    lines = b'Q1  %b\n{"op": "session.start"}\n{"do": "cancel", "id": 1}\n' % sender
    async with worker_at() as (ours, _, _):
        await asyncio.get_running_loop().sock_sendall(ours, lines)
        reply = await read_until(ours, b"R1 ")

    assert reply.endswith(b"R1 \n")
