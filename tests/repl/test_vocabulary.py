"""The vocabulary line by line on real pages, in one browser."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from pwtui.keywords.parser import parse
from pwtui.keywords.table import KEYWORDS
from pwtui.protocol.envelope import Response
from pwtui.repl.render import render
from tests.client import Client
from tests.operations.support import refs
from tests.site import TestSite


async def type_line(client: Client, line: str) -> Response:
    request = parse(line)
    return await client.send(request.op, request.input, overrides={"timeoutMs": 10_000})


async def shown(client: Client, line: str) -> str:
    response = await type_line(client, line)
    assert response.ok, (line, response.error)
    return render(response)


@dataclass(frozen=True)
class Line:
    """A line on a page, and what can be read on the page or in the answer afterwards."""

    page: str
    line: str
    then: str = ""
    """A line whose shown answer must contain `sees`; without it, the line itself."""
    sees: str = ""


FORM, ACTIONS, DIALOGS, CONSOLE = "form.html", "actions.html", "dialogs.html", "console.html"
NAME, LOG = "eval document.querySelector('#name').value", "text #log"

LINES = [
    # Acting; words are tried in the order that fits what is to be done.
    Line(FORM, "click Submit", "text #result", "size=small"),
    Line(FORM, "c button Submit", "text #result", "size=small"),
    Line(FORM, "Click getByRole('button', { name: 'Submit' })", "text #result", "size=small"),
    Line(FORM, "click #go-submit", "url", "/echo?query="),
    Line(FORM, "fill Name 007", NAME, "007"),
    Line(FORM, 'fill #name "say \\"hi\\""', NAME, 'say "hi"'),
    Line(FORM, 'fill #name ""', "eval [name.value].length", "1"),
    Line(FORM, "fill Query hello --submit", "url", "query=hello"),
    Line(FORM, "select Color Green", "eval document.querySelector('#color').value", "green"),
    Line(FORM, 'check "I agree"', "eval document.querySelector('#agree').checked", "true"),
    Line(FORM, "chk #large", "eval document.querySelector('#large').checked", "true"),
    Line(FORM, "hover Submit", sees="ok"),
    Line(FORM, "press a #name", NAME, "a"),
    Line(ACTIONS, "dblclick Pad", LOG, "dblclick"),
    Line(ACTIONS, "click Pad right --modifiers Shift", LOG, "true"),
    Line(ACTIONS, "mousemove 10 10", sees="ok"),
    Line(ACTIONS, "mouseclick 20 30", LOG, "click 20,30"),
    Line(ACTIONS, "keydown Shift", LOG, "keydown Shift"),
    Line(ACTIONS, "keyup Shift", LOG, "keyup Shift"),
    Line(ACTIONS, "mousewheel 0 40", sees="ok"),
    Line(ACTIONS, "drag Card Zone", LOG, "drop"),
    Line(ACTIONS, "drop #zone --data text/plain=hello", LOG, "hello"),
    Line(ACTIONS, "upload #file {here}", LOG, "file: "),
    Line(ACTIONS, "highlight #card", sees="highlighted #card"),
    # Reading
    Line(FORM, "snapshot", sees='button "Submit" [ref='),
    Line(FORM, "snap --depth 1", sees="generic"),
    Line(FORM, "screenshot --filename shot.png", sees="shot.png"),
    Line(FORM, "ss #submit --filename part.png", sees="part.png"),
    Line(FORM, "pdf --filename page.pdf", sees="page.pdf"),
    Line(FORM, "eval document.title + \" 'ok'\"", sees="Form 'ok'"),
    Line(FORM, 'eval "el => el.id" Submit', sees="submit"),
    Line(FORM, "run-code await page.title()", sees="Form"),
    Line(FORM, "run-code print('out')", sees="out"),
    Line(FORM, 'eval "a"', sees="a"),
    Line(FORM, "eval undefined", sees="undefined"),
    Line(FORM, "find Submit", sees='button "Submit" [ref='),
    Line(FORM, "find Zonk", sees="nothing found"),
    Line(FORM, "title", sees="Form"),
    Line(FORM, "url", sees="/form.html"),
    Line(FORM, "text h1", sees="Form"),
    Line(FORM, "html h1", sees="Form"),
    Line(FORM, "locator #submit", sees="getByRole('button', { name: 'Submit' })"),
    Line("article.html", "read", sees=""),
    Line(CONSOLE, "console", sees="["),
    Line(CONSOLE, "console error --clear", sees="["),
    Line(FORM, "network", sees="form.html"),
    Line(FORM, "requests --static --filter form", sees="[GET]"),
    # Assertions
    Line(FORM, "verify-text I agree", sees="ok"),
    Line(FORM, "verify no-text Nothing like it", sees="ok"),
    Line(FORM, "ve button Submit", sees="ok"),
    Line(FORM, "verify-no-element button Nope", sees="ok"),
    Line(FORM, 'vv #name ""', sees="ok"),
    Line(FORM, "verify-value Color red", sees="ok"),
    Line(FORM, "verify-value #agree false", sees="ok"),
    Line(ACTIONS, "vl #fruits Apple Pear", sees="ok"),
    Line(FORM, "verify-title For", sees="ok"),
    Line(FORM, "verify-url /form", sees="ok"),
    Line(FORM, "verify-no-url /else", sees="ok"),
    # Waiting, tabs, storage, network, emulation
    Line(FORM, "wait 10", sees="ok"),
    Line(FORM, "wait #submit --state visible", sees="ok"),
    Line(FORM, "wait-for-text Form", sees="ok"),
    Line(FORM, "wait-for-no-text Nowhere", sees="ok"),
    Line(FORM, "wait-for-url **/form.html", sees="ok"),
    Line(FORM, "reload", sees="form.html  Form"),
    Line(FORM, "tn", "tab-list", "*"),
    Line(FORM, "tab-close", sees="closed tab"),
    Line(FORM, "cookie-set taste sweet", sees="taste set (127.0.0.1/)"),
    Line(FORM, "cookie-get taste", sees="taste=sweet"),
    Line(FORM, "cookie-list", sees="taste=sweet"),
    Line(FORM, "cookie-delete taste", "cookie-list", "no cookies"),
    Line(FORM, "cookie-clear", sees="deleted 0"),
    Line(FORM, "localstorage-set k v w", sees="k set"),
    Line(FORM, "localstorage-get k", sees="v w"),
    Line(FORM, "localstorage-list", sees="k=v w"),
    Line(FORM, "localstorage-delete k", "localstorage-list", "no items"),
    Line(FORM, "localstorage-clear", sees="deleted 0"),
    Line(FORM, "sessionstorage-set k v", "sessionstorage-list", "k=v"),
    Line(FORM, "sessionstorage-get k", sees=""),
    Line(FORM, "sessionstorage-delete k", sees="deleted"),
    Line(FORM, "sessionstorage-clear", sees="deleted"),
    Line(FORM, "state-save state.json", sees="state.json"),
    Line(FORM, "state-load state.json", sees="loaded "),
    Line(FORM, "route **/echo --status 418 --body teapot", "route-list", "**/echo"),
    Line(FORM, "route **/echo --abort", sees="**/echo  abort (replaced)"),
    Line(FORM, "unroute", sees="removed 1"),
    Line("", "route-list", sees="no routes"),
    Line(FORM, "network-state-set offline", "eval navigator.onLine", "false"),
    Line("", "network-state-set online", "eval navigator.onLine", "true"),
    Line(FORM, "resize 640 480", sees="640x480"),
    Line("", "eval innerWidth", sees="640"),
    Line(
        FORM,
        "set-color-scheme dark",
        "eval matchMedia('(prefers-color-scheme: dark)').matches",
        "true",
    ),
    Line(FORM, "clear-color-scheme", sees=""),
    Line(FORM, "set-media print", "eval matchMedia('print').matches", "true"),
    Line(FORM, "clear-media", "eval matchMedia('print').matches", "false"),
    Line(FORM, "set-timezone Asia/Tokyo", "eval new Date(0).getHours()", "9"),
    Line(FORM, "clear-timezone", sees=""),
    Line(FORM, "set-geolocation 52.5 13.4", sees="latitude: 52.5"),
    Line(FORM, "clear-geolocation", sees="nothing is emulated"),
    Line(FORM, "tracing-start", sees="ok"),
    Line(FORM, "tracing-stop --filename trace.zip", sees="trace.zip"),
    Line(FORM, "config-print", sees="defaults"),
    Line(FORM, "list", sees="chromium"),
    Line(FORM, "open", sees="runs"),
    Line(FORM, "profile.list", sees="default"),
]


# Operations that leave the page as they found it, for the next line to use.
HARMLESS = """
    page. verify. wait cookies. localstorage. sessionstorage. state. route. requests. emulate.
    trace. profile. session.start session.list screenshot hover
