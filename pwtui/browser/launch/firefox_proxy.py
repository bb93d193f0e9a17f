"""Runs a Firefox behind a proxy that adds what Playwright requires and its BiDi lacks.

`python -m pwtui.browser.launch.firefox_proxy FIREFOX ARGUMENTS…` takes the place of Firefox: it
prints the address of the proxy as Firefox prints its own, and ends with it. Playwright sends
`emulation.setMediaFeaturesOverride` for every new page; a Firefox that does not know the command
gets it as all others do, and its error is replaced by a success.
"""

from __future__ import annotations

import asyncio
import ctypes
import json
import re
import secrets
import signal
import sys
from contextlib import suppress
from http import HTTPStatus
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

OPTIONAL = "emulation.setMediaFeaturesOverride"
UNKNOWN = "unknown command"
READY = re.compile(rb"WebDriver BiDi listening on (ws://\S+)")
# Playwright appends it to the address that Firefox prints.
SESSION = "/session"
END_SECONDS = 3.0
LONGEST_LINE = 1024 * 1024
PR_SET_PDEATHSIG = 1
# Messages hold pictures and whole pages; both ends are on this machine.
UNLIMITED: dict[str, Any] = {"max_size": None, "compression": None, "ping_interval": None}


class Proxy:
    """Passes messages between Playwright and one Firefox."""

    def __init__(self, firefox: str) -> None:
        self._firefox = firefox
        self._path = f"/{secrets.token_urlsafe(24)}"
        self._optional: set[int] = set()
        """The ids of optional commands without an answer."""
        self.ended = asyncio.Event()

    async def run(self) -> None:
        """Print the address, and serve until Playwright's connection ends."""
        listening = serve(
            self._pass_on, "127.0.0.1", 0, process_request=self._check_path, **UNLIMITED
        )
        async with listening as server:
            port = next(iter(server.sockets)).getsockname()[1]
            _log(f"WebDriver BiDi listening on ws://127.0.0.1:{port}{self._path}\n".encode())
            await self.ended.wait()

    def _check_path(self, connection: ServerConnection, request: Request) -> Response | None:
        if secrets.compare_digest(request.path.encode(), f"{self._path}{SESSION}".encode()):
            return None
        return connection.respond(HTTPStatus.NOT_FOUND, "")

    async def _pass_on(self, playwright: ServerConnection) -> None:
        with suppress(ConnectionClosed, OSError):
            async with connect(f"{self._firefox}{SESSION}", proxy=None, **UNLIMITED) as firefox:
                ways = {
                    asyncio.create_task(self._commands(playwright, firefox)),
                    asyncio.create_task(self._answers(firefox, playwright)),
                }
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
                for way in ways:
                    way.cancel()
                await asyncio.gather(*ways, return_exceptions=True)
        self.ended.set()

    async def _commands(self, playwright: ServerConnection, firefox: ClientConnection) -> None:
        async for message in playwright:
            if OPTIONAL in str(message):
                command = json.loads(message)
                if command.get("method") == OPTIONAL:
                    self._optional.add(command["id"])
            await firefox.send(message)

    async def _answers(self, firefox: ClientConnection, playwright: ServerConnection) -> None:
        async for message in firefox:
            await playwright.send(self._corrected(message) if self._optional else message)

    def _corrected(self, message: str | bytes) -> str | bytes:
        answer = json.loads(message)
        id = answer.get("id")
        if id in self._optional:
            self._optional.remove(id)
            if answer.get("error") == UNKNOWN:
                return json.dumps({"type": "success", "id": id, "result": {}})
        return message


async def main(command: list[str]) -> int:
    firefox = await asyncio.create_subprocess_exec(
        *command, stderr=asyncio.subprocess.PIPE, limit=LONGEST_LINE, preexec_fn=_end_with_parent
    )
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, firefox.terminate)
    assert firefox.stderr is not None
    tasks: list[asyncio.Task[None]] = []
    try:
        while line := await firefox.stderr.readline():
            if not tasks and (ready := READY.search(line)):
                proxy = asyncio.create_task(Proxy(ready[1].decode()).run())
                tasks = [proxy, asyncio.create_task(_end_after(proxy, firefox))]
            else:
                _log(line)
        code = await firefox.wait()
    finally:
        if firefox.returncode is None:  # the driver that reads the log has exited
            firefox.kill()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return code if code >= 0 else 128 - code


async def _end_after(proxy: asyncio.Task[None], firefox: asyncio.subprocess.Process) -> None:
    """Nothing else can drive this Firefox."""
    await asyncio.wait({proxy})
    with suppress(ProcessLookupError):
        firefox.terminate()
        with suppress(TimeoutError):
            async with asyncio.timeout(END_SECONDS):
                await firefox.wait()
        firefox.kill()


def _end_with_parent() -> None:
    """Let Firefox be killed when the proxy is killed; only Linux can do that."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _log(line: bytes) -> None:
    sys.stderr.buffer.write(line)
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1:])))
