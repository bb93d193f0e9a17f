"""Shows a response as text, and in one line.

A template is a sequence of parts. `{url}` is a field of the data, `{dialog.type}` a nested field,
`{title|url}` the first field that is set, `{pid|'?'}` a field or else a text, `{created?set:kept}`
one of two texts, `{pages:count}` a field in one of the `_FORMATS`. A part with a missing or empty
field is left out.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

from pwtui.protocol import schema as schemas
from pwtui.protocol.keyword import NOTHING

if TYPE_CHECKING:
    from pwtui.protocol.catalog import OperationInfo
    from pwtui.protocol.envelope import Response

Parts = tuple[str, ...]
Fields = Mapping[str, Any]

LONGEST_LINE = 200
LONGEST_TYPE = 30
_FIELD = re.compile(r"\{((?:'[^']*'|[^{}?:])*)(?:\?([^{}:]*):([^{}]*)|:(\w+))?\}")


class Outcome(NamedTuple):
    """How the data of one operation is shown."""

    text: Parts = ()
    """The data as text, or each item of `rows`."""
    rows: str | None = None
    """The field with the items, or with a single one."""
    columns: Mapping[str, str] = NOTHING
    """The columns of the table of rows; without rows, the lines of a table."""
    header: bool = True
    section: str = ""
    """The heading of a row, which is shown where it changes."""
    needs: str | None = None
    """If this field is missing, only `empty` is shown."""
    empty: str = ""
    """Shown if there is no text and no file was saved."""
    more: str = ""
    """How to get the rows that were left out."""
    line: Parts = ()
    """The data in one line (default: the first line of the text)."""

    @property
    def shows_url(self) -> bool:
        return not self.rows and any("{url}" in part for part in self.text)


class Table(NamedTuple):
    """Rows to align; a narrow terminal cuts the last column first."""

    rows: Sequence[Sequence[str]]
    header: Sequence[str] = ()
    sections: Sequence[str] = ()
    """The heading of each row, if there are headings."""


def result(info: OperationInfo, response: Response) -> str | Table:
    """The data of a response, as the operation's declaration formats it."""
    data, shown = response.data or {}, info.outcome
    if shown.needs and not data.get(shown.needs):
        return filled((shown.empty,), data)
    if shown.rows:
        found = data.get(shown.rows) or ()
        items = [found] if isinstance(found, Mapping) else list(found)
        if items and shown.columns:
            rows = [[filled((each,), item) for each in shown.columns.values()] for item in items]
            sections = [filled((shown.section,), item) for item in items] if shown.section else ()
            return Table(rows, tuple(shown.columns) if shown.header else (), sections)
        lines = [filled(shown.text, item) for item in items]
        if lines and data.get("total", 0) > len(lines):
            lines.append(f"{len(lines)} of {data['total']}; {shown.more}")
        text = "\n".join(lines)
    elif shown.columns:
        return Table([(name, filled((each,), data)) for name, each in shown.columns.items()])
    elif shown.text:
        text = filled(shown.text, data)
    elif info.effect == "acts":
        text = "ok"
    else:
        text = data.get("message") or "\n".join(outline(data)) or "ok"
    return text or (filled((shown.empty,), data) if not response.artifacts else "")


def filled(parts: Parts, data: Any) -> str:
    """The template with the values of the data; parts with a missing field are left out."""
    return "".join(text for part in parts if (text := _part(part, data)) is not None).rstrip("\n")


def _part(part: str, data: Any) -> str | None:
    is_missing = False

    def value(found: re.Match[str]) -> str:
        nonlocal is_missing
        names, yes, no, format = found.groups()
        value = _first(names, data)
        if yes is not None:
            return yes if value else no
        text = _FORMATS[format or "plain"](value)
        is_missing |= text is None
        return text or ""

    text = _FIELD.sub(value, part)
    return None if is_missing else text


def _first(names: str, data: Any) -> Any:
    for name in names.split("|"):
        if name.startswith("'"):
            return name.strip("'")
        if (value := _value(name, data)) not in (None, "", []):
            return value
    return _value(names, data) if "|" not in names else None


def _value(path: str, data: Any) -> Any:
    for name in path.split(".") if path else ():
        if isinstance(data, Mapping):
            data = data.get(name)
        elif isinstance(data, list) and name.isdecimal():
            data = data[int(name)] if int(name) < len(data) else None
        elif isinstance(data, list):
            data = [_value(name, each) for each in data]
        else:
            return None
    return data


def outline(value: Any) -> Iterator[str]:
    """Any data as lines `name: value`, with nested data indented below its name."""
    if not isinstance(value, Mapping):
        for item in value:
            lines = list(outline(item)) if isinstance(item, Mapping | list) else [_scalar(item)]
            yield from (("  " if number else "- ") + line for number, line in enumerate(lines))
        return
    for name, inner in value.items():
        shown = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
        if not isinstance(inner, Mapping | list) or not inner:
            yield f"{shown}: {_scalar(inner)}"
        else:
            yield f"{shown}:"
            yield from (f"  {line}" for line in outline(inner))


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None or value in ({}, []) else str(value)


