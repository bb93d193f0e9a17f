"""Title, URL, viewport size and PDF of a page."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from pwtui.operations.framework.browser_errors import rejected_as
from pwtui.operations.framework.declare import Engines, Group, Keyword, configures, reads
from pwtui.operations.framework.fields import Data, OutputPath, output_file
from pwtui.operations.framework.page_call import PageCall
from pwtui.operations.framework.target_fields import UrlFields
from pwtui.protocol.errors import InvalidInput, UnsupportedMode
from pwtui.protocol.model import Volatile

GROUP = Group.READING


class TitleData(Data):
    title: str
    url: str


@reads("page.title", "title", outcome="{title}")
async def page_title(call: PageCall, input: UrlFields) -> TitleData:
    """Get the title of the page."""
    return TitleData(title=await call.page.title(), url=call.tab.url)


class UrlData(Data):
    url: str


@reads("page.url", "url", outcome="{url}")
async def page_url(call: PageCall, input: UrlFields) -> UrlData:
    """Get the URL of the page."""
    return UrlData(url=call.tab.url)


class ResizeInput(UrlFields):
    width: int = Field(gt=0, le=10_000, description="Width of the viewport in CSS pixels.")
    height: int = Field(gt=0, le=10_000, description="Height of the viewport in CSS pixels.")


class SizeData(Data):
    width: int
    height: int


@configures(
    "page.resize",
    Keyword("resize width height", group=Group.EMULATION),
    example={"width": 1024, "height": 768},
    outcome="{width}x{height}",
    python="page.set_viewport_size({'width': width, 'height': height})",
)
async def page_resize(call: PageCall, input: ResizeInput) -> SizeData:
    """Resize the viewport of the current tab."""
    await call.page.set_viewport_size({"width": input.width, "height": input.height})
    return SizeData(width=input.width, height=input.height)


class PdfInput(UrlFields):
    output: OutputPath = output_file("page", ".pdf")
    format: Literal["Letter", "Legal", "Tabloid", "A0", "A1", "A2", "A3", "A4", "A5", "A6"] = Field(
        "A4", description="Paper size."
    )
    landscape: bool = Field(False, description="Print in landscape orientation.")
    background: bool = Field(False, description="Print background colours and images.")
    scale: float = Field(1.0, ge=0.1, le=2, description="Scale of the page.")
    pages: str | None = Field(None, description="Pages to print, such as 1-3, 5 (default: all).")


class PdfData(Data):
    path: Volatile[str]
    size_bytes: Volatile[int]


@reads(
    "page.pdf",
    "pdf --filename=output",
    example={"output": "page.pdf"},
    outcome="",
    engines=Engines(("chromium", "firefox"), "it cannot print"),
    python="page.pdf(path=output or 'page.pdf')",
)
async def page_pdf(call: PageCall, input: PdfInput) -> PdfData:
    """Save the page as PDF; requires Chromium or a stock Firefox."""
    rejected = InvalidInput if call.session.is_chromium else UnsupportedMode
    with rejected_as(
        call, lambda why: rejected(f"cannot print the page: {why}", details={"reason": why})
    ):
        pdf = await call.page.pdf(
            format=input.format,
            landscape=input.landscape,
            print_background=input.background,
            scale=input.scale,
            page_ranges=input.pages,
        )
    call.save_artifact("pdf", input.output, pdf)
    call.output = input.output
    return PdfData(path=input.output, size_bytes=len(pdf))
