"""One line of the log: a request and, once it is there, its response."""

from __future__ import annotations

import json
import time
from typing import Any

from pydantic_core import to_json

from pwtui.protocol.catalog import catalog
from pwtui.protocol.envelope import Response
from pwtui.protocol.outcome import outcome_text, subject
from pwtui.widgets.text import plain

SLOW_MS = 1000
_SHORT = 200  # what is drawn of a value on one line is never longer


class LogEntry:
    """A request and its response as they were on the wire.

    They are kept as JSON text. A log has a hundred thousand of them: as objects they would take
    many times the memory, and the garbage collector would stop the screen to walk through them.
    """

    # ok is None while the request runs; _came is made when it is shown.
    __slots__ = (
        *("_came", "_request", "_response", "client", "code", "duration_ms", "haystack", "hint"),
        *("is_event", "mark", "message", "ok", "op", "profile", "recorded", "seq", "target"),
        *("time", "version"),
    )

    def __init__(
        self,
        seq: int,
        time: float,
        client: str,
        profile: str,
        op: str,
        request: dict[str, Any],
        response: dict[str, Any] | None = None,
    ) -> None:
        self.seq = seq
        self.time = time
        self.client = client
        self.profile = profile
        self.op = op
        self.recorded = False
        self.mark = False
        self.is_event = False
        self.haystack = ""
        self.version = 0
        self.answer(request, response)

    @classmethod
    def event(
        cls, seq: int, time: float, profile: str, what: str, said: str, *, ok: bool
    ) -> LogEntry:
        """What happened to a browser without a request; it cannot be sent again."""
        error = {} if ok else {"error": {"code": "BROWSER_ENDED", "message": said}}
        entry = cls(seq, time, "browser", profile, what, {}, {"ok": ok, **error})
        entry.target = _short(said) if ok else ""
        entry.is_event = True
        return entry

    def answer(self, request: dict[str, Any], response: dict[str, Any] | None) -> None:
        """Take the response, and the request as it may be shown."""
        self._request = _packed(request)
        self._response = None if response is None else _packed(response)
        self._came: str | None = None
        response = response or {}
        self.target = _target(self.op, _mapping(request.get("input")), response)
        error = _mapping(response.get("error"))
        took = response.get("durationMs")
        self.ok: bool | None = None if self._response is None else response.get("ok") is True
        self.code = str(error.get("code") or "UNKNOWN") if self.failed else ""
        self.message = str(error.get("message") or "") if self.failed else ""
        self.hint = str(error.get("hint") or "") if self.failed else ""
        self.duration_ms = float(took) if isinstance(took, int | float) else None

    @property
    def request(self) -> dict[str, Any]:
        request: dict[str, Any] = json.loads(self._request)
        return request

    @property
    def response(self) -> dict[str, Any] | None:
        return None if self._response is None else json.loads(self._response)

    @property
    def texts(self) -> tuple[bytes, bytes | None]:
        """The JSON of both; while it is the same, so is all that can be read of them."""
        return self._request, self._response

    @property
    def pending(self) -> bool:
        return self.ok is None

    @property
    def failed(self) -> bool:
        return self.ok is False

    @property
    def slow(self) -> bool:
        return (self.duration_ms or 0) > SLOW_MS

    @property
    def came_of_it(self) -> str:
        """What came of the request besides that it succeeded."""
        if self._came is None:
            self._came = _came_of_it(self.op, self._response) if self.ok else ""
        return self._came

    @property
    def outcome(self) -> str:
        """The error, or what came of it, or that it is well or still running."""
        if self.pending:
            return "running"
        if self.failed:
            return f"{self.code}  {_short(self.message)}"
        return f"→ {self.came_of_it}" if self.came_of_it else "ok"

    @property
    def summary(self) -> str:
        """The entry in one line of plain text."""
        took = "" if self.duration_ms is None else milliseconds(self.duration_ms)
        parts = (clock_time(self.time), self.client, self.profile, self.op, self.target)
        return plain("  ".join(filter(None, (*parts, self.outcome, took))))

    def index(self) -> None:
        """Write down what a search looks at, after each change."""
        self.version += 1
        fields = (self.op, self.profile, self.client, self.target, self.code)
        self.haystack = "\n".join(fields).lower()


def milliseconds(value: float) -> str:
    """How long something took: 61 ms, 1.2 s, 2m05s."""
    if value < 999.5:
        return f"{value:.0f} ms"
    if value < 59_950:
        return f"{value / 1000:.1f} s"
    minutes, seconds = divmod(round(value / 1000), 60)
    return f"{minutes}m{seconds:02d}s"


def clock_time(moment: float, *, fine: bool = False) -> str:
    """The local time of day; fine has milliseconds."""
    text = time.strftime("%H:%M:%S", time.localtime(moment))
    return f"{text}.{int(moment % 1 * 1000):03d}" if fine else text


def short_url(text: str) -> str:
    """A URL without what all of them have."""
    bare = text.removeprefix("https://").removeprefix("http://")
    return bare.removesuffix("/") if bare != text else text


def _short(text: str) -> str:
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}…"


def _packed(value: dict[str, Any]) -> bytes:
    try:
        return to_json(value, inf_nan_mode="constants")
    except ValueError:  # half a surrogate pair, which text may have and UTF-8 may not
        return json.dumps(value).encode()


def _target(op: str, input: dict[str, Any], response: dict[str, Any]) -> str:
    """What the request is about; the response has a locator for a ref."""
    info = catalog().get(op)
    inputs = input | _mapping(response.get("inputs"))
    if info is not None:
        about = subject(info, inputs) or str(inputs.get("url") or "")
    else:
        about = next((value for value in inputs.values() if isinstance(value, str)), "")
    return short_url(_short(about))


def _came_of_it(op: str, response: bytes | None) -> str:
    info = catalog().get(op)
    if info is None or response is None:
        return ""
    try:
        return short_url(_short(outcome_text(info, Response.model_validate_json(response))))
    except (ValueError, LookupError, TypeError, AttributeError):
        return ""  # a daemon of another version


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
