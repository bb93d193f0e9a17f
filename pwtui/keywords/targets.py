"""What a person means by a target: a ref, a selector, or the words that the element shows."""

from __future__ import annotations

import re

from pwtui.protocol.locators import LocatorExpression, Step, is_expression
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

# Tags that are no words which a page shows.
_BARE_TAGS = frozenset(
    """
    a p b i ul ol li dl dt dd h1 h2 h3 h4 h5 h6 div span html body head nav img svg input button
    textarea select fieldset form table thead tbody tr td th iframe canvas video audio
    """.split()
)
_MARKED_TAGS = _BARE_TAGS | frozenset(
    """
    main header footer aside section article label legend option details summary dialog figure
    figcaption caption tfoot pre code em strong small time object embed picture source output
    progress meter blockquote address menu optgroup link meta script style template slot
    """.split()
)
_ENGINE = re.compile(r"(?:internal:[a-z-]+|[a-z_][a-z_-]*(?::light)?)=", re.IGNORECASE)
_ENGINES = frozenset(
    """
    css xpath text role id data-testid data-test-id data-test aria-ref _react _vue nth visible
    """.split()
)
_NTH = re.compile(r"nth=(-?\d+)")
_BEGINNING = re.compile(r"#[\w\\-]|\.[A-Za-z_-][\w-]*|\[|\*|:[a-z-]|//|\.\./|\(//?")
_TAG_AND_MARK = re.compile(r"([a-z][a-z0-9-]*)(?:[#.\[:][^\s.]|\s*[>+~]\s*[\w.#*\[:])")


def target_fields(text: str, *, quoted: bool = False) -> dict[str, str]:
    """The input fields that name the element."""
    if is_ref(text):
        return {"ref": text}
    if is_selector(text, quoted=quoted):
        return {"selector": text}
    return {"words": text}


def is_surely_a_target(text: str) -> bool:
    """Whether it cannot be the name of a file."""
    engine = _ENGINE.match(text) is not None and is_selector(text)
    return is_ref(text) or is_expression(text) or engine or text.startswith(("#", "["))


def role_fields(role: str, name: str) -> dict[str, str]:
    """`button "Save"`: the element with this role and exactly this name."""
    step = Step("getByRole", (role,), (("name", name), ("exact", True)))
    return {"selector": str(LocatorExpression((step,)))}


def chained(first: str, last: str) -> str:
    """`first >> last`; what comes after a locator is written as its next call."""
    if not is_expression(first):
        return f"{first} >> {last}"
    if is_expression(last):
        return f"{first}.{last.removeprefix('page.')}"
    nth = _NTH.fullmatch(last)
    return f"{first}.{Step('nth', (int(nth[1]),)) if nth else Step('locator', (last,))}"


def is_selector(text: str, *, quoted: bool = False) -> bool:
    """Whether it is written like a selector or locator; a bare tag in quotes is words."""
    text = text.strip()
    if is_expression(text) or " >> " in text:
        return True
    if (engine := _ENGINE.match(text)) is not None:
        name = engine[0].rstrip("=").partition(":light")[0].lower()
        return name in _ENGINES or name.startswith("internal:")
    if _BEGINNING.match(text):
        return True
    if (tag := _TAG_AND_MARK.match(text)) is not None:
        return tag[1] in _MARKED_TAGS or "-" in tag[1]
    return not quoted and all(word in _BARE_TAGS for word in text.split())
