"""A session of Playwright's own CLI, driven from here: its real daemon, its real socket."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from pwtui.browser.launch.find_browser import find_chromium
from pwtui.keywords.tokenizer import split
from pwtui.repl.playwright_cli import minimist, readable
from tests.daemon.house import House
from tests.site import TestSite


@pytest.fixture
def opened(house: House, site: TestSite) -> Iterator[House]:
    """With a session that Playwright's CLI has opened in a separate workspace."""
    (house.root / ".playwright").mkdir()
    house.more_environment |= {
        "PLAYWRIGHT_MCP_EXECUTABLE_PATH": str(find_chromium(headless=True) or ""),
        "PLAYWRIGHT_MCP_SANDBOX": "false",
        "PWTEST_SOCKETS_DIR": str(house.folder / "sockets"),
    }
    run_cli(house, "open", site.url("/form.html"))
    yield house
    run_cli(house, "close")


def run_cli(house: House, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "playwright", "cli", *arguments],
        cwd=house.root,
        env=house.environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_session_of_the_playwright_cli_is_found_and_driven(opened: House) -> None:
    lines = [
        "snap",
        "fill e5 007",
        'eval document.querySelector("#name").value',
        "CLICK e22",
        "screenshot --full-page --filename s.png",
        "nonsense",
        "verify-text Name",
        "click Submit",
        "click e999",
        ".record x.pw",
    ]

    done = opened.thin("repl", "--attach-cli", *(f for line in lines for f in ("-c", line)))
    absent = opened.thin("repl", "--attach-cli", "-s", "absent", "-c", "snapshot")

    assert done.code == 1
    assert 'textbox "Name" [ref=e5]' in done.out
    assert '"007"' in done.out
    assert "###" not in done.out
    assert (opened.root / "s.png").is_file()
    assert "Ref e999 not found" in done.err
    assert "this session has no nonsense: " in done.err
    assert "this session has no verify-text: " in done.err
    assert "cannot find elements by text: 'Submit'" in done.err
    assert "cannot be recorded" in done.err
    assert absent.code == 1
    assert "sessions: default" in absent.err


@pytest.mark.parametrize(
    ("line", "args"),
    [
        ("e5", {"_": ["click", "e5"]}),
        ("e5 007", {"_": ["click", "e5", "007"]}),
        ("e5 --submit x", {"_": ["click", "e5", "x"], "submit": True}),
        ("--name value e5", {"_": ["click", "e5"], "name": "value"}),
        ("--name=a --name=b", {"_": ["click"], "name": ["a", "b"]}),
        ("e5 --no-submit", {"_": ["click", "e5"]}),
        ('e5 "" -- --raw', {"_": ["click", "e5", "", "--raw"]}),
    ],
)
def test_words_are_parsed_as_by_the_playwright_cli(line: str, args: dict[str, object]) -> None:
    assert minimist("click", split(line), frozenset({"submit"})) == args


def test_its_responses_are_shown_without_markdown() -> None:
    assert readable("### Result\nhello\n### Page\n- URL: x") == "hello\nPage:\n- URL: x"
    assert readable("") == "ok"
