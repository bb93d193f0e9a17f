"""What the tests of the prompt and of replays share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.daemon.house import House


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    """With a daemon, and one browser that the tests of a module share."""
    with House() as shared:
        shared.more_environment["TERM"] = "xterm-256color"
        shared.more_environment["XDG_CONFIG_HOME"] = str(shared.folder / "config")
        shared.start_daemon()
        yield shared
