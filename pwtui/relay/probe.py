"""Performs the seven steps at any CDP endpoint, as Playwright would, and reports where it stops."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import aiohttp

from pwtui.relay.steps import CLIENT_STEPS, HINTS, TARGET_STEPS, Progress, Step

# After the first page others may follow at once.
MORE_PAGES_SECONDS = 0.2

WANTS_CREDENTIALS = "the endpoint wants credentials: pass them with --header, or in the URL"
NO_CDP = "a server answers at this address, but it is no CDP endpoint: check port and path"
NOT_ACCEPTED = (
    "the server did not answer the WebSocket handshake: is it a CDP endpoint, is it busy?"
)


@dataclass
class Page:
    """A page that the endpoint announced."""

    target_id: str
    url: str
    session: str
    progress: Progress

    def to_wire(self) -> dict[str, Any]:
        return {"targetId": self.target_id, "url": self.url, **self.progress.to_wire()}


@dataclass
class Walk:
    """How far it went."""

    endpoint: str
    progress: Progress = field(default_factory=lambda: Progress(CLIENT_STEPS))
    browser: str | None = None
    problem: str | None = None
    advice: str | None = None
    pages: list[Page] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def missing(self) -> Step | None:
        """The first step that did not happen; of the pages the one that came least far counts."""
        if (step := self.progress.missing) is not None:
            return step
        if not self.pages:
            return Step.ATTACHED
        late = [page.progress.missing for page in self.pages if page.progress.missing]
        return min(late, key=lambda step: step.number, default=None)

    @property
    def hint(self) -> str | None:
        """What to do about the missing step."""
        return self.missing and (self.advice or HINTS[self.missing])

    def to_wire(self) -> dict[str, Any]:
        missing = self.missing
        return {
            "endpoint": _without_secrets(self.endpoint),
            "browser": self.browser,
            "steps": self.progress.to_wire()["steps"],
            "pages": [page.to_wire() for page in self.pages],
            "missing": missing and {"step": missing, "number": missing.number, "hint": self.hint},
            "problem": self.problem,
            "notes": self.notes,
        }


async def walk(endpoint: str, *, seconds: float, headers: Mapping[str, str] | None = None) -> Walk:
    """Go as far as the endpoint lets us within the time; nothing is changed there."""
    going = Walk(endpoint)
    try:
        async with asyncio.timeout(seconds), aiohttp.ClientSession() as http:
            url = await _resolve(http, going, headers)
            same = urlsplit(url).netloc == urlsplit(endpoint).netloc
            # Credentials are for the server that was named, not for another one that it names.
            own = headers if same else None
            async with http.ws_connect(url, max_msg_size=0, headers=own) as socket:
                going.progress.reach(Step.WEBSOCKET)
                connection = _Connection(socket, going)
                reading = asyncio.create_task(connection.read())
                try:
                    await connection.go()
                finally:
                    reading.cancel()
    except TimeoutError:
        going.problem = f"no answer within {seconds:g} s"
        if going.missing is Step.WEBSOCKET:
            going.advice = NOT_ACCEPTED
    except aiohttp.WSServerHandshakeError as error:
        going.problem = f"the WebSocket was refused: {error.status} {error.message}"
        going.advice = _advice(error.status)
    except (aiohttp.ClientError, OSError, ValueError) as error:
        going.problem = str(error) or type(error).__name__
    except _Refused as error:
        going.problem, going.advice = str(error), error.advice
    return going


class _Refused(Exception):
    """The endpoint answered with an error, or hung up."""

    def __init__(self, problem: str, advice: str | None = None) -> None:
        super().__init__(problem)
        self.advice = advice


def _advice(status: int) -> str | None:
    return WANTS_CREDENTIALS if status in (401, 403) else None


async def _resolve(
    http: aiohttp.ClientSession, going: Walk, headers: Mapping[str, str] | None
) -> str:
    """The WebSocket's URL, asked for where the endpoint is one of HTTP."""
    url = urlsplit(going.endpoint)
    if url.scheme in ("ws", "wss"):
        # It is only known to answer once it is connected to.
        version = f"http{url.scheme[2:]}://{url.netloc}/json/version"
        async with http.get(version, headers=headers, allow_redirects=False):
            going.progress.reach(Step.ENDPOINT)
        return going.endpoint
    path = url.path.rstrip("/") + "/json/version"
    version = urlunsplit(url._replace(path=path))
    async with http.get(version, headers=headers, allow_redirects=False) as answer:
        if answer.status != 200:
            problem = f"{path} answered {answer.status} {answer.reason}"
            raise _Refused(problem, _advice(answer.status) or NO_CDP)
        try:
            found = await answer.json(content_type=None)
            address = str(found["webSocketDebuggerUrl"])
        except (ValueError, KeyError, TypeError):
            problem = f"{path} answered {answer.content_type} without a webSocketDebuggerUrl"
            raise _Refused(problem, NO_CDP) from None
    going.browser = found.get("Browser")
    going.progress.reach(Step.ENDPOINT)
    return address


