"""The list of requests: columns, order, filter, and what is known when."""

from __future__ import annotations

from typing import Any

import pytest
from textual.app import App, ComposeResult

from pwtui.widgets.network_list import NetworkList, NetworkLog, NetworkRow, waterfall
from tests.widgets.support import HOSTILE, controls, shown

HOST = "https://shop.example"


def row(number: int, path: str = "/", **more: Any) -> NetworkRow:
    known = {"index": number, "method": "GET", "url": HOST + path, "type": "fetch"}
    return NetworkRow(number, **{**known, **more})


ROWS = (
    row(1, "/", type="document", status=200, is_pending=False, size=5000, milliseconds=30.0),
    row(2, "/api/cart", method="POST", status=404, is_pending=False, size=90, milliseconds=12.0),
    row(3, "/slow"),
    row(4, "/gone", failure="net::ERR_FAILED", is_pending=False),
)


class Network(App[None]):
    def __init__(self, *rows: NetworkRow) -> None:
        super().__init__()
        self.given = rows

    def compose(self) -> ComposeResult:
        yield NetworkList()

    def on_mount(self) -> None:
        self.rows.page_url = f"{HOST}/start"
        self.rows.show(self.given)
        self.rows.focus()

    @property
    def rows(self) -> NetworkList:
        return self.query_one(NetworkList)

    def paths(self) -> list[str]:
        return [each.url.removeprefix(HOST) for each in self.rows._rows]


async def test_a_request_has_method_status_type_size_time_and_path() -> None:
    app = Network(*ROWS)
    async with app.run_test(size=(90, 8)):
        lines = [line.split() for line in shown(app.rows).splitlines()]

    assert lines[0] == ["GET", "200", "document", "5", "kB", "30", "ms", "/"]
    assert lines[1] == ["POST", "404", "fetch", "90", "B", "12", "ms", "/api/cart"]
    assert lines[2] == ["GET", "…", "fetch", "/slow"]
    assert lines[3] == ["▌GET", "failed", "fetch", "/gone"]


async def test_a_wide_list_shows_when_a_request_ran() -> None:
    rows = [
        row(number, started=100.0 + number, milliseconds=1000.0, is_pending=False)
        for number in range(1, 4)
    ]
    app = Network(*rows)
    async with app.run_test(size=(140, 5)):
        bars = [line.split(" s ")[1][1:17] for line in shown(app.rows).splitlines()[:3]]

    assert [bar.index("━") for bar in bars] == sorted(bar.index("━") for bar in bars)
    assert bars[0].startswith("━")
    assert bars[2].endswith("━")


async def test_another_origin_is_shown_in_full() -> None:
    app = Network(row(1, url="https://cdn.example/a.js"))
    async with app.run_test(size=(90, 4)):
        assert "https://cdn.example/a.js" in shown(app.rows)


async def test_o_sorts_by_the_next_column_and_capital_o_reverses() -> None:
    app = Network(*ROWS)
    async with app.run_test(size=(90, 8)) as pilot:
        await pilot.press("o")
        assert app.paths() == ["/slow", "/gone", "/", "/api/cart"]
        assert "by status" in app.rows.summary()

        await pilot.press("O")
        assert app.paths()[0] == "/api/cart"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("status:4xx", ["/api/cart"]),
        ("status:200", ["/"]),
        ("type:doc", ["/"]),
        ("method:post", ["/api/cart"]),
        ("host:shop slow", ["/slow"]),
        ("is:error", ["/api/cart", "/gone"]),
        ("is:pending", ["/slow"]),
    ],
)
async def test_a_filter_shows_what_matches(text: str, found: list[str]) -> None:
    app = Network(*ROWS)
    async with app.run_test(size=(90, 8)):
        app.rows.filter(text)

        assert app.paths() == found


def test_what_is_known_later_replaces_the_row() -> None:
    log = NetworkLog()
    log.put(row(1, index=None, started=5.0))

    log.put(row(1, index=7, status=500, is_pending=False, started=9.0))

    [known] = log.rows
    assert (known.index, known.status, known.started) == (7, 500, 5.0)
    assert log.new_failures == 1


def test_a_request_from_before_the_events_is_not_listed_twice() -> None:
    log = NetworkLog()
    log.replace([row(0, index=7)])

    log.put(row(1, index=7, status=200, is_pending=False))

    assert [each.status for each in log.rows] == [200]


@pytest.mark.parametrize("text", HOSTILE)
async def test_a_url_is_shown_as_text(text: str) -> None:
    app = Network(row(1, url=f"https://x/{text}", type=text, method=text))
    async with app.run_test(size=(120, 4)):
        assert controls(app) == set()


def test_what_ran_after_a_pause_has_its_own_place_in_the_waterfall() -> None:
    first = [row(number, started=100.0 + number / 10, milliseconds=100.0) for number in range(4)]
    later = [row(9, started=500.0, milliseconds=20.0)]

    bars = waterfall([*first, *later], 16)

    assert [bars[number].count(" ") for number in range(4)] == [0, 4, 8, 12]
    assert bars[9] == "━" * 16


async def test_a_filter_looks_again_at_what_changed() -> None:
    rows = [row(number) for number in range(3000)]
    app = Network(*rows)
    async with app.run_test(size=(90, 8)):
        app.rows.filter("is:error")
        rows[2500] = row(2500, "/gone", failure="reset")
        app.rows.show([*rows[1000:], row(3000, "/new", failure="reset")])

        assert app.paths() == ["/gone", "/new"]
        assert "2 of 2,001 requests" in app.rows.summary()
