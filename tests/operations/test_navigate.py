"""navigate: the final URL, and errors."""

from __future__ import annotations

import pytest

from tests.client import Client
from tests.operations.support import data_url, delta, messages
from tests.site import TestSite


async def test_navigation_returns_the_final_url(client: Client, site: TestSite) -> None:
    response = await client.send("navigate", {"url": site.url("/redirect")})
    assert response.data == {
        "url": site.url("/form.html"),
        "title": "Form",
        "status": 200,
        "viewportWidth": 1280,
        "viewportHeight": 720,
    }
    assert response.inputs == {"url": site.url("/redirect")}
    assert delta(response) == {"url": site.url("/form.html")}


async def test_snapshot_adds_text_and_elements(client: Client, site: TestSite) -> None:
    data = await client.data("navigate", {"url": site.url("/index.html"), "snapshot": True})
    assert data["text"] == "Test site Form Elements Links"
    assert [element["text"] for element in data["elements"]] == ["Form", "Elements", "Links"]
    assert data["elementCount"] == 3


async def test_url_that_is_open_already_is_loaded_again(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    site.requests.clear()
    await client.data("navigate", {"url": site.url("/text.html")})
    assert site.requests == [("GET", "/text.html")]


async def test_without_a_url_the_open_page_stays(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    site.requests.clear()
    response = await client.send("navigate")
    assert response.data is not None
    assert response.data["title"] == "Text"
    assert "status" not in response.data
    assert response.inputs == {}
    assert site.requests == []


async def test_url_flag_overrides_url(client: Client, site: TestSite) -> None:
    both = {"url": site.url("/text.html"), "urlFlag": site.url("/form.html")}
    response = await client.send("navigate", both)
    assert response.inputs == {"url": site.url("/form.html")}
    assert response.data is not None
    assert response.data["title"] == "Form"


async def test_http_error_is_a_page_with_a_warning(client: Client, site: TestSite) -> None:
    response = await client.send("navigate", {"url": site.url("/status/404")})
    assert response.data is not None
    assert (response.data["status"], response.data["title"]) == (404, "404")
    assert messages(response) == ["the server responded with HTTP 404"]


@pytest.mark.usefixtures("own_tab")
async def test_broken_connection_is_navigation_failed(client: Client, site: TestSite) -> None:
    error = await client.error("navigate", {"url": site.url("/reset")})
    assert error.code == "NAVIGATION_FAILED"
    assert error.details is not None
    assert error.details["url"] == site.url("/reset")
    assert "ERR_" in error.details["reason"]


@pytest.mark.usefixtures("own_tab")
async def test_unreachable_page_fails_other_operations_too(client: Client, site: TestSite) -> None:
    error = await client.error("page.text", {"url": site.url("/reset"), "selector": "h1"})
    assert error.code == "NAVIGATION_FAILED"


@pytest.mark.usefixtures("own_tab")
async def test_hanging_server_is_a_timeout_that_names_the_url(
    client: Client, site: TestSite
) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    error = await client.error("navigate", {"url": site.url("/hang")}, overrides={"timeoutMs": 500})
    assert error.code == "TIMEOUT"
    assert error.details is not None
    assert error.details["url"] == site.url("/hang")
    assert error.details["timeoutMs"] == 500


@pytest.mark.usefixtures("own_tab")
async def test_page_can_be_opened_at_once_after_one_that_failed(
    client: Client, site: TestSite
) -> None:
    for _ in range(3):
        await client.error("navigate", {"url": site.url("/reset")})
        data = await client.data("navigate", {"url": site.url("/text.html")})
        assert data["title"] == "Text"


@pytest.mark.usefixtures("own_tab")
async def test_page_can_be_opened_after_a_server_hung(client: Client, site: TestSite) -> None:
    await client.error("navigate", {"url": site.url("/hang")}, overrides={"timeoutMs": 300})
    data = await client.data("navigate", {"url": site.url("/text.html")})
    assert data["title"] == "Text"


async def test_blank_page_can_be_opened(client: Client) -> None:
    response = await client.send("navigate", {"url": "about:blank"})
    assert response.data is not None
    assert response.data["url"] == "about:blank"
    assert response.data["title"] == ""
    assert "status" not in response.data


async def test_relative_url_is_joined_to_the_base(client: Client, site: TestSite) -> None:
    response = await client.send(
        "navigate", {"url": "text.html?a=1"}, overrides={"baseUrl": site.origin}
    )
    assert response.inputs == {"url": site.url("/text.html?a=1")}
    assert response.data is not None
    assert response.data["title"] == "Text"


async def test_relative_url_without_a_base_is_refused(client: Client) -> None:
    error = await client.error("navigate", {"url": "/text.html"})
    assert error.code == "INVALID_INPUT"
    assert "baseUrl" in str(error.hint)


async def test_commit_does_not_wait_for_the_slow_image(client: Client, site: TestSite) -> None:
    url = site.url("/slow-image.html")
    await client.data("navigate", {"url": url, "waitUntil": "commit"})
    early = await client.data("page.eval", {"expression": "document.readyState"})
    await client.data("navigate", {"url": url})
    late = await client.data("page.eval", {"expression": "document.readyState"})
    assert early["result"] != "complete"
    assert late["result"] == "complete"


async def test_unknown_wait_until_is_refused(client: Client, site: TestSite) -> None:
    error = await client.error("navigate", {"url": site.url("/text.html"), "waitUntil": "soon"})
    assert error.code == "INVALID_INPUT"
    assert "input.waitUntil" in error.message


@pytest.mark.usefixtures("own_tab")
async def test_page_that_redirects_itself_is_no_internal_error(
    client: Client, site: TestSite
) -> None:
    page = data_url(
        f"<script>setTimeout(() => location.assign('{site.url('/text.html')}'))</script>"
    )
    for _ in range(5):
        for op in ("navigate", "page.snapshot", "page.aria"):
            response = await client.send(op, {"url": page})
            assert response.ok, response.error


@pytest.mark.usefixtures("own_tab")
@pytest.mark.parametrize(
    "leaving",
    [
        "void location.assign('/form.html')",
        "void setTimeout(() => location.assign('/form.html'), arg)",
    ],
    ids=["now", "soon"],
)
async def test_page_that_is_leaving_does_not_fail_the_next_navigation(
    client: Client, site: TestSite, leaving: str
) -> None:
    url = site.url("/text.html")
    await client.data("navigate", {"url": url})
    for ms in range(8):
        await client.send("page.eval", {"expression": leaving, "arg": ms})
        await client.data("navigate", {"url": url})


async def test_download_instead_of_a_page_is_listed(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    data = await client.data("navigate", {"url": site.url("/download/report.csv")})
    assert data["url"] == site.url("/text.html")
    assert [each["suggestedFilename"] for each in data["downloads"]] == ["report.csv"]


@pytest.mark.usefixtures("own_tab")
async def test_a_failure_after_a_download_is_not_reported_as_the_download(
    client: Client, site: TestSite
) -> None:
    await client.send("navigate", {"url": site.url("/download/report.csv")})
    error = await client.error("navigate", {"url": site.url("/reset")})
    assert error.code == "NAVIGATION_FAILED"


@pytest.mark.usefixtures("own_tab")
async def test_page_that_opens_a_dialog_while_loading_is_reported(
    client: Client, site: TestSite
) -> None:
    response = await client.send("navigate", {"url": site.url("/dialog-on-load.html")})
    assert response.data is not None
    assert response.data["dialog"] == {"type": "confirm", "message": "Before you see anything"}
    assert "dialog.accept" in messages(response)[0]
    await client.data("dialog.accept")
    text = await client.data("page.text", {"selector": "#answer"})
    assert text["text"] == "confirm: true"


async def test_data_url_is_a_page(client: Client) -> None:
    data = await client.data("navigate", {"url": data_url("<h1>Here</h1>")})
    assert data["title"] == "Own page"


async def test_first_request_without_a_url_says_what_to_do(client: Client) -> None:
    error = await client.error("navigate", profile="nothing-open")
    assert error.code == "INVALID_INPUT"
    assert "set url" in str(error.hint)


async def test_new_browser_goes_back_to_the_last_url(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/text.html")}, profile="returning")
    await client.data("session.stop", profile="returning")
    data = await client.data("page.text", {"selector": "h1"}, profile="returning")
    assert data["text"] == "Hello"
