"""Completions of a keyword line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pwtui.keywords.errors import KeywordError
from pwtui.keywords.parser import EXEC, find_keyword, without_keyword
from pwtui.keywords.table import KEYWORDS, by_name
from pwtui.keywords.targets import ROLES
from pwtui.keywords.tokenizer import Word, split
from pwtui.protocol.catalog import Catalog, catalog
from pwtui.protocol.keyword import Argument, Completion, KeywordInfo, Option
from pwtui.protocol.schema import Schema, choices, properties
from pwtui.protocol.snapshot import SnapshotTree

MAX_REFS = 200
_LAST_PIECE = re.compile(r"\S*$")


def complete(
    text: str,
    cursor: int | None = None,
    snapshot: SnapshotTree | None = None,
    operations: Catalog | None = None,
) -> list[Completion]:
    """The completions at the cursor, best first; `operations` are those that can be typed."""
    known = catalog() if operations is None else operations
    before = text if cursor is None else text[:cursor]
    piece = _LAST_PIECE.search(before)
    start = piece.start() if piece else len(before)
    typed = before[start:]
    try:
        words = split(before[:start])
    except KeywordError:
        return []  # inside quotes
    found = _after(words, typed, snapshot, known) if words else _names(typed, known)
    return [Completion(each, start, description) for each, description in found]


def ghost(text: str, history: Sequence[str], operations: Catalog | None = None) -> str:
    """The rest of the newest line that starts with the text, or of a keyword."""
    if not text.strip():
        return ""
    for line in reversed(history):
        if line.startswith(text) and len(line) > len(text):
            return line[len(text) :]
    if " " not in text:
        found = complete(text, operations=operations)
        if found and found[0].text.startswith(text.lower()):
            return found[0].text[len(text) :]
    return ""


def _names(typed: str, operations: Catalog) -> Iterator[tuple[str, str]]:
    prefix = typed.lower()
    if prefix in by_name() and by_name()[prefix].name != prefix:
        keyword = by_name()[prefix]
        yield keyword.name, keyword.summary
    for keyword in KEYWORDS:
        if keyword.name.startswith(prefix):
            yield keyword.name, keyword.summary
    for op in without_keyword(operations):
        if op.startswith(prefix):
            yield op, operations[op].summary


def _after(
    words: list[Word], typed: str, snapshot: SnapshotTree | None, operations: Catalog
) -> Iterator[tuple[str, str]]:
    if words[0].text.lower() == EXEC:
        words = words[1:]
        if not words:
            yield from ((op, operations[op].summary) for op in operations if op.startswith(typed))
            return
        keyword = None
    else:
        keyword, words = find_keyword(words)
    if keyword is None:
        if words[0].text in operations:
            yield from _fields(operations[words[0].text].input, typed)
        return
    expected = _expected(keyword, words)
    if typed.startswith("--") and not isinstance(expected, Option):
        yield from _options(keyword, words, typed)
    elif expected is not None and expected.kind == "target":
        yield from _refs(snapshot, typed)
    elif expected is not None:
        choices = sorted(ROLES) if expected.kind == "role" else expected.choices
        yield from ((each, "") for each in choices if each.startswith(typed))


def _options(keyword: KeywordInfo, words: list[Word], typed: str) -> Iterator[tuple[str, str]]:
    given = {word.text.partition("=")[0] for word in words if word.is_option}
    for option in keyword.options:
        name = f"--{option.name}"
        if name.startswith(typed) and (option.many or name not in given):
            yield name, option.help


def _expected(keyword: KeywordInfo, words: list[Word]) -> Argument | Option | None:
    """The option whose value comes next, or the next argument."""
    count = 0
    open_option: Option | None = None
    for word in words:
        if open_option is not None:
            open_option = None
        elif not word.is_option:
            count += 1
        elif (option := keyword.option(word.text[2:])) is not None and option.kind != "flag":
            open_option = option
    arguments = keyword.arguments
    if open_option is not None or count < len(arguments):
        return open_option or arguments[count]
    return arguments[-1] if arguments and arguments[-1].many else None


def _refs(snapshot: SnapshotTree | None, typed: str) -> Iterator[tuple[str, str]]:
    """Refs that start with the text, then those of elements whose name contains it."""
    nodes = [node for node in snapshot.nodes if node.ref] if snapshot else []
    by_ref = [node for node in nodes if str(node.ref).startswith(typed)]
    wanted = typed.lower()
    by_text = [
        node
        for node in nodes
        if wanted and node not in by_ref and wanted in (node.name or node.text or "").lower()
    ]
    for node in (by_ref + by_text)[:MAX_REFS]:
        label = node.name or node.text or ""
        yield str(node.ref), f'{node.role} "{label}"' if label else node.role


def _fields(schema: Schema, typed: str) -> Iterator[tuple[str, str]]:
    name, equals, value = typed.partition("=")
    fields = properties(schema)
    if not equals:
        for field, about in fields.items():
            if field.startswith(name):
                yield f"{field}=", str(about.get("description", ""))
        return
    for choice in choices(fields.get(name, {}), schema) or ():
        text = str(choice).lower() if isinstance(choice, bool) else str(choice)
        if text.startswith(value):
            yield f"{name}={text}", ""
