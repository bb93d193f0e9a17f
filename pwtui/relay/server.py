"""The relay's server: HTTP and both kinds of WebSocket on one port of this machine."""

from __future__ import annotations

import asyncio
import hmac
import os
import secrets
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, cast, get_args

from aiohttp import WSMsgType, web

from pwtui import __version__
from pwtui.relay.access import Guard, Refused
from pwtui.relay.client import Client
from pwtui.relay.commands import Commands
from pwtui.relay.extension_connection import CdpError, Extension, ExtensionInfo
from pwtui.relay.frames import BadFrame
from pwtui.relay.hub import Hub, NoExtension
from pwtui.relay.options import CookieScope
from pwtui.relay.send_queue import Outbox
from pwtui.relay.targets import Target
from pwtui.relay.trace import Trace
from pwtui.state.relay_records import pairing_secret, proof, relay_token

HOST = "127.0.0.1"
MAX_MESSAGE_BYTES = 128 * 1024 * 1024
MAX_BODY_BYTES = 64 * 1024
PING_SECONDS = 10.0
# So many pings without any sign of life, and the extension is taken for gone.
MISSED_PINGS = 3
CLOSE_SECONDS = 1.0
INFO_SECONDS = 1.0

PAIR_SECONDS = 5.0

INVALID_PAYLOAD = 1007
TOKEN_REPLACED = 4003
UNPAIRED = 4401

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class RelayServer:
    """Routes, and the two read loops."""

    def __init__(
        self,
        token: Callable[[], str] = relay_token,
        pairing: Callable[[], str] = pairing_secret,
        *,
        separate_window: bool = False,
        max_message_bytes: int = MAX_MESSAGE_BYTES,
        ping_seconds: float = PING_SECONDS,
    ) -> None:
        self.trace = Trace()
        self.hub = Hub(self.trace, separate_window=separate_window)
        self.ended = asyncio.Event()
        self._commands = Commands(self.hub)
        self._token = token
        self._pairing = pairing
        self._guard = Guard(token)
        self._port = 0
        self._max_message_bytes = max_message_bytes
        self._ping_seconds = ping_seconds
        self._started_at = time.time()
        self._sockets: set[web.WebSocketResponse] = set()
        self._runner: web.AppRunner | None = None

    async def start(self, port: int) -> int:
        """Listen; the port that was bound, which differs from the one asked for only if that is 0.

        Raises OSError when the port is taken.
        """
        app = web.Application(middlewares=[self._check], client_max_size=MAX_BODY_BYTES)
        app.add_routes(
            [
                web.get("/", self._ok),
                web.get("/version", self._version),
                web.get("/extension-status", self._status),
                web.get("/trace", self._show_trace),
                web.get("/extension", self._extension),
                web.get("/cdp", self._client),
                web.get("/cdp/{client}", self._client),
                web.post("/open", self._open),
                web.post("/ticket", self._ticket),
                web.post("/disconnect", self._disconnect),
                web.post("/window-mode", self._window_mode),
                web.post("/shutdown", self._shutdown),
            ]
        )
        for slash in ("", "/"):
            for method in ("GET", "PUT"):
                app.router.add_route(method, f"/json/version{slash}", self._json_version)
                app.router.add_route(method, f"/json/list{slash}", self._json_list)
                app.router.add_route(method, f"/json{slash}", self._json_list)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=CLOSE_SECONDS)
        await self._runner.setup()
        site = web.TCPSite(self._runner, HOST, port)
        try:
            await site.start()
        except OSError:
            await self._runner.cleanup()
            raise
        self._port = int(self._runner.addresses[0][1])
        return self._port

    async def stop(self) -> None:
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                closing = (s.close(code=1001, message=b"Server stopped") for s in self._sockets)
                await asyncio.gather(*closing, return_exceptions=True)
        if self._runner is not None:
            await self._runner.cleanup()

    @web.middleware
    async def _check(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            self._guard.check_all(request)
            return await handler(request)
        except Refused as refused:
            if request.path.startswith("/cdp"):
                self.trace.refused(request.match_info.get("client", "unnamed"), refused.reason)
            return web.json_response({"error": refused.reason}, status=refused.status)
        except CdpError as error:
            return web.json_response({"error": error.message}, status=502)

    # HTTP

    async def _ok(self, request: web.Request) -> web.Response:
        return web.Response(text="OK")

    async def _version(self, request: web.Request) -> web.Response:
        """The version, and the proof that this relay knows the token, to whoever asks for one."""
        answer = {"version": __version__}
        if challenge := request.query.get("challenge"):
            answer["proof"] = proof(self._token(), "relay", self._port, challenge)
        return web.json_response(answer)

    async def _status(self, request: web.Request) -> web.Response:
        """Without the token pages are only counted: URLs and titles are private."""
        pages = [page for each in await self._extensions() for page in each["pages"]]
        if not self._guard.shows_token(request):
            pages = [{"targetId": page["targetId"]} for page in pages]
        connected = bool(self.hub.extensions)
        return web.json_response({"connected": connected, "pageCount": len(pages), "pages": pages})

    async def _show_trace(self, request: web.Request) -> web.Response:
        self._guard.check_token(request)
        extensions = await self._extensions()
        return web.json_response(
            {
                "version": __version__,
                "pid": os.getpid(),
                "startedAt": self._started_at,
                "separateWindow": self.hub.separate_window,
                "extensions": extensions,
                **self.trace.to_wire(list(self.hub.clients.values())),
            }
        )

    async def _json_version(self, request: web.Request) -> web.Response:
        extension = next(iter(self.hub.extensions.values()), None)
        return web.json_response(
            {
                "Browser": f"pwtui-relay/{__version__}",
                "Protocol-Version": "1.3",
                "User-Agent": extension.info.agent if extension else "",
                "webSocketDebuggerUrl": self._cdp_url(request),
            }
        )

    async def _json_list(self, request: web.Request) -> web.Response:
        self._guard.check_token(request)
        url = self._cdp_url(request)
        pages = [page for each in await self._extensions() for page in each["pages"]]
        return web.json_response(
            [
                {
                    "id": page["targetId"],
                    "type": "page",
                    "title": page["title"],
                    "description": page["title"],
                    "url": page["url"],
                    "webSocketDebuggerUrl": url,
                }
                for page in pages
            ]
        )

    def _cdp_url(self, request: web.Request) -> str:
        """What was asked with the token is answered with it; it is not sent to others."""
        query = f"?{request.query_string}" if request.query_string else ""
        return f"ws://{request.headers.get('Host', HOST)}/cdp{query}"

    async def _open(self, request: web.Request) -> web.Response:
        """Open a tab that clients may use, or let them use the one in front."""
        body = await self._body(request)
        extension = self._choose(body.get("extension"))
        if body.get("url"):
            answer = await extension.request("openTab", {"url": str(body["url"])})
        else:
            answer = await extension.request("attachActiveTab")
        return web.json_response(answer)

    async def _ticket(self, request: web.Request) -> web.Response:
        await self._body(request)
        return web.json_response({"ticket": self._guard.issue_ticket()})

    async def _disconnect(self, request: web.Request) -> web.Response:
        """End all clients: the token was replaced."""
        await self._body(request)
        clients = list(self.hub.clients.values())
        for client in clients:
            client.close(TOKEN_REPLACED, "The token was replaced")
        return web.json_response({"clients": len(clients)})

    async def _window_mode(self, request: web.Request) -> web.Response:
        body = await self._body(request)
        if not isinstance(body.get("separateWindow"), bool):
            raise Refused(400, "separateWindow must be true or false")
        await self.hub.set_window_mode(separate=body["separateWindow"])
        return web.json_response({"separateWindow": self.hub.separate_window})

    async def _shutdown(self, request: web.Request) -> web.Response:
        await self._body(request)
        self.ended.set()
        return web.json_response({"pid": os.getpid()})

    async def _body(self, request: web.Request) -> dict[str, Any]:
        """The JSON of a request that changes something."""
        self._guard.check_token(request)
        if request.content_type != "application/json":
            raise Refused(415, "the body must be application/json")
        try:
            body = await request.json()
        except ValueError:
            raise Refused(400, "the body is not JSON") from None
        if not isinstance(body, dict):
            raise Refused(400, "the body must be an object")
        return body

    def _choose(self, wanted: str | None) -> Extension:
        try:
            return self.hub.choose(wanted)
        except NoExtension as error:
            raise Refused(503, str(error)) from None

    async def _extensions(self) -> list[dict[str, Any]]:
        return list(
            await asyncio.gather(*(_describe(each) for each in self.hub.extensions.values()))
        )

    # WebSockets

    async def _socket(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(
            compress=False, max_msg_size=self._max_message_bytes, timeout=CLOSE_SECONDS
        )
        if not socket.can_prepare(request).ok:
            raise Refused(426, "this path is a WebSocket")
        await socket.prepare(request)
        self._sockets.add(socket)
        return socket

    async def _extension(self, request: web.Request) -> web.WebSocketResponse:
        self._guard.check_extension(request)
        query = request.query
        info = ExtensionInfo(
            install=query.get("install") or secrets.token_hex(8),
            browser=query.get("browser", "Chromium"),
            agent=query.get("agent", ""),
            version=query.get("version", ""),
        )
        socket = await self._socket(request)
        if not await self._paired(socket, query.get("challenge", "")):
            self.trace.extension_refused(info)
            await socket.close(code=UNPAIRED, message=b"Not paired: see `pw relay extension`")
            self._sockets.discard(socket)
            return socket
        self.trace.extension_accepted(info)
        outbox = Outbox(socket, request.transport)
        extension = Extension(info, outbox, self.hub.on_event)
        self.hub.add_extension(extension)
        beat = asyncio.create_task(self._beat(extension))
        try:
            async for message in socket:
                if message.type == WSMsgType.TEXT:
                    extension.take(message.data)
        except (BadFrame, KeyError, TypeError, ValueError) as error:
            self.trace.note("warning", f"extension {extension.id} sent what is no frame: {error!r}")
            outbox.close(INVALID_PAYLOAD, "not a frame")
        finally:
            beat.cancel()
            self.hub.remove_extension(extension)
            await outbox.closed()
            self._sockets.discard(socket)
        return socket

    async def _paired(self, socket: web.WebSocketResponse, theirs: str) -> bool:
        """Whether the extension knows the pairing secret; the relay proves first that it does."""
        ours = secrets.token_hex(16)
        secret, parts = self._pairing(), (self._port, theirs, ours)
        with suppress(OSError, TimeoutError, TypeError, ValueError, KeyError):
            async with asyncio.timeout(PAIR_SECONDS):
                first = {"challenge": ours, "proof": proof(secret, "relay", *parts)}
                await socket.send_json({**first, "maxBytes": self._max_message_bytes})
                given = str((await socket.receive_json())["proof"])
            expected = proof(secret, "extension", *parts)
            return hmac.compare_digest(given.encode("utf-8", "replace"), expected.encode())
        return False

    async def _beat(self, extension: Extension) -> None:
        while True:
            await asyncio.sleep(self._ping_seconds)
            if time.monotonic() - extension.last_seen > MISSED_PINGS * self._ping_seconds:
                self.trace.note("warning", f"extension {extension.id} does not answer")
                extension.close(1001, "no answer")
            extension.ping()

    async def _client(self, request: web.Request) -> web.WebSocketResponse:
        # Refused before it is a WebSocket: Playwright can miss the end of one that just began.
        self._guard.check_client(request)
        id = request.match_info.get("client") or secrets.token_hex(4)
        if id in self.hub.clients:
            raise Refused(409, f"Conflict: a client named {id} is connected already")
        extension = self._choose(request.query.get("extension"))
        scope = _cookie_scope(request.query.get("cookies", "page"))
        socket = await self._socket(request)
        outbox = Outbox(socket, request.transport)
        agent = request.headers.get("User-Agent", "")
        client = Client(id, extension, outbox, agent=agent, cookies=scope)
        self.hub.add_client(client)
        try:
            async for message in socket:
                if message.type == WSMsgType.TEXT:
                    self._commands.take(client, message.data)
                elif message.type == WSMsgType.ERROR:
                    self.trace.note("warning", f"client {id} is disconnected: {message.data}")
        finally:
            self.hub.remove_client(client)
            await outbox.closed()
            self._sockets.discard(socket)
        return socket


def _cookie_scope(text: str) -> CookieScope:
    for scope in get_args(CookieScope):
        if text == scope:
            return cast("CookieScope", scope)
    raise Refused(400, f"cookies must be page or browser, not {text!r}")


async def _describe(extension: Extension) -> dict[str, Any]:
    """An extension and its pages as they are now."""
    pages = await asyncio.gather(*(_page(extension, tab) for tab in extension.tabs))
    return {
        "id": extension.id,
        "browser": extension.info.browser,
        "version": extension.info.version,
        "connectedAt": extension.connected_at,
        "pages": list(pages),
    }


async def _page(extension: Extension, tab: Target) -> dict[str, Any]:
    # Without a listener to the page's events what is known may be old: ask.
    with suppress(CdpError, TimeoutError):
        async with asyncio.timeout(INFO_SECONDS):
            answer = await extension.command(tab.session, "Target.getTargetInfo")
            tab.info.update(answer["targetInfo"])
    return {
        "targetId": tab.id,
        "url": tab.url,
        "title": tab.info.get("title", ""),
        "crashed": tab.crashed,
        "clients": sorted({each.client.id for each in tab.subscriptions}),
    }
