"""Finds the browsers of other programs on this machine, and their endpoints."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import psutil

from pwtui.browser.launch.browser_processes import (
    BrowserProcess,
    IdleTimes,
    browser_processes,
    command_name,
    is_orphan,
    programs_of,
)
from pwtui.browser.launch.cdp import CdpBrowser, Listener, debugging_port, details_of, listeners
from pwtui.browser.launch.processes import ProcessTable
from pwtui.browser.launch.registry import BoundBrowser, live_bindings
from pwtui.browser.launch.relay_endpoint import browsers_of_relay, running_relays
from pwtui.protocol.addresses import Endpoint
from pwtui.protocol.models import SessionData

# A list waits this long for details, and only for those browsers that answered before.
ANSWER_SECONDS = 0.5
PATIENCE_SECONDS = 5.0

Key = tuple[object, int]


class OtherBrowsers:
    """Finds the browsers of other programs, and asks them for their version and pages.

    A browser that does not respond in time is listed with what its process shows. It is asked again
    in the background, and delays no later list; `on_change` is called when it answers after all.
    """

    def __init__(self) -> None:
        self.on_change: Callable[[], None] = lambda: None
        self._answers: dict[Key, Any] = {}
        self._asking: dict[Key, asyncio.Task[None]] = {}
        self._slow: set[Key] = set()
        self._idle = IdleTimes()

    async def find(
        self,
        processes: ProcessTable,
        *,
        pids: set[int],
        endpoints: set[str],
        observed: Sequence[SessionData] = (),
    ) -> list[SessionData]:
        """The browsers of other programs, except for these processes and endpoints.

        Those that are observed already are described, and not found again.
        """
        scan = await asyncio.to_thread(_scan, processes, pids, endpoints, observed)
        found, listening = scan.found, scan.listening
        ports = {Endpoint(endpoint).port for endpoint in endpoints}
        relays = [each.port for each in running_relays()]
        questions: dict[Key, Callable[[], Awaitable[Any]]] = {
            **{("relay", port): partial(browsers_of_relay, port) for port in relays},
            **{(each.pid, each.port): partial(details_of, each.port) for each in listening},
        }
        await self._ask_all(questions)
        for listener in listening:
            if listener.port not in ports:
                found += self._described(listener)
        for port in relays:
            behind = self._answers[("relay", port)] or ()
            found += [each for each in behind if each.cdp_endpoint not in endpoints]
        every = [*found, *observed]
        await asyncio.to_thread(self._add_processes, every, scan.browsers, processes)
        return found

    def close(self) -> None:
        for task in self._asking.values():
            task.cancel()

    def _add_processes(
        self,
        found: list[SessionData],
        browsers: dict[int, BrowserProcess],
        processes: ProcessTable,
    ) -> None:
        """Add what the processes of these browsers show."""
        idle = self._idle.update(sorted(browsers), processes)
        for each in found:
            if each.owner_pid is not None:
                each.memory_bytes = processes.memory(each.owner_pid)
                each.age_seconds = processes.age(each.owner_pid)
            browser = browsers.get(each.pid) if each.pid is not None else None
            if browser is not None:
                each.headless = browser.is_headless
                each.programs = programs_of(browser.pid, processes)
                each.orphan = is_orphan(browser, processes) or None
                each.idle_seconds = idle.get(browser.pid)

    def _described(self, listener: Listener) -> list[SessionData]:
        answer = self._answers[(listener.pid, listener.port)]
        if answer is None and listener.pid is None:
            return []  # something else may listen on the standard port
        unknown = CdpBrowser(listener.port, f"http://127.0.0.1:{listener.port}", None)
        browser, pages = answer or (unknown, None)
        return [
            SessionData(
                origin="cdp",
                title=browser.browser or f"port {listener.port}",
                browser="chromium",
                cdp_endpoint=browser.endpoint,
                pid=listener.pid,
                owner_pid=listener.pid,
                version=browser.browser,
                pages=pages,
            )
        ]

    async def _ask_all(self, questions: dict[Key, Callable[[], Awaitable[Any]]]) -> None:
        for gone in self._answers.keys() - questions.keys():
            del self._answers[gone]
            self._slow.discard(gone)
        for key, ask in questions.items():
            if key not in self._asking:
                self._asking[key] = asyncio.create_task(self._ask(key, ask))
        waited = {self._asking[key]: key for key in questions if key not in self._slow}
        if waited:
            _, late = await asyncio.wait(waited, timeout=ANSWER_SECONDS)
            self._slow |= {waited[task] for task in late}
        for key in questions:
            self._answers.setdefault(key, None)

    async def _ask(self, key: Key, ask: Callable[[], Awaitable[Any]]) -> None:
        answer = None
        try:
            with suppress(OSError, ValueError, TimeoutError):
                async with asyncio.timeout(PATIENCE_SECONDS):
                    answer = await ask()
        finally:
            del self._asking[key]
        self._answers[key] = answer
        if answer is None:
            self._slow.add(key)
        elif key in self._slow:
            self._slow.discard(key)
            self.on_change()


class _Scan(NamedTuple):
    found: list[SessionData]
    listening: list[Listener]
    browsers: dict[int, BrowserProcess]


def _scan(
    processes: ProcessTable,
    pids: set[int],
    endpoints: set[str],
    observed: Sequence[SessionData],
) -> _Scan:
    """The browsers in Playwright's registry and the process table, without a connection."""
    bindings = [each for each in live_bindings() if each.endpoint not in endpoints]
    owners = unix_listeners() if bindings else {}
    browsers = browser_processes(processes)
    driven_by = {pid: processes.ancestors(pid) for pid in browsers}
    bound = [bound_session(each, owners.get(each.endpoint)) for each in bindings]
    bound_pids = set[int]()
    for session in (*bound, *observed):
        # A program may bind one of several browsers: only a single one is known to be that.
        started = [pid for pid in browsers if session.owner_pid in driven_by[pid]]
        bound_pids.update(started)
        session.pid = started[0] if len(started) == 1 else None
    # A bound browser with a debugging port is one browser, not two.
    bound_ports = {debugging_port(each.arguments) for each in bindings}
    bound_by = set(owners.values())
    listening = [
        each
        for each in listeners(processes)
        if each.pid not in pids
        and each.port not in bound_ports
        and not (each.chosen_by_system and each.parent in bound_by)
    ]
    known = {*pids, *bound_pids, *(each.pid for each in listening)}
    piped = [
        SessionData(
            origin="pipe",
            title=(programs_of(each.pid, processes) or ["unknown program"])[0],
            browser=each.engine,
            pid=each.pid,
            owner_pid=each.pid,
        )
        for each in browsers.values()
        if each.has_pipe and each.pid not in known
    ]
    return _Scan([*bound, *piped], listening, browsers)


