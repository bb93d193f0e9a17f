"""What a site stores in the browser: cookies, local and session storage, names of databases."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.message import Message

from pwtui.protocol.query import Test
from pwtui.widgets.event_list import EventList
from pwtui.widgets.row_list import Ink
from pwtui.widgets.text import fit, plain

StorageKind: TypeAlias = Literal["cookie", "local", "session", "indexedDB", "cache"]

_KINDS: tuple[StorageKind, ...] = ("cookie", "local", "session", "indexedDB", "cache")
_KIND, _NAME, _SITE, _FLAGS, _EXPIRES = 11, 26, 28, 5, 12
_WIDE, _MIDDLE, _NARROW = 100, 84, 76
HIDDEN = "••••••••"


class StorageRow(NamedTuple):
    """An item. Only cookies have the fields after `value`; those of other kinds have no value."""

    kind: StorageKind
    name: str
    value: str = ""
    domain: str = ""
    path: str = ""
    expires: float = -1
    is_http_only: bool = False
    is_secure: bool = False
    same_site: str = ""

    @property
    def key(self) -> tuple[str, ...]:
        return self.kind, self.domain, self.path, self.name

    @property
    def can_change(self) -> bool:
        return self.kind in ("cookie", "local", "session")


class StorageList(EventList[StorageRow]):
    """One line per item. The value of a cookie is hidden until it is revealed."""

    EMPTY_TEXT = "The site has stored nothing. Press a to add an item."
    NOUN = "item"
    FOLLOWS_END = False
    FIELDS: ClassVar[Collection[str]] = ("is", "kind", "domain")
    STATES: ClassVar[dict[str, Test[StorageRow]]] = {
        "secure": lambda row: row.is_secure,
        "http-only": lambda row: row.is_http_only,
        "session": lambda row: row.kind == "cookie" and row.expires < 0,
    }
    ORDERS: ClassVar[dict[str, Callable[[StorageRow], Any]]] = {
        "name": lambda row: row.name.lower(),
        "size": lambda row: len(row.value),
        "site": lambda row: (row.domain.lstrip("."), row.path),
        "expiry": lambda row: row.expires,
    }

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "edit", id="storage.edit"),
        Binding("a", "add", "add", id="storage.add"),
        Binding("delete", "delete", "delete", id="storage.delete"),
        Binding(
            "space", "reveal", "show value", id="storage.reveal", tooltip="show a hidden value"
        ),
    ]

    class AddRequested(Message):
        """The user wants to add an item."""

    class DeleteRequested(EventList.RowMessage):
        """The user wants to delete an item."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._revealed: set[tuple[str, ...]] = set()

    def is_hidden(self, row: StorageRow) -> bool:
        return row.kind == "cookie" and row.key not in self._revealed

    def field(self, name: str, value: str) -> Test[StorageRow]:
        if name == "kind":
            return lambda row: row.kind.lower().startswith(value)
        return lambda row: value in row.domain.lower()

    def row_key(self, row: StorageRow) -> tuple[str, ...]:
        return row.key

    def row_text(self, row: StorageRow) -> str:
        value = "" if self.is_hidden(row) else row.value
        return f"{row.kind} {row.name} {value} {row.domain}{row.path}"

    def copied_text(self) -> str:
        row = self.cursor_row
        return "" if row is None else row.name if self.is_hidden(row) else row.value or row.name

    def summary(self) -> str:
        counts = Counter(row.kind for row in self._all_rows)
        plural = {"cookie": "cookies", "cache": "caches"}
        parts = [
            f"{counts[kind]} {kind if counts[kind] == 1 else plural.get(kind, kind)}"
            for kind in _KINDS
            if counts[kind]
        ]
        return " · ".join(filter(None, [super().summary(), *parts]))

    def action_reveal(self) -> None:
        if (row := self.cursor_row) is not None:
            self._revealed.symmetric_difference_update((row.key,))
            self.refresh_row(self.cursor)

    def action_add(self) -> None:
        self.post_message(self.AddRequested())

    def action_delete(self) -> None:
        if (row := self.cursor_row) is not None and row.can_change:
            self.post_message(self.DeleteRequested(self, row))

    def action_choose(self) -> None:
        if (row := self.cursor_row) is not None and row.can_change:
            super().action_choose()

    def draw(self, row: StorageRow, line: int, cells: int, ink: Ink) -> list[Segment]:
        muted, faint = ink("list--muted"), ink("list--faint")
        name_cells = max(12, min(_NAME, cells // 4))
        drawn = [
            Segment(fit(f" {row.kind}", _KIND), muted),
            Segment(fit(plain(row.name), name_cells), ink("list--strong")),
            Segment("  ", ink()),
        ]
        right: list[Segment] = []
        if row.kind == "cookie" and cells >= _NARROW:  # a value of another kind uses the room
            site = plain(row.domain + row.path)
            right.append(Segment(fit(site, min(_SITE, cells // 4)), muted))
            if cells >= _MIDDLE:
                right.append(Segment(fit(_flags(row), _FLAGS), muted))
            if cells >= _WIDE:
                right.append(Segment(fit(_expiry(row), _EXPIRES), faint))
        room = max(0, cells - _KIND - name_cells - 2 - sum(each.cell_length for each in right) - 2)
        hidden = self.is_hidden(row)
        value = HIDDEN if hidden else plain(row.value[: 4 * cells])
        drawn.append(Segment(fit(value, room), faint if hidden else ink()))
        return [*drawn, Segment("  ", ink()), *right]


def in_order(rows: Collection[StorageRow]) -> list[StorageRow]:
    """Grouped by kind, each by name."""
    return sorted(rows, key=lambda row: (_KINDS.index(row.kind), row.name.lower(), row.key))


def _flags(row: StorageRow) -> str:
    flags = ("H" if row.is_http_only else "·") + ("S" if row.is_secure else "·")
    return flags + (row.same_site[:1] or "·")


def _expiry(row: StorageRow) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(row.expires)) if row.expires >= 0 else "session"
