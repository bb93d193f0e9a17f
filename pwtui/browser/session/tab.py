"""A browser tab: its page, and what happened in it while nobody was looking."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Literal, TypeVar

from playwright.async_api import (
    ConsoleMessage,
    Dialog,
    Download,
    Error,
    FileChooser,
    Frame,
    Page,
    Request,
)
from playwright.async_api import (
    TimeoutError as PlaywrightTimeout,
)

from pwtui.browser.page.deadline import MORE_TIME, Deadline
from pwtui.browser.page.interruptible import Interrupted, Interruptible
from pwtui.browser.session.held_input import HeldInput
from pwtui.browser.session.limits import Feed, Kept, cut
from pwtui.browser.session.popups import Popups
from pwtui.browser.session.request_log import RequestLog
from pwtui.protocol.errors import DialogOpen, OperationTimeout, PwError, SessionError
from pwtui.protocol.model import Maybe, Volatile, WireModel
from pwtui.protocol.models import DialogInfo

T = TypeVar("T")

CONSOLE_LIMIT = 1000
DOWNLOAD_LIMIT = 100
QUIET_SECONDS = 0.1
PROBE_SECONDS = 0.3
GONE_SECONDS = 0.3
CHOOSER_SECONDS = 1.0
# Playwright's own timeouts carry the better message; ours only ends what they do not cover.
GRACE_SECONDS = 1.0


class ConsoleEntry(WireModel):
    """One console message or uncaught error."""

    type: str
    text: str
    url: Maybe[str] = None
    line: Maybe[int] = None
    stack: Volatile[Maybe[str]] = None
    page_url: str
    time: Volatile[float]


class ChooserInfo(WireModel):
    """A file chooser that waits for files. It blocks nothing."""

    multiple: bool


Interruption = Literal["dialog", "crash", "closed"]
"""Why work on the page cannot go on."""


_HUNG = {
    None: (
        "pageBlocked",
        "the page does not answer (its script may be in an endless loop, or it is still loading)",
        "close it with `tabs.close`, or try again later",
    ),
    "browser": (
        "browserHung",
        "the browser does not answer",
        "end it with `session.stop`; the next request starts a new one",
    ),
    "driver": (
        "driverHung",
        "Playwright's driver did not answer and was killed, with its browsers",
        "the next request starts new ones",
    ),
}
"""For each part that may hang: the cause, the message and the hint."""


def is_error_page(url: str) -> bool:
    """Whether it is the browser's own page about a failed load."""
    return url.startswith("chrome-error:")


