"""The list of sessions: what each line says, at every width."""

from __future__ import annotations

from dataclasses import replace

from textual.app import App, ComposeResult
from textual.scroll_view import ScrollView

from pwtui.widgets.session_list import SessionList, SessionRow
from pwtui.widgets.units import UNKNOWN
from tests.widgets.support import HOSTILE, controls, shadowing, shown

BUSY = SessionRow(
    "s2",
    title="Checkout",
    origin="connected",
    profile="acme-qa",
    browser="firefox",
    headless=False,
    url="https://acme.test/checkout",
    pages=3,
    pid=4190,
    memory_bytes=811_000_000,
    age_seconds=95,
    last_request=1.0,
    busy=True,
    running="click e88",
)
CURRENT = SessionRow(
    "s1",
    title="Orders",
    origin="launched",
    profile="acme-qa",
    browser="chromium",
    headless=True,
    url="https://acme.test/orders",
    pages=1,
    pid=4121,
    memory_bytes=411_000_000,
    age_seconds=11532,
    last_request=2.0,
    attached=True,
    current=True,
    endpoints={"cdp": "http://127.0.0.1:9222", "bind": "ws://127.0.0.1:1"},
)
BARE = SessionRow("s3")
GONE = SessionRow("s0", profile="default", zombie=True)


class Sessions(App[None]):
    def __init__(self, *rows: SessionRow) -> None:
        super().__init__()
        self.rows = rows
        self.heard: list[tuple[str, str]] = []

    def compose(self) -> ComposeResult:
        yield SessionList()

    def on_mount(self) -> None:
        self.list.show(self.rows)
        self.list.focus()

    @property
    def list(self) -> SessionList:
        return self.query_one(SessionList)

    def on_session_list_highlighted(self, event: SessionList.Highlighted) -> None:
        self.heard.append(("highlighted", event.key))

    def on_session_list_chosen(self, event: SessionList.Chosen) -> None:
        self.heard.append(("chosen", event.key))


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
        "cdp+bind · attached · launched · headless · chromium · pid 4121 · 411 MB · 3h12m"
    )
    assert second.startswith("https://acme.test/orders")
    assert second.endswith("idle 2s")
    assert third == ""


async def test_what_does_not_fit_beside_the_title_is_left_out() -> None:
    first, *_ = await lines_of(CURRENT, 80)

    assert first.startswith("▶ ● acme-qa  Orders")
    assert first.endswith("chromium · pid 4121 · 411 MB · 3h12m")
    assert "cdp" not in first


async def test_a_busy_session_says_what_it_does() -> None:
    first, _, third, *_ = await lines_of(BUSY, 60)

    assert first.startswith("◐ acme-qa  Checkout")
    assert third.startswith("click e88 … 1s")


async def test_what_is_not_known_is_a_dash() -> None:
    first, second, third, *_ = await lines_of(BARE, 60)

    assert first.split() == ["●", "s3", UNKNOWN]
    assert second == UNKNOWN
    assert third == "idle ? · ? · pid ?".replace("?", UNKNOWN)


async def test_a_session_whose_process_is_gone_is_marked() -> None:
    first, second, *_ = await lines_of(GONE, 100)

    assert first.startswith("✗ default")
    assert "gone" in second


async def test_keys_move_by_rows_and_enter_chooses() -> None:
    app = Sessions(CURRENT, BUSY, BARE, GONE)
    async with app.run_test(size=(40, 6)) as pilot:
        await pilot.press("j", "down", "k", "enter")
        assert app.list.cursor_key == "s2"
        assert app.heard[-1] == ("chosen", "s2")

        await pilot.press("end")
        assert "gone" in shown(app.list)
        await pilot.press("home")
        assert "Orders" in shown(app.list)


async def test_any_line_of_a_row_can_be_clicked() -> None:
    app = Sessions(CURRENT, BUSY, BARE)
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.click(SessionList, offset=(5, 5))
        assert app.list.cursor_key == "s2"

        await pilot.double_click(SessionList, offset=(5, 1))
        assert app.heard[-1] == ("chosen", "s1")


async def test_the_cursor_keeps_its_session_over_updates_and_widths() -> None:
    app = Sessions(CURRENT, BUSY, BARE, GONE)
    async with app.run_test(size=(100, 6)) as pilot:
        await pilot.press("down")

        app.list.show([GONE, BARE, replace(BUSY, busy=False), CURRENT])
        await pilot.resize_terminal(40, 6)
        await pilot.pause()

        assert app.list.cursor_key == "s2"
        assert "Checkout" in shown(app.list)


async def test_hostile_pages_are_shown_as_they_are() -> None:
    rows = [
        SessionRow(f"s{i}", text, text[:5], text[:9], text[:4], url=text, running=text, busy=i > 3)
        for i, text in enumerate(HOSTILE)
    ]
    for cells in (24, 50, 120):
        app = Sessions(*rows)
        async with app.run_test(size=(cells, 36)):
            assert controls(app) == set()
            assert "[@click=app.quit]" in shown(app.list) or cells < 30


def test_no_field_shadows_one_of_textual() -> None:
    assert shadowing(SessionList(), ScrollView) == []
