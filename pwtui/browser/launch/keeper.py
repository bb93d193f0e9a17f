"""Keeps a browser without CDP open after the command that started it.

Firefox and WebKit close with the Playwright that launched them. `start_kept` starts this module as
a process, which launches the browser, binds it, and exits when the browser does. Later commands
attach to the endpoint.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from pwtui.browser.launch.driver_process import Driver
from pwtui.browser.launch.processes import kill_tree, start_detached
from pwtui.browser.launch.start import DEFAULT_VIEWPORT, launch
from pwtui.browser.page.deadline import Deadline
from pwtui.browser.spec import BrowserSpec
from pwtui.protocol.addresses import SessionKey
from pwtui.protocol.errors import BrowserLaunchFailed, PwError, error_of
from pwtui.state.descriptor import SessionDescriptor


async def start_kept(spec: BrowserSpec, deadline: Deadline) -> SessionDescriptor:
    """Start a browser that outlives this process."""
    wanted = {
        "key": str(spec.key),
        "workspace": spec.workspace,
        "executable": spec.executable and str(spec.executable),
        "channel": spec.channel,
    }
    keeper = start_detached(
        [sys.executable, "-P", "-m", "pwtui.browser.launch.keeper", json.dumps(wanted)],
        stdout=subprocess.PIPE,
    )
    assert keeper.stdout is not None
    with keeper.stdout as answers:
        try:
            async with asyncio.timeout(deadline.seconds):
                line = await asyncio.to_thread(answers.readline)
        except (TimeoutError, asyncio.CancelledError):
            kill_tree(keeper.pid)
            raise
    if not line:
        raise BrowserLaunchFailed(f"{spec.browser} did not start: its keeper has exited")
    answer = json.loads(line)
    if "error" in answer:
        raise error_of(answer["error"])
    return spec.descriptor("detached", **answer)


async def keep(wanted: dict[str, Any]) -> int:
    key, workspace = SessionKey.parse(wanted["key"]), Path(wanted["workspace"])
    executable = wanted["executable"]
    spec = BrowserSpec(
        key,
        workspace=str(workspace),
        executable=Path(executable) if executable else None,
        channel=wanted["channel"],
    )
    driver = None
    try:
        driver = await Driver.start()
        title = f"{workspace.name}:{key.profile}"
        running = await launch(driver.playwright, spec, title=title, workspace=workspace)
        exited = asyncio.Event()
        running.browser.on("disconnected", lambda _: exited.set())
        # Those of a command would close with its connection.
        context = await running.browser.new_context(viewport=DEFAULT_VIEWPORT)
        await context.new_page()
        if running.pid is None or running.started_at is None:
            raise BrowserLaunchFailed(f"the process of {spec.browser} was not found")
        _report(pid=running.pid, started_at=running.started_at, ws_endpoint=running.ws_endpoint)
        await exited.wait()
    except PwError as error:
        details = {"code": error.code, "message": error.message, "hint": error.hint}
        _report(error={**details, "details": error.details})
        return 1
    finally:
        if driver is not None:
            await driver.stop()
    return 0


def _report(**answer: Any) -> None:
    with suppress(BrokenPipeError):  # the command was cancelled
        print(json.dumps(answer), flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(asyncio.run(keep(json.loads(sys.argv[1]))))
