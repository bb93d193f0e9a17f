"""What an installation gets: all that the code imports, whichever pip installs it."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.site import TestSite

ROOT = Path(__file__).parents[1]
PRODUCT = ("pwtui", "widgets", "themes")

LOAD = """
import importlib, json, sys
before = set(sys.modules)
for name in json.load(sys.stdin):
    importlib.import_module(name)
print(json.dumps(sorted({name.partition(".")[0] for name in set(sys.modules) - before})))
"""


def imported_modules() -> set[str]:
    """The modules of other distributions that the product imports, wherever it does."""
    found: set[str] = set()
    for package in PRODUCT:
        for file in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Import):
                    found.update(each.name for each in node.names)
                elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    found.add(node.module)
    own = {*PRODUCT, *sys.stdlib_module_names}
    return {name for name in found if name.partition(".")[0] not in own}


def distributions_of(modules: set[str]) -> set[str]:
    known = packages_distributions()
    return {canonicalize_name(each) for module in modules for each in known.get(module, ())}


def requirements(name: str, extras: set[str]) -> list[Requirement]:
    needed = [Requirement(line) for line in distribution(name).requires or ()]
    chosen = [{"extra": each} for each in ("", *extras)]
    return [
        each
        for each in needed
        if each.marker is None or any(each.marker.evaluate(extra) for extra in chosen)
    ]


def installed_by_an_old_pip() -> set[str]:
    """All that pwtui brings along.

    To pip 23.2, which comes with Python 3.11 and 3.12, `html_clean` is another extra than
    `html-clean`: it installs an extra only under the very name that its distribution declares.
    """
    found: set[str] = set()
    waiting = [Requirement("pwtui")]
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        declared = distribution(name).metadata.get_all("Provides-Extra") or ()
        extras = requirement.extras & set(declared)
        if name not in found or extras:
            found.add(name)
            waiting += requirements(name, extras)
    return found


def test_every_imported_distribution_is_a_direct_dependency() -> None:
    needed = distributions_of({name.partition(".")[0] for name in imported_modules()})

    direct = {canonicalize_name(each.name) for each in requirements("pwtui", set())}

    assert needed - direct == set()


def test_an_old_pip_installs_all_that_is_imported() -> None:
    loaded = subprocess.run(
        [sys.executable, "-c", LOAD],
        input=json.dumps(sorted(imported_modules())),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    needed = distributions_of(set(json.loads(loaded.stdout)) - sys.stdlib_module_names)

    assert needed - installed_by_an_old_pip() == set()


@pytest.mark.thorough
@pytest.mark.timeout(900)
def test_the_wheel_works_as_the_pip_that_comes_with_python_installs_it(
    site: TestSite, tmp_path: Path
) -> None:
    def run(*command: str | Path, cwd: Path = tmp_path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=cwd,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
            env=os.environ | {"PWTUI_RUNTIME_DIR": str(tmp_path / "run")},
        )

    python = Path(sys.base_prefix, "bin", f"python3.{sys.version_info.minor}")
    assert run(python, "-m", "venv", tmp_path / "venv").returncode == 0
    bin = tmp_path / "venv" / "bin"
    pip = (bin / "python", "-m", "pip", "--disable-pip-version-check")
    reached = run(*pip, "download", "--no-deps", "-d", tmp_path / "probe", "hatchling")
    if reached.returncode != 0:
        pytest.skip(f"the package index cannot be reached: {reached.stderr.splitlines()[-1]}")

    built = run(*pip, "wheel", "--no-deps", "-w", tmp_path, ROOT)
    assert built.returncode == 0, built.stderr
    installed = run(*pip, "install", *tmp_path.glob("pwtui-*.whl"))
    assert installed.returncode == 0, installed.stderr
    page = site.url("/article.html")
    try:
        for command in (
            ("exec", "page.text", "--input", json.dumps({"url": page, "selector": "h1"})),
            ("exec", "page.read", "--input", json.dumps({"url": page})),
            ("repl", "-c", f"goto {page}"),
        ):
            done = run(bin / "pw", *command)
            assert done.returncode == 0, done
        assert run(bin / "pwtui", "--help").returncode == 0
    finally:
        assert run(bin / "pw", "daemon", "stop").returncode == 0
