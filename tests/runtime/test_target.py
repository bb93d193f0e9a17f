"""The URL and the element of a request."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwtui.operations.framework.target_fields import check_ref
from pwtui.protocol.errors import InvalidInput
from pwtui.runtime.target import (
    fallback_url,
    is_absolute,
    looks_like_selector,
    normalise_url,
    resolve_selector,
    resolve_url,
    same_page,
    split_guess,
)
from pwtui.state.config import ProfileCache

NOW = 1_700_000_000
TAGS = """
    html head body main header footer nav aside section article div span h1 h2 h3 h4 h5 h6 p a
    strong em b i u s small mark blockquote pre code kbd samp var cite q abbr time address sub sup
    ul ol li dl dt dd menu table thead tbody tfoot tr th td caption colgroup col form input button
    textarea select option optgroup label fieldset legend datalist output progress meter img
    picture source video audio track canvas svg figure figcaption iframe embed object param details
    summary dialog br hr wbr template slot noscript script style link meta
""".split()

# URLs --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "base", "resolved"),
    [
        ("https://example.com", None, "https://example.com/"),
        ("HTTPS://Example.COM/A", None, "https://example.com/A"),
        ("http://example.com:80/", None, "http://example.com/"),
        ("  https://example.com/  ", None, "https://example.com/"),
        ("https://example.com/a b", None, "https://example.com/a%20b"),
        ("https://bücher.example/", None, "https://xn--bcher-kva.example/"),
        ("ws://example.com/s", None, "ws://example.com/s"),
        ("wss://example.com/s", None, "wss://example.com/s"),
        ("file:///tmp/a.html", None, "file:///tmp/a.html"),
        ("about:blank", None, "about:blank"),
        ("ABOUT:blank", None, "about:blank"),
        ("data:text/html,<h1>Hello</h1>", None, "data:text/html,<h1>Hello</h1>"),
        ("data:text/html,<h1 id='x'>a b</h1>", None, "data:text/html,<h1 id='x'>a b</h1>"),
        ("localhost:3000", None, "http://localhost:3000/"),
        ("localhost:3000/a?b#c", None, "http://localhost:3000/a?b#c"),
        ("127.0.0.1:8080", None, "http://127.0.0.1:8080/"),
        ("example.com:8080/x", None, "http://example.com:8080/x"),
        ("[::1]:3000", None, "http://[::1]:3000/"),
        ("localhost:3000", "https://example.com", "http://localhost:3000/"),
        ("https://other.example/", "https://example.com", "https://other.example/"),
        ("about:blank", "https://example.com", "about:blank"),
        ("/path/to/page", "https://example.com", "https://example.com/path/to/page"),
        ("page", "https://example.com/a/b", "https://example.com/a/page"),
        ("../page", "https://example.com/a/b/c", "https://example.com/a/page"),
        ("?q=1", "https://example.com/a", "https://example.com/a?q=1"),
        ("#top", "https://example.com/a", "https://example.com/a#top"),
        ("//cdn.example/x", "https://example.com", "https://cdn.example/x"),
        ("", "https://example.com/a", "https://example.com/a"),
        ("page", "localhost:3000/a/", "http://localhost:3000/a/page"),
        ("example.com", "https://example.com/", "https://example.com/example.com"),
    ],
)
def test_a_url_is_resolved_as_a_browser_would(url: str, base: str | None, resolved: str) -> None:
    assert resolve_url(url, base) == resolved


@pytest.mark.parametrize("url", ["/path", "page.html", "example.com", "localhost", "?q=1", "#top"])
def test_a_relative_url_without_a_base_is_refused_with_a_hint(url: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        resolve_url(url, None)

    assert repr(url) in refused.value.message
    assert "https://" in str(refused.value.hint)
    assert "baseUrl" in str(refused.value.hint)
    assert refused.value.details == {"url": url}


@pytest.mark.parametrize("base", [None, "https://example.com"])
def test_an_unknown_scheme_is_refused(base: str | None) -> None:
    with pytest.raises(InvalidInput, match="unknown scheme"):
        resolve_url("gopher://example.com", base)

    assert resolve_url("/go?to=gopher://a", "https://b.c") == "https://b.c/go?to=gopher://a"


def test_a_relative_base_is_refused() -> None:
    with pytest.raises(InvalidInput, match="the base URL 'example' is not absolute"):
        resolve_url("/path", "example")


@pytest.mark.parametrize(
    "url",
    ["http://", "https://exa mple.com", "http://[::1", "localhost:99999", "http://a:b/", "//[::1"],
)
def test_an_invalid_url_is_refused_with_its_text(url: str) -> None:
    with pytest.raises(InvalidInput, match="is not a URL") as refused:
        resolve_url(url, "https://example.com")

    assert set(refused.value.details or ()) == {"url"}


@pytest.mark.parametrize(
    ("text", "absolute"),
    [
        ("https://x", True),
        ("HTTPS://x", True),
        ("about:blank", True),
        ("data:,", True),
        ("localhost:3000", True),
        ("a:hover", False),
        ("div:nth-child(2)", False),
        ("localhost", False),
        ("http", False),
        ("", False),
        ("#a:1", False),
    ],
)
def test_absolute_urls_are_recognised(text: str, absolute: bool) -> None:
    assert is_absolute(text) is absolute


urls = st.text(max_size=20) | st.builds(
    "{}{}{}".format,
    st.sampled_from(
        "http:// HTTPS:// file:/// data: about: javascript: view-source: blob: // / ws:".split()
    ),
    st.sampled_from(["", "example.com", "localhost:3000", "[::1]", "ü.example", "a b"]),
    st.text(max_size=10) | st.sampled_from(["/../a", "?q= #", "#a b", "/%zz", "\\x"]),
)


@given(urls, st.sampled_from([None, "https://example.com/a/b", "localhost:3000"]))
def test_resolving_twice_changes_nothing(url: str, base: str | None) -> None:
    try:
        resolved = resolve_url(url, base)
    except InvalidInput:
        return

    assert resolve_url(resolved, base) == resolved
    assert normalise_url(resolved) == resolved


# Without a URL -----------------------------------------------------------------------------------


def test_the_last_url_wins_over_the_base() -> None:
    cache = ProfileCache(last_url="https://last/", last_used_at=NOW)

    assert fallback_url(cache, "https://base", now=NOW) == "https://last/"


def test_the_base_is_used_without_a_last_url() -> None:
    assert fallback_url(ProfileCache(), "https://base", now=NOW) == "https://base/"


def test_a_stale_url_is_not_used() -> None:
    cache = ProfileCache(last_url="https://last/", last_used_at=NOW - 3601)

    assert fallback_url(cache, "https://base", now=NOW) == "https://base/"
    with pytest.raises(InvalidInput, match="more than an hour ago") as refused:
        fallback_url(cache, None, now=NOW)
    assert refused.value.details == {"lastUrl": "https://last/", "lastUsedAt": NOW - 3601}


def test_without_a_url_the_request_is_refused_with_a_hint() -> None:
    with pytest.raises(InvalidInput, match="set url or `navigate` first"):
        fallback_url(ProfileCache(), None, now=NOW)


# Selectors ---------------------------------------------------------------------------------------


def test_the_selector_of_the_request_wins() -> None:
    cache = ProfileCache(last_selector="h2", last_used_at=NOW)

    assert resolve_selector("h1", cache, "css=button", now=NOW) == "h1"
    assert resolve_selector(None, cache, "css=button", now=NOW) == "h2"
    assert resolve_selector(None, ProfileCache(), "css=button", now=NOW) == "css=button"
    assert resolve_selector(None, ProfileCache(), None, now=NOW) is None


@pytest.mark.parametrize(("age", "selector"), [(3600, "h2"), (3601, "html")])
def test_a_stale_selector_is_not_used(age: int, selector: str) -> None:
    cache = ProfileCache(last_selector="h2", last_used_at=NOW - age)

    assert resolve_selector(None, cache, "html", now=NOW) == selector


@pytest.mark.parametrize("given_selector", ["", "  ", "\n"])
def test_an_empty_selector_is_refused(given_selector: str) -> None:
    with pytest.raises(InvalidInput, match="selector: must not be empty"):
        resolve_selector(given_selector, ProfileCache(last_selector="h1"), "html", now=NOW)


@pytest.mark.parametrize("tag", TAGS)
def test_all_tags_are_selectors_in_any_case(tag: str) -> None:
    assert looks_like_selector(tag)
    assert looks_like_selector(tag.upper())
    assert looks_like_selector(f" {tag}\n")


def test_the_table_of_tags_is_complete() -> None:
    assert len(TAGS) == len(set(TAGS)) == 99


@pytest.mark.parametrize(
    "text",
    [
        ".class",
        "#id",
        "a > b",
        "a ~ b",
        "a + b",
        "a:hover",
        "div:nth-child(2)",
        "[data-x]",
        "*",
        "example.com",
        "text=Sign in:",
        "getByRole('button')",
        'getByRole("button", { name: "Go" })',
        "locator('h1')",
        "page.getByText('Go')",
    ],
)
def test_selectors_are_recognised(text: str) -> None:
    assert looks_like_selector(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "https://example.com/#a",
        "HTTPS://EXAMPLE.COM",
        "data:text/html,<h1>",
        "DATA:,",
        "file:///a.html",
        "ws://x",
        "odd://x.y#z",
        "about:blank",
        "localhost",
        "foobar",
        "localhost:3000",
        "example.com:8080/a",
        "127.0.0.1:80",
        "[::1]:3000",
    ],
)
def test_urls_are_not_selectors(text: str) -> None:
    assert not looks_like_selector(text)


@given(st.text())
def test_any_text_can_be_checked(text: str) -> None:
    assert looks_like_selector(text) in (True, False)
    assert looks_like_selector(text) == looks_like_selector(f" {text} ")


@pytest.mark.parametrize(
    ("positional", "url", "selector", "expected"),
    [
        (None, None, None, (None, None)),
        ("h1", None, None, (None, "h1")),
        ("https://x", None, None, ("https://x", None)),
        ("localhost:3000", None, None, ("localhost:3000", None)),
        ("getByText('Go')", None, None, (None, "getByText('Go')")),
        ("https://x", None, "h1", ("https://x", "h1")),
        ("h1", "https://x", None, ("https://x", "h1")),
        ("h1", None, "h2", (None, "h2")),
        ("https://x", "https://y", None, ("https://y", None)),
        ("https://x", "https://y", "h1", ("https://y", "h1")),
        (None, "https://y", "h1", ("https://y", "h1")),
    ],
)
def test_a_positional_argument_is_a_url_or_a_selector(
    positional: str | None,
    url: str | None,
    selector: str | None,
    expected: tuple[str | None, str | None],
) -> None:
    assert split_guess(positional, url, selector) == expected


words = st.none() | st.text(min_size=1) | st.sampled_from(["h1", ".a", "https://x", "localhost"])


@given(words, words, words)
def test_explicit_fields_win_over_the_positional_argument(
    positional: str | None, url: str | None, selector: str | None
) -> None:
    guessed_url, guessed_selector = split_guess(positional, url, selector)

    if url is not None:
        assert guessed_url == url
    if selector is not None:
        assert guessed_selector == selector
    if positional is not None:
        stronger = selector if looks_like_selector(positional) else url
        assert stronger is not None or positional in (guessed_url, guessed_selector)
    assert {guessed_url, guessed_selector} <= {positional, url, selector, None}


# Pages and refs ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("current", "wanted", "same"),
    [
        ("https://a/", "https://a/", True),
        ("https://a", "https://a/", True),
        ("https://a/b/", "https://a/b", True),
        ("https://a/b", "https://a/c", False),
        ("https://a/#x", "https://a/#y", False),
        ("https://a/?q", "https://a/", False),
        ("about:blank", "about:blank", True),
    ],
)
def test_the_current_page_is_recognised(current: str, wanted: str, same: bool) -> None:
    assert same_page(current, wanted) is same


@pytest.mark.parametrize("ref", ["e5", "f2e5", "e0", "f10e123"])
def test_a_ref_is_accepted(ref: str) -> None:
    assert check_ref(ref) == ref


@pytest.mark.parametrize("ref", ["", "5", "E5", "e", "ef5", "f2", "e5 ", "e5\n", "#e5", "e٣"])
def test_other_text_is_refused_with_its_text(ref: str) -> None:
    with pytest.raises(InvalidInput, match="is not a ref") as refused:
        check_ref(ref)

    assert refused.value.details == {"ref": ref}
