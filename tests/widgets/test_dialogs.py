"""Dialogs: answered by key and by mouse, safe by default, unmoved by hostile texts."""

from __future__ import annotations

from typing import Any

import pytest
from textual.app import App
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.screen import ModalScreen
from textual.widgets import Input

from pwtui.widgets.dialogs import Choice, ChoiceDialog, ChoiceList, ConfirmDialog, PromptDialog
from tests.waiting import until
from tests.widgets.support import HOSTILE, controls, screen_cells

PENDING = object()


class Asking(App[None]):
    ENABLE_COMMAND_PALETTE = False

    def __init__(self) -> None:
        super().__init__()
        self.answer: Any = PENDING

    async def ask(self, pilot: Pilot[None], dialog: ModalScreen[Any]) -> None:
        def hear(answer: Any) -> None:
            self.answer = answer

        self.push_screen(dialog, hear)
        await pilot.pause()

    @property
    def text(self) -> str:
        return "\n".join("".join(line) for line in screen_cells(self))


async def test_a_dialog_has_its_own_line_of_keys() -> None:
    app = Asking()
    async with app.run_test(size=(60, 12)) as pilot:
        await app.ask(pilot, delete())
        assert app.text.splitlines()[-1].split() == ["y", "yes", "esc", "cancel"]
        await pilot.press("escape")
        await app.ask(pilot, ChoiceDialog("Which?", [Choice(1, "one")]))
        assert app.text.splitlines()[-1].split() == ["⏎", "choose", "esc", "cancel"]


# Yes or no ---------------------------------------------------------------------------------------


def delete() -> ConfirmDialog:
    return ConfirmDialog(
        "Delete acme?", "You lose:", losses=["config.json", "2 sessions"], confirm="Delete"
    )


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        ("enter", False),
        ("escape", False),
        ("ctrl+g", False),
        ("n", False),
        ("y", True),
        ("tab enter", True),
        ("right enter", True),
        ("right left enter", False),
        ("l enter", True),
        ("tab shift+tab space enter", False),
    ],
)
async def test_a_question_is_answered_by_key(keys: str, answer: bool) -> None:
    app = Asking()
    async with app.run_test() as pilot:
        await app.ask(pilot, delete())
        await pilot.press(*keys.split())

        assert app.answer is answer


async def test_a_question_lists_the_losses_and_focuses_cancel() -> None:
    app = Asking()
    async with app.run_test() as pilot:
        await app.ask(pilot, delete())

        assert app.focused is not None
        assert app.focused.id == "dialog-cancel"
        for word in ("Delete acme?", "You lose:", "· config.json", "· 2 sessions", "Cancel"):
            assert word in app.text


@pytest.mark.parametrize(("button", "answer"), [("cancel", False), ("confirm", True)])
async def test_a_question_is_answered_by_mouse(button: str, answer: bool) -> None:
    app = Asking()
    async with app.run_test() as pilot:
        await app.ask(pilot, delete())
        await pilot.click(f"#dialog-{button}")

        assert app.answer is answer


async def test_a_click_outside_the_box_cancels_and_one_inside_does_not() -> None:
    app = Asking()
    async with app.run_test() as pilot:
        await app.ask(pilot, delete())
        await pilot.click(".dialog--text")
        assert app.answer is PENDING

        await pilot.click(offset=(1, 1))
        assert app.answer is False


async def test_a_long_list_of_losses_is_cut() -> None:
    app = Asking()
    async with app.run_test() as pilot:
        await app.ask(pilot, ConfirmDialog("Sure?", losses=[f"file {i}" for i in range(50)]))

        assert "file 7" in app.text
        assert "file 8" not in app.text
        assert "and 42 more" in app.text


# One line ----------------------------------------------------------------------------------------


def no_slash(text: str) -> str | None:
    if not text:
        return "needs a name"
    return "no [/] slashes" if "/" in text else None


async def test_a_line_is_answered_with_enter() -> None:
    app = Asking()
    async with app.run_test() as pilot:
        await app.ask(pilot, PromptDialog("Name", value="acme"))
        await pilot.press("end", *"-qa", "enter")

        assert app.answer == "acme-qa"


async def test_an_invalid_line_shows_the_problem_and_is_not_accepted() -> None:
    app = Asking()
    async with app.run_test() as pilot:
        await app.ask(pilot, PromptDialog("Name", "What is it?", validate=no_slash))
        assert "needs a name" not in app.text

        await pilot.press("enter")
        assert "needs a name" in app.text
        await pilot.press("a", "/", "enter")
        assert "no [/] slashes" in app.text
        assert app.answer is PENDING

        await pilot.press("backspace")
        assert "slashes" not in app.text
        await pilot.press("enter")
        assert app.answer == "a"


async def test_an_invalid_initial_line_shows_the_problem_at_once() -> None:
    app = Asking()
    async with app.run_test() as pilot:
        await app.ask(pilot, PromptDialog("Name", value="a/b", validate=no_slash))

        assert "no [/] slashes" in app.text


