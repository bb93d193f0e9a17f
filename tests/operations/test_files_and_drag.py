"""upload, drag, drop."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.client import Client
from tests.operations.support import messages, refs
from tests.operations.test_pointer import log_of
from tests.site import TestSite

pytestmark = pytest.mark.usefixtures("own_tab")

# Longer than any chooser takes to open: that it opened is to end the watching.
WATCH_MS = 30_000


@pytest.fixture
def files(client: Client) -> list[str]:
    """Two files where the caller is."""
    for name in ("a.csv", "b.csv"):
        (client.root / name).write_text("x\n")
    return ["a.csv", "b.csv"]


async def test_files_go_into_a_field_a_label_or_through_a_button(
    client: Client, site: TestSite, files: list[str]
) -> None:
    await client.data("navigate", {"url": site.url("/actions.html")})
    await client.data("upload", {"selector": "#file", "files": files[:1]})
    data = await client.data("upload", {"selector": "#files-label", "files": files})
    assert data["files"] == [str(client.root / name) for name in files]
    await client.data("upload", {"ref": (await refs(client))["Choose"], "files": files[1:]})
    await client.data("upload", {"selector": "#file", "files": []})
    assert await log_of(client) == ["file: a.csv", "files: a.csv,b.csv", "file: b.csv", "file:"]


async def test_open_file_chooser_is_reported_and_blocks_nothing(
    client: Client, site: TestSite, files: list[str], own_tab: int
) -> None:
    url = site.url("/actions.html")
    clicked = await client.send(
        "click", {"url": url, "selector": "#choose-later", "waitMs": WATCH_MS}
    )
    assert clicked.data is not None, clicked.error
    assert clicked.data["fileChooser"] == {"multiple": True}
    assert clicked.duration_ms is not None
    assert clicked.duration_ms < WATCH_MS
    tabs = {tab["index"]: tab for tab in (await client.data("tabs.list"))["tabs"]}
    assert tabs[own_tab]["fileChooser"] is True
    hovered = await client.send("hover", {"selector": "#zone"})
    assert hovered.data is not None
    assert hovered.data["fileChooser"] == {"multiple": True}
    assert any("upload" in message for message in messages(hovered))
    await client.data("upload", {"files": files})
    assert await log_of(client) == ["files: a.csv,b.csv"]
    error = await client.error("upload", {"files": files})
    assert error.code == "INVALID_INPUT"
    assert "no file chooser is open" in error.message


async def test_chooser_ends_with_its_page(client: Client, site: TestSite) -> None:
    url = site.url("/actions.html")
    clicked = await client.data("click", {"url": url, "selector": "#choose", "waitMs": WATCH_MS})
    assert clicked["fileChooser"] == {"multiple": False}
    await client.data("navigate", {"url": url})
    assert (await client.error("upload", {"files": []})).code == "INVALID_INPUT"


async def test_an_upload_that_fails_has_a_reason(
    client: Client, site: TestSite, files: list[str]
) -> None:
    await client.data("navigate", {"url": site.url("/actions.html")})
    error = await client.error("upload", {"selector": "#file", "files": ["nowhere.csv"]})
    assert (error.code, "nowhere.csv" in error.message) == ("IO_ERROR", True)
    error = await client.error("upload", {"selector": "#file", "files": files})
    assert (error.code, "accepts one" in error.message) == ("INVALID_INPUT", True)


async def test_upload_through_a_button_ends_when_a_dialog_comes_instead(
    client: Client, site: TestSite, files: list[str]
) -> None:
    await client.data("navigate", {"url": site.url("/dialogs.html")})
    error = await client.error("upload", {"selector": "#alert", "files": files})
    assert error.code == "DIALOG_OPEN"
    await client.data("dialog.accept")


async def test_element_is_dragged_onto_another(client: Client, site: TestSite) -> None:
    url = site.url("/actions.html")
    response = await client.send("drag", {"url": url, "selector": "#card", "toSelector": "#zone"})
    assert response.ok, response.error
    assert "drop card" in [" ".join(line.split()) for line in await log_of(client)]
    ref = (await refs(client))["Choose"]
    by_ref = await client.send("drag", {"selector": "#card", "toRef": ref})
    assert by_ref.inputs is not None
    assert by_ref.inputs["toSelector"] == "getByRole('button', { name: 'Choose', exact: true })"
    short = {"timeoutMs": 300}
    error = await client.error(
        "drag", {"selector": "#card", "toSelector": "#nowhere"}, overrides=short
    )
    assert error.code == "SELECTOR_NOT_FOUND"
    assert "#nowhere" in error.message
    assert (await client.error("drag", {"selector": "#card"})).code == "INVALID_INPUT"


async def test_files_and_data_are_dropped(
    client: Client, site: TestSite, files: list[str], tmp_path: Path
) -> None:
    await client.data("navigate", {"url": site.url("/actions.html")})
    await client.data("drop", {"selector": "#zone", "files": files})
    await client.data("drop", {"selector": "#zone", "data": {"text/plain": "hello"}})
    lines = [" ".join(line.split()) for line in await log_of(client)]
    assert lines == ["drop a.csv,b.csv", "drop hello"]
    error = await client.error("drop", {"selector": "#wall", "data": {"text/plain": "hello"}})
    assert error.code == "INVALID_INPUT"
    assert (await client.error("drop", {"selector": "#zone"})).code == "INVALID_INPUT"
