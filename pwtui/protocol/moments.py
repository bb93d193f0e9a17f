"""Times as they are typed: `2h` ago, `14:05`, `2026-11-18`, `2026-11-18T14:05`."""

from __future__ import annotations

import re
import time
from datetime import datetime, timedelta

from pwtui.protocol.errors import InvalidInput

_AGE = re.compile(r"(\d+(?:\.\d+)?)(s|m|h|d|w)")
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}


def moment(text: str, now: float | None = None) -> float:
    """A time, or so long ago: `2h`, `14:05`, `2026-11-18`, `2026-11-18T14:05:06`."""
    now = time.time() if now is None else now
    if age := _AGE.fullmatch(text):
        return now - float(age[1]) * _UNITS[age[2]]
    try:
        if re.fullmatch(r"\d{1,2}:\d{2}(:\d{2})?", text):
            clock = datetime.strptime(text, "%H:%M:%S" if text.count(":") == 2 else "%H:%M").time()
            at = datetime.combine(datetime.fromtimestamp(now).date(), clock)
            return (at if at.timestamp() <= now else at - timedelta(days=1)).timestamp()
        return datetime.fromisoformat(text.upper()).timestamp()
    except (ValueError, OverflowError, OSError):
        raise InvalidInput(
            f"filter: {text!r} is not a time", hint="use 2h, 14:05, 2026-11-18 or 2026-11-18T14:05"
        ) from None
