"""What the whole tree promises: declarations explain themselves, and layers stay light."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

import pwtui.protocol.errors as errors
from pwtui.operations.framework.declare import Operation, operations
from pwtui.protocol.errors import ErrorCode, PwError
from pwtui.state.config import ProfileCache, ProfileConfig
from tests.waiting import LIMIT

CANONICAL = """
    navigate click fill wait screenshot page.text page.html page.eval page.console page.read
    page.elements page.snapshot page.coords page.coords-all auth.login auth.cookies auth.show
    auth.listen session.status session.clear session.start session.stop daemon.start daemon.stop
    daemon.status profile.list profile.show profile.set profile.delete connect tabs.list
    tabs.switch tabs.close tabs.new protect.add protect.remove protect.list har.set har.show
    har.clear init
""".split()

every_operation = pytest.mark.parametrize(
    "operation", operations().values(), ids=list(operations())
)


# Operations --------------------------------------------------------------------------------------


def test_every_canonical_operation_is_declared() -> None:
    assert len(CANONICAL) == 41
    assert set(CANONICAL) - set(operations()) == set()


@every_operation
def test_an_operation_has_a_canonical_id(operation: Operation) -> None:
    assert re.fullmatch(r"[a-z]+(\.[a-z]+(-[a-z]+)*)?", operation.id)


@every_operation
def test_an_operation_is_summed_up_in_one_sentence(operation: Operation) -> None:
    assert operation.summary.endswith(".")
    assert operation.summary[0].isupper()
    assert len(operation.summary) <= 100
    assert operation.help.startswith(operation.summary)


@every_operation
def test_every_field_of_an_operation_explains_itself(operation: Operation) -> None:
    fields = operation.input.model_fields.items()

    assert [name for name, field in fields if not field.description] == []


@every_operation
def test_the_example_of_an_operation_can_be_sent(operation: Operation) -> None:
    operation.input.model_validate(dict(operation.example))
    json.dumps(dict(operation.example))


@every_operation
def test_an_operation_that_needs_something_has_an_example(operation: Operation) -> None:
    needed = [f.alias for f in operation.input.model_fields.values() if f.is_required()]

    assert set(needed) <= set(operation.example)


@every_operation
def test_an_operation_describes_itself_with_json_schemas(operation: Operation) -> None:
    for schema in (operation.info.input, operation.info.data):
        assert schema["type"] == "object"
        assert [name for name in property_names(schema) if not is_camel_case(name)] == []


@every_operation
def test_an_operation_answers_with_a_typed_result(operation: Operation) -> None:
    assert issubclass(operation.data, BaseModel)


@pytest.mark.parametrize("model", [ProfileConfig, ProfileCache])
def test_state_files_speak_camel_case(model: type[BaseModel]) -> None:
    names = list(property_names(model.model_json_schema()))

    assert [name for name in names if not is_camel_case(name)] == []


def property_names(schema: Any) -> Iterator[str]:
    """The names of all properties of a JSON schema, at every depth."""
    if isinstance(schema, dict):
        properties = schema.get("properties")
        if isinstance(properties, dict):
            yield from properties
        for part in schema.values():
            yield from property_names(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from property_names(part)


def is_camel_case(name: str) -> bool:
    return re.fullmatch(r"[a-z][a-zA-Z0-9]*", name) is not None


# Errors ------------------------------------------------------------------------------------------


def test_every_error_code_has_exactly_one_exception() -> None:
    exceptions = [
        each
        for each in vars(errors).values()
        if isinstance(each, type) and issubclass(each, PwError) and each is not PwError
    ]

    assert sorted(each.code for each in exceptions) == sorted(ErrorCode)
    assert all(each.__doc__ for each in exceptions)


# Layers ------------------------------------------------------------------------------------------

HEAVY = ("playwright", "textual", "trafilatura", "watchfiles", "websockets", "argparse")


def loaded_by(*modules: str) -> set[str]:
    """The modules that importing these loads in a new process."""
    return printed(f"import sys, {', '.join(modules)}; print('\\n'.join(sys.modules))")


def printed(script: str) -> set[str]:
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=LIMIT)
    return set(done.stdout.split())


def modules_below(package: str) -> list[str]:
    root = Path(__file__).parent.parent
    files = sorted((root / package.replace(".", "/")).glob("*.py"))
    return [package, *(f"{package}.{file.stem}" for file in files if file.stem != "__init__")]


@pytest.mark.parametrize(
    "layer",
    ["pwtui.protocol", "pwtui.keywords", "pwtui.state", "pwtui.runtime", "pwtui.recordings"],
)
def test_the_lower_layers_load_neither_playwright_nor_textual(layer: str) -> None:
    loaded = loaded_by(*modules_below(layer))

    assert layer in loaded
    assert loaded & set(HEAVY) == set()


def test_the_catalogue_of_operations_needs_the_standard_library_alone() -> None:
    loaded = loaded_by("pwtui.protocol.catalog")

    assert loaded & {*HEAVY, "pydantic", "asyncio"} == set()


FIRST_PAINT = """
import sys
from pathlib import Path
import pwtui.cli.panel
from pwtui.app.app import PanelApp
from pwtui.state.workspace import Workspace

def begin(app):
    print("\\n".join(sys.modules))
    app.exit()

PanelApp._begin = begin
PanelApp(Workspace(Path("/"))).run(headless=True)
"""


def test_the_first_paint_of_the_panel_needs_neither_wire_models_nor_client() -> None:
    loaded = printed(FIRST_PAINT)

    assert "pwtui.app.panes.page" in loaded
    late = ("pydantic", "pydantic_core", "watchfiles", "sqlite3", "PIL", "pwtui.app.controller")
    assert loaded & {*late, "pwtui.client", "pwtui.history", "pwtui.app.actions.page"} == set()


def test_the_package_alone_loads_nothing() -> None:
    loaded = loaded_by("pwtui")

    assert {name for name in loaded if name.startswith("pwtui")} == {"pwtui"}
    assert loaded & {*HEAVY, "pydantic", "asyncio"} == set()


# Pythons -----------------------------------------------------------------------------------------


def test_no_pattern_repeats_a_group_possessively() -> None:
    """Python 3.11 before 3.11.5 compiles that, and then does not match what it should."""
    root = Path(__file__).parent.parent
    sources = [*(root / "pwtui").rglob("*.py"), *(root / "widgets").rglob("*.py")]

    assert sources
    assert [str(file) for file in sources if re.search(r"\)[*+?]\+", file.read_text())] == []


# Docs --------------------------------------------------------------------------------------------


def test_every_module_that_the_docs_name_exists() -> None:
    root = Path(__file__).parent.parent
    pages = [root / "README.md", *(root / "docs").rglob("*.md")]
    named = {
        (page.name, path)
        for page in pages
        for path in re.findall(r"\b(?:\w+/)+\w+\.py\b", page.read_text())
    }

    assert ("architecture.md", "engine/executor.py") in named
    assert {
        (page, path)
        for page, path in named
        if not (root / path).is_file() and not (root / "pwtui" / path).is_file()
    } == set()
