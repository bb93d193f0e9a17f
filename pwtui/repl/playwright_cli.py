"""A session of Playwright's own CLI, driven from here: its daemon's socket and its frames."""

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
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pwtui.keywords.errors import KeywordError
from pwtui.keywords.parser import find_keyword, parse
from pwtui.keywords.table import by_name
from pwtui.keywords.tokenizer import Word, split
from pwtui.protocol.catalog import catalog
from pwtui.protocol.envelope import Request, Response
from pwtui.protocol.errors import Cancelled, InvalidInput, SessionError
from pwtui.protocol.keyword import KeywordInfo
from pwtui.protocol.ndjson import MAX_LINE_BYTES
from pwtui.protocol.snapshot import parse as parse_snapshot
from pwtui.recordings.pw_script import is_comment
from pwtui.repl.history import KeptHistory
from pwtui.repl.session import Session, is_ending

DEFAULT_SESSION = "default"
SESSION_VARIABLE = "PLAYWRIGHT_CLI_SESSION"
MAX_LEVELS = 10
# Where their keyword has another name than ours.
_THEIR_NAMES = {"locator": "generate-locator", "network": "requests"}
_SNAPSHOT = re.compile(r"```yaml\n(.*?)```", re.DOTALL)


@dataclass(frozen=True)
class ForeignDaemon:
    name: str
    socket: Path
    version: str = "unknown"
    workspace: str | None = None


def find_daemon(name: str | None, cwd: Path) -> ForeignDaemon:
    """The daemon of a session: of this workspace, else the only one of that name."""
    wanted = name or os.environ.get(SESSION_VARIABLE) or DEFAULT_SESSION
    hashes = list(_hashes(cwd))
    known = list(_registered())
    mine = [each for each, hash in known if each.name == wanted and hash in hashes]
    others = [each for each, hash in known if each.name == wanted and hash not in hashes]
    for each in (*mine, *_of_old(wanted, hashes)):
        if each.socket.exists():
            return each
    alive = [each for each in others if each.socket.exists()]
    if len(alive) == 1:
        return alive[0]
    if alive:
        places = ", ".join(each.workspace or str(each.socket) for each in alive)
        raise InvalidInput(
            f"several sessions are called {wanted!r} ({places})", hint="change to one's folder"
        )
    names = sorted({each.name for each, _ in known if each.socket.exists()})
    hint = f"there are: {', '.join(names)}" if names else "open one with `playwright cli open`"
    raise SessionError(f"no session {wanted!r} of Playwright's CLI runs here", hint=hint)


def minimist(keyword: str, words: list[Word], flags: frozenset[str]) -> dict[str, Any]:
    """The words as that CLI's own client would parse them; a false boolean is never sent."""
    args: dict[str, Any] = {"_": [keyword]}
    position = 0
    while position < len(words):
        word = words[position]
        position += 1
        if word.text == "--" and not word.quoted:
            args["_"] += [each.text for each in words[position:]]
            break
        if not word.is_option:
            args["_"].append(word.text)
            continue
        name, equals, value = word.text[2:].partition("=")
        if name.startswith("no-") and not equals:
            continue
        takes_next = position < len(words) and not words[position].is_option
        if equals:
            given: str | bool = value
        elif name not in flags and takes_next:
            given = words[position].text
            position += 1
        else:
            given = True
        _add(args, name, given)
    return args


class ForeignEngine:
    """One connection for each command, as their own client has it: they do not queue."""

    def __init__(self, daemon: ForeignDaemon, cwd: Path) -> None:
        self.name = daemon.name
        self._daemon = daemon
        self._cwd = cwd
        self._numbers = itertools.count(1)

    async def call(self, args: dict[str, Any]) -> tuple[bool, str]:
        """Whether it worked, and the text; InvalidInput for what it refuses."""
        reply = await self._exchange(args)
        if "error" in reply:
            # It says the same of a keyword that it does not know as of none at all.
            is_unknown = (await self._exchange({"_": []})).get("error") == reply["error"]
            if is_unknown and args["_"]:
                raise InvalidInput(
                    f"this session has no {args['_'][0]}: it knows the keywords of Playwright's CLI"
                )
            raise InvalidInput(f"the session refuses it: {reply['error']}")
        result = reply.get("result")
        if not isinstance(result, dict):
            return True, str(result)
        return not result.get("isError"), str(result.get("text", ""))

    async def _exchange(self, args: dict[str, Any]) -> dict[str, Any]:
        frame = {
            "id": next(self._numbers),
            "method": "run",
            "params": {"args": args, "cwd": str(self._cwd)},
        }
        try:
            reader, writer = await asyncio.open_unix_connection(
                self._daemon.socket, limit=MAX_LINE_BYTES
            )
        except OSError as error:
            raise SessionError(
                f"the session {self.name!r} does not answer ({error.strerror}); "
                "`playwright cli open` starts it again"
            ) from error
        try:
            writer.write(json.dumps(frame, ensure_ascii=False).encode() + b"\n")
            await writer.drain()
            while line := await reader.readline():
                reply: dict[str, Any] = json.loads(line)
                if reply.get("id") == frame["id"]:
                    return reply
        except (OSError, ValueError) as error:
            raise SessionError(f"the session {self.name!r} broke off: {error}") from error
        finally:
            writer.close()
        raise SessionError(f"the session {self.name!r} ended before it answered")

    async def perform(self, request: Request) -> Response:
        raise InvalidInput("a session of Playwright's CLI takes no envelopes")

    async def look(self, request: Request) -> Response | None:
        return None

    async def reconnect(self) -> str:
        self._daemon = find_daemon(self.name, self._cwd)
        return await self.status()

    async def status(self) -> str:
        return (
            f"Playwright's CLI, session {self.name}, version {self._daemon.version} "
            f"({self._daemon.socket})"
        )


