"""init: creates a project, and never overwrites one."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from pwtui.state.workspace import Workspace
from tests.client import Client
from tests.operations.support import delta


@pytest.fixture
def project(workspace: Workspace) -> Client:
    return Client(workspace.root)


def files(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


async def test_standard_project_has_config_example_and_folders(project: Client) -> None:
    response = await project.send("init")
    assert response.data is not None
    assert response.data.keys() == {"projectRoot", "filesCreated", "directoriesCreated"}
    root = project.root
    assert response.data["projectRoot"] == str(root)
    assert files(root) == {
        "playwright.config.js",
        "playwright/.gitignore",
        "playwright/scripts/common.sh",
        "playwright/tests/example.spec.js",
    }
    assert {str(root / name) for name in files(root)} == set(response.data["filesCreated"])
    for name in ("results", "reports", "screenshots", "auth"):
        assert (root / "playwright" / name).is_dir()
        assert str(root / "playwright" / name) in response.data["directoriesCreated"]
    assert os.access(root / "playwright" / "scripts" / "common.sh", os.X_OK)
    assert response.inputs == {}
    assert delta(response) == {}


@pytest.mark.parametrize(
    ("input", "created"),
    [
        (
            {"template": "minimal"},
            {"playwright.config.js", "playwright/.gitignore", "playwright/tests/example.spec.js"},
        ),
        (
            {"template": "minimal", "typescript": True},
            {"playwright.config.ts", "playwright/.gitignore", "playwright/tests/example.spec.ts"},
        ),
        (
            {"template": "minimal", "noConfig": True, "noExample": True, "nix": True},
            {"playwright/.gitignore", "playwright/scripts/setup-browsers.sh"},
        ),
    ],
)
async def test_options_choose_what_is_created(
    project: Client, input: dict[str, Any], created: set[str]
) -> None:
    response = await project.send("init", input)
    assert response.ok, response.error
    assert response.inputs == input
    assert files(project.root) == created
    assert (project.root / "playwright" / "tests").is_dir()


async def test_scripts_are_valid_shell(project: Client) -> None:
    await project.data("init", {"nix": True})
    for script in (project.root / "playwright" / "scripts").iterdir():
        shell = await asyncio.create_subprocess_exec("bash", "-n", script)
        assert await shell.wait() == 0


async def test_project_can_be_made_in_another_folder(project: Client) -> None:
    data = await project.data("init", {"path": "sub/project"})
    assert data["projectRoot"] == str(project.root / "sub" / "project")
    assert (project.root / "sub" / "project" / "playwright.config.js").is_file()


async def test_existing_project_is_not_touched(project: Client) -> None:
    config = project.root / "playwright.config.ts"
    config.write_text("mine")
    error = await project.error("init", {"typescript": True})
    assert error.code == "INVALID_INPUT"
    assert "force" in str(error.hint)
    assert files(project.root) == {"playwright.config.ts"}
    await project.data("init", {"typescript": True, "force": True})
    assert config.read_text() != "mine"


async def test_saved_state_alone_is_no_project(project: Client) -> None:
    await project.data("profile.set", {"name": "dev", "config": {}})
    await project.data("init")
    assert (project.root / "playwright.config.js").is_file()
    assert await project.data("profile.list") == {"profiles": ["dev"]}


async def test_folder_that_cannot_be_written_is_an_io_error(project: Client) -> None:
    (project.root / "playwright").write_text("in the way")
    error = await project.error("init")
    assert error.code == "IO_ERROR"


async def test_unknown_template_is_refused(project: Client) -> None:
    error = await project.error("init", {"template": "huge"})
    assert error.code == "INVALID_INPUT"
