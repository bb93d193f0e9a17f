"""Durable locators in Chromium: each finds the element that it was made for."""

from __future__ import annotations

import html
import re
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Error, Frame, Locator, Page, async_playwright

from pwtui.browser.launch.find_browser import find_chromium
from pwtui.browser.page.durable_locator import durable_expression, to_locator
from pwtui.protocol.locators import LocatorExpression, LocatorStep, is_expression, parse_locator

pytestmark = pytest.mark.asyncio(loop_scope="module")


def iframe(content: str, **attributes: str) -> str:
    written = "".join(f' {name}="{html.escape(value)}"' for name, value in attributes.items())
    return f'<iframe srcdoc="{html.escape(content)}"{written}></iframe>'


NAMES = [
    "plain",
    "it's",
    'say "hi"',
    "back\\slash",
    "trailing\\",
    "`tick` ${x}",
    "Grüße 日本語 😀",
    "a >> b",
    "/slashes/i",
    "{ name: 'x' }",
    "<b>not markup</b>",
    "[ref=e1]",
    "\u202eright to left",
]

FORM = """
<h1>Title</h1><h2>Title</h2>
<label>Mail <input></label>
<input placeholder="Search here"> <input title="A title"> <input aria-label="exact">
<input aria-label="exactly">
<input type="checkbox" aria-label="Tick" checked> <input type="checkbox" aria-label="Tick">
<img alt="A picture" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" width="9" height="9">
<div data-testid="one'two">by test id</div>
<select aria-label="Pick"><option>One</option><option>Two</option></select>
<table><tr><td>x</td><td>x</td></tr><tr><td>x</td><td><button>x</button></td></tr></table>
<ul><li>item</li><li>item <a href="#">link</a></li><li><a href="#">link</a></li></ul>
<div id="weird:id.x">by id</div><p>para</p><p>para</p>
"""

SHADOW = """
<div id="host"></div>
<script>
  const outer = document.querySelector('#host').attachShadow({ mode: 'open' });
  outer.innerHTML = '<button>Shade</button><button>Shade</button><div id="inner"></div>';
  const inner = outer.querySelector('#inner').attachShadow({ mode: 'open' });
  inner.innerHTML = '<button>Shade</button><input placeholder="deep shade">';
</script>
"""

FRAMES = (
    "<button>Go</button>"
    + iframe("<button>Go</button><button>Go</button>" + iframe("<button>Go</button>" + SHADOW))
    + iframe("<button>Go</button>" + iframe("<a href='#'>Deep</a>"), title='it\'s "named"')
    + iframe(FORM, name="form")
)

DUPLICATES = "<button>Dup</button>" * 4 + "<div><button>Dup</button><button>Dup</button></div>"

NAMED = "".join(
    f"<button>{html.escape(name)}</button>"
    f'<input placeholder="{html.escape(name)}">'
    f'<input title="{html.escape(name)}">'
    f'<div data-testid="{html.escape(name)}">by test id</div>'
    for name in NAMES
)

