"""Locator expressions: two spellings are parsed, one is written, other text is refused."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pwtui.protocol.locators import (
    MAX_NESTING,
    LocatorExpression,
    LocatorStep,
    LocatorSyntaxError,
    Regex,
    Value,
    is_expression,
    parse_locator,
    python_name,
)

CANONICAL = [
    "getByRole('button', { name: 'Submit' })",
    "getByRole('button', { name: 'Dup' }).nth(1)",
    "getByRole('button', { name: 'Dup' }).first()",
    "getByRole('heading', { name: /^a\\/b$/i, description: 'why', exact: true, level: 2 })",
    "getByRole('checkbox', { checked: true, disabled: false, includeHidden: true })",
    "locator('iframe').contentFrame().getByRole('button', { name: 'Inside' })",
    "frameLocator('#one').frameLocator('#two').first().owner()",
    "frameLocator().getByText('anywhere')",
    "getByRef('f1e5')",
    "locator('li', { hasText: 'one', hasNot: getByText('two') }).last()",
    "locator('ul').locator(getByRole('listitem'))",
    "getByText('x').filter({ has: locator('b').filter({ hasNotText: /y/ }), visible: true })",
    "getByLabel('a').and(getByTitle('b', { exact: true })).or(getByAltText('c')).visible()",
    "getByRole('cell').nth(-1).within(getByRole('row')).describe('last cell')",
    "getByPlaceholder('it\\'s \"quoted\" \\\\ \\n é 😀')",
    "getByTestId(/[/\\]]/ms)",
]

SAME_IN_PYTHON = [
    ('get_by_role("button", name="Dup").first', "getByRole('button', { name: 'Dup' }).first()"),
    (
        'locator("iframe").content_frame.get_by_role("button", name="Inside")',
        "locator('iframe').contentFrame().getByRole('button', { name: 'Inside' })",
    ),
    (
        "page.get_by_role('checkbox', checked=True, include_hidden=False, name=None)",
        "getByRole('checkbox', { checked: true, includeHidden: false })",
    ),
    (r'get_by_text(re.compile(r"a\"b/\d", re.IGNORECASE))', r"getByText(/a" + '"' + r"b\/\d/i)"),
    ("get_by_text(re.compile('a', flags=re.S | re.M))", "getByText(/a/ms)"),
    (r"get_by_text(r'C:\new')", r"getByText('C:\\new')"),
    (r"get_by_text('\d \x41 \u00e9 \U0001F600')", r"getByText('\\d A é 😀')"),
    (
        "locator('a').filter(has=page.locator('b'), has_not_text='c',).and_(locator('d'))",
        "locator('a').filter({ hasNotText: 'c', has: locator('b') }).and(locator('d'))",
    ),
    ('frame_locator("#f").locator("p").or_(get_by_test_id("t")).visible', None),
]

SAME_IN_JAVASCRIPT = [
    ('page.getByRole("button", {"name": `Go`, exact: false,})', None),
    ("getByText('x')\n  .first()\n  .locator(`p`)", "getByText('x').first().locator('p')"),
    ("getByRole('a', { exact: true, name: 'n' })", "getByRole('a', { name: 'n', exact: true })"),
    (r"getByText('\d \x41 \u{e9} \ud83d\ude00 \'')", r"getByText('d A é 😀 \'')"),
    ("getByText(new RegExp('a/b', 'i'))", r"getByText(/a\/b/i)"),
    (r"getByText(/\"x\"/g)", 'getByText(/"x"/)'),
    ("getByText('x', { exact: undefined })", "getByText('x')"),
    ("  locator('a')  ", "locator('a')"),
]

NOT_EXPRESSIONS = [
    "",
    "locator",
    "button",
    "#getByRole",
    ".locator(1)",
    "page",
    "page > .item",
    "text=getByRole('x')",
    "css=locator('x')",
    "//locator('x')",
    "getByrole('x')",
    "get_by_('x')",
    "mylocator('x')",
    ":is(a, b)",
    "role=button[name='Go']",
    "e5",
]

WRONG = [
    ("getByFoo('x')", 0, "a step from a page"),
    ("getByText('x').click()", 15, "a step from a locator"),
    ("filter({ hasText: 'x' })", 0, "a step from a page"),
    ("frameLocator('x').filter({})", 18, "a step from a frame"),
    ("getByText('x').getByRef('e5')", 15, "a step from a locator"),
    ("getByRole('x', { nome: 'y' })", 17, "an option (name, description"),
    ("getByText('x', { name: 'y' })", 17, "an option (exact)"),
    ("getByText('x', { exact: true, exact: true })", 30, "no options"),
    ("get_by_role('x', nome='y')", 17, "an option (name, description"),
    ("getByTestId('x', { exact: true })", 19, "no options"),
    ("getByRole('x', { level: true })", 24, "a whole number"),
    ("getByRole('x', { checked: 1 })", 26, "a boolean"),
    ("getByRole('x', { level: 1.5 })", 24, "a value"),
    ("getByRole(/x/)", 10, "a string"),
    ("getByText(undefined)", 10, "a string or a regular expression"),
    ("getByText()", 0, "a string or a regular expression"),
    ("getByText('x', 'y')", 15, "no more arguments"),
    ("get_by_text(exact=True, 'x')", 24, "no more arguments"),
    ("locator(locator('x'))", 8, "a string"),
    ("locator('x').filter", 19, "'('"),
    ("locator('x').nth('1')", 17, "a whole number"),
    ("locator('x').nth(" + "9" * 5000 + ")", 17, "a value"),
    ("locator('x').or('y')", 16, "a locator"),
    ("locator('x'", 11, "')'"),
    ("locator('x", 8, "a closing quote"),
    ("locator('x\\", 8, "a closing quote"),
    ("locator('x') y", 13, "'.' or the end"),
    ("locator('x').", 13, "a name"),
    ("locator('x').contentFrame()", 27, "a step from the frame to an element"),
    ("getByText(`${x}`)", 10, "a string without placeholders"),
    (r"getByText('\u12')", 12, "hexadecimal"),
    (r"getByText('\u{110000}')", 12, "a Unicode code point"),
    (r"getByText('\07')", 12, "hexadecimal"),
    (r"get_by_text('\N{DASH}')", 14, "hexadecimal"),
    ("getByText(/(/)", 10, "a regular expression that is valid in Python"),
    ("get_by_text(re.compile('(?#[)'))", 12, "a regular expression that is valid in JavaScript"),
    ("getByText(/x/u)", 10, "only the flags i, m and s, not u"),
    ("get_by_text(re.compile('x', re.VERBOSE))", 28, "re.IGNORECASE"),
    ("", 0, "a name"),
]


@pytest.mark.parametrize("text", CANONICAL)
def test_canonical_text_is_not_changed(text: str) -> None:
    assert str(parse_locator(text)) == text


@pytest.mark.parametrize(("text", "canonical"), SAME_IN_PYTHON + SAME_IN_JAVASCRIPT)
def test_both_spellings_have_the_same_canonical_text(text: str, canonical: str | None) -> None:
    expression = parse_locator(text)

    assert canonical is None or str(expression) == canonical
    assert parse_locator(str(expression)) == expression


@pytest.mark.parametrize("text", [*CANONICAL, *(text for text, _ in SAME_IN_PYTHON)])
def test_expressions_are_recognised(text: str) -> None:
    assert is_expression(text)
    assert is_expression(f"  page.{text.removeprefix('page.')}")


@pytest.mark.parametrize("text", NOT_EXPRESSIONS)
def test_other_selectors_are_not_expressions(text: str) -> None:
    assert not is_expression(text)


@pytest.mark.parametrize(("text", "position", "expected"), WRONG)
def test_an_error_has_the_position_and_what_was_expected(
    text: str, position: int, expected: str
) -> None:
    with pytest.raises(LocatorSyntaxError) as caught:
        parse_locator(text)

    assert caught.value.position == position
    assert expected in caught.value.expected
    assert f"at character {position + 1}" in str(caught.value)


def test_steps_have_canonical_names_and_typed_values() -> None:
    expression = parse_locator("get_by_role('link', exact=True, name=re.compile('a', re.I)).nth(2)")

    options = (("name", Regex("a", "i")), ("exact", True))
    assert expression.steps == (
        LocatorStep("getByRole", ("link",), options),
        LocatorStep("nth", (2,)),
    )


def test_nesting_is_limited() -> None:
    def nested(depth: int) -> str:
        return "locator('a').or(" * (depth - 1) + "locator('a')" + ")" * (depth - 1)

    assert str(parse_locator(nested(MAX_NESTING))) == nested(MAX_NESTING)
    for depth in (MAX_NESTING + 1, 50_000):
        with pytest.raises(LocatorSyntaxError, match="nested"):
            parse_locator(nested(depth))


def test_a_pattern_too_deep_for_python_is_a_syntax_error() -> None:
    with pytest.raises(LocatorSyntaxError):
        parse_locator(f"getByText(/{'(' * 50_000}{')' * 50_000}/)")


def test_a_lone_surrogate_is_written_as_an_escape() -> None:
    text = str(LocatorExpression((LocatorStep("getByText", ("\ud83d",)),)))

    assert text == r"getByText('\ud83d')"
    assert str(parse_locator(text)) == text


# All of Unicode and lone surrogates; a pair of surrogates would be one character.
strings = st.text(
    st.characters() | st.sampled_from("'\"`\\/$[]{}()\n\r\t\0\u2028\ud83d"), max_size=12
)
strings = strings.map(
    lambda text: text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
)


def regex_for(text: str, flags: str) -> Regex:
    source = f"getByText(new RegExp({quoted_for_javascript(re.escape(text))}, '{flags}'))"
    regex = parse_locator(source).steps[0].args[0]
    assert isinstance(regex, Regex)
    return regex


def quoted_for_javascript(text: str) -> str:
    return "`" + "".join(f"\\u{{{ord(char):x}}}" for char in text) + "`"


regexes = st.builds(regex_for, strings, st.sampled_from(["", "i", "ims", "sm"]))
texts = strings | regexes
BY_TEXT = ["getByText", "getByLabel", "getByPlaceholder", "getByAltText", "getByTitle"]


def steps(
    method: str, *args: st.SearchStrategy[Value], **options: st.SearchStrategy[Value]
) -> st.SearchStrategy[LocatorStep]:
    given_options = st.fixed_dictionaries({}, optional=options)
    # Options are in the order of the table; fixed_dictionaries may yield any order.
    ordered = given_options.map(lambda d: tuple((name, d[name]) for name in options if name in d))
    return st.builds(LocatorStep, st.just(method), st.tuples(*args), ordered)


def finding_steps() -> st.SearchStrategy[LocatorStep]:
    flag = st.booleans()
    return st.one_of(
        steps("getByTestId", texts),
        steps(
            "getByRole",
            strings,
            name=texts,
            description=texts,
            exact=flag,
            checked=flag,
            includeHidden=flag,
            level=st.integers(0, 9),
            pressed=flag,
        ),
        *(steps(method, texts, exact=flag) for method in BY_TEXT),
    )


def chains(inner: st.SearchStrategy[LocatorExpression]) -> st.SearchStrategy[LocatorExpression]:
    has = {"hasText": texts, "hasNotText": texts, "has": inner, "hasNot": inner}
    first = finding_steps() | steps("locator", strings, **has) | steps("getByRef", strings)
    later = st.one_of(
        finding_steps(),
        steps("locator", strings | inner, **has),
        steps("filter", **has, visible=st.booleans()),
        steps("nth", st.integers(-(10**9) + 1, 10**9 - 1)),
        *(steps(method, inner) for method in ("and", "or", "within")),
        *(steps(method) for method in ("first", "last", "visible")),
    )
    through_frame = st.tuples(steps("contentFrame"), finding_steps()) | st.tuples(
        steps("frameLocator", strings), steps("last"), steps("owner")
    )
    tails = st.lists(later.map(lambda step: (step,)) | through_frame, max_size=4)
    return st.builds(
        lambda head, tail: LocatorExpression((head, *(step for part in tail for step in part))),
        first,
        tails,
    )


leaves = finding_steps().map(lambda step: LocatorExpression((step,)))
expressions = st.recursive(leaves, chains, max_leaves=6)


def in_python(expression: LocatorExpression) -> str:
    return ".".join(step_in_python(step) for step in expression.steps)


def step_in_python(step: LocatorStep) -> str:
    name = python_name(step.method)
    if step.method in ("first", "last", "visible", "contentFrame", "owner"):
        return name
    arguments = [value_in_python(value) for value in step.args]
    arguments += [f"{python_name(key)}={value_in_python(value)}" for key, value in step.options]
    return f"{name}({', '.join(arguments)})"


def value_in_python(value: Value) -> str:
    if isinstance(value, LocatorExpression):
        return in_python(value)
    if isinstance(value, Regex):
        flags = " | ".join(f"re.{flag.upper()}" for flag in value.flags)
        return f"re.compile({value_in_python(value.source)}{', ' + flags if flags else ''})"
    # As Playwright quotes; repr() may use \U, which means something else in JavaScript.
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


@given(expressions)
def test_an_expression_is_the_same_after_a_round_trip(expression: LocatorExpression) -> None:
    text = str(expression)

    assert parse_locator(text) == expression
    assert str(parse_locator(text)) == text
    assert is_expression(text)
    text.encode()


@given(expressions)
def test_an_expression_is_the_same_after_a_round_trip_through_python(
    expression: LocatorExpression,
) -> None:
    assert parse_locator(in_python(expression)) == expression


@given(strings)
def test_a_literal_pattern_still_matches_its_text(text: str) -> None:
    assert regex_for(text, "").compile().fullmatch(text)


FRAGMENTS = [
    *"'\"`\\/()[]{}.,:=|$ \n",
    *("getByText(", "get_by_role(", "locator(", "page.", ".filter(", "has", "has=", "name: ", "u{"),
    *("re.compile(", "new RegExp(", "r'", "re.I", "true", "None", "\\u", "\\x4", "-1", "9" * 30),
    *("'a'", "{ hasText: ", ".first", ".contentFrame()", ".or(", "(?", "(?P<", "*", "é", "\ud83d"),
]


def check_read_or_refused(text: str) -> None:
    """What is read looks like an expression and can be written again."""
    try:
        expression = parse_locator(text)
    except LocatorSyntaxError:
        return
    assert is_expression(text)
    assert parse_locator(str(expression)) == expression


@given(st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=3)).map("".join) | st.text())
@example("getByText(/[[a]/)")
@example("getByText(/x{99999999999}/)")
def test_any_text_is_parsed_or_refused(text: str) -> None:
    check_read_or_refused(text)


@given(st.data())
def test_a_damaged_expression_is_parsed_or_refused(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([*CANONICAL, *(text for text, _ in SAME_IN_PYTHON)]))
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 5)))

    check_read_or_refused(text[:start] + data.draw(st.sampled_from(["", *FRAGMENTS])) + text[end:])
