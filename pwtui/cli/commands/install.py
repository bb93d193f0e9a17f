"""`pw install`: download a browser that Playwright provides."""

from __future__ import annotations

import asyncio
import sys

from pwtui.browser.launch import install
from pwtui.cli.context import FAILED, OK, Context
from pwtui.cli.output import print_json


async def install_command(context: Context, target: str, with_deps: bool) -> int:
    command = install.playwright_install(target, with_deps=with_deps)
    # Results go to stdout: with a format that is the JSON, else what the installer prints.
    stdout = sys.stderr if context.format in ("json", "ndjson") else None
    process = await asyncio.create_subprocess_exec(*command, stdout=stdout)
    try:
        code = await process.wait()
    except asyncio.CancelledError:
        process.terminate()
        raise
    print_json(context, {"target": target, "installed": code == 0})
    return OK if code == 0 else FAILED
