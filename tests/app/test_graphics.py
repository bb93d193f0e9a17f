"""Images in terminals that support graphics."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

PATIENCE = 60.0
# textual-image waits a tenth of a second for an answer, which a busy machine may miss.
TRIES = 6

APP = """
import sys
from pathlib import Path
from PIL import Image
from textual.app import App
from pwtui.app.graphics import pixel_image

class Gallery(App):
    BINDINGS = [("v", "show", "show"), ("q", "quit", "quit")]
    def on_mount(self):
        Path(sys.argv[1]).write_text("ready")
    async def action_show(self):
        kind = pixel_image(self)
        assert pixel_image(self) is kind
        if kind:
            image = kind(Image.new("RGB", (60, 40), "red"))
            image.styles.width, image.styles.height = 6, 4
            await self.mount(image)
        name = kind.__module__ + "." + kind.__name__ if kind else "letters"
        self.call_after_refresh(Path(sys.argv[1]).write_text, name)

Gallery().run()
"""

SIXEL = "textual_image.widget.sixel.Image"
KITTY = "textual_image.widget.TGPImage"

# What a terminal is asked: whether it takes pictures, and what it is. It answers in this order.
_QUESTION = re.compile(rb"\x1b_Gi=(?P<picture>\d+),[^\x1b]*a=q[^\x1b]*\x1b\\|\x1b\[c")


class Terminal:
    """The other end of a terminal: reads the output and answers queries."""

    def __init__(self, kind: str, reported: Path) -> None:
        self.kind = kind
        self.reported = reported
        self.shown = b""
        self._answered = 0
        self._own, other = pty.openpty()
        termios.tcsetwinsize(self._own, (24, 80))
        environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        environment.pop("NO_COLOR", None)
        self.process = subprocess.Popen(
            [sys.executable, "-c", APP, str(reported)],
            stdin=other,
            stdout=other,
            stderr=other,
            env=environment,
            start_new_session=True,
        )
        os.close(other)

    def press(self, key: str) -> None:
        os.write(self._own, key.encode())

    def until_reported(self, *words: str) -> str:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            self._read()
            text = self.reported.read_text() if self.reported.exists() else ""
            if text in words:
                return text
        raise AssertionError(f"not reported: {words}\n{self.shown[-2000:]!r}")

    def close(self) -> int:
        self.press("q")
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < end:
            self._read()
        self.process.kill()
        os.close(self._own)
        return self.process.wait(PATIENCE)

    def _read(self) -> None:
        readable, _, _ = select.select([self._own], [], [], 0.05)
        if not readable:
            return
        try:
            self.shown += os.read(self._own, 65536)
        except OSError:
            # Linux reports a closed terminal like this.
            return
        for asked in _QUESTION.finditer(self.shown, self._answered):
            self._answered = asked.end()
            if picture := asked["picture"]:
                if self.kind == KITTY:
                    os.write(self._own, b"\x1b_Gi=%b;OK\x1b\\" % picture)
            else:
                os.write(self._own, b"\x1b[?62;4;22c" if self.kind == SIXEL else b"\x1b[?62;22c")


def show_picture(kind: str, folder: Path) -> tuple[str, bytes]:
    """The detected kind of terminal, and the output of the panel."""
    for attempt in range(TRIES):
        terminal = Terminal(kind, folder / f"report-{attempt}")
        terminal.until_reported("ready")
        terminal.press("v")
        detected = terminal.until_reported(SIXEL, KITTY, "letters")
        assert terminal.close() == 0, terminal.shown[-2000:]
        if detected == kind:
            break
    return detected, terminal.shown


@pytest.mark.parametrize(("kind", "picture"), [(SIXEL, b"\x1bP"), (KITTY, b"\x1b_G")])
def test_a_terminal_with_graphics_shows_an_image(kind: str, picture: bytes, tmp_path: Path) -> None:
    detected, shown = show_picture(kind, tmp_path)

    assert detected == kind
    before, _, after = shown.partition(b"\x1b[?1049l")
    assert picture not in before
    # The app left the screen to ask, and came back to it.
    assert picture in after.partition(b"\x1b[?1049h")[2]


def test_a_terminal_without_graphics_shows_half_blocks(tmp_path: Path) -> None:
    detected, shown = show_picture("letters", tmp_path)

    assert detected == "letters"
    assert b"\x1bP" not in shown