def bound_session(entry: BoundBrowser, listener: int | None) -> SessionData:
    """An entry of the registry, whose socket this process listens on."""
    tool, pid = program_of(listener) if listener is not None else (None, None)
    return SessionData(
        origin="playwright",
        title=entry.title,
        session_key=entry.session_key,
        tool=tool,
        browser=entry.browser,
        ws_endpoint=entry.endpoint,
        owner_pid=pid,
        workspace=entry.workspace,
        headless=entry.headless,
        version=entry.version,
    )


def program_of(listener: int) -> tuple[str | None, int]:
    """The program that this process binds a browser for, and its process id.

    The driver of a Python, Java or .NET program is a child process of the program.
    """
    with suppress(psutil.Error):
        process = psutil.Process(listener)
        command = process.cmdline()
        if "run-driver" in command:
            parent = process.parent()
            if parent is not None:
                return command_name(parent.cmdline()), parent.pid
        if any(part.endswith(("cliDaemon.js", "cli-daemon.js")) for part in command):
            return "playwright cli", listener
        if "mcp" in command or any("playwright-mcp" in part for part in command):
            return "playwright mcp", listener
        return command_name(command), listener
    return None, listener


def unix_listeners() -> dict[str, int]:
    with suppress(psutil.Error):
        connections = psutil.net_connections(kind="unix")
        return {str(c.laddr): c.pid for c in connections if c.laddr and c.pid}
    return {}
