"""An operation is declared once: everything else is read from its declaration."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pwtui.operations.framework.declare import operations
from pwtui.protocol.catalog import catalog
from pwtui.protocol.envelope import Response
from pwtui.protocol.outcome import outcome_text, subject
from tests.waiting import LIMIT

ROOT = Path(__file__).parent.parent

NEW_OPERATION = '''
from typing import Annotated

from pydantic import Field

from pwtui.operations.framework.call import Call
from pwtui.operations.framework.declare import reads
from pwtui.operations.framework.fields import Data, Input, MayBeSecret


class GreetInput(Input):
    name: str = Field(description="Who is greeted.")
    loud: bool = Field(False, description="Raise the voice.")
    password: Annotated[str, MayBeSecret()] = Field("", description="A secret.")


class GreetData(Data):
    greeting: str


@reads("test.greet", "greet|gr name... --loud", example={"name": "Ada"}, outcome="{greeting}!")
async def greet(call: Call, input: GreetInput) -> GreetData:
    """Greet a person by name."""
    return GreetData(greeting=f"Hello {input.name}")
'''

READ_EVERYWHERE = """
import json, sys
from pathlib import Path
import pwtui.protocol.catalog as protocol

protocol.FILE = Path(sys.argv[1])
sys.path.insert(0, str(protocol.FILE.parent))
import new_operation
from docs.generators.operations import catalog_text, pages

protocol.FILE.write_text(catalog_text(), encoding="utf-8")
from docs.generators.keywords import page as keywords_page
from pwtui.keywords.completion import complete
from pwtui.keywords.help import help_for
from pwtui.keywords.parser import parse
from pwtui.keywords.to_line import to_line
from pwtui.protocol.envelope import Response
from pwtui.protocol.outcome import outcome_text, subject
from pwtui.repl.render import render
from pwtui.widgets.schema_fields import read_schema

info = protocol.catalog()["test.greet"]
request = parse("gr Ada Lovelace --loud")
response = Response(op="test.greet", ok=True, data={"greeting": "Hello Ada"})
print(json.dumps({
    "effect": info.effect,
    "secrets": dict(info.secrets),
    "input": request.input,
    "line": to_line(request),
    "completions": [each.text for each in complete("gree")],
    "help": help_for("greet"),
    "form": [each.key for each in read_schema(info.input).fields()],
    "log": [subject(info, request.input), outcome_text(info, response)],
    "text": render(response),
    "pages": [any("## `test.greet`" in text for text in pages().values()),
              "`greet <name...>" in keywords_page()],
}))
"""


def test_a_new_operation_is_one_function(tmp_path: Path) -> None:
    (tmp_path / "new_operation.py").write_text(NEW_OPERATION, encoding="utf-8")
    command = [sys.executable, "-c", READ_EVERYWHERE, str(tmp_path / "operations.json")]

    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT)

    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["effect"] == "reads"
    assert found["secrets"] == {"password": "text"}
    assert found["input"] == {"name": "Ada Lovelace", "loud": True}
    assert found["line"] == 'greet "Ada Lovelace" --loud'
    assert found["completions"] == ["greet"]
    assert "greet <name...> [--loud]" in found["help"]
    assert "--loud: Raise the voice." in found["help"]
    assert found["form"] == ["name", "loud", "password"]
    assert found["log"] == ["Ada Lovelace", "Hello Ada!"]
    assert found["text"] == "Hello Ada!"
    assert found["pages"] == [True, True]


def test_no_table_of_operations_stands_outside_the_declarations() -> None:
    sources = [*(ROOT / "pwtui").rglob("*.py"), *(ROOT / "widgets").rglob("*.py")]
    names = {str(file.relative_to(ROOT)): file for file in sources}
    listing = {
        name: tables
        for name, file in names.items()
        if not name.startswith("pwtui/operations/")
        and (tables := list(tables_of_operations(file.read_text(encoding="utf-8"))))
    }

    assert listing == {}


@pytest.mark.parametrize(
    "source",
    [
        "LOOKS = ('page.aria', 'page.text', 'tabs.list')",
        "if op in {'dialog.accept', 'dialog.dismiss'}: ...",
        "WORDS = '''page.aria page.text\\n click'''.split()",
        "SHOWN = {'page.aria': 1}",
        "op.startswith(('session.', 'profile.'))",
    ],
)
def test_a_table_of_operations_is_recognised(source: str) -> None:
    assert len(list(tables_of_operations(source))) == 1


def tables_of_operations(source: str) -> Iterator[str]:
    """Literals with several operations' ids or families, and mappings with an id as a key."""
    families = {f"{each.info.family}." for each in operations().values()}
    known = set(operations()) | families

    def ids(nodes: list[ast.expr]) -> list[str]:
        texts = [each.value for each in nodes if isinstance(each, ast.Constant)]
        return [text for text in texts if isinstance(text, str) and text in known]

    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Dict):
            found = ids([key for key in node.keys if key is not None])
            is_table = any("." in each for each in found)
        elif isinstance(node, ast.Set | ast.Tuple | ast.List):
            found = ids(node.elts)
            is_table = len(found) > 1 and any("." in each for each in found)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            text = node.func.value
            is_split = node.func.attr == "split" and isinstance(text, ast.Constant)
            found = str(text.value).split() if isinstance(text, ast.Constant) else []
            found = [each for each in found if each in known] if is_split else []
            is_table = len(found) > 1 and any("." in each for each in found)
        else:
            continue
        if is_table:
            yield f"line {node.lineno}: {', '.join(found)}"


@pytest.mark.parametrize(
    ("op", "inputs", "data", "target", "outcome"),
    [
        ("navigate", {"url": "x"}, {"status": 200, "title": "Log in"}, "", "200 Log in"),
        (
            "click",
            {"selector": "getByRole('button', { name: 'Log in' })"},
            {"dialog": {"type": "alert", "message": "Hello"}, "navigated": False},
            'button "Log in"',
            'dialog "Hello"',
        ),
        (
            "click",
            {"selector": "#go"},
            {"navigated": True, "afterUrl": "https://a.org/b"},
            "#go",
            "https://a.org/b",
        ),
        ("fill", {"selector": "#pw", "text": "••••••"}, {"text": "••••••"}, "#pw", ""),
        ("cookies.list", {}, {"cookies": [{}, {}, {}]}, "", "3 cookies"),
        ("page.title", {}, {"title": "A\nB"}, "", "A"),
        ("page.eval", {"expression": "o"}, {"result": {"a": [1]}}, "o", '{ "a": [ 1 ] }'),
        ("profile.show", {"name": "dev"}, {"schema": 4}, "dev", ""),
    ],
)
def test_an_outcome_is_one_line(
    op: str, inputs: dict[str, object], data: dict[str, object], target: str, outcome: str
) -> None:
    info = catalog()[op]
    text = outcome_text(info, Response(op=op, ok=True, data=data))

    assert subject(info, inputs) == target
    assert text.startswith(outcome)
    assert "\n" not in text
