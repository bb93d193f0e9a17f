"""Dot commands: about the conversation itself, not the page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from pwtui.keywords.errors import KeywordError
from pwtui.keywords.help import alias_list, help_for, overview
from pwtui.keywords.tokenizer import split
from pwtui.protocol.errors import InvalidInput, PwError, did_you_mean, near_misses
from pwtui.recordings.formats import load
from pwtui.recordings.replay import FileResult, StepResult, Watcher, replay
from pwtui.recordings.trust import check_trust
from pwtui.repl.session import Session

# What people type at a prompt that they do not know.
_WITHOUT_A_DOT = ("help", "exit", "quit")


class Leave(Exception):
    """The conversation ends."""


@dataclass(frozen=True)
class Dot:
    usage: str
    summary: str
    run: Callable[[Session, list[str]], Awaitable[bool]]
    most: int = 0
    """How many words it takes."""


async def run_line(session: Session, line: str) -> bool:
    """A keyword line or a dot command."""
    stripped = line.strip()
    first = stripped.partition(" ")[0].lower()
    if first in _WITHOUT_A_DOT:
        stripped = f".{stripped}"
    if stripped == "?" or (stripped.startswith(".") and stripped[1:2].isalpha()):
        if "=" not in stripped:  # a variable may be a password
            session.history.keep(stripped)
        return await run_dot(session, stripped)
    return await session.run(stripped)


async def run_dot(session: Session, line: str) -> bool:
    """Carry out a dot command; whether it worked. Leave ends the conversation."""
    try:
        words = [word.text for word in split(line)]
        name = words[0].lower() if words[0] != "?" else ".help"
        dot = DOTS.get(name)
        if dot is None:
            hint = did_you_mean(near_misses(name, DOTS)) or "see .help"
            raise KeywordError(f"unknown command: {words[0]}", hint=hint)
        if dot.most >= 0 and len(words) - 1 > dot.most:
            raise KeywordError(f"{name} does not take that much", usage=dot.usage)
        worked = await dot.run(session, words[1:])
    except PwError as error:
        session.complain(error)
        worked = False
    if not worked:
        session.failures += 1
    return worked


async def _help(session: Session, words: list[str]) -> bool:
    if words:
        wanted = words[0].lower()
        dot = DOTS.get(wanted) or DOTS.get(f".{wanted}")
        session.out(f"{dot.summary}\n  {dot.usage}" if dot else help_for(wanted))
        return True
    session.out(overview())
    session.out("")
    width = max(len(dot.usage) for dot in DOTS.values()) + 2
    for dot in dict.fromkeys(DOTS.values()):
        session.out(f"{dot.usage:{width}}{dot.summary}")
    session.out(
        "\n.help KEYWORD shows how one is written; Tab completes. An action waits 5 s for its "
        "element,\nan assertion 5 s to become true, all else 30 s; a profile's timeoutMs replaces "
        "these."
    )
    return True


async def _aliases(session: Session, words: list[str]) -> bool:
    session.out(alias_list())
    return True


async def _status(session: Session, words: list[str]) -> bool:
    recorder = session.recorder
    session.out(await session.engine.status())
    session.out(f"page: {session.url or 'not known yet'}")
    session.out(f"commands: {session.commands}, of which {session.failures} failed")
    if recorder.path is not None:
        session.out(f"{recorder.state}: {recorder.path} ({len(recorder)} commands)")
    return True


async def _record(session: Session, words: list[str]) -> bool:
    if not session.can_record:
        raise InvalidInput("a session of Playwright's CLI cannot be recorded from here")
    path = session.recorder.start(words[0] if words else None, await session.tabs())
    url = session.recorder.starts_at
    first = f", from {url} on" if url is not None else ""
    session.out(f"recording to {path}{first}; .save writes it")
    return True


async def _save(session: Session, words: list[str]) -> bool:
    saved = session.recorder.save()
    for number, warning in saved.warnings:
        session.err(f"step {number}: {warning}")
    session.out(str(saved))
    return True


async def _pause(session: Session, words: list[str]) -> bool:
    session.out("paused; .pause resumes" if session.recorder.pause() == "paused" else "recording")
    return True


async def _discard(session: Session, words: list[str]) -> bool:
    session.out(f"{session.recorder.discard()} commands discarded")
    return True


async def _replay(session: Session, words: list[str]) -> bool:
    """In this very browser, unlike `pw replay`."""
    if session.recorder.state == "recording":
        raise InvalidInput(
            f"{session.recorder.path} is being recorded, and a replay is not recorded; .save, "
            ".pause or .discard it first"
        )
    allow_code = "--allow-code" in words
    words = [word for word in words if word != "--allow-code"]
    if not words:
        raise KeywordError(".replay needs a file", usage=DOTS[".replay"].usage)
    variables: dict[str, str] = {}
    for each in words[1:]:
        name, equals, value = each.partition("=")
        if not equals:
            raise InvalidInput(f"a variable is NAME=VALUE, not {each!r}")
        variables[name] = value
    path = session.cwd / Path(words[0]).expanduser()
    recording = load(path, variables, whole=True)
    if not allow_code:
        check_trust(recording, session.cwd)
    if not recording.steps:
        raise InvalidInput(f"{path} has no steps")

    async def before(number: int, count: int, line: str) -> bool:
        session.out(f"[{number}/{count}] {line}")
        return True

    def after(done: StepResult) -> None:
        if done.response is not None:
            session.show(done.response)

    result = FileResult(path)
    await replay(recording, session.engine.perform, Watcher(before, after), result)
    failed = [number for number, step in enumerate(result.steps, 1) if step.is_bad]
    session.out(f"failed at step {failed[0]}" if failed else "replayed")
    return result.passed


async def _history(session: Session, words: list[str]) -> bool:
    if words and words[0] != "clear":
        raise KeywordError(f"{words[0]!r} is not known", usage=DOTS[".history"].usage)
    if words:
        session.history.clear()
        session.out("the history is empty now")
    else:
        session.out("\n".join(session.history.get_strings()))
    return True


async def _reconnect(session: Session, words: list[str]) -> bool:
    session.out(await session.engine.reconnect())
    return True


async def _exit(session: Session, words: list[str]) -> bool:
    raise Leave


_EXIT = Dot(".exit", "Leave; the browser stays open.", _exit)

DOTS: dict[str, Dot] = {
    ".help": Dot(".help [KEYWORD]", "Show what there is, or how one is written.", _help, 1),
    ".aliases": Dot(".aliases", "List the short names.", _aliases),
    ".status": Dot(".status", "Show what this is connected to.", _status),
    ".record": Dot(".record [FILE]", "Record what follows, to .pw, .ndjson or .py.", _record, 1),
    ".save": Dot(".save", "Write the recording.", _save),
    ".pause": Dot(".pause", "Pause or resume the recording.", _pause),
    ".discard": Dot(".discard", "Throw the recording away.", _discard),
    ".replay": Dot(
        ".replay FILE [NAME=VALUE]... [--allow-code]", "Replay a recording here.", _replay, -1
    ),
    ".history": Dot(".history [clear]", "Show what was typed, or forget it.", _history, 1),
    ".reconnect": Dot(".reconnect", "Connect to the daemon again.", _reconnect),
    ".exit": _EXIT,
    ".quit": _EXIT,
}