PAGES = {
    "duplicates": DUPLICATES,
    "form": FORM,
    "frames": FRAMES,
    "names": NAMED,
    "shadow": SHADOW,
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def page() -> AsyncIterator[Page]:
    """One page for all tests; each sets the content that it needs."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=find_chromium(headless=True), args=["--no-sandbox"]
        )
        yield await browser.new_page()
        await browser.close()


async def refs_of(page: Page) -> list[str]:
    snapshot = await page.aria_snapshot(mode="ai")
    # Some names look like refs themselves.
    without_names = re.sub(r'"(?:[^"\\]|\\.)*"', "", snapshot)
    return re.findall(r"\[ref=((?:f\d+)?e\d+)\]", without_names)


async def assert_same_element(one: Locator, other: Locator) -> None:
    first, second = await one.element_handle(), await other.element_handle()
    assert await first.evaluate("(one, other) => one === other", second), f"{one} is not {other}"


@pytest.mark.parametrize("content", PAGES.values(), ids=PAGES.keys())
@pytest.mark.thorough
async def test_every_ref_has_a_durable_expression_for_the_same_element(
    page: Page, content: str
) -> None:
    await page.set_content(content)
    refs = await refs_of(page)
    assert refs

    for ref in refs:
        element = page.get_by_ref(ref)
        text = await durable_expression(element)

        assert is_expression(text)
        assert "getByRef" not in text
        assert "aria-ref" not in text
        assert str(parse_locator(text)) == text
        found = to_locator(page, parse_locator(text))
        assert await found.count() == 1
        await assert_same_element(element, found)


async def test_the_frames_page_has_refs_in_every_frame(page: Page) -> None:
    await page.set_content(FRAMES)
    frames = {ref.partition("e")[0] for ref in await refs_of(page)}

    assert len(frames) == len(page.frames) == 6


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("getByRole('heading', { level: 2 })", "h2"),
        (
            "getByRole('checkbox', { name: 'tick', checked: false })",
            "input[type=checkbox]:not(:checked)",
        ),
        ("getByLabel('exact', { exact: true })", "[aria-label=exact]"),
        ("get_by_label('mail')", "label input"),
        ("getByPlaceholder(/^search HERE$/i)", "[placeholder]"),
        ("getByAltText('picture')", "img"),
        ("getByTitle('a title')", "[title]"),
        ("getByTestId('one\\'two')", "[data-testid]"),
        ("getByText(/by i[d]$/)", "[id='weird:id.x']"),
        ("locator('li').filter({ hasText: 'item', has: getByRole('link') })", "li:nth-child(2)"),
        ("locator('li').filter({ hasNotText: 'item' })", "li:nth-child(3)"),
        ("locator('li', { hasNot: locator('a') })", "li:nth-child(1)"),
        ("locator('li').locator(getByText('link')).last()", "li:nth-child(3) a"),
        ("locator('p').first().or(locator('nothing'))", "p >> nth=0"),
        ("get_by_role('listitem').and_(locator('li:nth-child(3)')).visible", "li:nth-child(3)"),
        (
            "getByRole('cell').nth(1).within(getByRole('row').nth(1))",
            "tr:nth-child(2) td:nth-child(2)",
        ),
        ("locator('h1').filter({ visible: true }).describe('the title')", "h1"),
    ],
)
async def test_an_expression_finds_its_element(page: Page, text: str, expected: str) -> None:
    await page.set_content(FORM)
    await assert_same_element(to_locator(page, parse_locator(text)), page.locator(expected))


async def test_frames_are_entered_and_left(page: Page) -> None:
    await page.set_content(FRAMES)
    named = page.locator("iframe[title]")
    deep = page.frame_locator("iframe[title]").frame_locator("iframe").locator("a")

    for text in [
        "frameLocator('iframe[title]').frameLocator('iframe').getByRole('link')",
        "locator('iframe').nth(1).contentFrame().locator('iframe').contentFrame().locator('a')",
        "frameLocator().getByText('Deep')",
    ]:
        await assert_same_element(to_locator(page, parse_locator(text)), deep)
    owner = to_locator(page, parse_locator("frameLocator('iframe').nth(1).owner()"))
    await assert_same_element(owner, named)


async def test_a_frame_can_be_the_root_while_durable_text_starts_at_the_page(page: Page) -> None:
    await page.set_content(FRAMES)
    frame = page.frame("form")
    assert isinstance(frame, Frame)
    inside = to_locator(frame, parse_locator("getByRole('heading', { level: 2 })"))
    await assert_same_element(inside, frame.locator("h2"))

    text = await durable_expression(inside)
    await assert_same_element(to_locator(page, parse_locator(text)), inside)

    heading = next(ref for ref in await refs_of(page) if ref.startswith("f"))
    by_ref = parse_locator(f"getByRef('{heading}')")
    await assert_same_element(to_locator(frame, by_ref), to_locator(page, by_ref))


async def test_a_stale_ref_fails_at_once(page: Page) -> None:
    await page.set_content(FORM)
    await refs_of(page)

    with pytest.raises(Error, match="e999"):
        await durable_expression(page.get_by_ref("e999"))


async def test_an_expression_that_stops_at_a_frame_is_refused(page: Page) -> None:
    await page.set_content(FRAMES)
    with pytest.raises(TypeError, match="does not lead to an element"):
        to_locator(page, LocatorExpression((LocatorStep("frameLocator", ("iframe",)),)))
