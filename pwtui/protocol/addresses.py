"""The keys of sessions and the endpoint of a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self, cast
from urllib.parse import SplitResult, urlsplit

if TYPE_CHECKING:
    from pwtui.protocol.envelope import BrowserName

LOOPBACK = frozenset(("127.0.0.1", "localhost", "::1"))
BOUND = "playwright:"
"""How the keys of other programs' browsers begin."""
SCHEMES = frozenset(("http", "https", "ws", "wss"))


class SessionKey(NamedTuple):
    """Identifies a session; its text is `workspaceId:profile:browser:headless`."""

    workspace_id: str
    profile: str
    browser: BrowserName
    headless: bool

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raises ValueError if the text is not a session key."""
        workspace_id, profile, browser, mode = text.split(":")
        return cls(workspace_id, profile, cast("BrowserName", browser), mode == "headless")

    def __str__(self) -> str:
        mode = "headless" if self.headless else "headful"
        return f"{self.workspace_id}:{self.profile}:{self.browser}:{mode}"


def is_bound_key(session_key: str) -> bool:
    """Whether it is the key of a browser that another Playwright program bound."""
    return session_key.startswith(BOUND)


def is_session_key(text: str) -> bool:
    """Whether it is the key of a session, ours or another program's."""
    return is_bound_key(text) or (text.count(":") == 3 and " " not in text)


def owner_id(session_key: str) -> str:
    """What a worker is for: the id of the session's profile, or the key of a bound browser."""
    return session_key if is_bound_key(session_key) else session_key.rsplit(":", 2)[0]


class Endpoint:
    """Where a browser accepts connections: an HTTP or WebSocket URL, or a Unix socket's path."""

    def __init__(self, text: str | None) -> None:
        self.text = text or ""
        self.is_socket = self.text.startswith("/")
        self.host: str | None = ""
        self.port: int | None = None
        self.url = SplitResult("", "", "", "", "")
        try:
            self.url = urlsplit(self.text)
            self.host = self.url.hostname
            self.port = self.url.port
        except ValueError:
            pass  # not a valid URL: an unknown host, no port

    @property
    def is_valid(self) -> bool:
        return self.is_socket or self.url.scheme in SCHEMES

    @property
    def is_local(self) -> bool:
        return self.host is None or self.host in LOOPBACK

    @property
    def is_websocket(self) -> bool:
        return self.url.scheme in ("ws", "wss")

    def http_url(self, path: str) -> str:
        """The URL of a path on the same server."""
        secure = "s" if self.url.scheme in ("https", "wss") else ""
        return f"http{secure}://{self.url.netloc}{path}"
