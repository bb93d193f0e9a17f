"""Profiles in the panel: created, copied, renamed, deleted and edited by keys."""

from __future__ import annotations

import json
from typing import Any

from textual.widgets import Input, Static, TextArea

from pwtui.app.screens.profile_editor import ProfileEditor
from pwtui.demo import DemoSite
from pwtui.state.config import ProfileConfig
from pwtui.state.profiles import Profiles
from pwtui.state.workspace import Workspace
from pwtui.widgets.dialogs import ChoiceDialog, ConfirmDialog, PromptDialog
from pwtui.widgets.profile_list import ProfileList
from pwtui.widgets.schema_form import SchemaForm
from tests.app.conftest import Opens
from tests.app.panel import Panel, client_of, envelope
from tests.site import TestSite


def names(panel: Panel) -> list[str]:
    return [each.name for each in panel.store.profiles]


async def name_it(panel: Panel, text: str) -> None:
    await panel.screen(PromptDialog)
    await panel.clear()
    await panel.type(text)
    await panel.press("enter")


async def at_profile(panel: Panel, name: str) -> None:
    """The cursor on a profile in its list."""
    await panel.press("1")
    await panel.until(
        lambda: panel.main.query_one(ProfileList).move_to_key(name), f"profile {name}"
    )


async def test_a_profile_is_made_copied_renamed_and_deleted_by_keys(
    open: Opens, workspace: Workspace
) -> None:
    async with open() as panel:
        await panel.press("1", "n")
        await name_it(panel, "..")
        dialog = await panel.screen(PromptDialog)
        problem = dialog.query_one(".dialog--problem", Static)
        await panel.until(lambda: str(problem.content), "what is wrong")
        await name_it(panel, "shop")
        await panel.until(lambda: panel.store.active_profile == "shop", "the new one is active")
        await panel.until(lambda: "shop" in names(panel), "it is listed")
        await panel.until(lambda: "▶ shop" in panel.text("#profiles"), "it is marked as active")
        Profiles(workspace).change_config("shop", _wants_firefox)

        await at_profile(panel, "shop")
        await panel.press("d")
        assert (await panel.screen(PromptDialog)).query_one(Input).value == "shop-copy"
        await name_it(panel, "shop two")
        await panel.until(lambda: "shop-two" in names(panel), "the copy")
        assert panel.profiles.load("shop-two").config.defaults.browser == "firefox"

        rows = panel.main.query_one(ProfileList)
        await panel.until(lambda: rows.cursor_key == "shop-two", "the next key is for it")
        await panel.press("f2")
        entry = (await panel.screen(PromptDialog)).query_one(Input)
        assert entry.value == "shop-two"
        await panel.press("enter")
        await panel.home()
        await panel.press("f2")
        await name_it(panel, "market")
        await panel.until(lambda: "market" in names(panel), "the new name")
        await panel.until(lambda: "shop-two" not in names(panel), "the old name is removed")
        assert panel.profiles.load("market").config.defaults.browser == "firefox"

        await at_profile(panel, "shop")
        await panel.press("delete")
        await panel.screen(ConfirmDialog)
        await panel.shows("config.json")
        await panel.press("enter")
        await panel.home()
        assert panel.profiles.exists("shop")
        await panel.press("delete")
        await panel.screen(ConfirmDialog)
        await panel.press("y")
        await panel.until(lambda: "shop" not in names(panel), "the profile is removed")
        assert not panel.profiles.exists("shop")
        sent = [each.op for each in panel.entries() if each.ok]
        changes = ("profile.create", "profile.copy", "profile.rename", "profile.delete")
        assert [op for op in sent if op in changes] == list(changes)

        await panel.press("ctrl+z")
        await panel.until(lambda: {"shop", "market"} <= {*names(panel)}, "the deleted one")
        await panel.press("ctrl+z")
        await panel.until(lambda: "shop-two" in names(panel), "the old name")
        await panel.press("ctrl+z")
        await panel.until(lambda: "shop-two" not in names(panel), "no copy")
        assert panel.profiles.names() == ["shop"]


async def test_renaming_a_profile_keeps_its_logins_and_stops_its_browser_after_a_question(
    open: Opens, site: TestSite
) -> None:
    async with open(url=site.url("/form.html")) as panel:
        auth = panel.profiles.auth_folder("default")
        auth.mkdir(parents=True)
        (auth / "shop.json").write_text("{}", encoding="utf-8")
        session = await panel.until(lambda: panel.store.session_of("default"), "the session")

        for answer in ("n", "y"):
            await at_profile(panel, "default")
            await panel.press("f2")
            await name_it(panel, "renamed")
            await panel.screen(ConfirmDialog)
            await panel.shows(f"pid {session and session.pid}")
            await panel.shows("form.html")
            assert panel.entries("session.stop") == []
            await panel.press(answer)
            await panel.home()

        assert (await panel.answer("profile.rename")).ok
        await panel.until(lambda: panel.store.active_profile == "renamed", "the new name")
        assert (panel.profiles.auth_folder("renamed") / "shop.json").exists()
        assert not panel.profiles.exists("default")


