"""Responses as a person reads them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from pwtui.keywords.table import KEYWORDS
from pwtui.protocol.envelope import Response

Data = dict[str, Any]

# What follows from an action, which the line about the page tells.
_EFFECT = frozenset(
    """
    beforeUrl afterUrl navigated selector toSelector text key dialog downloads chooser held files
    selected url title viewportWidth viewportHeight status waitedMs condition selectorFound verified
    expected actual
    """.split()
)
SLOW_MS = 500
_DOTTED = re.compile(r"(?<![\w./-])[a-z]+\.[a-z-]+\b")


def render(response: Response) -> str:
    """The result or the error, then what else is worth knowing."""
    lines = [_error(response) if response.error else _result(response)]
    lines += [
        f"{'note' if note.level == 'info' else note.level}: {in_keywords(note.message)}"
        for note in response.diagnostics or ()
    ]
    lines += [f"saved {each.type}: {each.path}" for each in response.artifacts or ()]
    return "\n".join(line for line in lines if line)


def in_keywords(text: str) -> str:
    """A message with the keywords of the operations that it names."""
    return _DOTTED.sub(lambda match: _keyword_names().get(match[0], match[0]), text)


@cache
def _keyword_names() -> dict[str, str]:
    names: dict[str, str] = {}
    for keyword in KEYWORDS:
        names.setdefault(keyword.op, keyword.name)
    return names


def _error(response: Response) -> str:
    error = response.error
    if error is None:
        return ""
    lines = [f"{error.code}: {in_keywords(error.message)}"]
    details = error.details or {}
    for candidate in details.get("candidates") or ():
        lines.append(f"  {candidate.get('selector', '')}  {candidate.get('text', '')}".rstrip())
    if error.code == "ASSERTION_FAILED" and "expected" in details:
        lines.append(f"  expected: {_json(details['expected'])}")
        lines.append(f"  actual:   {_json(details.get('actual'))}")
    if close := details.get("nearMisses"):
        lines.append(f"  did you mean {' or '.join(close)}?")
    return "\n".join(lines)


def _result(response: Response) -> str:
    data = response.data or {}
    shown = _SHOWN.get(response.op)
    if shown is not None:
        return shown(data)
    if not data or data.keys() <= _EFFECT:
        return "ok"
    return _json(data, indent=2)


def _json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _field(name: str) -> Callable[[Data], str]:
    def show(data: Data) -> str:
        value = data.get(name)
        return value if isinstance(value, str) else _json(value, indent=2)

    return show


def _rows(items: Iterable[str], nothing: str) -> str:
    return "\n".join(items) or nothing


def _page(data: Data) -> str:
    title = f"  {data['title']}" if data.get("title") else ""
    status = f"  HTTP {data['status']}" if data.get("status", 200) >= 400 else ""
    return f"{data.get('url', '')}{title}{status}"


def _tabs(data: Data) -> str:
    rows = (
        f"{'*' if tab.get('active') else ' '} {tab['index']}: {tab.get('title', '')}  {tab['url']}"
        for tab in data.get("tabs", ())
    )
    return _rows(rows, "no tabs")


def _console(data: Data) -> str:
    rows = []
    for message in data.get("messages", ()):
        place = f"  ({message['url']}:{message.get('line', 0)})" if message.get("url") else ""
        rows.append(f"[{message['type']}] {message['text']}{place}")
    return _rows(rows, "no messages")


def _cookie(cookie: Data) -> str:
    return f"{cookie['name']}={cookie['value']}  ({cookie['domain']}{cookie['path']})"


def _one_cookie(data: Data) -> str:
    return _cookie(data["cookie"]) if data.get("cookie") else "no such cookie"


def _items(data: Data) -> str:
    rows = (f"{item['key']}={item['value']}" for item in data.get("items", ()))
    return _rows(rows, "nothing is stored")


def _stored(data: Data) -> str:
    value = data.get("value")
    return "nothing is stored under this key" if value is None else str(value)


def _requests(data: Data) -> str:
    rows = []
    for each in data.get("requests", ()):
        answer = each.get("status") or each.get("failure") or "no answer yet"
        rows.append(f"{each['index']}. [{each['method']}] {each['url']} => {answer}")
    return _rows(rows, "no requests")


def _sessions(data: Data) -> str:
    rows = (
        f"{each.get('profile') or each.get('title') or '-'}  {each.get('browser', '')}  "
        f"pid {each.get('pid', '?')}  {len(each.get('pages') or ())} tabs  {each.get('origin', '')}"
        for each in data.get("sessions", ())
    )
    return _rows(rows, "no browsers run")


def _session(data: Data) -> str:
    window = "without a window" if data.get("headless") else "with a window"
    return f"{data.get('browser', 'browser')} runs {window} (pid {data.get('pid', '?')})"


def _routes(data: Data) -> str:
    rows = (f"{each['pattern']}  {each.get('effect', '')}" for each in data.get("routes", ()))
    return _rows(rows, "no routes")


def _selected(data: Data) -> str:
    return f"ok, chosen: {', '.join(data.get('selected', ())) or 'nothing'}"


_SHOWN: dict[str, Callable[[Data], str]] = {
    "page.aria": _field("snapshot"),
    "page.eval": _field("result"),
    "page.run": _field("result"),
    "page.text": _field("text"),
    "page.html": _field("html"),
    "page.read": _field("content"),
    "page.title": _field("title"),
    "page.url": _field("url"),
    "page.locator": _field("selector"),
    "page.console": _console,
    "navigate": _page,
    "back": _page,
    "forward": _page,
    "reload": _page,
    "tabs.list": _tabs,
    "tabs.new": lambda data: f"tab {data['index']}: {_page(data)}",
    "tabs.switch": lambda data: f"tab {data['index']}: {_page(data)}",
    "tabs.close": lambda data: f"closed tab {data['index']}",
    "cookies.list": lambda data: _rows(map(_cookie, data.get("cookies", ())), "no cookies"),
    "cookies.get": _one_cookie,
    "localstorage.list": _items,
    "sessionstorage.list": _items,
    "localstorage.get": _stored,
    "sessionstorage.get": _stored,
    "requests.list": _requests,
    "route.list": _routes,
    "session.start": _session,
    "session.list": _sessions,
    "session.stop": lambda data: data.get("message") or "the browser is closed",
    "select": _selected,
    "screenshot": lambda data: "",
    "page.pdf": lambda data: "",
    "state.save": lambda data: "",
}


def page_change(response: Response, known: str | None) -> str | None:
    """The page's new address, when the response shows that it is another one."""
    url = response.context_delta.url if response.context_delta else None
    if url is None or response.op in ("navigate", "back", "forward", "reload", "page.url"):
        return None  # nothing to tell, or it is told already
    navigated = bool((response.data or {}).get("navigated"))
    return url if navigated or known not in (None, url) else None
