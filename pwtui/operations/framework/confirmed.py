"""Actions that some browsers accept and do not complete: the page is asked what it has seen."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from playwright.async_api import Error, Frame, Locator

from pwtui.operations.framework.page_call import PageCall
from pwtui.protocol.errors import UnsupportedMode

_WATCH = """(node, names) => {
    const window = (node.ownerDocument ?? node).defaultView;
    const seen = {}, ended = new AbortController();
    for (const name of names)
        window.addEventListener(name, () => { seen[name] = (seen[name] ?? 0) + 1; },
            { capture: true, signal: ended.signal });
    return { seen, ended };
}"""


class Gesture(NamedTuple):
    """Events that must be followed by another one."""

    begins: str
    times: int
    completes: str
    failure: str


DOUBLE_CLICK = Gesture("click", 2, "dblclick", "clicked twice, which was not a double click")
DRAG = Gesture("dragstart", 1, "dragend", "began to drag, and dropped nothing")


@asynccontextmanager
async def confirmed(
    call: PageCall, gesture: Gesture, where: Locator | Frame
) -> AsyncIterator[None]:
    """Raise UnsupportedMode for a gesture that began and was not completed.

    Chromium completes them all, and is not asked. A page that was left cannot be asked.
    """
    if call.session.is_chromium:
        yield
        return
    names = [gesture.begins, gesture.completes]
    if isinstance(where, Frame):
        handle = await where.evaluate_handle(f"names => ({_WATCH})(document, names)", names)
    else:
        handle = await where.evaluate_handle(_WATCH, names, timeout=call.deadline.ms)
    yield
    try:
        seen: dict[str, Any] = await handle.evaluate("it => { it.ended.abort(); return it.seen }")
    except Error:
        return
    if seen.get(gesture.begins, 0) >= gesture.times and not seen.get(gesture.completes):
        raise UnsupportedMode(
            f"{call.runtime.browser} {gesture.failure}",
            hint="use Chromium for this step",
            details={"browser": call.runtime.browser, "seen": seen},
        )
