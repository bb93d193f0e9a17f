"""Saved logins: in Playwright's format, private; an invalid file does not affect the others."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from pwtui.protocol.errors import AuthError
from pwtui.state.auth import read_auth_folder, read_storage_state, write_storage_state

COOKIE = {
    "name": "id",
    "value": "42",
    "domain": "example.com",
    "path": "/",
    "expires": -1.0,
    "httpOnly": True,
    "secure": False,
    "sameSite": "Lax",
}
STATE: dict[str, Any] = {
    "cookies": [COOKIE],
    "origins": [
        {"origin": "https://example.com", "localStorage": [{"name": "theme", "value": "dark"}]}
    ],
}


def test_a_saved_state_is_the_same_when_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "auth" / "me.json"

    write_storage_state(path, STATE)

    assert read_storage_state(path).to_playwright() == STATE


def test_only_the_owner_can_read_a_saved_state(tmp_path: Path) -> None:
    path = tmp_path / "auth" / "me.json"

    write_storage_state(path, STATE)

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_local_storage_with_a_lone_surrogate_can_be_saved(tmp_path: Path) -> None:
    path = tmp_path / "me.json"
    storage = [{"name": "draft", "value": "cut \ud83d"}, {"name": "theme", "value": "dark"}]

    write_storage_state(
        path, {"cookies": [], "origins": [{"origin": "o", "localStorage": storage}]}
    )

    origin = read_storage_state(path).origins[0]
    assert origin.local_storage[0].value.startswith("cut ")
    assert origin.local_storage[1].value == "dark"


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"null", b"\xff", b'{"cookies": 5}', b'{"cookies": [{"value": "x"}]}'],
)
def test_an_invalid_file_is_an_auth_error_with_its_path(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "me.json"
    path.write_bytes(content)

    with pytest.raises(AuthError) as refused:
        read_storage_state(path)

    assert str(path) in refused.value.message
    assert refused.value.details == {"path": str(path)}
    assert path.read_bytes() == content


def test_the_hint_for_a_missing_file_is_how_to_create_it(tmp_path: Path) -> None:
    with pytest.raises(AuthError, match=r"auth\.login"):
        read_storage_state(tmp_path / "none.json")


def test_a_folder_in_place_of_the_file_is_an_auth_error(tmp_path: Path) -> None:
    with pytest.raises(AuthError, match="directory"):
        read_storage_state(tmp_path)


def test_the_states_of_a_folder_are_merged_and_invalid_files_reported(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(STATE))
    (tmp_path / "b.json").write_text("{")
    (tmp_path / "c.json").write_text(json.dumps({"cookies": [COOKIE | {"name": "other"}]}))
    (tmp_path / "notes.txt").write_text("not ours")

    merged, notices = read_auth_folder(tmp_path)

    assert [cookie.name for cookie in merged.cookies] == ["id", "other"]
    assert len(merged.origins) == 1
    assert [(notice.level, "b.json" in notice.message) for notice in notices] == [("warning", True)]


def test_a_missing_folder_has_no_states(tmp_path: Path) -> None:
    merged, notices = read_auth_folder(tmp_path / "none")

    assert (merged.cookies, merged.origins, notices) == ([], [], [])
