"""The trace of the relay: current, past and refused connections, and notes."""

from __future__ import annotations

import logging
import time
from collections import deque
from typing import Any, Literal

from pwtui.relay.client import RelayClient
from pwtui.relay.extension_connection import ExtensionInfo
from pwtui.relay.steps import CLIENT_STEPS, ConnectionProgress, ConnectionStep

log = logging.getLogger(__name__)

KEPT = 20
NAME_LENGTH = 100


class Trace:
    """The latest entries, in memory; the log has all of them."""

    def __init__(self) -> None:
        self._past: deque[dict[str, Any]] = deque(maxlen=KEPT)
        self._notes: deque[dict[str, Any]] = deque(maxlen=KEPT)
        self._unpaired: dict[str, dict[str, Any]] = {}

    def note(self, level: Literal["info", "warning"], message: str) -> None:
        log.log(logging.WARNING if level == "warning" else logging.INFO, "%s", message)
        self._notes.append({"time": time.time(), "level": level, "message": message})

    def refused(self, id: str, reason: str) -> None:
        log.warning("client %s refused: %s", id, reason)
        progress = ConnectionProgress(CLIENT_STEPS)
        progress.reach(ConnectionStep.ENDPOINT)
        entry = {"id": id, "connected": False, "refused": reason, "connectedAt": time.time()}
        steps = progress.to_wire()
        steps["missing"]["hint"] = reason
        self._past.append({**entry, **steps, "targets": []})

    def extension_refused(self, info: ExtensionInfo) -> None:
        """Record an extension that did not prove that it is paired."""
        if self._unpaired.pop(info.install, None) is None:
            log.warning("extension %s refused: not paired", info.install)
        self._unpaired[info.install] = {
            "id": info.install[:NAME_LENGTH],
            "browser": info.browser[:NAME_LENGTH],
            "refusedAt": time.time(),
        }
        if len(self._unpaired) > KEPT:
            del self._unpaired[next(iter(self._unpaired))]

    def extension_accepted(self, info: ExtensionInfo) -> None:
        self._unpaired.pop(info.install, None)

    def client_left(self, client: RelayClient) -> None:
        self._past.append({**_describe(client), "connected": False})

    def to_wire(self, clients: list[RelayClient]) -> dict[str, Any]:
        return {
            "clients": [_describe(client) for client in clients],
            "past": list(self._past),
            "notes": list(self._notes),
            "unpaired": list(self._unpaired.values()),
        }


def _describe(client: RelayClient) -> dict[str, Any]:
    steps = client.progress.to_wire()
    if steps["missing"] is None and not client.targets:
        # The client is ready, but no target was announced.
        no_target = ConnectionProgress((ConnectionStep.ATTACHED,), began=client.progress.began)
        steps["missing"] = no_target.to_wire()["missing"]
    return {
        "id": client.id,
        "agent": client.agent,
        "extension": client.extension.id,
        "connected": True,
        "refused": None,
        "connectedAt": client.connected_at,
        "commands": client.commands,
        **steps,
        "targets": [
            {
                "targetId": target.id,
                "type": target.info.get("type"),
                "url": target.url,
                "title": target.info.get("title", ""),
                "crashed": target.crashed,
                **progress.to_wire(),
            }
            for target, progress in client.targets.values()
        ],
    }
