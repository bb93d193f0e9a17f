"""What the site stores: shown, revealed, changed, added and deleted, each by a request."""

from __future__ import annotations

from pathlib import Path

from pwtui.app.panes.storage import StoragePane
from pwtui.widgets.dialogs import ChoiceDialog, ConfirmDialog, PromptDialog
from pwtui.widgets.path_dialog import PathDialog
from tests.app.conftest import Opens
from tests.app.test_inspector import run_in_page
from tests.site import TestSite

SECRET = "correct-horse-battery"
STORE = f"""
    document.cookie = "token={SECRET}; path=/";
    localStorage.theme = "dark";
    sessionStorage.step = "address";
    indexedDB.open("shop");
    caches.open("pictures")
"""


async def test_storage_is_listed_hidden_and_changed(
    open_kept: Opens, site: TestSite, copied: list[str], tmp_path: Path
) -> None:
    async with open_kept(url=site.url("/form.html")) as panel:
        await run_in_page(panel, STORE.replace("\n", " "))
        await panel.press("7")
        pane = panel.main.query_one(StoragePane)
        for text in ("token", "dark", "address", "shop", "pictures"):
            await panel.shows(text, pane)
        await panel.below("#storage-pane", "1 cookie · 1 local · 1 session · 1 indexedDB · 1 cache")

        assert pane.move_to_key(next(row.key for row in pane._rows if row.name == "token"))
        await panel.press("y")
        await panel.until(lambda: copied == ["token"], "the name")
        assert SECRET not in panel.screen_text
        await panel.press("slash")
        await panel.type(SECRET)
        await panel.shows("No matches", pane)
        await panel.press("escape", "space")
        await panel.shows(SECRET, pane)
        await panel.press("space")
        await panel.until(lambda: SECRET not in panel.text(pane), "hidden again")

        await panel.press("enter")
        await panel.screen(PromptDialog)
        assert SECRET not in panel.screen_text
        await panel.clear()
        await panel.type("another")
        await panel.press("enter")
        entry = await panel.answer("cookies.set")
        assert entry.ok
        assert entry.request["input"]["path"] == "/"
        await panel.home()
        await panel.until(lambda: "another" in [row.value for row in pane._rows], "its value")

        await panel.press("a", "l")
        await panel.screen(PromptDialog)
        await panel.type("colour=#a=b")
        await panel.press("enter")
        assert (await panel.answer("localstorage.set")).ok
        await panel.shows("#a=b", pane)
        assert not isinstance(panel.app.screen, ChoiceDialog)

        assert pane.move_to_key(("local", "", "", "theme"))
        await panel.press("delete")
        await panel.screen(ConfirmDialog)
        await panel.press("y")
        assert (await panel.answer("localstorage.delete")).ok
        await panel.until(lambda: "theme" not in panel.text(pane), "the deletion")

        await panel.home()

        def values() -> dict[str, str]:
            return {row.name: row.value for row in pane._rows}

        assert values()["colour"] == "#a=b"
        await panel.press("ctrl+z")
        await panel.until(lambda: values().get("theme") == "dark", "the deleted item")
        assert "Undone: localstorage.delete theme" in panel.toasts
        await panel.press("ctrl+z")
        await panel.until(lambda: "colour" not in values(), "no item that was added")
        await panel.press("ctrl+z")
        await panel.until(lambda: values()["token"] == SECRET, "the value before")
        await panel.press("ctrl+z")
        await panel.until(lambda: "cannot be undone" in panel.toasts[-1], "a reason")
        assert panel.toasts[-1].startswith("navigate ")

        await panel.press("w")
        await panel.screen(PathDialog)
        await panel.press("enter")
        await panel.until((tmp_path / "state.json").is_file, "the file")
        await panel.home()
        await run_in_page(panel, "localStorage.clear()")
        await panel.until(lambda: "dark" not in panel.text(pane), "the page's own change")
        await panel.press("r")
        await panel.screen(PathDialog)
        await panel.press(*"state.", "tab", "enter")
        await panel.screen(ConfirmDialog)
        await panel.press("y")
        assert (await panel.answer("state.load")).ok
        await panel.shows("dark", pane)

        await panel.home()
        await panel.press("o")
        await panel.below("#storage-pane", "by name")
