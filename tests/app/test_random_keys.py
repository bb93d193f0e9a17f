"""Random keys, text, pastes, clicks and sizes, given to the panel in a real terminal.

A seed always makes the same steps: PWTUI_SEED=7 pytest tests/app/test_random_keys.py
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from random import Random

import psutil
import pytest

from tests.app.terminal import Terminal, terminal
from tests.daemon.house import House
from tests.daemon.wire import Wire
from tests.waiting import LIMIT, eventually

Step = tuple[str, ...]

SECONDS = 8.0
LONG_SECONDS = 60.0
STEPS_SHOWN = 60
KEY_LINE = re.compile(r": keyword  \^p palette  \? keys\s*\Z")

# Quitting is not an exit by itself.
_STAYS = """
import sys
from pwtui.app.app import PanelApp

async def stay(self): self.notify("quit")

PanelApp.action_quit = stay
from pwtui.cli.panel import main
sys.exit(main())
"""
# A random key may kill a browser: let the panel see only its own.
_ALONE = ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "--net")
_PANEL = [sys.executable, "-c", _STAYS]

_KEYS = (
    *"abcdefghijklmnopqrstuvwxyzGIKLMNOQRSTUVWXYZ0123456789/:?.,!<>{}[]=-_*#'\"",
    *(["Enter"] * 6 + ["Escape"] * 6 + ["Tab", "BTab", "Space"] * 2),
    *(["Up", "Down", "Left", "Right"] * 3),
    *("Home", "End", "PPage", "NPage", "BSpace", "DC", "IC", "C-Left", "C-Right", "S-Up", "M-r"),
    *(f"F{number}" for number in range(1, 13)),
    *(f"C-{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"),
    *(["C-p", "C-o", "C-r", "C-f", "C-t"] * 2),
)
_TEXTS = (
    "http://127.0.0.1:9/home?a=Q",
    "page.text",
    "theme daylight",
    ":click e5",
    "role:button",
    "re:(",
    "is:error !x",
    '{"op": "click"}',
    "[/] [@click=app.quit]",
    "日本語 e\u0301 👩‍👩‍👧 \u202e",
    "../evil name",
    "9" * 30,
)
_PASTES = (*_TEXTS, "one\ntwo\n\x1b[2Jthree", "x" * 5000, "\t\t", "\n")
_SIZES = ((120, 40), (80, 24), (200, 60), (100, 30), (40, 10), (20, 5), (99, 24), (160, 50), (8, 3))
_MOUSE = "\x1b[<{button};{x};{y}{end}"


def steps(seed: int) -> Iterator[Step]:
    random = Random(seed)

    def mouse() -> Step:
        x, y = random.randint(1, 120), random.randint(1, 40)
        button = random.choice((0, 0, 0, 0, 2, 64, 65, 1))
        if button > 2:
            return ("mouse", _MOUSE.format(button=button, x=x, y=y, end="M"))
        x2, y2 = (
            (x, y) if random.random() < 0.8 else (random.randint(1, 120), random.randint(1, 40))
        )
        ends = [(button, x, y, "M"), (button + 32, x2, y2, "M"), (button, x2, y2, "m")]
        if (x, y) == (x2, y2):
            del ends[1]
        return ("mouse", "".join(_MOUSE.format(button=b, x=c, y=d, end=e) for b, c, d, e in ends))

    makes: list[tuple[int, Callable[[], Step]]] = [
        (60, lambda: ("keys", *random.choices(_KEYS, k=random.randint(1, 6)))),
        (8, lambda: ("type", random.choice(_TEXTS))),
        (4, lambda: ("paste", random.choice(_PASTES))),
        (14, mouse),
        (6, lambda: ("size", *map(str, random.choice(_SIZES)))),
        (6, lambda: ("pause", str(random.choice((0.05, 0.3, 1.0))))),
        (1, lambda: ("kill", random.choice(("daemon", "browser")))),
    ]
    weights = [weight for weight, _ in makes]
    while True:
        yield random.choices(makes, weights)[0][1]()


def do(window: Terminal, house: House, step: Step) -> None:
    match step:
        case ("keys", *keys):
            window.keys(*keys)
        case ("type" | "mouse", text):
            window.type(text)
        case ("paste", text):
            window.paste(text)
        case ("size", width, height):
            window.resize(int(width), int(height))
        case ("pause", seconds):
            time.sleep(float(seconds))
        case ("kill", what):
            victims = house.browsers() if what == "browser" else daemons(house)
            for process in victims[:1]:
                with suppress(psutil.Error):
                    process.kill()


def daemons(house: House) -> list[psutil.Process]:
    """The daemon's process as it is seen from here; in its own namespace it has another number."""
    found = []
    for process in house.processes():
        with suppress(psutil.Error):
            if "pwtui.daemon_process" in " ".join(process.cmdline()):
                found.append(process)
    return found


