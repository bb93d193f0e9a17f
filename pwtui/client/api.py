"""The public Python API: `pwtui.connect()` and `pwtui.connect_async()`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Coroutine, Generator, Iterable, Mapping
from contextlib import ExitStack
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from pwtui.client.calls import AsyncCalls, Calls
from pwtui.client.client import Client
from pwtui.client.connection import Event
from pwtui.client.data import Data
from pwtui.client.loop_thread import LoopThread
from pwtui.protocol.catalog import catalog
from pwtui.protocol.envelope import Overrides, Request, Response, RuntimeBlock
from pwtui.protocol.errors import InvalidInput, PwError, error_of
from pwtui.protocol.kinds import HAPPENINGS, Kind
from pwtui.protocol.model import decode
from pwtui.runtime.caller import Caller
from pwtui.runtime.resolve import choose_profile
from pwtui.state.workspace import Workspace

if TYPE_CHECKING:
    from pwtui.client.subscription import Subscription
    from pwtui.protocol.events import DroppedEvent, ObservedEvent

T = TypeVar("T")
CLOSED = "the client is closed"


def connect_async(
    *,
    workspace: str | PathLike[str] | None = None,
    profile: str | None = None,
    name: str = "python",
    **overrides: Any,
) -> AsyncPw:
    """A client of the daemon, which starts when it is needed.

    `workspace` is the folder of the profiles (the current one), `name` what the panel's log calls
    this client, and `overrides` what its requests change of the profile: browser, timeout_ms,
    base_url, use_daemon and the others of `runtime.overrides`.
    """
    if workspace is not None and not Path(workspace).is_dir():
        raise InvalidInput(f"workspace: {workspace} is not a folder")
    root = Workspace.locate(None if workspace is None else str(workspace))
    caller = Caller(root, cwd=Path.cwd(), mode="batch", profile=profile)
    return AsyncPw(Client(name), caller, decode(Overrides, overrides, where="overrides"))


def connect(
    *,
    workspace: str | PathLike[str] | None = None,
    profile: str | None = None,
    name: str = "python",
    **overrides: Any,
) -> Pw:
    """The same as `connect_async`, for code that does not use asyncio."""
    return Pw(connect_async(workspace=workspace, profile=profile, name=name, **overrides))


class AsyncPw(AsyncCalls):
    """Runs operations in one profile. Close it, or use it with `async with`."""

    def __init__(self, client: Client, caller: Caller, overrides: Overrides) -> None:
        self._client = client
        self._caller = caller
        self._runtime = RuntimeBlock(overrides=overrides)
        self._subscriptions: set[Subscription] = set()
        self._is_closed = False

    @property
    def _open(self) -> Client:
        if self._is_closed:
            raise RuntimeError(CLOSED)
        return self._client

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Disconnect; the browser stays open."""
        self._is_closed = True
        for each in list(self._subscriptions):
            await each.close()
        await self._client.close()

    async def send(self, op: str, /, **input: Any) -> Response:
        """Run an operation and return its whole response, which may be an error."""
        request = Request(op=op, input=input, runtime=self._runtime)
        return await self._open.perform(request, self._caller)

    async def batch(
        self, requests: Iterable[tuple[str, Mapping[str, Any]]], *, return_errors: bool = False
    ) -> list[Any]:
        """Run operations in order and return their data.

        The first error is raised; with `return_errors` it stands in place of the data, and the
        operations after it run, too.
        """
        results: list[Any] = []
        for op, input in requests:
            try:
                results.append(await self._call(op, dict(input)))
            except PwError as error:
                if not return_errors:
                    raise
                results.append(error)
        return results

    async def events(self, *kinds: str) -> AsyncGenerator[Event, None]:
        """Subscribe to what the daemon publishes about other clients, sessions and pages.

        `kinds` are those of docs/wire.md (request, response, session, page, client); all without.
        The iterator ends when the daemon exits.
        """
        queue: asyncio.Queue[Event] = asyncio.Queue()
        subscription = ExitStack()
        subscription.enter_context(self._open.daemon.listening(queue.put_nowait, kinds))
        await self._client.daemon.connect(self._caller)

        async def received() -> AsyncGenerator[Event, None]:
            with subscription:
                while (event := await queue.get())["event"] != "closed":
                    yield event

        return received()

    async def subscribe(
        self, *kinds: Kind, session: str | None = None
    ) -> AsyncGenerator[ObservedEvent | DroppedEvent, None]:
        """Subscribe to what happens in the sessions of this profile, or in one session.

        `kinds` are those of docs/wire.md (console, pageError, network, dialog, …); all without.
        The iterator ends when the daemon exits.
        """
        from pwtui.client.subscription import Subscription
        from pwtui.protocol.events import read_event

        profile = None if session else choose_profile(None, self._caller.profile)
        subscription = await Subscription.open(
            self._open.name,
            self._caller,
            kinds=kinds or HAPPENINGS,
            session=session,
            profile=profile,
        )
        self._subscriptions.add(subscription)

        async def received() -> AsyncGenerator[ObservedEvent | DroppedEvent, None]:
            try:
                async for wire in subscription:
                    if (event := read_event(wire)) is not None:
                        yield event
            finally:
                self._subscriptions.discard(subscription)
                await subscription.close()

        return received()

    async def _call(self, op: str, input: dict[str, Any]) -> Data:
        response = await self.send(op, **input)
        if response.error is not None:
            raise error_of(response.error.to_wire())
        schema = catalog()[op].data
        return Data(response.data or {}, schema, schema.get("$defs", {}))


class Pw(Calls):
    """Runs operations in one profile. Close it, or use it with `with`."""

    def __init__(self, client: AsyncPw) -> None:
        self._client = client
        self._loop = LoopThread()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Disconnect; the browser stays open."""
        self._loop.close(self._client.close())

    def send(self, op: str, /, **input: Any) -> Response:
        """Run an operation and return its whole response, which may be an error."""
        return self._wait(self._client.send(op, **input))

    def batch(
        self, requests: Iterable[tuple[str, Mapping[str, Any]]], *, return_errors: bool = False
    ) -> list[Any]:
        """Run operations in order and return their data; see `AsyncPw.batch`."""
        return self._wait(self._client.batch(requests, return_errors=return_errors))

    def events(self, *kinds: str) -> Generator[Event, None, None]:
        """Subscribe to what the daemon publishes; see `AsyncPw.events`."""
        return self._received(self._wait(self._client.events(*kinds)))

    def subscribe(
        self, *kinds: Kind, session: str | None = None
    ) -> Generator[ObservedEvent | DroppedEvent, None, None]:
        """Subscribe to what happens in sessions; see `AsyncPw.subscribe`."""
        return self._received(self._wait(self._client.subscribe(*kinds, session=session)))

    def _received(self, events: AsyncGenerator[T, None]) -> Generator[T, None, None]:
        async def next_event() -> T | None:
            return await anext(events, None)

        try:
            while (event := self._wait(next_event())) is not None:
                yield event
        finally:
            if self._loop.is_alive:
                self._wait(events.aclose())

    def _call(self, op: str, input: dict[str, Any]) -> Data:
        return self._wait(self._client._call(op, input))

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        if not self._loop.is_alive:
            work.close()
            raise RuntimeError(CLOSED)
        return self._loop.run(work)
