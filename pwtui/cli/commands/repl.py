"""`pw repl`: lines from the prompt, from -c, or from a pipe."""

from __future__ import annotations

import asyncio
import signal
import sys
from argparse import Namespace
from collections.abc import AsyncIterator
from functools import partial

from pwtui.cli.context import FAILED, OK, Context
from pwtui.cli.stdin import stdin_lines
from pwtui.protocol.envelope import Request, Response, RuntimeBlock
from pwtui.protocol.errors import PwError
from pwtui.protocol.ndjson import LineTooLong
from pwtui.repl.dot_commands import ExitRepl, run_line
from pwtui.repl.history import KeptHistory, history_file
from pwtui.repl.playwright_cli import CliEngine, PlaywrightCliSession
from pwtui.repl.session import ReplSession
from pwtui.state.workspace import DEFAULT_PROFILE, name_changed, normalise_profile_name


class ClientEngine:
    """Sends requests to the daemon, or runs them here for profiles with `useDaemon: false`."""

    def __init__(self, arguments: Namespace, context: Context) -> None:
        given = DEFAULT_PROFILE if arguments.profile is None else arguments.profile
        self.name = normalise_profile_name(given)
        if self.name != given:
            context.terminal.err(f"warning: {name_changed(given, self.name)}")
        assert context.client is not None
        self._context = context
        self._err = context.terminal.err
        self._client = context.client
        self._caller = context.caller(profile=self.name)._replace(impatient=True)
        self._was_connected = False

    async def perform(self, request: Request) -> Response:
        if self._was_connected and not self._client.daemon.is_connected:
            self._err("the daemon exited; starting a new one (open pages are lost)")
            self._was_connected = False
        runtime = RuntimeBlock(profile=self.name, overrides=request.overrides)
        sent = self._context.with_options(request.model_copy(update={"runtime": runtime}))
        response = await self._context.perform(sent, self._caller)
        self._was_connected = self._client.daemon.is_connected
        return response

    async def look(self, request: Request) -> Response | None:
        return await self._client.look(request, self._caller)

    async def reconnect(self) -> str:
        await self._client.daemon.disconnect()
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


async def repl_command(arguments: Namespace, context: Context) -> int:
    terminal = context.terminal
    is_json = context.format in ("json", "ndjson")
    if arguments.attach_cli and (arguments.headed or arguments.browser or is_json):
        return context.refuse("--attach-cli cannot be used with --headed, --browser or --format")
    is_prompt = not arguments.lines and sys.stdin is not None and sys.stdin.isatty()
    common = (terminal.out, terminal.err, terminal.cwd, KeptHistory(history_file()))
    try:
        if arguments.attach_cli:
            engine = CliEngine(arguments.profile, terminal.cwd)
            session: ReplSession = PlaywrightCliSession(engine, *common)
        else:
            session = ReplSession(ClientEngine(arguments, context), *common)
            session.recorder.workspace = str(context.terminal.workspace.root)
        if is_json:
            session.print_response = partial(context.show, paged=False)
        if arguments.headed:
            start = Request(op="session.start", input={"headful": True})
            opened = await session.engine.perform(start)
            if not opened.ok:
                session.show(opened)
                return FAILED
        _cancel_on_interrupt(session, is_prompt=is_prompt)
        try:
            if is_prompt:
                from pwtui.repl.prompt import run_prompt  # slow to import

                status = await session.engine.status()
                terminal.out(f"{status}. Type .help for help, Ctrl+D to exit.")
                await run_prompt(session)
            else:
                async for line in _lines(arguments.lines):
                    await run_line(session, line)
        except ExitRepl:
            pass
        finally:
            _save_recording(session)
    except PwError as error:
        terminal.err(f"pw repl: {error}")
        return FAILED
    return FAILED if session.failures and not is_prompt else OK


async def _lines(given: list[str]) -> AsyncIterator[str]:
    """The lines of `-c`, or else of stdin."""
    for line in given:
        yield line
    if given:
        return
    async for read in stdin_lines():
        if isinstance(read, LineTooLong):
            raise read
        yield read.decode("utf-8", "replace")


def _save_recording(session: ReplSession) -> None:
    """Save an unfinished recording."""
    if session.recorder.state != "idle":
        try:
            session.out(str(session.recorder.save()))
        except PwError as error:
            session.err(f"the recording could not be saved: {error}")


def _cancel_on_interrupt(session: ReplSession, *, is_prompt: bool) -> None:
    """Ctrl+C cancels the running request; without one, or without a prompt, it ends the command."""
    task = asyncio.current_task()

    def interrupt() -> None:
        is_over = not session.cancel() or not is_prompt
        if is_over and task is not None:
            task.cancel()

    session.on_interrupt = interrupt
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, interrupt)
