"""The server of the relay: HTTP, and WebSockets for clients and extensions, on one local port."""

from __future__ import annotations

import asyncio
import hmac
import os
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, cast, get_args

from aiohttp import WSMsgType, web

from pwtui import __version__
from pwtui.relay.access import AccessCheck, Refused
from pwtui.relay.client import CookieScope, RelayClient
from pwtui.relay.commands import CommandHandler
from pwtui.relay.extension_connection import CdpError, ExtensionConnection, ExtensionInfo
from pwtui.relay.hub import Hub
from pwtui.relay.send_queue import SendQueue
from pwtui.relay.targets import RelayTarget
from pwtui.relay.trace import Trace
from pwtui.state.relay_records import pairing_secret, proof, relay_token

HOST = "127.0.0.1"
MAX_MESSAGE_BYTES = 128 * 1024 * 1024
MAX_BODY_BYTES = 64 * 1024
PING_SECONDS = 10.0
# The extension is disconnected after this many pings without a message from it.
MISSED_PINGS = 3
CLOSE_SECONDS = 1.0
INFO_SECONDS = 1.0
PAIR_SECONDS = 5.0

INVALID_PAYLOAD = 1007
TOKEN_REPLACED = 4003
UNPAIRED = 4401

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Json = dict[str, Any]


