"""The cost of `pw` commands, compared with `python -c pass`; the commands of a group alternate.

Compare the CPU times: the elapsed times depend on the load of the machine.
"""

from __future__ import annotations

import os
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
            """Stop the daemon that a command without one has started in the background."""
            pw("daemon", "start")  # it may not listen yet
            pw("daemon", "stop")

        _compare("not using a daemon", root, [["--version"], ["--help"]], lambda: None)
        cold = [["ops"], ["profile", "list"], ["exec", "har.show"]]
        _compare("no daemon is running", root, cold, stop_daemon)
        pw("exec", "navigate", "--input", f'{{"url": "{site.url}"}}')
        warm = [
            ["exec", "ops.describe", "--input", '{"op": "ops.list"}'],
            ["exec", "page.eval", "--input", '{"expression": "1"}'],
            ["exec", "fill", "--input", '{"selector": "input", "text": "a"}'],
            ["eval", "1"],
            ["fill", "#search", "a"],
        ]
        _compare("a daemon is running", root, warm, lambda: None)
        stop_daemon()


def _compare(title: str, root: Path, commands: list[list[str]], after: Callable[[], None]) -> None:
    """Print the medians of each command, and the ratio of its CPU time to a bare interpreter's."""
    programs = {"python -c pass": [sys.executable, "-c", "pass"]}
    programs |= {f"pw {' '.join(each[:2])}": [PW, *each] for each in commands}
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in programs}
    for _ in range(ROUNDS):
        for name, program in programs.items():
            times[name].append(used_by(program, root))
            if program[0] == PW:
                after()
    medians = {
        name: [statistics.median(part) for part in zip(*each, strict=True)]
        for name, each in times.items()
    }
    base = medians["python -c pass"][1]
    print(f"{title:26} {'median ms':>10} {'CPU ms':>10} {'x python -c pass':>17}")
    for name, (took, cpu) in medians.items():
        print(f"{name:26} {took:10.1f} {cpu:10.1f} {cpu / base:17.2f}")
    print()


def used_by(program: list[str], root: Path) -> tuple[float, float]:
    """The elapsed time and the CPU time of a process, in milliseconds."""
    started = time.perf_counter()
    process = subprocess.Popen(program, cwd=root, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    took = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, program
    return took * 1000, (used.ru_utime + used.ru_stime) * 1000


if __name__ == "__main__":
    main()
