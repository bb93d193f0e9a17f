"""`pw repl`: the prompt, one-shot commands, and commands from a pipe."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

from pwtui.cli.context import FAILED, OK, USAGE, Context
from pwtui.cli.stdin import stdin_lines
from pwtui.protocol.envelope import BrowserName, Overrides, Request, Response, RuntimeBlock
from pwtui.protocol.errors import PwError
from pwtui.protocol.ndjson import LineTooLong
from pwtui.repl.dot_commands import Leave, run_line
from pwtui.repl.history import KeptHistory, history_file
from pwtui.repl.playwright_cli import ForeignEngine, ForeignSession, find_daemon
from pwtui.repl.session import Session
from pwtui.runtime.caller import Caller
from pwtui.state.workspace import DEFAULT_PROFILE, name_changed, normalise_profile_name


@dataclass(frozen=True)
class ReplOptions:
    commands: list[str]
    session: str | None
    headed: bool
    browser: BrowserName | None
    attach_cli: bool


class RoutedEngine:
    """Our own daemon, or this process for a profile that does not want it."""

    def __init__(self, context: Context, options: ReplOptions) -> None:
        given = DEFAULT_PROFILE if options.session is None else options.session
        self.name = normalise_profile_name(given)
        if self.name != given:
            context.terminal.err(f"warning: {name_changed(given, self.name)}")
        self._context = context
        assert context.client is not None
        self._client = context.client
        self._caller: Caller = replace(context.caller(profile=self.name), impatient=True)
        self._browser = options.browser
        self._was_connected = False

    async def perform(self, request: Request) -> Response:
        if self._was_connected and not self._client.daemon.is_connected:
            self._context.terminal.err(
                "the daemon has ended; another one is started, and the pages of the old are gone"
            )
            self._was_connected = False
        runtime = RuntimeBlock(profile=self.name, overrides=self._overrides(request))
        sent = request.model_copy(update={"runtime": runtime})
        response = await self._client.perform(sent, self._caller)
        self._was_connected = self._client.daemon.is_connected
        return response

    async def look(self, request: Request) -> Response | None:
        return await self._client.look(request, self._caller)

    async def reconnect(self) -> str:
        await self._client.daemon.close()
        await self._client.daemon.connect(self._caller)
        self._was_connected = True
        return await self.status()

    async def status(self) -> str:
        connection = await self._client.daemon.connect(self._caller, start=False)
        if connection is None:
            return f"not connected; profile {self.name}"
        status = await connection.control("status")
        return (
            f"connected to the daemon (pid {status['pid']}, version {status['version']}); "
            f"profile {self.name}"
        )

    def _overrides(self, request: Request) -> Overrides | None:
        if self._browser is None:
            return request.overrides
        overrides = request.overrides or Overrides()
        return overrides.model_copy(update={"browser": self._browser})


async def repl_command(context: Context, options: ReplOptions) -> int:
    history = KeptHistory(history_file())
    terminal = context.terminal
    try:
        if options.attach_cli:
            if options.headed or options.browser:
                terminal.err("pw repl: --attach-cli takes a browser as it is")
                return USAGE
            theirs = ForeignEngine(find_daemon(options.session, terminal.cwd), terminal.cwd)
            session: Session = ForeignSession(
                theirs, terminal.out, terminal.err, terminal.cwd, history
            )
        else:
            engine = RoutedEngine(context, options)
            session = Session(engine, terminal.out, terminal.err, terminal.cwd, history)
        if options.headed:
            opened = await session.engine.perform(
                Request(op="session.start", input={"headful": True})
            )
            if not opened.ok:
                session.show(opened)
                return FAILED
        await _converse(context, options, session)
    except PwError as error:
        terminal.err(f"pw repl: {error}")
        return FAILED
    return FAILED if session.failures and not _is_prompt(options) else OK


async def _converse(context: Context, options: ReplOptions, session: Session) -> None:
    _cancel_on_interrupt(session)
    try:
        if _is_prompt(options):
            from pwtui.repl.prompt import talk  # takes as long as a short command

            context.terminal.out(
                f"{await session.engine.status()}. .help tells what there is, Ctrl+D leaves."
            )
            await talk(session)
            return
        async for line in _lines(options):
            await run_line(session, line)
    except Leave:
        return
    finally:
        await _keep_recording(session)


async def _lines(options: ReplOptions) -> AsyncIterator[str]:
    """The commands of `-c`, else those of the pipe, each when the one before it is done."""
    if options.commands:
        for command in options.commands:
            yield command
        return
    async for line in stdin_lines():
        if isinstance(line, LineTooLong):
            raise line
        yield line.decode("utf-8", "replace")


async def _keep_recording(session: Session) -> None:
    """Save the recording that is under way when the prompt is left."""
    if session.recorder.state != "idle":
        try:
            saved = session.recorder.save()
        except PwError as error:
            session.err(f"the recording could not be saved: {error}")
        else:
            session.out(str(saved))


def _is_prompt(options: ReplOptions) -> bool:
    return not options.commands and sys.stdin is not None and sys.stdin.isatty()


def _cancel_on_interrupt(session: Session) -> None:
    """Ctrl+C ends the request that runs; with none, the program."""
    task = asyncio.current_task()

    def interrupt() -> None:
        if not session.cancel() and task is not None:
            task.cancel()

    session.on_interrupt = interrupt
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, interrupt)
