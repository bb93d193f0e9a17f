"""har.*: recordings of a profile's traffic."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.client import Client
from tests.operations.support import delta
from tests.site import TestSite


def entries(path: Path) -> dict[str, Any]:
    """The recorded requests by URL."""
    log = json.loads(path.read_text())["log"]
    assert log["version"] == "1.2"
    return {entry["request"]["url"]: entry for entry in log["entries"]}


async def test_traffic_between_set_and_clear_is_recorded(client: Client, site: TestSite) -> None:
    response = await client.send("har.set", {"file": "traffic/page.har"}, profile="recorded")
    assert response.data is not None
    assert response.data["enabled"] is True
    assert response.data["changed"] is True
    assert response.data["har"] == {
        "path": "traffic/page.har",
        "contentPolicy": "embed",
        "mode": "full",
        "omitContent": False,
    }
    assert response.inputs == {"file": "traffic/page.har"}
    assert delta(response) == {}
    await client.data("navigate", {"url": site.url("/text.html")}, profile="recorded")
    cleared = await client.send("har.clear", profile="recorded")
    assert cleared.data == {"cleared": True, "enabled": False}
    path = client.root / "traffic" / "page.har"
    assert cleared.artifacts is not None
    assert [artifact.to_wire() for artifact in cleared.artifacts] == [
        {"type": "har", "path": str(path), "sizeBytes": path.stat().st_size}
    ]
    page = entries(path)[site.url("/text.html")]
    assert page["response"]["status"] == 200
    assert "The first paragraph." in page["response"]["content"]["text"]


async def test_recording_starts_in_a_browser_that_runs_already(
    client: Client, site: TestSite
) -> None:
    await client.data("navigate", {"url": site.url("/text.html")}, profile="late")
    await client.data("har.set", {"file": "late.har"}, profile="late")
    await client.data("navigate", {"url": site.url("/form.html")}, profile="late")
    await client.data("har.clear", profile="late")
    await client.data("navigate", {"url": site.url("/links.html")}, profile="late")
    assert entries(client.root / "late.har").keys() == {site.url("/form.html")}


async def test_end_of_the_session_writes_the_file(client: Client, site: TestSite) -> None:
    await client.data("har.set", {"file": "ended.har"}, profile="ended")
    await client.data("navigate", {"url": site.url("/text.html")}, profile="ended")
    await client.data("session.stop", profile="ended")
    assert site.url("/text.html") in entries(client.root / "ended.har")
    await client.data("har.clear", profile="ended")


async def test_filter_and_omitted_content_are_respected(client: Client, site: TestSite) -> None:
    settings = {"file": "some.har", "omitContent": True, "urlFilter": "**/form.html"}
    data = await client.data("har.set", settings, profile="some")
    assert data["har"]["urlFilter"] == "**/form.html"
    await client.data("navigate", {"url": site.url("/text.html")}, profile="some")
    await client.data("navigate", {"url": site.url("/form.html")}, profile="some")
    await client.data("har.clear", profile="some")
    found = entries(client.root / "some.har")
    assert found.keys() == {site.url("/form.html")}
    assert "text" not in found[site.url("/form.html")]["response"]["content"]


async def test_settings_are_shown_until_they_are_cleared(client: Client) -> None:
    assert await client.data("har.show", profile="shown") == {"enabled": False, "har": None}
    settings = {"file": "a.har", "content": "omit", "mode": "minimal"}
    assert (await client.data("har.set", settings, profile="shown"))["changed"] is True
    assert (await client.data("har.set", settings, profile="shown"))["changed"] is False
    shown = await client.data("har.show", profile="shown")
    assert shown["enabled"] is True
    assert (shown["har"]["contentPolicy"], shown["har"]["mode"]) == ("omit", "minimal")
    assert await client.data("har.clear", profile="shown") == {"cleared": True, "enabled": False}
    assert await client.data("har.clear", profile="shown") == {"cleared": False, "enabled": False}


@pytest.mark.parametrize("input", [{}, {"file": "a.har", "content": "zip"}, {"file": None}])
async def test_wrong_settings_are_refused(client: Client, input: dict[str, object]) -> None:
    error = await client.error("har.set", input)
    assert error.code == "INVALID_INPUT"


async def test_file_that_cannot_be_written_is_reported(client: Client, site: TestSite) -> None:
    (client.root / "file").write_text("in the way")
    await client.data("har.set", {"file": "file/a.har"}, profile="unwritable")
    error = await client.error("navigate", {"url": site.url("/text.html")}, profile="unwritable")
    assert error.code in ("SESSION_ERROR", "IO_ERROR")
    assert "har.clear" in str(error.hint)
    await client.data("har.clear", profile="unwritable")
    await client.data("navigate", {"url": site.url("/text.html")}, profile="unwritable")


async def test_a_file_that_is_not_a_har_is_not_replaced(client: Client, site: TestSite) -> None:
    mine = client.root / "notes.txt"
    mine.write_text("my notes")
    await client.data("har.set", {"file": "notes.txt"}, profile="notes")
    error = await client.error("navigate", {"url": site.url("/text.html")}, profile="notes")
    await client.data("session.stop", profile="notes")

    assert error.code == "SESSION_ERROR"
    assert "not a HAR" in error.message
    assert mine.read_text() == "my notes"


async def test_a_pipe_or_a_device_is_not_replaced_by_a_har(client: Client, site: TestSite) -> None:
    pipe = client.root / "pipe"
    os.mkfifo(pipe, 0o644)
    await client.data("har.set", {"file": "pipe"}, profile="pipe")
    error = await client.error("navigate", {"url": site.url("/text.html")}, profile="pipe")
    await client.data("session.stop", profile="pipe")

    assert error.code == "SESSION_ERROR"
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert stat.S_IMODE(pipe.stat().st_mode) == 0o644
