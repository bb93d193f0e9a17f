"""The path to a node, in as many cells as there are."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult

from pwtui.protocol.snapshot import SnapshotNode, parse_snapshot
from pwtui.widgets.breadcrumb import Breadcrumb
from tests.widgets.support import HOSTILE, controls, shown


class Line(App[None]):
    def compose(self) -> ComposeResult:
        yield Breadcrumb()


def path(page: str) -> list[SnapshotNode]:
    return parse_snapshot(page).nodes


async def text_of(nodes: list[SnapshotNode], cells: int) -> str:
    app = Line()
    async with app.run_test(size=(cells, 3)) as pilot:
        line = app.query_one(Breadcrumb)
        line.show(nodes)
        await pilot.pause()
        assert controls(app) == set()
        return shown(line).strip()


NODES = path('- main:\n  - region "Total":\n    - button "Check out"')


@pytest.mark.parametrize(
    ("cells", "text"),
    [
        (80, 'main › region "Total" › button "Check out"'),
        (43, '… › region "Total" › button "Check out"'),
        (30, '… › button "Check out"'),
        (12, 'button "C…'),
    ],
)
async def test_the_end_of_the_path_is_kept(cells: int, text: str) -> None:
    assert await text_of(NODES, cells) == text


async def test_without_a_node_the_line_is_empty() -> None:
    assert await text_of([], 40) == ""


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_name_is_shown_as_text(name: str) -> None:
    [node] = path('- button "x"')
    node.name = name

    assert (await text_of([node], 120)).startswith("button")