async def test_deleting_a_profile_names_the_browser_that_is_stopped(
    open: Opens, site: TestSite
) -> None:
    async with open(url=site.url("/form.html")) as panel:
        session = await panel.until(lambda: panel.store.session_of("default"), "the session")
        await at_profile(panel, "default")
        await panel.press("delete")
        await panel.screen(ConfirmDialog)
        await panel.shows(f"pid {session and session.pid}")
        await panel.shows("but this closes its browser")
        await panel.shows("form.html")
        await panel.press("y")

        assert (await panel.answer("profile.delete")).ok
        assert (await panel.answer("session.stop")).ok
        await panel.shows("U in Profiles, restores it", "LastingNotice")
        await panel.press("1", "U")
        await panel.screen(ChoiceDialog)
        await panel.press("enter")
        assert (await panel.answer("profile.restore")).ok
        assert panel.profiles.exists("default")
        await panel.until(lambda: not panel.store.notices.shown, "the notice is removed")


async def test_a_name_that_is_stored_differently_is_shown_as_it_will_be(open: Opens) -> None:
    async with open() as panel:
        await panel.press("1", "n")
        await panel.screen(PromptDialog)
        await panel.type("../evil name")
        await panel.until(lambda: "stored as ..-evil-name" in panel.screen_text, "the new name")
        await panel.clear()
        await panel.type("plain")
        await panel.until(lambda: "stored as" not in panel.screen_text, "nothing to say")


def _wants_firefox(config: ProfileConfig) -> None:
    config.defaults.browser = "firefox"


async def test_enter_makes_a_profile_active_with_its_session_and_its_page(
    open: Opens, shop: DemoSite, site: TestSite, workspace: Workspace
) -> None:
    async with client_of(workspace) as other:
        await other.request(envelope("navigate", "second", url=site.url("/form.html")))
    async with open(url=shop.url) as panel:
        await panel.until(lambda: panel.store.session_of("second"), "both sessions")
        assert "Corner Store" in panel.store.snapshot.title

        await at_profile(panel, "second")
        await panel.press("enter")

        await panel.page("Form")
        assert panel.store.active_profile == "second"
        await panel.shows("▶ second", "#profiles")
        await panel.shows("form.html", "#address")
        await panel.until(lambda: "second" in panel.status, "the status")
        await at_profile(panel, "default")
        await panel.press("enter")
        await panel.page("Corner Store")


# The editor --------------------------------------------------------------------------------------


async def edit(panel: Panel, name: str) -> ProfileEditor:
    await at_profile(panel, name)
    await panel.press("e")
    editor = await panel.screen(ProfileEditor)
    await panel.until(lambda: editor.query_one(SchemaForm).is_mounted, "the form")
    return editor


def raw(editor: ProfileEditor) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(editor.query_one("#json", TextArea).text)
    return value


def verdict(editor: ProfileEditor) -> str:
    return str(editor.query_one("#verdict", Static).content)


async def test_the_editor_synchronises_form_and_json_and_saves_with_a_request(
    open: Opens, workspace: Workspace
) -> None:
    Profiles(workspace).change_config("default", lambda config: None)
    async with open() as panel:
        editor = await edit(panel, "default")
        form = editor.query_one(SchemaForm)
        assert verdict(editor) == "saved"

        await panel.fill_in(form, "defaults.timeoutMs", "soon")
        await panel.until(lambda: "timeout" in verdict(editor).lower(), "what is wrong")
        await panel.press("ctrl+s")
        await panel.until(lambda: any("Not saved" in each for each in panel.toasts), "a refusal")
        assert panel.entries("profile.set") == []

        await panel.fill_in(form, "defaults.timeoutMs", "4321")
        await panel.until(lambda: raw(editor)["defaults"]["timeoutMs"] == 4321, "the JSON")
        await panel.until(lambda: verdict(editor) == "modified", "nothing wrong")
        area = editor.query_one("#json", TextArea)
        area.focus()
        await panel.pilot.pause()
        area.text = area.text.replace("4321", "8765")
        await panel.until(
            lambda: form.value()["defaults"]["timeoutMs"] == 8765, "the form follows the JSON"
        )
        area.text = area.text.replace("8765", "8765,,")
        await panel.until(lambda: "modified" not in verdict(editor), "invalid JSON is reported")
        area.text = area.text.replace("8765,,", "8765")
        await panel.until(lambda: verdict(editor) == "modified", "right again")
        await panel.press("ctrl+s")

        entry = await panel.answer("profile.set")
        assert entry.ok
        assert entry.request["input"]["config"]["defaults"]["timeoutMs"] == 8765
        await panel.until(lambda: verdict(editor) == "saved", "saved")
        assert panel.profiles.load("default").config.defaults.timeout_ms == 8765
        path = panel.profiles.folder("default") / "config.json"
        assert json.loads(path.read_bytes())["defaults"]["timeoutMs"] == 8765
        await panel.press("escape")
        await panel.home()


