"""Access control of the relay, which controls a browser in which the user is logged in.

A web page can send requests to this machine, but it cannot omit the Origin of a WebSocket, choose
the Host header, or read the token.
"""

from __future__ import annotations

import hmac
import re
import secrets
import time
from collections.abc import Callable

from aiohttp import web

# The id is derived from the public key in the extension's manifest.
EXTENSION_ID = "koocnahelpogjkohedagnmionadejkji"
EXTENSION_ORIGIN = f"chrome-extension://{EXTENSION_ID}"
TICKET_SECONDS = 30.0
LOOPBACK_PEERS = frozenset(("127.0.0.1", "::1"))
_LOCAL_HOST = re.compile(r"(localhost|127\.0\.0\.1|\[::1\]|::1)(:\d+)?", re.IGNORECASE)


class Refused(Exception):
    """The request is refused with this status and reason."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


class AccessCheck:
    """Checks every request. The token is read each time, as it may be replaced."""

    def __init__(self, token: Callable[[], str]) -> None:
        self._token = token
        self._tickets: dict[str, float] = {}

    def shows_token(self, request: web.Request) -> bool:
        scheme, _, bearer = request.headers.get("Authorization", "").partition(" ")
        token = bearer if scheme.lower() == "bearer" else request.query.get("token", "")
        return hmac.compare_digest(token.encode(), self._token().encode())

    def check_all(self, request: web.Request) -> None:
        """Refuse requests from other machines and from web pages, on every path."""
        host = request.headers.get("Host", "")
        if not _LOCAL_HOST.fullmatch(host) and not self.shows_token(request):
            # After DNS rebinding a page still sends its own host name.
            raise Refused(403, f"Forbidden: the Host header {host!r} is not this machine")
        origin = request.headers.get("Origin")
        if origin is not None and origin != EXTENSION_ORIGIN:
            raise Refused(403, f"Forbidden: the Origin {origin!r} is not allowed")
        site = request.headers.get("Sec-Fetch-Site", "none")
        if origin is None and site not in ("none", "same-origin"):
            raise Refused(403, "Forbidden: a request from another site")

    def check_extension(self, request: web.Request) -> None:
        if request.remote not in LOOPBACK_PEERS:
            raise Refused(403, f"Forbidden: {request.remote} is not this machine")
        if request.headers.get("Origin") != EXTENSION_ORIGIN:
            raise Refused(403, "Forbidden: this path is only for the pwtui extension")

    def check_token(self, request: web.Request) -> None:
        if not self.shows_token(request):
            raise Refused(
                401, "Unauthorized: add ?token= or a Bearer header; `pw relay token` prints it"
            )

    def issue_ticket(self) -> str:
        """A secret for one connection, valid for a short time."""
        now = time.monotonic()
        self._tickets = {old: until for old, until in self._tickets.items() if until > now}
        ticket = secrets.token_urlsafe(16)
        self._tickets[ticket] = now + TICKET_SECONDS
        return ticket

    def check_client(self, request: web.Request) -> None:
        """Require a ticket or the token."""
        if self._tickets.pop(request.query.get("ticket", ""), 0.0) < time.monotonic():
            self.check_token(request)
