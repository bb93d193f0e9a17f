"""Keys that are typed faster than a screen opens act on that screen."""

from __future__ import annotations

import asyncio

import pytest
from textual import events
from textual.keys import _character_to_key
from textual.widgets import Input

from pwtui.app.screens.command import CommandScreen
from pwtui.app.screens.operation import OperationScreen
from pwtui.protocol.envelope import Response
from pwtui.widgets.dialogs import ChoiceDialog, ConfirmDialog, PromptDialog
from pwtui.widgets.modal import Modal
from tests.app.conftest import Opens
from tests.app.panel import Panel
from tests.site import TestSite
from tests.waiting import LIMIT

TIMES = 5


def burst(panel: Panel, *typed: str) -> None:
    """Type without waiting for anything: single keys in angle brackets, everything else letters."""
    driver = panel.app._driver
    assert driver is not None
    for each in typed:
        if each.startswith("<"):
            driver.send_message(events.Key(each.strip("<>"), None))
        else:
            for letter in each:
                driver.send_message(events.Key(_character_to_key(letter), letter))


async def test_a_burst_of_keys_reaches_the_prompt_that_its_first_key_opens(
    open_kept: Opens, site: TestSite
) -> None:
    async with open_kept(url=site.url("/form.html")) as panel:
        for number in range(TIMES):
            url = site.url(f"/links.html?/R=x?Q:{number}")
            burst(panel, "u", url, "<enter>")
            entry = await panel.answer("navigate", number + 2)
            assert entry.request["input"] == {"url": url}
            await panel.home()
        assert {each.op for each in panel.entries()} == {"navigate"}


async def test_a_burst_of_keys_chooses_from_the_palette(open_kept: Opens, site: TestSite) -> None:
    async with open_kept(url=site.url("/form.html")) as panel:
        for _ in range(3):
            burst(panel, "<ctrl+p>", "page.aria", "<enter>")
            form = await panel.screen(OperationScreen)
            assert form._request.op == "page.aria"
            burst(panel, "<f2>")
            await panel.home()
        await panel.answer("page.aria", 3)
        assert [each.op for each in panel.entries()] == ["navigate", *["page.aria"] * 3]


async def test_a_burst_of_keys_is_a_keyword_line(open_kept: Opens, site: TestSite) -> None:
    async with open_kept(url=site.url("/form.html")) as panel:
        for number in range(TIMES):
            burst(panel, f":goto {site.url(f'/links.html?{number}')}", "<enter>")
            entry = await panel.answer("navigate", number + 2)
            assert entry.request["input"]["url"].endswith(f"?{number}")
        await panel.home()


async def test_a_burst_goes_through_several_screens(open_kept: Opens, site: TestSite) -> None:
    async with open_kept(url=site.url("/form.html")) as panel:
        await panel.go_to(panel.ref("textbox", "Name"))

        burst(panel, "a", "f", "Ada", "<enter>")

        entry = await panel.answer("fill")
        assert entry.request["input"]["text"] == "Ada"


async def test_keys_after_the_closing_of_a_screen_act_on_the_one_below(
    open_kept: Opens, site: TestSite
) -> None:
    async with open_kept(url=site.url("/form.html")) as panel:
        burst(panel, "u", "<escape>", "/", "checkbox", "<enter>", "3", "2")

        await panel.until(lambda: panel.main.focused and panel.main.focused.id == "sessions", "2")
        assert panel.main.query_one("#tree-filter", Input).value == "checkbox"


async def test_editing_keys_and_letters_keep_their_order(open: Opens) -> None:
    async with open() as panel:
        burst(panel, ":", "abcdef", *["<backspace>"] * 3, "5000", "<home>", "x", "<delete>", "y")

        screen = await panel.screen(CommandScreen)
        await panel.until(lambda: screen.query_one(Input).value == "xybc5000", "the text")


