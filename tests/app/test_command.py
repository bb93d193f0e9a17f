"""The keyword line of the panel."""

from __future__ import annotations

from pwtui.app.screens.command import CommandScreen
from pwtui.app.settings import Settings
from pwtui.widgets.command_line import CommandLine, CompletionList
from tests.app.conftest import Opens
from tests.site import TestSite


async def test_keywords_are_completed_checked_and_sent(open_kept: Opens, site: TestSite) -> None:
    async with open_kept(url=site.url("/form.html")) as panel:
        await panel.press("colon")
        screen = await panel.screen(CommandScreen)
        line = screen.query_one(CommandLine)
        await panel.type("fill")
        await panel.press("enter")
        await panel.shows("usage: fill")

        refs = screen.query_one(CompletionList)
        await panel.type(" e")
        await panel.until(lambda: refs.cursor_row, "refs of the page")
        await panel.clear()
        await panel.type("title")
        await panel.press("enter")
        await panel.home()
        assert (await panel.answer("page.title")).ok

        await panel.press("colon")
        await panel.screen(CommandScreen)
        await panel.press("up")
        line = panel.app.screen.query_one(CommandLine)
        await panel.until(lambda: line.entry.value == "title", "the line before")
        await panel.press("escape")
        await panel.home()


async def test_a_typed_password_is_not_kept_on_disk(open_kept: Opens, site: TestSite) -> None:
    async with open_kept(url=site.url("/form.html")) as panel:
        ref = panel.ref("textbox", "Password")
        await panel.press("colon")
        await panel.screen(CommandScreen)
        await panel.type(f"fill {ref} hunter2-xyz")
        await panel.press("enter")
        assert (await panel.answer("fill")).ok
    kept = Settings().now.history
    assert any(each.request["op"] == "fill" for each in kept)
    assert "hunter2-xyz" not in str(kept)
