"""Relays of this user on this machine: a profile may name one as its endpoint, without the token.

Any program can listen on a port. The token is sent only after the program there has proved that it
knows the token, and on the same connection.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import parse_qsl, urlencode

from pwtui.browser.launch.processes import is_same_process
from pwtui.protocol.addresses import LOOPBACK, Endpoint
from pwtui.protocol.models import PageInfo, SessionData
from pwtui.state.relay_records import DEFAULT_PORT, RelayRecord, proof, relay_records, relay_token

ANSWER_SECONDS = 1.0
MAX_VERSION_BYTES = 64 * 1024


class UnknownRelay(OSError):
    """A program listens on the port, but did not prove that it is a relay of this user."""

    def __init__(self, port: int) -> None:
        super().__init__(f"the program on port {port} did not prove that it is a relay of yours")


class RelayRefused(OSError):
    """The relay answered with an error status."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(f"{status} {reason}")
        self.reason = reason


def running_relays() -> list[RelayRecord]:
    return [each for each in relay_records() if is_same_process(each.pid, each.started_at)]


def relay_address(endpoint: str) -> str | None:
    """The WebSocket URL, for one connection, of the relay that an endpoint names; else None.

    The default port is a relay's also when none runs: another program may listen there. An endpoint
    with a token of somewhere else is left as it is. Raises OSError when the relay does not respond.
    """
    place = Endpoint(endpoint)
    if place.host not in LOOPBACK or place.port is None:
        return None
    if place.port != DEFAULT_PORT and all(place.port != each.port for each in running_relays()):
        return None
    query = dict(parse_qsl(place.url.query))
    if query.pop("token", None) not in (None, relay_token()):
        return None
    path = place.url.path if place.url.path.startswith("/cdp") else "/cdp"
    return client_url(place.port, path, query)


def client_url(port: int, path: str = "/cdp", query: Mapping[str, str] | None = None) -> str:
    """A URL for one connection, with a short-lived ticket instead of the token."""
    ticket = ask_relay(port, "/ticket", {})["ticket"]
    return f"ws://127.0.0.1:{port}{path}?{urlencode({**(query or {}), 'ticket': ticket})}"


async def browsers_of_relay(port: int) -> list[SessionData]:
    """The browsers that can be reached through the relay on a port."""
    with suppress(OSError, ValueError, KeyError):
        trace = await asyncio.to_thread(ask_relay, port, "/trace")
        extensions = trace["extensions"]
        return [
            SessionData(
                origin="relay",
                title=each["browser"],
                browser="chromium",
                cdp_endpoint=f"http://127.0.0.1:{port}"
                + ("" if len(extensions) == 1 else f"/?extension={each['id']}"),
                version=each["browser"],
                pages=[PageInfo(title=p["title"], url=p["url"]) for p in each["pages"]],
            )
            for each in extensions
        ]
    return []


def relay_version(port: int) -> str:
    """The version of this user's relay. Raises OSError: UnknownRelay for another program."""
    with _proved(port, ANSWER_SECONDS) as (_, version):
        return version


def ask_relay(
    port: int, path: str, body: dict[str, Any] | None = None, *, seconds: float = ANSWER_SECONDS
) -> Any:
    """One request to this user's relay on a port; with a body it changes something.

    Raises OSError: UnknownRelay if it is not this user's, RelayRefused for an error status.
    """
    with _proved(port, seconds) as (connection, _):
        headers = {"Authorization": f"Bearer {relay_token()}", "Content-Type": "application/json"}
        if body is None:
            connection.request("GET", path, headers=headers)
        else:
            connection.request("POST", path, json.dumps(body).encode(), headers)
        answer = connection.getresponse()
        content = json.load(answer)
    if answer.status != 200:
        raise RelayRefused(answer.status, str(content.get("error", answer.reason)))
    return content


@contextmanager
def _proved(port: int, seconds: float) -> Iterator[tuple[HTTPConnection, str]]:
    """A connection to a relay that knows the token, and its version."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=seconds)) as connection:
        connection.connect()
        connection.auto_open = 0  # a second connection could reach another program
        yield connection, _prove(connection, port)


def _prove(connection: HTTPConnection, port: int) -> str:
    """Challenge the relay; returns its version.

    The port is part of the proof, so a program cannot forward the proof of a relay on another port.
    """
    challenge = secrets.token_hex(16)
    connection.request("GET", f"/version?challenge={challenge}")
    try:
        answer = json.loads(connection.getresponse().read(MAX_VERSION_BYTES))
        given, version = str(answer["proof"]), str(answer["version"])
    except ConnectionError:
        raise
    except (HTTPException, ValueError, KeyError, TypeError) as error:
        raise UnknownRelay(port) from error
    expected = proof(relay_token(), "relay", port, challenge)
    if not hmac.compare_digest(expected.encode(), given.encode("utf-8", "replace")):
        raise UnknownRelay(port)
    return version
