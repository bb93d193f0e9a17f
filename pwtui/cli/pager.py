"""Long output on a terminal: shown in $PAGER, as git does."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
from contextlib import suppress

FALLBACK_PAGER = "less"
UNKNOWN_HEIGHT = 24
LESS = "FRX"
"""The options of less, unless the user has set them: no pager for one screen, and with colours."""


def page(output: bytes) -> bool:
    """Show output that is longer than the terminal; False where it should be printed instead."""
    environment = os.environ
    try:
        pager = shlex.split(environment.get("PAGER", FALLBACK_PAGER))
        if not pager or pager == ["cat"] or environment.get("TERM") == "dumb":
            return False
        if output.count(b"\n") < (os.get_terminal_size(1).lines or UNKNOWN_HEIGHT):
            return False
        process = subprocess.Popen(
            pager, stdin=subprocess.PIPE, env={"LESS": LESS, "LV": "-c", **environment}
        )
    except (OSError, ValueError):
        return False
    # Ctrl+C belongs to the pager now.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with suppress(BrokenPipeError):  # the user has seen enough
            process.communicate(output)
        process.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    return True
