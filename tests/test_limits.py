"""The tests themselves cannot hang."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.daemon.house import is_running
from tests.waiting import LIMIT, eventually

ROOT = Path(__file__).parent.parent

CLOCKS = ("monotonic", "loop.time")

# Calls that need a limit as an argument; awaited calls have the limit of their test.
WITHOUT_ARGUMENTS = {"wait", "join"}
WITHOUT_TIMEOUT = {"run", "check_call", "check_output", "communicate"}


def run_tests(folder: Path, source: str) -> subprocess.CompletedProcess[str]:
    file = folder / "test_given.py"
    file.write_text(source)
    settings = ["-p", "tests.conftest", "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(ROOT)]
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *settings, "--timeout=8", str(file)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=LIMIT,
        check=False,
    )


def test_an_async_test_that_never_ends_does_not_affect_others(tmp_path: Path) -> None:
    done = run_tests(
        tmp_path,
        "import asyncio\n"
        "async def test_hangs(): await asyncio.Event().wait()\n"
        "async def test_is_fine(): pass\n",
    )

    assert "1 failed, 1 passed" in done.stdout
    assert "TimeoutError" in done.stdout


def test_a_test_that_ignores_its_limit_is_stopped(tmp_path: Path) -> None:
    done = run_tests(
        tmp_path,
        "import asyncio\n"
        "async def test_hangs():\n"
        "    while True:\n"
        "        try: await asyncio.sleep(0.01)\n"
        "        except BaseException: pass\n",
    )

    assert done.returncode != 0
    assert "Timeout" in done.stdout + done.stderr


def test_the_process_that_forks_ends_with_tests_that_are_killed() -> None:
    code = "from tests.cli import forked; forked._server(); print(flush=True); input()"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", code], stdin=pipe, stdout=pipe, cwd=ROOT) as tests:
        assert tests.stdout is not None
        tests.stdout.readline()
        (server,) = psutil.Process(tests.pid).children()
        tests.kill()

    eventually(lambda: not is_running(server), "the process that forks has ended")


def unlimited(source: str) -> Iterator[int]:
    """The lines that may wait forever."""
    tree = ast.parse(source)
    limited = {
        part
        for node in ast.walk(tree)
        if isinstance(node, ast.Await) or (isinstance(node, ast.Call) and is_limit(node))
        for part in ast.iter_child_nodes(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.AsyncWith) and "timeout(" in ast.unparse(node.items[0]):
            limited.update(ast.walk(node))
    for node in ast.walk(tree):
        if isinstance(node, ast.While):
            text = ast.unparse(node)
            waits = (
                node not in limited
                and "sleep(" in text
                and not any(clock in text for clock in CLOCKS)
            )
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            waits = node not in limited and waits_forever(node, node.func)
        else:
            continue
        if waits:
            yield node.lineno


def is_limit(call: ast.Call) -> bool:
    return ast.unparse(call.func).endswith(("within", "wait_for"))


def waits_forever(call: ast.Call, function: ast.Attribute) -> bool:
    keywords = {keyword.arg for keyword in call.keywords}
    if function.attr in WITHOUT_ARGUMENTS:
        return not call.args and not keywords
    is_process = function.attr == "communicate" or ast.unparse(function.value) == "subprocess"
    return is_process and function.attr in WITHOUT_TIMEOUT and not keywords & {"timeout", None}


@pytest.mark.parametrize(
    "line",
    [
        "thread.join()",
        "process.wait()",
        "process.communicate()",
        "subprocess.run(['x'])",
        "while not done: time.sleep(1)",
    ],
)
def test_a_wait_without_a_limit_is_found(line: str) -> None:
    assert list(unlimited(line)) == [1]


@pytest.mark.parametrize(
    "line",
    [
        "thread.join(5)",
        "process.wait(LIMIT)",
        "', '.join(words)",
        "subprocess.run(['x'], timeout=1)",
    ],
)
def test_a_wait_with_a_limit_is_accepted(line: str) -> None:
    assert list(unlimited(line)) == []


def test_no_test_waits_without_a_limit() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        for line in unlimited(path.read_text())
    ]

    assert found == []
