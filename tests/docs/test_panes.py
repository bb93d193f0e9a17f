"""The documentation names the panes of the panel and their keys as they are."""

from __future__ import annotations

import re

from pwtui.app.panes.panes import PANES
from tests.docs.page import ROOT

KEYS = {pane.title: pane.key for pane in PANES}


def test_the_page_of_the_panel_lists_every_pane_with_its_key() -> None:
    text = (ROOT / "docs" / "panel.md").read_text(encoding="utf-8")

    listed = re.findall(r"^\| (\w) \| (\w+) \|", text, re.MULTILINE)

    assert {title: key for key, title in listed} == KEYS


def test_the_tutorial_names_panes_with_their_keys() -> None:
    text = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")

    named = re.findall(r"\*\*(\w+)\*\* \(`(\w)`\)", text)

    assert len(named) >= 3
    assert dict(named).items() <= KEYS.items()
