"""A recording in one format is the same recording in another."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from pwtui.protocol.catalog import catalog
from pwtui.protocol.envelope import Request
from pwtui.protocol.errors import InvalidInput
from pwtui.protocol.secrets import MASK
from pwtui.recordings.formats import RecordingFormat, decode_recording, encode, format_of
from pwtui.recordings.model import RecordedStep, Recording, RecordingError, durable
from pwtui.recordings.pytest_reader import read_test

SCRIPT = """\
# A flow
goto {{base}}/form.html
fill getByLabel('Name') "Ada \\"L\\""
fill getByLabel('Password') {{password}}
type hello
press Enter
press Enter #name
click getByRole('button', { name: 'Go', exact: true }).first() right --modifiers Shift
dialog-accept yes
hover #menu
dblclick #word
select #color red green
check #agree
uncheck #agree
upload #file a.txt
drag #a #b
keydown Shift
keyup Shift
mousemove 1 2
mousedown
mouseup
mousewheel 0 100
screenshot #a --filename x.png
pdf --filename x.pdf
eval 1 + 1
resize 800 600
go-back
go-forward
reload
verify-text hello
verify-no-text bye --exact
verify-element button Go
verify-no-element #gone
verify-value #a 5
verify-value #agree true
verify-list ul A "B C"
verify-list ul A "B C" --exact
verify-title Fo(o
verify-title Foo --exact
verify-url /x?a=1
verify-no-url --glob **/y
verify-url --regex ^a.c
wait 500
wait load
wait #b --state visible
wait-for-url /done
route **/x --status 404 --body nope --content-type text/plain
unroute **/x
unroute
cookie-set a b --domain x.com --path /
cookie-set a b
localstorage-set k "v w"
localstorage-delete k
sessionstorage-clear
state-save s.json
state-load s.json
set-color-scheme dark
clear-color-scheme
network-state-set offline
set-geolocation 52.5 13.4
click getByText('New tab') --modifiers Shift
tab-select 1
tab-new
tab-select 1
tab-close
tab-close 0
tab-new
tab-select 2
tab-close
"""


def read(text: str, name: str, **variables: str) -> Recording:
    return decode_recording(Path(name), text, variables, whole=False)


def inputs(recording: Recording) -> list[tuple[str, dict[str, Any]]]:
    return [(step.request.op, step.request.input) for step in recording.steps]


@pytest.mark.parametrize("name", ["a.pw", "a.ndjson", "a.py"])
def test_a_recording_survives_every_format(name: str) -> None:
    format = format_of(Path(name))
    assert format is not None
    original = read(SCRIPT, "my flow.pw")

    text, warnings = encode(original, format)

    assert warnings == []
    assert inputs(read(text, name)) == inputs(original)


TEMPLATES = {op: info for op, info in catalog().items() if info.python and info.python != "pass"}


@pytest.mark.parametrize("op", TEMPLATES)
def test_a_declared_template_is_written_and_read_back(op: str) -> None:
    click = RecordedStep(1, Request(op="click", input={"selector": "#opener"}))
    step = RecordedStep(2, Request(op=op, input=dict(TEMPLATES[op].example)))

    text, warnings = encode(Recording(Path("a.ndjson"), (click, step)), "pytest")

    assert warnings == []
    # A test waits for a text by expecting it.
    read_as = "verify.text" if op == "wait.text" else op
    assert read(text, "a.py").steps[1].request.op == read_as


def test_a_generated_test_is_readable_code() -> None:
    text, _ = encode(read(SCRIPT, "my flow.pw"), "pytest")

    ast.parse(text)
    assert 'PASSWORD = os.environ["PASSWORD"]' in text
    assert "def test_my_flow(page: Page) -> None:" in text
    assert 'page.goto(f"{BASE}/form.html")' in text
    assert 'page.get_by_label("Password").fill(PASSWORD)' in text
    assert 'expect(page.get_by_text("hello").filter(visible=True).first).to_be_visible()' in text
    assert r're.compile("/x\\?a=1")' in text
    lines = text.splitlines()
    opener = next(i for i, line in enumerate(lines) if ".first.click(" in line)
    assert 'page.once("dialog", lambda dialog: dialog.accept("yes"))' in lines[opener - 1]


def test_a_generated_test_waits_for_the_tab_that_an_action_opens() -> None:
    script = (
        "goto x.org\nclick #a\nclick #b\ntab-select 1\nverify-text hi\ntab-close\ntab-select 0\n"
    )

    text, warnings = encode(read(script, "a.pw"), "pytest")

    assert warnings == []
    assert body(text) == [
        'page.goto("x.org")',
        'page.locator("#a").click()',
        "with page.expect_popup() as tab_1:",
        '    page.locator("#b").click()',
        "page = tab_1.value",
        'expect(page.get_by_text("hi").filter(visible=True).first).to_be_visible()',
        "page.close()",
        "page = page.context.pages[0]",
        "page = page.context.pages[0]",
        "page.bring_to_front()",
    ]
    _, guess = encode(read("goto x\nclick #a\nfill #b c\nhover #c\ntab-select 1", "a.pw"), "pytest")
    assert guess == [(5, "the step that opens tab 1 is a guess: check it")]


def test_a_generated_test_searches_the_same_frames_as_its_script() -> None:
    inside = "locator('iframe').contentFrame().getByRole('button')"
    script = f"goto x.org\nverify-text a\nclick {inside}\nverify-text b\nverify-no-text c\n"
    script += f"verify-no-element button d\nverify-element {inside}\nverify-list ul e --exact\n"

    text, warnings = encode(read(script, "a.pw"), "pytest")

    assert [line for line, _ in warnings] == [4]
    assert "searches every frame" in warnings[0][1]
    assert body(text)[4:] == [
        "for frame in page.frames:",
        '    expect(frame.get_by_text("c").filter(visible=True)).to_have_count(0)',
        "for frame in page.frames:",
        '    expect(frame.get_by_role("button", name="d").filter(visible=True)).to_have_count(0)',
        'expect(page.locator("iframe").content_frame.get_by_role("button")).to_be_visible()',
        'expect(page.locator("ul").get_by_role("listitem")).to_have_text(["e"])',
    ]


def test_a_part_of_the_page_is_written_and_becomes_a_locator_when_it_was_recorded() -> None:
    script = "click button.del --in listitem Reading\nclick Go --in Bob\n"
    recorded = pair(
        {"op": "click", "input": {"words": "Delete", "within": "Reading"}},
        inputs={"selector": "#r", "within": "Reading"},
    )

    text, warnings = encode(read(script, "a.pw"), "pytest")

    assert body(text) == [
        'page.get_by_role("listitem").filter(has_text="Reading").locator("button.del").click()',
        'page.get_by_role("listitem").or_(page.get_by_role("row")).filter(has_text="Bob")'
        '.get_by_text("Go").click()',
    ]
    assert [line for line, _ in warnings] == [1, 2]
    assert encode(read(script, "a.pw"), "pw")[0].splitlines()[2:] == script.splitlines()
    assert encode(read(recorded, "a.ndjson"), "pw")[0].splitlines()[2:] == ["click #r"]


def body(text: str) -> list[str]:
    """The lines of the only test."""
    return [line[4:] for line in text.partition("-> None:\n")[2].splitlines()]


def test_steps_that_a_test_cannot_express_are_omitted_and_reported() -> None:
    recording = read("goto x.org\nsnapshot\ndrop #a --path f.txt\nclick Save\n", "a.pw")

    text, warnings = encode(recording, "pytest")

    assert [line for line, _ in warnings] == [3, 4]
    assert "# drop is omitted" in text
    assert "snapshot" not in text


def test_code_that_was_not_generated_is_refused_line_by_line() -> None:
    source = "\n\nwhile True: pass\n\ndef test_a(page):\n page.goto('x')\n page.foo()\n y = 1\n"

    with pytest.raises(RecordingError) as caught:
        read(source, "a.py")

    assert [line for line, _ in caught.value.problems] == [3, 7, 8]
    assert "cannot convert 'page.foo()': unknown call" in caught.value.message


def pair(request: dict[str, Any], **response: Any) -> str:
    return json.dumps(
        {"request": request, "response": {"op": request["op"], "ok": True, **response}}
    )


def test_refs_become_locators_and_secrets_become_variables() -> None:
    field = "getByRole('textbox', { name: 'Your password' })"
    recorded = "\n".join(
        [
            pair({"op": "click", "input": {"ref": "e5"}}, inputs={"selector": "#go"}),
            pair(
                {"op": "fill", "input": {"ref": "e6", "text": MASK}},
                inputs={"selector": field, "text": MASK},
            ),
            pair(
                {"op": "drag", "input": {"words": "Card", "toRef": "e7"}},
                inputs={"selector": "#card", "toSelector": "#done"},
            ),
            pair(
                {"op": "click", "input": {"ref": "e9"}},
                ok=False,
                error={"code": "X", "message": "y"},
            ),
        ]
    )

    text, warnings = encode(read(recorded, "a.ndjson"), "pw")

    assert text.splitlines()[2:] == [
        "click #go",
        f"fill {field} {{{{your_password}}}}",
        "drag #card #done",
    ]
    assert [line for line, _ in warnings] == [4]


@pytest.mark.parametrize("format", ["pw", "ndjson", "pytest"])
def test_a_ref_without_a_locator_is_refused_with_its_line(format: RecordingFormat) -> None:
    with pytest.raises(RecordingError, match=r"a\.pw:2: .*e5") as caught:
        encode(read("goto x.org\nclick e5\n", "a.pw"), format)

    assert [line for line, _ in caught.value.problems] == [2]


@pytest.mark.parametrize("name", ["a.pw", "a.ndjson"])
def test_all_missing_variables_are_named_at_once(name: str) -> None:
    script = "goto {{base}}\nresize {{w}} 5\n# {{not_this}}\n"
    if name == "a.ndjson":
        script = (
            '{"op":"navigate","input":{"url":"{{base}}"}}\n{"op":"fill","input":{"text":"{{w}}"}}'
        )

    with pytest.raises(InvalidInput, match="missing variables: base, w; set them with"):
        decode_recording(Path(name), script, {}, whole=True)
    whole = decode_recording(Path(name), script, {"base": "x.org", "w": "7"}, whole=True)
    assert whole.steps[0].request.input["url"] == "x.org"
    assert "{{base}}" in whole.steps[0].shown


def test_every_wrong_line_of_a_script_is_named() -> None:
    with pytest.raises(RecordingError) as caught:
        read("goto\n\n// fine\nclik e5\nclick e5", "a.pw")

    assert [line for line, _ in caught.value.problems] == [1, 4]
    assert "usage: goto <url>" in caught.value.message


def test_lines_that_are_not_envelopes_are_reported() -> None:
    with pytest.raises(RecordingError) as caught:
        read('{"op": "click"}\n{"inputs": 1}\nnonsense\n[1]', "a.ndjson")

    assert [line for line, _ in caught.value.problems] == [2, 3, 4]


@pytest.mark.parametrize("source", ["x = " + "-" * 100_000 + "1", "page" + ".a" * 50_000 + "()"])
def test_a_test_that_is_nested_too_deeply_is_refused(tmp_path: Path, source: str) -> None:
    with pytest.raises(RecordingError, match="nested too deeply"):
        read_test(tmp_path / "a.py", f"def test_a(page):\n    {source}\n", {})


def test_each_key_of_a_password_has_a_variable() -> None:
    pressed = [
        RecordedStep(line, Request(op="press", input={"selector": "#password", "key": MASK}))
        for line in (3, 4)
    ]

    keys = [durable(step).request.input["key"] for step in pressed]

    assert keys == ["{{password_key_3}}", "{{password_key_4}}"]


@pytest.mark.parametrize("name", ["a.pw", "a.ndjson", "a.py"])
def test_each_secret_that_is_typed_where_the_focus_is_has_a_variable(name: str) -> None:
    typed = [RecordedStep(line, Request(op="type", input={"text": MASK})) for line in (3, 4)]
    format = format_of(Path(name))
    assert format is not None

    text, _ = encode(Recording(Path("b.ndjson"), tuple(typed)), format)
    steps = read(text, name, text_3="old secret", text_4="new secret").steps

    assert [step.request.input["text"] for step in steps] == ["old secret", "new secret"]


def test_the_secrets_of_a_url_become_variables() -> None:
    url = f"http://ada:{MASK}@x.org/?token={MASK}&page=2#access_token={MASK}"
    step = durable(RecordedStep(1, Request(op="navigate", input={"url": url})))

    assert step.request.input["url"] == (
        "http://ada:{{password}}@x.org/?token={{token}}&page=2#access_token={{access_token}}"
    )
