"""protect.*: tabs that no operation may touch."""

from __future__ import annotations

import pytest

from pwtui.operations.framework.declare import Operation, operations
from tests.client import Client
from tests.operations.support import delta
from tests.site import TestSite

PROFILE = "protecting"
ON_A_PAGE = [op for op in operations().values() if op.needs_page and not op.run.interactive]


def example(op: Operation) -> dict[str, object]:
    return {
        key: value for key, value in op.example.items() if key != "url" or not op.info.takes_url
    }


async def test_patterns_are_added_listed_and_removed(client: Client) -> None:
    response = await client.send("protect.add", {"pattern": "Mail.example"}, profile="patterns")
    assert response.data == {
        "added": True,
        "pattern": "Mail.example",
        "protected": ["Mail.example"],
    }
    assert response.inputs == {"pattern": "Mail.example"}
    assert delta(response) == {}
    again = await client.data("protect.add", {"pattern": "mail.EXAMPLE"}, profile="patterns")
    assert again == {"added": False, "pattern": "mail.EXAMPLE", "protected": ["Mail.example"]}
    listed = await client.send("protect.list", profile="patterns")
    assert listed.data == {"protected": ["Mail.example"], "count": 1}
    assert listed.inputs == {}
    removed = await client.data("protect.remove", {"pattern": "mail.example"}, profile="patterns")
    assert removed == {"removed": True, "pattern": "mail.example", "protected": []}
    removed = await client.data("protect.remove", {"pattern": "mail.example"}, profile="patterns")
    assert removed["removed"] is False


@pytest.mark.parametrize("input", [{}, {"pattern": ""}])
async def test_empty_pattern_is_refused(client: Client, input: dict[str, str]) -> None:
    error = await client.error("protect.add", input)
    assert error.code == "INVALID_INPUT"
    assert "input.pattern" in error.message


async def test_no_page_operation_acts_on_a_protected_tab(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/text.html?private")}, profile=PROFILE)
    await client.data("protect.add", {"pattern": "?PRIVATE"}, profile=PROFILE)
    try:
        for op in ON_A_PAGE:
            site.requests.clear()
            error = await client.error(op.id, example(op), profile=PROFILE)
            assert error.code == "INVALID_INPUT", op.id
            assert "protected by '?PRIVATE'" in error.message, op.id
            assert site.requests == [], op.id
        tabs = (await client.data("tabs.list", profile=PROFILE))["tabs"]
        (kept,) = (tab for tab in tabs if tab["url"].endswith("?private"))
        assert (kept["title"], kept["protected"]) == ("Text", True)
    finally:
        await client.data("protect.remove", {"pattern": "?PRIVATE"}, profile=PROFILE)


async def test_no_page_operation_goes_to_a_protected_url(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/form.html")}, profile=PROFILE)
    await client.data("protect.add", {"pattern": "?hidden"}, profile=PROFILE)
    site.requests.clear()
    try:
        takes_url = [op for op in ON_A_PAGE if op.info.takes_url]
        for op in [*takes_url, operations()["tabs.new"]]:
            input = {**example(op), "url": site.url("/text.html?hidden")}
            error = await client.error(op.id, input, profile=PROFILE)
            assert error.code == "INVALID_INPUT", op.id
            assert "protected" in error.message, op.id
        assert site.requests == []
    finally:
        await client.data("protect.remove", {"pattern": "?hidden"}, profile=PROFILE)


async def test_going_elsewhere_from_a_protected_tab_opens_another(
    client: Client, site: TestSite
) -> None:
    await client.data("tabs.new", {"url": site.url("/text.html?kept")}, profile=PROFILE)
    await client.data("protect.add", {"pattern": "?kept"}, profile=PROFILE)
    try:
        await client.data("navigate", {"url": site.url("/form.html")}, profile=PROFILE)
        tabs = (await client.data("tabs.list", profile=PROFILE))["tabs"]
        kept = next(tab for tab in tabs if tab["url"].endswith("?kept"))
        assert kept["protected"] is True
        assert "active" not in kept
        assert [tab["title"] for tab in tabs if "active" in tab] == ["Form"]
    finally:
        await client.data("protect.remove", {"pattern": "?kept"}, profile=PROFILE)


@pytest.mark.parametrize("op", ["tabs.switch", "tabs.close"])
async def test_protected_tab_is_neither_switched_to_nor_closed(
    client: Client, site: TestSite, op: str
) -> None:
    opened = await client.data("tabs.new", {"url": site.url("/text.html?safe")}, profile=PROFILE)
    await client.data("tabs.new", {"url": site.url("/form.html")}, profile=PROFILE)
    await client.data("protect.add", {"pattern": "?safe"}, profile=PROFILE)
    try:
        by_index = await client.error(op, {"target": opened["index"]}, profile=PROFILE)
        assert "protected" in by_index.message
        by_url = await client.error(op, {"target": "?safe"}, profile=PROFILE)
        assert {by_index.code, by_url.code} == {"INVALID_INPUT"}
    finally:
        await client.data("protect.remove", {"pattern": "?safe"}, profile=PROFILE)
    data = await client.data("tabs.close", {"target": opened["index"]}, profile=PROFILE)
    assert data["closed"] is True


async def test_dialog_of_a_protected_tab_is_not_answered(client: Client, site: TestSite) -> None:
    opened = await client.data("tabs.new", {"url": site.url("/dialogs.html?own")}, profile=PROFILE)
    await client.data("click", {"selector": "#confirm"}, profile=PROFILE)
    await client.data("protect.add", {"pattern": "?own"}, profile=PROFILE)
    try:
        for op in ("dialog.accept", "dialog.dismiss"):
            error = await client.error(op, profile=PROFILE)
            assert error.code == "INVALID_INPUT"
            assert "protected" in error.message
    finally:
        await client.data("protect.remove", {"pattern": "?own"}, profile=PROFILE)
        await client.send("tabs.close", {"target": opened["index"]}, profile=PROFILE)
