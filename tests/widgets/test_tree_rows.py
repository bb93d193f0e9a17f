"""The pure part of the snapshot tree: lines, folds, filter language, what changed."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

from pwtui.protocol.snapshot import SnapshotTree, parse_snapshot
from pwtui.widgets.tree_changes import ADDED, CHANGED, SAME, compare
from pwtui.widgets.tree_query import Corpus, parse_tree_query
from pwtui.widgets.tree_roles import RoleKind, is_interactive, kind_of
from pwtui.widgets.tree_rows import TreeRows

PAGE = """\
- banner [ref=e1]:
  - link "Home" [ref=e2] [cursor=pointer]:
    - /url: /
  - navigation "Main" [ref=e3]:
    - generic [ref=e4]:
      - link "Cart" [ref=e5]
- main [ref=e6]:
  - heading "Your cart" [level=1] [ref=e7]
  - generic [ref=e8]:
    - textbox "Email" [ref=e9]: ana@example.org
    - button "Save draft" [disabled] [ref=e10]
    - button "Save" [ref=e11]
  - text: Nothing else"""

DEEP = 5_000


def rows_of(page: str) -> TreeRows:
    rows = TreeRows("raw")
    rows.show(parse_snapshot(page))
    return rows


def deep_tree(levels: int = DEEP) -> SnapshotTree:
    lines = ["  " * depth + f"- generic [ref=e{depth}]:" for depth in range(levels - 1)]
    return parse_snapshot(
        "\n".join([*lines, "  " * (levels - 1) + '- button "Bottom" [ref=e9999999]'])
    )


def labels(rows: TreeRows) -> list[str]:
    return [label(rows, index) for index in rows.lines]


def label(rows: TreeRows, index: int) -> str:
    node = rows.nodes[index]
    return node.ref or node.text or node.role


def hits(rows: TreeRows) -> list[str]:
    lines = [rows.row(line) for line in range(len(rows.lines))]
    return [row.node.ref or row.node.role for row in lines if row.is_hit]


def index_of(rows: TreeRows, ref: str) -> int:
    assert rows.tree is not None
    index = rows.tree.find_ref(ref)
    assert index is not None
    return index


def found(text: str, changes: Iterable[int] = (), marked: tuple[int, ...] = ()) -> list[str]:
    nodes = parse_snapshot(PAGE).nodes
    marks = [*changes] or [SAME] * len(nodes)
    return [
        nodes[index].ref or nodes[index].role
        for index in Corpus(nodes, marks, marked).select(parse_tree_query(text))
    ]


class TestLines:
    def test_every_node_has_a_line_at_first(self) -> None:
        rows = rows_of(PAGE)

        assert list(rows.lines) == list(range(12))
        assert [rows.row(line).depth for line in range(6)] == [0, 1, 1, 2, 3, 0]

    def test_a_view_without_a_tree_has_no_lines(self) -> None:
        rows = TreeRows("raw")

        rows.show(None)

        assert list(rows.lines) == []
        assert rows.summary(with_changes=True) == ""

    def test_the_summary_counts_nodes_and_what_is_shown(self) -> None:
        rows = rows_of(PAGE)
        assert rows.summary(with_changes=True) == "12 nodes · raw"

        rows.filter("role:button")
        rows.search("draft")

        assert rows.summary(with_changes=True) == "2 of 12 nodes · raw · 1 found"

    def test_the_summary_of_one_node_is_singular(self) -> None:
        assert rows_of("- main [ref=e1]").summary(with_changes=True) == "1 node · raw"


class TestFolds:
    def test_a_fold_hides_the_subtree_and_counts_it(self) -> None:
        rows = rows_of(PAGE)

        changed = rows.fold(0, closed=True)

        assert changed
        assert labels(rows)[:2] == ["e1", "e6"]
        assert rows.fold_at(0) == (True, True, 4)

    def test_a_leaf_cannot_be_folded(self) -> None:
        rows = rows_of(PAGE)

        assert not rows.fold(index_of(rows, "e2"), closed=True)
        assert not rows.fold_at(1).possible

    def test_folds_inside_folds_are_restored(self) -> None:
        rows = rows_of(PAGE)
        rows.fold(index_of(rows, "e3"), closed=True)
        rows.fold(0, closed=True)
        assert labels(rows)[:2] == ["e1", "e6"]

        rows.fold(0, closed=False)

        assert labels(rows)[:4] == ["e1", "e2", "e3", "e6"]

    def test_two_levels_stay_open(self) -> None:
        rows = rows_of(PAGE)

        rows.fold_to_level(2)

        assert labels(rows) == ["e1", "e2", "e3", "e6", "e7", "e8", "Nothing else"]
        rows.unfold_all()
        assert len(rows.lines) == 12

    def test_the_line_of_a_hidden_node_is_that_of_its_folded_ancestor(self) -> None:
        rows = rows_of(PAGE)
        rows.fold(0, closed=True)

        assert rows.line_near(index_of(rows, "e5")) == 0
        assert rows.line_of(index_of(rows, "e5")) is None

    def test_revealing_a_node_unfolds_its_ancestors(self) -> None:
        rows = rows_of(PAGE)
        rows.fold(index_of(rows, "e3"), closed=True)
        rows.fold(0, closed=True)

        assert rows.reveal(index_of(rows, "e5")) == 4

    def test_a_filter_unfolds_everything_and_clearing_it_restores_the_folds(self) -> None:
        rows = rows_of(PAGE)
        rows.fold(0, closed=True)

        rows.filter("home")
        assert labels(rows) == ["e1", "e2"]
        rows.fold(0, closed=True)
        assert labels(rows) == ["e1"]
        rows.filter("")

        assert labels(rows)[:2] == ["e1", "e6"]

    def test_a_fold_in_a_filter_counts_only_what_matches(self) -> None:
        rows = rows_of(PAGE)
        rows.filter("role:button")

        rows.fold(index_of(rows, "e6"), closed=True)

        assert rows.fold_at(0).hidden == 2

    def test_a_node_without_visible_children_cannot_be_folded(self) -> None:
        rows = rows_of(PAGE)

        rows.filter("ref:e3")

        assert labels(rows) == ["e1", "e3"]
        assert not rows.fold_at(1).possible


class TestFilter:
    def test_a_filter_keeps_the_ancestors_of_matches(self) -> None:
        rows = rows_of(PAGE)

        rows.filter("cart role:link")

        assert labels(rows) == ["e1", "e3", "e4", "e5"]
        assert hits(rows) == ["e5"]
        assert rows.hit_count == 1

    def test_an_empty_filter_shows_everything(self) -> None:
        rows = rows_of(PAGE)
        rows.filter("cart")

        rows.filter("  ")

        assert len(rows.lines) == 12
        assert not rows.is_filtered

    def test_a_bad_expression_leaves_the_filter_as_it_was(self) -> None:
        rows = rows_of(PAGE)
        rows.filter("cart")
        before = list(rows.lines)

        assert "not a regular expression" in rows.filter("re:(")

        assert list(rows.lines) == before

    def test_the_nearest_match_is_the_next_one_or_the_last(self) -> None:
        rows = rows_of(PAGE)
        rows.filter("role:link")

        assert rows.hit_line(index_of(rows, "e3")) == rows.line_of(index_of(rows, "e5"))
        assert rows.hit_line(index_of(rows, "e11")) == rows.line_of(index_of(rows, "e5"))

    def test_controls_only_hides_nameless_containers_and_indents_less(self) -> None:
        rows = rows_of(PAGE)

        rows.use_view("controls")

        shown = [rows.row(line) for line in range(len(rows.lines))]
        assert [(row.node.ref, row.depth) for row in shown] == [
            ("e1", 0),
            ("e2", 1),
            ("e3", 1),
            ("e5", 2),
            ("e6", 0),
            ("e9", 1),
            ("e10", 1),
            ("e11", 1),
        ]
        assert rows.parent_line(3) == 2
        assert rows.parent_line(5) == 4

    def test_controls_only_and_a_filter_work_together(self) -> None:
        rows = rows_of(PAGE)
        rows.use_view("controls")

        rows.filter("cart")

        assert hits(rows) == ["e5"]

    def test_matches_are_visited_in_both_directions_and_wrap(self) -> None:
        rows = rows_of(PAGE)
        rows.search("save")
        first, second = index_of(rows, "e10"), index_of(rows, "e11")

        assert rows.next_match(0, 1) == first
        assert rows.next_match(first, 1) == second
        assert rows.next_match(second, 1) == first
        assert rows.next_match(first, -1) == second
        assert rows.next_match(0, -1) == second

    def test_a_search_finds_only_filtered_nodes(self) -> None:
        rows = rows_of(PAGE)
        rows.search("save")

        rows.filter("!is:disabled")

        assert rows.found == [index_of(rows, "e11")]

    def test_without_a_search_the_matches_are_those_of_the_filter(self) -> None:
        rows = rows_of(PAGE)
        assert rows.next_match(0, 1) is None

        rows.filter("role:heading")

        assert rows.next_match(0, 1) == index_of(rows, "e7")


class TestQuery:
    @pytest.mark.parametrize(
        ("text", "refs"),
        [
            ("SAVE", ["e10", "e11"]),
            ("save draft", ["e10"]),
            ("draft save", ["e10"]),
            ('"save draft"', ["e10"]),
            ('"draft save"', []),
            ("button save", ["e10", "e11"]),
            ("example.org", ["e9"]),
            ("save !draft", ["e11"]),
            ("role:button", ["e10", "e11"]),
            ("role:BUTT", ["e10", "e11"]),
            ("role:link", ["e2", "e5"]),
            ("!role:generic role:navigation", ["e3"]),
            ("ref:e1", ["e1"]),
            ("ref:E10", ["e10"]),
            ("is:disabled", ["e10"]),
            ("role:button !is:disabled", ["e11"]),
            ("is:interactive", ["e2", "e5", "e9", "e10", "e11"]),
            ("is:level", ["e7"]),
            ("is:nonsense", []),
            ("re:^save$", ["e11"]),
            ("re:sa.e d", ["e10"]),
            ("role:button !re:draft", ["e11"]),
            ("save !", ["e10", "e11"]),
        ],
    )
    def test_a_query_selects(self, text: str, refs: list[str]) -> None:
        assert found(text) == refs

    def test_an_empty_query_selects_all(self) -> None:
        assert not parse_tree_query("")
        assert len(found("")) == 12

    def test_changed_new_and_marked_nodes_can_be_selected(self) -> None:
        changes = [SAME, ADDED, CHANGED, *[SAME] * 9]

        assert found("is:changed", changes=changes) == ["e2", "e3"]
        assert found("is:new", changes=changes) == ["e2"]
        assert found("is:marked", marked=(0,)) == ["e1"]

    @pytest.mark.parametrize("text", ["re:(", "re:[a", "re:*", "!re:(?P<x", "re:a{99999999999}"])
    def test_an_invalid_expression_is_reported(self, text: str) -> None:
        assert re.search(r"^re:.* is not a regular expression: .", parse_tree_query(text).invalid)

    @pytest.mark.parametrize("text", ['"', '!"', '""', "!!", "!", "re:", "is:", "\n\t"])
    def test_a_query_that_is_being_typed_hides_nothing_yet(self, text: str) -> None:
        assert found(text) == found("")

    @pytest.mark.parametrize("text", [":", "x:", "::"])
    def test_a_colon_without_a_known_name_is_searched_for(self, text: str) -> None:
        assert found(text) == []

    def test_words_and_expressions_are_highlighted(self) -> None:
        highlight = parse_tree_query("save role:button !draft re:o+").highlight

        assert highlight is not None
        text = "Save button draft foo"
        assert [text[start:end] for start, end in highlight.spans(text)] == ["Save", "o", "oo"]

    def test_expressions_that_cannot_be_joined_are_found_but_not_highlighted(self) -> None:
        query = parse_tree_query("save re:(?x)save # and so on")

        assert query.highlight is None
        assert found("save re:(?x)save # and so on") == ["e10", "e11"]


class TestRoles:
    @pytest.mark.parametrize(
        ("role", "kind"),
        [
            ("button", RoleKind.ACTION),
            ("textbox", RoleKind.FIELD),
            ("main", RoleKind.LANDMARK),
            ("heading", RoleKind.HEADING),
            ("listitem", RoleKind.STRUCTURE),
            ("generic", RoleKind.GENERIC),
            ("a-role-of-tomorrow", RoleKind.STRUCTURE),
        ],
    )
    def test_a_role_is_of_a_kind(self, role: str, kind: RoleKind) -> None:
        assert kind_of(role) is kind

    def test_a_node_with_a_pointer_cursor_is_interactive(self) -> None:
        [plain, pointer] = parse_snapshot(
            "- generic [ref=e1]\n- generic [ref=e2] [cursor=pointer]"
        ).nodes

        assert not is_interactive(plain)
        assert is_interactive(pointer)


class TestChanges:
    def marks(self, old: str, new: str) -> list[int]:
        return list(compare(parse_snapshot(old), parse_snapshot(new)).marks)

    def test_the_same_page_has_no_changes(self) -> None:
        changes = compare(parse_snapshot(PAGE), parse_snapshot(PAGE))

        assert set(changes.marks) == {SAME}
        assert (changes.added, changes.changed, changes.removed) == (0, 0, 0)
        assert list(changes.target) == list(range(12))

    def test_another_name_value_or_state_is_a_change(self) -> None:
        old = '- a "1" [ref=e1]\n- b [ref=e2]: x\n- c [checked] [ref=e3]\n- d [ref=e4]'
        new = '- a "2" [ref=e1]\n- b [ref=e2]: y\n- c [ref=e3]\n- d [ref=e4]'

        assert self.marks(old, new) == [CHANGED, CHANGED, CHANGED, SAME]

    def test_a_node_that_only_moved_is_the_same(self) -> None:
        old = "- main [ref=e1]:\n  - button [ref=e2]\n- form [ref=e3]"
        new = "- main [ref=e1]\n- form [ref=e3]:\n  - button [ref=e2] [box=1,2,3,4]"

        assert self.marks(old, new) == [SAME, SAME, SAME]

    def test_a_ref_with_another_role_is_another_node(self) -> None:
        changes = compare(parse_snapshot("- button [ref=e1]"), parse_snapshot("- link [ref=e1]"))

        assert list(changes.marks) == [ADDED]
        assert changes.removed == 1

    def test_an_element_rendered_again_is_matched_by_role_name_and_place(self) -> None:
        old = '- main [ref=e1]:\n  - button "Save" [ref=e2]\n  - textbox "Mail" [ref=e3]: a'
        new = '- main [ref=e1]:\n  - button "Save" [ref=e8]\n  - textbox "Mail" [ref=e9]: b'

        assert self.marks(old, new) == [SAME, SAME, CHANGED]

    def test_texts_are_matched_by_content_and_then_by_order(self) -> None:
        old = "- main [ref=e1]:\n  - text: one\n  - text: two\n  - text: three"
        new = "- main [ref=e1]:\n  - text: zero\n  - text: three\n  - text: two\n  - text: four"

        assert self.marks(old, new) == [SAME, CHANGED, SAME, SAME, ADDED]

    def test_children_of_a_new_node_are_new(self) -> None:
        new = "- main [ref=e1]:\n  - dialog [ref=e2]:\n    - text: Hello"

        assert self.marks("- main [ref=e1]", new) == [SAME, ADDED, ADDED]

    def test_a_page_without_refs_is_compared_by_names(self) -> None:
        old = "- list:\n  - listitem: one\n  - listitem: two"
        new = "- list:\n  - listitem: one\n  - listitem: 2\n  - listitem: three"

        assert self.marks(old, new) == [SAME, SAME, CHANGED, ADDED]

    def test_folds_and_marks_stay_with_their_nodes(self) -> None:
        rows = rows_of(PAGE)
        rows.fold(index_of(rows, "e3"), closed=True)
        rows.toggle_mark(index_of(rows, "e11"))

        rows.show(parse_snapshot("- alert [ref=e99]: Saved\n" + PAGE))

        assert rows.folded == {index_of(rows, "e3")}
        assert rows.marked == {index_of(rows, "e11")}
        assert rows.row(0).change == ADDED
        assert rows.summary(with_changes=True).endswith(" · +1")
        assert "+1" not in rows.summary(with_changes=False)

    def test_folds_and_marks_are_dropped_on_another_page(self) -> None:
        rows = TreeRows("raw")
        rows.show(parse_snapshot(PAGE), "https://a.test/")
        rows.fold(0, closed=True)

        changes = rows.show(
            parse_snapshot("- article [ref=e1]:\n  - text: Hello"), "https://b.test/"
        )

        assert changes is None
        assert rows.folded == set()
        assert rows.row(0).change == SAME

    def test_a_new_url_of_the_same_page_keeps_folds_and_marks(self) -> None:
        rows = TreeRows("raw")
        rows.show(parse_snapshot(PAGE), "https://a.test/")

        changes = rows.show(parse_snapshot(PAGE + "\n- alert [ref=e50]"), "https://a.test/#saved")

        assert changes is not None
        assert changes.added == 1

    def test_the_filter_applies_to_the_next_tree_and_knows_its_changes(self) -> None:
        rows = rows_of(PAGE)
        rows.filter("is:changed")
        assert rows.hit_count == 0

        rows.show(parse_snapshot(PAGE.replace("Home", "Start")))

        assert hits(rows) == ["e2"]

    def test_marks_are_visited_in_order(self) -> None:
        rows = rows_of(PAGE)
        assert rows.next_mark(0) is None
        rows.toggle_mark(3)
        rows.toggle_mark(7)

        assert [rows.next_mark(index) for index in (0, 3, 7)] == [3, 7, 3]


class TestDepth:
    def test_thousands_of_levels_need_no_recursion(self) -> None:
        tree = deep_tree()
        rows = TreeRows("raw")

        rows.show(tree)
        rows.show(deep_tree())
        rows.filter("bottom")
        assert len(rows.lines) == DEEP
        rows.filter("")
        rows.fold_to_level(2)
        assert len(rows.lines) == 2
        line = rows.reveal(DEEP - 1)

        assert line == DEEP - 1
        assert rows.parent_line(line) == DEEP - 2

    def test_controls_only_makes_a_deep_page_flat(self) -> None:
        rows = TreeRows("raw")
        rows.show(deep_tree())

        rows.use_view("controls")

        assert len(rows.lines) == 1
        assert rows.row(0).depth == 0
