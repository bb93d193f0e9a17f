"""Emulation and network settings of a tab, which affect all of its clients.

Chrome has only the last value. When the client that set it clears it or disconnects, the previous
client's value is restored, or else Chrome's default.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pwtui.relay.targets import Subscription

INTERCEPTION = "Fetch.enable"

# Commands that set a value, and the commands that clear it.
_CLEARED_BY: dict[str, str] = {
    INTERCEPTION: "Fetch.disable",
    "Emulation.setDeviceMetricsOverride": "Emulation.clearDeviceMetricsOverride",
    "Emulation.setDevicePostureOverride": "Emulation.clearDevicePostureOverride",
    "Emulation.setGeolocationOverride": "Emulation.clearGeolocationOverride",
    "Emulation.setIdleOverride": "Emulation.clearIdleOverride",
}
_SET_BY = {clear: method for method, clear in _CLEARED_BY.items()}
# Commands that are cleared by a default value.
_NEUTRAL: dict[str, dict[str, Any]] = {
    "Emulation.setAutoDarkModeOverride": {},
    "Emulation.setAutomationOverride": {"enabled": False},
    "Emulation.setCPUThrottlingRate": {"rate": 1},
    "Emulation.setDefaultBackgroundColorOverride": {},
    "Emulation.setDisabledImageTypes": {"imageTypes": []},
    "Emulation.setDocumentCookieDisabled": {"disabled": False},
    "Emulation.setEmitTouchEventsForMouse": {"enabled": False},
    "Emulation.setEmulatedMedia": {"media": "", "features": []},
    "Emulation.setEmulatedVisionDeficiency": {"type": "none"},
    "Emulation.setFocusEmulationEnabled": {"enabled": False},
    "Emulation.setLocaleOverride": {},
    "Emulation.setPageScaleFactor": {"pageScaleFactor": 1},
    "Emulation.setScriptExecutionDisabled": {"value": False},
    "Emulation.setScrollbarsHidden": {"hidden": False},
    "Emulation.setTimezoneOverride": {"timezoneId": ""},
    "Emulation.setTouchEmulationEnabled": {"enabled": False},
    "Emulation.setUserAgentOverride": {"userAgent": ""},
    "Network.emulateNetworkConditions": {"offline": False, "latency": 0}
    | {"downloadThroughput": -1, "uploadThroughput": -1},
    "Network.setBlockedURLs": {"urls": []},
    "Network.setBypassServiceWorker": {"bypass": False},
    "Network.setCacheDisabled": {"cacheDisabled": False},
    "Network.setExtraHTTPHeaders": {"headers": {}},
    "Network.setUserAgentOverride": {"userAgent": ""},
    "Page.setBypassCSP": {"enabled": False},
    "Page.setInterceptFileChooserDialog": {"enabled": False},
    "Security.setIgnoreCertificateErrors": {"ignore": False},
}
SETS = frozenset((*_CLEARED_BY, *_NEUTRAL))
CLEARS = frozenset(_SET_BY)


class EmulationOverrides:
    """The values of one target by session; the last one is effective."""

    def __init__(self) -> None:
        self._values: dict[str, dict[Subscription, str]] = {}

    def set(self, subscription: Subscription, method: str, message: str) -> None:
        values = self._values.setdefault(method, {})
        values.pop(subscription, None)
        values[subscription] = message

    def holder(self, method: str) -> Subscription | None:
        """The session with the effective value."""
        return next(reversed(self._values.get(method, {})), None)

    def clear(self, subscription: Subscription, clear: str) -> tuple[bool, list[str]]:
        """Remove a value: whether Chrome has to clear it, and the messages to send after that."""
        method = _SET_BY[clear]
        is_other = self.holder(method) not in (None, subscription)
        values = self._values.get(method, {})
        values.pop(subscription, None)
        return not is_other, [] if is_other else list(values.values())[-1:]

    def leave(self, subscription: Subscription) -> list[str]:
        """Remove all values of a session; returns the messages that undo the effective ones."""
        messages = []
        for method, values in self._values.items():
            held = self.holder(method) is subscription
            if values.pop(subscription, None) is None or not held:
                continue
            before = list(values.values())[-1:]
            if not before or method == INTERCEPTION:  # paused requests continue
                clear = {"method": _CLEARED_BY.get(method, method)}
                messages.append(json.dumps({**clear, "params": _NEUTRAL.get(method, {})}))
            messages += before
        return messages
