"""Shows long output on a terminal in $PAGER, as git does."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
from contextlib import suppress

FALLBACK_PAGER = "less"
UNKNOWN_HEIGHT = 24
LESS = "FRX"
"""Default options of less: exit if it fits on one screen, keep colours, do not clear."""


def page(output: bytes) -> bool:
    """Show output that is longer than the screen; False if the caller has to print it."""
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
    # Ctrl+C is for the pager.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with suppress(BrokenPipeError):  # the user closed the pager
            process.communicate(output)
        process.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    return True
