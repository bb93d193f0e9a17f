"""The generated files are up to date."""

from __future__ import annotations

from pathlib import Path

from docs.generators import cli, wire
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


def test_the_page_of_the_socket_is_what_the_models_say() -> None:
    assert (ROOT / wire.FILE).read_text(encoding="utf-8") == wire.page(), "run `make docs`"
