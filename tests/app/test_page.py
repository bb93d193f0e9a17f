"""The page pane: the tree, and the requests of keys and clicks."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path

import pytest
from textual.widgets import Input

from pwtui.app.panes.page_area import PageArea
from pwtui.app.store import DialogView
from pwtui.demo import DemoSite
from pwtui.protocol.models import DialogInfo
from pwtui.state.workspace import Workspace
from pwtui.widgets.dialogs import ChoiceDialog, PromptDialog
from tests.app.conftest import Opens
from tests.app.panel import client_of, envelope
from tests.site import TestSite

SECRET = "correct-horse-battery"


async def test_a_url_opens_as_a_tree_with_refs(open_kept: Opens, shop: DemoSite) -> None:
    async with open_kept(url=shop.url) as panel:
        link = panel.ref("link", "Journal")
        await panel.until(lambda: panel.store.daemon, "the daemon's state")
        await panel.until(lambda: panel.store.session_of("default"), "the session")
        await panel.shows("Journal", "#tree")
        await panel.shows(link, "#tree")
        await panel.shows(shop.url, "#address")
        await panel.shows("running", "#daemon")
        await panel.shows("default", "#sessions")
        await panel.until(lambda: "● " in panel.status, "the daemon in the status line")
        await panel.until(lambda: "1 session" in panel.status, "the session in the status line")
        navigate = await panel.answer("navigate")
        assert navigate.ok
        assert navigate.request["input"] == {"url": shop.url}
        await panel.shows("navigate", "#log")


async def test_s_takes_a_snapshot_that_is_not_logged(open_kept: Opens, shop: DemoSite) -> None:
    async with open_kept(url=shop.url) as panel:
        before = panel.store.snapshot

        await panel.press("s")

        await panel.until(lambda: panel.store.snapshot is not before, "another snapshot")
        await panel.page()
        assert [each.op for each in panel.entries()] == ["navigate"]


async def test_a_request_that_ran_when_the_panel_opened_is_in_its_log(
    open: Opens, site: TestSite, workspace: Workspace
) -> None:
    async with client_of(workspace) as other:
        site.gate.clear()
        slow = asyncio.ensure_future(other.request(envelope("navigate", url=site.url("/gate"))))
        await asyncio.to_thread(_until_asked, site, "/gate")
        async with open() as panel:
            await panel.until(lambda: panel.store.link == "connected", "the connection")
            site.gate.set()
            response = await slow

            entry = await panel.answer("navigate")

    assert response.ok
    assert entry.client == "other"
    assert entry.response is not None
    assert entry.response["data"]["url"] == site.url("/gate")


def _until_asked(site: TestSite, path: str) -> None:
    from tests.daemon.house import eventually

    eventually(lambda: ("GET", path) in site.requests, f"{path} is asked for")


async def test_a_click_on_a_ref_sends_the_click_and_shows_the_page_behind_it(
    open_kept: Opens, shop: DemoSite
) -> None:
    async with open_kept(url=shop.url) as panel:
        ref = panel.ref("link", "Journal")

        await panel.click_ref(ref)

        entry = await panel.answer("click")
        assert entry.request["input"] == {"ref": ref}
        assert entry.response is not None
        assert "Journal" in entry.response["inputs"]["selector"]
        assert ref not in entry.response["inputs"]["selector"]
        await panel.page("How to keep a loaf")
        assert panel.store.snapshot.url.endswith("/journal.html")
        await panel.shows("journal.html", "#address")


async def test_enter_on_a_textbox_asks_for_text_and_fills_it_in(
    open_kept: Opens, site: TestSite
) -> None:
    async with open_kept(url=site.url("/form.html")) as panel:
        ref = panel.ref("textbox", "Name")

        await panel.go_to(ref)
        await panel.press("enter")
        dialog = await panel.screen(PromptDialog)
        assert not dialog.query_one(Input).password
        await panel.type("Ana [/] [@click=app.quit]x[/]")
        await panel.press("enter")

        entry = await panel.answer("fill")
        assert entry.ok
        assert entry.request["input"] == {"ref": ref, "text": "Ana [/] [@click=app.quit]x[/]"}
        await panel.page()
        await panel.until(lambda: "[@click=app.quit]" in panel.text("#tree"), "the text")


async def test_a_password_is_masked_wherever_it_could_be_seen(
    open_kept: Opens, site: TestSite
) -> None:
    async with open_kept(url=site.url("/form.html")) as panel:
        await panel.press("R")
        await panel.go_to(panel.ref("textbox", "Password"))

        await panel.press("enter")
        dialog = await panel.screen(PromptDialog)
        assert dialog.query_one(Input).password
        await panel.type(SECRET)
        assert SECRET not in panel.screen_text
        await panel.press("enter")

        entry = await panel.answer("fill")
        assert entry.ok
        await panel.page()
        await panel.press("9", "enter")
        await panel.until(lambda: panel.detail.entry is not None, "the detail")
        path = Path(str(panel.store.recording_path))
        assert SECRET not in json.dumps([entry.request, entry.response])
        assert SECRET not in panel.screen_text
        assert "fill" in path.read_text(encoding="utf-8")
        assert SECRET not in path.read_text(encoding="utf-8")


FIELDS = """data:text/html,<title>Fields</title><label>API key * <input></label>
<label>PIN <input type=password value=1234></label><label>Keyboard <input value=de></label>"""


async def test_a_prompt_hides_what_is_typed_into_a_secret_field(open_kept: Opens) -> None:
    async with open_kept(url=FIELDS.replace("\n", "")) as panel:
        for name, is_hidden, value in (
            ("API key *", True, ""),
            ("PIN", True, ""),
            ("Keyboard", False, "de"),
        ):
            await panel.go_to(panel.ref("textbox", name))
            await panel.press("i")
            field = (await panel.screen(PromptDialog)).query_one(Input)
            assert (field.password, field.value) == (is_hidden, value), name
            await panel.press("escape")
            await panel.home()


CONTROLS = """data:text/html,<title>Controls</title>
<label>Color <select><option value=r>Red<option value=b>Blue</select></label>
<label>Fruit <select multiple><option selected>Fig<option>Kiwi</select></label>
<label>City <input list=cities><datalist id=cities><option>Bonn<option>Riga</datalist></label>
<div role=listbox aria-label=Speed><div role=option tabindex=0 onclick="this.ariaSelected=true">
Fast</div></div>
<label>Volume <input type=range min=0 max=10 value=5></label>
<label>Age <input type=number min=0 max=150></label>"""


async def test_enter_offers_the_options_of_a_control_and_asks_for_numbers(open_kept: Opens) -> None:
    async with open_kept(url=CONTROLS.replace("\n", "")) as panel:
        for role, name, option, input in (
            ("combobox", "Color", "Blue", {"values": ["b"]}),
            ("listbox", "Fruit", "Kiwi", {"values": ["Fig", "Kiwi"]}),
            ("combobox", "City", "Riga", {"text": "Riga"}),
        ):
            ref = panel.ref(role, name)
            await panel.go_to(ref)
            await panel.press("enter")
            await panel.until(lambda text=f"○ {option}": text in panel.screen_text, option)  # type: ignore[misc]
            await panel.press("down", "enter")
            entry = await panel.answer(
                "fill" if name == "City" else "select", 2 - (name != "Fruit")
            )
            assert entry.ok, entry.response
            assert entry.request["input"] == {"ref": ref, **input}
            await panel.page()

        await panel.go_to(panel.ref("listbox", "Speed"))
        await panel.press("enter")
        await panel.until(lambda: "○ Fast" in panel.screen_text, "the options")
        await panel.press("enter")
        assert (await panel.answer("click")).request["input"] == {
            "ref": panel.ref("option", "Fast")
        }

        for number, (role, name) in enumerate((("slider", "Volume"), ("spinbutton", "Age")), 2):
            await panel.page()
            await panel.go_to(panel.ref(role, name))
            await panel.press("enter")
            await panel.screen(PromptDialog)
            await panel.clear()
            await panel.type("900")
            await panel.press("enter")
            await panel.until(lambda: "must be at most" in panel.screen_text, "the limit")
            await panel.clear()
            await panel.type("7")
            await panel.press("enter")
            assert (await panel.answer("fill", number)).ok
            await panel.page()
            assert panel.node(role, name).text == "7"


STEPS = """data:text/html,<title>Steps</title>
<div role=slider aria-label=Zoom tabindex=0 aria-valuemin=0 aria-valuemax=9 aria-valuenow=4
style=height:9px onkeydown="if (event.key == 'ArrowUp') this.ariaValueNow++"></div>"""


async def test_a_number_that_cannot_be_filled_in_is_changed_by_keys(open_kept: Opens) -> None:
    async with open_kept(url=STEPS.replace("\n", " ")) as panel:
        ref = panel.ref("slider", "Zoom")
        await panel.go_to(ref)
        await panel.press("enter")
        await panel.screen(ChoiceDialog)
        await panel.shows("slider Zoom: 4 from 0 to 9")
        await panel.press("plus")

        press = await panel.answer("press")
        assert press.ok
        assert press.request["input"] == {"ref": ref, "key": "ArrowUp"}
        now = await panel.app.controller.ask(
            "page.eval", ref=ref, expression="element => element.ariaValueNow"
        )
        assert (now.data or {}).get("result") == "5"


async def test_the_action_menu_acts_by_its_keys(
    open_kept: Opens, site: TestSite, copied: list[str]
) -> None:
    async with open_kept(url=site.url("/form.html")) as panel:
        name, agree = panel.ref("textbox", "Name"), panel.ref("checkbox", "I agree")
        color = panel.ref("combobox", "Color")

        await panel.choose(name, "h")
        assert (await panel.answer("hover")).request["input"] == {"ref": name}
        await panel.choose(name, "p")
        await panel.screen(PromptDialog)
        await panel.type("A")
        await panel.press("enter")
        press = await panel.answer("press")
        assert press.ok, press.response
        assert press.request["input"] == {"ref": name, "key": "A"}
        await panel.choose(color, "s")
        await panel.until(lambda: "○ Blue" in panel.screen_text, "the options")
        await panel.press("down", "down", "enter")
        select = await panel.answer("select")
        assert select.ok, select.response
        assert select.request["input"] == {"ref": color, "values": ["blue"]}
        await panel.choose(agree, "x")
        assert (await panel.answer("check")).ok
        await panel.page()
        assert panel.node("checkbox", "I agree").states["checked"] is True
        assert panel.node("textbox", "Name").text == "A"

        await panel.choose(panel.ref("checkbox", "I agree"), "x")
        assert (await panel.answer("uncheck")).ok
        await panel.page()
        name = panel.ref("textbox", "Name")
        await panel.choose(name, "r")
        await panel.until(lambda: copied, "the ref is copied")
        await panel.choose(name, "l")
        await panel.until(lambda: len(copied) == 2, "the locator is copied")
        assert copied[0] == name
        assert "Name" in copied[1]
        assert [each.op for each in panel.entries()] == [
            "navigate",
            "hover",
            "press",
            "select",
            "check",
            "uncheck",
        ]


async def test_the_right_button_opens_the_menu_and_a_full_stop_repeats_what_was_done(
    open_kept: Opens, site: TestSite
) -> None:
    async with open_kept(url=site.url("/form.html")) as panel:
        ref = panel.ref("button", "Submit")
        await panel.click_ref(ref, button=3)
        await panel.screen(ChoiceDialog)
        await panel.press("escape")
        await panel.home()
        assert panel.entries("click") == []

        await panel.go_to(ref)
        await panel.press("enter")
        await panel.answer("click")
        await panel.page()

        await panel.press("full_stop")

        again = await panel.answer("click", 2)
        assert again.ok
        assert again.request["input"] == {"ref": ref}


async def test_the_tree_is_stale_once_its_session_has_ended(
    open_kept: Opens, site: TestSite
) -> None:
    async with open_kept(url=site.url("/form.html")) as panel:
        await panel.app.controller.ask("session.stop")

        await panel.until(lambda: panel.store.session_of("default") is None, "no session any more")
        await panel.until(lambda: panel.tree.is_stale, "the tree is stale")
        assert panel.tree.snapshot is not None
        await panel.below("#tree-pane", "stale")
        await panel.press("s")
        await panel.pilot.pause(1)
        assert panel.tree.is_stale
        assert panel.store.session_of("default") is None


async def test_a_snapshot_never_starts_a_browser(open: Opens, workspace: Workspace) -> None:
    async with open() as panel:
        await panel.until(lambda: panel.store.link == "connected", "the daemon")
        await panel.until(lambda: panel.store.own_sessions is not None, "the sessions")

        await panel.press("s")
        await panel.until(lambda: panel.store.snapshot.nothing_open, "a look")

        assert panel.store.session_of("default") is None
        assert panel.entries() == []
        await panel.shows("No page is open", "#tree")


async def test_a_failure_is_a_toast_and_a_red_line(open_kept: Opens, site: TestSite) -> None:
    async with open_kept(url=site.url("/form.html")) as panel:
        await panel.press("u")
        await panel.screen(PromptDialog)
        await panel.press("ctrl+u")
        await panel.clear()
        await panel.type("nonsense://[/]")
        await panel.press("enter")

        entry = await panel.answer("navigate", 2)
        assert entry.failed
        await panel.until(lambda: any(entry.code in each for each in panel.toasts), "a toast")
        await panel.shows("✗", "#log")


async def test_a_running_request_can_be_cancelled(open_kept: Opens, site: TestSite) -> None:
    async with open_kept(url=site.url("/form.html")) as panel:
        panel.app.send(panel.app.controller.request("navigate", {"url": site.url("/hang")}))
        await panel.until(lambda: panel.store.running, "a running request")
        await panel.until(lambda: "navigate" in panel.status, "it is in the status line")

        await panel.press("ctrl+x")

        entry = await panel.answer("navigate", 2)
        assert entry.code == "CANCELLED"
        assert not panel.store.running


async def test_a_dialog_is_shown_at_once_and_answered_by_key_and_by_mouse(
    open_kept: Opens, site: TestSite
) -> None:
    async with open_kept(url=site.url("/dialogs.html")) as panel:
        await panel.go_to(panel.ref("button", "Confirm"))
        await panel.press("enter")
        await panel.until(lambda: "⚠ confirm" in panel.text("#centre"), "the bar")
        await panel.shows("y accept", "#centre")
        assert "t text" not in panel.text("#centre")
        await panel.below("#tree-pane", "blocked by a dialog")
        await panel.until(lambda: "⚠ default" in panel.text("#sessions"), "the mark")
        assert [each.is_event for each in panel.entries("dialog")] == [True]
        area = panel.main.query_one(PageArea)
        await panel.until(lambda: area.check_action("answer", ("accept",)), "keys")
        await panel.press("3", "y")
        assert not panel.entries("dialog.accept"), "the keys are those of the page"
        await panel.press("5", "n")
        await panel.answer("dialog.dismiss")
        await panel.until(lambda: "⚠" not in panel.text("#centre"), "no bar")
        await panel.press("4")
        await panel.page()

        opens = "setTimeout(() => document.title = prompt('Who?', 'you'), 0)"
        panel.app.send(panel.app.controller.request("page.eval", {"expression": opens}))
        await panel.until(lambda: '⚠ prompt "Who?"' in panel.text("#centre"), "one by a timer")
        await panel.pilot.click("#dialog-bar .-text")
        prompt = await panel.screen(PromptDialog)
        assert prompt.query_one(Input).value == "you"
        await panel.clear()
        await panel.type("Ada")
        await panel.press("enter")

        assert (await panel.answer("dialog.accept")).request["input"] == {"text": "Ada"}
        await panel.page("Ada")


async def test_a_dialog_takes_no_key_before_it_could_be_read(open: Opens) -> None:
    async with open() as panel:
        await panel.until(lambda: panel.store.link == "connected", "the daemon")
        info = DialogInfo(type="confirm", message="Really delete?")
        opened = DialogView(info, 0, time.time() + 60)
        panel.store.open_dialog("default", opened)
        await panel.until(lambda: "⚠ confirm" in panel.text("#centre"), "the bar")

        await panel.press("y", "n")

        assert not panel.entries("dialog.accept")
        assert not panel.entries("dialog.dismiss")


async def test_the_tree_shows_that_it_is_live_and_the_running_request(
    open_kept: Opens, site: TestSite
) -> None:
    async with open_kept(url=site.url("/form.html")) as panel:
        await panel.below("#tree-pane", "live")
        panel.app.send(panel.app.controller.request("wait", {"condition": 20_000}))
        await panel.below("#tree-pane", "busy: wait")
        await panel.press("ctrl+c")
        assert (await panel.answer("wait")).code == "CANCELLED"


async def test_escape_in_the_tree_leaves_the_detail_open(open_kept: Opens, site: TestSite) -> None:
    async with open_kept(url=site.url("/form.html")) as panel:
        await panel.press("9", "enter")
        await panel.until(lambda: panel.main.focused is panel.detail, "the detail")
        await panel.press("4", "escape")
        assert panel.main.focused is panel.tree
        assert panel.shows_detail

        await panel.press("0", "escape")
        await panel.until(lambda: not panel.shows_detail, "closed from where it belongs")


async def test_the_filter_is_that_of_the_pane_with_the_focus(open: Opens) -> None:
    async with open() as panel:
        for name in ("one", "two", "other"):
            panel.profiles.change_config(name, lambda config: None)
        await panel.until(lambda: "other" in panel.text("#profiles"), "the profiles")
        await panel.press("1", "slash", "t", "w", "o", "enter")
        await panel.until(lambda: "one" not in panel.text("#profiles"), "the filter")
        await panel.shows("two", "#profiles")
        assert panel.main.focused is panel.main.query_one("#profiles")
        assert not panel.tree.filter_text
        await panel.press("slash", "escape")
        await panel.until(lambda: "one" in panel.text("#profiles"), "all again")
        await panel.until(lambda: "snapshot" not in panel.text("PaneKeys"), "no key of the page")

        await panel.press("3")
        await panel.until(lambda: "/ filter" not in panel.text("PaneKeys"), "not offered")
        await panel.press("slash")
        assert not panel.main.query("FilterField.-open")


async def test_repeated_failures_are_one_toast_and_none_beside_the_detail(
    open_kept: Opens, site: TestSite
) -> None:
    async with open_kept(url=site.url("/form.html")) as panel:
        missing = panel.app.controller.request("click", {"ref": "e999"})
        for _ in range(3):
            await panel.app.perform(missing)
        await panel.pilot.pause()
        assert [each.split(" ref")[0] for each in panel.toasts] == ["click: SELECTOR_NOT_FOUND ×3"]

        await panel.press("9", "G", "enter")
        await panel.until(lambda: panel.shows_detail, "the detail")
        await panel.app.perform(panel.app.controller.request("click", {"ref": "e998"}))
        await panel.pilot.pause()
        assert len(panel.toasts) == 1


async def test_a_second_enter_on_a_busy_node_is_ignored(
    open_kept: Opens, site: TestSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pwtui.app.inspector.KINDS", ("console", "pageError", "network"))
    async with open_kept(url=site.url("/links.html")) as panel:
        await panel.go_to(panel.ref("link", "To the form"))
        # The page behind the link is not shown while keys still come, however slowly they do.
        monkeypatch.setattr("pwtui.app.snapshots.QUIET_SECONDS", 3600)
        await panel.press("enter", "enter")
        await panel.answer("click")
        await panel.press("enter", "enter")

        await panel.until(lambda: not panel.store.running, "all answers")
        assert len(panel.entries("click")) == 1
        assert all(each.ok for each in panel.entries("click"))
        assert not panel.toasts
