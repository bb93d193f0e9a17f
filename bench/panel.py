"""The panel in a pseudo terminal, with a daemon that handles a thousand requests per second.

Measures the time to the first paint beside that of an app of one Static, and from a key to its
paint, idle and during the requests of another client and as many events of the page. The history
has a hundred thousand requests.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import ClassVar

from pydantic_core import from_json
from textual import work
from textual.binding import Binding, BindingType

from bench.daemon import environment
from bench.history_log import write
from bench.panel_memory import page_events
from bench.terminal import Terminal
from pwtui.app import app
from pwtui.client.link import DaemonLink
from pwtui.client.start import OutsideControl
from pwtui.protocol.envelope import Request
from pwtui.runtime.caller import Caller
from pwtui.state.workspace import Workspace

RATE = 1000
SOAK_SECONDS = 8
IN_FLIGHT = 20
STARTS = 7
ENTRIES = 100_000
FLOOD = b"\x1b[23~"
PING = (b"\x1b[24~", rb"\(\d{6}\)")
"""A key, and what the panel shows for it."""
ONE_STATIC = """
from textual.app import App
from textual.widgets import Static

class One(App):
    def compose(self):
        yield Static("Profiles")

One().run()
"""


class Pinged(app.PanelApp):
    """A panel that shows a counter for one key, where nothing else is shown."""

    CSS_PATH = str(Path(app.__file__).with_name("screens") / "main.tcss")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f11", "flood", "flood", show=False),
        Binding("f12", "ping", "ping", show=False),
    ]
    pings = 0

    def action_ping(self) -> None:
        self.pings += 1
        self.screen.query_one("#daemon-pane").border_subtitle = f"({self.pings:06})"

    @work
    async def action_flood(self) -> None:
        """Receive events of the page at a constant rate, from their lines on."""
        started = time.perf_counter()
        for number, event in enumerate(page_events(self.store.workspace)):
            self.controller._on_event(from_json(json.dumps(event)))
            await asyncio.sleep(max(0.0, started + number / RATE - time.perf_counter()))


def main() -> None:
    with environment() as root:
        _first_paint(root)
        write(ENTRIES, str(root))
        terminal = Terminal([sys.executable, "-m", "bench.panel", "app", str(root)])
        try:
            terminal.wait_for(rb"running", 0, 60)
            terminal.rest(2)
            print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
            print(terminal.soak("a key, idle", *PING, SOAK_SECONDS / 2))
            flood = subprocess.Popen(
                [sys.executable, "-m", "bench.panel", "flood", str(root)], stdout=subprocess.PIPE
            )
            os.write(terminal.descriptor, FLOOD)
            terminal.rest(1)
            print(terminal.soak("a key under load", *PING, SOAK_SECONDS))
            rate, _ = flood.communicate()
            print(f"the load was {rate.decode().strip()} responses/s and {RATE} events/s")
        finally:
            terminal.close()
            asyncio.run(OutsideControl().stop())


def _first_paint(root: Path) -> None:
    """The pwtui command, compared with an app of one Static in the same terminal."""
    pwtui = str(Path(sys.executable).with_name("pwtui"))
    commands = {
        "one Static": [sys.executable, "-c", ONE_STATIC],
        "pwtui": [pwtui, "--workspace", str(root)],
    }
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for _ in range(STARTS):
        for name, command in commands.items():
            started = time.perf_counter()
            terminal = Terminal(command)
            terminal.wait_for(rb"Profiles", 0, 60)
            took = time.perf_counter() - started
            times[name].append((took * 1000, terminal.cpu_seconds() * 1000))
            terminal.rest(1)
            terminal.close()
    bare = statistics.median(seconds for seconds, _ in times["one Static"])
    for name, each in times.items():
        took, cpu = (statistics.median(part) for part in zip(*each, strict=True))
        print(f"first paint {name:16} {took:5.0f} ms ({took / bare:.2f}x), {cpu:5.0f} ms of CPU")


async def _flood(root: Path) -> None:
    """Send cheap requests at a constant rate during the measurement, and print the rate."""
    client = await DaemonLink("flood").connect(Caller(Workspace(root), cwd=root), start=False)
    assert client is not None
    started, sent = time.perf_counter(), 0
    running: set[asyncio.Task[object]] = set()
    while (passed := time.perf_counter() - started) < SOAK_SECONDS + 1.5:
        while sent < passed * RATE and len(running) < IN_FLIGHT:
            request = Request(op="ops.describe", input={"op": "ops.list"})
            task: asyncio.Task[object] = asyncio.create_task(client.request(request))
            running.add(task)
            task.add_done_callback(running.discard)
            sent += 1
        await asyncio.sleep(0.001)
    await asyncio.gather(*running)
    print(round(sent / passed))
    await client.close()


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["app", root]:
            Pinged(Workspace(Path(root)), "default").run()
        case ["flood", root]:
            asyncio.run(_flood(Path(root)))
        case _:
            main()
