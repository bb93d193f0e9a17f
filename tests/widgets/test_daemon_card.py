"""The daemon's card: what is known, what is not, and what is old."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult
from textual.widget import Widget

from pwtui.protocol.daemon import DaemonData, RunningRequestData
from pwtui.widgets.daemon_card import DaemonCard, DaemonState, DaemonView, sparkline
from pwtui.widgets.units import UNKNOWN, count, duration, memory
from tests.widgets.support import HOSTILE, controls, shadowing, shown

VIEW = DaemonView(
    DaemonData(
        running=True,
        pid=4121,
        version="0.4.2",
        uptime_seconds=11532,
        clients=["pwtui", "pw exec", "pwtui"],
        requests_served=12031,
        requests_running=[RunningRequestData(seq=1, op="click", client="pwtui", running_ms=5)],
        memory_bytes=182_000_000,
        sessions=3,
    ),
    requests_per_second=[0, 1, 2, 4],
    log_lines=["one", "two", "three [/]"],
)


class Card(App[None]):
    def compose(self) -> ComposeResult:
        yield DaemonCard()

    @property
    def card(self) -> DaemonCard:
        return self.query_one(DaemonCard)


async def text_of(
    view: DaemonView | None, state: DaemonState, size: tuple[int, int] = (50, 14)
) -> str:
    app = Card()
    async with app.run_test(size=size) as pilot:
        app.card.show(view, state)
        await pilot.pause()
        assert app.card.daemon_state == state
        assert controls(app) == set()
        return shown(app.card)


async def test_a_running_daemon_shows_everything() -> None:
    text = await text_of(VIEW, "running")
    words = text.split()

    assert text.splitlines()[0].split() == ["●", "running", "up", "3h12m"]
    for word in ("4121", "0.4.2", "182", "12,031", "▁▃▅█", "pwtui", "×2,"):
        assert word in words
    assert "▁▃▅█ 7/min" in text.splitlines()[1]
    assert text.splitlines()[-1].strip() == "" or "three [/]" in text


async def test_a_narrow_card_has_one_fact_per_line() -> None:
    text = await text_of(VIEW, "running", (26, 14))

    assert [line.split()[0] for line in text.splitlines()[1:8]] == [
        "182",
        "pid",
        "clients",
        "running",
        "version",
        "sessions",
        "served",
    ]


@pytest.mark.parametrize("cells", [20, 26, 31, 32, 33, 40, 41, 42, 60])
async def test_no_number_is_cut(cells: int) -> None:
    text = await text_of(VIEW, "running", (cells, 14))

    assert "182 MB" in text
    assert "12,031" in text


async def test_a_card_without_room_shows_the_newest_log_lines_or_none() -> None:
    assert "two" not in await text_of(VIEW, "running", (50, 8))
    assert "three" in await text_of(VIEW, "running", (50, 8))
    assert "three" not in await text_of(VIEW, "running", (50, 3))


async def test_unknown_values_are_a_dash() -> None:
    text = await text_of(DaemonView(DaemonData(running=True)), "running")

    assert text.count(UNKNOWN) == 9


@pytest.mark.parametrize(
    ("state", "mark"),
    [
        ("unknown", "○"),
        ("starting", "◐"),
        ("stopped", "○"),
        ("unreachable", "✗"),
    ],
)
async def test_without_a_view_only_the_state_is_shown(state: DaemonState, mark: str) -> None:
    assert (await text_of(None, state)).split() == [mark, state]


async def test_old_values_are_dimmed_and_show_their_age() -> None:
    app = Card()
    async with app.run_test() as pilot:
        app.card.show(VIEW, "running")
        await pilot.pause()
        fresh = app.card.render_line(1)
        old = DaemonView(DaemonData(running=True, pid=4121), age_seconds=72)

        app.card.show(old, "stopped")
        await pilot.pause()

        assert "as of 1m12s ago" in shown(app.card)
        assert "up 3h12m" not in shown(app.card)
        dimmed = app.card.render_line(1)
        assert {s.style.color for s in dimmed if s.style and s.text.strip()} != {
            s.style.color for s in fresh if s.style and s.text.strip()
        }


async def test_hostile_texts_are_shown_as_they_are() -> None:
    daemon = DaemonData(running=True, version=HOSTILE[2], clients=HOSTILE)
    view = DaemonView(daemon, log_lines=HOSTILE)
    text = await text_of(view, "running", (80, 24))

    assert "[@click=app.quit]press[/]" in text


@pytest.mark.parametrize(
    ("numbers", "cells", "bars"),
    [
        ([], 5, ""),
        ([0, 0], 5, "▁▁"),
        ([0, 7], 5, "▁█"),
        ([0, 1, 2, 3, 4, 5, 6, 7], 8, "▁▂▃▄▅▆▇█"),
        ([9, 1, 1], 2, "██"),
        ([-1, 2], 5, "▁█"),
        ([1, 2], 0, ""),
        ([1, 2], -3, ""),
    ],
)
def test_a_sparkline_scales_to_its_highest(numbers: list[float], cells: int, bars: str) -> None:
    assert sparkline(numbers, cells) == bars


def test_numbers_are_readable() -> None:
    spans = [None, 0, 0.44, 9.96, 12, 65, 3600, 7620, 90000]
    assert [duration(span) for span in spans] == [
        UNKNOWN, "0s", "0.4s", "10s", "12s", "1m05s", "1h00m", "2h07m", "1d01h",
    ]  # fmt: skip
    sizes = [None, 0, 999, 1000, 999_499, 999_500, 182_400_000, 1_440_000_000]
    assert [memory(size) for size in sizes] == [
        UNKNOWN, "0 B", "999 B", "1 kB", "999 kB", "1 MB", "182 MB", "1.4 GB",
    ]  # fmt: skip
    assert [count(None), count(1234567)] == [UNKNOWN, "1,234,567"]
    numbers = [99_999, 123_456, 1_234_567]
    assert [count(number, short=True) for number in numbers] == ["99,999", "123k", "1.2M"]


def test_no_field_shadows_one_of_textual() -> None:
    assert shadowing(DaemonCard(), Widget) == []
