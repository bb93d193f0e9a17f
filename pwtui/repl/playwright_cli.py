"""Attaches to a session of the Playwright CLI, over the socket of its daemon."""

from __future__ import annotations

import asyncio
import hashlib
import importlib.util
import itertools
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pwtui.keywords.errors import KeywordError
from pwtui.keywords.parser import find_keyword, parse
from pwtui.keywords.tokenizer import Word, split
from pwtui.protocol.catalog import Catalog
from pwtui.protocol.envelope import Request, Response
from pwtui.protocol.errors import Cancelled, InvalidInput, SessionError
from pwtui.protocol.ndjson import MAX_LINE_BYTES
from pwtui.protocol.snapshot import parse_snapshot
from pwtui.recordings.pw_script import is_comment
from pwtui.repl.history import is_secret
from pwtui.repl.session import ReplSession, is_cancelled

DEFAULT_SESSION = "default"
MAX_LEVELS = 10
# Keywords with another name in the Playwright CLI.
_NAMES = {"locator": "generate-locator", "network": "requests"}
_SNAPSHOT = re.compile(r"```yaml\n(.*?)```", re.DOTALL)


@dataclass(frozen=True)
class CliDaemon:
    name: str
    socket: Path
    version: str = "unknown"
    workspace: str | None = None


def find_daemon(name: str | None, cwd: Path) -> CliDaemon:
    """The daemon of a session: that of this workspace, or the only one with this name."""
    wanted = name or os.environ.get("PLAYWRIGHT_CLI_SESSION") or DEFAULT_SESSION
    hashes = list(_workspace_hashes(cwd))
    known = [each for each in _registered() if each[0].socket.exists()]
    named = [each for each in known if each[0].name == wanted]
    # Older versions have no registry.
    base = os.environ.get("PLAYWRIGHT_DAEMON_SOCKETS_DIR")
    folder = Path(base) if base else Path(tempfile.gettempdir()) / "playwright-cli"
    old = [CliDaemon(wanted, folder / hash / f"{wanted}.sock") for hash in hashes]
    here = [daemon for daemon, hash in named if hash in hashes]
    here += [daemon for daemon in old if daemon.socket.exists()]
    found = here[:1] or [daemon for daemon, _ in named]
    if len(found) == 1:
        return found[0]
    if found:
        places = ", ".join(each.workspace or str(each.socket) for each in found)
        raise InvalidInput(
            f"several sessions are named {wanted!r}: {places}", hint="run this in the folder of one"
        )
    names = sorted({daemon.name for daemon, _ in known})
    hint = f"sessions: {', '.join(names)}" if names else "open one with `playwright cli open`"
    raise SessionError(f"no Playwright CLI session {wanted!r} in this folder", hint=hint)


def minimist(keyword: str, words: list[Word], flags: frozenset[str]) -> dict[str, Any]:
    """The words as the client of that CLI parses them; a false boolean is never sent."""
    args: dict[str, Any] = {"_": [keyword]}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word.text == "--" and not word.quoted:
            args["_"] += [each.text for each in rest]
            break
        if not word.is_option:
            args["_"].append(word.text)
            continue
        name, equals, text = word.text[2:].partition("=")
        if name.startswith("no-") and not equals:
            continue
        value: str | bool = text if equals else True
        if not equals and name not in flags and rest and not rest[0].is_option:
            value = rest.pop(0).text
        if name in args:
            before = args[name] if isinstance(args[name], list) else [args[name]]
            args[name] = [*before, value]
        else:
            args[name] = value
    return args


class CliEngine:
    """Opens a connection for each command, like the client of that CLI."""

    def __init__(self, name: str | None, cwd: Path) -> None:
        self._daemon = find_daemon(name, cwd)
        self.name = self._daemon.name
        self._cwd = cwd
        self._numbers = itertools.count(1)

    async def call(self, args: dict[str, Any]) -> tuple[bool, str]:
        """Whether the command succeeded, and its output; InvalidInput if it is rejected."""
        reply = await self._exchange(args)
        if "error" in reply:
            # An unknown keyword has the same error as an empty command.
            is_unknown = (await self._exchange({"_": []})).get("error") == reply["error"]
            if is_unknown and args["_"]:
                raise InvalidInput(
                    f"this session has no {args['_'][0]}: only keywords of the Playwright CLI work"
                )
            raise InvalidInput(f"the session rejected the command: {reply['error']}")
        result = reply.get("result")
        if not isinstance(result, dict):
            return True, str(result)
        return not result.get("isError"), str(result.get("text", ""))

    async def _exchange(self, args: dict[str, Any]) -> dict[str, Any]:
        number = next(self._numbers)
        params = {"args": args, "cwd": str(self._cwd)}
        message = {"id": number, "method": "run", "params": params}
        session = f"session {self.name!r}"
        try:
            reader, writer = await asyncio.open_unix_connection(
                self._daemon.socket, limit=MAX_LINE_BYTES
            )
        except OSError as error:
            raise SessionError(
                f"{session} does not respond: {error.strerror}",
                hint="restart it with `playwright cli open`",
            ) from error
        try:
            writer.write(json.dumps(message, ensure_ascii=False).encode() + b"\n")
            await writer.drain()
            while line := await reader.readline():
                reply: dict[str, Any] = json.loads(line)
                if reply.get("id") == number:
                    return reply
        except (OSError, ValueError) as error:
            raise SessionError(f"connection to {session} failed: {error}") from error
        finally:
            writer.close()
        raise SessionError(f"{session} closed before it responded")

    async def perform(self, request: Request) -> Response:
        raise InvalidInput("a session of the Playwright CLI does not accept envelopes")

    async def look(self, request: Request) -> Response | None:
        return None

    async def reconnect(self) -> str:
        self._daemon = find_daemon(self.name, self._cwd)
        return await self.status()

    async def status(self) -> str:
        version, socket = self._daemon.version, self._daemon.socket
        return f"Playwright CLI, session {self.name}, version {version} ({socket})"


