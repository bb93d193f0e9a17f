"""The location of a workspace, its folders, and safe profile names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwtui.protocol.errors import InvalidInput
from pwtui.state.profiles import Profiles
from pwtui.state.siphash import hash_text, siphash13
from pwtui.state.workspace import Workspace, default_port, normalise_profile_name


@pytest.mark.parametrize(
    ("root", "workspace_id", "port"),
    [
        ("/tmp/ws", "1b170154c788016f", 9589),
        ("/", "cf1d3eb93fcb5a7a", 9895),
        ("/tmp/test-workspace", "c5fe1b8b2c3c2e39", 9465),
        ("/home/user/project", "fef3650b8c4f41e5", 9699),
    ],
)
def test_ids_and_ports_are_those_of_other_implementations(
    root: str, workspace_id: str, port: int
) -> None:
    workspace = Workspace(Path(root))

    assert workspace.id == workspace_id
    assert workspace.profile_id("default") == f"{workspace_id}:default"
    assert workspace.default_port("default") == port


@pytest.mark.parametrize(
    ("profile_id", "port"),
    [("workspace:agent-a", 9855), ("workspace-id:agent-a", 10136), ("abc:dev", 9928)],
)
def test_a_profile_id_has_a_port(profile_id: str, port: int) -> None:
    assert default_port(profile_id) == port


@given(st.text())
def test_ports_are_in_the_range(profile_id: str) -> None:
    assert 9222 <= default_port(profile_id) <= 10221


@given(st.binary(max_size=64))
def test_the_hash_has_64_bits_and_depends_only_on_its_input(data: bytes) -> None:
    assert 0 <= siphash13(data) < 2**64
    assert siphash13(data) == siphash13(bytes(data))
    assert siphash13(data) != siphash13(data + b"\x00")


def test_text_with_lone_surrogates_can_be_hashed() -> None:
    assert 0 <= hash_text("/tmp/\udcff") < 2**64


def test_a_session_key_has_profile_browser_and_mode() -> None:
    workspace = Workspace(Path("/tmp/ws"))

    headless = workspace.session_key("dev", "firefox", headless=True)
    headful = workspace.session_key("dev", "firefox", headless=False)

    assert str(headless) == "1b170154c788016f:dev:firefox:headless"
    assert str(headful) == "1b170154c788016f:dev:firefox:headful"


def test_the_folders_have_the_documented_paths() -> None:
    profiles = Profiles(Workspace(Path("/w")))
    state = Path("/w/playwright/.pw-cli-v4")

    assert profiles.workspace.state_dir == state
    assert profiles.folder("dev") == state / "profiles/dev"
    assert profiles.auth_folder("dev") == state / "profiles/dev/auth"


# Locating ----------------------------------------------------------------------------------------


def test_the_current_folder_is_the_default_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert Workspace.locate().root == tmp_path.resolve()


def test_an_explicit_folder_overrides_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Workspace.locate(tmp_path).root == tmp_path.resolve()
    monkeypatch.setenv("PW_WORKSPACE_ROOT", str(tmp_path / "chosen"))

    assert Workspace.locate(tmp_path / "explicit").root == tmp_path.resolve() / "explicit"
    assert Workspace.locate().root == tmp_path.resolve() / "chosen"


def test_an_empty_variable_is_the_same_as_an_unset_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PW_WORKSPACE_ROOT", "")
    monkeypatch.chdir(tmp_path)

    assert Workspace.locate().root == tmp_path.resolve()


def test_a_relative_variable_is_relative_to_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PW_WORKSPACE_ROOT", "sub/../other")
    monkeypatch.chdir(tmp_path)

    assert Workspace.locate().root == tmp_path.resolve() / "other"


def test_a_linked_folder_is_the_same_workspace_as_the_real_one(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")

    assert Workspace.locate(tmp_path / "link") == Workspace.locate(tmp_path / "real")


def test_a_project_in_a_parent_folder_does_not_change_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "playwright.config.ts").touch()
    nested = tmp_path / "packages" / "shop"
    nested.mkdir(parents=True)

    workspace = Workspace.locate(nested)

    assert workspace.root == nested.resolve()
    assert workspace.project_root == tmp_path.resolve()


@pytest.mark.parametrize("config", ["playwright.config.js", "playwright.config.ts"])
def test_the_nearest_project_is_used(tmp_path: Path, config: str) -> None:
    inner = tmp_path / "inner"
    (inner / "deep").mkdir(parents=True)
    (tmp_path / "playwright.config.ts").touch()
    (inner / config).touch()

    assert Workspace((inner / "deep").resolve()).project_root == inner.resolve()


def test_without_a_project_paths_are_relative_to_the_workspace(workspace: Workspace) -> None:
    assert workspace.project_root == workspace.root
    assert workspace.resolve_path("auth/me.json") == workspace.root / "auth/me.json"


def test_paths_of_a_profile_are_relative_to_the_project(tmp_path: Path) -> None:
    (tmp_path / "playwright.config.js").touch()
    workspace = Workspace((tmp_path / "sub").resolve())

    assert workspace.resolve_path("me.json") == tmp_path.resolve() / "me.json"
    assert workspace.resolve_path("/abs/me.json") == Path("/abs/me.json")
    assert workspace.resolve_path("~/me.json") == Path.home() / "me.json"


# Profile names -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("default", "default"),
        ("prod/team A", "prod-team-A"),
        ("-a-", "a"),
        ("a.b_c-D9", "a.b_c-D9"),
        ("../../etc/passwd", "..-..-etc-passwd"),
        ("a\n", "a"),
        ("a\x00b", "a-b"),
        (".hidden", ".hidden"),
        ("...", "..."),
    ],
)
def test_a_profile_name_becomes_a_safe_folder_name(raw: str, name: str) -> None:
    assert normalise_profile_name(raw) == name


@pytest.mark.parametrize(
    "raw", [".", "..", "/.", "../", "-..-", " . ", "ü..", "", " ", "*", "////", "é", "客户"]
)
def test_a_name_outside_the_profiles_folder_or_an_empty_one_is_refused(raw: str) -> None:
    with pytest.raises(InvalidInput, match="not allowed"):
        normalise_profile_name(raw)


def test_a_name_that_is_too_long_is_refused() -> None:
    assert normalise_profile_name("x" * 120) == "x" * 120
    with pytest.raises(InvalidInput, match="121 characters"):
        normalise_profile_name("x" * 121)


@given(st.text() | st.text("./\\-~ a", max_size=8))
def test_profile_folders_are_in_the_profiles_folder(raw: str) -> None:
    profiles = Profiles(Workspace(Path("/w")))
    try:
        name = normalise_profile_name(raw)
    except InvalidInput:
        return

    assert re.fullmatch(r"[A-Za-z0-9._-]+", name)
    assert name not in (".", "..")
    assert normalise_profile_name(name) == name
    assert profiles.folder(raw).resolve().parent == profiles.workspace.profiles_dir.resolve()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("~no-such-user/me.json", "there is no such user"),
        ("a\0b", "it has a null character"),
        ("x" * 300, "it is too long"),
        ("x/" * 3000, "it is too long"),
        ("a\ud800b", "it has a character that file names cannot have"),
    ],
)
def test_a_text_that_cannot_be_a_path_is_refused(
    workspace: Workspace, text: str, problem: str
) -> None:
    with pytest.raises(InvalidInput, match=f"^cannot use the path .*: {problem}$"):
        workspace.resolve_path(text)
