"""Screenshots."""

from __future__ import annotations

import struct
from base64 import b64encode
from pathlib import Path
from typing import Any

from pydantic import Field

from pwtui.operations.framework.browser_errors import rejected_as
from pwtui.operations.framework.declare import Group, NodeMenu, TargetRules, reads
from pwtui.operations.framework.fields import Data, OutputPath, output_file
from pwtui.operations.framework.page_call import PageCall
from pwtui.operations.framework.target_fields import ElementInput
from pwtui.protocol.errors import InvalidInput, ScreenshotFailed
from pwtui.protocol.model import Maybe, Volatile

GROUP = Group.READING

SMALL_QUALITY = 40
_TYPES = {".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg"}


class ScreenshotInput(ElementInput):
    output: OutputPath = output_file("screenshot", ".png", " (.png, .jpg)")
    full_page: bool = Field(False, description="Capture the whole page, not only the viewport.")
    inline: bool = Field(
        False, description="Return a JPEG of low quality in CSS pixels instead of saving a file."
    )


class ScreenshotData(Data):
    path: Maybe[Volatile[str]] = None
    image: Maybe[Volatile[str]] = Field(None, description="With `inline`: the JPEG in Base64.")
    full_page: bool
    width: Maybe[int] = None
    height: Maybe[int] = None


@reads(
    "screenshot",
    "screenshot|ss [target] --filename=output --full-page|fullPage",
    example={"output": "page.png", "fullPage": True},
    target=TargetRules(optional=True),
    outcome="",
    menu=(NodeMenu("g", "screenshot of it", input={"output": "element-{ref}.png"}),),
    python="(element or page).screenshot(path=output or 'screenshot.png', full_page=full_page)",
)
async def screenshot(call: PageCall, input: ScreenshotInput) -> ScreenshotData:
    """Save a screenshot of the page, or of one element."""
    kind = _TYPES.get(Path(input.output).suffix.lower())
    if kind is None:
        raise InvalidInput(
            f"output: {input.output!r} must end in {', '.join(_TYPES)}",
            details={"output": input.output},
        )
    options: dict[str, Any] = {"type": kind, "timeout": call.deadline.ms}
    if input.inline:
        options |= {"type": "jpeg", "quality": SMALL_QUALITY, "scale": "css"}
    details = {"path": input.output}
    with rejected_as(
        call, lambda why: ScreenshotFailed(f"screenshot failed: {why}", details=details)
    ):
        if call.found is not None:
            image = await call.found.do(lambda it: it.screenshot(**options), "take a screenshot of")
        else:
            image = await call.page.screenshot(full_page=input.full_page, **options)
    if input.inline:
        return ScreenshotData(image=b64encode(image).decode(), full_page=input.full_page)
    call.save_artifact("screenshot", input.output, image)
    call.output = input.output
    width, height = struct.unpack(">II", image[16:24]) if kind == "png" else (None, None)
    return ScreenshotData(path=input.output, full_page=input.full_page, width=width, height=height)
