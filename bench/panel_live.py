"""The panel in a pseudo terminal beside a real page.

Measures how long after the answer of the daemon all panes are filled; and the live picture of a
page that always changes: its frames per second, and the time from a key to its paint.

Run: python -m bench.panel_live
"""

from __future__ import annotations

import asyncio
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

from bench.daemon import environment
from bench.panel import PING, Pinged
from bench.terminal import Terminal
from pwtui.app.panes.daemon import DaemonPane
from pwtui.app.panes.log import LogPane
from pwtui.app.panes.page import PagePane
from pwtui.app.panes.profiles import ProfilesPane
from pwtui.app.panes.sessions import SessionsPane
from pwtui.client.start import OutsideControl
from pwtui.demo import DemoSite
from pwtui.state.workspace import Workspace

STARTS = 5
PICTURE_SECONDS = 10
MOVING = """
const canvas = document.body.appendChild(document.createElement("canvas"));
canvas.width = 1200; canvas.height = 900;
canvas.style = "position: fixed; inset: 0; z-index: 9";
const pen = canvas.getContext("2d");
setInterval(() => {
  const time = performance.now();
  for (let x = 0; x < 1200; x += 20)
    for (let y = 0; y < 900; y += 20) {
      pen.fillStyle = `hsl(${(time / 5 + x * y / 300) % 360} 80% 50%)`;
      pen.fillRect(x, y, 20, 20);
    }
}, 50)
"""


class Watched(Pinged):
    """A panel that shows when all panes were filled, and how many pictures it has drawn."""

    connected_at = 0.0
    pictures = 0

    def _begin(self) -> None:
        super()._begin()
        self.store.listeners.append(self._seen)
        self.timer = self.set_interval(0.01, self._look)

    def action_ping(self) -> None:
        super().action_ping()
        self.screen.query_one("#daemon-pane").border_subtitle = f"({self.pings:06}) {self.pictures}"

    def _seen(self, part: str) -> None:
        self.pictures += part == "picture"
        if self.store.link == "connected" and not self.connected_at:
            self.connected_at = time.perf_counter()

    def _look(self) -> None:
        one = self.screen.query_one
        rows = [one(each).row_count for each in (ProfilesPane, SessionsPane, LogPane, PagePane)]
        if all(rows) and "MB" in str(one(DaemonPane).render()):
            filled_ms = (time.perf_counter() - self.connected_at) * 1000
            one("#daemon-pane").border_subtitle = f"<{filled_ms:.0f} ms>"
            self.timer.stop()


def main() -> None:
    with DemoSite() as site, environment() as root:
        pw = [str(Path(sys.executable).with_name("pw")), "--workspace", str(root)]

        def run(*words: str) -> None:
            subprocess.run([*pw, *words], stdout=subprocess.DEVNULL, check=True)

        run("open", site.url)
        try:
            times = []
            for _ in range(STARTS):
                terminal = _panel(root)
                filled = terminal.wait_for(rb"<(\d+) ms>", 0, 60)
                times.append(float(filled[1]))
                terminal.close()
            print(f"all panes filled {statistics.median(times):.0f} ms after the daemon's answer")
            run("eval", MOVING)
            terminal = _panel(root)
            terminal.wait_for(rb"ms>", 0, 60)
            print(terminal.soak("a key", *PING, PICTURE_SECONDS))
            os.write(terminal.descriptor, b"8")
            terminal.rest(1)
            start = len(terminal.written)
            print(terminal.soak("a key beside the picture", *PING, PICTURE_SECONDS))
            drawn = re.findall(rb"\(\d{6}\) (\d+)", terminal.written[start:])
            rate = (int(drawn[-1]) - int(drawn[0])) / PICTURE_SECONDS
            print(f"pictures of 120x40 in half blocks: {rate:.1f} per second")
            terminal.close()
        finally:
            asyncio.run(OutsideControl().stop())


def _panel(root: Path) -> Terminal:
    return Terminal([sys.executable, "-m", "bench.panel_live", str(root)])


if __name__ == "__main__":
    if len(sys.argv) > 1:
        Watched(Workspace(Path(sys.argv[1])), "default").run()
    else:
        main()
