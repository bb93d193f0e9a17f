"""A keyword line as a command: `pw click e5` is `click e5` at the prompt."""

from __future__ import annotations

import json

import pytest

from pwtui.keywords.parser import line_of, parse
from tests.cli.pw import INSTALLED, Pw
from tests.site import TestSite


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["click", "e5"], "click e5"),
        (["click", "Log in"], 'click "Log in"'),
        (["fill", "First name", "Ada L."], 'fill "First name" "Ada L."'),
        (["fill", "e5", "-5"], 'fill e5 "-5"'),
        (["fill", "e5", ""], 'fill e5 ""'),
        (["fill", "e5", "x", "--submit"], "fill e5 x --submit"),
        (["click", "Edit", "--in", "row", "Ada L."], 'click Edit --in row "Ada L."'),
        (["screenshot", "--filename=a b.png"], 'screenshot --filename="a b.png"'),
        (["eval", 'document.title + "a  b"'], 'eval document.title + "a  b"'),
        (["eval", "() =>", "1"], "eval () => 1"),
        (["verify", "text", "Hello"], "verify text Hello"),
    ],
)
def test_the_words_of_a_shell_mean_what_the_line_means(words: list[str], line: str) -> None:
    assert parse(line_of(words)) == parse(line)


def test_a_page_is_driven_by_keyword_lines(handed: Pw, site: TestSite) -> None:
    opened = handed("goto", site.url("/form.html"))
    filled = handed("fill", "Name", "Ada", "Lovelace")
    value = handed("eval", "document.querySelector('input').value")
    asked = handed("exec", "page.eval", "expression=document.title", "--get", "data.result")
    title = handed("title", "--json")
    quiet = handed("-q", "fill", "Name", "Bob")
    elsewhere = handed("-p", "other", "url")
    by_id = handed("page.text", "selector=h1", "--get", "data.text")
    missing = handed("click", "Nowhere", "--timeout", "300ms")
    wrong = handed("click", "--modifers", "Shift", "e5")
    as_id = handed("har.set", "fil=x.har")

    assert (opened.code, opened.out) == (0, f"{site.url('/form.html')}  Form\n")
    assert (filled.code, filled.out, filled.err) == (0, "ok\n", "")
    assert value.out == "Ada Lovelace\n"
    assert asked.out == "Form\n"
    assert (title.json["op"], title.json["data"]["title"]) == ("page.title", "Form")
    assert (quiet.code, quiet.out) == (0, "")
    assert (elsewhere.code, elsewhere.out) == (1, "")
    assert elsewhere.err.startswith("INVALID_INPUT: ")
    assert (by_id.code, by_id.out) == (0, "Form\n")
    assert (missing.code, missing.out) == (1, "")
    assert missing.err.startswith("SELECTOR_NOT_FOUND: ")
    assert "300 ms" in missing.err
    assert (wrong.code, wrong.out) == (2, "")
    assert wrong.err.startswith("usage: pw click <target>")
    assert "did you mean --modifiers?" in wrong.err
    assert as_id.code == 2
    assert "har.set has no field fil; did you mean file?" in as_id.err


def test_without_a_daemon_a_keyword_line_runs_in_the_command(pw: Pw, site: TestSite) -> None:
    opened = pw.without_daemon()("goto", site.url("/form.html"), "-f", "ndjson")

    assert (opened.code, opened.json["data"]["title"]) == (0, "Form")


def test_the_daemon_runs_a_keyword_line(handed: Pw) -> None:
    """Also with options before it: nothing of pwtui but the fast path is loaded."""
    loaded = handed(
        "-c",
        "import json, os, sys\n"
        "from pwtui.cli import fast_path\n"
        "os._exit = sys.exit\n"
        "sys.argv = ['pw', '-p', 'other', '--json', 'url']\n"
        "try: fast_path.main()\n"
        "finally: print(json.dumps(sorted(n for n in sys.modules if n.startswith('pwtui'))))\n",
        command=INSTALLED[:1],
    )

    modules = json.loads(loaded.out.splitlines()[-1])
    assert modules == [
        "pwtui",
        "pwtui.cli",
        "pwtui.cli.fast_path",
        "pwtui.daemon",
        "pwtui.daemon.address",
    ]
