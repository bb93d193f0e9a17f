"""A recording that cannot be written stops with a notice."""

from __future__ import annotations

from pathlib import Path

import pytest

from pwtui.app.recording import PanelRecorder
from pwtui.app.store import Store
from pwtui.protocol.envelope import Request
from pwtui.state.workspace import Workspace


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux")
def test_a_full_disk_stops_the_recording_with_a_notice(tmp_path: Path) -> None:
    store = Store("default", str(tmp_path))
    recorder = PanelRecorder(Workspace(tmp_path.resolve()), store)
    recorder.start()
    assert recorder._journal is not None
    recorder._journal._file.close()
    full = Path("/dev/full").open("w", encoding="utf-8")  # noqa: SIM115
    recorder._journal._file = full

    recorder.add(Request(op="page.title"))

    assert store.recording_path is None
    assert "the recording stopped: No space left on device" in store.notices.shown[-1].text


def test_a_deleted_file_stops_the_recording_with_a_notice(tmp_path: Path) -> None:
    store = Store("default", str(tmp_path))
    recorder = PanelRecorder(Workspace(tmp_path.resolve()), store)
    recorder.start().unlink()

    recorder.add(Request(op="page.title"))

    assert store.recording_path is None
    assert "the recording stopped: the file was deleted" in store.notices.shown[-1].text
