"""One connected client, such as a Playwright."""

from __future__ import annotations

import itertools
import json
import time
from collections import deque
from typing import Any

from pwtui.relay import frames
from pwtui.relay.extension_connection import Extension
from pwtui.relay.options import CookieScope
from pwtui.relay.send_queue import Outbox
from pwtui.relay.steps import CLIENT_STEPS, TARGET_STEPS, Progress, Step
from pwtui.relay.targets import Subscription, Target

# A client may still name a session that ended a moment ago, hardly one of long ago.
ENDED_SESSIONS = 256


class Client:
    """Its sessions, and how far it is in the seven steps."""

    def __init__(
        self,
        id: str,
        extension: Extension,
        outbox: Outbox,
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
        self.progress = Progress(CLIENT_STEPS)
        self.progress.reach(Step.ENDPOINT)
        self.progress.reach(Step.WEBSOCKET)
        self.targets: dict[str, tuple[Target, Progress]] = {}
        self._outbox = outbox
        self._numbers = itertools.count(1)

    def new_session(self, kind: str) -> str:
        return f"{kind}-{self.id}-{next(self._numbers)}"

    def attach(self, target: Target, session: str) -> Subscription:
        subscription = Subscription(self, target, session)
        target.subscriptions.append(subscription)
        self.sessions[session] = subscription
        return subscription

    def reach(self, target: Target, step: Step) -> None:
        """Note a step of a page, or of a frame that lives apart from its page."""
        if target.info.get("type") not in ("page", "iframe"):
            return
        if target.session not in self.targets:
            progress = Progress(TARGET_STEPS, began=self.progress.began)
            self.targets[target.session] = (target, progress)
        self.targets[target.session][1].reach(step)

    def respond(self, id: Any, session: str | None, result: str) -> None:
        self._outbox.put(frames.response(id, session, result))

    def refuse(self, id: Any, session: str | None, code: int, message: str) -> None:
        self._outbox.put(frames.failure(id, session, code, message))

    def event(self, method: str, session: str | None, params: str) -> None:
        self._outbox.put(frames.event(method, session, params))

    def tell(self, method: str, session: str | None, params: dict[str, Any]) -> None:
        self.event(method, session, json.dumps(params))

    def close(self, code: int, reason: str) -> None:
        self._outbox.close(code, reason)
