"""The generated files are up to date."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from docs.generators import browsers, cli, man, wire
from docs.generators.operations import INDEX, catalog_text, help_text, pages
from pwtui.cli.fast_path import HELP_FILE
from pwtui.operations.framework.declare import operations
from pwtui.protocol.catalog import FILE, catalog
from pwtui.protocol.errors import ErrorCode

ROOT = Path(__file__).parents[2]


def test_the_pages_of_operations_are_up_to_date() -> None:
    written = {
        path.relative_to(ROOT): path.read_text(encoding="utf-8")
        for path in [ROOT / INDEX, *(ROOT / INDEX.with_suffix("")).glob("*.md")]
    }

    assert written == pages(), "run `make docs`"


def test_the_catalogue_is_up_to_date() -> None:
    assert FILE.read_text(encoding="utf-8") == catalog_text(), "run `make docs`"
    assert catalog() == {id: each.info for id, each in operations().items()}


def test_every_operation_is_described_and_in_the_table_of_contents() -> None:
    index = pages()[INDEX]
    described = "".join(text for path, text in pages().items() if path != INDEX)

    assert all(described.count(f"\n## `{op}`\n") == 1 for op in operations())
    assert all(index.count(f"| [`{op}`](") == 1 for op in operations())
    assert all(f"| `{code}` |" in index for code in ErrorCode)


def test_the_page_of_the_command_line_is_up_to_date() -> None:
    # Versions of Python set the same words in different places.
    assert (ROOT / cli.FILE).read_text().split() == cli.page().split(), "run `make docs`"


def test_the_saved_help_is_up_to_date() -> None:
    # Versions of Python set the same words in different places.
    assert set(Path(HELP_FILE).read_text().split()) == set(help_text().split()), "run `make docs`"


def test_the_manual_pages_are_up_to_date() -> None:
    for path, text in man.pages().items():
        # Versions of Python set the same words in different places.
        assert (ROOT / path).read_text().split() == text.split(), "run `make docs`"


@pytest.mark.skipif(shutil.which("man") is None, reason="man is not installed")
@pytest.mark.parametrize("name", ["pw", "pwtui"])
def test_man_shows_a_manual_page_without_a_warning(name: str) -> None:
    page = ROOT / man.FOLDER / f"{name}.1"
    shown = subprocess.run(
        ["man", "--warnings", "-l", page],
        env=os.environ | {"MANWIDTH": "80", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )

    assert shown.stderr == ""
    assert f"{name} - " in shown.stdout
    assert "--workspace DIR" in shown.stdout


def test_the_page_of_the_socket_is_what_the_models_say() -> None:
    assert (ROOT / wire.FILE).read_text(encoding="utf-8") == wire.page(), "run `make docs`"


def test_the_page_about_browsers_is_current() -> None:
    assert (ROOT / browsers.FILE).read_text(encoding="utf-8") == browsers.page(), "run `make docs`"
