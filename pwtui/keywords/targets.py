"""Targets in a keyword line: a ref, a selector, or the text of an element."""

from __future__ import annotations

import re

from pwtui.protocol.locators import LocatorExpression, LocatorStep, is_expression
from pwtui.protocol.selectors import has_engine, is_selector
from pwtui.protocol.snapshot import is_ref

ROLES = frozenset(
    """
    alert alertdialog application article banner blockquote button caption cell checkbox code
    columnheader combobox complementary contentinfo definition dialog document emphasis feed figure
    form generic grid gridcell group heading img insertion link list listbox listitem log main
    marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation none note
    option paragraph presentation progressbar radio radiogroup region row rowgroup rowheader
    scrollbar search searchbox separator slider spinbutton status strong subscript superscript
    switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem
    """.split()
)

_NTH = re.compile(r"nth=(-?\d+)")


def target_fields(text: str, *, quoted: bool = False) -> dict[str, str]:
    """The input fields for an element."""
    if is_ref(text):
        return {"ref": text}
    if is_selector(text, quoted=quoted):
        return {"selector": text}
    return {"words": text}


def is_surely_a_target(text: str) -> bool:
    """Whether it cannot be a file name."""
    engine = has_engine(text) and is_selector(text)
    return is_ref(text) or is_expression(text) or engine or text.startswith(("#", "["))


def role_fields(role: str, name: str) -> dict[str, str]:
    """The input fields for `button "Save"`: the element with this role and exact name."""
    step = LocatorStep("getByRole", (role,), (("name", name), ("exact", True)))
    return {"selector": str(LocatorExpression((step,)))}


def chained(first: str, last: str) -> str:
    """`first >> last`; after a locator, the next call of the locator."""
    if not is_expression(first):
        return f"{first} >> {last}"
    if is_expression(last):
        return f"{first}.{last.removeprefix('page.')}"
    nth = _NTH.fullmatch(last)
    step = LocatorStep("nth", (int(nth[1]),)) if nth else LocatorStep("locator", (last,))
    return f"{first}.{step}"
