"""The schemas that the engine would tell."""

from __future__ import annotations

from typing import Any

from pwtui.operations.admin.ops import describe
from pwtui.operations.framework.declare import operations

SCHEMAS: dict[str, dict[str, Any]] = {
    op: describe(operation).input for op, operation in operations().items()
}
