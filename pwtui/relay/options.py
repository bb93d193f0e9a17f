"""What a user may choose."""

from __future__ import annotations

import os
from typing import Literal

SEPARATE_WINDOW_VARIABLE = "PWTUI_SEPARATE_WINDOW"

CookieScope = Literal["page", "browser"]
"""The cookies of the attached pages, or those of all sites."""


def wants_separate_window(given: bool | None) -> bool:
    """What was said, else what the environment says."""
    if given is not None:
        return given
    return os.environ.get(SEPARATE_WINDOW_VARIABLE, "").lower() in ("1", "true", "yes", "on")
