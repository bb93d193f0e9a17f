"""Text that is safe for a terminal."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwtui.protocol.printable import counted, one_line, printable

ANY_TEXT = st.text(st.characters(codec=None, categories=None))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]52;c;ZWNobw==\x07", "\\u001b]52;c;ZWNobw==\\u0007"),
        ("\x9b31m\x7f", "\\u009b31m\\u007f"),
        ("\u202eexe\u2066\u200f\u061c", "\\u202eexe\\u2066\\u200f\\u061c"),
        ("half \ud800", "half \\ud800"),
        ("a\r\nb\rc\n\td", "a\nb\\u000dc\n\td"),
        ("süß 日本 👩‍👩‍👧 soft\u00adhyphen", "süß 日本 👩‍👩‍👧 soft\u00adhyphen"),
    ],
)
def test_control_characters_are_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(ANY_TEXT)
def test_printable_text_has_no_control_characters(text: str) -> None:
    left = set(printable(text)) - set("\n\t")

    assert not [char for char in left if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")]
    assert not [char for char in left if unicodedata.bidirectional(char) in _BIDI]
    assert not set(one_line(text)) & set("\n\t")


@given(st.recursive(ANY_TEXT, lambda each: st.lists(each) | st.dictionaries(ANY_TEXT, each)))
def test_printable_json_has_the_same_value(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=2)

    assert json.loads(printable(text)) == value


def test_a_number_agrees_with_its_noun() -> None:
    assert [counted(each, "step") for each in (0, 1, 2)] == ["0 steps", "1 step", "2 steps"]


_BIDI = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
