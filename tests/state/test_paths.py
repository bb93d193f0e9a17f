"""The user's folders outside the workspaces."""

from __future__ import annotations

from pathlib import Path

import pytest

from pwtui.state.paths import LONGEST_TEMPORARY_PATH, is_private, make_private, temporary_folder


def test_a_folder_is_private_if_only_this_user_can_use_it(tmp_path: Path) -> None:
    shared, link = tmp_path / "shared", tmp_path / "link"
    shared.mkdir()
    shared.chmod(0o755)
    link.symlink_to(tmp_path / "own" / "folder")

    assert make_private(tmp_path / "own" / "folder")
    assert not make_private(shared)
    assert not make_private(link)
    assert not is_private(tmp_path / "missing")


@pytest.mark.parametrize("length", [5, 200])
def test_the_path_of_the_temporary_folder_is_short(
    monkeypatch: pytest.MonkeyPatch, length: int
) -> None:
    cache = "/" + "x" * length
    monkeypatch.setenv("XDG_CACHE_HOME", cache)
    monkeypatch.setattr("sys.platform", "linux")
    folder = temporary_folder("12345678")

    assert len(str(folder)) <= LONGEST_TEMPORARY_PATH
    assert str(folder).startswith(cache) == (length == 5)
