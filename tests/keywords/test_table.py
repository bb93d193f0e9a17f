"""The table of keywords agrees with the operations and the documentation."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.generators.keywords import page
from pwtui.keywords.help import alias_list, help_for, overview
from pwtui.keywords.parser import prefixed
from pwtui.keywords.table import KEYWORDS, UNSUPPORTED_KEYWORDS, aliases, by_name
from pwtui.protocol.catalog import catalog
from pwtui.protocol.keyword import KeywordInfo

SCHEMAS = {op: info.input for op, info in catalog().items()}

PAGE = Path(__file__).parents[2] / "docs" / "keywords.md"

# The words of the first keyword REPL for Playwright, and what its aliases stood for.
FIRST = """
    open goto click dblclick fill type press hover select check uncheck upload drag snapshot
    screenshot eval console network cookie-list cookie-get localstorage-list localstorage-get
    sessionstorage-list sessionstorage-get tab-list config-print state-save go-back go-forward
    reload run-code dialog-accept dialog-dismiss resize route route-list unroute verify-text
    verify-element verify-value verify-list
""".split()
ALIASES = {
    "o": "open",
    "g": "goto",
    "go": "goto",
    "back": "go-back",
    "fwd": "go-forward",
    "r": "reload",
    "c": "click",
    "dc": "dblclick",
    "t": "type",
    "f": "fill",
    "h": "hover",
    "p": "press",
    "sel": "select",
    "chk": "check",
    "unchk": "uncheck",
    "s": "snapshot",
    "snap": "snapshot",
    "ss": "screenshot",
    "e": "eval",
    "con": "console",
    "net": "requests",
    "tl": "tab-list",
    "tn": "tab-new",
    "tc": "tab-close",
    "ts": "tab-select",
    "vt": "verify-text",
    "ve": "verify-element",
    "vv": "verify-value",
    "vl": "verify-list",
    "q": "close",
    "ls": "list",
    "hl": "highlight",
}
# What Playwright's own CLI has, apart from what it does for its own daemon.
TODAY = """
    attach close detach goto type click dblclick fill drag drop hover select upload check
    uncheck snapshot find eval console dialog-accept dialog-dismiss resize run-code go-back
    go-forward reload press keydown keyup mousemove mousedown mouseup mousewheel screenshot pdf
    tab-list tab-new tab-close tab-select state-load state-save cookie-list cookie-get
    cookie-set cookie-delete cookie-clear localstorage-list localstorage-get localstorage-set
    localstorage-delete localstorage-clear sessionstorage-list sessionstorage-get
    sessionstorage-set sessionstorage-delete sessionstorage-clear set-color-scheme
    set-reduced-motion set-forced-colors set-contrast set-media clear-color-scheme
    clear-reduced-motion clear-forced-colors clear-contrast clear-media requests request
    request-headers request-body response-headers response-body route route-list unroute
    network-state-set tracing-start tracing-stop video-start video-stop video-chapter
    generate-locator highlight list config-print
""".split()
LATER = """
    verify-no-text verify-no-element verify-visible verify-input-value verify-title verify-url
    wait-for-text wait title url locator
""".split()

every_keyword = pytest.mark.parametrize("keyword", KEYWORDS, ids=[each.name for each in KEYWORDS])


def test_the_whole_vocabulary_is_known() -> None:
    known = by_name()

    assert [name for name in (*FIRST, *TODAY, *LATER) if name not in known] == []
    assert {alias: known[alias].name for alias in ALIASES} == ALIASES
    assert not set(UNSUPPORTED_KEYWORDS) & set(known)


@every_keyword
def test_a_keyword_is_an_operation_with_these_fields(keyword: KeywordInfo) -> None:
    fields = set(SCHEMAS[keyword.op]["properties"]) if keyword.op in SCHEMAS else set()
    wanted = set(keyword.fixed)
    for argument in keyword.arguments:
        names = [argument.field]
        if argument.kind == "target":
            names = [prefixed(argument.field, each) for each in ("ref", "selector", "words")]
        wanted |= set(names)
    wanted |= {option.field for option in keyword.options if option.field and not option.op}

    assert keyword.op in SCHEMAS
    assert wanted - fields == set()
    for option in keyword.options:
        if option.op:
            assert {option.field} - {""} <= set(SCHEMAS[option.op].get("properties", {}))
    assert keyword.bare_op is None or set(keyword.bare_fixed) <= set(
        SCHEMAS[keyword.bare_op].get("properties", {})
    )


@every_keyword
def test_every_keyword_has_help(keyword: KeywordInfo) -> None:
    text = help_for(keyword.name.upper())

    assert keyword.summary.endswith(".")
    assert keyword.usage in text
    assert all(alias in text for alias in keyword.aliases)
    assert keyword.name in overview()


def test_the_page_is_what_the_table_says() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `make docs`"


def test_every_alias_is_listed() -> None:
    assert all(alias in alias_list() for alias in aliases())
