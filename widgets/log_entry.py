"""A log entry: a request and its response."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pwtui.protocol.addresses import SessionKey, is_bound_key, is_session_key
from pwtui.protocol.catalog import Effect, catalog
from pwtui.protocol.outcome import outcome_text, subject
from pwtui.widgets.text import plain

if TYPE_CHECKING:
    from pwtui.protocol.events import CallEvent

SLOW_MS = 1000
_SHORT = 200  # the longest value on one line
_LARGE = 100_000  # bytes


class LogEntry:
    """A request and its response as they were on the wire.

    They are kept as JSON text: a hundred thousand of them as objects would need many times the
    memory, and slow down the garbage collector.
    """

    # ok is None while the request is running; _result is made when it is shown.
    __slots__ = (
        *("_load", "_result", "_request", "_response", "acts", "client", "code", "duration_ms"),
        *("fold_key", "haystack", "hint", "is_event", "is_rule", "mark", "message", "ok", "op"),
        *("place", "profile", "recorded", "seen", "seq", "target", "time", "url", "version"),
        "workspace",
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
        *,
        place: str = "",
        seen: str = "",
        load: Callable[[], bytes] | None = None,
    ) -> None:
        """`place` is the page's URL before it, `seen` the element of its ref.

        `load` reads the response, if only its outline is given.
        """
        self.seq = seq
        self.time = time
        self.client = client
        self.profile = profile
        self.op = op
        self.place = place
        self.seen = seen
        self.workspace = ""
        self.recorded = False
        self.mark = False
        self.is_event = self.is_rule = False
        self.haystack = ""
        self.version = 0
        self.answer(request, response)
        self._load = load

    @classmethod
    def rule(cls, seq: int, time: float, text: str) -> LogEntry:
        """A line between what was before and after."""
        entry = cls(seq, time, "", "", "", {}, {"ok": True})
        entry.target = text
        entry.is_event = entry.is_rule = True
        return entry

    @classmethod
    def event(
        cls, seq: int, time: float, profile: str, what: str, said: str, *, ok: bool
    ) -> LogEntry:
        """An event of a browser; it cannot be sent again."""
        error = {} if ok else {"error": {"code": "BROWSER_ENDED", "message": said}}
        entry = cls(seq, time, "browser", profile, what, {}, {"ok": ok, **error})
        entry.target = _short(said) if ok else ""
        entry.is_event = True
        return entry

    @classmethod
    def of_call(cls, seq: int, event: CallEvent) -> LogEntry:
        """A call of another program in its own browser; it cannot be sent again."""
        began = event.time - (event.duration_ms or 0.0) / 1000
        program, session = event.tool, event.client or ""
        wire = call_on_wire(event)
        entry = cls(seq, began, program, session, wire[0]["op"], *wire)
        entry.is_event = True
        return entry

    def answer(self, request: dict[str, Any], response: dict[str, Any] | None) -> None:
        """Set the response, and the request with its secrets masked."""
        self._load = None
        self._request = _packed(request)
        self._response = None if response is None else _packed(response)
        is_large = self._response is not None and len(self._response) > _LARGE
        # Later, a large response would be decoded once more for it.
        large = relative_url(_result(self.op, response), self.place) if is_large else None
        self._result: str | None = large
        response = response or {}
        input = _mapping(request.get("input"))
        info = catalog().get(self.op)
        self.acts = info is None or info.effect_of(input) is not Effect.READS
        about = _about(self.op, input | _mapping(response.get("inputs")))
        if self.seen and about == input.get("ref"):
            about = self.seen
        self.target = relative_url(_short(about), self.place)
        self.url = str(_mapping(response.get("contextDelta")).get("url") or "")
        error = _mapping(response.get("error"))
        took = response.get("durationMs")
        self.ok: bool | None = None if self._response is None else response.get("ok") is True
        self.code = str(error.get("code") or "UNKNOWN") if self.failed else ""
        self.message = str(error.get("message") or "") if self.failed else ""
        self.hint = str(error.get("hint") or "") if self.failed else ""
        self.duration_ms = float(took) if isinstance(took, int | float) else None
        same = _packed({name: each for name, each in request.items() if name != "requestId"})
        # Equal entries that only read are shown once.
        self.fold_key = None if self.acts else hash((self.client, self.profile, self.code, same))

    @property
    def request(self) -> dict[str, Any]:
        request: dict[str, Any] = json.loads(self._request)
        return request

    @property
    def response(self) -> dict[str, Any] | None:
        text = self.texts[1]
        return None if text is None else json.loads(text)

    @property
    def texts(self) -> tuple[bytes, bytes | None]:
        """The JSON of both, to detect changes."""
        if self._load is not None:
            self._response, self._load = self._load(), None
        return self._request, self._response

    @property
    def size(self) -> int:
        """About how much memory it needs."""
        return 1000 + len(self._request) + len(self._response or b"")

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
    def result(self) -> str:
        """What a successful request returned or changed, in one line."""
        if self._result is None:
            outline = json.loads(self._response) if self._response else None
            self._result = relative_url(_result(self.op, outline), self.place)
        return self._result

    @property
    def outcome(self) -> str:
        """The error or the result, in one line."""
        if self.pending:
            return "running"
        if self.failed:
            return f"{self.code}  {_short(self.message)}"
        return f"→ {self.result}" if self.result else ""

    @property
    def summary(self) -> str:
        """The entry in one line of plain text."""
        took = "" if self.duration_ms is None else milliseconds(self.duration_ms)
        parts = (clock_time(self.time), self.client, self.profile, self.op, self.target)
        return plain("  ".join(filter(None, (*parts, self.outcome, took))))

    def index(self) -> None:
        """Update the text that a search looks at."""
        self.version += 1
        fields = (self.op, self.profile, self.client, self.target, self.code)
        self.haystack = "\n".join(fields).lower()


def call_on_wire(event: CallEvent) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """A call of another program, in the form of a request and its response."""
    target = event.target or ""
    request: dict[str, Any] = {"op": event.title.removesuffix(target).rstrip()}
    if target:
        request["input"] = {"target": target}
    request["pid"] = event.pid
    if event.source is not None:
        request["source"] = event.source.to_wire()
    if event.status == "running":
        return request, None
    response: dict[str, Any] = {"ok": event.status == "success", "durationMs": event.duration_ms}
    if event.error:
        response["error"] = {"code": "ERROR", "message": event.error}
    return request, response


def milliseconds(value: float) -> str:
    """A duration: 61 ms, 1.2 s, 2m05s."""
    if value < 999.5:
        return f"{value:.0f} ms"
    if value < 59_950:
        return f"{value / 1000:.1f} s"
    minutes, seconds = divmod(round(value / 1000), 60)
    return f"{minutes}m{seconds:02d}s"


def clock_time(moment: float, *, fine: bool = False) -> str:
    """The local time of day, with `fine` in milliseconds."""
    text = time.strftime("%H:%M:%S", time.localtime(moment))
    return f"{text}.{int(moment % 1 * 1000):03d}" if fine else text


def day_and_time(moment: float) -> str:
    """The local time of day, with the day if it is not today."""
    day = time.strftime("%Y-%m-%d ", time.localtime(moment))
    return clock_time(moment) if day == time.strftime("%Y-%m-%d ") else day + clock_time(moment)


def short_url(text: str) -> str:
    """A URL without its scheme and trailing slash."""
    bare = text.removeprefix("https://").removeprefix("http://")
    return bare.removesuffix("/") if bare != text else text


def relative_url(text: str, place: str) -> str:
    """A text whose URLs are read beside another one: the path of those of the same site."""
    if place and "://" in text:
        origin = "{0.scheme}://{0.netloc}".format(urlsplit(place))
        text = "/" if text == origin else text.replace(f"{origin}/", "/")
    return short_url(text)


def _short(text: str) -> str:
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}…"


def _packed(value: dict[str, Any]) -> bytes:
    from pydantic_core import to_json  # the first paint does not need it

    try:
        return to_json(value, inf_nan_mode="constants")
    except ValueError:  # a lone surrogate, which UTF-8 cannot encode
        return json.dumps(value).encode()


def _about(op: str, inputs: dict[str, Any]) -> str:
    """What the request acts on; the response has a locator for a ref."""
    info = catalog().get(op)
    if info is not None:
        about = subject(info, inputs) or str(inputs.get("url") or "")
        is_key = about == inputs.get("name") and is_session_key(about) and not is_bound_key(about)
        return SessionKey.parse(about).profile if is_key else about
    return next((value for value in inputs.values() if isinstance(value, str)), "")


def _result(op: str, response: dict[str, Any] | None) -> str:
    from pwtui.protocol.envelope import Response  # the first paint does not need it

    info = catalog().get(op)
    if info is None or response is None or response.get("ok") is not True:
        return ""
    try:
        return _short(outcome_text(info, Response.model_validate(response)))
    except (ValueError, LookupError, TypeError, AttributeError):
        return ""  # a daemon of another version


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
