"""The progress of a request while it runs."""

from __future__ import annotations

import time
from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import TypeVar

from pwtui.browser.page.interruptible import Interrupted, Interruptible
from pwtui.operations.framework.call import Call
from pwtui.protocol.envelope import Diagnostic, EffectiveRuntime
from pwtui.protocol.errors import OperationTimeout
from pwtui.protocol.secrets import mask_text

T = TypeVar("T")


@dataclass(eq=False, repr=False)
class Progress:
    """The data for the response of a request, also if it fails."""

    started: float = field(default_factory=time.monotonic)
    effective_runtime: EffectiveRuntime | None = None
    call: Call | None = None
    notices: list[Diagnostic] = field(default_factory=list)

    @property
    def diagnostics(self) -> list[Diagnostic]:
        found = self.notices + (self.call.diagnostics if self.call else [])
        return [each.model_copy(update={"message": mask_text(each.message)}) for each in found]

    @property
    def duration_ms(self) -> float:
        return round((time.monotonic() - self.started) * 1000, 1)


async def within_deadline(call: Call, work: Awaitable[T]) -> T:
    """Await the work of an operation without a page."""
    try:
        with Interruptible(call.deadline):
            return await work
    except Interrupted:
        raise OperationTimeout(
            f"{call.op} took longer than {call.deadline.timeout_ms} ms",
            details={"timeoutMs": call.deadline.timeout_ms},
        ) from None
