"""Where a new response differs from the recorded one, apart from what always differs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pwtui.protocol import secrets
from pwtui.protocol.envelope import Response

# Of another moment, another process or another machine.
_NEVER_THE_SAME = frozenset(
    """
    durationMs waitedMs requestId time timestamp createdAt startedAt lastUsedAt ageSeconds
    uptimeSeconds expires pid pids ownerPid port sessionKey sessionId workspace workspaceId profile
    memoryBytes cpuSeconds sizeBytes size path outputPath file socket log version seq ref stack
    callLog timing
    """.split()
)
_TIME = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?"
_MASKS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\[ref=(?:f\d+)?e\d+\]"), "[ref]"),
    (re.compile(_TIME), "<time>"),
    (re.compile(r"(?<=[\w\]]):\d{2,5}(?=[/?#\s'\"]|$)"), ":<port>"),
    (re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", re.IGNORECASE), "<id>"),
    (re.compile(r"(?<![\w:/])/(?:tmp|home|root|Users|private|var|run)/[^\s'\"]*"), "<path>"),
    (re.compile(r"\b\d+(?:\.\d+)? ?m?s\b"), "<time>"),
)
MAX_SHOWN = 200


@dataclass(frozen=True)
class Difference:
    where: str
    recorded: Any
    now: Any

    def __str__(self) -> str:
        return f"{self.where}: was {_shown(self.recorded)}, is {_shown(self.now)}"


class Absent:
    """There is no value."""

    def __repr__(self) -> str:
        return "nothing"


ABSENT = Absent()


def differences(recorded: Response, now: Response) -> list[Difference]:
    """Empty when the new response says the same."""
    if recorded.ok != now.ok:
        return [Difference("ok", _outcome(recorded), _outcome(now))]
    if recorded.error is not None and now.error is not None:
        old, new = recorded.error, now.error
        found = _differ("error.code", old.code, new.code)
        return list(found) or list(_differ("error.message", old.message, new.message))
    return [
        # What was recorded is masked.
        *_differ("data", secrets.masked(recorded.data), secrets.masked(now.data)),
        *_differ("contextDelta.url", _url(recorded), _url(now)),
    ]


def _differ(where: str, old: Any, new: Any) -> Iterator[Difference]:
    if isinstance(old, dict) and isinstance(new, dict):
        for name in dict.fromkeys((*old, *new)):
            if name not in _NEVER_THE_SAME:
                yield from _differ(f"{where}.{name}", old.get(name, ABSENT), new.get(name, ABSENT))
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            yield Difference(f"{where}.length", len(old), len(new))
            return
        for index, (left, right) in enumerate(zip(old, new, strict=True)):
            yield from _differ(f"{where}[{index}]", left, right)
    elif isinstance(old, str) and isinstance(new, str):
        if masked(old) != masked(new):
            yield _of_texts(where, old, new)
    elif old != new:
        yield Difference(where, old, new)


def masked(text: str) -> str:
    """The text without refs, ports, times, ids and paths."""
    for pattern, instead in _MASKS:
        text = pattern.sub(instead, text)
    return text


def _of_texts(where: str, old: str, new: str) -> Difference:
    """Of long texts, the first line that differs."""
    old_lines, new_lines = masked(old).splitlines(), masked(new).splitlines()
    if len(old_lines) < 2 and len(new_lines) < 2:
        return Difference(where, old, new)
    for number, (left, right) in enumerate(zip(old_lines, new_lines, strict=False), 1):
        if left != right:
            return Difference(f"{where} line {number}", left, right)
    shorter = min(len(old_lines), len(new_lines))
    return Difference(
        f"{where} line {shorter + 1}",
        old_lines[shorter] if len(old_lines) > shorter else ABSENT,
        new_lines[shorter] if len(new_lines) > shorter else ABSENT,
    )


def _outcome(response: Response) -> str:
    return "ok" if response.error is None else f"{response.error.code}: {response.error}"


def _url(response: Response) -> str | None:
    return response.context_delta.url if response.context_delta else None


def _shown(value: Any) -> str:
    text = repr(value) if isinstance(value, Absent) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…"
