"""The path dialog: a path is typed, completed, or chosen from the list."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input

from pwtui.widgets.path_dialog import PathDialog, PathList, entries_of
from tests.widgets.support import HOSTILE, controls, shown
from tests.widgets.test_dialogs import PENDING, Asking


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("docs/a.txt", "report.csv", "reports/old.csv", ".hidden", "one, two"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    return tmp_path


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        ("r e p o r t . c s v enter", "report.csv"),
        ("r e p tab . tab enter", "report.csv"),
        ("r e p o r t s enter o tab enter", "reports/old.csv"),
        ("down down enter enter", "docs/a.txt"),
        ("d o c s slash backspace slash down down down enter", "docs/a.txt"),
        ("m i s s i n g enter", PENDING),
        ("down up enter", PENDING),
        ("d o c s slash down enter r e p o r t . tab enter", "report.csv"),
        ("tab escape", None),
    ],
)
async def test_keys_choose_a_file(folder: Path, keys: str, answer: object) -> None:
    app, dialog = Asking(), PathDialog("File", folder=folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.ask(pilot, dialog)
        await pilot.press(*keys.split())
        await pilot.pause()

        assert app.answer == answer


@pytest.mark.parametrize("text", ["~no-such-user/a/b", "~no-such-user", "a\0/b", "x" * 5000])
@pytest.mark.parametrize("saves", [False, True])
async def test_a_text_that_cannot_be_a_path_is_reported(
    folder: Path, text: str, saves: bool
) -> None:
    app, dialog = Asking(), PathDialog("File", folder=folder, saves=saves)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.ask(pilot, dialog)
        dialog.query_one(Input).value = text
        await pilot.press("end", "slash", "backspace", "tab", "enter")
        await pilot.pause()

        assert app.answer == (text if saves and "~" in text else PENDING)


async def test_several_files_and_new_ones(folder: Path) -> None:
    app = Asking()
    async with app.run_test(size=(80, 24)) as pilot:
        several = PathDialog("Files", folder=folder, several=True)
        await app.ask(pilot, several)
        assert ".hidden" not in shown(app.screen.query_one(PathList))
        await pilot.press(*"report.csv,", *"do", "tab", "a", "tab", "enter")
        await pilot.pause()
        assert app.answer == "report.csv,docs/a.txt"
        assert several.paths(app.answer) == [folder / "report.csv", folder / "docs" / "a.txt"]
        assert several.paths("one, two") == [folder / "one, two"]

        target = PathDialog("To", folder=folder, value="new/x.csv", suffixes=[".csv"], saves=True)
        await app.ask(pilot, target)
        assert "new folder" in app.text
        await pilot.press("ctrl+u", *"new")
        await pilot.pause()
        assert shown(app.screen.query_one(PathList)).split()[:2] == ["▌docs/", "reports/"]
        await pilot.press("ctrl+u", *"report.csv")
        await pilot.pause()
        assert "the file exists" in app.text
        assert "one, two" not in app.text
        await pilot.press("enter")
        await pilot.pause()
        assert target.paths(app.answer) == [folder / "report.csv"]


async def test_hostile_names_are_shown_as_they_are(tmp_path: Path) -> None:
    for text in HOSTILE:
        if 0 < len(text) < 200:
            (tmp_path / text.replace("/", "|")).touch()
    app = Asking()
    async with app.run_test(size=(80, 24)) as pilot:
        await app.ask(pilot, PathDialog("File", folder=tmp_path))
        await pilot.press("down")
        assert controls(app) == set()
    assert entries_of(tmp_path / "missing") == []
