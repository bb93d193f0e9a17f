"""Recordings as spans of the history: when which one was made, and of whose requests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from pwtui.history.reader import Condition
from pwtui.protocol.errors import InvalidInput
from pwtui.state.files import locked, make_folder, private_opener, write_atomic
from pwtui.state.paths import user_state_dir

KEPT = 1000


class Span(NamedTuple):
    """A recording: its file, and the requests of a workspace between two times."""

    path: str
    workspace: str
    started: float
    ended: float
    client: str | None = None
    """Only the requests of this client, from one process."""
    pid: int | None = None

    @property
    def name(self) -> str:
        return Path(self.path).stem

    def condition(self) -> Condition:
        sql = "requests.workspace = (select id from names where text = ?) and time between ? and ?"
        values = (self.workspace, self.started, self.ended)
        if self.client is None:
            return Condition(sql, values)
        whose = "requests.client = (select id from names where text = ?) and pid is ?"
        return Condition(f"{sql} and {whose}", (*values, self.client, self.pid))


def spans_file() -> Path:
    return user_state_dir() / "recordings.ndjson"


def add_span(span: Span) -> None:
    """Note a recording that has ended. What cannot be written costs the name, no more."""
    path = spans_file()
    with suppress(OSError):
        make_folder(path.parent, private=True)
        with locked(path.with_suffix(".lock")):
            known = path.read_bytes().splitlines(keepends=True) if path.exists() else []
            line = (json.dumps(span._asdict()) + "\n").encode("utf-8", "replace")
            if len(known) >= KEPT:
                write_atomic(path, b"".join([*known[1 - KEPT :], line]), private=True)
            else:
                with open(path, "ab", opener=private_opener) as file:
                    file.write(line)


def spans() -> list[Span]:
    """The known recordings, the newest first."""
    return list(_read())[::-1]


def find_span(name: str) -> Span:
    """The newest recording of a name, or in a file. Raises InvalidInput if there is none."""
    known = spans()
    wanted = name.lower()
    for span in known:
        if wanted in (span.name.lower(), Path(span.path).name.lower(), span.path.lower()):
            return span
    names = ", ".join(dict.fromkeys(span.name for span in known[:10]))
    raise InvalidInput(
        f"filter: there is no recording {name}", hint=f"known are {names}" if names else None
    )


def _read() -> Iterator[Span]:
    try:
        lines = spans_file().read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        with suppress(ValueError, TypeError):
            yield Span(**json.loads(line))
