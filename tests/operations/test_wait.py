"""wait: times, load states, elements."""

from __future__ import annotations

import pytest

from tests.client import Client
from tests.operations.support import delta
from tests.site import TestSite


@pytest.mark.parametrize("condition", ["50", 50, " 50 "])
async def test_wait_for_a_time(client: Client, site: TestSite, condition: str | int) -> None:
    url = site.url("/text.html")
    response = await client.send("wait", {"url": url, "condition": condition})
    assert response.data is not None
    assert response.data.keys() == {"condition", "waitedMs"}
    assert response.data["condition"] == "timeout:50ms"
    assert response.data["waitedMs"] >= 50
    assert response.inputs == {"url": url, "condition": condition}
    assert delta(response) == {"url": url}


async def test_requested_wait_extends_the_timeout(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    data = await client.data("wait", {"condition": 900}, overrides={"timeoutMs": 200})
    assert data["waitedMs"] >= 900


async def test_requested_wait_does_not_extend_the_page_load(client: Client, site: TestSite) -> None:
    response = await client.send(
        "wait", {"url": site.url("/hang"), "condition": 4000}, overrides={"timeoutMs": 300}
    )
    assert response.error is not None
    assert response.error.code == "TIMEOUT"
    assert response.duration_ms is not None
    assert response.duration_ms < 4000


@pytest.mark.parametrize("state", ["load", "domcontentloaded", "networkidle"])
async def test_wait_for_a_load_state(client: Client, site: TestSite, state: str) -> None:
    await client.data("navigate", {"url": site.url("/text.html"), "waitUntil": "commit"})
    data = await client.data("wait", {"condition": state})
    assert data.keys() == {"condition", "waitedMs"}
    assert data["condition"] == f"loadstate:{state}"


async def test_load_state_that_does_not_come_is_a_timeout(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/slow-image.html"), "waitUntil": "commit"})
    error = await client.error("wait", {"condition": "load"}, overrides={"timeoutMs": 300})
    assert error.code == "TIMEOUT"
    assert error.details == {"condition": "load", "timeoutMs": 300}


async def test_wait_for_an_element_that_comes_late(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/late.html?ms=200")})
    response = await client.send("wait", {"condition": "#late"})
    assert response.data is not None
    assert response.data.keys() == {"condition", "waitedMs", "selectorFound"}
    assert response.data["condition"] == "selector:#late"
    assert response.data["selectorFound"] is True
    assert delta(response) == {"url": site.url("/late.html?ms=200")}


@pytest.mark.parametrize(
    ("state", "condition", "found"),
    [
        ("attached", "#hidden", True),
        ("visible", "#first", True),
        ("hidden", "#hidden", False),
        ("detached", "#nowhere", False),
    ],
)
async def test_wait_for_a_state_of_an_element(
    client: Client, site: TestSite, state: str, condition: str, found: bool
) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    data = await client.data("wait", {"condition": condition, "state": state})
    assert data["selectorFound"] is found


async def test_wait_takes_locators(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/form.html")})
    data = await client.data("wait", {"condition": "getByRole('button', { name: 'Submit' })"})
    assert data["selectorFound"] is True


async def test_several_elements_satisfy_a_wait(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/duplicates.html")})
    data = await client.data("wait", {"condition": "button"})
    assert data["selectorFound"] is True


@pytest.mark.parametrize("state", ["attached", "visible"])
async def test_element_that_does_not_come_is_a_timeout(
    client: Client, site: TestSite, state: str
) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    response = await client.send(
        "wait", {"condition": "#nowhere", "state": state}, overrides={"timeoutMs": 300}
    )
    assert response.error is not None
    assert response.error.code == "TIMEOUT"
    assert response.error.details == {"condition": "#nowhere", "timeoutMs": 300}
    assert response.duration_ms is not None
    assert response.duration_ms < 20 * 300


async def test_wait_continues_after_a_navigation(client: Client, site: TestSite) -> None:
    leave = "setTimeout(() => location.assign('/form.html'), 100)"
    await client.data("page.eval", {"url": site.url("/text.html"), "expression": leave})
    data = await client.data("wait", {"condition": "#submit"})
    assert data["selectorFound"] is True


@pytest.mark.parametrize("condition", ["a[", "getByRole("])
async def test_a_condition_that_is_not_a_selector_is_invalid(
    client: Client, site: TestSite, condition: str
) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    error = await client.error("wait", {"condition": condition}, overrides={"timeoutMs": 1000})
    assert error.code == "INVALID_INPUT"


@pytest.mark.parametrize("input", [{}, {"condition": ""}, {"condition": -1}, {"condition": None}])
async def test_wait_for_nothing_is_invalid(client: Client, input: dict[str, object]) -> None:
    error = await client.error("wait", input)
    assert error.code == "INVALID_INPUT"
    assert "input.condition" in error.message


@pytest.mark.parametrize("condition", [2**63, "9223372036854775808", 86_400_001])
async def test_no_wait_is_longer_than_a_day(
    client: Client, site: TestSite, condition: str | int
) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    error = await client.error("wait", {"condition": condition})
    assert error.code == "INVALID_INPUT"
    assert "condition" in error.message
