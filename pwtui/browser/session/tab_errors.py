"""Why work in a tab failed, by the type of the error and the state of the tab."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from playwright.async_api import Error
from playwright.async_api import TimeoutError as PlaywrightTimeout

from pwtui.browser.page.deadline import MORE_TIME, Deadline
from pwtui.protocol.errors import DialogOpen, OperationTimeout, PwError, SessionError

if TYPE_CHECKING:
    from pwtui.browser.session.tab import Tab

# The end of a browser or a script is reported a moment before its cause.
CAUSE_SECONDS = 0.3

Interruption = Literal["dialog", "crash", "closed"]

_HUNG = {
    None: (
        "pageBlocked",
        "the page does not respond (its script may be in an endless loop, or it is still loading)",
        "close it with `tabs.close`, or try again later",
    ),
    "browser": (
        "browserHung",
        "the browser does not respond",
        "close it with `session.stop`; the next request starts a new one",
    ),
    "stopped browser": (
        "browserHung",
        "the browser's process was stopped, and was killed",
        "the next request starts a new one",
    ),
    "driver": (
        "driverHung",
        "Playwright's driver did not respond and was killed, with its browsers",
        "the next request starts new ones",
    ),
}
"""For each part that may hang: the cause, the message and the hint."""


async def explain(
    tab: Tab, error: Error, deadline: Deadline, doing: str, *, navigations: int | None = None
) -> Exception:
    """The PwError for a Playwright error; the error itself if there is none."""
    if tab.crashed:
        return await interrupted(tab, "crash", doing)
    if tab.prompts.has_dialog:
        return await interrupted(tab, "dialog", doing)
    if tab.page.is_closed() or tab.browser_fault() is not None:
        return await interrupted(tab, "closed", doing)
    if isinstance(error, PlaywrightTimeout):
        return await timed_out(tab, deadline, doing)
    if navigations is not None and await went_elsewhere(tab, navigations):
        return SessionError(
            f"the page navigated to {tab.url} while {doing} was running",
            hint="try again",
            details={"cause": "navigated", "tab": tab.index, "url": tab.url},
        )
    return error


async def timed_out(tab: Tab, deadline: Deadline, doing: str) -> PwError:
    details: dict[str, object] = {"timeoutMs": deadline.timeout_ms, "waitingFor": doing}
    message = f"{doing} took longer than {deadline.timeout_ms} ms"
    if await tab.answers():
        return OperationTimeout(message, hint=MORE_TIME, details=details)
    details["cause"], why, hint = _HUNG[await tab.hung_part()]
    return OperationTimeout(f"{message}: {why}", hint=hint, details=details)


async def went_elsewhere(tab: Tab, navigations: int) -> bool:
    """Whether a navigation interrupted the page's script."""
    return await becomes_true(lambda: tab.navigations > navigations)


async def interrupted(tab: Tab, reason: Interruption, doing: str) -> PwError:
    if reason == "closed":  # a browser that exits closes its tabs first
        await becomes_true(lambda: tab.browser_fault() is not None)
    return why_unusable(tab, reason, doing)


def why_unusable(tab: Tab, reason: Interruption, doing: str = "") -> PwError:
    where = {"tab": tab.index, "url": tab.url}
    dialog = tab.prompts.dialog
    if reason == "dialog" and dialog is not None:
        return DialogOpen(
            f"a {dialog.type} dialog is open ({dialog.message!r}) and blocks the page",
            hint="answer it with `dialog.accept` or `dialog.dismiss`",
            details={"dialog": dialog.to_wire(), **where},
        )
    if reason == "crash":
        return SessionError(
            f"the page in tab {tab.index} crashed ({tab.url})",
            hint="`navigate` to load it again, or close it with `tabs.close`",
            details={"cause": "pageCrashed", **where},
        )
    if fault := tab.browser_fault():
        return SessionError(
            f"{fault} while {doing} ran",
            hint="the next request starts a new one, without this page's state",
            details={"cause": "browserGone", **where},
        )
    return SessionError(
        f"tab {tab.index} was closed while {doing} ran",
        details={"cause": "tabClosed", **where},
    )


async def becomes_true(condition: Callable[[], bool]) -> bool:
    """Whether the condition becomes true within a short time."""
    end = time.monotonic() + CAUSE_SECONDS
    while not (holds := condition()) and time.monotonic() < end:  # noqa: ASYNC110
        await asyncio.sleep(0.02)
    return holds
