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
from pwtui.history.writer import Finished, HistoryWriter, Started


def started(op: str = "click", **changes: Any) -> Started:
    request = json.dumps({"op": op, "input": {"selector": "#buy"}})
    known = Started(1, time.time(), 1, op, "agent", 42, "/shop", "default", request)
    return known._replace(**changes)


def finished(data: Any = None, **changes: Any) -> Finished:
    request = json.dumps({"op": "click", "input": {"selector": "#buy"}})
    response = json.dumps({"op": "click", "ok": True, "data": data})
    known = Finished(12.5, True, None, "http://shop/cart", "key", request, response)
    return known._replace(**changes)


class Kept:
    """A history in a folder, with a writer."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "state" / "history-1.db"
        self.writer = HistoryWriter(self.path)
        self.writer.open()

    def add(self, data: Any = None, *, end: dict[str, Any] | None = None, **start: Any) -> int:
        """A finished request."""
        id = self.writer.new_id()
        number = self.writer.add(id, started(**start), finished(data, **(end or {})))
        assert number is not None, self.writer.problem
        return number

    @contextmanager
    def read(self) -> Iterator[HistoryReader]:
        with HistoryReader(self.path) as reader:
            yield reader

    def tidy(self, **retention: float) -> Housekeeper:
        """All of the housekeeping that there is to do."""
        house = Housekeeper(self.path, self.writer.lock, Retention(**retention))
        while house.tidy(self.writer.next_id):
            pass
        while house.prune():
            pass
        return house
