"""Text that is folded by depth."""

from __future__ import annotations

from textual.app import App, ComposeResult

from pwtui.widgets.folded_text import FoldedText, Part

VALUE = {"a": {"b": [1, {"c": 2}], "d": 3}, "e": 4}


class Wall(App[None]):
    def compose(self) -> ComposeResult:
        yield FoldedText()

    @property
    def text(self) -> list[str]:
        folded = self.query_one(FoldedText)
        return [folded.line_text(row).rstrip() for row in range(folded.row_count)]


async def test_a_line_hides_what_is_deeper_and_its_closing_bracket() -> None:
    app = Wall()
    async with app.run_test(size=(60, 20)) as pilot:
        folded = app.query_one(FoldedText)
        folded.show([Part("Body", value=VALUE, has_value=True), Part("Headers", ["x: 1"])])
        await pilot.pause()
        whole = app.text
        assert whole[:3] == ["▾ Body", "  ▾ {", '    ▾ "a": {']

        folded.focus()
        await pilot.press("down", "down", "enter")
        assert app.text == [
            "▾ Body",
            "  ▾ {",
            '    ▸ "a": { … 8 lines',
            '      "e": 4',
            "    }",
            "▾ Headers",
            "    x: 1",
        ]
        assert folded.copied_text().splitlines()[:2] == ['"a": {', '  "b": [']
        await pilot.press("E")
        assert app.text == whole
        await pilot.press("end", "up", "enter")
        assert app.text[-1] == "▸ Headers … 1 line"
        await pilot.press("g", "enter")
        assert app.text[0] == f"▸ Body … {len(whole) - 3} lines"


async def test_a_large_value_is_folded_below_its_outer_levels() -> None:
    app = Wall()
    async with app.run_test(size=(60, 20)) as pilot:
        value = {"list": [{"name": n, "of": {"deep": [n]}} for n in range(50)]}
        app.query_one(FoldedText).show([Part("", value=value, has_value=True)])
        await pilot.pause()
        assert len(app.text) < 250
        assert any("…" in line for line in app.text)
