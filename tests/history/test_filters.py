"""The filter language of the log, for the history; statistics, search and HAR."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pwtui.history.filters import conditions
from pwtui.history.groups import groups
from pwtui.history.har import to_har
from pwtui.history.search import search
from pwtui.history.spans import Span, add_span, spans, spans_file
from pwtui.history.stats import statistics
from pwtui.history.tables import Observed
from pwtui.protocol.errors import InvalidInput
from pwtui.protocol.moments import moment
from tests.history.support import Kept

NOW = time.time()


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    kept = Kept(tmp_path_factory.mktemp("history"))
    kept.add(op="navigate", client="agent", time=NOW - 7200, end={"url": "http://shop/login"})
    kept.add("Marmalade", op="click", client="agent", time=NOW - 60, end={"ms": 2000.0})
    kept.add(
        op="page.text",
        client="pwtui",
        profile="other",
        effect=0,
        time=NOW,
        end={"ok": False, "code": "TIMEOUT", "ms": 30.0},
    )
    kept.look(2, '- button "Checkout now" [ref=e1]')
    events: list[tuple[str, dict[str, object]]] = [("console", {"text": "Loaded quinces"})]
    page: dict[str, object] = {
        "method": "GET",
        "url": "http://shop/a?b=1",
        "status": 404,
        "durationMs": 5,
    }
    events.append(("network", page))
    kept.writer.add_events(
        [Observed(NOW, kind, "/shop", "default", "key", json.dumps(data)) for kind, data in events]
    )
    yield kept
    kept.writer.close()


@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", [1, 2, 3]),
        ("op:click", [2]),
        ("client:agent", [1, 2]),
        ("!client:agent", [3]),
        ("profile:other", [3]),
        ("url:login", [1]),
        ("is:error", [3]),
        ("code:timeout", [3]),
        ("is:slow", [2]),
        ("is:acting", [1, 2]),
        ("since:1h", [2, 3]),
        ("until:1h", [1]),
        ("since:3h until:1h", [1]),
        ("id:2..", [2, 3]),
        ("id:1..2 op:click", [2]),
        ("pid:42", [1, 2, 3]),
        ("marmalade", [2]),
        ("!marmalade", [1, 3]),
        ("is:unfinished", []),
        ("re:^(click|page)", [2, 3]),
        ("!re:agent", [3]),
    ],
)
def test_a_filter_finds_entries(kept: Kept, text: str, found: list[int], indexed: bool) -> None:
    if indexed:
        kept.tidy().close()
    with kept.read() as history:
        assert [each.id for each in history.entries(conditions(text, history))] == found


@pytest.mark.parametrize("text", ["since:yesterday", "is:odd", "id:x", "re:("])
def test_a_wrong_filter_is_refused(kept: Kept, text: str) -> None:
    with kept.read() as history, pytest.raises(InvalidInput, match="filter: "):
        conditions(text, history)


def test_a_workspace_has_its_entries(kept: Kept) -> None:
    with kept.read() as history:
        assert list(history.entries(conditions("", history, workspace="/elsewhere"))) == []


def test_a_time_of_day_is_the_last_one() -> None:
    noon = moment("2026-11-18T12:00")
    assert moment("11:30", noon) == noon - 1800
    assert moment("12:30", noon) == noon + 1800 - 86400
    assert moment("1.5h", noon) == noon - 5400


def test_a_search_finds_envelopes_trees_and_events(kept: Kept) -> None:
    kept.tidy().close()
    with kept.read() as history:
        (request,) = search(history, "marmal", 10)
        (tree,) = search(history, "checkout NOW", 10)
        (event,) = search(history, "quinces", 10)
        assert search(history, "nothing like it", 10) == []
    assert (request.id, request.what) == (2, "click")
    assert (tree.id, tree.what) == (2, "tree after click")
    assert "Checkout now" in tree.text
    assert (event.id, event.what, event.text) == (None, "console", "Loaded quinces")


def test_statistics_count_errors_and_times(kept: Kept) -> None:
    with kept.read() as history:
        rows = {row.name: row for row in statistics(history, (), "client")}
        sites = [row.name for row in statistics(history, conditions("url:shop", history), "site")]
    assert (rows["agent"].requests, rows["agent"].errors, rows["agent"].p95) == (2, 0, 2000.0)
    assert (rows["pwtui"].requests, rows["pwtui"].errors, rows["pwtui"].p50) == (1, 1, 30.0)
    assert sites == ["shop"]


def test_the_requests_of_pages_are_a_har(kept: Kept) -> None:
    with kept.read() as history:
        har = json.loads(to_har(history.events(0, NOW + 1)))
    (entry,) = har["log"]["entries"]
    assert entry["request"]["queryString"] == [{"name": "b", "value": "1"}]
    assert entry["response"]["status"] == 404


def test_a_history_is_read_after_its_daemon_has_exited(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    kept.add()
    kept.writer.close()
    with kept.read() as history:
        assert len(list(history.entries())) == 1


def test_a_recording_is_a_span(kept: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr("pwtui.history.spans.KEPT", 3)
    for number in range(5):
        add_span(Span(f"/shop/run-{number}.ndjson", "/shop", 0.0, NOW - 3600))
    add_span(Span("/shop/login.pw", "/shop", NOW - 90, NOW, "agent", 42))
    add_span(Span("/else/other.pw", "/else", 0.0, NOW))
    assert [span.name for span in spans()] == ["other", "login", "run-4"]
    assert spans_file().stat().st_mode & 0o777 == 0o600
    with kept.read() as history:
        for text, found in (
            ("recording:login", [2]),
            ("recording:/shop/login.pw", [2]),
            ("recording:run-4.ndjson", [1]),
            ("recording:other", []),
        ):
            assert [each.id for each in history.entries(conditions(text, history))] == found
        with pytest.raises(InvalidInput, match="no recording nothing"):
            conditions("recording:nothing", history)


def test_equal_neighbours_that_read_are_a_group(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    title = {"requestId": "x", "op": "page.title", "input": {}}
    other = {"requestId": "x", "op": "page.title", "input": {"tab": 1}}
    bad = {"ok": False, "code": "TIMEOUT"}
    for op, effect, request, end in (
        ("page.title", 0, title, {}),
        ("page.title", 0, title, {}),
        ("page.title", 0, other, {}),
        ("page.title", 0, title, bad),
        ("page.title", 0, title, bad),
        ("click", 1, title, {}),
        ("click", 1, title, {}),
        ("page.title", 0, title, {}),
    ):
        kept.add(op=op, effect=effect, request=request, end=end)
    with kept.read() as history:
        found = groups(history, ())
        assert (list(found.ids), list(found.counts)) == ([8, 7, 6, 5, 3, 2], [1, 1, 1, 2, 1, 2])
        assert list(groups(history, (), folds=False).counts) == [1] * 8
        read = groups(history, conditions("op:title", history))
        assert list(read.counts) == [1, 2, 1, 2]
    kept.writer.close()
