"""Responses as a person reads them."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from pwtui.keywords.table import KEYWORDS
from pwtui.protocol.envelope import Response
from pwtui.protocol.printable import one_line

Data = dict[str, Any]

# The effects of an action, which the line about the page shows.
_EFFECT = frozenset(
    """
    beforeUrl afterUrl navigated selector toSelector text key dialog downloads fileChooser held
    files url waitedMs condition selectorFound verified expected actual started
    """.split()
)
SLOW_MS = 500
_DOTTED = re.compile(r"(?<![\w./-])[a-z]+\.[a-z-]+\b")


class Table(NamedTuple):
    """Rows to be aligned; the last column is what a narrow terminal loses first."""

    rows: Sequence[tuple[str, ...]]
    nothing: str = ""
    header: tuple[str, ...] = ()


def render(response: Response) -> str:
    """The result or the error in the words of the prompt, then what else is worth knowing."""
    return "\n".join(filter(None, [outcome(response), in_keywords(remarks(response))]))


def outcome(response: Response, width: int | None = None) -> str:
    """What was asked for: the result and the files; tables are cut to the terminal's width."""
    lines = [] if response.error else [_result(response, width)]
    lines += [f"saved {each.type}: {each.path}" for each in response.artifacts or ()]
    return "\n".join(filter(None, lines))


def remarks(response: Response) -> str:
    """The error and the diagnostics."""
    return "\n".join(filter(None, [_error(response), notes(response)]))


def notes(response: Response) -> str:
    lines = (
        f"{'note' if note.level == 'info' else note.level}: {note.message}"
        for note in response.diagnostics or ()
    )
    return "\n".join(lines)


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
    lines = [f"{error.code}: {error.message}"]
    details = error.details or {}
    for candidate in details.get("candidates") or ():
        lines.append(f"  {candidate.get('selector', '')}  {candidate.get('text', '')}".rstrip())
    if error.code == "ASSERTION_FAILED" and "expected" in details:
        lines.append(f"  expected: {_json(details['expected'])}")
        lines.append(f"  actual:   {_json(details.get('actual'))}")
    if close := details.get("nearMisses"):
        lines.append(f"  did you mean {' or '.join(close)}?")
    return "\n".join(lines)


def _result(response: Response, width: int | None) -> str:
    data = response.data or {}
    show = _SHOWN.get(response.op)
    if show is not None:
        shown = show(data)
        return shown if isinstance(shown, str) else _aligned(shown, width)
    if not data or data.keys() <= _EFFECT:
        return "ok"
    return str(data["message"]) if data.get("message") else "\n".join(outline(data))


def _aligned(table: Table, width: int | None) -> str:
    from rich.cells import cell_len, set_cell_size

    if not table.rows:
        return table.nothing
    rows = [[one_line(cell) for cell in row] for row in (table.header, *table.rows) if row]
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        line = "  ".join(map(set_cell_size, row, widths)).rstrip()
        if width is not None and cell_len(line) > width:
            line = set_cell_size(line, width - 1).rstrip() + "…"
        lines.append(line)
    return "\n".join(lines)


def outline(value: Any) -> Iterator[str]:
    """Any data as lines: `name: value`, with what is nested indented below its name."""
    if not isinstance(value, dict):
        for item in value:
            lines = list(outline(item)) if isinstance(item, dict | list) else [_scalar(item)]
            yield from (("  " if number else "- ") + line for number, line in enumerate(lines))
        return
    for name, inner in value.items():
        shown = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
        if not isinstance(inner, dict | list) or not inner:
            yield f"{shown}: {_scalar(inner)}"
        else:
            yield f"{shown}:"
            yield from (f"  {line}" for line in outline(inner))


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None or value in ({}, []) else str(value)


def _json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _field(name: str) -> Callable[[Data], str]:
    return lambda data: str(data.get(name) or "")


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


def _stored_now(data: Data) -> str:
    return f"{data['key']} {'set' if data.get('created') else 'replaced'}"


def _deleted(data: Data) -> str:
    return f"deleted {data['deleted']}"


def _stored(data: Data) -> str:
    value = data.get("value")
    return "nothing is stored under this key" if value is None else str(value)


def _exchange(data: Data) -> str:
    answer = data.get("status") or data.get("failure") or "no answer yet"
    return f"{data['index']}. [{data['method']}] {data['url']} => {answer}"


