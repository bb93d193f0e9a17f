"""One connected CDP client, such as Playwright."""

from __future__ import annotations

import itertools
import json
import time
from collections import deque
from typing import Any, Literal

from pwtui.relay.extension_connection import ExtensionConnection
from pwtui.relay.send_queue import SendQueue
from pwtui.relay.steps import CLIENT_STEPS, TARGET_STEPS, ConnectionProgress, ConnectionStep
from pwtui.relay.targets import RelayTarget, Subscription

# Clients may still send commands to sessions that have just ended.
ENDED_SESSIONS = 256

CookieScope = Literal["page", "browser"]
"""The cookies of the attached pages, or those of all sites."""


class RelayClient:
    """The sessions of a client, and its progress in the seven connection steps."""

    def __init__(
        self,
        id: str,
        extension: ExtensionConnection,
        queue: SendQueue,
        *,
        agent: str = "",
        cookies: CookieScope = "page",
    ) -> None:
        self.id = id
        self.extension = extension
        self.agent = agent
        self.cookies = cookies
        self.connected_at = time.time()
        self.sessions: dict[str, Subscription] = {}
        self.ended_sessions: deque[str] = deque(maxlen=ENDED_SESSIONS)
        self.roots: set[str] = set()
        self.auto_attach = False
        self.discover = False
        self.commands = 0
        self.progress = ConnectionProgress(CLIENT_STEPS)
        self.progress.reach(ConnectionStep.ENDPOINT)
        self.progress.reach(ConnectionStep.WEBSOCKET)
        self.targets: dict[str, tuple[RelayTarget, ConnectionProgress]] = {}
        self.close = queue.close
        self._send = queue.put
        self._numbers = itertools.count(1)

    def new_session(self, kind: str) -> str:
        return f"{kind}-{self.id}-{next(self._numbers)}"

    def attach(self, target: RelayTarget, session: str) -> None:
        self.sessions[session] = Subscription(self, target, session)
        target.subscriptions.append(self.sessions[session])

    def reach(self, target: RelayTarget, step: ConnectionStep) -> None:
        """Record a step of a page or of an out-of-process frame."""
        if target.info.get("type") not in ("page", "iframe"):
            return
        if target.session not in self.targets:
            progress = ConnectionProgress(TARGET_STEPS, began=self.progress.began)
            self.targets[target.session] = (target, progress)
        self.targets[target.session][1].reach(step)

    def activity_in(self, tab: RelayTarget) -> tuple[bool, int]:
        """Whether a command of the client is running in a tab, and the number of the last one."""
        sessions = [each for each in self.sessions.values() if each.target.tab is tab]
        return any(each.pending for each in sessions), max(each.last_command for each in sessions)

    # Results and events are forwarded as text: parsing them would take most of the time.

    def respond(self, id: Any, session: str | None, result: str) -> None:
        self._send(f'{{"id":{json.dumps(id)},"result":{result}{_session(session)}}}')

    def refuse(self, id: Any, session: str | None, code: int, message: str) -> None:
        error = json.dumps({"code": code, "message": message})
        self._send(f'{{"id":{json.dumps(id)},"error":{error}{_session(session)}}}')

    def event(self, method: str, params: str | dict[str, Any], session: str | None = None) -> None:
        text = params if isinstance(params, str) else json.dumps(params)
        self._send(f'{{"method":"{method}","params":{text}{_session(session)}}}')


def _session(session: str | None) -> str:
    return "" if session is None else f',"sessionId":{json.dumps(session)}'
