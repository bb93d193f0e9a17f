"""Completion knows the keywords, their options, and the refs of the page."""

from __future__ import annotations

from pwtui.keywords.completion import complete, ghost
from pwtui.protocol.snapshot import parse_snapshot

SNAPSHOT = parse_snapshot(
    '- generic [ref=e1]:\n  - button "Save" [ref=e2]\n  - textbox "Name" [ref=e13]: Ada\n'
    '  - iframe [ref=e4]:\n    - link "Save as" [ref=f1e2]'
)


def texts(line: str, cursor: int | None = None) -> list[str]:
    return [each.text for each in complete(line, cursor, SNAPSHOT)]


def test_a_first_word_is_a_keyword_or_an_operation() -> None:
    assert texts("cli") == ["click"]
    assert texts("CLI") == ["click"]
    assert texts("ss")[0] == "screenshot"
    assert texts("har.s") == ["har.set", "har.show"]
    assert "navigate" not in texts("nav")
    assert texts("zzz") == []


def test_a_target_is_a_ref_described_by_role_and_name() -> None:
    found = complete("click e", None, SNAPSHOT)

    assert [(each.text, each.start) for each in found][:2] == [("e1", 6), ("e2", 6)]
    assert 'button "Save"' in [each.description for each in found]
    assert texts("click sav") == ["e2", "f1e2"]
    assert texts("drag e2 f1") == ["f1e2"]
    assert texts("click e2 ") == ["left", "middle", "right"]
    assert complete("click e", None, None) == []


def test_options_are_offered_once_and_their_values_too() -> None:
    assert texts("fill e1 x --") == ["--submit", "--in"]
    assert texts("fill e1 x --submit --") == ["--in"]
    assert texts("click e1 --modifiers Alt --m") == ["--modifiers"]
    assert texts("wait #a --state h") == ["hidden"]
    assert texts("verify-element butt") == ["button"]


def test_an_operation_is_completed_by_its_fields() -> None:
    assert texts("har.set fi") == ["file="]
    assert texts("har.set content=") == ["content=embed", "content=attach", "content=omit"]
    assert texts("exec har.s") == ["har.set", "har.show"]


def test_completion_depends_on_the_cursor_and_keeps_quotes() -> None:
    assert texts("cli e5", 3) == ["click"]
    assert texts('fill e1 "some te') == []


def test_the_ghost_text_is_the_newest_matching_line_or_a_keyword() -> None:
    history = ["click e1", "click e2"]

    assert ghost("cl", history) == "ick e2"
    assert ghost("snaps", history) == "hot"
    assert ghost("", history) == ""
    assert ghost("click e2", history) == ""
