"""Commands that add to this installation: `pwtui[NAME]`, and browsers."""

from __future__ import annotations

import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

from pwtui.protocol.errors import UnsupportedMode


def missing_extra(extra: str, what: str) -> UnsupportedMode:
    """The error for a feature whose packages are not installed."""
    folders = Path(sys.prefix).parts
    if "pipx" in folders:
        command = "pipx install --force"
    elif "uv" in folders and "tools" in folders:
        command = "uv tool install"
    elif find_spec("pip") is None:
        command = f"uv pip install --python {sys.executable}"
    else:
        command = f"{sys.executable} -m pip install"
    return UnsupportedMode(
        f"{what} needs packages that are not installed",
        hint=f"install them with `{command} 'pwtui[{extra}]'`",
        details={"extra": extra},
    )


def install_command(target: str) -> str:
    """The `pw install` of this installation, with its path if `pw` is not on the PATH."""
    own, found = Path(sys.executable).with_name("pw"), shutil.which("pw")
    is_found = found is not None and own.exists() and own.samefile(found)
    return f"{'pw' if is_found or not own.exists() else own} install {target}"