async def test_the_editor_asks_before_changes_are_lost(open: Opens) -> None:
    async with open() as panel:
        editor = await edit(panel, "default")
        await panel.fill_in(editor.query_one(SchemaForm), "defaults.timeoutMs", "4321")
        await panel.until(lambda: editor.is_modified, "a change")

        await panel.press("escape")
        await panel.screen(ConfirmDialog)
        await panel.press("escape")
        await panel.screen(ProfileEditor)
        assert editor.is_modified
        await panel.press("escape")
        await panel.screen(ConfirmDialog)
        await panel.press("y")

        await panel.home()
        assert not panel.profiles.exists("default")


async def test_a_change_on_disk_is_reported_in_a_line_and_saving_asks(
    open: Opens, workspace: Workspace
) -> None:
    others = Profiles(workspace)
    others.change_config("default", lambda config: None)

    def set_timeout(ms: int) -> None:
        def change(config: ProfileConfig) -> None:
            config.defaults.timeout_ms = ms

        others.change_config("default", change)

    async with open() as panel:
        editor = await edit(panel, "default")
        form = editor.query_one(SchemaForm)
        await panel.pilot.pause(0.5)

        set_timeout(1111)
        await panel.until(lambda: raw(editor)["defaults"].get("timeoutMs") == 1111, "reloaded")
        assert not editor.is_modified

        await panel.fill_in(form, "defaults.timeoutMs", "2222")
        await panel.until(lambda: editor.is_modified, "an edit")
        await panel.fill_in(form, "defaults.timeoutMs", "1111")
        await panel.until(lambda: verdict(editor) == "saved", "the same as before")
        await panel.fill_in(form, "defaults.timeoutMs", "2222")
        await panel.until(lambda: editor.is_modified, "an edit")
        set_timeout(3333)
        await panel.until(lambda: "F9: use theirs" in panel.text(editor), "a line about it")
        await panel.type("2")
        await panel.until(lambda: form.value()["defaults"]["timeoutMs"] == 22222, "what was typed")

        await panel.press("f9")
        await panel.until(lambda: form.value()["defaults"]["timeoutMs"] == 3333, "theirs")
        assert not editor.is_modified
        await panel.press("f9")
        await panel.until(lambda: form.value()["defaults"]["timeoutMs"] == 22222, "ours again")
        assert editor.is_modified

        set_timeout(4444)
        await panel.until(lambda: "F8: compare" in panel.text(editor), "a line about it")
        await panel.press("f8")
        await panel.screen(ConfirmDialog)
        await panel.shows("defaults.timeoutMs: 4444 → 22222")
        await panel.press("n")
        for answer, on_disk in (("n", 4444), ("y", 22222)):
            await panel.screen(ProfileEditor)
            await panel.press("f2")
            await panel.screen(ConfirmDialog)
            await panel.shows("4444 → 22222")
            assert panel.profiles.load("default").config.defaults.timeout_ms == 4444
            await panel.press(answer)
            await panel.until(
                lambda ms=on_disk: panel.profiles.load("default").config.defaults.timeout_ms == ms,
                "the answer is followed",
            )
        await panel.until(lambda: verdict(editor) == "saved", "saved")


async def test_invalid_json_is_kept_when_the_file_changes(
    open: Opens, workspace: Workspace
) -> None:
    Profiles(workspace).change_config("default", lambda config: None)
    async with open() as panel:
        editor = await edit(panel, "default")
        area = editor.query_one("#json", TextArea)
        area.focus()
        await panel.pilot.pause(0.5)
        await panel.type("{,")
        await panel.until(lambda: editor.is_modified, "an edit")
        text = area.text
        Profiles(workspace).change_config("default", _wants_firefox)
        await panel.until(lambda: "F9: use theirs" in panel.text(editor), "a line about it")
        assert area.text == text

        await panel.press("f9")
        await panel.until(lambda: raw(editor)["defaults"]["browser"] == "firefox", "theirs")
        await panel.press("f9")
        await panel.until(lambda: area.text == text, "ours again")


async def test_profiles_of_other_programs_appear_and_a_corrupt_one_is_marked(
    open: Opens, workspace: Workspace
) -> None:
    async with open() as panel:
        await panel.until(lambda: names(panel) == ["default"], "the profiles")
        Profiles(workspace).change_config("elsewhere", lambda config: None)
        await panel.until(lambda: "elsewhere" in panel.text("#profiles"), "the new profile")
        folder = Profiles(workspace).folder("broken")
        folder.mkdir(parents=True)
        (folder / "config.json").write_text("{ not json", encoding="utf-8")

        await panel.until(
            lambda: any(each.name == "broken" and each.is_corrupt for each in panel.store.profiles),
            "the mark",
        )
        await panel.until(lambda: "✗" in panel.text("#profiles"), "the mark on the screen")
        assert [each.read_text(encoding="utf-8") for each in folder.glob("*.corrupt-*")] == [
            "{ not json"
        ]
