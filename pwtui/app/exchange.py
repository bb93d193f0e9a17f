"""A request of the page with its response: read, shown in parts, and copied in other forms."""

from __future__ import annotations

import asyncio
import json
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import parse_qsl, urlsplit

from pwtui.widgets.folded_text import Part
from pwtui.widgets.network_list import NetworkRow
from pwtui.widgets.text import wrapped
from pwtui.widgets.units import memory

if TYPE_CHECKING:
    from pwtui.app.snapshots import Ask
    from pwtui.protocol.envelope import Response

# A body that is not complete may never come: of a stream, or of a response that nothing reads.
BODY_SECONDS = 3.0
BAR_CELLS = 30
# What a client adds to each request itself.
_OWN_HEADERS = frozenset(("content-length", "host", "connection"))
_TEXTS = ("text/", "json", "javascript", "xml", "x-www-form-urlencoded", "graphql")
_PHASES = (
    ("DNS", "domainLookupStart", "domainLookupEnd"),
    ("connect", "connectStart", "connectEnd"),
    ("TLS", "secureConnectionStart", "connectEnd"),
    ("waiting", "requestStart", "responseStart"),
    ("receiving", "responseStart", "responseEnd"),
)

Which = Literal["request", "response"]


@dataclass
class Body:
    text: str | None = None
    note: str = ""
    """Why there is no text."""

    @property
    def parsed(self) -> Any:
        """The value of a JSON text, else None."""
        try:
            return json.loads(self.text or "")
        except ValueError:
            return None

    def part(self, title: str) -> Part:
        if (value := self.parsed) is not None:
            return Part(title, value=value, has_value=True)
        return Part(title, lines=self.text.splitlines() if self.text else wrapped(self.note, 60))


@dataclass
class Exchange:
    """What `requests.show` says, and the bodies, which are None until they were read."""

    row: NetworkRow
    head: dict[str, Any]
    bodies: dict[Which, Body] = field(default_factory=dict)

    def headers(self, which: Which) -> list[tuple[str, str]]:
        found = self.head.get(f"{which}Headers") or []
        return [(each["name"], each["value"]) for each in found]

    def content_type(self, which: Which) -> str:
        found = (value for name, value in self.headers(which) if name.lower() == "content-type")
        return next(found, "")

    @property
    def is_image(self) -> bool:
        return self.content_type("response").startswith("image/") and "svg" not in (
            self.content_type("response")
        )

    # -- shown -----------------------------------------------------------------------------------

    def parts(self, *, caused_by: str = "") -> Iterator[Part]:
        head, row = self.head, self.row
        status = head.get("status")
        state = f"{status} {head.get('statusText') or ''}".strip() if status else ""
        general = [
            f"url: {row.url}",
            f"status: {state or row.failure or 'pending'}",
            f"type: {row.type}",
        ]
        for name, label in (("server", "server"), ("redirectedFrom", "redirected from")):
            general += [f"{label}: {head[name]}"] if head.get(name) else []
        general += [f"redirected to: {head['redirectedTo']}"] if head.get("redirectedTo") else []
        general += [f"failure: {head['failure']}"] if head.get("failure") else []
        general += [f"caused by: {caused_by}"] if caused_by else []
        yield Part(f"{row.method} {urlsplit(row.url).path or row.url}", general)
        if query := parse_qsl(urlsplit(row.url).query, keep_blank_values=True):
            yield Part("Query", [f"{name}: {value}" for name, value in query])
        yield from self._side("request", "Request")
        yield from self._side("response", "Response")
        if phases := list(_bars(head.get("timing") or {})):
            yield Part("Timing", phases)

    def _side(self, which: Which, title: str) -> Iterator[Part]:
        if headers := self.headers(which):
            lines = [f"{name}: {value}" for name, value in headers]
            # Those of the request are rarely what one looks for.
            yield Part(f"{title} headers", lines, is_folded=which == "request")
        body = self.bodies.get(which)
        if body is not None and (body.text or body.note):
            yield body.part(f"{title} body")

    # -- in other forms --------------------------------------------------------------------------

    def curl(self) -> str:
        words = ["curl", self.row.url]
        if self.row.method != "GET":
            words += ["-X", self.row.method]
        for name, value in self.headers("request"):
            if not name.startswith(":") and name.lower() not in _OWN_HEADERS:
                words += ["-H", f"{name}: {value}"]
        body = self.bodies.get("request")
        if body is not None and body.text:
            words += ["--data-raw", body.text]
        return shlex.join(words)

    def route(self) -> dict[str, Any]:
        """The input of `route.add` that answers with this response."""
        body = self.bodies.get("response")
        kind = self.content_type("response")
        return {
            "pattern": pattern_of(self.row),
            "status": self.head.get("status") or 200,
            **({"contentType": kind} if kind else {}),
            "body": (body.text if body is not None else None) or "",
        }

    def har(self) -> dict[str, Any]:
        """A HAR file with this exchange alone."""
        row, request, response = self.row, self.bodies.get("request"), self.bodies.get("response")
        sent: dict[str, Any] = {
            "method": row.method,
            "url": row.url,
            "httpVersion": "HTTP/1.1",
            "cookies": [],
            "headers": self.head.get("requestHeaders") or [],
            "queryString": [
                {"name": name, "value": value}
                for name, value in parse_qsl(urlsplit(row.url).query, keep_blank_values=True)
            ],
            "headersSize": -1,
            "bodySize": self.head.get("requestBodyBytes", -1),
        }
        if request is not None and request.text:
            sent["postData"] = {"mimeType": self.content_type("request"), "text": request.text}
        content = {
            "size": row.size if row.size is not None else -1,
            "mimeType": self.content_type("response"),
            **({"text": response.text} if response is not None and response.text else {}),
        }
        entry = {
            "startedDateTime": datetime.fromtimestamp(row.started, UTC).isoformat(),
            "time": row.milliseconds or 0,
            "request": sent,
            "response": {
                "status": self.head.get("status") or 0,
                "statusText": self.head.get("statusText") or "",
                "httpVersion": "HTTP/1.1",
                "cookies": [],
                "headers": self.head.get("responseHeaders") or [],
                "content": content,
                "redirectURL": self.head.get("redirectedTo") or "",
                "headersSize": -1,
                "bodySize": content["size"],
            },
            "cache": {},
            "timings": {"send": 0, "wait": row.milliseconds or 0, "receive": 0},
        }
        creator = {"name": "pwtui", "version": "1"}
        return {"log": {"version": "1.2", "creator": creator, "entries": [entry]}}