class _Connection:
    """A CDP connection that walks."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, going: Walk) -> None:
        self._socket = socket
        self._going = going
        self._ids = itertools.count(1)
        self._pending: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._came = asyncio.Event()
        self._contexts: dict[str, asyncio.Event] = {}

    async def go(self) -> None:
        going = self._going
        version = await self._send("Browser.getVersion")
        going.browser = version.get("product", going.browser)
        going.progress.reach(Step.VERSION)
        # Unlike Playwright it holds nothing up: new pages do not wait for us.
        options = {"autoAttach": True, "waitForDebuggerOnStart": False, "flatten": True}
        await self._send("Target.setAutoAttach", options)
        going.progress.reach(Step.AUTO_ATTACH)
        await self._came.wait()
        await asyncio.sleep(MORE_PAGES_SECONDS)
        await asyncio.gather(*(self._visit(page) for page in list(going.pages)))

    async def read(self) -> None:
        async for message in self._socket:
            if message.type == aiohttp.WSMsgType.TEXT:
                with suppress(ValueError, KeyError, TypeError):
                    self._take(json.loads(message.data))
        reason = self._socket.close_code
        for future in self._pending.values():
            if not future.done():
                future.set_exception(_Refused(f"the connection was closed with code {reason}"))

    def _take(self, message: dict[str, Any]) -> None:
        if (future := self._pending.pop(message.get("id", 0), None)) is not None:
            if "error" in message:
                future.set_exception(_Refused(str(message["error"]["message"])))
            else:
                future.set_result(message.get("result", {}))
        elif message.get("method") == "Target.attachedToTarget":
            self._attached(message["params"])
        elif message.get("method") == "Runtime.executionContextCreated":
            context = message["params"]["context"]
            if (context.get("auxData") or {}).get("isDefault"):
                self._contexts.setdefault(message["sessionId"], asyncio.Event()).set()

    def _attached(self, params: dict[str, Any]) -> None:
        info = params["targetInfo"]
        if info["type"] != "page":
            return
        progress = Progress(TARGET_STEPS, began=self._going.progress.began)
        progress.reach(Step.ATTACHED)
        if not info.get("url"):
            self._going.notes.append(
                f"target {info['targetId']} was announced with an empty URL: in Playwright such a "
                "page never works"
            )
        page = Page(info["targetId"], info.get("url", ""), params["sessionId"], progress)
        self._going.pages.append(page)
        self._came.set()

    async def _visit(self, page: Page) -> None:
        context = self._contexts.setdefault(page.session, asyncio.Event())
        await self._send("Runtime.enable", session=page.session)
        page.progress.reach(Step.RUNTIME)
        await context.wait()
        page.progress.reach(Step.CONTEXT)

    async def _send(
        self, method: str, params: dict[str, Any] | None = None, session: str | None = None
    ) -> dict[str, Any]:
        id = next(self._ids)
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._pending[id] = future
        message: dict[str, Any] = {"id": id, "method": method, "params": params or {}}
        if session is not None:
            message["sessionId"] = session
        await self._socket.send_json(message)
        return await future


def _without_secrets(endpoint: str) -> str:
    url = urlsplit(endpoint)
    return urlunsplit(
        url._replace(query="…" if url.query else "", netloc=url.netloc.split("@")[-1])
    )
