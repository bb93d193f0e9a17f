"""Optional dependencies: `pwtui[NAME]` installs them."""

from __future__ import annotations

import sys
from pathlib import Path

from pwtui.protocol.errors import UnsupportedMode


def missing_extra(extra: str, what: str) -> UnsupportedMode:
    """The error for a feature whose packages are not installed."""
    folders = Path(sys.prefix).parts
    if "pipx" in folders:
        command = "pipx install --force"
    elif "uv" in folders:
        command = "uv tool install"
    else:
        command = f"{sys.executable} -m pip install"
    return UnsupportedMode(
        f"{what} needs packages that are not installed",
        hint=f"install them with `{command} 'pwtui[{extra}]'`",
        details={"extra": extra},
    )
