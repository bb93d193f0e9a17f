"""A recording begins where the session is, and numbers its tabs as a replay does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pwtui.protocol.envelope import Request, Response
from pwtui.protocol.errors import InvalidInput
from pwtui.repl.recorder import PromptRecorder

OPEN: dict[str, Any] = {
    "tabs": [
        {"index": 3, "url": "https://example.com/old"},
        {"index": 5, "url": "https://example.com/shop", "active": True},
    ],
    "nextIndex": 7,
}


def note(recorder: PromptRecorder, op: str, **input: Any) -> None:
    recorder.note(Request(op=op, input=input), Response(op=op, ok=True))


def lines(recorder: PromptRecorder, path: Path) -> list[str]:
    recorder.save()
    return path.read_text().splitlines()[2:]


def test_tabs_are_numbered_from_the_one_that_was_current(tmp_path: Path) -> None:
    recorder = PromptRecorder(tmp_path)
    recorder.start("a.pw", OPEN)

    note(recorder, "click", selector="#new")
    note(recorder, "tabs.switch", target="7")
    note(recorder, "tabs.switch", target="5")
    with pytest.raises(InvalidInput, match="tab 3 was open before the recording started"):
        note(recorder, "tabs.switch", target="3")

    assert lines(recorder, tmp_path / "a.pw") == [
        "goto https://example.com/shop",
        "click #new",
        "tab-select 1",
        "tab-select 0",
    ]


@pytest.mark.parametrize("tabs", [OPEN, {}], ids=["a page is open", "no page is open"])
def test_a_recording_that_goes_elsewhere_first_starts_there(
    tmp_path: Path, tabs: dict[str, Any]
) -> None:
    recorder = PromptRecorder(tmp_path)
    recorder.start("a.pw", tabs)

    note(recorder, "navigate", url="https://example.com/login")

    assert lines(recorder, tmp_path / "a.pw") == ["goto https://example.com/login"]
