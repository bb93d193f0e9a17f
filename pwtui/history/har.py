"""The requests of pages in a span, as a HAR file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from pwtui import __version__
from pwtui.history.reader import EventRow


def to_har(events: Iterable[EventRow]) -> str:
    """What is known of each request: bodies and headers are not recorded."""
    entries = [_entry(event) for event in events if event.kind == "network"]
    creator = {"name": "pwtui", "version": __version__}
    log = {"version": "1.2", "creator": creator, "pages": [], "entries": entries}
    return json.dumps({"log": log}, ensure_ascii=False, indent=2) + "\n"


def _entry(event: EventRow) -> dict[str, Any]:
    data = json.loads(event.data)
    ms = data.get("durationMs") or 0
    query = parse_qsl(urlsplit(data["url"]).query, keep_blank_values=True)
    nothing = {"cookies": [], "headers": [], "headersSize": -1, "bodySize": -1}
    return {
        "startedDateTime": datetime.fromtimestamp(event.time, UTC).isoformat(),
        "time": ms,
        "request": {
            "method": data["method"],
            "url": data["url"],
            "httpVersion": "unknown",
            "queryString": [{"name": name, "value": value} for name, value in query],
            **nothing,
        },
        "response": {
            "status": data.get("status") or 0,
            "statusText": data.get("statusText") or data.get("failure") or "",
            "httpVersion": "unknown",
            "content": {"size": -1, "mimeType": ""},
            "redirectURL": "",
            **nothing,
        },
        "cache": {},
        "timings": {"send": 0, "wait": ms, "receive": 0},
    }
