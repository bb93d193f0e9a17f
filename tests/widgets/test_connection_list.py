"""The list of connections: steps taken, steps missing, and hostile names."""

from __future__ import annotations

from textual.app import App, ComposeResult

from pwtui.widgets.connection_list import ConnectionList, ConnectionRow, StepMark
from tests.widgets.support import HOSTILE, controls, shown


class Connected(App[None]):
    ENABLE_COMMAND_PALETTE = False

    def compose(self) -> ComposeResult:
        yield ConnectionList()


async def test_what_is_reached_and_what_is_missing_is_told() -> None:
    app = Connected()
    async with app.run_test(size=(100, 12)) as pilot:
        rows = app.query_one(ConnectionList)
        steps = [StepMark("1 endpoint", 0.25), StepMark("2 webSocket")]
        rows.show(
            [
                ConnectionRow("a", "client a", "connected", steps, "webSocket", "look there", 3.0),
                ConnectionRow("b", "page b", steps=steps[:1], is_page=True),
            ]
        )
        await pilot.pause()
        text = shown(rows)
        assert "✗ client a" in text
        assert "● 1 endpoint 0.2 ms" in text or "● 1 endpoint 0.3 ms" in text
        assert "○ 2 webSocket" in text
        assert "waits for 3s for webSocket: look there" in text
        assert "✓ page b" in text


async def test_hostile_texts_are_shown_as_they_are() -> None:
    app = Connected()
    async with app.run_test() as pilot:
        rows = app.query_one(ConnectionList)
        rows.show(
            [ConnectionRow(str(n), each, each, (), each, each) for n, each in enumerate(HOSTILE)]
        )
        await pilot.pause()
        assert not controls(app)


async def test_a_narrow_list_has_all_steps_and_the_whole_hint() -> None:
    app = Connected()
    async with app.run_test(size=(72, 8)) as pilot:
        rows = app.query_one(ConnectionList)
        names = ("1 endpoint", "2 webSocket", "3 version", "4 autoAttach")
        steps = [StepMark(name, 1.5) for name in names[:3]] + [StepMark(names[3])]
        hint = "Target.setAutoAttach was not sent or has no response: check the client"
        rows.show([ConnectionRow("a", "client a", "connected", steps, "autoAttach", hint, 7.0)])
        await pilot.pause()
        text = shown(rows)
        assert all(name in text for name in names)
        assert " ".join(text.split()).endswith(f"waits for 7s for autoAttach: {hint}")
