"""`pwtui --serve`: the panel in a web browser on this machine.

The panel can do what its user can, so the server keeps out other machines, other users of this
machine, and pages that are open in the user's browser. It listens on the loopback interface only;
every path begins with a secret; requests for another host (DNS rebinding) or from another origin
are refused.
"""

from __future__ import annotations

import asyncio
import hmac
import os
import secrets
import shlex
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any

import psutil
from aiohttp import web
from textual_serve.server import Server

from pwtui.cli.exit_with_server import SERVER_VARIABLE

LOOPBACK = "127.0.0.1"
END_SECONDS = 10.0
_KINDS_OF_END = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def serve_panel(arguments: Sequence[str], port: int) -> int:
    """Serve the panel, started with these arguments, until interrupted."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, port))
    except OSError as error:
        sys.stderr.write(f"pwtui: port {port}: {error.strerror}\n")
        return 1
    os.environ[SERVER_VARIABLE] = str(os.getpid())
    # -P: do not import modules from the current folder, which may be another user's.
    panel = [sys.executable, "-P", "-m", "pwtui.cli.panel", *arguments]
    asyncio.run(_serve(PanelServer(panel, listener.getsockname()[1]), listener))
    return 0


async def _serve(server: PanelServer, listener: socket.socket) -> None:
    ended = asyncio.Event()
    for kind in _KINDS_OF_END:
        asyncio.get_running_loop().add_signal_handler(kind, ended.set)
    runner = web.AppRunner(await server.guarded(), access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        await web.SockSite(runner, listener).start()
        sys.stderr.write(f"{server.url}\nKeep this address private. Press Ctrl+C to stop.\n")
        sys.stderr.flush()
        await ended.wait()
    finally:
        await runner.cleanup()


class PanelServer(Server):
    """textual-serve below a secret path; stops its panels when it stops."""

    def __init__(self, command: Sequence[str], port: int) -> None:
        # exec: textual-serve starts a shell, which would stay as the parent of the panel.
        super().__init__(f"exec {shlex.join(command)}", host=LOOPBACK, port=port, title="pwtui")
        self._secret = secrets.token_urlsafe(32)
        self._served: set[asyncio.Task[Any]] = set()

    @property
    def url(self) -> str:
        return f"{self.public_url}/{self._secret}/"

    async def guarded(self) -> web.Application:
        """The application, with that of textual-serve below the secret."""
        app = web.Application(middlewares=[self._guard])
        app.add_subapp(f"/{self._secret}", await self._make_app())
        return app

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        hosts = {f"{LOOPBACK}:{self.port}", f"localhost:{self.port}"}
        origins = {f"http://{host}" for host in hosts}
        secret = request.path.split("/")[1]
        if (
            request.host not in hosts
            or request.headers.get("Origin") not in {None, *origins}
            or not hmac.compare_digest(secret.encode(), self._secret.encode())
        ):
            raise web.HTTPForbidden(text="Open the address that pwtui printed.\n")
        response = await handler(request)
        if not response.prepared:
            response.headers.update(self._headers())
        return response

    def _headers(self) -> dict[str, str]:
        """Load nothing from other sites, and send no referrer with the secret."""
        own = f"{self.public_url} {self.public_url.replace('http', 'ws', 1)}"
        policy = f"default-src {own} data: 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'"
        return {
            "Content-Security-Policy": policy,
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "no-store",
        }

    # -- Called by textual-serve ----------------------------------------------------------------

    async def on_startup(self, app: web.Application) -> None:
        """Print no logo."""

    async def on_shutdown(self, app: web.Application) -> None:
        """Ask the panels to exit, then kill them."""
        for task in self._served:
            task.cancel()
        if self._served:
            await asyncio.wait(self._served, timeout=END_SECONDS)
        for child in psutil.Process().children():
            with suppress(psutil.Error):
                child.kill()

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """Run one panel while a browser shows it."""
        task = asyncio.current_task()
        assert task is not None
        self._served.add(task)
        task.add_done_callback(self._served.discard)
        return await super().handle_websocket(request)