def pattern_of(row: NetworkRow) -> str:
    """The glob of a request's URL with any query."""
    return row.url.partition("?")[0] + "*"


async def read_exchange(ask: Ask, row: NetworkRow) -> tuple[Exchange | None, Response]:
    """The exchange without its bodies; None if it is not known any more.

    After a navigation that failed no page is open to ask: what the row has is shown.
    """
    response = await ask("requests.show", index=row.index)
    head = {"failure": row.failure} if response.data is None and row.failure else response.data
    return (Exchange(row, head) if head is not None else None), response


async def read_body(ask: Ask, exchange: Exchange, which: Which) -> None:
    """Read a body, if it is text."""
    head = exchange.head
    if which == "request" and not head.get("requestBodyBytes"):
        return
    kind = exchange.content_type(which)
    if kind and not any(each in kind for each in _TEXTS):
        size = f", {memory(exchange.row.size)}" if exchange.row.size else ""
        exchange.bodies[which] = Body(note=f"({kind}{size})")
        return
    if which == "response" and head.get("status") is None:
        return
    try:
        async with asyncio.timeout(BODY_SECONDS):
            response = await ask("requests.body", index=exchange.row.index, which=which)
    except TimeoutError:
        exchange.bodies[which] = Body(note="(not complete yet)")
        return
    data = response.data or {}
    note = response.error.message if response.error else "" if data.get("text") else "(empty)"
    exchange.bodies[which] = Body(data.get("text"), note)


async def save_body(ask: Ask, exchange: Exchange, path: Path) -> bool:
    """Write the body of the response to a file; whether there is one."""
    try:
        async with asyncio.timeout(BODY_SECONDS):
            response = await ask("requests.body", index=exchange.row.index, output=str(path))
    except TimeoutError:
        return False
    return response.data is not None


def _bars(timing: dict[str, float]) -> Iterator[str]:
    """A line for each phase, with a bar that shows when it was."""
    whole = max(timing.values(), default=0.0)
    for label, first, last in _PHASES:
        start, end = timing.get(first, -1), timing.get(last, -1)
        if start < 0 or end < start or whole <= 0:
            continue
        before = min(BAR_CELLS - 1, round(start / whole * BAR_CELLS))
        length = max(1, round((end - start) / whole * BAR_CELLS))
        bar = (" " * before + "━" * length)[:BAR_CELLS].ljust(BAR_CELLS)
        yield f"{label + ':':<11}{end - start:>9.1f} ms  {bar}"
