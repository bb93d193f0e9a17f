"""What the tests of the daemon share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from pwtui.browser.launch.find_browser import find_chromium
from tests.daemon.house import House
from tests.daemon.wire import Wire


@pytest.fixture
def house() -> Iterator[House]:
    """With nothing in it yet."""
    with House() as own:
        yield own


@pytest.fixture(scope="module")
def warm() -> Iterator[House]:
    """With a daemon that all tests of a module share."""
    with House() as shared:
        shared.start_daemon()
        yield shared


@pytest.fixture
def wire(warm: House) -> Iterator[Wire]:
    """A connection to the shared daemon."""
    with warm.wire(client="test") as connection:
        yield connection


@pytest.fixture(scope="session")
def executable() -> Path:
    """The browser that the product would start."""
    if found := find_chromium(headless=True):
        return found
    with sync_playwright() as playwright:
        return Path(playwright.chromium.executable_path)
