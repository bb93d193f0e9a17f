"""The list of connections: steps taken, steps missing, and hostile names."""

from __future__ import annotations

from textual.app import App, ComposeResult

from pwtui.protocol.models import MissingStep, RelayStep
from pwtui.protocol.models import RelayProgress as Progress
from pwtui.widgets.connection_list import ConnectionList, ConnectionRow
from tests.widgets.support import HOSTILE, controls, shown


class Connected(App[None]):
    ENABLE_COMMAND_PALETTE = False

    def compose(self) -> ComposeResult:
        yield ConnectionList()


def progress(*steps: RelayStep, missing: str = "", hint: str = "", seconds: float = 3) -> Progress:
    step = {"step": missing, "number": 2, "hint": hint, "waited_ms": seconds * 1000}
    lacks = MissingStep.model_validate(step, by_name=True) if missing else None
    return Progress(steps=list(steps), missing=lacks)


def step(number: int, name: str, at_ms: float | None = None) -> RelayStep:
    return RelayStep.model_validate({"number": number, "step": name, "at_ms": at_ms}, by_name=True)


async def test_completed_and_missing_steps_are_shown() -> None:
    app = Connected()
    async with app.run_test(size=(100, 12)) as pilot:
        rows = app.query_one(ConnectionList)
        steps = [step(1, "endpoint", 0.25), step(2, "webSocket")]
        waiting = progress(*steps, missing="webSocket", hint="look there")
        rows.show(
            [
                ConnectionRow("a", "client a", waiting, "connected"),
                ConnectionRow("b", "page b", progress(*steps[:1]), is_page=True),
            ]
        )
        await pilot.pause()
        text = shown(rows)
        assert "✗ client a" in text
        assert "● 1 endpoint 0.2 ms" in text or "● 1 endpoint 0.3 ms" in text
        assert "○ 2 webSocket" in text
        assert "waiting for webSocket (3s): look there" in text
        assert "✓ page b" in text


async def test_hostile_texts_are_shown_as_they_are() -> None:
    app = Connected()
    async with app.run_test() as pilot:
        rows = app.query_one(ConnectionList)
        rows.show(
            [
                ConnectionRow(str(n), each, progress(missing=each, hint=each), each)
                for n, each in enumerate(HOSTILE)
            ]
        )
        await pilot.pause()
        assert not controls(app)


async def test_a_narrow_list_has_all_steps_and_the_whole_hint() -> None:
    app = Connected()
    async with app.run_test(size=(72, 8)) as pilot:
        rows = app.query_one(ConnectionList)
        names = ("endpoint", "webSocket", "version", "autoAttach")
        steps = [step(n, name, 1.5 if n < 4 else None) for n, name in enumerate(names, 1)]
        hint = "Target.setAutoAttach was not sent or has no response: pages are announced after it"
        waiting = progress(*steps, missing="autoAttach", hint=hint, seconds=7)
        rows.show([ConnectionRow("a", "client a", waiting, "connected")])
        await pilot.pause()
        text = shown(rows)
        assert all(f"{n} {name}" in text for n, name in enumerate(names, 1))
        assert " ".join(text.split()).endswith(f"waiting for autoAttach (7s): {hint}")
