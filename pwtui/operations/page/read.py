"""The content of a page: text, HTML, the main article."""

from __future__ import annotations

import asyncio
import re
from typing import Any, Literal

from pydantic import Field

from pwtui.browser.page.scripts import evaluate_settled, script
from pwtui.operations.framework.declare import Group, TargetRules, reads
from pwtui.operations.framework.fields import Data
from pwtui.operations.framework.page_call import PageCall
from pwtui.operations.framework.target_fields import ElementInput, UrlFields
from pwtui.protocol.errors import MAX_RESULT_BYTES, ResultTooLarge
from pwtui.protocol.extras import missing_extra
from pwtui.protocol.model import Maybe

GROUP = Group.READING

# The length of what is too long: sending it would take many times longer than reading it.
_LIMITED_HTML = f"""(element, limit) => {{
    const html = ({script("html")})(element, false);
    return html.length > limit ? html.length : html;
}}"""
_BLANK_LINES = re.compile(r"\n[^\S\n]*\n(?:[^\S\n]*\n)+")


class TextData(Data):
    text: str
    selector: str
    match_count: int


@reads(
    "page.text",
    "text target",
    example={"selector": "h1"},
    target=TargetRules(url_may_be_selector=True),
    outcome="{text}",
)
async def page_text(call: PageCall, input: ElementInput) -> TextData:
    """Get the visible text of an element, with blank lines collapsed."""
    text = await call.element.do(lambda it: it.inner_text(timeout=call.deadline.ms), "read")
    return TextData(
        text=_BLANK_LINES.sub("\n\n", text).strip(), selector=call.element.selector, match_count=1
    )


class HtmlData(Data):
    html: str
    selector: str
    length: int = Field(description="Size in bytes.")


@reads(
    "page.html",
    "html [selector:html]",
    example={"selector": "main"},
    target=TargetRules(url_may_be_selector=True, fallback="html"),
    outcome="{html}",
)
async def page_html(call: PageCall, input: ElementInput) -> HtmlData:
    """Get the inner HTML of an element (default: the whole page)."""
    timeout = call.deadline.ms
    html: str | int = await call.element.do(
        lambda it: it.evaluate(_LIMITED_HTML, MAX_RESULT_BYTES, timeout=timeout), "read"
    )
    if isinstance(html, int):
        raise ResultTooLarge.of("page.html", html, at_least=True)
    return HtmlData(html=html, selector=call.element.selector, length=len(html.encode()))


class ReadInput(UrlFields):
    output_format: Literal["markdown", "text", "html"] = Field(
        "markdown", description="Format of the content."
    )
    metadata: bool = Field(False, description="Also return title, author, date and other metadata.")


class ReadData(Data):
    content: str
    format: str
    word_count: int
    title: Maybe[str] = None
    author: Maybe[str] = None
    published: Maybe[str] = None
    description: Maybe[str] = None
    image: Maybe[str] = None
    site: Maybe[str] = None


@reads("page.read", "read", example={"metadata": True}, outcome="{content}")
async def page_read(call: PageCall, input: ReadInput) -> ReadData:
    """Extract the main content of the page, without navigation, adverts and footers."""
    html: str = await evaluate_settled(
        call.page, f"() => ({script('html')})(document.documentElement, true)"
    )
    data = await asyncio.to_thread(_extract, html, call.tab.url, input)
    if not data.content:
        call.note("warning", "no main content found; try `page.text` or `page.html`")
    return data


def _extract(html: str, url: str, input: ReadInput) -> ReadData:
    try:
        import trafilatura  # slow to import, and only needed here
    except ImportError:
        raise missing_extra("read", "page.read") from None

    format = input.output_format
    content = trafilatura.extract(
        html,
        url=url,
        output_format="txt" if format == "text" else format,
        include_formatting=format != "text",
        include_links=format != "text",
        include_images=format != "text",
        include_tables=True,
        favor_recall=True,
    )
    data = ReadData(content=content or "", format=format, word_count=len((content or "").split()))
    found: Any = trafilatura.extract_metadata(html, default_url=url) if input.metadata else None
    if found is not None:
        data.title = found.title
        data.author = found.author
        data.published = found.date
        data.description = found.description
        data.image = found.image
        data.site = found.sitename or found.hostname
    return data