def answers(house: House) -> bool:
    with suppress(OSError), Wire(house.socket) as wire:
        return bool(wire.ask("status"))
    return False


@pytest.fixture
def house() -> Iterator[House]:
    if not shutil.which("unshare") or subprocess.run([*_ALONE, "true"], timeout=LIMIT).returncode:
        pytest.skip("no namespaces: the panel would see other browsers")
    with House() as own:
        own.more_environment |= {
            "XDG_CONFIG_HOME": str(own.folder / "config"),
            "TERM": "xterm-256color",
            "EDITOR": "true",
            "VISUAL": "true",
            "PAGER": "true",
        }
        yield own


def run(house: House, seed: int, seconds: float) -> None:
    lines: list[Step] = []
    command = [*_ALONE, "sh", "-c", 'ip link set lo up; exec "$@"', "sh", *_PANEL]
    with terminal(house, "--demo", command=command) as window:
        try:
            window.until('link "Journal"')
            panel = panel_of(house)
            end = time.monotonic() + seconds
            for step in steps(seed):
                lines.append(step)
                do(window, house, step)
                if len(lines) % 5 == 0:
                    check(window)
                    let_catch_up(panel)
                if time.monotonic() > end:
                    break
            settle(window)
            eventually(lambda: shows_truth(window, house), "the header shows the daemon's state")
        except AssertionError as error:
            last = "\n".join(map(repr, lines[-STEPS_SHOWN:]))
            raise AssertionError(
                f"{error}\nseed {seed}, {len(lines)} steps, the last ones:\n{last}\n{window.screen}"
            ) from None


def panel_of(house: House) -> psutil.Process:
    found = [each for each in house.processes() if _STAYS in each.cmdline()]
    return max(found, key=lambda each: each.pid)


def let_catch_up(panel: psutil.Process) -> None:
    """Wait while the panel is busy: it queues keys that come faster than it handles them."""
    end = time.monotonic() + LIMIT
    with suppress(psutil.Error):
        while time.monotonic() < end:
            before = sum(panel.cpu_times()[:2])
            time.sleep(0.1)
            if sum(panel.cpu_times()[:2]) - before < 0.03:
                return


def check(window: Terminal) -> None:
    screen = window.screen
    assert not window.has_exited, "the panel has exited"
    assert not re.search(r"Traceback|Error in|│ +❱ ", screen), "a traceback"


def settle(window: Terminal) -> None:
    """Every window closes, and the key line of the main screen comes back with keys that work."""
    window.resize(120, 40)
    end = time.monotonic() + LIMIT
    while True:
        for key in ("Escape", "Escape", "Escape", "?"):
            window.keys("y" if "Close without saving?" in window.screen else key)
            time.sleep(0.2)
            check(window)
        if "search keys" in window.screen:
            break
        assert time.monotonic() < end, "no main screen after Escape"
    window.keys("Escape")
    eventually(lambda: is_main(window.screen), "the key line of the main screen")


def is_main(screen: str) -> bool:
    return bool(KEY_LINE.search(screen)) and "search keys" not in screen


def shows_truth(window: Terminal, house: House) -> bool:
    check(window)
    first = window.screen.splitlines()[0]
    return ("daemon" not in first) == answers(house)


def test_random_keys_do_not_break_the_panel(house: House) -> None:
    run(house, int(os.environ.get("PWTUI_SEED", "1")), SECONDS)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(2, 10))
@pytest.mark.timeout(300)
def test_long_random_keys_do_not_break_the_panel(house: House, seed: int) -> None:
    run(house, seed, LONG_SECONDS)
