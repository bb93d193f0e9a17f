"""The palette, the form of an operation, and the history."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Static, TextArea

from pwtui.app.controller import Controller
from pwtui.app.history import RequestHistory
from pwtui.app.screens.operation import OperationScreen
from pwtui.app.screens.palette import HistoryScreen, PaletteScreen
from pwtui.app.settings import Settings
from pwtui.protocol.envelope import Request
from pwtui.state.profiles import Profiles
from pwtui.state.workspace import Workspace
from pwtui.widgets.picker import Picker
from pwtui.widgets.schema_form import SchemaForm
from tests.app.conftest import Opens
from tests.app.panel import Panel
from tests.site import TestSite
from tests.widgets.log_samples import entry as log_entry
from tests.widgets.support import HOSTILE, controls


async def pick(panel: Panel, text: str) -> None:
    """Choose by typing in the palette."""
    await panel.press("ctrl+p")
    palette = await panel.screen(PaletteScreen)
    picker = palette.query_one(Picker)
    await panel.until(lambda: picker.hit_count > 60, "all operations")
    await panel.type(text)
    await panel.until(lambda: picker._input.value == text, "the text")
    await panel.press("enter")


async def open_operation(panel: Panel, op: str) -> tuple[OperationScreen, SchemaForm]:
    await pick(panel, op)
    screen = await panel.screen_of(OperationScreen)
    await panel.until(lambda: list(screen.query("#input-form SchemaForm")), "its form")
    form = screen.query_one("#input-form SchemaForm", SchemaForm)
    await panel.until(lambda: form.is_mounted, "its form")
    return screen, form


def envelope_of(screen: OperationScreen) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(screen.query_one("#json", TextArea).text)
    return value


def verdict(screen: OperationScreen) -> str:
    return str(screen.query_one("#verdict", Static).content)


async def test_the_palette_finds_operations_actions_and_themes(open: Opens) -> None:
    async with open() as panel:
        await panel.press("ctrl+p")
        palette = await panel.screen(PaletteScreen)
        picker = palette.query_one(Picker)
        await panel.until(lambda: picker.hit_count > 60, "all operations")

        assert picker.highlighted_item is not None
        assert picker.highlighted_item.title == "keys", "the first one changes nothing"
        found = {}
        for text in ("navigate", "goto", "zoom", "theme graphite", "history"):
            picker._input.value = text
            await panel.pilot.pause()
            assert picker.highlighted_item is not None
            found[text] = picker.highlighted_item.id
        assert found["navigate"] == found["goto"] == "navigate"  # also by its keyword
        assert found["zoom"] == "key z"
        assert found["theme graphite"] == "theme graphite"
        assert found["history"] in ("history", "key ctrl+r")
        picker._input.value = "auth.login"
        await panel.pilot.pause()
        found_item = picker.highlighted_item
        assert found_item is None or found_item.id != "op:auth.login"  # the engine would refuse it
        picker._input.value = "navigate"
        await panel.until(lambda: '"navigate"' in panel.text("#preview"), "a preview")
        palette.set_focus(None)  # as a click beside the input
        await panel.until(lambda: palette.focused is picker._input, "the input again")
        await panel.press("escape")
        await panel.home()

        await pick(panel, "theme graphite")
        await panel.until(lambda: panel.app.theme == "graphite", "the theme")
        await panel.home()
        await panel.press("9")
        await pick(panel, "zoom")
        await panel.until(lambda: panel.main.maximized is not None, "the zoom")


async def test_the_form_of_an_operation_says_which_element_is_missing(open: Opens) -> None:
    async with open() as panel:

        async def form_that_says(op: str, text: str) -> tuple[OperationScreen, SchemaForm]:
            screen, form = await open_operation(panel, op)
            await panel.until(lambda: text in verdict(screen), text)
            return screen, form

        await form_that_says("click", "no selector, ref or words: it acts on css=button")
        await panel.press("escape")
        await panel.home()
        await form_that_says("drag", "exactly one of toSelector, toRef and toWords is required")
        await panel.press("escape")
        await panel.home()
        screen, form = await form_that_says("hover", "selector: is required, or a ref or words")
        await panel.press("f2")
        assert panel.app.screen is screen, "it was not sent"
        await panel.fill_in(form, "words", "Save")
        await panel.until(lambda: verdict(screen) == "valid", "an element is named")


async def test_form_and_json_of_an_operation_follow_each_other_and_f2_sends(
    open: Opens, site: TestSite
) -> None:
    async with open() as panel:
        screen, form = await open_operation(panel, "navigate")
        assert envelope_of(screen)["op"] == "navigate"
        assert "▸ overrides" in panel.screen_text
        assert "executablePath" not in panel.screen_text
        await panel.until(lambda: panel.text("#field-help").strip(), "the help of the field")

        await panel.fill_in(form, "url", site.url("/links.html"))
        await panel.until(
            lambda: envelope_of(screen)["input"] == {"url": site.url("/links.html")}, "the JSON"
        )
        assert verdict(screen) == "valid"
        area = screen.query_one("#json", TextArea)
        area.text = area.text.replace("links.html", "form.html")
        await panel.until(
            lambda: form.value() == {"url": site.url("/form.html")}, "the form follows"
        )
        area.text = area.text + "}"
        await panel.until(lambda: verdict(screen) != "valid", "invalid JSON is reported")
        area.text = area.text[:-1]
        await panel.until(lambda: verdict(screen) == "valid", "right again")

        await panel.press("f2")

        await panel.home()
        entry = await panel.answer("navigate")
        assert entry.ok
        assert entry.request["input"] == {"url": site.url("/form.html")}
        await panel.page("Form")


async def test_f3_sends_and_keeps_the_form_and_f6_only_records(open: Opens) -> None:
    async with open() as panel:
        screen, form = await open_operation(panel, "protect.add")
        await panel.until(lambda: verdict(screen) == "pattern: is required", "what is missing")
        await panel.fill_in(form, "pattern", "one")

        await panel.press("f3")
        await panel.answer("protect.add")
        await panel.press("f3")
        await panel.answer("protect.add", 2)
        assert isinstance(panel.app.screen, OperationScreen)
        assert panel.store.recording_path is None
        await panel.press("f6")

        path = Path(str(panel.store.recording_path))
        assert panel.store.recorded == 1
        lines = path.read_text(encoding="utf-8").splitlines()
        assert [json.loads(line)["request"]["op"] for line in lines] == ["protect.add"]
        assert len(panel.entries("protect.add")) == 2


async def test_the_copied_command_does_the_same_in_a_shell(
    open: Opens, copied: list[str], workspace: Workspace, tmp_path: Path
) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    pw = folder / "pw"
    pw.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pwtui.cli.main "$@"\n', encoding="utf-8")
    pw.chmod(0o755)
    async with open() as panel:
        screen, form = await open_operation(panel, "profile.set")
        config = {"defaults": {"baseUrl": 'https://a.example/it\'s $HOME `x` "q"'}}
        screen.query_one("#json", TextArea).text = json.dumps(
            {"op": "profile.set", "input": {"name": "copied", "config": config}}
        )
        await panel.until(lambda: form.value().get("name") == "copied", "the form follows")
        await panel.press("f4")
        await panel.until(lambda: copied, "the JSON is copied")
        assert json.loads(copied[0])["input"] == {"name": "copied", "config": config}
        await panel.press("f5")
        await panel.until(lambda: len(copied) == 2, "the command is copied")
        assert copied[1].startswith("pw exec profile.set ")

        done = await asyncio.to_thread(_in_shell, copied[1], folder, workspace)
        assert done.returncode == 0, done.stderr
        response = json.loads(done.stdout)
        await panel.press("f2")
        entry = await panel.answer("profile.set", 2)

    assert response["ok"]
    assert entry.response is not None
    assert entry.response["data"] == response["data"]
    written = panel.profiles.load("copied").config.defaults.base_url
    assert written == config["defaults"]["baseUrl"]


def _in_shell(command: str, folder: Path, workspace: Workspace) -> subprocess.CompletedProcess[str]:
    import os

    environment = os.environ | {
        "PATH": f"{folder}:{os.environ['PATH']}",
        "PW_WORKSPACE_ROOT": str(workspace.root),
    }
    shell = shutil.which("bash") or "/bin/sh"
    return subprocess.run(
        [shell, "-c", command],
        capture_output=True,
        text=True,
        env=environment,
        cwd=workspace.root,
        timeout=60,
        check=False,
    )


async def test_history_opens_the_form_of_an_earlier_request(
    open: Opens, workspace: Workspace
) -> None:
    Profiles(workspace).change_config("one", lambda config: None)
    async with open() as panel:
        panel.app.send(panel.app.controller.request("profile.show", {"name": "one"}))
        await panel.answer("profile.show")
        panel.app.send(panel.app.controller.request("profile.list"))
        await panel.answer("profile.list")

        await panel.press("ctrl+r")
        await panel.screen(HistoryScreen)
        await panel.shows("profile.list")
        await panel.press("down", "enter")

        screen = await panel.screen(OperationScreen)
        assert envelope_of(screen)["op"] == "profile.show"
        assert envelope_of(screen)["input"] == {"name": "one"}
        await panel.press("f2")
        await panel.answer("profile.show", 2)

    async with open() as panel:
        await panel.press("ctrl+r")
        await panel.screen(HistoryScreen)
        await panel.shows("profile.show")


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_the_form_shows_its_problem_and_f2_focuses_it(
    open: Opens, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open(size=size) as panel:
        panel.app.open_operation(panel.app.controller.request("profile.create"))
        screen = await panel.screen_of(OperationScreen)
        await panel.until(lambda: "name: is required" in panel.text("#verdict"), "the verdict")
        form = screen.query_one("#input-form").query_one(SchemaForm)
        name, config = (form._form_rows[key].control for key in ("name", "config"))
        await panel.until(lambda: name.has_focus, "the form")
        keys = panel.text("KeyBar")

        config.focus()
        await panel.press("f2")
        await panel.until(lambda: name.has_focus, "the focus in the field that is wrong")
        assert panel.entries("profile.create") == []
        for widget in (config, form._form_rows["name"].control, screen.query_one("#json")):
            if widget.region.area:
                widget.focus()
                await panel.pilot.pause()
                assert panel.text("KeyBar") == keys


async def test_history_keeps_locators_of_this_workspace_only(
    open: Opens, site: TestSite, workspace: Workspace, tmp_path: Path
) -> None:
    async with open(url=site.url("/form.html")) as panel:
        request = panel.app.controller.request("click", {"ref": panel.ref("button", "Submit")})
        panel.app.send(request)
        assert (await panel.answer("click")).ok
        clicks = _clicks(panel.app.controller)
        assert [set(each["input"]) for each in clicks] == [{"selector"}]

    async with open() as panel:
        assert _clicks(panel.app.controller) == clicks
    assert RequestHistory(Settings(), str(tmp_path / "elsewhere")).requests == []


def test_the_history_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pwtui.app.history.KEPT_INPUTS", 3)
    monkeypatch.setattr("pwtui.app.history.KEPT_REQUESTS", 2)
    history = RequestHistory(Settings(), "/w")
    for number in range(5):
        request = Request(op="fill", input={"text": f"{number}"}, request_id=f"r{number}")
        history.sent(request)

    assert [each["input"]["text"] for each in history.requests] == ["3", "4"]
    masked = [log_entry(n, "fill", text="***") for n in range(5)]
    for each in masked:
        each.answer({**each.request, "requestId": f"r{each.seq}"}, None)
    shown = [history.unmasked(each).request["input"]["text"] for each in masked]
    assert shown == ["***", "***", "2", "3", "4"]


@pytest.mark.thorough
async def test_hostile_text_is_shown_as_it_is_everywhere(open: Opens) -> None:
    hostile = " ".join(HOSTILE)
    async with open() as panel:
        for _ in range(2):
            panel.app.send(
                panel.app.controller.request("profile.set", {"name": hostile, "config": {}})
            )
        panel.app.send(panel.app.controller.request("profile.show", {"name": "[/]", "[/]": 1}))
        entry = await panel.answer("profile.show")
        assert entry.failed
        await panel.press("9", "enter")
        await panel.until(lambda: panel.detail.entry is entry, "the detail")
        await panel.shows("[/]", "#detail")
        await panel.press("ctrl+r")
        await panel.screen(HistoryScreen)
        await panel.shows("[/]")
        await panel.press("enter")
        screen = await panel.screen(OperationScreen)
        await panel.until(lambda: "[/]" in verdict(screen), "what is wrong with it")
        assert controls(panel.app) == set()
        await panel.press("escape")
        await panel.home()
        assert panel.app.is_running


def _clicks(controller: Controller) -> list[dict[str, Any]]:
    return [each for each in controller.history.requests if each["op"] == "click"]
