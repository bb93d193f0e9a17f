"""Holds the actions of clients, until a person releases them.

Requests that act in a session of a profile wait here, before they reach its worker. In a browser of
another program its worker holds them.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pwtui.daemon.bound_browsers import BoundBrowsers
from pwtui.daemon.worker_link import WorkerLost
from pwtui.daemon.workers import Workers
from pwtui.operations.framework.call import HoldAction
from pwtui.protocol.addresses import is_bound_key, is_session_key, owner_id
from pwtui.protocol.catalog import Effect, catalog
from pwtui.protocol.envelope import Request
from pwtui.protocol.errors import InvalidInput, PwError, SessionError, nothing_open
from pwtui.protocol.events import HoldEvent
from pwtui.protocol.models import SessionData
from pwtui.runtime.caller import Caller
from pwtui.runtime.resolve import choose_profile

if TYPE_CHECKING:
    from pwtui.daemon.connection import Connection

NOTICE = "waits: a person has paused the session"


class ProfileHold:
    """The requests of a profile that wait, in their order."""

    def __init__(self, session: SessionData, by: Connection | None, publish: Publish) -> None:
        self.session = session
        self._by = by
        self._publish = publish
        self._steps = 0
        self._waiting: list[asyncio.Future[None]] = []
        publish(session, change="began", by=by.name if by is not None else None)

    def holds(self, connection: Connection) -> bool:
        return connection is not self._by

    async def wait(self, request: Request, connection: Connection) -> None:
        if self._steps:
            self._steps -= 1
            return
        about = {"client": connection.name, "action": request.op}
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self._publish(self.session, change="held", **about)
        connection.show(f"{request.op} {NOTICE}")
        try:
            await turn
        finally:
            if turn in self._waiting:
                self._waiting.remove(turn)
            self._publish(self.session, change="released", **about)

    def step(self) -> None:
        if self._waiting:
            self._waiting.pop(0).set_result(None)
        else:
            self._steps += 1

    def end(self, reason: str | None, error: PwError | None = None) -> None:
        """Let the requests run, or fail them."""
        waiting, self._waiting = self._waiting, []
        for turn in waiting:
            if error is not None:
                turn.set_exception(error)
            else:
                turn.set_result(None)
        self._publish(self.session, change="ended", reason=reason)


Publish = Callable[..., None]


class Holds:
    """What is held, in all sessions."""

    def __init__(self, workers: Workers, bound: BoundBrowsers) -> None:
        self._workers = workers
        self._bound = bound
        self._of_profile: dict[str, ProfileHold] = {}
        self._until_end_of: dict[str, Connection] = {}

    def find(self, request: Request, caller: Caller, connection: Connection) -> ProfileHold | None:
        """What holds this request, if anything does."""
        if not self._of_profile:
            return None
        info = catalog().get(request.op)
        if info is None or info.effect_of(request.input) is not Effect.ACTS:
            return None
        try:
            profile = choose_profile(request.profile, caller.profile)
        except PwError:
            return None
        hold = self._of_profile.get(caller.workspace.profile_id(profile))
        return hold if hold is not None and hold.holds(connection) else None

    def is_held(self, profile_id: str) -> bool:
        return profile_id in self._of_profile

    async def change(
        self, action: HoldAction, name: str | None, caller: Caller, *, while_connected: bool
    ) -> tuple[SessionData, bool]:
        """Pause, resume or step a session: the session, and whether anything changed."""
        key = await self._key_of(name, caller)
        conversation: Any = caller.conversation
        by: Connection | None = conversation if hasattr(conversation, "number") else None
        if is_bound_key(key):
            changed = await self._change_bound(action, key, by)
        else:
            changed = self._change_own(action, key, by)
        if while_connected and by is not None:
            self._until_end_of[owner_id(key)] = by
        elif action == "resume":
            self._until_end_of.pop(owner_id(key), None)
        return changed

    def session_closed(self, session_key: str) -> None:
        """End the hold of a session that is not there any more.

        What was held does not run: it would open another browser, which is not held.
        """
        hold = self._of_profile.get(owner_id(session_key))
        if hold is not None and hold.session.session_key == session_key:
            del self._of_profile[owner_id(session_key)]
            error = "the session has ended while it was paused, and the request was held"
            hold.end("the session has ended", SessionError(error))

    async def disconnected(self, connection: Connection) -> None:
        """End the holds that end with this client."""
        for owner in [each for each, by in self._until_end_of.items() if by is connection]:
            del self._until_end_of[owner]
            if is_bound_key(owner):
                await self._change_bound("resume", owner, None)
            elif hold := self._of_profile.pop(owner, None):
                hold.end(f"{connection.name} has disconnected")

    async def _key_of(self, name: str | None, caller: Caller) -> str:
        """The key of an open session."""
        if name is not None and is_session_key(name):
            return name
        profile_id = caller.workspace.profile_id(name or choose_profile(None, caller.profile))
        for session in self._workers.sessions:
            if session.session_key and owner_id(session.session_key) == profile_id:
                return session.session_key
        if name is None:
            raise nothing_open("no browser is open for this profile")
        return await self._bound.key_of(name)

    def _change_own(
        self, action: HoldAction, key: str, by: Connection | None
    ) -> tuple[SessionData, bool]:
        found = [each for each in self._workers.sessions if each.session_key == key]
        if not found:
            raise InvalidInput(f"there is no session {key!r}", hint="see `session.list`")
        profile_id, session = owner_id(key), found[0]
        hold = self._of_profile.get(profile_id)
        if action == "resume":
            if hold is not None:
                del self._of_profile[profile_id]
                hold.end(None)
            return session, hold is not None
        if hold is None:
            hold = self._of_profile[profile_id] = ProfileHold(session, by, self._publish)
            if action == "pause":
                return session, True
        if action == "step":
            hold.step()
        return session, action == "step"

    async def _change_bound(
        self, action: HoldAction, key: str, by: Connection | None
    ) -> tuple[SessionData, bool]:
        with self._bound.using(key):
            worker = await self._bound.worker_of(key)
            try:
                if worker is None:
                    raise SessionError("the browser of another program cannot be observed")
                reply = await worker.ask("hold", action=action, by=by.name if by else None)
            except WorkerLost:
                raise SessionError("the browser of another program has exited") from None
        if error := reply.get("error"):
            raise SessionError(error)
        sessions = [each for each in worker.sessions if each.session_key == key]
        if not sessions:
            raise SessionError("the browser of another program has exited")
        return sessions[0], reply["changed"]

    def _publish(self, session: SessionData, **fields: Any) -> None:
        event = HoldEvent(
            time=time.time(),
            session_key=session.session_key or "",
            workspace=session.workspace,
            profile=session.profile,
            **fields,
        )
        data = json.dumps(event.to_wire()).encode()
        self._workers.on_observed("hold", event.session_key, data)
