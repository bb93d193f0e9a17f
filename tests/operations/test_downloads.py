"""Downloads: always reported, saved in the folder of the runtime."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.client import Client
from tests.operations.support import data_url, messages
from tests.site import TestSite

CONTENT = b"name,amount\nbread,2\nhoney,1\n"


@pytest.mark.parametrize("selector", ["#link", "#button"])
async def test_download_is_reported_even_when_it_is_not_saved(
    client: Client, site: TestSite, selector: str
) -> None:
    url = site.url("/downloads.html")
    response = await client.send("click", {"url": url, "selector": selector, "waitMs": 2000})
    assert response.data is not None
    assert response.data["downloads"] == [
        {"url": site.url("/download/report.csv"), "suggestedFilename": "report.csv"}
    ]
    assert response.data["navigated"] is False
    assert "downloads.dir" in messages(response)[0]
    assert not response.artifacts


async def test_download_is_saved_under_its_own_name(
    client: Client, site: TestSite, tmp_path: Path
) -> None:
    folder = tmp_path / "new" / "downloads"
    response = await client.send(
        "click",
        {"url": site.url("/downloads.html"), "selector": "#link", "waitMs": 2000},
        overrides={"downloadsDir": str(folder)},
    )
    assert response.data is not None
    path = folder / "report.csv"
    assert response.data["downloads"][0]["path"] == str(path)
    assert path.read_bytes() == CONTENT
    assert response.artifacts is not None
    assert [artifact.to_wire() for artifact in response.artifacts] == [
        {"type": "download", "path": str(path), "sizeBytes": len(CONTENT)}
    ]


async def test_second_download_does_not_overwrite_the_first(
    client: Client, site: TestSite, tmp_path: Path
) -> None:
    (tmp_path / "report.csv").write_text("mine")
    await client.data("navigate", {"url": site.url("/downloads.html")})
    for _ in range(2):
        await client.data(
            "click",
            {"selector": "#link", "waitMs": 2000},
            overrides={"downloadsDir": str(tmp_path)},
        )
    assert (tmp_path / "report.csv").read_text() == "mine"
    assert (tmp_path / "report (1).csv").read_bytes() == CONTENT
    assert (tmp_path / "report (2).csv").read_bytes() == CONTENT


async def test_relative_folder_of_the_profile_is_in_the_project(
    client: Client, site: TestSite
) -> None:
    config = {"downloads": {"dir": "kept"}}
    await client.data("profile.set", {"name": "keeping", "config": config})
    await client.data(
        "click",
        {"url": site.url("/downloads.html"), "selector": "#link", "waitMs": 2000},
        profile="keeping",
    )
    assert (client.root / "kept" / "report.csv").read_bytes() == CONTENT


async def test_folder_of_one_request_is_forgotten_by_the_next(
    client: Client, site: TestSite, tmp_path: Path
) -> None:
    await client.data("navigate", {"url": site.url("/downloads.html")})
    click = {"selector": "#link", "waitMs": 2000}
    await client.data("click", click, overrides={"downloadsDir": str(tmp_path)})
    data = await client.data("click", click)
    assert "path" not in data["downloads"][0]
    assert [path.name for path in tmp_path.iterdir()] == ["report.csv"]


async def test_folder_that_cannot_be_made_is_an_io_error(
    client: Client, site: TestSite, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    error = await client.error(
        "click",
        {"url": site.url("/downloads.html"), "selector": "#link", "waitMs": 2000},
        overrides={"downloadsDir": str(tmp_path / "file" / "inside")},
    )
    assert error.code == "IO_ERROR"


async def test_navigation_to_a_download_saves_it(
    client: Client, site: TestSite, tmp_path: Path
) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    data = await client.data(
        "navigate",
        {"url": site.url("/download/report.csv")},
        overrides={"downloadsDir": str(tmp_path)},
    )
    assert data["downloads"][0]["path"] == str(tmp_path / "report.csv")
    assert (tmp_path / "report.csv").read_bytes() == CONTENT


async def test_name_from_the_server_stays_in_the_folder(
    client: Client, site: TestSite, tmp_path: Path
) -> None:
    folder = tmp_path / "downloads"
    script = "const a = document.createElement('a'); a.download = '../../escaped.txt'; "
    script += "a.href = 'data:text/plain,x'; a.textContent = 'x'; a.id = 'out'; "
    script += "document.body.append(a)"
    await client.data("navigate", {"url": site.url("/text.html")})
    await client.data("page.eval", {"expression": script})
    data = await client.data(
        "click", {"selector": "#out", "waitMs": 2000}, overrides={"downloadsDir": str(folder)}
    )
    assert Path(data["downloads"][0]["path"]).parent == folder
    assert [path.name for path in tmp_path.iterdir()] == ["downloads"]


async def test_a_name_that_is_too_long_for_a_file_is_cut(
    client: Client, site: TestSite, tmp_path: Path
) -> None:
    name = "x" * 300 + ".csv"
    page = data_url(f"<a id=get href='data:text/csv,a' download='{name}'>get</a>")
    data = await client.data(
        "click",
        {"url": page, "selector": "#get", "waitMs": 2000},
        overrides={"downloadsDir": str(tmp_path)},
    )
    saved = Path(data["downloads"][0]["path"])
    assert saved.read_bytes() == b"a"
    assert len(saved.name) <= 200
    assert saved.suffix == ".csv"


async def test_a_download_does_not_follow_a_symlink(
    client: Client, site: TestSite, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    (tmp_path / "report.csv").symlink_to(elsewhere)
    data = await client.data(
        "click",
        {"url": site.url("/downloads.html"), "selector": "#link", "waitMs": 2000},
        overrides={"downloadsDir": str(tmp_path)},
    )
    assert Path(data["downloads"][0]["path"]).name == "report (1).csv"
    assert not elsewhere.exists()
