"""screenshot: pages and elements."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from tests.client import Client
from tests.operations.support import delta
from tests.site import TestSite


def png_size(path: Path) -> tuple[int, int]:
    width, height = struct.unpack(">II", path.read_bytes()[16:24])
    return width, height


async def test_picture_of_the_page_is_saved_where_asked(
    client: Client, site: TestSite, tmp_path: Path
) -> None:
    url = site.url("/text.html")
    output = str(tmp_path / "new folder" / "page.png")
    response = await client.send("screenshot", {"url": url, "output": output})
    assert response.data == {"path": output, "fullPage": False, "width": 1280, "height": 720}
    assert response.inputs == {"url": url, "outputPath": output}
    assert delta(response) == {"url": url, "output": output}
    assert png_size(Path(output)) == (1280, 720)
    assert response.artifacts is not None
    assert [each.to_wire() for each in response.artifacts] == [
        {"type": "screenshot", "path": output, "sizeBytes": Path(output).stat().st_size}
    ]


async def test_name_alone_is_relative_to_the_caller(
    client: Client, site: TestSite, tmp_path: Path
) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    response = await client.send("screenshot", {"output": "a.png"}, cwd=tmp_path)
    assert response.data is not None
    assert response.data["path"] == "a.png"
    assert response.inputs == {"outputPath": "a.png"}
    assert response.artifacts is not None
    assert response.artifacts[0].path == str(tmp_path / "a.png")
    assert (tmp_path / "a.png").is_file()


@pytest.mark.parametrize("op", ["screenshot", "state.save", "page.pdf"])
async def test_file_without_a_name_replaces_no_other(
    client: Client, site: TestSite, tmp_path: Path, op: str
) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    for _ in range(2):
        response = await client.send(op, cwd=tmp_path)
        assert response.ok, response.error
    assert len(list(tmp_path.iterdir())) == 2


async def test_full_page_is_taller_than_the_window(
    client: Client, site: TestSite, tmp_path: Path
) -> None:
    output = str(tmp_path / "full.png")
    url = site.url("/article.html")
    data = await client.data("screenshot", {"url": url, "output": output, "fullPage": True})
    assert data["fullPage"] is True
    assert data["height"] > 720
    assert png_size(Path(output)) == (data["width"], data["height"])


async def test_picture_of_one_element_has_its_size(
    client: Client, site: TestSite, tmp_path: Path
) -> None:
    output = str(tmp_path / "button.png")
    url = site.url("/form.html")
    response = await client.send(
        "screenshot", {"url": url, "selector": "#submit", "output": output}
    )
    assert response.data is not None
    assert response.data["width"] < 200
    assert delta(response) == {"url": url, "selector": "#submit", "output": output}


async def test_remembered_selector_does_not_crop_the_page(
    client: Client, site: TestSite, tmp_path: Path
) -> None:
    await client.data("page.text", {"url": site.url("/form.html"), "selector": "#submit"})
    data = await client.data("screenshot", {"output": str(tmp_path / "page.png")})
    assert (data["width"], data["height"]) == (1280, 720)


async def test_the_suffix_of_the_file_selects_jpeg(
    client: Client, site: TestSite, tmp_path: Path
) -> None:
    output = tmp_path / "page.JPG"
    url = site.url("/text.html")
    data = await client.data("screenshot", {"url": url, "output": str(output)})
    assert data == {"path": str(output), "fullPage": False}
    assert output.read_bytes().startswith(b"\xff\xd8")


@pytest.mark.parametrize("output", ["page.bmp", "page", ""])
async def test_other_kinds_of_picture_are_refused(
    client: Client, site: TestSite, output: str
) -> None:
    error = await client.error("screenshot", {"url": site.url("/text.html"), "output": output})
    assert error.code == "INVALID_INPUT"
    assert ".png" in error.message


async def test_path_that_cannot_be_written_is_an_io_error(
    client: Client, site: TestSite, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    output = str(tmp_path / "file" / "page.png")
    error = await client.error("screenshot", {"url": site.url("/text.html"), "output": output})
    assert error.code == "IO_ERROR"
    assert str(tmp_path / "file") in error.message


async def test_element_without_a_size_is_a_timeout(
    client: Client, site: TestSite, tmp_path: Path
) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    error = await client.error(
        "screenshot",
        {"selector": "#hidden", "output": str(tmp_path / "hidden.png")},
        overrides={"timeoutMs": 800},
    )
    assert error.code == "TIMEOUT"
    assert "not visible" in error.message
