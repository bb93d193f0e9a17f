"""Saves the state of a page on which an operation failed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from playwright.async_api import Error, Page

from pwtui.browser.page.aria_snapshot import take_snapshot
from pwtui.browser.page.scripts import script
from pwtui.browser.session.tab import Tab
from pwtui.protocol.envelope import Artifact, ArtifactType, Diagnostic
from pwtui.state.files import write_atomic

EACH_SECONDS = 5.0


async def save_failure(tab: Tab, folder: Path, op: str) -> tuple[list[Artifact], list[Diagnostic]]:
    """Save a screenshot, the HTML and the snapshot; problems become diagnostics."""
    if not tab.is_usable or not await tab.answers():
        note = "no failure artifacts: the page does not respond (dialog, crash, closed, busy)"
        return [], [Diagnostic(level="warning", source="artifacts", message=note)]
    stem = f"{op}-{int(time.time() * 1000)}-failure"
    kinds: list[tuple[ArtifactType, str, Callable[[Page], Awaitable[bytes]]]] = [
        ("screenshot", "png", _picture),
        ("html", "html", _html),
        ("snapshot", "yml", _snapshot),
    ]
    artifacts: list[Artifact] = []
    problems: list[Diagnostic] = []
    for kind, suffix, take in kinds:
        path = (folder / f"{stem}.{suffix}").absolute()
        try:
            data = await asyncio.wait_for(take(tab.page), EACH_SECONDS)
            write_atomic(path, data, private=True)
        except (TimeoutError, Error, OSError) as error:
            reason = str(error).splitlines()[0] if str(error) else "the page does not respond"
            message = f"no {kind} of the failure: {reason}"
            problems.append(Diagnostic(level="warning", source="artifacts", message=message))
        else:
            artifacts.append(Artifact(type=kind, path=str(path), size_bytes=len(data)))
    return artifacts, problems


async def _picture(page: Page) -> bytes:
    return await page.screenshot(timeout=EACH_SECONDS * 1000)


async def _html(page: Page) -> bytes:
    html: str = await page.evaluate(f"() => ({script('html')})(document.documentElement, true)")
    return html.encode()


async def _snapshot(page: Page) -> bytes:
    taken = await take_snapshot(page, timeout_ms=EACH_SECONDS * 1000)
    return f"{taken.text}\n".encode()
