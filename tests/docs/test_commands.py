"""The commands and programs of README and docs work as printed, and print what the pages show."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from pwtui.demo import DEMO_PORT, DemoSite
from pwtui.state.relay_records import DEFAULT_PORT
from tests.cli.conftest import daemon
from tests.cli.pw import Pw
from tests.docs import shell
from tests.docs.compare import is_shown
from tests.docs.example_site import EXAMPLE, ExamplePages
from tests.docs.not_run import reason
from tests.docs.page import ROOT, pages, steps
from tests.site.static import LocalSite

__all__ = ["daemon"]

DEMO = f"http://127.0.0.1:{DEMO_PORT}"
RELAY = f"127.0.0.1:{DEFAULT_PORT}"
# What a reader tries first; `make test-thorough` runs the commands of all pages.
ALWAYS = ("README.md",)
WITH_COMMANDS = [page for page in pages() if any(not reason(each.command) for each in steps(page))]


@pytest.fixture(scope="module")
def sites() -> Iterator[dict[str, str]]:
    with LocalSite(partial(ExamplePages, root=Path())) as example, DemoSite() as demo:
        yield {EXAMPLE: example.origin, DEMO: demo.url.rstrip("/")}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def with_port(command: str, relay: int) -> str:
    """Commands of the relay use a port that is free here."""
    return re.sub(r"\bpw relay (\w+)", rf"pw relay \1 --port {relay}", command)


@pytest.fixture
def pw(daemon: Path, tmp_path: Path) -> Iterator[Pw]:
    """An empty workspace, and the one daemon of all pages with its state."""
    pw = Pw(tmp_path, daemon)
    pw.state_folder = daemon.parent / "state"
    yield pw
    for config in pw.root.glob("playwright/.pw-cli-v4/profiles/*"):
        pw("session", "stop", "--profile", config.name)


def case(page: Path) -> Any:
    name = str(page.relative_to(ROOT))
    return pytest.param(page, id=name, marks=[] if name in ALWAYS else pytest.mark.thorough)


@pytest.mark.parametrize("page", list(map(case, WITH_COMMANDS)))
def test_commands_print_what_the_page_shows(page: Path, pw: Pw, sites: dict[str, str]) -> None:
    relay = free_port()
    run = [each for each in steps(page) if not reason(each.command)]
    environment = pw.environment(HOME=str(pw.root))
    del environment["PW_WORKSPACE_ROOT"]  # the workspace is where the reader is
    commands = [with_port(each.command, relay) for each in run]

    addresses = {**sites, RELAY: f"127.0.0.1:{relay}"}
    try:
        results = shell.run(commands, pw.root, environment, addresses)
    finally:
        if "pw relay" in " ".join(commands):
            pw("relay", "stop", "--port", str(relay))

    problems = []
    for step, result, following in zip_longest(run, results, run[1:]):
        where = f"{page.relative_to(ROOT)}:{step.line}: {step.command}"
        if result is None:
            problems.append(f"did not run: {where}")
        elif result.code != 0 and (following is None or following.command != "echo $?"):
            problems.append(f"exit code {result.code}: {where}\n{result.output}")
        elif step.output and not is_shown(step.output, result.output):
            problems.append(f"{where}\n{result.output}--- the page shows:\n{step.output}")
    assert not problems, "\n".join(problems)
