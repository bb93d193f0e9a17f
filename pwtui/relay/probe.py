"""Performs the seven connection steps at a CDP endpoint and reports the first that fails."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from pwtui.protocol.addresses import Endpoint
from pwtui.protocol.secrets import without_secrets
from pwtui.relay.steps import CLIENT_STEPS, TARGET_STEPS, ConnectionProgress, ConnectionStep

# More pages may follow shortly after the first one.
MORE_PAGES_SECONDS = 0.2

WANTS_CREDENTIALS = "the endpoint requires credentials: pass them with --header or in the URL"
NO_CDP = "the server at this address is not a CDP endpoint: check the port and the path"
NOT_ACCEPTED = (
    "the server did not respond to the WebSocket handshake: it may be busy or not a CDP endpoint"
)


@dataclass
class ProbedPage:
    """A page that the endpoint announced."""

    target_id: str
    url: str
    session: str
    progress: ConnectionProgress

    def to_wire(self) -> dict[str, Any]:
        return {"targetId": self.target_id, "url": self.url, **self.progress.to_wire()}


@dataclass
class ProbeResult:
    """The steps that were reached, and the problem of the next one."""

    endpoint: str
    progress: ConnectionProgress = field(default_factory=lambda: ConnectionProgress(CLIENT_STEPS))
    browser: str | None = None
    problem: str | None = None
    advice: str | None = None
    pages: list[ProbedPage] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def missing(self) -> ConnectionStep | None:
        """The first missing step, for the page with the least progress."""
        if (step := self.progress.missing) is not None:
            return step
        if not self.pages:
            return ConnectionStep.ATTACHED
        late = [page.progress.missing for page in self.pages if page.progress.missing]
        return min(late, key=lambda step: step.number, default=None)

    @property
    def hint(self) -> str | None:
        return self.missing and (self.advice or self.missing.hint)

    def to_wire(self) -> dict[str, Any]:
        missing = self.missing
        return {
            "endpoint": without_secrets(self.endpoint.partition("?")[0]),
            "browser": self.browser,
            "steps": self.progress.to_wire()["steps"],
            "pages": [page.to_wire() for page in self.pages],
            "missing": missing and {"step": missing, "number": missing.number, "hint": self.hint},
            "problem": self.problem,
            "notes": self.notes,
        }


async def probe_steps(
    endpoint: str, *, seconds: float, headers: Mapping[str, str] | None = None
) -> ProbeResult:
    """Perform the steps within the time limit, without changing anything in the browser."""
    result = ProbeResult(endpoint)
    try:
        async with asyncio.timeout(seconds), aiohttp.ClientSession() as http:
            url = await _resolve(http, result, headers)
            # The endpoint may return the URL of another server, which must not get the credentials.
            is_same = Endpoint(url).url.netloc == Endpoint(endpoint).url.netloc
            headers = headers if is_same else None
            async with http.ws_connect(url, max_msg_size=0, headers=headers) as socket:
                result.progress.reach(ConnectionStep.WEBSOCKET)
                await _Connection(socket, result).run()
    except TimeoutError:
        result.problem = f"no response within {seconds:g} s"
        if result.missing is ConnectionStep.WEBSOCKET:
            result.advice = NOT_ACCEPTED
    except aiohttp.WSServerHandshakeError as error:
        result.problem = f"the WebSocket was refused: {error.status} {error.message}"
        result.advice = _advice(error.status)
    except (aiohttp.ClientError, OSError, ValueError) as error:
        result.problem = str(error) or type(error).__name__
    except _Refused as error:
        result.problem, result.advice = str(error), error.advice
    return result


class _Refused(Exception):
    """The endpoint answered with an error, or closed the connection."""

    def __init__(self, problem: str, advice: str | None = None) -> None:
        super().__init__(problem)
        self.advice = advice


def _advice(status: int) -> str | None:
    return WANTS_CREDENTIALS if status in (401, 403) else None


async def _resolve(
    http: aiohttp.ClientSession, result: ProbeResult, headers: Mapping[str, str] | None
) -> str:
    """The WebSocket URL; an HTTP endpoint has it in /json/version."""
    endpoint, path, query = Endpoint(result.endpoint), "/json/version", ""
    if not endpoint.is_websocket:
        path = endpoint.url.path.rstrip("/") + path
        query = endpoint.url.query and f"?{endpoint.url.query}"
    version = endpoint.http_url(path + query)
    async with http.get(version, headers=headers, allow_redirects=False) as answer:
        if endpoint.is_websocket:
            # Any response shows that a server is there; the next step connects to it.
            result.progress.reach(ConnectionStep.ENDPOINT)
            return result.endpoint
        if answer.status != 200:
            problem = f"{path} returned {answer.status} {answer.reason}"
            raise _Refused(problem, _advice(answer.status) or NO_CDP)
        try:
            content = await answer.json(content_type=None)
            address = str(content["webSocketDebuggerUrl"])
        except (ValueError, KeyError, TypeError):
            problem = f"{path} returned {answer.content_type} without a webSocketDebuggerUrl"
            raise _Refused(problem, NO_CDP) from None
    result.browser = content.get("Browser")
    result.progress.reach(ConnectionStep.ENDPOINT)
    return address


class _Connection:
    """Performs the steps on a CDP connection, one message at a time."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, result: ProbeResult) -> None:
        self._socket = socket
        self._result = result
        self._ids = itertools.count(1)
        self._enabled: dict[int, ProbedPage] = {}  # by the id of Runtime.enable

    async def run(self) -> None:
        result = self._result
        version = await self._command("Browser.getVersion", {})
        result.browser = version.get("product", result.browser)
        result.progress.reach(ConnectionStep.VERSION)
        # Unlike Playwright, it does not pause new pages.
        options = {"autoAttach": True, "waitForDebuggerOnStart": False, "flatten": True}
        await self._command("Target.setAutoAttach", options)
        result.progress.reach(ConnectionStep.AUTO_ATTACH)
        while not result.pages:
            await self._receive()
        with suppress(TimeoutError):
            async with asyncio.timeout(MORE_PAGES_SECONDS):
                while True:
                    await self._receive()
        while any(page.progress.missing for page in result.pages):
            await self._receive()

    async def _command(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        id = next(self._ids)
        await self._socket.send_json({"id": id, "method": method, "params": params})
        while (message := await self._receive()).get("id") != id:
            pass
        result: dict[str, Any] = message.get("result", {})
        return result

    async def _receive(self) -> dict[str, Any]:
        """Handle one message; returns it. Raises _Refused for an error and for the end."""
        received = await self._socket.receive()
        if received.type not in (aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY):
            raise _Refused(f"the connection was closed with code {self._socket.close_code}")
        with suppress(ValueError, KeyError, TypeError, AttributeError):
            message: dict[str, Any] = json.loads(received.data)
            if "error" in message:
                raise _Refused(str(message["error"]["message"]))
            if (page := self._enabled.get(message.get("id", 0))) is not None:
                page.progress.reach(ConnectionStep.RUNTIME)
            elif message.get("method") == "Target.attachedToTarget":
                await self._attached(message["params"])
            elif message.get("method") == "Runtime.executionContextCreated":
                auxiliary = message["params"]["context"].get("auxData") or {}
                for page in self._result.pages:
                    if auxiliary.get("isDefault") and page.session == message["sessionId"]:
                        page.progress.reach(ConnectionStep.CONTEXT)
            return message
        return {}

    async def _attached(self, params: dict[str, Any]) -> None:
        info = params["targetInfo"]
        if info["type"] != "page":
            return
        progress = ConnectionProgress(TARGET_STEPS, began=self._result.progress.began)
        progress.reach(ConnectionStep.ATTACHED)
        if not info.get("url"):
            self._result.notes.append(
                f"target {info['targetId']} was announced with an empty URL: Playwright cannot use "
                "such a page"
            )
        page = ProbedPage(info["targetId"], info.get("url", ""), params["sessionId"], progress)
        self._result.pages.append(page)
        id = next(self._ids)
        self._enabled[id] = page
        await self._socket.send_json(
            {"id": id, "method": "Runtime.enable", "params": {}, "sessionId": page.session}
        )
