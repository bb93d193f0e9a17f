"""Completion, also in real shells: bash, zsh and fish."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from docs.generators.completion import FILE, completion_text
from pwtui.cli.command_table import KEYWORD_LINE
from pwtui.cli.completion import complete
from pwtui.cli.parser import commands
from pwtui.keywords.table import KEYWORDS
from pwtui.operations.framework.declare import operations
from tests.cli.pw import Pw
from tests.waiting import LIMIT

ROOT = Path(__file__).parents[2]

_BASH = """
eval "$(pw completion bash)"
COMP_LINE=$1 COMP_POINT=${#1}
compopt() { :; }
_pw
printf '%s\\n' "${COMPREPLY[@]}"
"""
# zsh completes at a prompt only: a terminal inside it is what shells test themselves with.
_ZSH = """
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1= ; autoload -Uz compinit && compinit -u -d $PWD/.zcompdump"
zpty -w shell 'eval "$(pw completion zsh)"; compadd() { print -rl -- ${(P)@[-1]} >> $PWD/found }'
zpty -w shell "bindkey '^I' complete-word; : > $PWD/found; print READY"
zpty -r shell shown '*READY*READY*'
zpty -w -n shell "$1"$'\\t'
for i in {1..200}; do [[ -s found ]] && break; sleep 0.1; done
sleep 0.2
cat found
"""
_FISH = """
pw completion fish | source
complete -C $argv[1] | string split -f 1 \\t
"""

Completed = Callable[[str], list[str]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "playwright" / ".pw-cli-v4" / "profiles" / "staging").mkdir(parents=True)
    (tmp_path / "flows").mkdir()
    for name in ("login.pw", "log.txt", "two words.ndjson"):
        (tmp_path / name).write_text("")
    return tmp_path


@pytest.fixture(params=["bash", "zsh", "fish"])
def completed(request: pytest.FixtureRequest, home: Path) -> Completed:
    shell = shutil.which(request.param)
    if shell is None:
        pytest.skip(f"{request.param} is not installed")
    script = home / f".complete.{request.param}"
    script.write_text({"bash": _BASH, "zsh": _ZSH, "fish": _FISH}[request.param])
    options = {"bash": ["--norc"], "zsh": ["-f"], "fish": ["--no-config"]}[request.param]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"

    def run(line: str) -> list[str]:
        done = subprocess.run(
            [shell, *options, str(script), line],
            cwd=home,
            env={**os.environ, "PATH": path, "HOME": str(home), "TERM": "xterm"},
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
        )
        return [each.replace("\\ ", " ") for each in done.stdout.split("\n") if each]

    return run


def test_a_shell_completes(completed: Completed) -> None:
    assert completed("pw repl") == ["repl", "replay"]
    assert completed("pw goto") == ["goto"]
    assert completed("pw exec page.te") == ["page.text"]
    assert completed("pw profile show st") == ["staging"]
    assert set(completed("pw replay ")) == {
        "flows/",
        "login.pw",
        "playwright/",
        "two words.ndjson",
    }
    assert completed("pw session start --hea") == ["--headed"]


def words(*typed: str) -> list[str]:
    return [line.partition("\t")[0] for line in complete(list(typed)).decode().splitlines()]


def line(text: str) -> list[str]:
    return complete(["--line", text]).decode().splitlines()


def test_everything_that_can_be_typed_is_offered() -> None:
    first = words("")

    assert set(commands()) - {KEYWORD_LINE} <= set(first)
    assert {each.name for each in KEYWORDS} <= set(first)
    assert set(words("exec", "")) == set(words("ops", "")) == set(operations())
    assert set(words("help", "")) == set(first)
    assert "har.set" in words("har.")


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("pw --form", ["--format"]),
        ("pw --format=", ["json", "ndjson", "text"]),
        ("pw -f nd", ["ndjson"]),
        ("pw -p x exec click but", ["button="]),
        ("pw exec click button=", ["left", "middle", "right"]),
        ("pw exec -f text click ref=e5 button=l", ["left"]),
        ("pw har.set fi", ["file="]),
        ("pw click e5 ", ["left", "middle", "right"]),
        ("pw click --mod", ["--modifiers"]),
        ("pw c --mod", ["--modifiers"]),
        ("pw click --timeo", ["--timeout"]),
        ("pw profile re", ["rename", "restore"]),
        ("pw profile set x headless=", ["true", "false"]),
        ("pw profile set x har.pa", ["har.path="]),
        ("pw doctor c", ["cdp"]),
        ("pw completion ", ["bash", "zsh", "fish"]),
        ("pw convert x.pw y.py --to p", ["pw", "pytest"]),
        ("pw nonsense ", []),
        ("pw 'exec", ["exec"]),
    ],
)
def test_completions_depend_on_the_position(typed: str, offered: list[str]) -> None:
    assert line(typed) == offered


def test_old_spellings_are_not_offered() -> None:
    assert "--headful" not in words("session", "start", "--")
    assert "--session" not in words("repl", "--")


def test_the_profiles_are_those_of_the_workspace(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/")
    elsewhere = words("-p", "")
    named = words("--workspace", str(home), "-p", "")
    monkeypatch.setenv("PW_WORKSPACE_ROOT", str(home))

    assert elsewhere == ["default"]
    assert named == words("exec", "--profile", "") == ["default", "staging"]


def test_the_completion_data_is_up_to_date() -> None:
    assert (ROOT / FILE).read_text(encoding="utf-8") == completion_text(), "run `make docs`"


def test_completing_loads_neither_the_parser_nor_the_operations(pw: Pw) -> None:
    code = (
        "import os, sys\nfrom pwtui.cli import fast_path\nos._exit = sys.exit\n"
        "sys.argv = ['pw', '__complete', '-p', '']\n"
        "try: fast_path.main()\n"
        "finally: print(sorted({'argparse', 'pydantic', 'asyncio'} & sys.modules.keys()))\n"
    )
    done = pw("-c", code, command=[sys.executable])

    assert done.out == "default\tprofile\n[]\n"
