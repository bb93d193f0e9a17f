"""Differences between a recorded and a new response, except for volatile values."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from typing import Any

from pwtui.protocol import secrets
from pwtui.protocol.catalog import catalog
from pwtui.protocol.envelope import Response
from pwtui.protocol.schema import volatile_fields

_TIME = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?"
_MASKS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\[ref=(?:f\d+)?e\d+\]"), "[ref]"),
    (re.compile(_TIME), "<time>"),
    (re.compile(r"(?<=[\w\]]):\d{2,5}(?=[/?#\s'\"]|$)"), ":<port>"),
    (re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", re.IGNORECASE), "<id>"),
    (re.compile(r"(?<![\w:/])/(?:tmp|home|root|Users|private|var|run)/[^\s'\"]*"), "<path>"),
    (re.compile(r"\b\d+(?:\.\d+)? ?m?s\b"), "<time>"),
)
_ABSENT = object()
MAX_SHOWN = 200


@dataclass(frozen=True)
class Difference:
    where: str
    recorded: Any
    now: Any

    def __str__(self) -> str:
        return f"{self.where}: was {_shown(self.recorded)}, is {_shown(self.now)}"


def differences(recorded: Response, now: Response) -> list[Difference]:
    """The differences; empty when there are none."""
    if recorded.ok != now.ok:
        return [Difference("ok", _outcome(recorded), _outcome(now))]
    if recorded.error is not None and now.error is not None:
        old, new = recorded.error, now.error
        found = list(_differences("error.code", old.code, new.code))
        return found or list(_differences("error.message", old.message, new.message))
    return [
        # A recording is masked.
        *_differences("data", secrets.masked(recorded.data), secrets.masked(now.data)),
        *_differences("contextDelta.url", _url(recorded), _url(now)),
    ]


@cache
def _volatile_fields() -> frozenset[str]:
    return frozenset(name for info in catalog().values() for name in volatile_fields(info.data))


def _differences(where: str, old: Any, new: Any) -> Iterator[Difference]:
    if isinstance(old, dict) and isinstance(new, dict):
        for name in dict.fromkeys((*old, *new)):
            if name not in _volatile_fields():
                left, right = old.get(name, _ABSENT), new.get(name, _ABSENT)
                yield from _differences(f"{where}.{name}", left, right)
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            yield Difference(f"{where}.length", len(old), len(new))
            return
        for index, (left, right) in enumerate(zip(old, new, strict=True)):
            yield from _differences(f"{where}[{index}]", left, right)
    elif isinstance(old, str) and isinstance(new, str):
        yield from _text_differences(where, old, new)
    elif old != new:
        yield Difference(where, old, new)


def _text_differences(where: str, old: str, new: str) -> Iterator[Difference]:
    """For texts of several lines, the first line that differs."""
    lines = (_comparable(text).splitlines() for text in (old, new))
    pairs = list(zip_longest(*lines, fillvalue=_ABSENT))
    for number, (left, right) in enumerate(pairs, 1):
        if left != right:
            in_line = Difference(f"{where} line {number}", left, right)
            yield in_line if len(pairs) > 1 else Difference(where, old, new)
            return


def _comparable(text: str) -> str:
    """The text without refs, ports, times, ids and paths."""
    for pattern, replacement in _MASKS:
        text = pattern.sub(replacement, text)
    return text


def _outcome(response: Response) -> str:
    return "ok" if response.error is None else f"{response.error.code}: {response.error.message}"


def _url(response: Response) -> str | None:
    return response.context_delta.url if response.context_delta else None


def _shown(value: Any) -> str:
    text = "nothing" if value is _ABSENT else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…"
