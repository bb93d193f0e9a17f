"""Playwright's registry of bound browsers: one file per browser."""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pwtui.protocol.addresses import BOUND, LOOPBACK, Endpoint

ANSWER_SECONDS = 1.0


@dataclass(frozen=True)
class BoundBrowser:
    """An entry of the registry; its browser may have exited."""

    path: Path
    title: str
    endpoint: str
    browser: str | None
    workspace: str | None
    headless: bool | None
    version: str | None
    arguments: tuple[str, ...]

    @property
    def session_key(self) -> str:
        return BOUND + self.path.name.removeprefix("browser@")

    @property
    def is_live(self) -> bool:
        """Whether something listens there; the program that bound it gets a connection."""
        return not _is_refused(self.endpoint)


def bound_browsers() -> Iterator[BoundBrowser]:
    with suppress(OSError):
        for path in sorted(_folder().iterdir()):
            with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
                entry: Any = json.loads(path.read_bytes())
                options = entry["browser"].get("launchOptions") or {}
                yield BoundBrowser(
                    path=path,
                    title=str(entry["title"]),
                    endpoint=str(entry["endpoint"]),
                    browser=entry["browser"].get("browserName"),
                    workspace=entry.get("workspaceDir"),
                    headless=options.get("headless"),
                    version=entry.get("playwrightVersion"),
                    arguments=tuple(str(argument) for argument in options.get("args") or ()),
                )


def make_private(endpoint: str) -> None:
    """Make the entry of a bound browser private, as it contains the secret path."""
    with suppress(OSError):
        if endpoint.startswith("/"):
            Path(endpoint).chmod(0o600)
        for entry in bound_browsers():
            if entry.endpoint == endpoint:
                entry.path.chmod(0o600)


def live_bindings() -> list[BoundBrowser]:
    return [entry for entry in bound_browsers() if entry.is_live]


def dead_bindings() -> list[BoundBrowser]:
    """The entries of browsers that have exited: nothing listens on their socket or port."""
    return [entry for entry in bound_browsers() if not entry.is_live]


def remove_binding(entry: BoundBrowser) -> None:
    entry.path.unlink(missing_ok=True)
    if entry.endpoint.startswith("/"):
        Path(entry.endpoint).unlink(missing_ok=True)


def remove_dead_bindings() -> None:
    """Remove these entries, as Playwright's tools do when they list the registry."""
    for entry in dead_bindings():
        with suppress(OSError):
            remove_binding(entry)


def _is_refused(endpoint: str) -> bool:
    place = Endpoint(endpoint)
    if not place.is_socket and (place.host not in LOOPBACK or place.port is None):
        return False
    with socket.socket(socket.AF_UNIX if place.is_socket else socket.AF_INET) as attempt:
        attempt.settimeout(ANSWER_SECONDS)
        try:
            attempt.connect(endpoint if place.is_socket else ("127.0.0.1", place.port))
        except (ConnectionRefusedError, FileNotFoundError):
            return True
        except OSError:
            return False
    return False


def _folder() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "ms-playwright" / "b"
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches) / "ms-playwright" / "b"
