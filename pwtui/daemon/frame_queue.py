"""The frames of one subscriber."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class _Session:
    is_ready: bool = True
    newest: bytes | None = None


class FrameQueue:
    """Sends a frame when the one before was acknowledged. Only the newest one waits."""

    def __init__(self, send: Callable[[bytes], None]) -> None:
        self._send = send
        self._sessions: dict[str, _Session] = {}

    def put(self, session_key: str, line: bytes) -> None:
        session = self._sessions.setdefault(session_key, _Session())
        if session.is_ready:
            session.is_ready = False
            self._send(line)
        else:
            session.newest = line

    def acknowledge(self, session_key: str) -> bool:
        """The client has the last frame. Returns whether it waits for another one."""
        session = self._sessions.setdefault(session_key, _Session())
        line, session.newest = session.newest, None
        session.is_ready = line is None
        if line is not None:
            self._send(line)
        return session.is_ready

    def clear(self) -> None:
        self._sessions.clear()
