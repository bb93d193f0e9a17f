"""The commands of README and of docs/cli.md work as printed, and print what is shown."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.cli.pw import Pw
from tests.site.static import LocalSite, StaticHandler
from tests.waiting import LIMIT

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
EXAMPLE = "https://example.com"
PAGES = {
    "/": """<div><h1>Example Domain</h1><p>This domain is for use in documentation examples without
        needing permission. Avoid use in operations.<p><a
        href="https://iana.org/domains/example">Learn more</a></div>""",
    "/login": """<title>Log in</title><form onsubmit="location = '/home'; return false">
        <label>Name <input id=user></label>
        <label>Password <input id=password type=password></label>
        <button>Log in</button></form>""",
    "/home": "<title>Home</title><main><h1>Welcome, Ada</h1><p>You have no messages today.</main>",
    "/orders": "<title>Orders</title><h1>Orders</h1>",
}


class ExamplePages(StaticHandler):
    def route(self) -> None:
        self.answer(
            f"<!doctype html>{PAGES.get(self.path, '')}".encode(), "text/html; charset=utf-8"
        )


@dataclass(frozen=True)
class Example:
    """A command with the lines that it reads, and what is printed below it."""

    command: str
    output: str


def examples(heading: str, block: int = 0, *, page: Path = README) -> list[Example]:
    """The commands in a console block below a heading."""
    section = page.read_text().partition(f"# {heading}\n")[2]
    found = re.findall(r"```console\n(.*?)```", section, re.DOTALL)[block]
    commands = re.findall(
        r"^\$ ((?:.*<<'EOF'\n(?:.*\n)*?EOF|.*))\n((?:(?!\$ ).*\n)*)", found, re.MULTILINE
    )
    return [Example(command, output) for command, output in commands]


@pytest.fixture(scope="module")
def example_site() -> Iterator[str]:
    with LocalSite(partial(ExamplePages, root=Path())) as site:
        yield site.origin


class Shell:
    """Runs commands as they are printed, but for the address of the site."""

    def __init__(self, pw: Pw, site: str) -> None:
        self.pw, self.site = pw, site

    def __call__(self, command: str) -> str:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-c", command.replace(EXAMPLE, self.site)],
            capture_output=True,
            text=True,
            cwd=self.pw.root,
            env=self.pw.environment(PATH=path),
            timeout=LIMIT,
            check=False,
        )
        assert done.returncode == 0, done
        return done.stdout.replace(self.site, EXAMPLE)


@pytest.fixture
def shell(handed: Pw, example_site: str) -> Iterator[Shell]:
    yield Shell(handed, example_site)
    for profile in ("default", "staging"):
        handed("session", "stop", "--profile", profile)


def without_time(text: str) -> dict[str, Any]:
    response: dict[str, Any] = json.loads(text)
    del response["durationMs"]
    return response


def test_one_operation(shell: Shell) -> None:
    (example,) = examples("The command line")

    assert without_time(shell(example.command)) == without_time(example.output)


def test_a_session_in_keywords_becomes_a_test(shell: Shell) -> None:
    (prompt,) = examples("In keywords")
    replay, convert = examples("In keywords", 1)
    typed = re.findall(r"^(?:⏺ )?pw> (.*)$", prompt.output, re.MULTILINE)
    answers = re.sub(r"^(?:⏺ )?pw> .*\n", "", prompt.output, flags=re.MULTILINE)

    answered = shell(f"{prompt.command} <<'EOF'\n" + "\n".join(typed) + "\nEOF")

    assert answered == answers
    assert timeless(shell(replay.command)) == timeless(replay.output)
    assert shell(convert.command) == ""
    assert f'page.goto("{shell.site}/login")' in (shell.pw.root / "test_login.py").read_text()


def timeless(text: str) -> str:
    return re.sub(r"[\d.]+ s\)", "s)", text)


def test_a_batch(shell: Shell) -> None:
    (example,) = examples("One page, many requests")

    responses = [json.loads(line) for line in shell(example.command).splitlines()]

    assert [each["ok"] for each in responses] == [True] * 5
    assert "Welcome, Ada" in responses[-1]["data"]["text"]
    assert "secret" not in json.dumps(responses)


def test_refs(shell: Shell) -> None:
    tree, action = examples("Refs")

    assert shell(tree.command) == tree.output
    response = shell(action.command)
    for part in re.findall(r"[^{}…\s].*?(?= …|$)", action.output):
        assert part in response


def test_profiles(shell: Shell) -> None:
    responses = [json.loads(shell(example.command) or "{}") for example in examples("Profiles")]

    assert responses[2]["data"]["url"] == f"{EXAMPLE}/orders"
    assert responses[-1]["data"] == {"profile": "review", "copiedFrom": "staging"}


@pytest.mark.parametrize("heading", ["Keyword lines", "Input of `pw exec`"])
def test_the_page_of_the_command_line(shell: Shell, heading: str) -> None:
    for example in examples(heading, page=ROOT / "docs" / "cli.md"):
        assert shell(example.command) == example.output, example.command
