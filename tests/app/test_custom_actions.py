"""The user's own actions: page text reaches them as values, never as code."""

from __future__ import annotations

from pathlib import Path

import pytest

from pwtui.app.custom_actions import CustomAction, MissingValue, actions_file, load_actions
from pwtui.app.screens.text import TextWindow
from tests.app.conftest import Opens
from tests.site import TestSite

HOSTILE = "$(touch pwned) `touch pwned`; touch pwned # --force ' \" e1 {ref}"

ACTIONS = """
[[action]]
key = "f6"
title = "keep the title"
shell = 'printf "%s" "$PWTUI_TITLE" > title.txt; echo "$PWTUI_SELECTOR"'
output = "window"

[[action]]
key = "f7"
pane = "tree"
title = "fill in the title"
keyword = "fill {ref} {title}"

[[action]]
key = "y"
pane = "tree"
title = "highlight"
request = { op = "page.highlight", input = { ref = "{ref}" } }

[[action]]
key = "f8"
title = "unsafe"
shell = "echo {title}"

[[action]]
key = "f9"
pane = "sidebar"
title = "nowhere"
keyword = "title"
"""


async def test_hostile_text_is_a_value_of_commands_keywords_and_requests(
    open_kept: Opens, site: TestSite, user: Path
) -> None:
    actions_file().parent.mkdir(parents=True, exist_ok=True)
    actions_file().write_text(ACTIONS)
    async with open_kept(url=site.url("/form.html")) as panel:
        await panel.until(lambda: panel.toasts, "what is wrong with the file")
        assert "action 4: {title} in a command is not safe" in panel.toasts[0]
        rename = {"expression": f"document.title = {HOSTILE!r}"}
        panel.app.send(panel.app.controller.request("page.eval", rename))
        await panel.page("touch pwned")
        ref = panel.ref("textbox", "Name")
        await panel.go_to(ref)

        await panel.press("f6")
        window = await panel.screen_of(TextWindow)
        assert "getByRole('textbox'" in window.text
        await panel.press("escape")
        await panel.home()
        assert (user / "title.txt").read_text() == HOSTILE
        await panel.go_to(ref)
        await panel.press("f7")
        filled = await panel.answer("fill")
        assert filled.request["input"] == {"ref": ref, "text": HOSTILE}
        await panel.go_to(ref)
        await panel.press("y")
        assert (await panel.answer("page.highlight")).request["input"] == {"ref": ref}

        await panel.press("V", "f6")
        await panel.until(lambda: "no command is run" in panel.toasts[-1], "the refusal")
    assert not (user / "pwned").exists()


def test_a_value_that_is_missing_is_named(user: Path) -> None:
    action = CustomAction("f6", "click", keyword="click {ref}")

    with pytest.raises(MissingValue, match="there is no ref here"):
        action.to_request({"ref": None})
    assert load_actions(frozenset()) == ([], [])
