"""docs/browsers.md is true: its results are those of every operation in this Firefox."""

from __future__ import annotations

import json

import pytest

from docs.generators.browsers import RESULTS
from pwtui.browser.launch.firefox import StockFirefox
from tests.client import Client
from tests.firefox.sweep import NOT_TRIED, sweep, swept
from tests.site import TestSite


def test_the_results_agree_with_the_declarations() -> None:
    results = json.loads(RESULTS.read_text())["operations"]

    assert results.keys() <= {each.id for each in swept()}
    assert not NOT_TRIED & results.keys()
    succeeded = {id for id, each in results.items() if each["outcome"] != "refused"}
    assert not {each.id for each in swept() if each.engines.refuses("firefox")} & succeeded


@pytest.mark.thorough
async def test_the_results_are_those_of_this_firefox(
    client: Client, firefox: Client, stock: StockFirefox, site: TestSite
) -> None:
    results = json.loads(RESULTS.read_text())
    if f"Firefox {results['firefox']}" not in stock.version:
        pytest.skip(f"the results are those of Firefox {results['firefox']}")
    for each in (client, firefox):
        (each.root / "report.csv").write_text("a,b\n")

    assert await sweep(client, firefox, site) == results["operations"]
