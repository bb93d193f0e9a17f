"""The tidy view of a tree: what it leaves out, what rows show instead, and how it is searched."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pwtui.protocol.snapshot import parse_snapshot
from pwtui.protocol.snapshot_update import update_snapshot
from pwtui.widgets.tree_changes import CHANGED, SAME
from pwtui.widgets.tree_rows import TreeRows

SHOP = """\
- generic [active] [ref=e1]:
  - navigation "Main" [ref=e2]:
    - list [ref=e3]:
      - listitem [ref=e4]:
        - link "Shop" [ref=e5] [cursor=pointer]
      - listitem [ref=e6]:
        - link "Cart 2" [ref=e7] [cursor=pointer]:
          - text: Cart
          - generic [ref=e8]: "2"
  - main [ref=e10]:
    - table [ref=e11]:
      - rowgroup [ref=e12]:
        - row "Enamel mug 18.00 Remove" [ref=e13]:
          - cell "Enamel mug" [ref=e14]
          - cell "18.00" [ref=e15]
          - cell "Remove" [ref=e16]:
            - button "Remove" [ref=e17]
    - text: Voucher
    - textbox "Voucher" [ref=e18]
    - checkbox "Gift" [ref=e19]
    - text: Gift
    - generic [ref=e20]
    - paragraph [ref=e21]:
      - text: Read the
      - link "terms" [ref=e22]
    - generic [ref=e23] [cursor=pointer]: More"""


def shown(rows: TreeRows) -> list[str]:
    found = []
    for line in range(len(rows.lines)):
        row = rows.row(line)
        text = row.preview or row.node.name or row.node.text or ""
        found.append(f"{'  ' * row.depth}{row.node.role} {text}".rstrip())
    return found


def rows_of(page: str) -> TreeRows:
    rows = TreeRows()
    rows.show(parse_snapshot(page))
    return rows


def test_wrappers_and_repeated_texts_are_left_out() -> None:
    assert shown(rows_of(SHOP)) == [
        "navigation Main",
        "  link Shop",
        "  link Cart 2",
        "main",
        "  table",
        "    row Enamel mug · 18.00",
        "      button Remove",
        "  textbox Voucher",
        "  checkbox Gift",
        "  paragraph Read the",
        "    link terms",
        "  generic More",
    ]


def test_the_raw_view_shows_every_node() -> None:
    rows = rows_of(SHOP)

    rows.use_view("raw")

    assert len(rows.lines) == len(rows.nodes)
    assert not rows.row(0).preview


@pytest.mark.parametrize(
    "page",
    [
        "- generic [expanded] [ref=e1]:\n  - link [ref=e2]",
        "- generic [ref=e1] [cursor=pointer]:\n  - link [ref=e2]",
        '- list "Orders" [ref=e1]:\n  - link [ref=e2]',
        "- listitem [ref=e1]:\n  - link [ref=e2]\n  - link [ref=e3]",
    ],
)
def test_a_wrapper_that_says_something_stays(page: str) -> None:
    rows = rows_of(page)

    assert len(rows.lines) == len(rows.nodes)


def test_a_label_before_the_wrapper_of_its_field_is_left_out() -> None:
    page = (
        '- search [ref=e1]:\n  - text: Name\n  - generic [ref=e2]:\n    - textbox "Name" [ref=e3]'
    )

    assert shown(rows_of(page)) == ["search", "  textbox Name"]


def test_a_heading_around_one_link_is_left_out() -> None:
    page = '- heading [level=3] [ref=e1]:\n  - link "Mug" [ref=e2]'

    assert shown(rows_of(page)) == ["link Mug"]


def test_a_paragraph_around_a_field_and_its_label_is_left_out() -> None:
    page = '- paragraph [ref=e1]:\n  - text: Name\n  - textbox "Name" [ref=e2]'

    assert shown(rows_of(page)) == ["textbox Name"]


def test_a_filter_finds_the_text_that_a_row_previews() -> None:
    rows = rows_of('- list [ref=e1]:\n  - listitem [ref=e2]:\n    - text: Milk\n    - button "x"')

    rows.filter("milk")

    assert shown(rows) == ["listitem Milk"]


def test_a_match_is_shown_below_its_ancestors_without_wrappers() -> None:
    rows = rows_of(SHOP)

    rows.filter("role:button")

    assert shown(rows) == ["main", "  table", "    row Enamel mug · 18.00", "      button Remove"]


def test_a_search_goes_to_visible_rows_only() -> None:
    rows = rows_of(SHOP)

    rows.search("cart")

    assert rows.found is not None
    assert [rows.nodes[index].ref for index in rows.found] == ["e7"]


def test_a_changed_text_marks_the_row_that_previews_it() -> None:
    rows = rows_of(SHOP)

    rows.show(parse_snapshot(SHOP.replace('cell "18.00"', 'cell "17.00"')))

    changes = {line: rows.row(line).change for line in range(len(rows.lines))}
    row = shown(rows).index("    row Enamel mug · 17.00")
    assert changes.pop(row) == CHANGED
    assert set(changes.values()) == {SAME}


def test_the_line_of_a_hidden_node_is_near_it() -> None:
    rows = rows_of(SHOP)
    assert rows.tree is not None

    assert rows.line_near(rows.tree.find_ref("e1") or 0) == 0
    assert rows.line_near(rows.tree.find_ref("e8") or 0) == 2


def test_folding_counts_only_what_was_visible() -> None:
    rows = rows_of(SHOP)

    rows.fold(rows.lines[0], closed=True)

    assert rows.fold_at(0) == (True, True, 2)


def test_ten_thousand_levels_of_wrappers_are_one_row() -> None:
    lines = ["  " * depth + f"- generic [ref=e{depth}]:" for depth in range(10_000)]
    page = "\n".join([*lines, "  " * 10_000 + '- button "Bottom"'])

    assert shown(rows_of(page)) == ["button Bottom"]


# -- after a change --------------------------------------------------------------------------------

lines = st.builds(
    lambda depth, item, ref: "  " * depth + item.replace("#", f"[ref=e{ref}]"),
    st.integers(0, 4),
    st.sampled_from(
        [
            "- generic #:",
            "- listitem #:",
            '- row "A B" #:',
            '- cell "A" #',
            "- text: A",
            "- text: B",
            "- text:",
            '- checkbox "A" #',
            '- link "A" # [cursor=pointer]:',
            '- heading "B" #',
            "- heading [level=3] #:",
            "- paragraph [active] #:",
            "- generic #: A",
        ]
    ),
    st.integers(1, 9),
)
pages = st.lists(lines, max_size=24)


@given(
    pages,
    st.lists(
        st.tuples(st.integers(0, 23), st.integers(0, 3), pages.map(lambda page: page[:2])),
        max_size=4,
    ),
)
@settings(max_examples=100, deadline=None)
def test_after_any_change_the_rows_are_those_of_the_new_page(
    page: list[str], edits: list[tuple[int, int, list[str]]]
) -> None:
    rows = rows_of("\n".join(page))
    for at, removed, added in edits:
        page[at : at + removed] = added
        alone = rows_of("\n".join(page))

        rows.show(update_snapshot(rows.tree, "\n".join(page)))

        assert shown(rows) == shown(alone)
        assert (rows.lines, rows.max_depth) == (alone.lines, alone.max_depth)
