"""What only the tests of the command line share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.pw import Pw


@pytest.fixture
def pw(tmp_path: Path) -> Pw:
    root = tmp_path / "workspace"
    root.mkdir()
    return Pw(root)
