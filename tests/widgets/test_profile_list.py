"""The list of profiles: marks, cursor, keys and mouse."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult
from textual.scroll_view import ScrollView

from pwtui.widgets.profile_list import ProfileList, ProfileRow
from tests.widgets.support import HOSTILE, controls, shadowing, shown

ROWS = [
    ProfileRow("default", "chromium"),
    ProfileRow("acme-qa", "chromium", live=2, active=True),
    ProfileRow("acme-prod", "firefox", note="read only"),
    ProfileRow("mobile", "webkit", stale=True),
    ProfileRow("broken", corrupt=True),
]


class Profiles(App[None]):
    def __init__(self, rows: list[ProfileRow]) -> None:
        super().__init__()
        self.rows = rows
        self.heard: list[tuple[str, str]] = []

    def compose(self) -> ComposeResult:
        yield ProfileList()

    def on_mount(self) -> None:
        self.list.show(self.rows)
        self.list.focus()

    @property
    def list(self) -> ProfileList:
        return self.query_one(ProfileList)

    def on_row_list_highlighted(self, event: ProfileList.Highlighted) -> None:
        assert event.control is self.list
        self.heard.append(("highlighted", event.key))

    def on_row_list_chosen(self, event: ProfileList.Chosen) -> None:
        self.heard.append(("chosen", event.key))


async def test_each_state_has_its_mark() -> None:
    app = Profiles(ROWS)
    async with app.run_test(size=(40, 10)):
        lines = shown(app.list).splitlines()

        assert lines[0].split() == ["▌", "default", "chromium"]
        assert lines[1].split() == ["▶", "acme-qa", "chromium", "●2"]
        assert lines[2].split() == ["acme-prod", "read", "only", "firefox"]
        assert lines[3].split() == ["mobile", "webkit", "◌"]
        assert lines[4].split() == ["broken", "✗"]


@pytest.mark.parametrize(
    ("keys", "at"),
    [
        ("down", "acme-qa"),
        ("j j", "acme-prod"),
        ("j j k", "acme-qa"),
        ("down up up", "default"),
        ("end", "broken"),
        ("G", "broken"),
        ("end home", "default"),
        ("end g", "default"),
        ("end down", "broken"),
        ("pagedown", "broken"),
        ("ctrl+d ctrl+u", "default"),
    ],
)
async def test_keys_move_the_cursor(keys: str, at: str) -> None:
    app = Profiles(ROWS)
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.press(*keys.split())

        assert app.list.cursor_key == at
        assert app.heard[-1] == ("highlighted", at)


async def test_enter_chooses() -> None:
    app = Profiles(ROWS)
    async with app.run_test() as pilot:
        await pilot.press("down", "enter")

        assert app.heard == [
            ("highlighted", "default"),
            ("highlighted", "acme-qa"),
            ("chosen", "acme-qa"),
        ]


async def test_a_click_moves_and_a_double_click_chooses() -> None:
    app = Profiles(ROWS)
    async with app.run_test() as pilot:
        await pilot.click(ProfileList, offset=(4, 2))
        assert app.heard[-1] == ("highlighted", "acme-prod")

        await pilot.double_click(ProfileList, offset=(4, 3))
        assert app.heard[-2:] == [("highlighted", "mobile"), ("chosen", "mobile")]

        await pilot.click(ProfileList, offset=(4, 12))
        await pilot.click(ProfileList, offset=(4, 0), button=3)
        assert app.list.cursor_key == "mobile"


async def test_the_cursor_stays_on_its_profile_when_the_list_changes() -> None:
    app = Profiles(ROWS)
    async with app.run_test() as pilot:
        await pilot.press("down", "down")
        heard = len(app.heard)

        app.list.show([ProfileRow("a-new-one"), *(row._replace(live=1) for row in ROWS)])
        await pilot.pause()

        assert app.list.cursor_key == "acme-prod"
        assert len(app.heard) == heard


async def test_the_cursor_keeps_its_row_when_its_profile_is_removed() -> None:
    app = Profiles(ROWS)
    async with app.run_test() as pilot:
        await pilot.press("end")

        app.list.show(ROWS[:-1])
        await pilot.pause()
        assert app.list.cursor_key == "mobile"
        assert app.heard[-1] == ("highlighted", "mobile")

        app.list.show([])
        await pilot.pause()
        await pilot.press("down", "up", "home", "end", "pagedown", "enter")
        assert app.list.cursor_key is None
        assert "No profiles yet." in shown(app.list)
        assert not any(what == "chosen" for what, _ in app.heard)

        app.list.show(ROWS)
        await pilot.pause()
        assert app.list.cursor_key == "default"


async def test_the_cursor_can_be_moved_to_a_profile() -> None:
    app = Profiles(ROWS)
    async with app.run_test():
        assert app.list.move_to_key("mobile")
        assert not app.list.move_to_key("nobody")
        assert app.list.cursor_key == "mobile"


async def test_the_cursor_is_always_in_view() -> None:
    rows = [ProfileRow(f"profile-{i}") for i in range(1000)]
    app = Profiles(rows)
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.press("end")
        assert "profile-999" in shown(app.list)

        await pilot.press("home")
        assert "profile-0" in shown(app.list)

        app.list.move_to_key("profile-500")
        await pilot.pause()
        assert "profile-500" in shown(app.list)

        await pilot.resize_terminal(40, 4)
        await pilot.pause()
        assert "profile-500" in shown(app.list)


async def test_hostile_names_are_shown_as_they_are() -> None:
    rows = [ProfileRow(text, text[:8], note=text, live=12) for text in HOSTILE]
    app = Profiles(rows)
    async with app.run_test(size=(60, 14)) as pilot:
        await pilot.press("down", "down", "enter")

        assert controls(app) == set()
        assert "[@click=app.quit]press[/]" in shown(app.list)
        assert app.heard[-1] == ("chosen", "[@click=app.quit]press[/]")


def test_no_field_shadows_one_of_textual() -> None:
    assert shadowing(ProfileList(), ScrollView) == []