class RelayServer:
    """The routes, and the read loops of clients and extensions."""

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
        self._commands = CommandHandler(self.hub)
        self._token = token
        self._pairing = pairing
        self._access = AccessCheck(token)
        self._port = 0
        self._max_message_bytes = max_message_bytes
        self._ping_seconds = ping_seconds
        self._started_at = time.time()
        self._sockets: set[web.WebSocketResponse] = set()
        self._runner: web.AppRunner | None = None

    async def start(self, port: int) -> int:
        """Listen on the port (0: any free port); returns it. Raises OSError if it is in use."""
        app = web.Application(middlewares=[self._check], client_max_size=MAX_BODY_BYTES)
        app.add_routes(
            [
                web.get("/", self._ok),
                web.get("/version", _json(self._version)),
                web.get("/extension-status", _json(self._status)),
                web.get("/trace", _json(self._show_trace)),
                web.get("/extension", self._extension),
                web.get("/cdp", self._client),
                web.get("/cdp/{client}", self._client),
                web.post("/open", self._change(self._open)),
                web.post("/ticket", self._change(self._ticket)),
                web.post("/disconnect", self._change(self._disconnect)),
                web.post("/window-mode", self._change(self._window_mode)),
                web.post("/shutdown", self._change(self._shutdown)),
            ]
        )
        for method in ("GET", "PUT"):
            for slash in ("", "/"):
                app.router.add_route(method, f"/json/version{slash}", _json(self._json_version))
                app.router.add_route(method, f"/json/list{slash}", _json(self._json_list))
                app.router.add_route(method, f"/json{slash}", _json(self._json_list))
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=CLOSE_SECONDS)
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, HOST, port).start()
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
            self._access.check_all(request)
            return await handler(request)
        except Refused as refused:
            if request.path.startswith("/cdp"):
                self.trace.refused(request.match_info.get("client", "unnamed"), refused.reason)
            return web.json_response({"error": refused.reason}, status=refused.status)
        except CdpError as error:
            return web.json_response({"error": error.message}, status=502)

    # Requests that read

    async def _ok(self, request: web.Request) -> web.Response:
        return web.Response(text="OK")

    async def _version(self, request: web.Request) -> Json:
        """The version and, for a challenge, the proof that this relay has the token."""
        answer = {"version": __version__}
        if challenge := request.query.get("challenge"):
            answer["proof"] = proof(self._token(), "relay", self._port, challenge)
        return answer

    async def _status(self, request: web.Request) -> Json:
        """The attached pages; without the token only their ids, as URLs and titles are private."""
        pages = await self._pages()
        if not self._access.shows_token(request):
            pages = [{"targetId": page["targetId"]} for page in pages]
        connected = bool(self.hub.extensions)
        return {"connected": connected, "pageCount": len(pages), "pages": pages}

    async def _show_trace(self, request: web.Request) -> Json:
        self._access.check_token(request)
        return {
            "version": __version__,
            "pid": os.getpid(),
            "startedAt": self._started_at,
            "separateWindow": self.hub.separate_window,
            "extensions": await self._extensions(),
            **self.trace.to_wire(list(self.hub.clients.values())),
        }

    async def _json_version(self, request: web.Request) -> Json:
        extension = next(iter(self.hub.extensions.values()), None)
        return {
            "Browser": f"pwtui-relay/{__version__}",
            "Protocol-Version": "1.3",
            "User-Agent": extension.info.agent if extension else "",
            "webSocketDebuggerUrl": _cdp_url(request),
        }

    async def _json_list(self, request: web.Request) -> list[Json]:
        self._access.check_token(request)
        return [
            {
                "id": page["targetId"],
                "type": "page",
                "title": page["title"],
                "description": page["title"],
                "url": page["url"],
                "webSocketDebuggerUrl": _cdp_url(request),
            }
            for page in await self._pages()
        ]

    async def _extensions(self) -> list[Json]:
        return list(await asyncio.gather(*map(_describe, self.hub.extensions.values())))

    async def _pages(self) -> list[Json]:
        return [page for extension in await self._extensions() for page in extension["pages"]]

    # Requests that change something

    def _change(self, handler: Callable[[Json], Awaitable[Json]]) -> Handler:
        """Check the token and call the handler with the JSON body."""

        async def respond(request: web.Request) -> web.Response:
            self._access.check_token(request)
            if request.content_type != "application/json":
                raise Refused(415, "the body must be application/json")
            try:
                body = await request.json()
            except ValueError:
                raise Refused(400, "the body is not JSON") from None
            if not isinstance(body, dict):
                raise Refused(400, "the body must be an object")
            return web.json_response(await handler(body))

        return respond

    async def _open(self, body: Json) -> Json:
        """Open a tab for clients, or attach the active one."""
        extension = self.hub.choose(body.get("extension"))
        if body.get("url"):
            return await extension.request("openTab", {"url": str(body["url"])})
        return await extension.request("attachActiveTab")

    async def _ticket(self, body: Json) -> Json:
        return {"ticket": self._access.issue_ticket()}

    async def _disconnect(self, body: Json) -> Json:
        """Disconnect all clients after the token was replaced."""
        clients = list(self.hub.clients.values())
        for client in clients:
            client.close(TOKEN_REPLACED, "The token was replaced")
        return {"clients": len(clients)}

    async def _window_mode(self, body: Json) -> Json:
        if not isinstance(body.get("separateWindow"), bool):
            raise Refused(400, "separateWindow must be true or false")
        await self.hub.set_window_mode(separate=body["separateWindow"])
        return {"separateWindow": self.hub.separate_window}

    async def _shutdown(self, body: Json) -> Json:
        self.ended.set()
        return {"pid": os.getpid()}

    # WebSockets

    @asynccontextmanager
    async def _socket(self, request: web.Request) -> AsyncIterator[web.WebSocketResponse]:
        socket = web.WebSocketResponse(
            compress=False, max_msg_size=self._max_message_bytes, timeout=CLOSE_SECONDS
        )
        if not socket.can_prepare(request).ok:
            raise Refused(426, "this path is a WebSocket")
        await socket.prepare(request)
        self._sockets.add(socket)
        try:
            yield socket
        finally:
            self._sockets.discard(socket)

    async def _extension(self, request: web.Request) -> web.WebSocketResponse:
        self._access.check_extension(request)
        query = request.query
        info = ExtensionInfo(
            install=query.get("install") or secrets.token_hex(8),
            browser=query.get("browser", "Chromium"),
            agent=query.get("agent", ""),
            version=query.get("version", ""),
        )
        async with self._socket(request) as socket:
            if not await self._is_paired(socket, query.get("challenge", "")):
                self.trace.extension_refused(info)
                await socket.close(code=UNPAIRED, message=b"Not paired: see `pw relay extension`")
                return socket
            self.trace.extension_accepted(info)
            queue = SendQueue(socket, request.transport)
            extension = ExtensionConnection(info, queue, self.hub.on_event)
            self.hub.add_extension(extension)
            pinging = asyncio.create_task(self._ping(extension))
            try:
                async for message in socket:
                    if message.type == WSMsgType.TEXT:
                        extension.receive(message.data)
            except (KeyError, TypeError, ValueError) as error:
                problem = f"extension {extension.id} sent an invalid frame: {error!r}"
                self.trace.note("warning", problem)
                queue.close(INVALID_PAYLOAD, "invalid frame")
            finally:
                pinging.cancel()
                self.hub.remove_extension(extension)
                await queue.closed()
        return socket

    async def _is_paired(self, socket: web.WebSocketResponse, theirs: str) -> bool:
        """Whether the extension has the pairing secret; the relay proves first that it does."""
        ours = secrets.token_hex(16)
        secret, parts = self._pairing(), (self._port, theirs, ours)
        with suppress(OSError, TimeoutError, TypeError, ValueError, KeyError):
            async with asyncio.timeout(PAIR_SECONDS):
                first = {"challenge": ours, "proof": proof(secret, "relay", *parts)}
                await socket.send_json({**first, "maxBytes": self._max_message_bytes})
                answer = str((await socket.receive_json())["proof"])
            expected = proof(secret, "extension", *parts)
            return hmac.compare_digest(answer.encode("utf-8", "replace"), expected.encode())
        return False

    async def _ping(self, extension: ExtensionConnection) -> None:
        while True:
            await asyncio.sleep(self._ping_seconds)
            if time.monotonic() - extension.last_seen > MISSED_PINGS * self._ping_seconds:
                self.trace.note("warning", f"extension {extension.id} does not respond")
                extension.close(1001, "no response")
            extension.ping()

    async def _client(self, request: web.Request) -> web.WebSocketResponse:
        # Refuse before the handshake: Playwright can miss the end of a WebSocket right after it.
        self._access.check_client(request)
        id = request.match_info.get("client") or secrets.token_hex(4)
        if id in self.hub.clients:
            raise Refused(409, f"Conflict: a client named {id} is already connected")
        extension = self.hub.choose(request.query.get("extension"))
        scope = request.query.get("cookies", "page")
        if scope not in get_args(CookieScope):
            raise Refused(400, f"cookies must be page or browser, not {scope!r}")
        async with self._socket(request) as socket:
            queue = SendQueue(socket, request.transport)
            agent = request.headers.get("User-Agent", "")
            cookies = cast("CookieScope", scope)
            client = RelayClient(id, extension, queue, agent=agent, cookies=cookies)
            self.hub.add_client(client)
            try:
                async for message in socket:
                    if message.type == WSMsgType.TEXT:
                        self._commands.receive(client, message.data)
                    elif message.type == WSMsgType.ERROR:
                        self.trace.note("warning", f"client {id} was disconnected: {message.data}")
            finally:
                self.hub.remove_client(client)
                await queue.closed()
        return socket


