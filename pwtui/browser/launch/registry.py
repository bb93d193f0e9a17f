"""Playwright's registry of bound browsers: one file each, by which its tools find them."""

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

from pwtui.protocol.addresses import LOOPBACK, Endpoint

ANSWER_SECONDS = 1.0


@dataclass(frozen=True)
class BoundBrowser:
    """An entry of the registry. It may outlive its browser."""

    path: Path
    title: str
    endpoint: str
    browser: str | None
    workspace: str | None
    headless: bool | None
    version: str | None
    arguments: tuple[str, ...]


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
    return [entry for entry in bound_browsers() if not _is_refused(entry.endpoint)]


def dead_bindings() -> list[BoundBrowser]:
    """Entries that a killed driver left: nothing listens on their socket or loopback port."""
    return [entry for entry in bound_browsers() if _is_refused(entry.endpoint)]


def remove_binding(entry: BoundBrowser) -> None:
    entry.path.unlink(missing_ok=True)
    if entry.endpoint.startswith("/"):
        Path(entry.endpoint).unlink(missing_ok=True)


def remove_dead_bindings() -> None:
    """As Playwright's own tools do when they list the registry."""
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
