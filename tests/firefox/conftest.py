"""What the tests with a real Firefox share; they are skipped where there is none."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from pwtui.browser.launch.firefox import STOCK, StockFirefox, on_system
from tests.client import Client


@pytest.fixture(scope="session")
def stock() -> StockFirefox:
    """The system's Firefox."""
    for path in on_system(STOCK):
        if firefox := StockFirefox.at(path):
            return firefox
    pytest.skip("there is no Firefox on this machine (`apt-get install firefox-esr`)")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def firefox(
    stock: StockFirefox, _driver: None, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Client]:
    """One Firefox for all tests of a module, by the settings of its profile."""
    async with Client(tmp_path_factory.mktemp("workspace")) as shared:
        defaults = {"browser": "firefox", "channel": STOCK}
        await shared.data("profile.set", {"name": "default", "config": {"defaults": defaults}})
        yield shared