def _json(handler: Callable[[web.Request], Awaitable[object]]) -> Handler:
    async def respond(request: web.Request) -> web.Response:
        return web.json_response(await handler(request))

    return respond


def _cdp_url(request: web.Request) -> str:
    """The WebSocket URL, with the token only if the request has it."""
    query = f"?{request.query_string}" if request.query_string else ""
    return f"ws://{request.headers.get('Host', HOST)}/cdp{query}"


async def _describe(extension: ExtensionConnection) -> Json:
    """The extension and its pages."""
    pages = await asyncio.gather(*(_page(extension, tab) for tab in extension.tabs))
    return {
        "id": extension.id,
        "browser": extension.info.browser,
        "version": extension.info.version,
        "connectedAt": extension.connected_at,
        "pages": list(pages),
    }


async def _page(extension: ExtensionConnection, tab: RelayTarget) -> Json:
    # Without a client that listens to the page's events the title may be old.
    with suppress(CdpError, TimeoutError):
        async with asyncio.timeout(INFO_SECONDS):
            answer = await extension.command(tab.session, "Target.getTargetInfo")
            tab.info.update(answer["targetInfo"])
    return {
        "targetId": tab.id,
        "url": tab.url,
        "title": tab.info.get("title", ""),
        "crashed": tab.crashed,
        "clients": sorted({subscription.client.id for subscription in tab.subscriptions}),
    }
