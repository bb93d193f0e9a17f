"""Lines are parsed into requests, and requests are written as lines."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pwtui.keywords.errors import KeywordError
from pwtui.keywords.parser import commands, parse
from pwtui.keywords.targets import target_fields
from pwtui.keywords.to_line import to_line
from pwtui.keywords.tokenizer import quote, split
from pwtui.protocol.envelope import Request

GO = "getByRole('button', { name: 'Go' })"
SAVE = "getByRole('button', { name: 'Save', exact: true })"
IN_SAVE = f"{SAVE}.locator('p').nth(-1)"
A_B = "getByText('a').getByText('b')"

LINES: list[tuple[str, str, dict[str, Any]]] = [
    ("click e5", "click", {"ref": "e5"}),
    ("click f2e5", "click", {"ref": "f2e5"}),
    ("C e5", "click", {"ref": "e5"}),
    ("CLICK e5 right", "click", {"ref": "e5", "button": "right"}),
    (f"click {GO}", "click", {"selector": GO}),
    ("click page.get_by_text('a b').first", "click", {"selector": "page.get_by_text('a b').first"}),
    ('click a[title="My page"]', "click", {"selector": 'a[title="My page"]'}),
    ("click //button[text()='Go on']", "click", {"selector": "//button[text()='Go on']"}),
    ('click "text=Sign in"', "click", {"selector": "text=Sign in"}),
    ("click ul > li:nth-child(2)", "click", {}),
    ('click "ul > li"', "click", {"selector": "ul > li"}),
    ("click p.i >> nth=0 right", "click", {"selector": "p.i >> nth=0", "button": "right"}),
    ("click Delete --in reading", "click", {"words": "Delete", "within": "reading"}),
    (
        'click Delete right --in listitem "reading list"',
        "click",
        {"within": "reading list", "withinRole": "listitem", "button": "right"},
    ),
    ("click OK --in dialog --modifiers Alt", "click", {"withinRole": "dialog"}),
    ('fill Name Ada --in "form"', "fill", {"within": "form", "text": "Ada"}),
    ("drag li >> nth=0 li >> nth=-1", "drag", {"toSelector": "li >> nth=-1"}),
    ("fill e1 a >> b", "fill", {"text": "a >> b"}),
    ('click button "Save" >> nth=0', "click", {"selector": f"{SAVE}.nth(0)"}),
    ('fill button "Save" >> p >> nth=-1 Ada', "fill", {"selector": IN_SAVE, "text": "Ada"}),
    ('verify-element button "Save" >> nth=1', "verify.element", {"selector": f"{SAVE}.nth(1)"}),
    ("click getByText('a') >> getByText('b')", "click", {"selector": A_B}),
    ('click "Sign in"', "click", {"words": "Sign in"}),
    ("click button", "click", {"selector": "button"}),
    ('click "button"', "click", {"words": "button"}),
    ('click button "Save all"', "click", {"role": "Save all"}),
    ("click e5 --modifiers Shift --modifiers=Alt", "click", {"modifiers": ["Shift", "Alt"]}),
    ("fill e1 007", "fill", {"ref": "e1", "text": "007"}),
    ("fill e1 1e3", "fill", {"ref": "e1", "text": "1e3"}),
    ('fill e7 ""', "fill", {"ref": "e7", "text": ""}),
    ("fill e7 ''", "fill", {"ref": "e7", "text": ""}),
    ("fill e1 hello  big world", "fill", {"ref": "e1", "text": "hello  big world"}),
    ("fill e1 it's", "fill", {"ref": "e1", "text": "it's"}),
    ("fill e1 :-( sad", "fill", {"ref": "e1", "text": ":-( sad"}),
    (r'fill e1 "say \"hi\"\n\\"', "fill", {"ref": "e1", "text": 'say "hi"\n\\'}),
    (r"fill e1 C:\dir", "fill", {"ref": "e1", "text": r"C:\dir"}),
    ('fill textbox "First name" Ada', "fill", {"text": "Ada"}),
    ("fill e1 -- --submit", "fill", {"ref": "e1", "text": "--submit"}),
    ("fill e1 x --submit", "fill", {"ref": "e1", "text": "x", "submit": True}),
    ("fill e1 x --no-submit", "fill", {"ref": "e1", "text": "x"}),
    ("fill e1 x --submit=false", "fill", {"ref": "e1", "text": "x"}),
    ("press Enter", "press", {"key": "Enter"}),
    ("press Enter e3", "press", {"key": "Enter", "ref": "e3"}),
    ('select e3 red "dark blue"', "select", {"ref": "e3", "values": ["red", "dark blue"]}),
    ("upload e20 a.txt b.txt", "upload", {"ref": "e20", "files": ["a.txt", "b.txt"]}),
    ("upload a.txt b.txt", "upload", {"files": ["a.txt", "b.txt"]}),
    ('drag e1 "Drop here"', "drag", {"ref": "e1", "toWords": "Drop here"}),
    ('eval document.querySelector("a b").title', "page.eval", {}),
    ('eval "el => el.id" e5', "page.eval", {"expression": "el => el.id", "ref": "e5"}),
    ("run-code await page.title()", "page.run", {"code": "await page.title()"}),
    ("verify text all done", "verify.text", {"text": "all done"}),
    ("v no-text gone", "verify.text", {"text": "gone", "negate": True}),
    ("verify-value e8 on it", "verify.value", {"ref": "e8", "value": "on it"}),
    ("verify-element Button Go", "verify.element", {"role": "button", "name": "Go"}),
    ("verify-element #go", "verify.element", {"selector": "#go"}),
    ("mousemove 1.5 3", "mouse.move", {"x": 1.5, "y": 3}),
    ("network --clear", "requests.clear", {}),
    ("network-state-set online", "emulate.offline", {"offline": False}),
    ("open", "session.start", {}),
    ("open --headed", "session.start", {"headful": True}),
    ("open example.org", "navigate", {"url": "example.org"}),
    ("route **/api --header 'X-A: b c' --status 404", "route.add", {"status": 404}),
    ("har.set file=traffic.har omitContent=true", "har.set", {"omitContent": True}),
    ('har.set file="my traffic.har"', "har.set", {"file": "my traffic.har"}),
    ("exec fill ref=e1 text=007", "fill", {"ref": "e1", "text": "007"}),
    ("har.set file=1 omitContent=false", "har.set", {"file": "1"}),
]


@pytest.mark.parametrize(("line", "op", "input"), LINES, ids=[line for line, *_ in LINES])
def test_a_line_is_read_and_written_again(line: str, op: str, input: dict[str, Any]) -> None:
    if line.startswith("click ul >"):
        with pytest.raises(KeywordError, match="quotes"):
            parse(line)
        return
    request = parse(line)

    assert request.op == op
    if "role" in input and op == "click":
        input = {"selector": "getByRole('button', { name: 'Save all', exact: true })"}
    assert input.items() <= request.input.items()
    assert False not in request.input.values() or op == "emulate.offline"
    assert parse(to_line(request)) == request


def test_pasted_lines_are_commands_and_code_may_have_several() -> None:
    text = "goto x\n\n fill Name (\neval (() => {\n  return ')'\n})()\ntitle\nrun-code f(\n"

    assert commands(text) == [
        "goto x",
        "fill Name (",
        "eval (() => {\n  return ')'\n})()",
        "title",
        "run-code f(",
    ]


def test_code_is_the_rest_of_the_line_as_it_stands() -> None:
    assert parse("eval  f(\"a  b\", 'c') ").input == {"expression": "f(\"a  b\", 'c')"}


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("clik e5", "did you mean click"),
        ("click", "requires <target>"),
        ("click e1 left again", "unexpected argument"),
        ("click Sign in", "put quotes around"),
        ("fill e1", "requires <text>"),
        ("mousemove a b", "x must be a number, not 'a'"),
        ("set-color-scheme pink", "one of light, dark"),
        ("fill e1 x --sumbit", "did you mean --submit"),
        ("screenshot --filename", "requires a value"),
        ("cookie-set a b --no-domain", "no option --no-domain"),
        ('click "Sign in', "is not closed"),
        ("har.set fil=x", "did you mean file"),
        ("har.set x", "NAME=VALUE"),
        ("verify-element Hello", "verify-text"),
        ("route a --header x", "NAME:VALUE"),
        ("show", "`pwtui`"),
        (".record", "pw repl"),
        ("exec", "requires an operation"),
        ("", "empty"),
    ],
)
def test_a_wrong_line_says_what_is_wrong(line: str, problem: str) -> None:
    with pytest.raises(KeywordError, match=problem):
        parse(line)


def test_a_wrong_line_of_a_known_keyword_shows_its_usage() -> None:
    with pytest.raises(KeywordError) as caught:
        parse("fill e1")

    assert caught.value.usage == "fill <target> <text...> [--submit] [--in [ROLE] TEXT]"


def test_values_are_filled_in_after_the_line_is_split() -> None:
    values = {"{{where}}": "#a", "{{what}}": '--submit "x'}
    request = parse("fill {{where}} {{what}}", fill=lambda word: values.get(word, word))

    assert request.input == {"selector": "#a", "text": '--submit "x'}


@settings(deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_quoted_text_is_the_same_after_a_round_trip(texts: list[str]) -> None:
    words = split(" ".join(map(quote, texts)))

    assert [word.text for word in words] == texts


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), st.text())
def test_any_request_is_the_same_after_a_round_trip(words: str, text: str) -> None:
    for fields in ({"words": words}, {"selector": words}, target_fields(words)):
        request = Request(op="fill", input={**fields, "text": text})
        assert parse(to_line(request)) == request
