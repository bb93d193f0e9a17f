"""Records of running relays, and the two secrets of the user's relays.

Clients have the token, the user's copy of the extension has the pairing secret.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from pwtui.state.files import locked, write_atomic, write_json
from pwtui.state.paths import user_state_dir

DEFAULT_PORT = 19988


class RelayRecord(NamedTuple):
    """A relay and its process."""

    port: int
    pid: int
    started_at: float
    version: str


def relay_folder() -> Path:
    return user_state_dir() / "relay"


def relay_log_file() -> Path:
    return relay_folder() / "relay.log"


def relay_token() -> str:
    return _secret("token")


def new_relay_token() -> str:
    """Replace the token; running relays read it again at the next request."""
    return _secret("token", replace=True)


def pairing_secret() -> str:
    return _secret("pairing")


def proof(secret: str, *parts: str | int) -> str:
    """The HMAC of the parts, which proves that the sender has the secret."""
    return hmac.new(secret.encode(), "\n".join(map(str, parts)).encode(), "sha256").hexdigest()


def _secret(name: str, *, replace: bool = False) -> str:
    """A secret, created if it does not exist. Only the user can read its file."""
    if not replace and (known := _read(name)):
        return known
    with locked(relay_folder() / f"{name}.lock"):
        if not replace and (known := _read(name)):
            return known
        secret = secrets.token_urlsafe(32)
        write_atomic(relay_folder() / name, f"{secret}\n".encode(), private=True)
        return secret


def _read(name: str) -> str:
    with suppress(FileNotFoundError):
        return (relay_folder() / name).read_text().strip()
    return ""


class OpenedBrowser(NamedTuple):
    """The process of a browser that `pw relay open` started."""

    pid: int
    started_at: float


def opened_browser_file(port: int) -> Path:
    return relay_folder() / f"browser-{port}.json"


def without_own_token(endpoint: str) -> str:
    """The endpoint without the token of the user's relays, which pwtui adds when it connects."""
    place, mark, query = endpoint.partition("?")
    with suppress(OSError):
        if "token=" in query and (own := _read("token")):
            kept = "&".join(each for each in query.split("&") if each != f"token={own}")
            return place + (mark + kept if kept else "")
    return endpoint


def write_record(record: RelayRecord) -> None:
    write_json(_record_file(record.port), record._asdict(), private=True)


def remove_record(port: int) -> None:
    """Remove the record that this process wrote."""
    for record in relay_records():
        if record.port == port and record.pid == os.getpid():
            _record_file(port).unlink(missing_ok=True)


def relay_records() -> Iterator[RelayRecord]:
    with suppress(OSError):
        for path in sorted(relay_folder().glob("relay-*.json")):
            with suppress(OSError, ValueError, TypeError):
                yield RelayRecord(**json.loads(path.read_bytes()))


def _record_file(port: int) -> Path:
    return relay_folder() / f"relay-{port}.json"
