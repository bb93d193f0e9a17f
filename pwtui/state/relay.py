"""Where relays run, and the token that their clients show. One token for all relays of a user."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from pwtui.state.files import locked, write_atomic, write_json
from pwtui.state.places import user_state_dir

DEFAULT_PORT = 19988


@dataclass(frozen=True)
class RelayRecord:
    """A relay that said it runs; whether it still does, its process tells."""

    port: int
    pid: int
    started_at: float
    version: str


def relay_folder() -> Path:
    return user_state_dir() / "relay"


def relay_log_file() -> Path:
    return relay_folder() / "relay.log"


def relay_token() -> str:
    """The token, made when there is none yet. Only the user can read its file."""
    path = relay_folder() / "token"
    with suppress(FileNotFoundError):
        if token := path.read_text().strip():
            return token
    with locked(relay_folder() / "token.lock"):
        with suppress(FileNotFoundError):
            if token := path.read_text().strip():
                return token
        token = secrets.token_urlsafe(32)
        write_atomic(path, f"{token}\n".encode(), private=True)
        return token


def write_record(record: RelayRecord) -> None:
    write_json(_record_file(record.port), asdict(record), private=True)


def remove_record(port: int) -> None:
    """Forget a relay, if it was this process that wrote of it."""
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
