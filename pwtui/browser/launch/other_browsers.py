"""Browsers that other programs run on this machine, and how to reach them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import psutil

from pwtui.browser.launch.cdp import Listener, debugging_port, details_of, listeners
from pwtui.browser.launch.processes import ProcessTable
from pwtui.browser.launch.registry import BoundBrowser, live_bindings
from pwtui.browser.launch.relay_endpoint import browsers_of_relay, running_relays
from pwtui.protocol.addresses import Endpoint

# A list waits this long for the details of others, and only for those that answered before.
ANSWER_SECONDS = 0.5
PATIENCE_SECONDS = 5.0

Origin = Literal["playwright", "cdp", "relay"]
Key = tuple[object, int]


@dataclass
class ExternalBrowser:
    """A browser that is not ours. What is not known is None."""

    origin: Origin
    title: str
    browser: str | None
    endpoint: str
    owner_pid: int | None = None
    workspace: str | None = None
    headless: bool | None = None
    version: str | None = None
    pages: list[dict[str, str]] | None = None
    memory_bytes: int | None = None
    age_seconds: float | None = None


class OtherBrowsers:
    """Finds the browsers of other programs in one pass, and asks them for details beside it.

    A browser that does not answer in time is listed with what its process shows. It is asked again
    in the background, and delays no later list; `on_change` is called when it answers after all.
    """

    def __init__(self) -> None:
        self.on_change: Callable[[], None] = lambda: None
        self._answers: dict[Key, Any] = {}
        self._asking: dict[Key, asyncio.Task[None]] = {}
        self._slow: set[Key] = set()

    async def find(
        self, processes: ProcessTable, *, pids: set[int], endpoints: set[str]
    ) -> list[ExternalBrowser]:
        """All but those of these processes and endpoints, which are known already."""
        bound, listening = await asyncio.to_thread(_scan, processes, pids, endpoints)
        ports = {Endpoint(endpoint).port for endpoint in endpoints}
        relays = [each.port for each in running_relays()]
        questions: dict[Key, Callable[[], Awaitable[Any]]] = {
            **{("relay", port): partial(browsers_of_relay, port) for port in relays},
            **{(each.pid, each.port): partial(details_of, each.port) for each in listening},
        }
        await self._ask_all(questions)
        found = bound
        for listener in listening:
            if listener.port not in ports:
                found += self._described(listener)
        for port in relays:
            for browser in self._answers[("relay", port)] or ():
                if browser.endpoint not in endpoints:
                    found.append(
                        ExternalBrowser(
                            origin="relay",
                            title=browser.browser,
                            browser="chromium",
                            endpoint=browser.endpoint,
                            version=browser.browser,
                            pages=browser.pages,
                        )
                    )
        for each in found:
            if each.owner_pid is not None:
                each.memory_bytes = processes.memory(each.owner_pid)
                each.age_seconds = processes.age(each.owner_pid)
        return found

    def close(self) -> None:
        for task in self._asking.values():
            task.cancel()

    def _described(self, listener: Listener) -> list[ExternalBrowser]:
        answer = self._answers[(listener.pid, listener.port)]
        if answer is None and listener.pid is None:
            return []  # something else may listen on the usual port
        seen = ExternalBrowser(
            origin="cdp",
            title=f"port {listener.port}",
            browser="chromium",
            endpoint=f"http://127.0.0.1:{listener.port}",
            owner_pid=listener.pid,
        )
        if answer is not None:
            browser, seen.pages = answer
            seen.endpoint, seen.version = browser.endpoint, browser.browser
            seen.title = browser.browser or seen.title
        return [seen]

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


def _scan(
    processes: ProcessTable, pids: set[int], endpoints: set[str]
) -> tuple[list[ExternalBrowser], list[Listener]]:
    """What Playwright's registry and the processes show, without asking a browser."""
    bindings = [each for each in live_bindings() if each.endpoint not in endpoints]
    owners = _unix_listeners() if bindings else {}
    bound = [_bound(each, owners.get(each.endpoint)) for each in bindings]
    # A bound browser with a debugging port is one browser, not two.
    bound_ports = {debugging_port(each.arguments) for each in bindings}
    bound_by = {each.owner_pid for each in bound}
    listening = [
        each
        for each in listeners(processes)
        if each.pid not in pids
        and each.port not in bound_ports
        and not (each.chosen_by_system and each.parent in bound_by)
    ]
    return bound, listening


def _bound(entry: BoundBrowser, owner: int | None) -> ExternalBrowser:
    return ExternalBrowser(
        origin="playwright",
        title=entry.title,
        browser=entry.browser,
        endpoint=entry.endpoint,
        owner_pid=owner,
        workspace=entry.workspace,
        headless=entry.headless,
        version=entry.version,
    )


def _unix_listeners() -> dict[str, int]:
    with suppress(psutil.Error):
        connections = psutil.net_connections(kind="unix")
        return {str(c.laddr): c.pid for c in connections if c.laddr and c.pid}
    return {}
