"""profile.*: the operations on profiles."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from pwtui.browser.launch.processes import started_at
from pwtui.state.auth import write_storage_state
from pwtui.state.descriptor import SessionDescriptor, write_descriptor
from pwtui.state.workspace import Workspace
from tests.client import Client
from tests.operations.support import delta, messages
from tests.waiting import until


@pytest.fixture
def profiles(workspace: Workspace) -> Client:
    """A client in an empty workspace, for operations that start no browser."""
    return Client(workspace.root)


async def test_profile_is_written_shown_listed_and_deleted(profiles: Client) -> None:
    assert await profiles.data("profile.list") == {"profiles": []}
    config = {"defaults": {"timeoutMs": 5000, "baseUrl": "https://example.com"}}
    response = await profiles.send("profile.set", {"name": "dev", "config": config})
    assert response.data == {"profile": "dev", "written": True}
    assert response.inputs == {"name": "dev", "config": config}
    assert delta(response) == {}
    shown = await profiles.send("profile.show", {"name": "dev"})
    assert shown.data is not None
    assert shown.data["schema"] == 4
    assert shown.data["defaults"] == config["defaults"]
    assert shown.inputs == {"name": "dev"}
    assert await profiles.data("profile.list") == {"profiles": ["dev"]}
    deleted = await profiles.send("profile.delete", {"name": "dev"})
    assert deleted.data == {"profile": "dev", "removed": True, "canRestore": True}
    assert deleted.inputs == {"name": "dev"}
    assert (await profiles.data("profile.restore", {"name": "dev"}))["restored"] is True
    assert (await profiles.data("profile.show", {"name": "dev"}))["defaults"] == config["defaults"]
    await profiles.data("profile.delete", {"name": "dev"})
    await profiles.data("profile.create", {"name": "dev"})
    taken = await profiles.error("profile.restore", {"name": "dev"})
    assert "already exists" in str(taken)
    purged = await profiles.data("profile.delete", {"name": "dev", "purge": True})
    assert purged["canRestore"] is False
    missing = await profiles.error("profile.restore", {"name": "dev"})
    assert str(missing) == "there is no deleted profile 'dev'; deleted: none"


@pytest.mark.parametrize("op", ["profile.show", "profile.delete"])
async def test_a_profile_that_does_not_exist_is_an_error_with_near_matches(
    profiles: Client, op: str
) -> None:
    await profiles.data("profile.create", {"name": "staging"})
    error = await profiles.error(op, {"name": "stagign"})
    assert error.code == "INVALID_INPUT"
    assert str(error) == "profile 'stagign' does not exist; did you mean staging?"


async def test_the_default_profile_always_exists(profiles: Client) -> None:
    assert (await profiles.data("profile.show"))["defaults"] == {}
    assert (await profiles.data("profile.show", {"name": "default"}))["schema"] == 4
    assert (await profiles.data("profile.delete", {"name": "default"}))["removed"] is False
    assert await profiles.data("profile.list") == {"profiles": []}


async def test_the_requests_own_profile_must_exist_to_be_shown(profiles: Client) -> None:
    error = await profiles.error("profile.show", profile="new")
    assert error.message == "profile 'new' does not exist"


# Create, copy, rename ----------------------------------------------------------------------------


def save_login(client: Client, profile: str) -> Path:
    path = client.profiles.auth_folder(profile) / "site.json"
    write_storage_state(path, {"cookies": [{"name": "sid", "value": "1"}], "origins": []})
    return path


async def test_a_profile_is_created_with_its_config(profiles: Client) -> None:
    config = {"defaults": {"timeoutMs": 5000}}
    response = await profiles.send("profile.create", {"name": "dev", "config": config})
    assert response.data == {"profile": "dev", "created": True}
    assert (await profiles.data("profile.show", {"name": "dev"}))["defaults"] == config["defaults"]


@pytest.mark.parametrize("op", ["profile.create", "profile.copy", "profile.rename"])
async def test_an_existing_profile_is_never_replaced(profiles: Client, op: str) -> None:
    await profiles.data("profile.create", {"name": "dev"})
    config = {"defaults": {"timeoutMs": 1}}
    await profiles.data("profile.create", {"name": "kept", "config": config})
    input = {"name": "kept"} if op == "profile.create" else {"name": "dev", "to": "kept"}
    error = await profiles.error(op, input)
    assert error.code == "INVALID_INPUT"
    assert "'kept' already exists" in error.message
    assert await profiles.data("profile.list") == {"profiles": ["dev", "kept"]}
    assert (await profiles.data("profile.show", {"name": "kept"}))["defaults"] == {"timeoutMs": 1}


@pytest.mark.parametrize("op", ["profile.copy", "profile.rename"])
async def test_only_a_profile_that_exists_is_copied_or_renamed(profiles: Client, op: str) -> None:
    await profiles.data("profile.create", {"name": "staging"})
    error = await profiles.error(op, {"name": "stagin", "to": "new"})
    assert str(error) == "profile 'stagin' does not exist; did you mean staging?"
    assert await profiles.data("profile.list") == {"profiles": ["staging"]}


async def test_a_copy_has_the_config_and_the_saved_logins_for_its_owner_alone(
    profiles: Client,
) -> None:
    await profiles.data("profile.create", {"name": "dev", "config": {"protectedUrls": ["mail"]}})
    login = save_login(profiles, "dev")
    sessions = profiles.profiles.folder("dev") / "sessions"
    sessions.mkdir()
    (sessions / "session.json").write_text("{}")
    data = await profiles.data("profile.copy", {"name": "dev", "to": "test"})
    assert data == {"profile": "test", "copiedFrom": "dev"}
    copy = profiles.profiles.folder("test")
    assert sorted(path.name for path in copy.iterdir()) == ["auth", "config.json"]
    assert (copy / "auth/site.json").read_bytes() == login.read_bytes()
    assert (copy / "auth/site.json").stat().st_mode & 0o777 == 0o600
    assert (copy / "auth").stat().st_mode & 0o777 == 0o700
    assert (await profiles.data("profile.show", {"name": "test"}))["protectedUrls"] == ["mail"]
    assert login.exists()


async def test_a_copy_that_fails_leaves_nothing(profiles: Client) -> None:
    await profiles.data("profile.create", {"name": "dev"})
    (profiles.profiles.auth_folder("dev") / "folder").mkdir(parents=True)
    error = await profiles.error("profile.copy", {"name": "dev", "to": "test"})
    assert error.code == "IO_ERROR"
    assert await profiles.data("profile.list") == {"profiles": ["dev"]}


async def test_renaming_keeps_config_last_page_and_saved_logins(profiles: Client) -> None:
    await profiles.data("profile.create", {"name": "dev", "config": {"protectedUrls": ["mail"]}})
    login = save_login(profiles, "dev").read_bytes()
    cache = profiles.profiles.folder("dev") / "cache.json"
    cache.write_text('{"lastUrl": "https://example.com/"}')
    response = await profiles.send("profile.rename", {"name": "dev", "to": "prod/new"})
    assert response.data == {"profile": "prod-new", "renamedFrom": "dev"}
    assert "'prod/new' is stored as 'prod-new'" in messages(response)[0]
    assert await profiles.data("profile.list") == {"profiles": ["prod-new"]}
    renamed = profiles.profiles.folder("prod-new")
    assert (renamed / "auth/site.json").read_bytes() == login
    assert (renamed / "auth/site.json").stat().st_mode & 0o777 == 0o600
    assert profiles.profiles.load("prod-new").cache.last_url == "https://example.com/"
    assert profiles.profiles.load("prod-new").config.protected_urls == ["mail"]


@pytest.mark.parametrize("op", ["profile.copy", "profile.rename"])
async def test_an_auth_file_among_the_saved_logins_is_followed(profiles: Client, op: str) -> None:
    inside = "playwright/.pw-cli-v4/profiles/dev/auth/site.json"
    await profiles.data(
        "profile.create", {"name": "dev", "config": {"defaults": {"authFile": inside}}}
    )
    save_login(profiles, "dev")
    await profiles.data(op, {"name": "dev", "to": "test"})
    shown = await profiles.data("profile.show", {"name": "test"})
    assert shown["defaults"]["authFile"] == inside.replace("/dev/", "/test/")
    assert (profiles.root / shown["defaults"]["authFile"]).exists()


@pytest.mark.parametrize(
    ("op", "more"), [("profile.rename", {"to": "test"}), ("profile.delete", {})]
)
async def test_a_profile_is_not_renamed_or_deleted_while_its_browser_runs(
    profiles: Client, op: str, more: dict[str, str]
) -> None:
    await profiles.data("profile.create", {"name": "dev"})
    started = started_at(os.getpid())
    assert started is not None
    descriptor = SessionDescriptor(
        session_key=str(profiles.caller.workspace.session_key("dev", "chromium", headless=True)),
        workspace=str(profiles.root),
        workspace_id=profiles.caller.workspace.id,
        profile="dev",
        browser="chromium",
        headless=True,
        owner="detached",
        pid=os.getpid(),
        started_at=started,
        driver_version="1",
        created_at=started,
        last_used_at=started,
    )
    path = profiles.profiles.descriptor_path(
        profiles.caller.workspace.session_key("dev", "chromium", headless=True)
    )
    write_descriptor(path, descriptor)
    error = await profiles.error(op, {"name": "dev"} | more)
    assert error.code == "SESSION_ERROR"
    assert f"chromium (pid {os.getpid()}) is running with it" in error.message
    assert "pw session stop --profile dev" in str(error.hint)
    assert await profiles.data("profile.list") == {"profiles": ["dev"]}
    write_descriptor(path, descriptor.model_copy(update={"started_at": started - 60}))
    await profiles.data(op, {"name": "dev"} | more)
    for name in ("dev", "test"):
        assert not (profiles.profiles.folder(name) / "sessions").exists()


async def test_a_profile_is_not_renamed_from_the_start_of_a_session_to_its_end(
    client: Client,
) -> None:
    await client.data("profile.create", {"name": "busy"})
    opening = asyncio.create_task(client.send("tabs.list", profile="busy"))
    await until(lambda: client.executor.pool.opening, "the browser starts")
    rename = ("profile.rename", {"name": "busy", "to": "calm"})
    assert "chromium (starting) is running with it" in (await client.error(*rename)).message
    assert (await opening).ok
    assert "chromium (pid" in (await client.error(*rename)).message
    await client.data("session.stop", profile="busy")
    await client.data(*rename)


# Names -------------------------------------------------------------------------------------------


async def test_a_new_profile_is_announced_with_near_matches_until_it_exists(
    profiles: Client,
) -> None:
    await profiles.data("profile.create", {"name": "staging"})
    response = await profiles.send("session.status", profile="stagign")
    assert response.ok
    assert messages(response) == [
        "profile 'stagign' does not exist yet; it is created on first use; did you mean staging?"
    ]
    for known in ("staging", "default", None):
        assert messages(await profiles.send("session.status", profile=known)) == []


@pytest.mark.parametrize("given", ["a b", "a/b", "a:b", "-a-b", "\u202ea-b"])
async def test_a_normalised_name_is_reported(profiles: Client, given: str) -> None:
    await profiles.data("profile.create", {"name": "a-b"})
    note = f"profile {given!r} is stored as 'a-b': names have letters, digits, '.', '_' and '-'"
    assert messages(await profiles.send("session.status", profile=given)) == [note]
    assert messages(await profiles.send("profile.show", {"name": given})) == [note]


@pytest.mark.parametrize("given", ["", " ", "é", "*", "默认", "////"])
async def test_a_name_without_valid_characters_is_refused(profiles: Client, given: str) -> None:
    for error in (
        await profiles.error("session.status", profile=given),
        await profiles.error("profile.create", {"name": given}),
    ):
        assert error.code == "INVALID_INPUT"
        assert "not allowed" in error.message
        assert "use letters" in str(error.hint)
    assert await profiles.data("profile.list") == {"profiles": []}


async def test_config_is_read_from_a_file_beside_the_caller(
    profiles: Client, tmp_path: Path
) -> None:
    (tmp_path / "dev.json").write_text(json.dumps({"protectedUrls": ["mail"]}))
    response = await profiles.send("profile.set", {"name": "dev", "file": "dev.json"}, cwd=tmp_path)
    assert response.ok, response.error
    assert (await profiles.data("profile.show", {"name": "dev"}))["protectedUrls"] == ["mail"]


async def test_name_is_made_safe(profiles: Client) -> None:
    response = await profiles.send("profile.set", {"name": "prod/team A", "config": {}})
    assert response.inputs is not None
    assert response.inputs["name"] == "prod-team-A"
    assert "'prod/team A' is stored as 'prod-team-A'" in messages(response)[0]
    assert await profiles.data("profile.list") == {"profiles": ["prod-team-A"]}


@pytest.mark.parametrize("op", ["profile.show", "profile.set", "profile.delete"])
@pytest.mark.parametrize("name", [".", "..", "x" * 500])
async def test_name_that_leaves_the_folder_is_refused(profiles: Client, op: str, name: str) -> None:
    await profiles.data("profile.set", {"name": "kept", "config": {}})
    input: dict[str, Any] = {"name": name}
    if op == "profile.set":
        input["config"] = {}
    error = await profiles.error(op, input)
    assert error.code == "INVALID_INPUT"
    assert await profiles.data("profile.list") == {"profiles": ["kept"]}


async def test_replacing_a_config_removes_missing_settings(profiles: Client) -> None:
    await profiles.data("profile.set", {"name": "dev", "config": {"protectedUrls": ["mail"]}})
    await profiles.data("profile.set", {"name": "dev", "config": {}})
    assert "protectedUrls" not in await profiles.data("profile.show", {"name": "dev"})


async def test_unknown_members_are_kept_with_a_warning(profiles: Client) -> None:
    config = {"defaults": {"timeoutMS": 1, "blockPatterns": ["*"]}, "colour": "red"}
    response = await profiles.send("profile.set", {"name": "dev", "config": config})
    assert response.ok
    assert "colour" in messages(response)[0]
    assert "defaults.timeoutMS" in messages(response)[0]
    assert messages(response)[0].endswith("did you mean network.blockPatterns or timeoutMs?")
    assert (await profiles.data("profile.show", {"name": "dev"}))["colour"] == "red"


@pytest.mark.parametrize(
    ("input", "hint"),
    [
        ({}, "name"),
        ({"name": "dev"}, "exactly one of file, config and settings"),
        ({"name": "dev", "config": {}, "file": "x"}, "exactly one of file, config and settings"),
        ({"name": "dev", "config": {"defaults": {"timeoutMs": "5"}}}, "defaults.timeoutMs"),
        ({"name": "dev", "config": {"defaults": {"browser": "lynx"}}}, "defaults.browser"),
    ],
)
async def test_wrong_config_is_refused_and_nothing_is_written(
    profiles: Client, input: dict[str, Any], hint: str
) -> None:
    error = await profiles.error("profile.set", input)
    assert error.code == "INVALID_INPUT"
    assert hint in error.message
    assert await profiles.data("profile.list") == {"profiles": []}


async def test_file_that_cannot_be_used_is_reported(profiles: Client, tmp_path: Path) -> None:
    missing = await profiles.error("profile.set", {"name": "dev", "file": "nowhere.json"})
    assert missing.code == "IO_ERROR"
    (tmp_path / "broken.json").write_text("{")
    broken = await profiles.error(
        "profile.set", {"name": "dev", "file": "broken.json"}, cwd=tmp_path
    )
    assert broken.code == "INVALID_INPUT"


async def test_corrupt_profile_is_shown_with_defaults_and_a_warning(profiles: Client) -> None:
    folder = profiles.profiles.folder("dev")
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{ not json")
    response = await profiles.send("profile.show", {"name": "dev"})
    assert response.data is not None
    assert response.data["defaults"] == {}
    assert "config.json" in messages(response)[0]
    assert [path.read_text() for path in folder.glob("config.json.corrupt-*")] == ["{ not json"]
