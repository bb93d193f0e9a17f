"""How far a request has come."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from pwtui.operations.framework.call import Call
from pwtui.protocol.envelope import Diagnostic, EffectiveRuntime
from pwtui.protocol.secrets import mask_text


@dataclass
class Progress:
    """What is known of a request, for its response, when it fails too."""

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