async def test_a_question_that_opens_while_the_user_types_gets_no_letters(
    open: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    pause = "pwtui.app.type_ahead.PAUSE_SECONDS"
    monkeypatch.setattr(pause, 60.0)
    async with open() as panel:
        burst(panel, "u")
        prompt = await panel.screen(PromptDialog)
        await panel.clear()
        answers: list[bool | None] = []
        burst(panel, "http://on")
        await panel.until(lambda: prompt.query_one(Input).value == "http://on", "the letters")

        question = ConfirmDialog("Overwrite?")
        panel.app.push_screen(question, answers.append)
        burst(panel, "ly", "<enter>", "n")
        await panel.pilot.pause()

        assert panel.app.screen is question
        assert not answers
        monkeypatch.setattr(pause, 0.0)
        await panel.press("y")
        await panel.until(lambda: answers == [True], "the answer")
        assert prompt.query_one(Input).value == "http://on"

        monkeypatch.setattr(pause, 60.0)
        burst(panel, "ce")
        await panel.until(lambda: prompt.query_one(Input).value == "http://once", "the letters")
        panel.app.push_screen(ConfirmDialog("Again?"), answers.append)
        burst(panel, "n", "<escape>", "<escape>")
        await panel.home()
        assert answers == [True, False]


async def test_a_prompt_that_a_command_opens_late_gets_the_letters_after_it(
    open: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pwtui.app.type_ahead.PAUSE_SECONDS", 60.0)
    async with open() as panel:
        await panel.press("u")
        await panel.screen(PromptDialog)
        await panel.type("typed before")
        await panel.press("escape")
        await panel.home()
        await panel.press("3")  # such as enter on a control, which is read from the page first
        late = PromptDialog("Set")
        panel.app.push_screen(late)
        await panel.screen(PromptDialog)

        burst(panel, "letters")

        await panel.until(lambda: late.query_one(Input).value == "letters", "the letters")


async def test_keys_wait_for_what_a_screen_is_made_of(
    open_kept: Opens, site: TestSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_kept(url=site.url("/form.html")) as panel:
        ask = panel.app.controller.ask

        async def ask_slowly(op: str, /, **input: object) -> Response:
            await asyncio.sleep(0.3 if op == "page.eval" else 0)
            return await ask(op, **input)

        monkeypatch.setattr(panel.app.controller, "ask", ask_slowly)
        await panel.go_to(panel.ref("combobox", "Color"))

        burst(panel, "<enter>", "<down>", "<enter>")

        entry = await panel.answer("select")
        assert entry.request["input"]["values"] == ["green"]


async def test_a_click_that_opens_a_menu_gets_the_keys_after_it(
    open_kept: Opens, site: TestSite
) -> None:
    async with open_kept(url=site.url("/form.html")) as panel:
        await panel.click_ref(panel.ref("textbox", "Name"), button=3)
        burst(panel, "f", "by mouse", "<enter>")

        entry = await panel.answer("fill")
        assert entry.request["input"]["text"] == "by mouse"
        assert not isinstance(panel.app.screen, ChoiceDialog)


async def test_a_screen_that_is_closed_twice_closes_nothing_below_it(open: Opens) -> None:
    async with open() as panel:
        await panel.until(lambda: panel.store.link == "connected", "the daemon")
        app = panel.app
        opens = {
            "palette": app.action_palette,
            "form": lambda: app.open_operation(app.controller.request("page.text")),
            "prompt": panel.main.action_open_url,
            "keyword line": app.action_command,
            "help": app.action_help,
        }
        for name, open_screen in opens.items():
            for is_open in (False, True):
                open_screen()
                async with asyncio.timeout(LIMIT):
                    while not isinstance(app.screen, Modal):  # noqa: ASYNC110
                        await asyncio.sleep(0)  # no more than it takes: it is still opening
                screen = await panel.screen(Modal) if is_open else app.screen
                for _ in range(3):
                    screen.dismiss()
                await panel.until(lambda: app.screen is panel.main, f"no {name}")
                await panel.home()

        for opening in ("<ctrl+p>", "u", ":", "?"):
            burst(panel, opening, "<escape>", "<escape>", "<escape>")
            await panel.until(lambda: app._type_ahead.is_idle, "all keys")
            await panel.home()
        await panel.press("u")
        await panel.screen(PromptDialog)
        await panel.press("escape")
        await panel.home()
