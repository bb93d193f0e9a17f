"""A server in front of browsers, as a Selenium Grid or a hosting service is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from threading import Event, Thread

import aiohttp
from aiohttp import web

TOKEN = "Bearer s3cret"


@contextmanager
def gateway(browsers: Mapping[str, str]) -> Iterator[str]:
    """Passes WebSockets on by their path, and says nothing else; returns its address."""
    started, stopped, address = Event(), Event(), []

    async def serve() -> None:
        async with _serving(browsers) as port:
            address.append(f"ws://127.0.0.1:{port}")
            started.set()
            await asyncio.to_thread(stopped.wait)

    thread = Thread(target=asyncio.run, args=[serve()])
    thread.start()
    try:
        assert started.wait(10)
        yield address[0]
    finally:
        stopped.set()
        thread.join(10)


@asynccontextmanager
async def _serving(browsers: Mapping[str, str]) -> AsyncIterator[int]:
    async def answer(request: web.Request) -> web.StreamResponse:
        behind = browsers.get(request.path)
        if request.headers.get("Authorization") != TOKEN:
            return web.Response(status=401)
        if behind is None:
            return web.Response(status=404)
        front = web.WebSocketResponse(max_msg_size=0)
        await front.prepare(request)
        kept = {name: value for name, value in request.headers.items() if name.startswith("x-")}
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(behind, headers=kept, max_msg_size=0) as back,
        ):
            ways = {asyncio.create_task(_pass_on(*ends)) for ends in ((front, back), (back, front))}
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
        return front

    application = web.Application()
    application.router.add_get("/{path:.*}", answer)
    runner = web.AppRunner(application, shutdown_timeout=1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    yield runner.addresses[0][1]
    await runner.cleanup()


async def _pass_on(
    source: web.WebSocketResponse | aiohttp.ClientWebSocketResponse,
    target: web.WebSocketResponse | aiohttp.ClientWebSocketResponse,
) -> None:
    async for message in source:
        await target.send_str(message.data)
