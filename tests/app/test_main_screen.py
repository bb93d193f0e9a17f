"""The main screen, letter by letter, in three sizes.

What it looks like is kept in `snapshots/`; `PWTUI_UPDATE_SNAPSHOTS=1` updates the files.
"""

from __future__ import annotations

import difflib
import os
import time
from functools import partial
from pathlib import Path

import pytest

from pwtui.app.screens.command import CommandScreen
from pwtui.app.store import DialogView
from pwtui.protocol.models import DialogInfo
from pwtui.widgets.dialogs import PromptDialog
from tests.app.fixed import NOW, fixed_panel

FOLDER = Path(__file__).parent / "snapshots"
UPDATE = "PWTUI_UPDATE_SNAPSHOTS"


@pytest.fixture(autouse=True)
def _one_time_zone(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()


def check(name: str, text: str) -> None:
    """Compare the screen with the one that is kept."""
    path = FOLDER / f"{name}.txt"
    text = "\n".join(line.rstrip() for line in text.splitlines()) + "\n"
    if os.environ.get(UPDATE):
        path.write_text(text, encoding="utf-8")
        return
    kept = path.read_text(encoding="utf-8") if path.exists() else ""
    if text != kept:
        lines = difflib.unified_diff(
            kept.splitlines(),
            text.splitlines(),
            f"{path.name} as kept",
            "as it is now",
            lineterm="",
        )
        pytest.fail(
            f"the screen is not as it was; if it should be so, set {UPDATE}=1\n" + "\n".join(lines),
            pytrace=False,
        )


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)], ids=lambda s: f"{s[0]}x{s[1]}")
async def test_the_main_screen_matches_its_snapshot(size: tuple[int, int]) -> None:
    name = f"{size[0]}x{size[1]}"
    async with fixed_panel(size) as panel:
        check(f"main-{name}", panel.screen_text)

        await panel.press("9", "up", "enter")
        await panel.until(lambda: panel.detail.entry is not None, "the detail")
        check(f"detail-{name}", panel.screen_text)

        if size[0] < 100:
            for key, pane in (("1", "profiles"), ("2", "sessions"), ("3", "daemon"), ("5", "log")):
                await panel.press(key)
                await panel.pilot.pause()
                check(f"{pane}-{name}", panel.screen_text)


async def test_zoom_keeps_the_header_and_the_keys() -> None:
    async with fixed_panel() as panel:
        await panel.press("z")

        await panel.until(lambda: "1 Profiles" not in panel.screen_text, "the zoomed page")
        lines = panel.screen_text.splitlines()
        assert "● 1 session" in lines[0]
        assert "z zoom" in lines[-1]


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=lambda s: f"{s[0]}x{s[1]}")
async def test_the_keys_of_a_dialog_are_offered_only_while_one_is_open(
    size: tuple[int, int],
) -> None:
    answers = ("y accept", "n dismiss", "t answer", "o start again")

    def are_offered(count: int) -> bool:
        keys = panel.screen_text.splitlines()[-1]
        return [each in keys for each in answers] == [at < count for at in range(len(answers))]

    async with fixed_panel(size) as panel:
        assert are_offered(0)
        await panel.press("u")
        await panel.screen(PromptDialog)
        panel.main.refresh_bindings()
        await panel.pilot.pause()
        assert are_offered(0), "behind another screen"
        await panel.press("escape")
        await panel.home()

        confirm = DialogInfo(type="confirm", message="A confirm")
        prompt = DialogInfo(type="prompt", message="A prompt")
        for info, count in ((confirm, 2), (prompt, 3)):
            panel.store.open_dialog("default", DialogView(info, 1, NOW - 5))
            await panel.until(partial(are_offered, count), f"the keys of a {info.type}")
        await panel.press("z")
        await panel.until(lambda: "1 Profiles" not in panel.screen_text, "the zoomed page")
        assert are_offered(3)

        panel.store.close_dialog("default")
        await panel.until(partial(are_offered, 0), "no keys of a dialog")


async def test_a_toast_does_not_cover_the_keyword_line() -> None:
    async with fixed_panel(toasts=True) as panel:
        panel.app.notify("something failed", severity="error", timeout=60)
        await panel.press("colon")
        screen = await panel.screen(CommandScreen)

        await panel.until(lambda: screen.query("Toast"), "the toast")
        toast, box = screen.query("Toast").first(), screen.query_one("#command-box")
        assert 0 < toast.region.bottom <= box.region.y


async def test_n_goes_to_the_next_match_in_the_page() -> None:
    async with fixed_panel() as panel:
        panel.tree.search("role:link")
        found = [panel.tree.cursor_ref]
        for key in ("n", "n", "N"):
            await panel.press(key)
            found.append(panel.tree.cursor_ref)

        assert found == ["e2", "e5", "e9", "e5"]


async def test_every_window_shows_the_key_that_closes_it() -> None:
    async with fixed_panel((80, 24)) as panel:
        for keys in ("ctrl+p", "question_mark", "S", "1 e"):
            await panel.press(*keys.split())
            await panel.until(lambda: panel.app.screen is not panel.main, f"a window by {keys}")
            await panel.until(
                lambda: panel.screen_text.splitlines()[-1].endswith("  esc close"), "its keys"
            )
            await panel.press("escape")
            await panel.home()