class ForeignSession(Session):
    """The same prompt; keywords go to the other daemon as they are."""

    def __init__(
        self,
        engine: ForeignEngine,
        out: Callable[[str], None],
        err: Callable[[str], None],
        cwd: Path,
        history: KeptHistory,
    ) -> None:
        super().__init__(engine, out, err, cwd, history, operations={})
        self._foreign = engine

    @property
    def can_record(self) -> bool:
        """Its answers do not tell the locators that a recording needs."""
        return False

    async def run(self, line: str) -> bool:
        line = line.strip()
        if is_comment(line):
            return True
        try:
            args = _arguments(line)
            _refuse_text_targets(line)
            worked, text = await self.cancellable(self._foreign.call(args))
        except (InvalidInput, SessionError) as error:
            self.complain(error)
            return self._count(ok=False)
        except asyncio.CancelledError:
            if is_ending():
                raise
            self.complain(Cancelled("stopped waiting", hint="the session may still be busy"))
            return self._count(ok=False)
        if found := _SNAPSHOT.search(text):
            self.snapshot = parse_snapshot(found[1])
        (self.out if worked else self.err)(readable(text))
        # Which of their lines hold a secret is not known.
        if not _may_hold_secret(args["_"][0]):
            self.history.keep(line)
        return self._count(ok=worked)


def _may_hold_secret(name: str) -> bool:
    keyword = by_name().get(name)
    return keyword is not None and bool(catalog()[keyword.op].secrets)


def readable(text: str) -> str:
    """Without Markdown: headings become labels, fences go."""
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
                f"a session of Playwright's CLI does not find elements by their text: {text!r}; "
                "use a ref of snapshot, or a selector"
            )


def _arguments(line: str) -> dict[str, Any]:
    words = split(line)
    keyword, rest = find_keyword(words)
    typed = words[0].text
    name = typed if keyword is None else _their_name(keyword)
    rest = rest if keyword is not None else words[1:]
    takes_code = keyword is not None and any(each.raw for each in keyword.arguments)
    if takes_code and rest and not rest[0].quoted and not rest[0].is_option:
        return {"_": [name, line[rest[0].start :].rstrip()]}
    flags = {option.name for option in keyword.options if option.kind == "flag"} if keyword else ()
    return minimist(name, rest, frozenset(flags))


def _their_name(keyword: KeywordInfo) -> str:
    return _THEIR_NAMES.get(keyword.name, keyword.name)


def _add(args: dict[str, Any], name: str, value: str | bool) -> None:
    if name in args:
        before = args[name] if isinstance(args[name], list) else [args[name]]
        args[name] = [*before, value]
    else:
        args[name] = value


# Where their daemons are


def _registry() -> Path:
    if explicit := os.environ.get("PWTEST_DAEMON_SESSION_DIR"):
        return Path(explicit)
    if sys.platform == "darwin":
        caches = Path.home() / "Library" / "Caches"
    else:
        caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return caches / "ms-playwright" / "daemon"


def _registered() -> Iterator[tuple[ForeignDaemon, str]]:
    """Every session of today's version that has a file, with its workspace's hash."""
    for path in sorted(_registry().glob("*/*.session")):
        try:
            record = json.loads(path.read_bytes())
            daemon = ForeignDaemon(
                name=str(record.get("name") or path.stem),
                socket=Path(str(record["socketPath"])),
                version=str(record.get("version", "unknown")),
                workspace=record.get("workspaceDir"),
            )
        except (OSError, ValueError, KeyError, AttributeError):
            continue
        yield daemon, path.parent.name


def _of_old(name: str, hashes: list[str]) -> Iterator[ForeignDaemon]:
    """Where daemons listened before there was a registry."""
    base = os.environ.get("PLAYWRIGHT_DAEMON_SOCKETS_DIR")
    folder = Path(base) if base else Path(tempfile.gettempdir()) / "playwright-cli"
    for hash in hashes:
        yield ForeignDaemon(name, folder / hash / f"{name}.sock")


def _hashes(cwd: Path) -> Iterator[str]:
    """Of the workspace that this folder is in, else of the installation beside us."""
    for folder in (cwd, *cwd.parents)[:MAX_LEVELS]:
        if (folder / ".playwright").exists():
            yield _hash(str(folder))
            return
    package = importlib.util.find_spec("playwright")
    for place in (package.submodule_search_locations or ()) if package else ():
        yield _hash(str(Path(place) / "driver" / "package"))


def _hash(text: str) -> str:
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()[:16]
