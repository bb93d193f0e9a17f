"""Relays that run on this machine: a profile may name one as its endpoint, without the token."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from pwtui.browser.process import is_same_process
from pwtui.state.relay import RelayRecord, relay_records, relay_token

ANSWER_SECONDS = 1.0
LOOPBACK = frozenset(("127.0.0.1", "localhost", "::1"))
# Never through the proxy of the environment: this is about the machine itself.
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@dataclass(frozen=True)
class RelayBrowser:
    """A browser whose extension is connected to a relay."""

    endpoint: str
    browser: str
    pages: list[dict[str, str]]


def running_relays() -> list[RelayRecord]:
    return [each for each in relay_records() if is_same_process(each.pid, each.started_at)]


def relay_address(endpoint: str) -> str | None:
    """The WebSocket URL, with the token, of the relay that an endpoint means; None if none does."""
    url = urlsplit(endpoint)
    with suppress(ValueError):
        if url.hostname in LOOPBACK and any(url.port == each.port for each in running_relays()):
            query = dict(parse_qsl(url.query))
            path = url.path if url.path.startswith("/cdp") else "/cdp"
            query.setdefault("token", relay_token())
            return f"ws://127.0.0.1:{url.port}{path}?{urlencode(query)}"
    return None


async def relay_browsers() -> list[RelayBrowser]:
    """The browsers that can be reached through the relays that run."""
    found = await asyncio.gather(*(_browsers(each.port) for each in running_relays()))
    return [browser for browsers in found for browser in browsers]


async def _browsers(port: int) -> list[RelayBrowser]:
    with suppress(OSError, ValueError, KeyError):
        trace = await asyncio.to_thread(ask_relay, port, "/trace")
        extensions = trace["extensions"]
        return [
            RelayBrowser(
                endpoint=_endpoint(port, each["id"], only=len(extensions) == 1),
                browser=each["browser"],
                pages=[{"title": p["title"], "url": p["url"]} for p in each["pages"]],
            )
            for each in extensions
        ]
    return []


def _endpoint(port: int, extension: str, *, only: bool) -> str:
    return f"http://127.0.0.1:{port}" + ("" if only else f"/?extension={extension}")


def ask_relay(
    port: int, path: str, body: dict[str, Any] | None = None, *, seconds: float = ANSWER_SECONDS
) -> Any:
    """One request to the relay on a port, with the token; with a body it changes something."""
    headers = {"Authorization": f"Bearer {relay_token()}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, headers)
    with _OPENER.open(request, timeout=seconds) as answer:
        return json.load(answer)
