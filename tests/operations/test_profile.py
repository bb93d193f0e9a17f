"""profile.*: profiles as data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pwtui.state.workspace import Workspace
from tests.client import Client
from tests.operations.support import delta, messages


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
    assert deleted.data == {"profile": "dev", "removed": True}
    assert deleted.inputs == {"name": "dev"}
    again = await profiles.data("profile.delete", {"name": "dev"})
    assert again == {"profile": "dev", "removed": False}


async def test_profile_that_does_not_exist_is_shown_with_defaults(profiles: Client) -> None:
    data = await profiles.data("profile.show", {"name": "new"})
    assert data["schema"] == 4
    assert data["defaults"] == {}
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


async def test_replaced_config_loses_what_is_not_in_it(profiles: Client) -> None:
    await profiles.data("profile.set", {"name": "dev", "config": {"protectedUrls": ["mail"]}})
    await profiles.data("profile.set", {"name": "dev", "config": {}})
    assert "protectedUrls" not in await profiles.data("profile.show", {"name": "dev"})


async def test_unknown_members_are_kept_with_a_warning(profiles: Client) -> None:
    config = {"defaults": {"timeoutMS": 1}, "colour": "red"}
    response = await profiles.send("profile.set", {"name": "dev", "config": config})
    assert response.ok
    assert "colour" in messages(response)[0]
    assert "defaults.timeoutMS" in messages(response)[0]
    assert (await profiles.data("profile.show", {"name": "dev"}))["colour"] == "red"


@pytest.mark.parametrize(
    ("input", "hint"),
    [
        ({}, "name"),
        ({"name": "dev"}, "file or a config"),
        ({"name": "dev", "config": {}, "file": "x"}, "file or a config"),
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


async def test_file_that_cannot_be_used_is_told(profiles: Client, tmp_path: Path) -> None:
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
