"""The list of sessions: what each line says, at every width."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from textual.app import App, ComposeResult
from textual.scroll_view import ScrollView

from pwtui.protocol.addresses import SessionKey
from pwtui.protocol.models import SessionData
from pwtui.widgets.session_list import SessionList, SessionRow
from pwtui.widgets.units import UNKNOWN
from tests.widgets.support import HOSTILE, controls, shadowing, shown

WORKSPACE = "1b170154c788016f"


def key(name: str) -> SessionKey:
    return SessionKey(WORKSPACE, name, "chromium", headless=True)


def session(name: str, **facts: Any) -> SessionData:
    known = {"origin": "pwtui", "title": name, "session_key": str(key(name)), "attached": False}
    return SessionData.model_validate({**known, **facts}, by_name=True)


BUSY = SessionRow(
    session(
        "s2",
        title="Checkout",
        origin="playwright",
        browser="firefox",
        headless=False,
        pages=[
            {"url": f"https://acme.test/{name}", "title": ""} for name in ("checkout", "a", "b")
        ],
        pid=4190,
        memory_bytes=811_000_000,
    ),
    profile="acme-qa",
    age_seconds=95,
    last_request=1.0,
    running="click e88",
)
CURRENT = SessionRow(
    session(
        "s1",
        title="Orders",
        owner="daemon",
        browser="chromium",
        headless=True,
        pages=[{"url": "https://acme.test/orders", "title": "Orders"}],
        pid=4121,
        memory_bytes=411_000_000,
        attached=True,
        cdp_endpoint="http://127.0.0.1:9222",
        ws_endpoint="ws://127.0.0.1:1",
    ),
    profile="acme-qa",
    age_seconds=11532,
    last_request=2.0,
    is_current=True,
)
BARE = SessionRow(session("s3", origin="cdp"))
ENDED = SessionRow(session("s0"), profile="default", has_ended=True, last_request=3.0)


class Sessions(App[None]):
    def __init__(self, *rows: SessionRow) -> None:
        super().__init__()
        self.rows = rows
        self.heard: list[tuple[str, SessionKey]] = []

    def compose(self) -> ComposeResult:
        yield SessionList()

    def on_mount(self) -> None:
        self.list.show(self.rows)
        self.list.focus()

    @property
    def list(self) -> SessionList:
        return self.query_one(SessionList)

    def on_row_list_highlighted(self, event: SessionList.Highlighted) -> None:
        self.heard.append(("highlighted", event.key[0]))

    def on_row_list_chosen(self, event: SessionList.Chosen) -> None:
        self.heard.append(("chosen", event.key[0]))


async def lines_of(row: SessionRow, cells: int) -> list[str]:
    app = Sessions(row)
    async with app.run_test(size=(cells, 8)):
        return [line.strip() for line in shown(app.list).splitlines()]


async def test_a_narrow_row_has_three_lines() -> None:
    first, second, third, *_ = await lines_of(CURRENT, 40)

    assert first.startswith("▶ ● acme-qa  Orders")
    assert first.endswith("3h12m")
    assert second == "https://acme.test/orders"
    assert third.startswith("idle 2s · 411 MB")


async def test_a_wide_row_has_two_lines() -> None:
    first, second, third, *_ = await lines_of(CURRENT, 160)

    assert first.startswith("▶ ● acme-qa  Orders")
    assert first.endswith(
        "CDP+Playwright · attached · daemon · headless · chromium · pid 4121 · 411 MB · 3h12m"
    )
    assert second.startswith("https://acme.test/orders")
    assert second.endswith("idle 2s")
    assert third == ""


async def test_facts_that_do_not_fit_are_dropped() -> None:
    first, *_ = await lines_of(CURRENT, 80)

    assert first.startswith("▶ ● acme-qa  Orders")
    assert first.endswith("chromium · pid 4121 · 411 MB · 3h12m")
    assert "CDP" not in first


async def test_a_busy_session_shows_its_operation() -> None:
    first, _, third, *_ = await lines_of(BUSY, 60)

    assert first.startswith("◐ acme-qa  Checkout")
    assert third.startswith("click e88 … 1s")


async def test_unknown_values_are_a_dash() -> None:
    first, second, third, *_ = await lines_of(BARE, 60)

    assert first.split() == ["●", "s3", UNKNOWN]
    assert second == UNKNOWN
    assert third == "idle ? · ? · pid ? · cdp".replace("?", UNKNOWN)


async def test_a_session_whose_browser_exited_is_marked() -> None:
    first, second, *_ = await lines_of(ENDED, 100)

    assert first.startswith("✗ default")
    assert "exited 3s ago" in second


async def test_keys_move_by_rows_and_enter_chooses() -> None:
    app = Sessions(CURRENT, BUSY, BARE, ENDED)
    async with app.run_test(size=(40, 6)) as pilot:
        await pilot.press("j", "down", "k", "enter")
        assert app.list.cursor_key[0] == key("s2")
        assert app.heard[-1] == ("chosen", key("s2"))

        await pilot.press("end")
        assert "exited" in shown(app.list)
        await pilot.press("home")
        assert "Orders" in shown(app.list)


async def test_any_line_of_a_row_can_be_clicked() -> None:
    app = Sessions(CURRENT, BUSY, BARE)
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.click(SessionList, offset=(5, 5))
        assert app.list.cursor_key[0] == key("s2")

        await pilot.double_click(SessionList, offset=(5, 1))
        assert app.heard[-1] == ("chosen", key("s1"))


async def test_the_cursor_keeps_its_session_over_updates_and_widths() -> None:
    app = Sessions(CURRENT, BUSY, BARE, ENDED)
    async with app.run_test(size=(100, 6)) as pilot:
        await pilot.press("down")

        app.list.show([ENDED, BARE, replace(BUSY, running=""), CURRENT])
        await pilot.resize_terminal(40, 6)
        await pilot.pause()

        assert app.list.cursor_key[0] == key("s2")
        assert "Checkout" in shown(app.list)


async def test_hostile_pages_are_shown_as_they_are() -> None:
    rows = [
        SessionRow(
            session(f"s{i}", title=text, browser=text[:4], pages=[{"url": text, "title": ""}]),
            profile=text[:9],
            running=text if i > 3 else "",
        )
        for i, text in enumerate(HOSTILE)
    ]
    for cells in (24, 50, 120):
        app = Sessions(*rows)
        async with app.run_test(size=(cells, 36)):
            assert controls(app) == set()
            assert "[@click=app.quit]" in shown(app.list) or cells < 30


def test_no_field_shadows_one_of_textual() -> None:
    assert shadowing(SessionList(), ScrollView) == []
