"""The schemas that the engine would tell."""

from __future__ import annotations

from typing import Any

from pwtui.operations.declare import operations
from pwtui.operations.ops import describe

SCHEMAS: dict[str, dict[str, Any]] = {
    op: describe(operation).input for op, operation in operations().items()
}
