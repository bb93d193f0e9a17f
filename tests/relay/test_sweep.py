"""Playwright's API through the relay: all that can work works, and the docs say what cannot."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.relay.rig import LONG, Rig
from tests.relay.sweep import Outcome, Place, sweep
from tests.site import TestSite

DOCS = Path(__file__).parent.parent.parent / "docs" / "relay.md"

# Not available to extensions.
IMPOSSIBLE = {
    "browser.new_context()",
    "context.grant_permissions()",
    "context.clear_permissions()",
    "page.request_gc()",
    "download.save_as()",
}


def table(outcomes: list[Outcome]) -> str:
    """The compatibility table of the docs."""
    total, passed = Counter[str](), Counter[str]()
    for outcome in outcomes:
        total[outcome.category] += 1
        passed[outcome.category] += outcome.error is None
    lines = ["| category | works | does not |", "|---|---|---|"]
    for category, count in total.items():
        failed = [f"`{o.name}`" for o in outcomes if o.category == category and o.error]
        lines.append(f"| {category} | {passed[category]} of {count} | {', '.join(failed)} |")
    share = 100 * passed.total() / total.total()
    lines.append(f"| **all** | **{passed.total()} of {total.total()}** | {share:.1f} % pass |")
    return "\n".join(lines)


@pytest.mark.thorough
@pytest.mark.timeout(240)
async def test_a_sweep_of_playwrights_api_passes_and_the_docs_have_its_table(
    rig: Rig, site: TestSite, tmp_path: Path
) -> None:
    async with rig.client() as browser:
        (context,) = browser.contexts
        context.set_default_timeout(LONG * 1000)
        page = await context.new_page()

        outcomes = [o async for o in sweep(Place(browser, context, page, site, tmp_path))]

    failed = {outcome.name: outcome.error for outcome in outcomes if outcome.error}
    assert {name: why for name, why in failed.items() if name not in IMPOSSIBLE} == {}
    assert set(failed) == IMPOSSIBLE
    assert table(outcomes) in DOCS.read_text(), table(outcomes)
