"""A history to write to and to read."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pwtui.history.housekeeping import Housekeeper, Retention
from pwtui.history.reader import HistoryReader
from pwtui.history.tables import Finished, Number, Started
from pwtui.history.writer import HistoryWriter

SEQ = 1
REQUEST = b'{"op": "click", "input": {"selector": "#buy"}}'


def encoded(value: Any) -> bytes:
    return json.dumps(value).encode()


def started(op: str = "click", **changes: Any) -> Started:
    known = Started(time.time(), 1, op, "agent", 42, "/shop", "default")
    return known._replace(**changes)


def finished(**changes: Any) -> Finished:
    return Finished(12.5, True, None, "http://shop/cart", "key")._replace(**changes)


def response(data: Any = None) -> bytes:
    return encoded({"op": "click", "ok": True, "data": data})


class Kept:
    """A history in a folder, with a writer."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "state" / "history-1.db"
        self.writer = HistoryWriter(self.path)
        self.writer.open()

    def add(
        self,
        data: Any = None,
        *,
        request: dict[str, Any] | None = None,
        end: dict[str, Any] | None = None,
        **start: Any,
    ) -> int:
        """A finished request."""
        begun = started(**start)
        envelope = {"op": begun.op, "input": {"selector": "#buy"}} | (request or {})
        return self.put(begun, finished(**(end or {})), encoded(envelope), response(data)).id

    def put(self, *request: Any) -> Number:
        number = self.writer.new_number(SEQ)
        self.writer.add(number, *request)
        assert self.writer.problem is None
        return number

    def look(self, id: int, tree: str, picture: bytes | None = None) -> None:
        self.writer.add_look(Number(id, SEQ), tree.encode(), picture)

    @contextmanager
    def read(self) -> Iterator[HistoryReader]:
        with HistoryReader(self.path) as reader:
            yield reader

    def tidy(self, **retention: float) -> Housekeeper:
        """All of the housekeeping that there is to do."""
        self.writer.take_over()
        house = Housekeeper(self.path, self.writer.lock, Retention(**retention))
        while house.tidy(self.writer.next_id):
            pass
        while house.prune():
            pass
        return house