@pytest.mark.parametrize("keys", ["escape", "ctrl+g", "tab enter"])
async def test_a_prompt_can_be_cancelled(keys: str) -> None:
    app = Asking()
    async with app.run_test() as pilot:
        await app.ask(pilot, PromptDialog("Name", value="acme"))
        await pilot.press(*keys.split())

        assert app.answer is None


async def test_a_line_is_answered_by_mouse() -> None:
    app = Asking()
    async with app.run_test() as pilot:
        await app.ask(pilot, PromptDialog("Name", value="a/", validate=no_slash, accept="Create"))
        await pilot.click("#dialog-accept")
        assert app.answer is PENDING
        assert isinstance(app.focused, Input)

        await pilot.press("backspace")
        # A button ignores clicks while it is shown as pressed.
        accept = app.screen.query_one("#dialog-accept")
        await until(lambda: not accept.has_class("-active"), "the button is released")
        await pilot.click(accept)
        await until(lambda: app.answer == "a", "the answer")


async def test_typing_replaces_the_given_line_and_arrows_keep_it() -> None:
    app = Asking()
    async with app.run_test() as pilot:
        await app.ask(pilot, PromptDialog("Name", value="old"))
        await pilot.press("n", "e", "w", "enter")
        assert app.answer == "new"

        await app.ask(pilot, PromptDialog("Name", value="old"))
        await pilot.press("right", "e", "r", "enter")
        assert app.answer == "older"


async def test_a_secret_line_is_not_shown() -> None:
    app = Asking()
    async with app.run_test() as pilot:
        await app.ask(pilot, PromptDialog("Password", value="hunter2", password=True))

        assert "hunter2" not in app.text


# One of several ----------------------------------------------------------------------------------

CHOICES = [
    Choice(1, "Click", "c", "default"),
    Choice(2, "Hover", "j"),
    Choice(3, "Nothing"),
    Choice(4, "Delete", "D", "asks", is_dangerous=True),
]


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        ("enter", 1),
        ("down enter", 2),
        ("end enter", 4),
        ("end up enter", 3),
        ("c", 1),
        ("j", 2),
        ("D", 4),
        ("escape", None),
        ("q", None),
        ("ctrl+g", None),
    ],
)
async def test_a_menu_is_answered_by_key(keys: str, answer: int | None) -> None:
    app = Asking()
    async with app.run_test() as pilot:
        await app.ask(pilot, ChoiceDialog("Do what?", CHOICES))
        await pilot.press(*keys.split())

        assert app.answer == answer


async def test_a_menu_is_answered_by_mouse() -> None:
    app = Asking()
    async with app.run_test() as pilot:
        await app.ask(pilot, ChoiceDialog("Do what?", CHOICES))
        await pilot.click(ChoiceList, offset=(4, 2))

        assert app.answer == 3


async def test_a_click_beside_the_menu_closes_it() -> None:
    app = Asking()
    async with app.run_test() as pilot:
        await app.ask(pilot, ChoiceDialog("Do what?", CHOICES, at=Offset(20, 5)))
        await pilot.click(offset=(70, 20))

        assert app.answer is None


@pytest.mark.parametrize(
    ("at", "corner"),
    [
        (Offset(10, 4), (10, 5)),
        (Offset(79, 4), None),
        (Offset(10, 23), None),
        (Offset(0, 0), (0, 1)),
    ],
)
async def test_a_menu_opens_at_its_place_within_the_screen(
    at: Offset, corner: tuple[int, int] | None
) -> None:
    app = Asking()
    async with app.run_test(size=(80, 24)) as pilot:
        await app.ask(pilot, ChoiceDialog("Do what?", CHOICES, at=at))
        region = app.screen.query_one(".dialog--box").region

        assert app.screen.region.contains_region(region)
        assert corner is None or region.offset == corner
        assert region.bottom <= at.y or region.y > at.y


async def test_a_menu_longer_than_the_screen_scrolls() -> None:
    app = Asking()
    async with app.run_test(size=(40, 10)) as pilot:
        await app.ask(pilot, ChoiceDialog("Which?", [Choice(i, f"choice {i}") for i in range(50)]))
        await pilot.press("end")
        assert "choice 49" in app.text

        await pilot.press("enter")
        assert app.answer == 49


async def test_an_empty_menu_can_only_be_closed() -> None:
    app = Asking()
    async with app.run_test() as pilot:
        await app.ask(pilot, ChoiceDialog[int]("Which?", []))
        await pilot.press("enter", "down", "escape")

        assert app.answer is None


async def test_hostile_texts_are_shown_as_they_are() -> None:
    app = Asking()
    async with app.run_test(size=(100, 40)) as pilot:
        for text in HOSTILE:
            menu = ChoiceDialog(text, [Choice(text, text, help=text[:30])])
            question = ConfirmDialog(text, text, losses=[text], confirm=text[:20], cancel=text[:9])
            line = PromptDialog(text, text, placeholder=text, validate=lambda t: t or None)
            for dialog in (menu, question, line):
                await app.ask(pilot, dialog)
                assert controls(app) == set()
                await pilot.press("escape")
        assert app.is_running