def _request(data: Data) -> str:
    """One request with its headers, as they are sent."""
    lines = [_exchange(data)]
    for title, headers in (
        ("request headers", data.get("requestHeaders")),
        ("response headers", data.get("responseHeaders")),
    ):
        if headers:
            lines += [f"{title}:", *(f"  {each['name']}: {each['value']}" for each in headers)]
    more = ("requestBodyBytes", "durationMs", "server", "timing", "redirectedFrom", "redirectedTo")
    return "\n".join([*lines, *outline({name: data[name] for name in more if data.get(name)})])


def _body(data: Data) -> str:
    if data.get("path"):
        return ""
    return data.get("text") or f"the {data.get('which', '')} has no body".replace("  ", " ")


def _matches(data: Data) -> str:
    rows = []
    for each in data.get("matches", ()):
        name = each.get("name") or each.get("text")
        ref = each.get("ref") or each.get("nearestRef")
        parts = [each["role"], f'"{name}"' if name else "", f"[ref={ref}]" if ref else ""]
        path = " > ".join(each.get("path", ()))
        rows.append(" ".join(filter(None, parts)) + (f"  in {path}" if path else ""))
    total = data.get("total", len(rows))
    if total > len(rows):
        rows.append(f"{len(rows)} of {total}; --max-results shows more")
    return _rows(rows, "nothing found")


def _dialog(done: str) -> Callable[[Data], str]:
    def show(data: Data) -> str:
        dialog = data.get("dialog")
        return f'{done} {dialog["type"]} "{dialog["message"]}"' if dialog else "no dialog is open"

    return show


def _sessions(data: Data) -> Table:
    rows = [
        (
            str(each.get("profile") or each.get("title") or "-"),
            str(each.get("browser") or "-"),
            str(each.get("pid") or each.get("ownerPid") or "-"),
            _size(each.get("memoryBytes")),
            str(each.get("origin", "-")),
            str(len(pages)) if (pages := each.get("pages")) is not None else "-",
            pages[0]["url"] if pages else "",
        )
        for each in data.get("sessions", ())
    ]
    header = ("NAME", "BROWSER", "PID", "MEMORY", "ORIGIN", "TABS", "PAGE")
    return Table(rows, "no browsers run", header)


def _status(data: Data) -> str | Table:
    return _sessions({"sessions": [data["session"]]}) if data.get("session") else data["message"]


def _daemon(data: Data) -> str | Table:
    if not data.get("running"):
        return str(data["message"])
    idle = data.get("idleTimeoutSeconds")
    rows = {
        "daemon": f"running, pid {data.get('pid')}, version {data.get('version')}",
        "uptime": _duration(data.get("uptimeSeconds")),
        "idle timeout": _duration(idle) if idle else "none",
        "memory": _size(data.get("memoryBytes")),
        "sessions": str(data.get("sessions", 0)),
        "clients": ", ".join(data.get("clients") or ()) or "none",
        "requests": f"{data.get('requestsServed', 0)} served"
        + "".join(f", {each['op']} running" for each in data.get("requestsRunning") or ()),
        "socket": str(data.get("socket")),
        "log": str(data.get("log")),
    }
    return Table(list(rows.items()))


def _operations(data: Data) -> Table:
    return Table([(each["op"], each["summary"]) for each in data.get("operations", ())])


def _operation(data: Data) -> str:
    """A help page: what it does, its fields, and a command to start from."""
    schema, example = data["input"], data["example"]
    required = schema.get("required", ())
    fields = [
        (
            f"  {name}",
            _type_of(field) + (", required" if name in required else ""),
            field.get("description", ""),
        )
        for name, field in schema.get("properties", {}).items()
        if not field.get("deprecated")
    ]
    command = f"pw exec {data['op']}"
    if example.get("input"):
        command += f" --input {shlex.quote(_json(example['input']))}"
    parts = [f"{data['op']}: {data['help']}", "Input:\n" + _aligned(Table(fields), None)]
    return "\n\n".join([*(parts if fields else parts[:1]), f"Example:\n  {command}"])


def _type_of(field: Data) -> str:
    kinds = [each for each in field.get("anyOf", [field]) if each.get("type") != "null"]
    named = (
        "|".join(map(str, each["enum"])) if "enum" in each else each.get("type", "object")
        for each in kinds
    )
    return " or ".join(dict.fromkeys(named))


def _size(count: int | None) -> str:
    return "-" if count is None else f"{count / 1e6:.0f} MB"


