"""Profiles on disk: reading creates no files, changes are not lost, corrupt files are kept."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pwtui.protocol.envelope import ContextDelta
from pwtui.protocol.errors import InvalidInput, IoError
from pwtui.state.config import ProfileCache, ProfileConfig
from pwtui.state.profiles import Profiles
from pwtui.state.workspace import Workspace
from tests.client import Client
from tests.waiting import LIMIT

ADD_MANY = """
import sys
from pathlib import Path
from pwtui.state.profiles import Profiles
from pwtui.state.workspace import Workspace
profiles, worker = Profiles(Workspace(Path(sys.argv[1]))), sys.argv[2]
for number in range(25):
    def add(config):
        config.protected_urls = [*config.protected_urls, f"{worker}-{number}"]
    profiles.change_config("shared", add)
"""


@pytest.fixture
def profiles(workspace: Workspace) -> Profiles:
    return Profiles(workspace)


def put(profiles: Profiles, name: str, file: str, content: str | bytes) -> Path:
    path = profiles.folder(name) / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def read(path: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(path.read_bytes())
    return value


def set_timeout(value: int) -> Callable[[ProfileConfig], None]:
    return lambda config: setattr(config.defaults, "timeout_ms", value)


def files_below(root: Path) -> list[str]:
    return sorted(str(item.relative_to(root)) for item in root.rglob("*") if item.is_file())


# Reading -----------------------------------------------------------------------------------------


def test_reading_creates_no_files(profiles: Profiles) -> None:
    profile = profiles.load("dev")

    assert (profile.config, profile.cache, profile.notices) == (
        ProfileConfig(),
        ProfileCache(),
        [],
    )
    assert profiles.names() == []
    assert profiles.exists("dev") is False
    assert profiles.delete("dev") is False
    assert list(profiles.workspace.root.iterdir()) == []


def test_the_names_are_the_sorted_folders(profiles: Profiles) -> None:
    for name in ("b", "a", "c"):
        profiles.replace_config(name, lambda _: ProfileConfig())
    (profiles.workspace.profiles_dir / "notes.txt").touch()

    assert profiles.names() == ["a", "b", "c"]


def test_the_first_change_creates_the_state_folder(profiles: Profiles) -> None:
    profiles.change_config("dev", set_timeout(5))
    profiles.update_cache(profiles.load("dev"), ContextDelta(url="https://a/"))

    state = profiles.workspace.state_dir
    assert read(state / "profiles/dev/config.json") == {
        "schema": 4,
        "defaults": {"timeoutMs": 5},
        "network": {},
        "downloads": {},
    }
    cache = read(state / "profiles/dev/cache.json")
    assert (cache["schema"], cache["lastUrl"]) == (4, "https://a/")
    assert (state / ".gitignore").read_text() == "*\n"
    assert not [name for name in files_below(state) if name.endswith(".tmp")]


def test_a_gitignore_of_the_user_is_kept(profiles: Profiles) -> None:
    ignore = profiles.workspace.state_dir / ".gitignore"
    ignore.parent.mkdir(parents=True)
    ignore.write_text("locks/\n")

    profiles.change_config("dev", set_timeout(5))

    assert ignore.read_text() == "locks/\n"


def test_a_file_of_schema_zero_is_read_and_written_as_four(profiles: Profiles) -> None:
    config = put(profiles, "dev", "config.json", '{"schema": 0, "protectedUrls": ["a"]}')
    cache = put(profiles, "dev", "cache.json", '{"lastUrl": "https://a/"}')

    loaded = profiles.load("dev")
    profiles.change_config("dev", set_timeout(5))
    profiles.update_cache(profiles.load("dev"), ContextDelta(selector="h1"))

    assert loaded.notices == []
    assert loaded.config.protected_urls == ["a"]
    assert (read(config)["schema"], read(config)["protectedUrls"]) == (4, ["a"])
    assert (read(cache)["schema"], read(cache)["lastUrl"]) == (4, "https://a/")


def test_unknown_members_are_kept_by_a_change(profiles: Profiles) -> None:
    config = put(profiles, "dev", "config.json", '{"later": [1], "defaults": {"colour": "teal"}}')
    cache = put(profiles, "dev", "cache.json", '{"later": {"a": null}}')

    profiles.change_config("dev", set_timeout(5))
    profiles.update_cache(profiles.load("dev"), ContextDelta(url="https://a/"))

    assert read(config)["later"] == [1]
    assert read(config)["defaults"] == {"timeoutMs": 5, "colour": "teal"}
    assert read(cache)["later"] == {"a": None}


# Newer and corrupt files -------------------------------------------------------------------------


@pytest.mark.parametrize("file", ["config.json", "cache.json"])
def test_a_newer_schema_is_refused_and_the_file_is_not_changed(
    profiles: Profiles, file: str
) -> None:
    content = '{"schema": 5, "defaults": "in a new shape"}'
    path = put(profiles, "dev", file, content)

    with pytest.raises(InvalidInput, match="schema 5") as refused:
        profiles.load("dev")

    assert refused.value.details == {"path": str(path), "schema": 5}
    assert files_below(profiles.folder("dev")) == [file]
    assert path.read_text() == content


def test_a_newer_config_cannot_be_changed(profiles: Profiles) -> None:
    path = put(profiles, "dev", "config.json", '{"schema": 5}')

    with pytest.raises(InvalidInput, match="upgrade"):
        profiles.change_config("dev", set_timeout(5))

    assert path.read_text() == '{"schema": 5}'


CORRUPT: list[bytes] = [
    b"",
    b"{",
    b"null",
    b"[]",
    b"\xff\xfe\x00",
    b'{"schema": 4, "schema": ',
    b'{"schema": "four"}',
    b"[" * 100_000,
]


@pytest.mark.parametrize("file", ["config.json", "cache.json"])
@pytest.mark.parametrize("content", CORRUPT, ids=range(len(CORRUPT)))
def test_a_corrupt_file_is_moved_aside_and_reported(
    profiles: Profiles, file: str, content: bytes
) -> None:
    path = put(profiles, "dev", file, content)

    profile = profiles.load("dev")

    (kept,) = profiles.folder("dev").iterdir()
    assert re.fullmatch(rf"{file}\.corrupt-\d{{8}}T\d{{6}}", kept.name)
    assert kept.read_bytes() == content
    assert (profile.config, profile.cache) == (ProfileConfig(), ProfileCache())
    (notice,) = profile.notices
    assert notice.level == "warning"
    assert str(path) in notice.message
    assert kept.name in notice.message
    assert profiles.load("dev").notices == []


@pytest.mark.parametrize(
    "content",
    ['{"defaults": {"timeoutMs": "soon"}}', '{"network": {"blockPatterns": 5}}'],
)
def test_a_config_with_a_wrong_value_is_moved_aside_and_the_field_reported(
    profiles: Profiles, content: str
) -> None:
    put(profiles, "dev", "config.json", content)

    (notice,) = profiles.load("dev").notices

    assert "timeoutMs" in notice.message or "blockPatterns" in notice.message


def test_a_change_of_a_corrupt_config_starts_with_defaults_and_keeps_the_old_file(
    profiles: Profiles,
) -> None:
    path = put(profiles, "dev", "config.json", "{broken")

    profiles.change_config("dev", set_timeout(5))

    (kept,) = profiles.folder("dev").glob("config.json.corrupt-*")
    assert kept.read_text() == "{broken"
    assert read(path)["defaults"] == {"timeoutMs": 5}


def test_concurrent_readers_move_a_corrupt_file_aside_once(profiles: Profiles) -> None:
    put(profiles, "dev", "config.json", "{broken")
    notices = []
    readers = [
        threading.Thread(target=lambda: notices.append(profiles.load("dev").notices))
        for _ in range(8)
    ]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join(LIMIT)

    assert sum(map(len, notices)) == 1
    assert len(list(profiles.folder("dev").glob("config.json.corrupt-*"))) == 1


@pytest.mark.parametrize("op", ["profile.show", "ops.list"])
async def test_a_response_reports_a_corrupt_profile(
    fresh_client: Callable[[], Client], op: str
) -> None:
    client = fresh_client()
    put(client.profiles, "dev", "config.json", b"\x00not json")
    put(client.profiles, "dev", "cache.json", b"neither")
    input = {"name": "dev"} if op == "profile.show" else {}

    response = await client.send(op, input, profile="dev")

    assert response.ok
    messages = [note.message for note in response.diagnostics or () if note.level == "warning"]
    assert [sum(file in m for m in messages) for file in ("config.json", "cache.json")] == [1, 1]
    kept = sorted(client.profiles.folder("dev").iterdir())
    assert [file.read_bytes() for file in kept] == [b"neither", b"\x00not json"]


async def test_an_error_response_reports_a_corrupt_profile(
    fresh_client: Callable[[], Client],
) -> None:
    client = fresh_client()
    put(client.profiles, "dev", "config.json", "{broken")

    response = await client.send("nonsense", profile="dev")

    assert not response.ok
    assert [note.level for note in response.diagnostics or ()] == ["warning"]


async def test_showing_another_profile_reports_that_it_was_corrupt(
    fresh_client: Callable[[], Client],
) -> None:
    client = fresh_client()
    put(client.profiles, "other", "config.json", "{broken")

    response = await client.send("profile.show", {"name": "other"})

    assert response.ok
    assert response.data == ProfileConfig().model_dump(mode="json")
    assert ["config.json" in note.message for note in response.diagnostics or ()] == [True]


async def test_setting_a_profile_with_a_corrupt_config_keeps_the_old_file_and_reports_it(
    fresh_client: Callable[[], Client],
) -> None:
    client = fresh_client()
    path = put(client.profiles, "dev", "config.json", "{broken")

    response = await client.send("profile.set", {"name": "dev", "config": {}})

    assert response.ok
    assert read(path)["schema"] == 4
    assert [kept.read_text() for kept in path.parent.glob("config.json.corrupt-*")] == ["{broken"]
    assert [note.level for note in response.diagnostics or ()] == ["warning"]


async def test_setting_a_config_of_a_newer_schema_is_refused(
    fresh_client: Callable[[], Client],
) -> None:
    client = fresh_client()

    error = await client.error("profile.set", {"name": "dev", "config": {"schema": 5}})

    assert error.code == "INVALID_INPUT"
    assert not client.profiles.exists("dev")


async def test_a_newer_schema_is_an_invalid_input(
    fresh_client: Callable[[], Client],
) -> None:
    client = fresh_client()
    path = put(client.profiles, "dev", "cache.json", '{"schema": 9}')

    error = await client.error("ops.list", profile="dev")

    assert error.code == "INVALID_INPUT"
    assert error.hint == "upgrade pwtui"
    assert path.read_text() == '{"schema": 9}'


# Changing ----------------------------------------------------------------------------------------


def test_concurrent_changes_of_a_profile_are_not_lost(profiles: Profiles) -> None:
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", ADD_MANY, str(profiles.workspace.root), str(number)]
        )
        for number in range(8)
    ]
    codes = [worker.wait(LIMIT) for worker in workers]

    added = profiles.load("shared").config.protected_urls
    assert codes == [0] * 8
    assert len(added) == 8 * 25
    assert set(added) == {f"{worker}-{number}" for worker in range(8) for number in range(25)}
    for worker in range(8):
        own = [url for url in added if url.startswith(f"{worker}-")]
        assert own == [f"{worker}-{number}" for number in range(25)]


def test_a_change_that_raises_changes_nothing(profiles: Profiles) -> None:
    profiles.change_config("dev", set_timeout(5))
    before = (profiles.folder("dev") / "config.json").read_bytes()

    def fail(config: ProfileConfig) -> None:
        config.defaults.timeout_ms = 6
        raise InvalidInput("no")

    with pytest.raises(InvalidInput):
        profiles.change_config("dev", fail)

    assert (profiles.folder("dev") / "config.json").read_bytes() == before
    profiles.change_config("dev", set_timeout(7))


def test_an_unchanged_cache_is_not_written_again(profiles: Profiles) -> None:
    profiles.update_cache(profiles.load("dev"), ContextDelta(url="https://a/"))
    path = profiles.folder("dev") / "cache.json"
    before = path.stat()

    profiles.update_cache(profiles.load("dev"), ContextDelta(url="https://a/"))
    profiles.update_cache(profiles.load("dev"), ContextDelta())

    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_updating_the_cache_does_not_change_the_config(profiles: Profiles) -> None:
    profiles.update_cache(profiles.load("dev"), ContextDelta(url="https://a/"))

    assert files_below(profiles.folder("dev")) == ["cache.json"]


def test_replacing_a_config_keeps_the_rest_of_the_profile(profiles: Profiles) -> None:
    profiles.update_cache(profiles.load("dev"), ContextDelta(url="https://a/"))
    put(profiles, "dev", "auth/me.json", "{}")

    profiles.replace_config("dev", lambda _: ProfileConfig(protected_urls=["a"]))
    profiles.replace_config("dev", lambda _: ProfileConfig())

    assert files_below(profiles.folder("dev")) == ["auth/me.json", "cache.json", "config.json"]
    assert profiles.load("dev").config == ProfileConfig()


# Deleting ----------------------------------------------------------------------------------------


def test_deleting_removes_the_profile_and_its_files(profiles: Profiles) -> None:
    profiles.change_config("dev", set_timeout(5))
    profiles.change_config("other", set_timeout(5))
    put(profiles, "dev", "auth/me.json", "{}")
    put(profiles, "dev", "connect-user-data/Default/Cookies", "x")

    assert profiles.delete("dev") is True

    assert profiles.names() == ["other"]
    assert profiles.delete("dev") is False


@pytest.mark.parametrize("dangling", [False, True])
def test_a_profile_that_is_a_link_is_unlinked(
    profiles: Profiles, tmp_path: Path, dangling: bool
) -> None:
    outside = tmp_path / "outside"
    if not dangling:
        outside.mkdir()
        (outside / "precious").write_text("keep me")
    profiles.workspace.profiles_dir.mkdir(parents=True)
    profiles.folder("dev").symlink_to(outside)

    assert profiles.delete("dev") is True

    assert not profiles.folder("dev").is_symlink()
    assert outside.exists() is not dangling
    assert dangling or (outside / "precious").read_text() == "keep me"


def test_links_inside_a_profile_are_not_followed(profiles: Profiles, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "precious").touch()
    profiles.change_config("dev", set_timeout(5))
    (profiles.folder("dev") / "link").symlink_to(tmp_path / "outside")

    profiles.delete("dev")

    assert (tmp_path / "outside" / "precious").exists()


@pytest.mark.parametrize("name", [".", "..", "../..", "/"])
def test_deleting_affects_only_the_profile(profiles: Profiles, name: str) -> None:
    profiles.change_config("dev", set_timeout(5))

    try:
        removed = profiles.delete(name)
    except InvalidInput:
        removed = False

    assert removed is False
    assert profiles.names() == ["dev"]


# Folders that cannot be written ------------------------------------------------------------------


def test_a_file_in_place_of_the_state_folder_is_an_io_error(profiles: Profiles) -> None:
    (profiles.workspace.root / "playwright").write_text("a file")

    assert profiles.load("dev").config == ProfileConfig()
    with pytest.raises(IoError, match="change profile 'dev'"):
        profiles.change_config("dev", set_timeout(5))
    with pytest.raises(IoError):
        profiles.update_cache(profiles.load("dev"), ContextDelta(url="https://a/"))
    with pytest.raises(IoError):
        profiles.replace_config("dev", lambda _: ProfileConfig())
    assert (profiles.workspace.root / "playwright").read_text() == "a file"


def test_a_file_in_place_of_the_profile_folder_is_an_io_error(profiles: Profiles) -> None:
    profiles.workspace.profiles_dir.mkdir(parents=True)
    profiles.folder("dev").write_text("a file")

    with pytest.raises(IoError):
        profiles.change_config("dev", set_timeout(5))

    assert profiles.folder("dev").read_text() == "a file"


def test_a_folder_in_place_of_a_config_is_an_io_error(profiles: Profiles) -> None:
    (profiles.folder("dev") / "config.json").mkdir(parents=True)

    with pytest.raises(IoError, match="directory"):
        profiles.load("dev")


@pytest.mark.parametrize(
    ("op", "input"),
    [
        ("protect.add", {"pattern": "x"}),
        ("har.set", {"file": "a.har"}),
        ("connect", {"endpoint": "http://127.0.0.1:1"}),
        ("profile.set", {"name": "dev", "config": {}}),
    ],
)
async def test_a_request_that_cannot_write_its_state_is_an_io_error(
    fresh_client: Callable[[], Client], op: str, input: dict[str, Any]
) -> None:
    client = fresh_client()
    (client.root / "playwright").write_text("a file")

    error = await client.error(op, input)

    assert error.code == "IO_ERROR"
    assert "playwright" in error.message


async def test_listing_profiles_with_a_file_in_place_of_the_folder_is_an_io_error(
    fresh_client: Callable[[], Client],
) -> None:
    client = fresh_client()
    (client.root / "playwright").write_text("a file")

    error = await client.error("profile.list")

    assert error.code == "IO_ERROR"