# One line ----------------------------------------------------------------------------------------


def subject(info: OperationInfo, inputs: Fields) -> str:
    """What the request acts on: its element, else its first text, else its numbers."""
    if info.takes_element:
        selector = inputs.get("selector")
        found = _element(str(selector)) if selector else inputs.get("words") or inputs.get("ref")
        if found:
            return str(found)[:LONGEST_LINE]
    values = [inputs[name] for name in info.subject_fields if name in inputs]
    text = next((each for each in values if isinstance(each, str)), "")
    return text[:LONGEST_LINE] or " ".join(str(each) for each in values if _is_number(each))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


@lru_cache(maxsize=1024)
def _element(selector: str) -> str:
    """`button "Log in"` for `getByRole('button', { name: 'Log in' })`; else the selector."""
    from pwtui.protocol.locators import LocatorSyntaxError, is_expression, parse_locator

    if len(selector) > LONGEST_LINE or not is_expression(selector):
        return selector
    try:
        step = parse_locator(selector).steps[-1]
    except LocatorSyntaxError:
        return selector
    if step.method != "getByRole":
        return selector
    name = dict(step.options).get("name")
    return f'{step.args[0]} "{name}"' if isinstance(name, str) else str(step.args[0])


def outcome_text(info: OperationInfo, response: Response) -> str:
    """The result of a request in one line; empty if it only succeeded."""
    if response.error is not None:
        return f"{response.error.code}: {response.error.message}"
    data, shown = response.data or {}, info.outcome
    if shown.line:
        return filled(shown.line, data)
    if dialog := data.get("dialog"):
        return f'dialog "{dialog["message"]}"'
    if data.get("fileChooser"):
        return "file chooser"
    if downloads := data.get("downloads"):
        return f"download {downloads[0]['suggestedFilename']}"
    if data.get("navigated"):
        return str(data["afterUrl"])
    if response.artifacts:
        return ", ".join(PurePath(each.path).name for each in response.artifacts)
    if shown.rows and isinstance(data.get(shown.rows), list):
        return f"{len(data[shown.rows])} {shown.rows}"
    text = result(info, response)
    if isinstance(text, Table) or text == "ok":
        return ""
    first, *more = text.strip().splitlines() or [""]
    # The first line of a JSON object says nothing.
    return " ".join([first, *map(str.strip, more)]) if first in ("{", "[") else first


# Formats -----------------------------------------------------------------------------------------


def _plain(value: Any) -> str | None:
    if value is None or value is False or value in ("", [], {}):
        return None
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _returned(value: Any) -> str | None:
    """A returned value: a string as it is, everything else as JSON."""
    return value if value is None or isinstance(value, str) else _json(value)


def _size(count: int | None) -> str:
    return "-" if count is None else f"{count / 1e6:.0f} MB"


def _duration(seconds: float | None) -> str:
    if not seconds:
        return "none" if seconds is None else "0 s"
    for unit, name in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:.0f} {name}"
    return f"{seconds:.0f} s"


def _headers(headers: Sequence[Mapping[str, str]] | None) -> str | None:
    return "\n".join(f"  {each['name']}: {each['value']}" for each in headers or ()) or None


def _fields(schema: Fields, required: Sequence[str] = ()) -> str | None:
    """A table of the fields of an input or a result."""
    rows = []
    for name, each in schemas.properties(schema).items():
        kind, about = schemas.type_name(each).replace('"', ""), each.get("description", "")
        if len(kind) > LONGEST_TYPE:
            about += f" ({kind.removesuffix('[]').strip('()')})"
            kind = "list" if kind.endswith("[]") else "choice"
        kind += ", required" if name in required else ""
        rows.append((name, kind, about))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
    return "\n".join(f"  {line}" for line in lines) or None


def _argument(name: str, value: Any) -> str:
    """A field of an input, as an argument of `pw exec`."""
    if isinstance(value, str):
        return f"{name}={shlex.quote(value)}"
    return f"{name}:={shlex.quote(_json(value, None))}"


def _json(value: Any, indent: int | None = 2) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


_FORMATS: Mapping[str, Callable[[Any], str | None]] = {
    "plain": _plain,
    "any": lambda value: "" if value is None else str(value),
    "returned": _returned,
    "lines": lambda value: value.rstrip("\n") + "\n" if value else None,
    "json": _json,
    "arguments": lambda value: "".join(f" {_argument(*field)}" for field in (value or {}).items()),
    "count": lambda value: "-" if value is None else str(len(value)),
    "path": lambda value: " > ".join(value) or None,
    "problem": lambda value: str(value) if value is not None and value >= 400 else None,
    "size": _size,
    "duration": _duration,
    "headers": _headers,
    "running": lambda value: "".join(f", {each['op']} running" for each in value or ()),
    "fields": lambda value: _fields(value, value.get("required", ())),
    "results": _fields,
    "outline": lambda value: "\n".join(f"  {line}" for line in outline(value)) if value else None,
    "facts": lambda value: "\n".join(outline({k: v for k, v in value.items() if v})) or None,
}
