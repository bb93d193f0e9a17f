"""page.eval: accepted JavaScript, returned values, errors."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from pwtui.protocol.errors import MAX_RESULT_BYTES
from tests.client import Client
from tests.operations.support import delta
from tests.site import TestSite


async def evaluate(client: Client, url: str, expression: str, **more: Any) -> Any:
    """The result on a page, after it has been JSON."""
    response = await client.send("page.eval", {"url": url, "expression": expression, **more})
    assert response.ok, response.error
    return json.loads(response.to_json())["data"]["result"]


async def test_result_comes_with_its_source(client: Client, site: TestSite) -> None:
    url = site.url("/text.html")
    response = await client.send("page.eval", {"url": url, "expression": "document.title"})
    assert response.data == {"result": "Text", "expression": "document.title"}
    assert response.inputs == {"url": url, "expression": "document.title"}
    assert delta(response) == {"url": url}


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("1 + 1", 2),
        ("1 + 1;", 2),
        ("1, 2", 2),
        ("{ a: 1 }", {"a": 1}),
        ("1 // a comment", 1),
        ("const a = 20; return a + 1", 21),
        ("for (const a of [1, 2]) if (a > 1) return a", 2),
        ("if (true) { 1 }", 1),
        ("let x = 3; x + 1", 4),
        ("let x = 3;", None),
        ("() => 7", 7),
        ("function () { return 7 }", 7),
        ("async () => 7", 7),
        ("await Promise.resolve(7)", 7),
        ("Promise.resolve(7)", 7),
        ("new Promise(resolve => setTimeout(resolve, 20, 'late'))", "late"),
        ("const r = await fetch('/echo?a=1'); return (await r.json()).query", {"a": ["1"]}),
    ],
)
async def test_expressions_statements_functions_and_promises(
    client: Client, site: TestSite, expression: str, result: object
) -> None:
    url = site.url("/text.html")
    assert await evaluate(client, url, expression) == result


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("arg.a + 1", 3),
        ("return arg.a + 1", 3),
        ("({ a }) => a + 1", 3),
        ("async arg => arg.a + 1", 3),
    ],
)
async def test_argument_is_passed_to_the_javascript(
    client: Client, site: TestSite, expression: str, result: object
) -> None:
    url = site.url("/text.html")
    assert await evaluate(client, url, expression, arg={"a": 2}) == result


async def test_argument_is_echoed(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    response = await client.send("page.eval", {"expression": "arg", "arg": [1, {"a": None}]})
    assert response.inputs == {"expression": "arg", "arg": [1, {"a": None}]}
    assert response.data is not None
    assert response.data["result"] == [1, {"a": None}]


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("undefined", None),
        ("null", None),
        ("NaN", "NaN"),
        ("Infinity", "Infinity"),
        ("-Infinity", "-Infinity"),
        ("2n ** 70n", 2**70),
        ("new Date(0)", "1970-01-01T00:00:00+00:00"),
        ("new URL('https://example.com/a?b')", "https://example.com/a?b"),
        ("/a+/gi", "/a+/gi"),
        ("new Error('as a value')", "as a value"),
        ("() => () => 1", None),
        ("({ f() {}, a: 1 })", {"f": None, "a": 1}),
        ("Symbol('s')", None),
        ("new Uint8Array([1, 2])", [1, 2]),
        ("const a = { b: [] }; a.b.push(a); return a", {"b": ["[Circular]"]}),
        ("const a = [1]; return [a, a]", [[1], [1]]),
        ("'\\ud800'", "\N{REPLACEMENT CHARACTER}"),
        ("'\\u0000<b>'", "\0<b>"),
    ],
)
async def test_odd_values_are_json(
    client: Client, site: TestSite, expression: str, result: object
) -> None:
    url = site.url("/text.html")
    assert await evaluate(client, url, expression) == result


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("document.createElement('b')", "<b>"),
        ("[document.querySelector('h1')]", ["<h1>"]),
        ("Object.assign(document.createElement('a'), { id: 'x' })", '<a id="x">'),
        ("document.createTextNode('hi')", "#text hi"),
        ("document", "#document {url}"),
        ("({ of: window })", {"of": "Window {url}"}),
        ("new Map([[1, new Set([2])]])", {"1": [2]}),
    ],
)
async def test_nodes_windows_and_collections_are_shown(
    client: Client, site: TestSite, expression: str, result: object
) -> None:
    url = site.url("/text.html")
    shown = json.loads(json.dumps(result).replace("{url}", url))
    assert await evaluate(client, url, expression) == shown


async def test_undefined_is_not_null(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    undefined = await client.data("page.eval", {"expression": "undefined"})
    null = await client.data("page.eval", {"expression": "null"})
    assert (undefined["result"], undefined.get("undefined")) == (None, True)
    assert (null["result"], null.get("undefined")) == (None, None)


@pytest.mark.parametrize("depth", [90, 200, 5000])
async def test_deep_values_are_cut(client: Client, site: TestSite, depth: int) -> None:
    url = site.url("/text.html")
    result = await evaluate(
        client, url, "let a = 'end'; for (let i = 0; i < arg; i++) a = { a }; return a", arg=depth
    )
    steps = 0
    while isinstance(result, dict):
        result, steps = result["a"], steps + 1
    assert result == "end" if depth == 90 else result != "end"
    assert steps <= 100


async def test_large_result_arrives_whole(client: Client, site: TestSite) -> None:
    url = site.url("/text.html")
    result = await evaluate(client, url, "Array.from({ length: 20000 }, (_, n) => `number ${n}`)")
    assert len(result) == 20_000
    assert result[-1] == "number 19999"


async def test_many_objects_arrive_much_faster_than_playwright_sends_them(
    client: Client, site: TestSite
) -> None:
    """They would keep the page and the worker busy, which could be killed for that."""
    expression = "Array.from({ length: 30000 }, (_, n) => ({ n, of: [null, true, 'a'] }))"
    await evaluate(client, site.url("/text.html"), "1")
    (session,) = client.executor.pool.sessions.values()
    assert session.active is not None
    page = session.active.page
    began = time.monotonic()
    expected = await page.evaluate(expression)
    alone = time.monotonic() - began
    began = time.monotonic()
    result = await evaluate(client, site.url("/text.html"), expression)

    assert result == expected
    assert time.monotonic() - began < alone / 2


@pytest.mark.parametrize(
    "patch",
    [
        "Array.prototype.toJSON = () => 'patched'",
        "String.prototype.toJSON = () => 'patched'",
        "JSON.stringify = () => 'patched'",
    ],
)
async def test_a_page_that_changes_json_does_not_break_results(
    client: Client, site: TestSite, own_tab: int, patch: str
) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    response = await client.send("page.eval", {"expression": f"{patch}; return [{{ a: ['b'] }}]"})

    if patch.startswith("JSON"):
        assert response.error is not None
        assert response.error.code == "JS_EVAL_FAILED"
    else:
        assert response.data is not None
        assert response.data["result"] == [{"a": ["b"]}]


@pytest.mark.parametrize(
    "expression",
    [
        "'x'.repeat(3e8)",
        "Array.from({ length: 4e6 }, (_, n) => ({ n }))",
        "({ a: [{ b: 'x'.repeat(3e8) }] })",
        "new Map([['a', 'x'.repeat(3e8)]])",
        "new Uint8Array(3e8)",
    ],
)
async def test_result_that_is_too_large_is_refused_before_it_is_sent(
    client: Client, site: TestSite, expression: str
) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    error = await client.error("page.eval", {"expression": expression})

    assert error.code == "RESULT_TOO_LARGE"
    assert error.details is not None
    assert error.details["bytes"] > MAX_RESULT_BYTES


async def test_strict_policy_of_the_page_does_not_matter(client: Client, site: TestSite) -> None:
    url = site.url("/csp.html")
    assert await evaluate(client, url, "document.querySelector('#eval').textContent") == "refused"
    assert await evaluate(client, url, "const a = 1; return a + 1") == 2
    assert await evaluate(client, url, "async x => x * 2", arg=21) == 42


@pytest.mark.parametrize(
    ("expression", "name", "message"),
    [
        ("null.x", "TypeError", "Cannot read properties of null"),
        ("a b", "SyntaxError", "Unexpected identifier"),
        ("throw new RangeError('too far')", "RangeError", "too far"),
        ("Promise.reject(new Error('no'))", "Error", "no"),
        ("throw 5", "number", "5"),
        ("throw undefined", "undefined", "undefined"),
    ],
)
async def test_an_error_of_the_javascript_is_reported(
    client: Client, site: TestSite, expression: str, name: str, message: str
) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    error = await client.error("page.eval", {"expression": expression})
    assert error.code == "JS_EVAL_FAILED"
    assert message in error.message
    assert error.details is not None
    assert error.details["name"] == name


async def test_thrown_value_without_any_text_is_reported_too(
    client: Client, site: TestSite
) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    error = await client.error("page.eval", {"expression": "throw Object.create(null)"})
    assert error.code == "JS_EVAL_FAILED"


async def test_javascript_that_navigates_is_reported(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    error = await client.error(
        "page.eval",
        {"expression": "location.assign('/form.html'); await new Promise(() => {})"},
        overrides={"timeoutMs": 5000},
    )
    assert error.code == "JS_EVAL_FAILED"
    arrived = site.url("/form.html")
    assert arrived in error.message
    assert error.details == {"cause": "navigated", "url": arrived}


async def test_promise_that_never_resolves_is_a_timeout(client: Client, site: TestSite) -> None:
    url = site.url("/text.html")
    error = await client.error(
        "page.eval",
        {"url": url, "expression": "new Promise(() => {})"},
        overrides={"timeoutMs": 300},
    )
    assert error.code == "TIMEOUT"
    assert await evaluate(client, url, "'still here'") == "still here"


async def test_long_source_is_echoed_in_part(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    source = "1" + " + 1" * 200
    response = await client.send("page.eval", {"expression": source})
    assert response.inputs == {"expression": f"{source[:500]}..."}
    assert response.data == {"result": 201, "expression": source}


@pytest.mark.parametrize("name", ["expressionFlag", "expression_flag", "expr"])
async def test_flag_overrides_the_expression(client: Client, site: TestSite, name: str) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    data = await client.data("page.eval", {"expression": "1", name: "2"})
    assert data == {"result": 2, "expression": "2"}


async def test_source_is_read_from_a_file_beside_the_caller(
    client: Client, site: TestSite, tmp_path: Path
) -> None:
    (tmp_path / "title.js").write_text("// what it is called\nreturn document.title;\n")
    await client.data("navigate", {"url": site.url("/text.html")})
    response = await client.send("page.eval", {"file": "title.js"}, cwd=tmp_path)
    assert response.data is not None
    assert response.data["result"] == "Text"
    assert response.inputs == {"file": "title.js"}


async def test_file_that_is_not_there_is_an_io_error(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    error = await client.error("page.eval", {"file": "nowhere.js"})
    assert error.code == "IO_ERROR"
    assert "nowhere.js" in error.message


async def test_a_file_that_is_not_text_is_invalid(
    client: Client, site: TestSite, tmp_path: Path
) -> None:
    (tmp_path / "binary.js").write_bytes(b"\xff\xfe\x00")
    await client.data("navigate", {"url": site.url("/text.html")})
    error = await client.error("page.eval", {"file": "binary.js"}, cwd=tmp_path)
    assert error.code == "INVALID_INPUT"


@pytest.mark.parametrize("input", [{}, {"expression": "  "}])
async def test_missing_javascript_is_invalid(
    client: Client, site: TestSite, input: dict[str, object]
) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    error = await client.error("page.eval", input)
    assert error.code == "INVALID_INPUT"
    assert "expression" in error.message
