"""How long `pw` takes to start, beside `python -c pass`; the commands of a group take turns."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from bench.daemon import environment
from pwtui.demo import DemoSite

ROUNDS = 11
PW = str(Path(sys.executable).with_name("pw"))


def main() -> None:
    with DemoSite() as site, environment() as root:

        def pw(*arguments: str) -> None:
            subprocess.run([PW, *arguments], cwd=root, stdout=subprocess.DEVNULL, check=True)

        def stop_daemon() -> None:
            """A command that finds no daemon leaves one starting."""
            pw("daemon", "stop")

        _compare("it answers itself", root, [["--version"], ["--help"]], lambda: None)
        cold = [["ops"], ["profile", "list"], ["exec", "har.show"]]
        _compare("no daemon runs", root, cold, stop_daemon)
        pw("exec", "navigate", "--input", f'{{"url": "{site.url}"}}')
        warm = [
            ["exec", "ops.describe", "--input", '{"op": "ops.list"}'],
            ["exec", "page.eval", "--input", '{"expression": "1"}'],
            ["exec", "fill", "--input", '{"selector": "input", "text": "a"}'],
        ]
        _compare("a daemon runs", root, warm, lambda: None)
        stop_daemon()


def _compare(title: str, root: Path, commands: list[list[str]], after: Callable[[], None]) -> None:
    """Print the median of each command, and its ratio to a bare interpreter."""
    programs = {"python -c pass": [sys.executable, "-c", "pass"]}
    programs |= {f"pw {' '.join(each[:2])}": [PW, *each] for each in commands}
    times: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(ROUNDS):
        for name, program in programs.items():
            started = time.perf_counter()
            subprocess.run(program, cwd=root, stdout=subprocess.DEVNULL, check=True)
            times[name].append((time.perf_counter() - started) * 1000)
            after()
    base = statistics.median(times["python -c pass"])
    print(f"{title:26} {'median ms':>10} {'x python -c pass':>17}")
    for name, each in times.items():
        median = statistics.median(each)
        print(f"{name:26} {median:10.1f} {median / base:17.2f}")
    print()


if __name__ == "__main__":
    main()
