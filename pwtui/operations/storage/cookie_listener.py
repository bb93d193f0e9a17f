"""The server behind auth.listen: a browser extension pushes cookies over a WebSocket."""

from __future__ import annotations

import asyncio
import hmac
import json
import re
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from pwtui import __version__
from pwtui.protocol.envelope import parse_json
from pwtui.protocol.errors import InvalidInput
from pwtui.state.auth import write_storage_state

MAX_FRAME_BYTES = 4 * 1024 * 1024
_SAME_SITE = {"lax": "Lax", "strict": "Strict", "no_restriction": "None", "none": "None"}
_NOT_IN_FILE_NAMES = re.compile(r"[^A-Za-z0-9_-]")


class CookieListener:
    """Saves the cookies that an extension sends. Every connection must present the token."""

    def __init__(self, folder: Path) -> None:
        self.token = secrets.token_urlsafe(24)
        self.saved: list[Path] = []
        self.received = asyncio.Event()
        self._folder = folder

    @asynccontextmanager
    async def serve(self, host: str, port: int) -> AsyncIterator[int]:
        """Listen; yields the port."""
        # Only extensions may connect: a web page has an http(s) origin.
        origins = [None, re.compile(r"(chrome|moz|safari-web)-extension://.*")]
        async with serve(
            self._talk, host, port, max_size=MAX_FRAME_BYTES, origins=origins
        ) as server:
            yield next(iter(server.sockets)).getsockname()[1]

    async def _talk(self, connection: ServerConnection) -> None:
        is_known = False
        try:
            async for frame in connection:
                try:
                    message = _decode(frame)
                except InvalidInput as error:
                    await _send(connection, type="error", message=error.message)
                    continue
                kind = message.get("type")
                if kind == "hello":
                    given = str(message.get("token", "")).encode("utf-8", "replace")
                    is_known = hmac.compare_digest(given, self.token.encode())
                    if not is_known:
                        await _send(connection, type="rejected", reason="wrong token")
                        return
                    await _send(connection, type="welcome", version=__version__)
                elif not is_known:
                    await _send(connection, type="rejected", reason="hello with the token required")
                    return
                elif kind == "push_cookies":
                    await self._save(connection, message)
                else:
                    await _send(connection, type="error", message=f"unknown message {kind!r}")
        except ConnectionClosed:
            return

    async def _save(self, connection: ServerConnection, message: dict[str, Any]) -> None:
        try:
            paths = [self._save_domain(entry) for entry in _list(message, "domains")]
        except (InvalidInput, OSError) as error:
            await _send(connection, type="error", message=str(error))
            return
        self.saved += [path for path in paths if path not in self.saved]
        await _send(
            connection,
            type="received",
            domains_saved=len(paths),
            paths=[str(path) for path in paths],
        )
        self.received.set()

    def _save_domain(self, entry: Any) -> Path:
        domain = entry.get("domain") if isinstance(entry, dict) else None
        if not isinstance(domain, str) or not domain.strip("."):
            raise InvalidInput("domains: each needs a domain")
        cookies = [_cookie(cookie, domain) for cookie in _list(entry, "cookies")]
        name = _NOT_IN_FILE_NAMES.sub("_", domain.removeprefix("."))
        path = self._folder / f"{name}.json"
        write_storage_state(path, {"cookies": cookies, "origins": []})
        return path


def _decode(frame: str | bytes) -> dict[str, Any]:
    message = parse_json(frame, what="the message")
    if not isinstance(message, dict):
        raise InvalidInput("not an object with a type")
    return message


def _list(message: dict[str, Any], key: str) -> list[Any]:
    value = message.get(key)
    if not isinstance(value, list):
        raise InvalidInput(f"{key} must be a list")
    return value


def _cookie(cookie: Any, domain: str) -> dict[str, Any]:
    if not isinstance(cookie, dict) or not isinstance(cookie.get("name"), str):
        raise InvalidInput("cookies: each needs a name")
    expires = cookie.get("expirationDate", cookie.get("expires"))
    return {
        "name": cookie["name"],
        "value": str(cookie.get("value", "")),
        "domain": str(cookie.get("domain") or domain),
        "path": str(cookie.get("path") or "/"),
        "expires": expires if isinstance(expires, int | float) else -1,
        "httpOnly": bool(cookie.get("httpOnly", False)),
        "secure": bool(cookie.get("secure", False)),
        "sameSite": _SAME_SITE.get(str(cookie.get("sameSite", "")).lower(), "Lax"),
    }


async def _send(connection: ServerConnection, **message: Any) -> None:
    await connection.send(json.dumps(message))