@dataclass
class PlaywrightCliSession(ReplSession):
    """A REPL that sends keywords unchanged to the daemon of the Playwright CLI."""

    engine: CliEngine
    operations: Catalog = field(default_factory=dict)
    can_record = False  # responses have no locators

    async def run(self, line: str) -> bool:
        line = line.strip()
        if is_comment(line):
            return True
        try:
            args = _arguments(line)
            _refuse_text_targets(line)
            worked, text = await self.cancellable(self.engine.call(args))
        except (InvalidInput, SessionError) as error:
            self.show_error(error)
            return self._count(ok=False)
        except asyncio.CancelledError:
            if is_cancelled():
                raise
            self.show_error(Cancelled("stopped waiting; the session may still run the command"))
            return self._count(ok=False)
        if found := _SNAPSHOT.search(text):
            self.snapshot = parse_snapshot(found[1])
        (self.out if worked else self.err)(readable(text))
        if not is_secret(line, None):
            self.history.keep(line)
        return self._count(ok=worked)


def readable(text: str) -> str:
    """The text without Markdown: headings become labels, fences are removed."""
    lines = []
    for line in text.splitlines():
        if line.startswith("### "):
            title = line[4:].strip()
            lines.append("" if title in ("Result", "Snapshot", "Error") else f"{title}:")
        elif not line.startswith("```"):
            lines.append(line)
    return "\n".join(line for line in lines if line.strip()) or "ok"


def _refuse_text_targets(line: str) -> None:
    with suppress(KeywordError):
        input = parse(line).input
        if (text := input.get("words", input.get("toWords"))) is not None:
            raise InvalidInput(
                f"a session of the Playwright CLI cannot find elements by text: {text!r}",
                hint="use a ref from snapshot, or a selector",
            )


def _arguments(line: str) -> dict[str, Any]:
    words = split(line)
    keyword, rest = find_keyword(words)
    if keyword is None:
        return minimist(words[0].text, words[1:], frozenset())
    name = _NAMES.get(keyword.name, keyword.name)
    takes_code = any(each.raw for each in keyword.arguments)
    if takes_code and rest and not rest[0].quoted and not rest[0].is_option:
        return {"_": [name, line[rest[0].start :].rstrip()]}
    flags = (option.name for option in keyword.options if option.kind == "flag")
    return minimist(name, rest, frozenset(flags))


def _registered() -> Iterator[tuple[CliDaemon, str]]:
    """Every registered session, with the hash of its workspace."""
    if explicit := os.environ.get("PWTEST_DAEMON_SESSION_DIR"):
        registry = Path(explicit)
    else:
        caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        if sys.platform == "darwin":
            caches = Path.home() / "Library" / "Caches"
        registry = caches / "ms-playwright" / "daemon"
    for path in sorted(registry.glob("*/*.session")):
        with suppress(OSError, ValueError, KeyError, AttributeError):
            record = json.loads(path.read_bytes())
            daemon = CliDaemon(
                name=str(record.get("name") or path.stem),
                socket=Path(str(record["socketPath"])),
                version=str(record.get("version", "unknown")),
                workspace=record.get("workspaceDir"),
            )
            yield daemon, path.parent.name


def _workspace_hashes(cwd: Path) -> Iterator[str]:
    """The hash of the workspace of this folder, or of the Playwright installation."""
    for folder in (cwd, *cwd.parents)[:MAX_LEVELS]:
        if (folder / ".playwright").exists():
            yield _hash(folder)
            return
    package = importlib.util.find_spec("playwright")
    for place in (package.submodule_search_locations or ()) if package else ():
        yield _hash(Path(place) / "driver" / "package")


def _hash(folder: Path) -> str:
    return hashlib.sha1(str(folder).encode(), usedforsecurity=False).hexdigest()[:16]
