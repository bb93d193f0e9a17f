"""The calls of a program that owns its browser as events."""

from __future__ import annotations

import asyncio
import re
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playwright.async_api import BrowserContext, Error

from pwtui.browser.first_line import first_line
from pwtui.protocol.events import CallEvent, SourceLine, UnseenEvent
from pwtui.protocol.secrets import MASK, holds_secret

if TYPE_CHECKING:
    from pwtui.browser.session.observer import Observer

EVENT = "apicallsupdated"
ENABLE_SECONDS = 5.0
PROBE = "List WebMCP tools"
"""Playwright's command line and MCP server ask for these after each action, which usually fails."""

# The text may contain quotes and what looks like a locator: only the last end of it is sure.
_TYPED = re.compile(r'(Fill|Type|Insert|Press|Key down|Key up) "(.*)"( .*)?', re.DOTALL)
_TARGET = re.compile(r"^Navigate (?P<url>.+)| (?P<locator>[a-z]\w*\(.*)", re.DOTALL)


@dataclass(frozen=True)
class Program:
    """The program whose calls they are."""

    tool: str
    pid: int | None


@dataclass(frozen=True)
class _Call:
    number: int
    began: float


class CallWatch:
    """Listens to the list of calls of a context, which Playwright has for its own tools.

    Its method and event are private: where they are missing, an event reports it.
    """

    def __init__(self, program: Program, observer: Observer, context: BrowserContext) -> None:
        self._program = program
        self._observer = observer
        self._calls: dict[str, _Call] = {}
        self._debugger: Any = None
        self._own = ""
        observer.start(self._enable(context))

    def close(self) -> None:
        if self._debugger is not None:
            with suppress(KeyError, Error):
                self._debugger.remove_listener(EVENT, self._on_calls)
        self._debugger = None

    async def _enable(self, context: Any) -> None:
        try:
            debugger = context.debugger
            # The ids of calls begin with a prefix for each connection: ours are not reported.
            self._own = context._impl_obj._connection._next_call_id().partition("@")[0]
            enable = debugger._impl_obj._enable
            debugger.on(EVENT, self._on_calls)
            self._debugger = debugger
            async with asyncio.timeout(ENABLE_SECONDS):
                await enable()
        except AttributeError:
            self._unseen("this version of Playwright does not list the calls of other programs")
        except (Error, TimeoutError) as error:
            if not context.is_closed():
                reason = first_line(error) if isinstance(error, Error) else "it does not answer"
                self._unseen(f"the program's Playwright does not list its calls: {reason}")

    def _unseen(self, reason: str) -> None:
        self._observer.publish(UnseenEvent, kind="call", reason=reason)

    def _on_calls(self, calls: list[dict[str, Any]]) -> None:
        for each in calls:
            if each["id"].partition("@")[0] != self._own and each["title"] != PROBE:
                self._on_call(each)

    def _on_call(self, update: dict[str, Any]) -> None:
        status = update["status"]
        call = self._calls.get(update["id"])
        if call is not None and status == "running":
            return  # only its log has grown
        now = time.monotonic()
        has_ended = status != "running"
        known = call or _Call(next(self._observer.numbers["call"]), now)
        if has_ended:
            self._calls.pop(update["id"], None)
        else:
            self._calls[update["id"]] = known
        if has_ended:
            self._observer.page_changed()
        title, error = shown_title(update["title"]), update.get("error")
        place = update.get("location")
        self._observer.publish(
            CallEvent,
            call=known.number,
            tool=self._program.tool,
            pid=self._program.pid,
            title=title,
            target=target_of(title),
            status=status,
            error=error.partition("\n")[0] if error else None,
            source=SourceLine(file=place["file"], line=place.get("line")) if place else None,
            duration_ms=round((now - known.began) * 1000, 1) if has_ended else None,
        )


def shown_title(title: str) -> str:
    """The title of a call with typed text masked: `Fill "••••••" locator("#name")`."""
    if not (typed := _TYPED.fullmatch(title)):
        return title
    verb, text, target = typed.groups()
    is_text = verb in ("Fill", "Type", "Insert")
    shown = MASK if holds_secret("text" if is_text else "key", text) else text
    return f'{verb} "{shown}"{target or ""}'


def target_of(title: str) -> str | None:
    """The locator or URL at the end of a title."""
    found = _TARGET.search(title)
    return found and (found["url"] or found["locator"])
