"""Recording and exporting: another program can replay the requests."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from pwtui.app.screens.operation import OperationScreen
from pwtui.protocol.secrets import mask_text
from pwtui.state.profiles import Profiles
from pwtui.state.workspace import Workspace
from pwtui.widgets.dialogs import ChoiceDialog, PromptDialog
from tests.app.conftest import Opens
from tests.app.panel import Panel
from tests.site import TestSite

SECRET = "correct-horse-battery"


async def export(panel: Panel, kind: str, target: Path) -> list[dict[str, Any]]:
    """Export by keys; the lines of the file."""
    await panel.press("x")
    await panel.screen(ChoiceDialog)
    await panel.press(kind)
    await panel.screen(PromptDialog)
    await panel.clear()
    await panel.type(str(target))
    await panel.press("enter")
    await panel.until(target.exists, f"{target.name}; {panel.toasts}")
    await panel.home()
    return [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]


async def fill(panel: Panel, name: str, text: str, number: int) -> None:
    await panel.go_to(panel.ref("textbox", name))
    await panel.press("enter")
    await panel.screen(PromptDialog)
    await panel.type(text)
    await panel.press("enter")
    assert (await panel.answer("fill", number)).ok
    await panel.page()


def replay(lines: str, tmp_path: Path, *arguments: str) -> list[dict[str, Any]]:
    """The responses of `pw batch` in a fresh workspace, without any daemon."""
    root = tmp_path / "fresh"
    root.mkdir()

    def without_daemon(config: Any) -> None:
        config.defaults.use_daemon = False

    Profiles(Workspace(root.resolve())).change_config("default", without_daemon)
    done = subprocess.run(
        [sys.executable, "-m", "pwtui.cli.main", "batch", *arguments],
        input=lines,
        capture_output=True,
        text=True,
        cwd=root,
        env=os.environ
        | {"PW_WORKSPACE_ROOT": str(root), "PWTUI_RUNTIME_DIR": str(root / "no-daemon")},
        timeout=90,
        check=False,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return [json.loads(line) for line in done.stdout.splitlines()]


async def test_an_export_replays_in_a_new_browser(
    open: Opens, site: TestSite, tmp_path: Path
) -> None:
    async with open(url=site.url("/form.html")) as panel:
        await fill(panel, "Name", "Ana", 1)
        await fill(panel, "Password", SECRET, 2)
        await panel.click_ref(panel.ref("button", "Submit"))
        await panel.answer("click")
        await panel.page()
        panel.app.send(panel.app.controller.request("page.text", {"selector": "#result"}))
        text = await panel.answer("page.text")
        assert text.ok, text.response

        masked = await export(panel, "r", tmp_path / "masked.ndjson")
        clear = await export(panel, "s", tmp_path / "clear.ndjson")
        pairs = await export(panel, "p", tmp_path / "pairs.ndjson")

    ops = ["navigate", "fill", "fill", "click", "page.text"]
    assert [each["op"] for each in masked] == ops
    assert [each["op"] for each in clear] == ops
    assert [each["request"]["op"] for each in pairs] == ops
    assert all(each["response"]["ok"] for each in pairs)
    assert not any("ref" in each["input"] for each in masked)
    assert "Name" in masked[1]["input"]["selector"]
    assert SECRET not in json.dumps(masked)
    assert masked[2]["input"]["text"] == "{{password}}"
    assert SECRET not in json.dumps(pairs[2])
    assert clear[2]["input"]["text"] == SECRET
    assert (tmp_path / "clear.ndjson").stat().st_mode & 0o077 == 0
    lines = (tmp_path / "masked.ndjson").read_text(encoding="utf-8")
    responses = await asyncio.to_thread(replay, lines, tmp_path, "--var", f"password={SECRET}")
    assert [each["ok"] for each in responses] == [True] * 5
    assert text.response is not None
    assert mask_text(responses[-1]["data"]["text"]) == text.response["data"]["text"]
    assert "name=Ana" in responses[-1]["data"]["text"]


@pytest.mark.thorough
async def test_a_selection_or_a_filter_limits_the_export(open: Opens, tmp_path: Path) -> None:
    async with open() as panel:
        for number, name in enumerate(("one", "two", "three"), start=1):
            panel.app.send(panel.app.controller.request("profile.show", {"name": name}))
            await panel.answer("profile.show", number)
        panel.app.send(panel.app.controller.request("profile.list"))
        await panel.answer("profile.list")

        everything = await export(panel, "r", tmp_path / "all.ndjson")
        await panel.press("9", "slash")
        await panel.type("op:profile.show")
        await panel.press("enter")
        filtered = await export(panel, "r", tmp_path / "filtered.ndjson")
        await panel.press("home", "space", "down", "space")
        selected = await export(panel, "r", tmp_path / "selected.ndjson")
        await panel.press("x")
        await panel.screen(ChoiceDialog)
        await panel.press("r")
        await panel.screen(PromptDialog)
        await panel.clear()
        await panel.type("/dev/null/x.ndjson")
        await panel.press("enter")
        await panel.until(lambda: any("/dev/null" in each for each in panel.toasts), "a toast")

    assert len(everything) == 4
    assert [each["input"]["name"] for each in filtered] == ["one", "two", "three"]
    assert [each["input"]["name"] for each in selected] == ["one", "two"]


async def test_a_masked_request_is_sent_again_with_the_value_that_is_typed(
    open: Opens, workspace: Workspace
) -> None:
    async with open() as panel:
        endpoint = f"ws://127.0.0.1:1/cdp?token={SECRET}"
        panel.app.send(panel.app.controller.request("connect", {"endpoint": endpoint}))
        first = await panel.answer("connect")
        assert SECRET not in json.dumps([first.request, first.response])
        await panel.press("9", "r")
        dialog = await panel.screen(PromptDialog)
        assert dialog.query_one(Input).password
        await panel.press("escape")
        await panel.home()
        assert len(panel.entries("connect")) == 1
        await panel.press("r")
        await panel.screen(PromptDialog)
        await panel.type("another")
        await panel.press("enter")
        second = await panel.answer("connect", 2)

    assert second.ok, second.response
    config = Profiles(workspace).load("default").config
    assert config.defaults.cdp_endpoint == "ws://127.0.0.1:1/cdp?token=another"


async def test_f6_records_variables_instead_of_secrets(open: Opens) -> None:
    async with open() as panel:
        request = panel.app.controller.request("fill", {"selector": "#password", "text": SECRET})
        panel.app.open_operation(request)
        screen = await panel.screen(OperationScreen)
        await panel.until(lambda: screen.query("#input-form SchemaForm"), "the form")
        await panel.press("f6")
        await panel.until(lambda: panel.store.recorded, "it is recorded")
        recorded = Path(str(panel.store.recording_path)).read_text(encoding="utf-8")

    assert json.loads(recorded)["request"]["input"] == {
        "selector": "#password",
        "text": "{{password}}",
    }


async def test_a_recording_has_a_line_for_each_request_until_it_is_stopped(open: Opens) -> None:
    async with open() as panel:
        await panel.press("R")
        path = Path(str(panel.store.recording_path))
        panel.app.send(panel.app.controller.request("protect.list"))
        await panel.answer("protect.list")
        panel.app.send(panel.app.controller.request("profile.list"))
        await panel.answer("profile.list")
        await panel.until(lambda: "rec 2" in panel.status, "the count")
        recorded = path.read_text(encoding="utf-8").splitlines()
        await panel.until(lambda: panel.text("#log").count("●") == 2, "two marks")
        await panel.press("R")
        await panel.until(lambda: "rec" not in panel.status, "it is stopped")
        panel.app.send(panel.app.controller.request("ops.list"))
        await panel.answer("ops.list")

        lines = path.read_text(encoding="utf-8").splitlines()
        assert recorded == lines
        assert [json.loads(line)["request"]["op"] for line in lines] == [
            "protect.list",
            "profile.list",
        ]
        assert [json.loads(line)["response"].get("error") for line in lines] == [None, None]
        assert path.stat().st_mode & 0o077 == 0
