"""The model behind the log, with no terminal."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwtui.protocol.catalog import OperationInfo
from pwtui.protocol.envelope import Response
from pwtui.widgets import log_entry
from pwtui.widgets.log_entry import LogEntry, milliseconds, short_url
from pwtui.widgets.log_filter import LogFilter
from pwtui.widgets.log_store import LogStore
from tests.widgets.log_samples import done, entry, failed, failure, success

# Entries -----------------------------------------------------------------------------------------


def test_an_entry_waits_for_its_response() -> None:
    made = entry(7, ref="e27")

    assert made.pending
    assert (made.ok, made.code, made.duration_ms, made.outcome) == (None, "", None, "running")


@pytest.mark.parametrize(
    ("op", "input", "target"),
    [
        ("click", {"ref": "e27", "url": "https://acme.test"}, "e27"),
        ("click", {"selector": "#go", "url": "https://acme.test"}, "#go"),
        ("click", {"selector": "getByRole('button', { name: 'Log in' })"}, 'button "Log in"'),
        ("click", {"url": "https://acme.test/orders/"}, "acme.test/orders"),
        ("click", {"selector": ""}, ""),
        ("click", {}, ""),
        ("fill", {"selector": "#pw", "text": "hunter2"}, "#pw"),
        ("fill", {"text": "hunter2"}, ""),
        ("state.load", {"file": "shots/a.json"}, "shots/a.json"),
        ("mouse.click", {"x": 100, "y": 0}, "100 0"),
        ("session.list", {"others": True}, ""),
        ("session.pause", {"name": "0123456789abcdef:shop:chromium:headless"}, "shop"),
        ("page.pdf", {"output": ["strange"]}, ""),
        ("unheard.of", {"list": [1, 2], "path": "shots/a.png"}, "shots/a.png"),
        ("unheard.of", {}, ""),
    ],
)
def test_the_target_is_what_the_declaration_says(
    op: str, input: dict[str, Any], target: str
) -> None:
    assert entry(1, op, **input).target == target


def test_a_response_puts_a_locator_in_place_of_a_ref() -> None:
    inputs = {"ref": "e27", "selector": "getByRole('button', { name: 'Log in' })"}

    assert entry(1, ref="e27").target == "e27"
    assert entry(1, ref="e27", response=success(inputs=inputs)).target == 'button "Log in"'


def test_a_huge_target_is_truncated_before_it_is_measured() -> None:
    assert len(entry(1, selector="x" * 1_000_000).target) < 300


PICTURE = {"type": "screenshot", "path": "/home/ada/a.png", "sizeBytes": 1}


@pytest.mark.parametrize(
    ("op", "members", "outcome"),
    [
        ("navigate", {"data": {"status": 200, "title": "Log in"}}, "→ 200 Log in"),
        ("click", {"data": {"navigated": True, "afterUrl": "http://a.test/"}}, "→ a.test"),
        ("click", {"data": {"dialog": {"type": "alert", "message": "Hi"}}}, '→ dialog "Hi"'),
        ("screenshot", {"artifacts": [PICTURE]}, "→ a.png"),
        ("cookies.list", {"data": {"cookies": [{}, {}]}}, "→ 2 cookies"),
        ("click", {"data": {"dialog": {"strange": 1}}}, ""),
        ("click", {"data": ["strange"]}, ""),
        ("click", {}, ""),
        ("unheard.of", {"data": {"title": "x"}}, ""),
    ],
)
def test_the_outcome_is_what_the_declaration_says(
    op: str, members: dict[str, Any], outcome: str
) -> None:
    assert entry(1, op, response=success(op, **members)).outcome == outcome


def test_pages_of_the_same_site_are_shown_as_paths() -> None:
    tab = {"index": 1, "url": "https://acme.test/cart", "title": "Cart"}
    request: dict[str, Any] = {"op": "tabs.switch", "input": {"target": 1}}
    response = success("tabs.switch", data=tab)

    def outcome(place: str) -> str:
        return LogEntry(1, 0.0, "pw", "", "tabs.switch", request, response, place=place).outcome

    assert outcome("https://acme.test/") == "→ tab 1: /cart  Cart"
    assert outcome("https://other.test/") == "→ tab 1: https://acme.test/cart  Cart"


def test_the_outcome_is_read_once_and_again_after_another_response(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []

    def outcome_text(info: OperationInfo, response: Response) -> str:
        read.append(info.id)
        return "x"

    monkeypatch.setattr(log_entry, "outcome_text", outcome_text)
    made = done(1)
    assert read == []

    assert (made.outcome, made.outcome, read) == ("→ x", "→ x", ["click"])
    made.answer(made.request, success())
    assert (made.outcome, read) == ("→ x", ["click", "click"])


def test_an_error_has_a_message_and_a_hint() -> None:
    made = entry(1, response=failure(message="no element; matched", hint="see page.aria"))

    assert (made.message, made.hint) == ("no element; matched", "see page.aria")


def test_an_error_without_advice_has_no_hint() -> None:
    made = entry(1, response=failure(message="it broke"))

    assert (made.message, made.hint) == ("it broke", "")


def test_the_summary_is_one_plain_line() -> None:
    made = entry(1, selector="a\nb\x1b[31m", response=failure(code="TIMEOUT", ms=5012))

    assert "\n" not in made.summary
    assert "\x1b" not in made.summary
    for part in ("pw exec", "acme-qa", "click", "a↵b", "TIMEOUT", "5.0 s"):
        assert part in made.summary


def test_a_malformed_response_does_no_harm() -> None:
    strange = {"ok": "yes", "error": "text", "durationMs": "12", "contextDelta": ["x"]}
    made = entry(1, response=strange)

    assert (made.ok, made.code, made.duration_ms) == (False, "UNKNOWN", None)
    assert made.outcome == "UNKNOWN  "
    assert made.summary


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.4, "0 ms"), (61, "61 ms"), (999.6, "1.0 s"), (5012, "5.0 s"), (125_400, "2m05s")],
)
def test_durations_are_readable(value: float, text: str) -> None:
    assert milliseconds(value) == text


def test_only_urls_are_shortened() -> None:
    assert short_url("https://a.test/") == "a.test"
    assert short_url("//div/") == "//div/"


# Filter ------------------------------------------------------------------------------------------

CLICK = done(1, "click", selector="#buy", profile="acme-qa", client="agent")
SLOW = done(2, "navigate", url="https://acme.test/Orders", profile="prod", client="panel", ms=1001)
ERROR = failed(3, "page.text", code="SELECTOR_NOT_FOUND", profile="prod", client="agent")
RECORDED = done(4, "fill", ref="e4", profile="acme-qa", client="pw exec")
PENDING = entry(5, "wait", ms=500, profile="other", client="pw batch")
RECORDED.recorded = True
CLICK.mark = True
ALL = (CLICK, SLOW, ERROR, RECORDED, PENDING)
for each in ALL:
    each.index()


@pytest.mark.parametrize(
    ("text", "seqs"),
    [
        ("", [1, 2, 3, 4, 5]),
        ("   ", [1, 2, 3, 4, 5]),
        ("click", [1]),
        ("ORDERS", [2]),
        ("selector_not", [3]),
        ("agent", [1, 3]),
        ("agent prod", [3]),
        ('"pw exec"', [4]),
        ('"pw exec', [4]),
        ("op:page", [3]),
        ("op:click", [1]),
        ("profile:prod", [2, 3]),
        ("client:agent profile:acme", [1]),
        ('client:"pw b"', [5]),
        ("is:error", [3]),
        ("is:slow", [2]),
        ("is:recorded", [4]),
        ("is:marked", [1]),
        ("IS:error", []),
        ("!is:error", [1, 2, 4, 5]),
        ("!prod !wait", [1, 4]),
        ("!op:click agent", [3]),
        ("re:^(click|fill)$", [1, 4]),
        ("!re:e", []),
        ("re:#buy", [1]),
        ("op:", [1, 2, 3, 4, 5]),
        ("!", [1, 2, 3, 4, 5]),
        ("https://acme.test", []),
        ("nothing-of-it", []),
    ],
)
def test_the_filter_language(text: str, seqs: list[int]) -> None:
    wanted = LogFilter(text)

    assert wanted.problem == ""
    assert [each.seq for each in ALL if wanted.matches(each)] == seqs


@pytest.mark.parametrize("text", ["re:(", "re:[z-a]", "re:*", "is:wonderful", "is:error is:x"])
def test_an_invalid_term_is_reported_and_ignored(text: str) -> None:
    wanted = LogFilter(text)

    assert wanted.problem
    assert any(wanted.matches(each) for each in ALL)


@given(st.text())
def test_a_filter_accepts_any_text_and_ignores_leading_space(text: str) -> None:
    wanted, spaced = LogFilter(text), LogFilter(f"  {text}")

    assert [wanted.matches(each) for each in ALL] == [spaced.matches(each) for each in ALL]


# Store -------------------------------------------------------------------------------------------


def stored(*entries: LogEntry, cap: int = 100) -> LogStore:
    store = LogStore(cap)
    store.add(entries)
    return store


def finish(store: LogStore, answered: LogEntry) -> LogEntry | None:
    return store.finish(answered.seq, answered.request, answered.response or {})


def seqs_of(entries: list[LogEntry]) -> list[int]:
    return [each.seq for each in entries]


def test_a_response_finds_its_request() -> None:
    store = stored(entry(1), entry(2))

    answered = finish(store, failed(2, value="***"))

    assert answered is store.at(1)
    assert store.take_changes() == {1}
    assert store.at(1).failed
    assert store.at(1).request["input"] == {"value": "***"}
    assert (store.errors, store.pending) == (1, 1)


def test_a_response_to_an_unknown_request_is_ignored() -> None:
    assert finish(stored(entry(1)), done(9)) is None


def test_the_oldest_entries_are_dropped_in_batches() -> None:
    store = stored(cap=100)
    for seq in range(110):
        store.add([failed(seq)])
        store.trim()
    assert (len(store), store.dropped) == (110, 0)

    store.add([failed(110)])
    assert store.trim() == 11

    assert (len(store), store.dropped, store.errors) == (100, 11, 100)
    assert store.known(10) is None
    assert store.at(0).seq == 11
    assert store.row_of(store.position_at(5)) == 5


def test_dropped_entries_are_neither_selected_nor_pending() -> None:
    store = stored(*map(entry, range(25)), cap=10)
    store.selected = {1, 24}

    store.trim()

    assert store.selected == {24}
    assert store.pending == 10


def test_the_filter_applies_to_later_entries() -> None:
    store = stored(done(1), failed(2))
    store.narrow("is:error")

    store.add([done(3), failed(4), entry(5)])
    assert seqs_of(store.shown()) == [2, 4]

    finish(store, failed(5))
    finish(store, done(4))
    assert seqs_of(store.shown()) == [2, 5]


def test_a_late_response_is_shown_at_its_place() -> None:
    store = stored(entry(1), failed(2))
    store.narrow("is:error")

    finish(store, failed(1))

    assert seqs_of(store.shown()) == [1, 2]


def test_equal_neighbours_that_read_share_a_row() -> None:
    store = stored(done(1, "page.title", ms=9), done(2, "page.title", ms=382), done(3, "click"))
    store.add([done(4, "click"), entry(5, "page.title")])
    assert [store.at(row).seq for row in range(store.rows)] == [2, 3, 4, 5]
    assert store.group_at(0) == (1, 2, 9, 382)

    store.add([entry(6, "page.title"), done(7, "page.title", client="agent")])
    assert [store.at(row).seq for row in range(store.rows)] == [2, 3, 4, 6, 7]
    finish(store, failed(6, "page.title"))
    assert [store.at(row).seq for row in range(store.rows)] == [2, 3, 4, 5, 6, 7]

    store.fold(False)
    assert store.rows == 7
    store.fold(True)
    assert store.rows == 6


def test_a_row_whose_first_entries_are_dropped_keeps_the_others() -> None:
    store = stored(*(done(n, "page.title") for n in range(25)), cap=10)
    store.trim()
    assert (store.rows, store.at(0).seq, store.shown_count) == (1, 24, 10)


def test_large_responses_are_dropped_sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pwtui.widgets.log_store.MAX_BYTES", 100_000)
    store = stored(*(done(n, data={"text": "x" * 10_000}) for n in range(30)))
    store.trim()
    assert 5 < len(store) < 12


def test_dropping_keeps_the_filter_right() -> None:
    store = stored(*(failed(n) if n % 2 else done(n) for n in range(25)), cap=10)
    store.narrow("is:error")

    store.trim()

    assert seqs_of(store.shown()) == [15, 17, 19, 21, 23]
    assert store.at(0).seq == 15


@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("add"), st.integers(0, 60)),
            st.tuples(st.just("ok"), st.integers(0, 60)),
            st.tuples(st.just("bad"), st.integers(0, 60)),
            st.tuples(st.sampled_from(["trim", "trim", "fold"]), st.just(0)),
            st.tuples(st.sampled_from(["is:error", "!is:error", ""]), st.just(0)),
        ),
        max_size=80,
    )
)
def test_rows_counts_and_filter_always_agree(steps: list[tuple[str, int]]) -> None:
    store = LogStore(20)
    for what, seq in steps:
        if what == "add" and store.known(seq) is None:
            store.add([entry(seq, "click" if seq % 5 == 0 else "page.title")])
        elif what == "add":
            continue
        elif what == "ok":
            finish(store, done(seq))
        elif what == "bad":
            finish(store, failed(seq))
        elif what == "fold":
            store.fold(not store.folds)
        elif what == "trim":
            store.trim()
        else:
            store.narrow(what)

    expected = [each for each in store.entries if store.filter.matches(each)]
    assert store.shown() == expected
    assert store.shown_count == len(expected)
    sizes = [group.size if (group := store.group_at(row)) else 1 for row in range(store.rows)]
    ends = itertools.accumulate(sizes)
    assert [store.at(row) for row in range(store.rows)] == [expected[end - 1] for end in ends]
    for one, other in itertools.pairwise(store.at(row) for row in range(store.rows)):
        assert not store.folds or one.fold_key is None or one.fold_key != other.fold_key
    assert store.errors == sum(each.failed for each in store.entries)
    assert store.pending == sum(each.pending for each in store.entries)
    for row in range(store.rows):
        assert store.row_of(store.position_at(row)) == row