class Tab:
    """One page. Its index never changes and is never given to another tab of the session."""

    def __init__(self, index: int, page: Page, *, is_ours: bool = True) -> None:
        self.index = index
        self.page = page
        self.last_active = time.monotonic()
        self.console: Kept[ConsoleEntry] = Kept(CONSOLE_LIMIT)
        self.console_seen = asyncio.Event()
        self.chooser_seen = asyncio.Event()
        self.downloads: Kept[Download] = Kept(DOWNLOAD_LIMIT)
        self.crashed = False
        self.title = ""
        self._title_asked: tuple[asyncio.Task[None], float] | None = None
        self.navigations = 0
        self.held = HeldInput()
        self.traffic = RequestLog()
        self._dialog: Dialog | None = None
        self._chooser: FileChooser | None = None
        self.on_change: Callable[[str, Tab], None] = lambda what, tab: None
        self.browser_fault: Callable[[], str | None] = lambda: None
        self.hung_part: Callable[[], Awaitable[str | None]] = _none
        self._guards: list[Interruptible[Interruption]] = []
        self._expected_dialogs = 0
        self._popups = Popups(page)
        self._announcing: asyncio.TimerHandle | None = None
        self._must_announce = False
        self.console_feed = Feed(page, "console", self._on_console, self._on_flood)
        self.error_feed = Feed(page, "pageerror", self._on_page_error, self._on_flood)
        self.request_feed = Feed(page, "request", self._on_request, self._on_flood)
        page.on("dialog", self._on_dialog)
        page.on("dialogclosed", self._on_dialog_closed)
        self._acts = 0
        if is_ours:
            self._take_choosers(+1)
        page.on("download", self._on_download)
        page.on("crash", self._on_crash)
        page.on("close", self._on_close)
        page.on("framenavigated", self._on_navigated)

    def browser_lives(self) -> bool:
        return self.browser_fault() is None

    @property
    def url(self) -> str:
        return self.page.url

    @property
    def shows_error(self) -> bool:
        """Whether the browser shows its own page about a failed load."""
        return is_error_page(self.url)

    @property
    def dialog(self) -> DialogInfo | None:
        if self._dialog is None:
            return None
        return DialogInfo.model_validate(
            {
                "type": self._dialog.type,
                "message": self._dialog.message,
                "defaultValue": self._dialog.default_value or None,
            }
        )

    async def answer_dialog(self, *, accept: bool, text: str | None = None) -> DialogInfo:
        info, dialog = self.dialog, self._dialog
        if info is None or dialog is None:
            raise SessionError("no dialog is open in this tab")
        self._dialog = None
        if not accept:
            await dialog.dismiss()
        elif text is None and dialog.type == "prompt":
            await dialog.accept(dialog.default_value)
        elif text is None:
            await dialog.accept()
        else:
            await dialog.accept(text)
        return info

    @property
    def chooser(self) -> ChooserInfo | None:
        return ChooserInfo(multiple=self._chooser.is_multiple()) if self._chooser else None

    @property
    def waiting(self) -> tuple[Dialog | None, FileChooser | None]:
        """What waits for an answer; to compare with what waits later."""
        return self._dialog, self._chooser

    def take_chooser(self) -> FileChooser | None:
        """The waiting file chooser; it waits no longer."""
        chooser, self._chooser = self._chooser, None
        return chooser

    async def known_title(self, seconds: float) -> str:
        """The title, or the last known one of a page that does not answer in time.

        A page that owes an answer is not waited for again.
        """
        if not self.is_usable:
            return self.title
        now = time.monotonic()
        if self._title_asked is None or self._title_asked[0].done():
            self._title_asked = asyncio.create_task(self._ask_title()), now + seconds
        task, end = self._title_asked
        await asyncio.wait({task}, timeout=max(0.0, end - now))
        return self.title

    async def _ask_title(self) -> None:
        with suppress(Error):
            self.title = await self.page.title()

    async def recall_console(self) -> None:
        """Take over what the page logged before this tab object existed (attached browsers)."""
        for message in await self.page.console_messages():
            self._on_console(message)

    async def run(self, work: Awaitable[T], deadline: Deadline, *, doing: str) -> T:
        """Await work on this page, but no longer than it can make sense.

        A dialog, a crash or a closed tab ends it at once; the deadline ends it with a message that
        names what the page was doing instead of answering.
        """
        navigations = self.navigations
        guard: Interruptible[Interruption] = Interruptible(deadline, grace=GRACE_SECONDS)
        self._guards.append(guard)
        try:
            with guard:
                return await work
        except Interrupted:
            if guard.reason is None:
                raise await self.explain_timeout(deadline, doing) from None
            raise await self._why_interrupted(guard.reason, doing) from None
        except Error as error:
            why = await self.explain(error, deadline, doing, navigations=navigations)
            raise why from error
        finally:
            self._guards.remove(guard)

    async def act(self, work: Awaitable[object], *, linger: float = 0.0) -> None:
        """Await an action and the tabs that it opens; a dialog that it opens completes it.

        File choosers are caught for `linger` seconds longer than the action takes.
        """
        try:
            await self._popups.listen()
        except BaseException:
            if isinstance(work, Coroutine):
                work.close()  # Python warns about one that nothing awaits
            raise
        guard: Interruptible[Interruption] = Interruptible(Deadline(0))
        self._guards.append(guard)
        self._expected_dialogs += 1
        self._take_choosers(+1)
        try:
            with suppress(Interrupted), guard:
                await work
                await self._popups.opened()
        finally:
            self._guards.remove(guard)
            self._expected_dialogs -= 1
            # A chooser may open a moment after the action.
            seconds = CHOOSER_SECONDS + linger
            asyncio.get_running_loop().call_later(seconds, self._take_choosers, -1)

    def _take_choosers(self, change: int) -> None:
        """Catch file choosers, which the browser does not show then.

        In a browser that a person uses too, that is only while we act.
        """
        before = self._acts
        self._acts += change
        if before == 0:
            self.page.on("filechooser", self._on_chooser)
        elif self._acts == 0 and not self.page.is_closed():
            self.page.remove_listener("filechooser", self._on_chooser)

    async def explain(
        self, error: Error, deadline: Deadline, doing: str, *, navigations: int | None = None
    ) -> Exception:
        """What a Playwright error means, told by its type and by the state of the page."""
        if self.crashed:
            return self._interrupted("crash", doing)
        if self._dialog is not None:
            return self._interrupted("dialog", doing)
        if self.page.is_closed() or not self.browser_lives():
            return await self._why_interrupted("closed", doing)
        if isinstance(error, PlaywrightTimeout):
            return await self.explain_timeout(deadline, doing)
        if navigations is not None and await self.went_elsewhere(navigations):
            return SessionError(
                f"the page went to {self.url} while {doing} ran",
                hint="try again",
                details={"cause": "navigated", "tab": self.index, "url": self.url},
            )
        return error

    @property
    def is_usable(self) -> bool:
        """Whether there is a point in asking the page anything."""
        is_open = not self.page.is_closed() and self.browser_lives()
        return is_open and not self.crashed and self._dialog is None

    def check_usable(self) -> None:
        """Refuse at once what would hang: a crashed page, or one with an open dialog."""
        if self.crashed:
            raise self._interrupted("crash", "")
        if self._dialog is not None:
            raise self._interrupted("dialog", "")

    async def answers(self) -> bool:
        """Whether the page's main thread reacts within a moment."""
        with suppress(Error, TimeoutError):
            await asyncio.wait_for(self.page.evaluate("1"), PROBE_SECONDS)
            return True
        return False

    async def explain_timeout(self, deadline: Deadline, doing: str) -> PwError:
        details: dict[str, object] = {"timeoutMs": deadline.timeout_ms, "waitingFor": doing}
        message = f"{doing} took longer than {deadline.timeout_ms} ms"
        if not await self.answers():
            part = await self.hung_part()
            details["cause"], why, hint = _HUNG[part]
            return OperationTimeout(f"{message}: {why}", hint=hint, details=details)
        return OperationTimeout(message, hint=MORE_TIME, details=details)

    def _interrupt(self, reason: Interruption) -> None:
        # A dialog that an action may open concerns that action alone, the innermost guard.
        expected = reason == "dialog" and self._expected_dialogs
        for guard in self._guards[-1:] if expected else self._guards:
            guard.interrupt(reason)

    async def went_elsewhere(self, navigations: int) -> bool:
        """The end of a page's script is told before the navigation that ended it."""
        end = time.monotonic() + GONE_SECONDS
        while self.navigations == navigations and time.monotonic() < end:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
        return self.navigations > navigations

    async def _why_interrupted(self, reason: Interruption, doing: str) -> PwError:
        """A browser that ends closes its tabs first, and is found to be gone a moment later."""
        if reason == "closed":
            end = time.monotonic() + GONE_SECONDS
            while self.browser_lives() and time.monotonic() < end:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        return self._interrupted(reason, doing)

    def _interrupted(self, reason: Interruption, doing: str) -> PwError:
        where = {"tab": self.index, "url": self.url}
        dialog = self.dialog
        if reason == "dialog" and dialog is not None:
            return DialogOpen(
                f"a {dialog.type} dialog is open ({dialog.message!r}) and blocks the page",
                hint="answer it with `dialog.accept` or `dialog.dismiss`",
                details={"dialog": dialog.to_wire(), **where},
            )
        if reason == "crash":
            return SessionError(
                f"the page in tab {self.index} crashed ({self.url})",
                hint="`navigate` to load it again, or close it with `tabs.close`",
                details={"cause": "pageCrashed", **where},
            )
        if fault := self.browser_fault():
            return SessionError(
                f"{fault} while {doing} ran",
                hint="the next request starts a new one, without this page's state",
                details={"cause": "browserGone", **where},
            )
        return SessionError(
            f"tab {self.index} was closed while {doing} ran",
            details={"cause": "tabClosed", **where},
        )

    def listen_again(self) -> None:
        """A new page is not to blame for what the one before it sent."""
        for feed in (self.console_feed, self.error_feed, self.request_feed):
            feed.resume()

    def clear_console(self) -> None:
        self.console.clear()
        self.console_feed.pauses = self.error_feed.pauses = 0

    def clear_traffic(self) -> None:
        self.traffic.clear()
        self.request_feed.pauses = 0

    def _on_flood(self) -> None:
        self.on_change("flooding", self)

    def _on_console(self, message: ConsoleMessage) -> int:
        location, text = message.location, message.text
        self._log(
            ConsoleEntry(
                type=message.type,
                text=cut(text),
                url=location["url"] or None,
                line=location["lineNumber"],
                page_url=self.url,
                time=time.time(),
            )
        )
        return len(text)

    def _on_page_error(self, error: Error) -> int:
        text, stack = error.message, error.stack or ""
        self._log(
            ConsoleEntry(
                type="pageerror",
                text=cut(text),
                stack=cut(stack) or None,
                page_url=self.url,
                time=time.time(),
            )
        )
        return len(text) + len(stack)

    def _log(self, entry: ConsoleEntry) -> None:
        size = sum(len(part or "") for part in (entry.text, entry.stack, entry.url, entry.page_url))
        self.console.add(entry, size)
        self.console_seen.set()

    def _on_download(self, download: Download) -> None:
        self.downloads.add(download)

    def _on_navigated(self, frame: Frame) -> None:
        if frame.parent_frame is None:
            self.navigations += 1
            self.title = ""
            self._chooser = None
            self._announce()

    def _announce(self) -> None:
        """Say that the page navigated; a page may do so many times a second."""
        if self._announcing is not None:
            self._must_announce = True
            return
        self.on_change("navigated", self)
        self._announcing = asyncio.get_running_loop().call_later(QUIET_SECONDS, self._announced)

    def _announced(self) -> None:
        self._announcing = None
        if self._must_announce:
            self._must_announce = False
            self._announce()

    def _on_dialog(self, dialog: Dialog) -> None:
        self._dialog = dialog
        self.on_change("dialog", self)
        self._interrupt("dialog")

    def _on_chooser(self, chooser: FileChooser) -> None:
        self._chooser = chooser
        self.on_change("filechooser", self)
        self.chooser_seen.set()

    def _on_request(self, request: Request) -> int:
        self.traffic.add(request)
        return len(request.url)

    def _on_dialog_closed(self, dialog: Dialog) -> None:
        if dialog is self._dialog:
            self._dialog = None
        self.on_change("dialogclosed", self)

    def _on_close(self, _: Page) -> None:
        self._interrupt("closed")

    def _on_crash(self, _: Page) -> None:
        self.crashed = True
        self.on_change("crashed", self)
        self._interrupt("crash")


async def _none() -> None:
    return None
