"""What leaves the panel: files for other programs, and texts for an editor or a pager."""

from __future__ import annotations

from pathlib import Path

import pytest

from pwtui.app.actions.output import copy_text, open_file
from tests.app.fixed import fixed_panel


async def test_a_file_is_opened_by_the_system_or_its_path_is_copied(
    user: Path, copied: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    picture, opened = user / "a picture.png", user / "opened"
    (user / "xdg-open").write_text(
        f'#!/bin/sh\nprintf %s "$1" > {opened}.new\nmv {opened}.new {opened}\n'
    )
    (user / "xdg-open").chmod(0o755)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("PATH", str(user), prepend=":")
    async with fixed_panel() as panel:
        open_file(panel.app, picture)  # without a display
        assert copied == [str(picture)]

        monkeypatch.setenv("DISPLAY", ":0")
        open_file(panel.app, picture)
        await panel.until(opened.exists, "the program for pictures")
        assert opened.read_text() == str(picture)

        monkeypatch.setenv("PATH", str(user / "nothing"))
        open_file(panel.app, picture)
        assert copied == [str(picture)] * 2


async def test_what_cannot_be_copied_or_shown_is_said(
    user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAGER", "no-such-pager")
    async with fixed_panel() as panel:
        copy_text(panel.app, "x" * 100_000)
        await panel.until(lambda: any("use export" in each for each in panel.toasts), "too long")

        # A test has no terminal that could be given to another program.
        await panel.press("9", "vertical_line")
        await panel.until(lambda: any("No other program" in each for each in panel.toasts), "why")
