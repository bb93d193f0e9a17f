"""Playwright projects."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from pwtui.operations.framework.call import Call
from pwtui.operations.framework.declare import configures
from pwtui.operations.framework.fields import Data, Input
from pwtui.protocol.errors import InvalidInput
from pwtui.state.files import write_atomic

_TEMPLATES = Path(__file__).with_name("project")


class InitInput(Input):
    path: str = Field(".", description="Project folder.")
    template: Literal["standard", "minimal"] = Field(
        "standard", description="minimal creates the tests folder only."
    )
    no_config: bool = Field(False, description="Do not write a playwright.config file.")
    no_example: bool = Field(False, description="Do not write an example test.")
    typescript: bool = Field(False, description="Write config and example in TypeScript.")
    force: bool = Field(False, description="Overwrite existing files.")
    nix: bool = Field(False, description="Add a script that finds the browsers of Nix.")


class InitData(Data):
    project_root: str
    files_created: list[str]
    directories_created: list[str]


@configures("init", example={"template": "minimal"})
async def init(call: Call, input: InitInput) -> InitData:
    """Create a Playwright project: config, example test, folders for results."""
    root = call.path(input.path).resolve()
    folder = root / "playwright"
    if not input.force:
        _refuse_existing(root)
    folders = [folder / "tests"]
    files: dict[Path, str] = {folder / ".gitignore": "gitignore"}
    suffix = "ts" if input.typescript else "js"
    if not input.no_config:
        files[root / f"playwright.config.{suffix}"] = "playwright.config"
    if not input.no_example:
        files[folder / "tests" / f"example.spec.{suffix}"] = "example.spec"
    if input.template == "standard":
        folders += [folder / name for name in ("results", "reports", "screenshots", "auth")]
        files[folder / "scripts" / "common.sh"] = "common.sh"
    if input.nix:
        files[folder / "scripts" / "setup-browsers.sh"] = "setup-browsers.sh"
    folders += [path.parent for path in files]
    new_folders = [path for path in dict.fromkeys(folders) if not path.exists()]
    for path in new_folders:
        path.mkdir(parents=True, exist_ok=True)
    for path, template in files.items():
        write_atomic(path, (_TEMPLATES / f"{template}.txt").read_bytes())
        if path.suffix == ".sh":
            path.chmod(0o755)
    return InitData(
        project_root=str(root),
        files_created=[str(path) for path in files],
        directories_created=[str(path) for path in new_folders],
    )


def _refuse_existing(root: Path) -> None:
    """The playwright folder alone is no project: profiles are stored there."""
    names = ("playwright.config.js", "playwright.config.ts", "playwright/tests")
    if existing := [name for name in names if (root / name).exists()]:
        raise InvalidInput(
            f"{root} already has a Playwright project: {', '.join(existing)}",
            hint="use force to overwrite its files",
            details={"existing": existing},
        )
