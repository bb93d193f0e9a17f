"""A snapshot that is parsed after an earlier one has the tree that it would have alone."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pwtui.protocol.snapshot import parse_snapshot
from pwtui.protocol.snapshot_update import update_snapshot

PAGE = """\
- generic [active] [ref=e1]:
  - list [ref=e2]:
    - listitem [ref=e3]:
      - link "One" [ref=e4]:
        - /url: /one
    - listitem [ref=e5]:
      - link "Two" [ref=e6]:
        - /url: /two
        - text: and more
  - button "Save" [ref=e7]"""

lines = st.builds(
    lambda depth, item: "  " * depth + item,
    st.integers(0, 4),
    st.sampled_from(
        [
            "- generic [ref=e1]:",
            "- link [ref=e2]:",
            '- button "A" [ref=e3]',
            "- /url: x",
            "- text: one",
            "- text: two",
            '- text: "',
            "- row: x",
            "?",
            "",
        ]
    ),
)
pages = st.lists(lines, max_size=14)
edits = st.lists(st.tuples(st.integers(0, 13), st.integers(0, 2), pages.map(lambda p: p[:2])))


def edited(page: list[str], edit: tuple[int, int, list[str]]) -> list[str]:
    at, removed, added = edit
    return [*page[:at], *added, *page[at + removed :]]


@given(pages, edits)
@settings(max_examples=150, deadline=None)
def test_a_page_after_any_edits_has_the_tree_of_its_text(
    page: list[str], edits: list[tuple[int, int, list[str]]]
) -> None:
    tree = parse_snapshot("\n".join(page))
    for edit in edits:
        page = edited(page, edit)
        text = "\n".join(page)
        alone = parse_snapshot(text)

        tree = update_snapshot(tree, text)

        assert tree == alone
        assert tree.first_lines == alone.first_lines
        assert tree.render() == text


def test_the_nodes_that_did_not_change_are_the_same_objects() -> None:
    before = parse_snapshot(PAGE)
    with_focus = PAGE.replace(" [active]", "").replace('"Save"', '"Save" [active]')
    with_more = with_focus.replace("/two", "/2").replace(
        "  - button", '    - listitem [ref=e8]:\n      - link "Three" [ref=e9]\n  - button'
    )

    focused = update_snapshot(before, with_focus)
    longer = update_snapshot(focused, with_more)

    def new(nodes: list[object], old: list[object]) -> list[object]:
        known = {id(each) for each in old}
        return [getattr(each, "ref", None) for each in nodes if id(each) not in known]

    assert new([*focused.nodes], [*before.nodes]) == ["e1", "e7"]
    assert focused.parents is before.parents
    assert new([*longer.nodes], [*focused.nodes]) == ["e6", "e8", "e9"]


def test_an_edited_tree_is_not_the_base_of_an_update() -> None:
    tree = parse_snapshot(PAGE)
    tree.replace_name(0, "edited")

    assert update_snapshot(tree, PAGE) == parse_snapshot(PAGE)
