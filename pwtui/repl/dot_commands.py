"""Dot commands: recording, history, help and the like."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from pwtui.keywords.errors import KeywordError
from pwtui.keywords.help import alias_list, help_for, overview
from pwtui.keywords.tokenizer import split
from pwtui.protocol.errors import InvalidInput, PwError, did_you_mean, near_misses
from pwtui.protocol.printable import counted
from pwtui.recordings.formats import load
from pwtui.recordings.replay import FileResult, StepResult, replay
from pwtui.recordings.trust import check_trust
from pwtui.recordings.variables import read_assignment
from pwtui.repl.session import ReplSession
from pwtui.state.paths import user_path

# Common commands of other prompts.
_WITHOUT_DOT = ("help", "exit", "quit")


class ExitRepl(Exception):
    """The user exits the REPL."""


@dataclass(frozen=True)
class DotCommand:
    usage: str
    summary: str
    run: Callable[[ReplSession, list[str]], Awaitable[None]]

    def accepts(self, count: int) -> bool:
        return "..." in self.usage or count <= len(self.usage.split()) - 1


COMMANDS: dict[str, DotCommand] = {}


def _command(usage: str, summary: str, *aliases: str) -> Callable[..., None]:
    def declare(run: Callable[[ReplSession, list[str]], Awaitable[None]]) -> None:
        command = DotCommand(usage, summary, run)
        COMMANDS.update(dict.fromkeys((usage.split()[0], *aliases), command))

    return declare


async def run_line(session: ReplSession, line: str) -> bool:
    """Run a keyword line or a dot command; raises ExitRepl on .exit."""
    line = line.strip()
    if line.partition(" ")[0].lower() in _WITHOUT_DOT:
        line = f".{line}"
    if line != "?" and not (line.startswith(".") and line[1:2].isalpha()):
        return await session.run(line)
    if "=" not in line:  # a variable may be a password
        session.history.keep(line)
    try:
        typed, *words = (word.text for word in split(line))
        name = ".help" if typed == "?" else typed.lower()
        if name not in COMMANDS:
            hint = did_you_mean(near_misses(name, COMMANDS)) or "see .help"
            raise KeywordError(f"unknown command: {typed}", hint=hint)
        command = COMMANDS[name]
        if not command.accepts(len(words)):
            raise KeywordError(f"{name}: too many arguments", usage=command.usage)
        await command.run(session, words)
    except PwError as error:
        session.show_error(error)
        session.failures += 1
        return False
    return True


@_command(".help [KEYWORD]", "Show all keywords and commands, or the usage of one.")
async def _help(session: ReplSession, words: list[str]) -> None:
    if words:
        name = words[0].lower()
        command = COMMANDS.get(name) or COMMANDS.get(f".{name}")
        session.out(f"{command.summary}\n  {command.usage}" if command else help_for(name))
        return
    session.out(f"{overview()}\n")
    width = max(len(command.usage) for command in COMMANDS.values()) + 2
    for command in dict.fromkeys(COMMANDS.values()):
        session.out(f"{command.usage:{width}}{command.summary}")
    session.out(
        "\n.help KEYWORD shows the usage of a keyword; Tab completes. Timeouts: 5 s for the element"
        "\nof an action and for an assertion, 30 s otherwise, unless the profile sets timeoutMs."
    )


@_command(".aliases", "List the aliases of keywords.")
async def _aliases(session: ReplSession, words: list[str]) -> None:
    session.out(alias_list())


@_command(".status", "Show the connection, the page and the recording.")
async def _status(session: ReplSession, words: list[str]) -> None:
    recorder = session.recorder
    session.out(await session.engine.status())
    session.out(f"page: {session.url or 'unknown'}")
    session.out(f"commands: {session.commands}, {session.failures} failed")
    if recorder.path is not None:
        session.out(f"{recorder.state}: {recorder.path} ({counted(len(recorder), 'command')})")


@_command(".record [FILE]", "Start a recording (.pw, .ndjson or .py).")
async def _record(session: ReplSession, words: list[str]) -> None:
    if not session.can_record:
        raise InvalidInput("a session of the Playwright CLI cannot be recorded")
    path = session.recorder.start(words[0] if words else None, await session.tabs())
    url = session.recorder.starts_at
    first = f", starting at {url}" if url is not None else ""
    session.out(f"recording to {path}{first}; .save writes it")


@_command(".save", "Save the recording.")
async def _save(session: ReplSession, words: list[str]) -> None:
    saved = session.recorder.save()
    for number, warning in saved.warnings:
        session.err(f"step {number}: {warning}")
    session.out(str(saved))


@_command(".pause", "Pause or resume the recording.")
async def _pause(session: ReplSession, words: list[str]) -> None:
    session.out("paused; .pause resumes" if session.recorder.pause() == "paused" else "recording")


@_command(".discard", "Discard the recording.")
async def _discard(session: ReplSession, words: list[str]) -> None:
    session.out(f"{counted(session.recorder.discard(), 'command')} discarded")


@_command(".replay FILE [NAME=VALUE]... [--allow-code]", "Replay a recording in this browser.")
async def _replay(session: ReplSession, words: list[str]) -> None:
    if session.recorder.state == "recording":
        raise InvalidInput(
            f"cannot replay during the recording of {session.recorder.path}",
            hint=".save, .pause or .discard it first",
        )
    given = [word for word in words if word != "--allow-code"]
    if not given:
        raise KeywordError(".replay requires a file", usage=COMMANDS[".replay"].usage)
    path = user_path(session.cwd, given[0])
    recording = load(path, dict(map(read_assignment, given[1:])), whole=True)
    if given == words:
        check_trust(recording, session.cwd)
    if not recording.steps:
        raise InvalidInput(f"{path} has no steps")
    result = FileResult(path)
    await replay(recording, session.engine.perform, _ShowSteps(session), result)
    for number, step in enumerate(result.steps, 1):
        if step.is_bad:
            raise InvalidInput(f"{path}: step {number} failed")
    session.out("replayed")


@dataclass(frozen=True)
class _ShowSteps:
    session: ReplSession

    async def before(self, number: int, count: int, line: str) -> None:
        self.session.out(f"[{number}/{count}] {line}")

    def after(self, result: StepResult) -> None:
        if result.response is not None:
            self.session.show(result.response)


@_command(".history [clear]", "Show or clear the history.")
async def _history(session: ReplSession, words: list[str]) -> None:
    if words and words[0] != "clear":
        raise KeywordError(f"unexpected argument {words[0]!r}", usage=COMMANDS[".history"].usage)
    if words:
        session.history.clear()
        session.out("history cleared")
    else:
        session.out("\n".join(session.history.get_strings()))


@_command(".reconnect", "Reconnect to the daemon.")
async def _reconnect(session: ReplSession, words: list[str]) -> None:
    session.out(await session.engine.reconnect())


@_command(".exit", "Exit; the browser stays open.", ".quit")
async def _exit(session: ReplSession, words: list[str]) -> None:
    raise ExitRepl
