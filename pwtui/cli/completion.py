"""Shell completion: `pw __complete WORD...` prints the candidates for the last word.

A shell calls it for each Tab, so it does not load the parser or the operations, but reads
`completion.json`, which `make docs` generates.
"""

from __future__ import annotations

import json
import os

from pwtui.cli.fast_path import VALUE_OPTIONS, command_position
from pwtui.daemon.address import INSTALLATION
from pwtui.state.layout import PROFILES_FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, TypeAlias

    Candidates: TypeAlias = Iterator[tuple[str, str]]

FILE = f"{INSTALLATION}/cli/completion.json"
RECORDINGS = (".pw", ".ndjson", ".py")
LINE = "--line"
"""Followed by the whole command line, which is what bash has, instead of its words."""


def complete(arguments: list[str]) -> bytes:
    """One line for each candidate: the word, a tab and its description."""
    is_line = arguments[:1] == [LINE]
    words = _words(arguments[1]) if is_line else arguments
    typed = words[-1] if words else ""
    found = [each for each in _candidates(words[:-1], typed) if each[0].startswith(typed)]
    # Readline replaces only the part after the last of these characters.
    cut = 1 + max(typed.rfind("="), typed.rfind(":")) if is_line else 0
    lines = (
        f"{_escaped(word[cut:])}\n" if is_line else f"{word}\t{about}\n" for word, about in found
    )
    return "".join(lines).encode("utf-8", "replace")


def _words(line: str) -> list[str]:
    """The words of a line after the command's name; the last one may be unfinished."""
    import shlex

    for closing in ("", "'", '"', "\\"):
        try:
            words = shlex.split(line + closing)[1:]
        except ValueError:
            continue
        is_new = not line or (line[-1].isspace() and not closing)
        return [*words, ""] if is_new else words
    return [""]


def _escaped(word: str) -> str:
    return "".join(f"\\{each}" if each in " '\"()&;|<>$`\\*?#!" else each for each in word)


def _candidates(before: list[str], typed: str) -> Candidates:
    with open(FILE, "rb") as file:  # noqa: PTH123 - pathlib takes longer than we may
        data: dict[str, Any] = json.loads(file.read())
    commands, keywords, operations = data["commands"], data["keywords"], data["operations"]
    position = command_position(before)
    is_option_open = bool(before) and before[-1] in VALUE_OPTIONS
    if position >= len(before):
        options = commands[""]["options"]
        if is_option_open and not typed.startswith("-"):
            yield from _values(options[before[-1]][1], before, typed, data)
        elif typed.startswith("-"):
            yield from _options(options, before, typed, data)
        else:
            yield from _starts(data, typed)
        return
    name, rest = before[position], before[position + 1 :]
    keyword = keywords.get(data["aliases"].get(name, name))
    if name in commands:
        while rest and f"{name} {rest[0]}" in commands:
            name, rest = f"{name} {rest[0]}", rest[1:]
        command = commands[name]
        if not rest and not typed.startswith("-"):
            yield from command["actions"].items()
        yield from _arguments(command["options"], command, rest, before, typed, data)
    elif keyword is not None:
        options = keyword["options"] | data["keyword options"]
        yield from _arguments(options, keyword, rest, before, typed, data)
    elif name in operations:
        command = {"arguments": ["field"], "many": True}
        yield from _arguments(data["keyword options"], command, rest, before, typed, data)


def _starts(data: dict[str, Any], typed: str) -> Candidates:
    """The first words of a command line; operations only once a dot is typed."""
    yield from data["commands"][""]["actions"].items()
    yield from ((name, each["help"]) for name, each in data["keywords"].items())
    if "." in typed:
        yield from ((name, each["help"]) for name, each in data["operations"].items())


def _arguments(
    options: dict[str, Any],
    command: dict[str, Any],
    rest: list[str],
    before: list[str],
    typed: str,
    data: dict[str, Any],
) -> Candidates:
    """The options, the value of an open option, or the next argument."""
    count, is_open = 0, False
    for word in rest:
        if is_open:
            is_open = False
        elif word.startswith("-") and len(word) > 1:
            is_open = "=" not in word and bool(options.get(word, ("", ""))[1])
        else:
            count += 1
    if is_open:
        yield from _values(options[rest[-1]][1], before, typed, data)
    elif typed.startswith("-"):
        yield from _options(options, before, typed, data)
    else:
        kinds = command["arguments"]
        if count >= len(kinds) and kinds and command.get("many"):
            count = len(kinds) - 1
        if count < len(kinds):
            yield from _values(kinds[count], before, typed, data)


def _options(
    options: dict[str, Any], before: list[str], typed: str, data: dict[str, Any]
) -> Candidates:
    name, equals, value = typed.partition("=")
    if equals and name in options:
        found = _values(options[name][1], before, value, data)
        yield from ((f"{name}={word}", about) for word, about in found)
        return
    yield from ((name, about) for name, (about, _) in options.items())


def _values(kind: Any, before: list[str], typed: str, data: dict[str, Any]) -> Candidates:
    match kind:
        case list():
            yield from ((word, "") for word in kind)
        case "operation":
            yield from ((op, each["help"]) for op, each in data["operations"].items())
        case "command":
            yield from _starts(data, typed)
        case "profile":
            yield from ((name, "profile") for name in _profiles(before))
        case "field":
            operation = next((each for each in before if each in data["operations"]), None)
            if operation is not None:
                yield from _fields(data["operations"][operation]["fields"], typed)
        case "setting":
            yield from _fields(data["settings"], typed)
        case "file":
            yield from _files(typed, "")
        case "recording":
            yield from _files(typed, RECORDINGS)
        case "folder":
            yield from _files(typed, ())


def _fields(fields: dict[str, Any], typed: str) -> Candidates:
    name, equals, _ = typed.partition("=")
    if equals:
        yield from ((f"{name}={word}", "") for word in fields.get(name, ("", ()))[1])
    else:
        yield from ((f"{name}=", about) for name, (about, _) in fields.items())


def _profiles(before: list[str]) -> list[str]:
    root = os.environ.get("PW_WORKSPACE_ROOT") or "."
    for word, value in zip(before, [*before[1:], ""], strict=True):
        if word == "--workspace":
            root = value
        elif word.startswith("--workspace="):
            root = word.partition("=")[2]
    try:
        entries = os.scandir(f"{root}/{PROFILES_FOLDER}")
    except OSError:
        return ["default"]
    with entries:
        return sorted({"default", *(each.name for each in entries if each.is_dir())})


def _files(typed: str, suffixes: str | Iterable[str]) -> Candidates:
    """Folders, and files with one of the suffixes ("" matches every file)."""
    name = typed.rpartition("/")[2]
    prefix = typed[: len(typed) - len(name)]
    try:
        with os.scandir(os.path.expanduser(prefix) or ".") as entries:  # noqa: PTH111
            found = sorted(entries, key=lambda each: each.name)
    except (OSError, ValueError):
        return
    for each in found:
        if each.name.startswith(".") and not name.startswith("."):
            continue
        if each.is_dir():
            yield f"{prefix}{each.name}/", "folder"
        elif each.name.endswith(tuple(suffixes) if suffixes != "" else ""):
            yield f"{prefix}{each.name}", "file"
