"""The reference page is written from the declarations, and is up to date."""

from __future__ import annotations

from pathlib import Path

from docs.generators.operations import catalog_text, help_text, page
from pwtui.cli.fast_path import HELP_FILE
from pwtui.operations.framework.declare import operations
from pwtui.protocol.catalog import FILE, catalog
from pwtui.protocol.errors import ErrorCode

PAGE = Path(__file__).parents[2] / "docs" / "operations.md"


def test_the_page_is_what_the_declarations_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `make docs`"


def test_the_catalogue_is_what_the_declarations_say() -> None:
    assert FILE.read_text(encoding="utf-8") == catalog_text(), "run `make docs`"
    assert catalog() == {id: each.info for id, each in operations().items()}


def test_every_operation_and_every_error_code_is_on_the_page() -> None:
    text = page()

    assert all(f"### `{op}`" in text for op in operations())
    assert all(f"| `{code}` |" in text for code in ErrorCode)


def test_the_help_that_starts_at_once_is_that_of_the_parser() -> None:
    # Versions of Python set the same words in different places.
    assert set(Path(HELP_FILE).read_text().split()) == set(help_text().split()), "run `make docs`"
