"""Python code that runs against the session, in a separate process."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Annotated, Any

from playwright.async_api import Error
from pydantic import Field

from pwtui.browser.page.deadline import MORE_TIME
from pwtui.browser.page.python_runner import NAME, target_id
from pwtui.operations.framework.declare import Group, Outcome, Run, acts
from pwtui.operations.framework.fields import Data, EchoAs
from pwtui.operations.framework.page_call import PageCall
from pwtui.operations.framework.target_fields import UrlFields
from pwtui.operations.page.evaluate import to_json
from pwtui.protocol.errors import OperationTimeout, ResultTooLarge, ScriptFailed
from pwtui.protocol.model import Maybe

GROUP = Group.READING

ECHO_LIMIT = 500
PRINTED_LIMIT = 100_000
LONGEST_LINE = 64 * 1024 * 1024
# Time for the code to handle a dialog that it opened.
DIALOG_SECONDS = 1.0
_JAVASCRIPT = re.compile(r"=>|\b(?:const|let|var|function)\b|;\s*$", re.MULTILINE)


class RunInput(UrlFields):
    code: Annotated[str | None, EchoAs(limit=ECHO_LIMIT)] = Field(
        None, description="Python code, with page, context, browser and playwright defined."
    )
    file: str | None = Field(None, description="Read the code from this file instead.")
    one_of = ("code", "file")


class RunData(Data):
    result: Any = Field(description="The returned value, or that of the last expression, as JSON.")
    printed: Maybe[str] = Field(None, description="What the code printed.")


@acts(
    "page.run",
    "run-code [code!] --filename=file",
    example={"code": "await page.title()"},
    outcome=Outcome(("{printed:lines}", "{result:returned}"), empty="null"),
    run=Run(needs_trust=True),
)
async def page_run(call: PageCall, input: RunInput) -> RunData:
    """Run Python with the Playwright async API objects of this session.

    `await` and `return` work at the top level; without return the value is that of the last line.
    The code runs in a separate process that is attached to the browser, with your permissions and
    in the current folder, and is killed at the timeout. An error names the line that failed.
    """
    source, name = _source(call, input)
    job = {
        "source": source,
        "name": name,
        "browser": call.runtime.browser,
        "endpoint": await call.session.running.endpoint(),
        "target": await _target(call),
    }
    outcome = _Outcome()
    running = asyncio.ensure_future(_run(call, job, outcome))
    try:
        await _watch(call, running, outcome)
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
    if (error := outcome.error) is not None:
        details = {**error, "printed": outcome.text}
        if error["name"] == "SyntaxError" and _JAVASCRIPT.search(source):
            raise ScriptFailed(
                "page.run takes Python, and the code looks like JavaScript",
                hint="run JavaScript with `page.eval`, or write Python: `await page.content()`",
                details=details,
            )
        where = f" in line {error['line']}" if error["line"] else ""
        raise ScriptFailed(f"{error['name']}{where}: {error['message']}", details=details)
    return RunData(result=to_json(outcome.result), printed=outcome.text or None)


@dataclass
class _Outcome:
    result: Any = None
    error: dict[str, Any] | None = None
    printed: list[str] = field(default_factory=list)
    printed_length: int = 0
    is_complete: bool = False

    @property
    def text(self) -> str:
        return "".join(self.printed)

    def receive(self, message: dict[str, Any]) -> None:
        if "printed" in message:
            text = message["printed"][: PRINTED_LIMIT - self.printed_length]
            self.printed_length += len(text)
            self.printed.append(text)
        else:
            self.is_complete = True
            self.result, self.error = message.get("result"), message.get("error")


async def _watch(call: PageCall, running: asyncio.Future[None], outcome: _Outcome) -> None:
    """Wait until the code ends, its time is over, or it leaves a dialog open."""
    while not running.done():
        try:
            async with asyncio.timeout(call.deadline.seconds):
                await call.tab.act(asyncio.shield(running))
        except TimeoutError:
            raise OperationTimeout(
                f"the code took longer than {call.deadline.timeout_ms} ms and was killed",
                hint=MORE_TIME,
                details={"timeoutMs": call.deadline.timeout_ms, "printed": outcome.text},
            ) from None
        if not running.done() and call.tab.prompts.has_dialog:
            await asyncio.wait({running}, timeout=DIALOG_SECONDS)
            if not running.done():
                call.tab.check_usable()
    await running


async def _run(call: PageCall, job: dict[str, Any], outcome: _Outcome) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",  # a file in the user's folder must not shadow a module
        "-m",
        "pwtui.browser.page.python_runner",
        cwd=call.caller.cwd,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=LONGEST_LINE,
        start_new_session=True,
    )
    stdin, stdout, stderr = process.stdin, process.stdout, process.stderr
    assert stdin is not None
    assert stdout is not None
    assert stderr is not None
    complaints = asyncio.ensure_future(_tail(stderr))
    try:
        stdin.write(json.dumps(job).encode())
        stdin.close()
        async for line in stdout:
            outcome.receive(json.loads(line))
        if not outcome.is_complete:
            output = (await complaints).strip()
            last = output.splitlines()[-1] if output else "no output"
            raise ScriptFailed(
                f"the process exited before the code finished: {last}",
                details={"line": None, "output": output, "printed": outcome.text},
            )
    except ValueError as error:
        raise ResultTooLarge.of("page.run", LONGEST_LINE, at_least=True) from error
    finally:
        complaints.cancel()
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await asyncio.shield(process.wait())


async def _tail(stream: asyncio.StreamReader) -> str:
    """The end of the output; all of it is read, so that the process does not block."""
    text = b""
    while part := await stream.read(65536):
        text = (text + part)[-20_000:]
    return text.decode(errors="replace")


async def _target(call: PageCall) -> str:
    try:
        return await target_id(call.session.context, call.page)
    except Error:
        return ""  # only Chromium has target ids; elsewhere it must be the only page


def _source(call: PageCall, input: RunInput) -> tuple[str, str]:
    if input.file is None:
        return input.code or "", NAME
    return call.read_text(input.file), str(call.path(input.file))
