"""The panel in a real terminal: keys and mouse as bytes, and the state after exit."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from collections.abc import Iterator

import psutil
import pytest

from tests.app.terminal import PANEL, terminal
from tests.daemon.house import House, eventually, is_running
from tests.waiting import LIMIT


@pytest.fixture
def house() -> Iterator[House]:
    with House() as own:
        own.more_environment["XDG_CONFIG_HOME"] = str(own.folder / "config")
        own.more_environment["TERM"] = "xterm-256color"
        yield own


def test_without_a_terminal_the_panel_is_wrong_usage_and_names_serve() -> None:
    done = subprocess.run(
        PANEL, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT, check=False
    )

    assert done.returncode == 2
    assert "no terminal" in done.stderr
    assert "--serve" in done.stderr
    assert "\x1b" not in done.stderr + done.stdout


def test_the_demo_is_used_by_mouse_and_keys_and_leaves_nothing_behind(house: House) -> None:
    house.more_environment["PAGER"] = "sh -c 'mv \"$0\" page.yaml'"
    with terminal(house, "--demo") as window:
        window.until('link "Journal"')
        window.until("navigate")
        window.keys("|")
        shown = house.root / "page.yaml"
        eventually(shown.exists, "the pager has the tree")
        assert '- link "Journal" [ref=' in shown.read_text(encoding="utf-8")
        window.until_match(r'link "Journal".*  e\d+')

        window.click_text(r'link "Journal".*  (e\d+)')
        window.until("How to keep a loaf")
        window.until_match(r"✓ +\S+ +click")

        # One burst, as from a paste or a slow line: all of it belongs to the prompt.
        home = re.search(r"http://127\.0\.0\.1:\d+/", window.screen)
        assert home is not None
        fixed = [
            "?wrong",
            *["BSpace"] * 5,
            "typo",
            *["BSpace"] * 4,
            "y=R/Q",
            *["Left"] * 5,
            "DC",
            "x",
        ]
        window.keys("u", "Home", "C-k", home[0], *fixed, "Enter")
        window.until_match(r"(?s) click .*✓ +\S+ +navigate")

        window.keys("x")
        window.until("requests, for pw batch")
        window.keys("r")
        window.until("session.ndjson")
        window.keys("Enter")
        exported = house.root / "session.ndjson"
        eventually(exported.exists, "the export")
        window.until("Exported 3 requests to")
        lines = [json.loads(line) for line in exported.read_text(encoding="utf-8").splitlines()]
        assert [each["op"] for each in lines] == ["navigate", "click", "navigate"]
        assert lines[2]["input"]["url"].endswith("?x=R/Q")
        assert "Journal" in lines[1]["input"]["selector"]
        assert len(house.browsers()) == 1

        window.keys("Q")

        assert window.exit_code() == 0
        eventually(lambda: not house.browsers(), "its browser has ended")


def test_the_demo_of_a_closed_terminal_leaves_nothing_behind(house: House) -> None:
    folder = house.folder / "tmp"
    folder.mkdir()
    house.more_environment["TMPDIR"] = str(folder)
    with terminal(house, "--demo") as window:
        window.until('link "Journal"')
        assert len(house.browsers()) == 1

    eventually(lambda: not house.browsers(), "its browser has ended")
    eventually(lambda: not [*folder.glob("pwtui-demo-*")], "its folder is removed")


def test_a_recording_survives_the_panel_being_killed(house: House) -> None:
    with terminal(house) as window:
        window.until("● running")
        window.keys("R")
        window.until("rec 0")
        response = house.thin("exec", "profile.list")
        assert response.code == 0, response
        assert house.thin("exec", "profile.show", "--input", '{"name":"default"}').code == 0
        window.until("rec 2")
        panels = [each for each in house.processes() if "pwtui.cli.panel" in each.cmdline()]
        panel = max(panels, key=psutil.Process.create_time)

        panel.send_signal(signal.SIGKILL)

        eventually(lambda: not is_running(panel), "the panel has exited")
        recordings = list(house.root.rglob("session-*.ndjson"))
        assert len(recordings) == 1
        text = recordings[0].read_text(encoding="utf-8")
        assert text.endswith("\n")
        lines = [json.loads(line) for line in text.splitlines()]
        assert [each["request"]["op"] for each in lines] == ["profile.list", "profile.show"]
        assert all(each["response"]["ok"] for each in lines)
