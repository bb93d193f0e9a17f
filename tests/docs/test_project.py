"""SECURITY.md names tests that exist, and the workflows agree with the project."""

from __future__ import annotations

import ast
import re
import tomllib

from tests.docs.page import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_every_promise_names_a_test_that_exists() -> None:
    text = (ROOT / "SECURITY.md").read_text()
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text)
    promises = re.findall(r"^- .*(?:\n  .*)*", text.partition("## What listens")[2], re.M)

    missing = []
    for file, test in named:
        path = ROOT / file
        tree = ast.parse(path.read_text()) if path.is_file() else ast.Module([], [])
        names = {getattr(node, "name", None) for node in tree.body}
        if test not in names:
            missing.append(f"{file}::{test}")
    assert missing == []
    assert [each for each in promises if "`tests/" not in each and "not masked" not in each] == []
    assert len(named) > 15


def test_the_workflow_tests_every_python_that_the_package_names() -> None:
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    versions = re.findall(r"Python :: (3\.\d+)$", "\n".join(PROJECT["classifiers"]), re.M)

    assert f"python: {versions}".replace("'", '"') in workflow
    assert "os: [ubuntu-latest, macos-latest]" in workflow


def test_every_target_that_is_documented_or_run_by_a_workflow_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    files = [*ROOT.glob("*.md"), *(ROOT / ".github").rglob("*.yml"), *ROOT.glob(".pre*.yaml")]
    used = {
        target
        for file in files
        for target in re.findall(r"(?:`|: |\$ )make (?:--[\w-]+ )?([a-z-]+)", file.read_text())
    }

    assert {"run", "test", "lint", "site"} <= used
    assert used - targets == set()
