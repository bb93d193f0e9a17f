"""Distinguishes selectors from the text of an element and from URLs."""

from __future__ import annotations

import re

_TAGS = frozenset(
    """
    html head body main header footer nav aside section article div span h1 h2 h3 h4 h5 h6 p a
    strong em b i u s small mark blockquote pre code kbd samp var cite q abbr time address sub sup
    ul ol li dl dt dd menu table thead tbody tfoot tr th td caption colgroup col form input button
    textarea select option optgroup label fieldset legend datalist output progress meter img
    picture source video audio track canvas svg figure figcaption iframe embed object
    param details summary dialog br hr wbr template slot noscript script style link meta
    """.split()
)
# Tags that are not words on a page.
_BARE_TAGS = frozenset(
    """
    a p b i ul ol li dl dt dd h1 h2 h3 h4 h5 h6 div span html body head nav img svg input button
    textarea select fieldset form table thead tbody tr td th iframe canvas video audio
    """.split()
)
_MARKS = frozenset(".#>~+:[]*")
_ENGINE = re.compile(r"(?:internal:[a-z-]+|[a-z_][a-z_-]*(?::light)?)=", re.IGNORECASE)
_ENGINES = frozenset(
    """
    css xpath text role id data-testid data-test-id data-test aria-ref _react _vue nth visible
    """.split()
)
_BEGINNING = re.compile(r"#[\w\\-]|\.[A-Za-z_-][\w-]*|\[|\*|:[a-z-]|//|\.\./|\(//?")
_TAG_AND_MARK = re.compile(r"([a-z][a-z0-9-]*)(?:[#.\[:][^\s.]|\s*[>+~]\s*[\w.#*\[:])")


def is_selector(text: str, *, quoted: bool = False, or_url: bool = False) -> bool:
    """Whether the text has the syntax of a selector or locator.

    A bare tag is a selector unless it is quoted or could be a word on a page. If the alternative is
    a URL (`or_url`), every tag and every text with a CSS mark is a selector.
    """
    text = text.strip()
    from pwtui.protocol.locators import is_expression

    if is_expression(text) or " >> " in text:
        return True
    if or_url:
        return bool(_MARKS & set(text)) or text.lower() in _TAGS
    if has_engine(text):
        name = text.partition("=")[0].partition(":light")[0].lower()
        return name in _ENGINES or name.startswith("internal:")
    if _BEGINNING.match(text):
        return True
    if (tag := _TAG_AND_MARK.match(text)) is not None:
        return tag[1] in _TAGS or "-" in tag[1]
    return not quoted and all(word in _BARE_TAGS for word in text.split())


def has_engine(text: str) -> bool:
    """Whether the text starts with the name of an engine, such as `css=`, known or not."""
    return _ENGINE.match(text) is not None
