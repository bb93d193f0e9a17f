"""The list of sessions: what each line says, at every width."""

from __future__ import annotations

from typing import Any

from textual.app import App, ComposeResult
from textual.scroll_view import ScrollView

from pwtui.protocol.addresses import SessionKey
from pwtui.protocol.models import SessionData
from pwtui.widgets.session_list import (
    MANY_TABS,
    SessionColumns,
    SessionList,
    SessionRow,
    session_row_key,
)
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
    who="node agent.js",
    errors=12,
)
CURRENT = SessionRow(
    session(
        "s1",
        title="Orders",
        owner="daemon",
        browser="chromium",
        headless=True,
        pages=[{"url": "https://acme.test/orders", "title": "Orders", "index": 3}],
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
    who="robot",
    active_tab=3,
)
BARE = SessionRow(session("s3", origin="cdp"))
ENDED = SessionRow(session("s0"), profile="default", has_ended=True, last_request=3.0)


class Sessions(App[None]):
    def __init__(self, *rows: SessionRow, with_columns: bool = False) -> None:
        super().__init__()
        self.rows = rows
        self.with_columns = with_columns
        self.heard: list[tuple[str, SessionKey]] = []

    def compose(self) -> ComposeResult:
        if self.with_columns:
            yield SessionColumns()
        yield SessionList()

    def on_mount(self) -> None:
        for columns in self.query(SessionColumns):
            columns.show_for(120)
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


async def test_a_session_is_a_line_with_its_tabs_below() -> None:
    session, tab, nothing, *_ = await lines_of(CURRENT, 40)

    assert session.startswith("▶ ● acme-qa robot")
    assert session.endswith("411 MB 2s")
    assert tab.split() == ["▶", "Orders", "/orders"]
    assert nothing == ""


async def test_a_wide_list_has_columns_with_names() -> None:
    app = Sessions(CURRENT, BUSY, with_columns=True)
    async with app.run_test(size=(120, 12)):
        names, first, _, second, *_ = shown(app.screen).splitlines()

    for name, current, busy in (
        ("NAME", "acme-qa", "acme-qa"),
        ("PROGRAM", "robot", "node agent.js"),
        ("ACTION OR PAGE", "Orders", "click e88 …"),
        ("ERR", "", "✗12"),
        ("MEMORY", "411 MB", "811 MB"),
        ("IDLE", "2s", "1s"),
        ("PID", "4121", "4190"),
    ):
        at = names.index(name)
        ends = name in ("ERR", "MEMORY", "IDLE", "PID")
        for line, text in ((first, current), (second, busy)):
            place = line.index(text) + len(text) if ends else line.index(text)
            assert not text or place == (at + len(name) if ends else at), (name, line)


async def test_what_needs_attention_comes_before_numbers() -> None:
    held = BUSY._replace(is_paused=True, waiting=("assistant click",), errors=0)
    orphan = SessionRow(session("s5", origin="pipe", orphan=True, pid=7), is_other=False)
    busy, paused, alone, bare, ended = [
        (await lines_of(row, 60))[0] for row in (BUSY, held, orphan, BARE, ENDED)
    ]

    assert busy.startswith("▾ ◐ acme-qa node agent.js")
    assert busy.endswith("✗12 1s")
    assert paused.startswith("▾ ⏸ acme-qa")
    assert paused.endswith("1 held 1s")
    assert "orphan" in alone
    assert bare.split() == ["▌", "●", "s3", UNKNOWN, UNKNOWN]
    assert ended.startswith("▌ ✗ default")


async def test_other_browsers_are_folded_away_until_they_are_wanted() -> None:
    others = [
        SessionRow(session(f"o{n}", origin="cdp", orphan=n == 1 or None), is_other=True)
        for n in range(3)
    ]
    app = Sessions(CURRENT, *others)
    async with app.run_test(size=(60, 12)) as pilot:
        assert "other browsers" in shown(app.list).splitlines()[2]
        assert shown(app.list).splitlines()[2].split()[1:] == [
            "3",
            "other",
            "browsers",
            "1",
            "orphan",
        ]
        assert "o2" not in shown(app.list)

        await pilot.press("end", "enter")
        assert "o2" in shown(app.list)
        await pilot.press("left")
        assert "o2" not in shown(app.list)
        app.list.filter("o2")
        assert "o2" in shown(app.list)
        assert "acme" not in shown(app.list)
        app.list.filter("")
        assert app.list.move_to_key(session_row_key(others[0].session))
        assert "o0" in shown(app.list)


async def test_sorting_keeps_the_current_session_on_top() -> None:
    app = Sessions(CURRENT, BUSY, BARE._replace(errors=99))
    async with app.run_test(size=(60, 12)) as pilot:

        def names() -> list[str]:
            return [row.session.session_key for row in app.list._rows if row.tab is None]

        await pilot.press("o", "o")
        assert app.list.order == "memory"
        assert names() == [str(key(name)) for name in ("s1", "s2", "s3")]
        await pilot.press("O")
        assert names() == [str(key(name)) for name in ("s1", "s3", "s2")]


async def test_keys_move_by_lines_fold_tabs_and_enter_chooses() -> None:
    app = Sessions(CURRENT, BUSY, BARE, ENDED)
    async with app.run_test(size=(40, 6)) as pilot:
        await pilot.press("j", "down", "enter")
        assert app.list.cursor_key[0] == key("s2")
        assert app.heard[-1] == ("chosen", key("s2"))
        await pilot.press("space")
        assert app.list.row_count == 5
        await pilot.press("right", "down", "left")
        assert app.list.row_count == 5
        assert app.list.cursor_key[0] == key("s2")

        await pilot.press("end")
        assert "default" in shown(app.list)


FRAMED = CURRENT._replace(
    session=session(
        "s1",
        pages=[
            {
                "url": f"https://acme.test/{n}",
                "title": f"Tab {n}",
                "index": n,
                "frames": [{"name": "pay", "url": "https://pay.test/form"}],
            }
            for n in (3, 4)
        ],
    ),
)


async def test_the_frames_of_the_active_tab_are_below_it() -> None:
    app = Sessions(FRAMED)
    async with app.run_test(size=(40, 8)) as pilot:
        lines = [line.split() for line in shown(app.list).splitlines()]
        assert lines[1:4] == [
            ["▾▶", "Tab", "3", "/3"],
            ["frame", "pay", "/form"],
            ["▸", "Tab", "4", "/4"],
        ]

        await pilot.press("down", "down", "left")
        assert app.list.row_count == 3
        await pilot.press("down", "right", "down")
        assert app.list.cursor_key[1:] == (1, 0)
        await pilot.press("left", "left")
        assert app.list.row_count == 1


async def test_a_double_click_chooses() -> None:
    app = Sessions(CURRENT, BUSY, BARE)
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.click(SessionList, offset=(5, 2))
        assert app.list.cursor_key[0] == key("s2")

        await pilot.double_click(SessionList, offset=(5, 0))
        assert app.heard[-1] == ("chosen", key("s1"))


async def test_the_cursor_keeps_its_session_over_updates_and_widths() -> None:
    app = Sessions(CURRENT, BUSY, BARE, ENDED)
    async with app.run_test(size=(100, 6)) as pilot:
        await pilot.press("down", "down")

        app.list.show([ENDED, BARE, BUSY._replace(running=""), CURRENT])
        await pilot.resize_terminal(40, 6)
        await pilot.pause()

        assert app.list.cursor_key[0] == key("s2")
        assert "acme.test/checkout" in shown(app.list)


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


async def test_many_tabs_are_folded_until_they_are_wanted() -> None:
    pages = [{"url": f"https://acme.test/{n}", "title": f"Tab {n}"} for n in range(MANY_TABS + 1)]
    app = Sessions(SessionRow(session("s1", pages=pages), is_current=True))
    async with app.run_test(size=(40, 8)) as pilot:
        await pilot.pause()
        assert app.query_one(SessionList).row_count == 1

        app.query_one(SessionList).focus()
        await pilot.press("right")
        assert app.query_one(SessionList).row_count == MANY_TABS + 2
