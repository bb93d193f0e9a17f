"""A pane is one record and one widget."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import pytest
from textual.binding import BindingType
from textual.widgets import Static

from pwtui.app.panes.page_area import PageArea
from pwtui.app.panes.pane import Pane, PaneFrame
from pwtui.app.panes.panes import PANES
from pwtui.app.screens.help import HelpScreen
from pwtui.app.screens.jump import JumpScreen
from pwtui.app.screens.main import MainScreen, pane_keys
from pwtui.app.screens.pulse import PulseScreen
from pwtui.app.store import Store
from pwtui.protocol.models import SessionData, read
from pwtui.state.paths import user_state_dir
from pwtui.widgets.picker import Picker
from pwtui.widgets.session_tile import SessionTile
from tests.app.fixed import fixed_panel


@pytest.mark.parametrize("pane", PANES, ids=lambda pane: pane.id)
async def test_no_pane_hides_a_key_of_its_place(pane: Pane) -> None:
    async with fixed_panel() as panel:
        widget = panel.main.query_one(f"#{pane.id}")
        own = set(widget._bindings.key_to_bindings)
        around = [
            (key, binding.action)
            for parent in widget.ancestors
            if isinstance(parent, PageArea)
            for key, bindings in parent._bindings.key_to_bindings.items()
            for binding in bindings
            if not binding.priority
        ]

    assert [each for each in around if each[0] in own] == []


class Notes(Static, can_focus=True):
    """Shows what the store knows, can be filtered and searched."""

    search_text = ""
    filtered = ""

    def paint(self, store: Store) -> None:
        self.update(f"profile {store.active_profile}")

    def caption(self, store: Store) -> str:
        return f"{len(store.profiles)} profiles"

    def filter(self, text: str) -> None:
        self.filtered = text

    def search(self, text: str) -> None:
        self.search_text = text


NOTES = Pane(
    id="notes",
    key="X",
    title="Notes",
    area="left",
    widget=Notes,
    parts=frozenset(("profiles",)),
    filter_hint="a word of a note",
    search_hint="a part of a note",
)


class WithOneMore(MainScreen):
    PANES: ClassVar[Sequence[Pane]] = (*PANES, NOTES)
    BINDINGS: ClassVar[list[BindingType]] = pane_keys((NOTES,))


@pytest.fixture(autouse=True)
def _with_notes(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pwtui.app.app.MainScreen", WithOneMore)


async def test_a_pane_that_is_added_is_composed_painted_and_reached_by_its_key() -> None:
    async with fixed_panel() as panel:
        notes = panel.main.query_one(Notes)
        assert panel.main.query_one("#notes-pane", PaneFrame).border_title == "X Notes"
        await panel.shows("profile default", "#notes")
        await panel.below("#notes-pane", "4 profiles")

        await panel.press("X")
        assert notes.has_focus
        await panel.press("slash")
        await panel.type("mug")
        await panel.until(lambda: notes.filtered == "mug", "the filter")
        await panel.press("escape", "ctrl+f")
        await panel.shows("a part of a note")
        await panel.type("cart")
        await panel.press("enter")
        await panel.until(lambda: notes.search_text == "cart", "the search")

        await panel.press("z")
        await panel.until(lambda: notes.size.width > 110, "the zoom")
        await panel.press("z", "ctrl+o")
        jump = await panel.screen_of(JumpScreen)
        assert panel.main.frames["notes"] in [target for _, target in jump._targets.values()]
        await panel.press("escape")
        await panel.home()

        panel.store.activate_profile("checkout")
        await panel.shows("profile checkout", "#notes")


async def test_a_pane_that_is_added_is_in_the_help_and_in_a_narrow_window() -> None:
    async with fixed_panel((80, 24)) as panel:
        await panel.shows(" X Notes", "#tabs")
        await panel.press("X")
        await panel.shows("[X Notes]", "#tabs")
        notes = panel.main.query_one(Notes)
        await panel.until(lambda: notes.size.width >= 76, "the whole width")
        assert not panel.tree.region.area

        await panel.press("question_mark")
        picker = (await panel.screen(HelpScreen)).query_one(Picker)
        await panel.type("notes")
        await panel.until(lambda: picker.hit_count < 5, "the search")
        item = picker.highlighted_item
        assert item is not None
        assert (item.title, item.help) == (f"{'X':12}   Notes", "keymap id: pane.notes")


async def test_a_read_only_panel_asks_for_no_values() -> None:
    async with fixed_panel(toasts=True) as panel:
        panel.store.set_read_only(True)
        await panel.go_to(panel.ref("searchbox", "Search the shop"))
        for keys in (["i"], ["u"], ["1", "n"], ["1", "f2"]):
            await panel.press(*keys)
            await panel.pilot.pause()

            assert isinstance(panel.app.screen, MainScreen), keys
        assert all("read-only" in toast for toast in panel.toasts)
        assert panel.toasts


async def test_an_internal_error_is_written_to_a_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail() -> None:
        async with fixed_panel() as panel:
            panel.app.call_later(lambda: 1 / 0)
            await panel.pilot.pause()

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with pytest.raises(ZeroDivisionError):
        await fail()

    shown, path = capsys.readouterr().err, user_state_dir() / "panel-error.log"
    assert "internal error: ZeroDivisionError" in shown
    assert "lambda" not in shown
    assert "lambda" in path.read_text()


async def test_the_pulse_shows_and_removes_a_hundred_sessions_at_once() -> None:
    known = {"origin": "playwright", "browser": "chromium", "attached": False, "headless": True}
    agents = [
        read(SessionData, {**known, "title": f"agent {n}", "sessionKey": f"playwright:{n}"})
        for n in range(100)
    ]
    async with fixed_panel(size=(200, 60)) as panel:
        panel.store.set_other_sessions(agents)
        panel.app.push_screen(PulseScreen())
        pulse = await panel.screen(PulseScreen)
        await panel.until(lambda: pulse.query(SessionTile), "tiles")
        assert len(pulse.query(SessionTile)) == 101  # laid out once, not once for each

        panel.store.set_other_sessions([])
        await panel.until(lambda: len(pulse.query(SessionTile)) == 1, "the tiles are removed")