""".split()


@pytest.fixture(scope="module")
def untouched() -> dict[str, str]:
    """The page that is open, if nothing was done to it."""
    return {}


@pytest.mark.parametrize("line", LINES, ids=[each.line for each in LINES])
async def test_each_keyword_does_what_its_help_says(
    client: Client, site: TestSite, untouched: dict[str, str], line: Line
) -> None:
    if line.page and untouched.get("page") != line.page:
        await shown(client, f"goto {site.url('/' + line.page)}")
    op = parse(line.line).op
    untouched["page"] = line.page if op.startswith(tuple(HARMLESS)) else ""

    text = await shown(client, line.line.replace("{here}", str(__file__)))
    assert op == "profile.show" or not text.startswith("{")

    if line.then:
        text = await shown(client, line.then)
    assert line.sees in text


async def test_history_dialogs_keys_and_refs_work_together(client: Client, site: TestSite) -> None:
    await shown(client, f"goto {site.url('/form.html')}")
    await shown(client, f"goto {site.url('/dialogs.html')}")
    assert "form.html" in await shown(client, "back")
    assert "dialogs.html" in await shown(client, "fwd")

    by_name = await refs(client)
    # After a second navigation refs carry the frame's number, and are refs all the same.
    assert by_name["Prompt"].startswith("f")
    assert "dialog-accept" in await shown(client, f"click {by_name['Prompt']}")
    assert await shown(client, "dialog-accept Ada L") == 'accepted prompt "What is your name?"'
    assert await shown(client, "text #answer") == "prompt: Ada L"
    await shown(client, "click Confirm")
    await shown(client, "dialog-dismiss")
    assert await shown(client, "text #answer") == "confirm: false"

    await shown(client, f"goto {site.url('/form.html')}")
    by_name = await refs(client)
    await shown(client, f"click {by_name['Name']}")
    await shown(client, "type 007")
    assert await shown(client, f"verify-value {by_name['Name']} 007") == "ok"
    assert await shown(client, f"select {by_name['Color']} blue") == "ok, selected: blue"


async def test_a_click_that_opens_a_file_chooser_reports_it(client: Client, site: TestSite) -> None:
    await shown(client, f"goto {site.url('/actions.html')}")

    assert await shown(client, "exec click selector=#file waitMs=5000") == (
        "ok\nwarning: a file chooser is open; use `upload`"
    )


async def test_requests_are_shown_by_their_number(client: Client, site: TestSite) -> None:
    await shown(client, f"goto {site.url('/form.html')}")
    number = (await shown(client, "net --filter form")).partition(".")[0]

    request = await shown(client, f"request {number}")
    assert request.startswith(
        f"{number}. [GET] {site.url('/form.html')} => 200\nrequest headers:\n"
    )
    assert "\n  Content-Type: text/html" in request
    assert (await shown(client, f"response-body {number}")).startswith("<!doctype html>\n")
    assert await shown(client, f"request-body {number}") == "the request has no body"
    await shown(client, "network --clear")
    assert await shown(client, "network") == "no requests"


async def test_failures_have_a_reason_and_a_hint(client: Client, site: TestSite) -> None:
    await shown(client, f"goto {site.url('/form.html')}")

    for line, message in {
        "verify-text Goodbye": "ASSERTION_FAILED",
        "verify-value #name Bob": 'expected: "Bob"',
        "click Missing": "no element on the page matches 'Missing'",
        "click e999": "take a new one with `snapshot`",
        "click input": "elements match",
        "tab-select 99": "no tab 99",
        "dialog-accept": "no dialog is open",
    }.items():
        request = parse(line)
        response = await client.send(request.op, request.input, overrides={"timeoutMs": 300})
        assert not response.ok, line
        assert message in render(response)


def test_every_keyword_is_typed_here_or_needs_more_than_a_page() -> None:
    lines = [each for line in LINES for each in (line.line, line.then) if each]
    typed = {parse(line).op for line in lines}
    elsewhere = set(
        """
        navigate back forward type dialog.accept dialog.dismiss tabs.switch session.stop connect
        mouse.down mouse.up mouse.drag uncheck video.start video.stop video.chapter emulate.device
        emulate.locale requests.show requests.body page.pick
        """.split()
    )

    assert {keyword.op for keyword in KEYWORDS} - typed - elsewhere == set()