def _duration(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    for unit, name in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:.0f} {name}"
    return f"{seconds:.0f} s"


def _session(data: Data) -> str:
    window = "without a window" if data.get("headless") else "with a window"
    return f"{data.get('browser', 'browser')} runs {window} (pid {data.get('pid', '?')})"


def _routes(data: Data) -> str:
    return _rows(map(_route, data.get("routes", ())), "no routes")


def _route(data: Data) -> str:
    parts = [data["pattern"], "", data["effect"], str(data.get("status") or "")]
    replaced = " (replaced)" if data.get("replaced") else ""
    return " ".join(parts).rstrip() + replaced


def _emulated(data: Data) -> str:
    return "\n".join(outline({n: v for n, v in data.items() if v})) or "nothing is emulated"


def _value(data: Data) -> str:
    printed = str(data.get("printed") or "").rstrip("\n")
    value = data.get("result")
    if printed and value is None:
        return printed
    if data.get("undefined"):
        return "undefined"
    shown = value if isinstance(value, str) else _json(value, indent=2)
    return f"{printed}\n{shown}" if printed else shown


def _state(data: Data) -> str:
    return f"loaded {data['cookies']} cookies and the storage of {data['origins']} origins"


def _highlight(data: Data) -> str:
    return f"highlighted {data['selector']}" if data.get("highlighted") else "not highlighted"


def _selected(data: Data) -> str:
    return f"ok, chosen: {', '.join(data.get('selected', ())) or 'nothing'}"


_SHOWN: dict[str, Callable[[Data], str | Table]] = {
    "page.aria": _field("snapshot"),
    "page.eval": _value,
    "page.run": _value,
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
    "cookies.set": lambda data: f"{data['name']} set ({data['domain']}{data['path']})",
    "cookies.delete": _deleted,
    "cookies.clear": _deleted,
    "localstorage.set": _stored_now,
    "sessionstorage.set": _stored_now,
    "localstorage.delete": _deleted,
    "sessionstorage.delete": _deleted,
    "localstorage.clear": _deleted,
    "sessionstorage.clear": _deleted,
    "requests.list": lambda data: _rows(map(_exchange, data.get("requests", ())), "no requests"),
    "requests.show": _request,
    "requests.body": _body,
    "route.add": _route,
    "route.list": _routes,
    "route.remove": lambda data: f"removed {data['count']}",
    "dialog.accept": _dialog("accepted"),
    "dialog.dismiss": _dialog("dismissed"),
    "dialog.show": _dialog("open:"),
    "page.find": _matches,
    "page.resize": lambda data: f"{data['width']}x{data['height']}",
    "page.highlight": _highlight,
    "emulate.device": _emulated,
    "emulate.geolocation": _emulated,
    "emulate.locale": _emulated,
    "emulate.media": _emulated,
    "emulate.offline": _emulated,
    "emulate.timezone": _emulated,
    "profile.show": lambda data: _json(data, indent=2),
    "profile.list": lambda data: _rows(data.get("profiles", ()), "no profiles"),
    "profile.create": lambda data: f"created {data['profile']}",
    "profile.copy": lambda data: f"copied {data['copiedFrom']} to {data['profile']}",
    "profile.rename": lambda data: f"renamed {data['renamedFrom']} to {data['profile']}",
    "profile.set": lambda data: f"saved {data['profile']}",
    "profile.delete": lambda data: "deleted" if data["removed"] else "nothing to delete",
    "ops.list": _operations,
    "ops.describe": _operation,
    "daemon.start": _daemon,
    "daemon.status": _daemon,
    "daemon.stop": lambda data: str(data.get("message") or "the daemon is stopped"),
    "state.load": _state,
    "session.start": _session,
    "session.list": _sessions,
    "session.status": _status,
    "session.stop": lambda data: str(data.get("message") or "the browser is closed"),
    "select": _selected,
    "screenshot": lambda data: "",
    "page.pdf": lambda data: "",
    "state.save": lambda data: "",
    "trace.stop": lambda data: "",
    "video.stop": lambda data: "",
}


def page_change(response: Response, known: str | None) -> str | None:
    """The page's new address, when the response shows that it is another one."""
    url = response.context_delta.url if response.context_delta else None
    if url is None or response.op in ("navigate", "back", "forward", "reload", "page.url"):
        return None  # nothing new, or shown already
    navigated = bool((response.data or {}).get("navigated"))
    return url if navigated or known not in (None, url) else None
