"""Replays of the same recordings: side by side, on servers, with a context or a browser for each.

Rounds of all ways alternate; compare them with each other, because times depend on the machine.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench.daemon import environment
from pwtui.browser.launch.find_browser import find_chromium
from pwtui.browser.launch.processes import chromium_command, kill_tree
from pwtui.demo import DemoSite

ROUNDS = 2
RECORDINGS = 6
PW = str(Path(sys.executable).with_name("pw"))
STEPS = """\
goto {url}
fill #search mug
wait 1000
verify-text Mug
"""


def main() -> None:
    with DemoSite() as site, environment() as root, ExitStack() as running:
        (root / "flows").mkdir()
        for number in range(RECORDINGS):
            (root / "flows" / f"{number}.pw").write_text(STEPS.replace("{url}", site.url))
        servers = [running.enter_context(_server(root)) for _ in range(2)]
        browser = running.enter_context(_browser(root))
        launch = {"executablePath": str(find_chromium(headless=True)), "args": _sandbox()}
        header = ("--header", f"x-playwright-launch-options: {json.dumps(launch)}")
        _compare(
            root,
            {
                "a browser for each": (),
                "a browser for each, -j 2": ("-j", "2"),
                "a context for each (CDP)": ("--on", browser),
                "a context for each (CDP), -j 2": ("--on", browser, "-j", "2"),
                "one server": ("--on", servers[0], *header),
                "two servers": ("--on", ",".join(servers), *header),
            },
        )
        subprocess.run([PW, "daemon", "stop"], cwd=root, check=True, capture_output=True)


def _compare(root: Path, ways: dict[str, tuple[str, ...]]) -> None:
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, options in ways.items():
            begun = time.perf_counter()
            subprocess.run(
                [PW, "replay", "flows", *options], cwd=root, check=True, capture_output=True
            )
            times[name].append(time.perf_counter() - begun)
    medians = {name: statistics.median(each) for name, each in times.items()}
    base = next(iter(medians.values()))
    print(f"{RECORDINGS} recordings, each waits for a second")
    print(f"{'':32} {'median s':>10} {'each s':>10} {'x faster':>10}")
    for name, took in medians.items():
        print(f"{name:32} {took:10.1f} {took / RECORDINGS:10.2f} {base / took:10.2f}")


@contextmanager
def _server(root: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "playwright", "run-server", "--unsafe"]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        yield server.stdout.readline().decode().split()[-1]
        kill_tree(server.pid)


@contextmanager
def _browser(root: Path) -> Iterator[str]:
    executable = find_chromium(headless=True)
    assert executable is not None
    command = chromium_command(executable, root / "data", headless=True)
    with subprocess.Popen(
        [*command, "--remote-debugging-port=0", "about:blank"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as browser:
        file = root / "data" / "DevToolsActivePort"
        while not file.exists() or not file.read_text():
            time.sleep(0.05)
        yield f"http://127.0.0.1:{file.read_text().splitlines()[0]}"
        kill_tree(browser.pid)


def _sandbox() -> list[str]:
    return ["--no-sandbox"] if os.geteuid() == 0 else []


if __name__ == "__main__":
    main()
