"""`pw install`: download a browser that Playwright provides."""

from __future__ import annotations

import asyncio

from pwtui.browser.launch import install
from pwtui.cli.context import FAILED, OK


async def install_command(target: str, with_deps: bool) -> int:
    command = install.playwright_install(target, with_deps=with_deps)
    process = await asyncio.create_subprocess_exec(*command)
    try:
        return OK if await process.wait() == 0 else FAILED
    except asyncio.CancelledError:
        process.terminate()
        raise
