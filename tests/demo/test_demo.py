"""All files of the demo shop are served with the right types, and no others."""

from __future__ import annotations

import logging
import re
import socket
import struct
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection, HTTPResponse
from importlib.resources import files
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest

from pwtui.demo import DEMO_PORT, DemoSite, open_demo

SITE = files("pwtui.demo") / "site"
FILES = sorted(file.name for file in SITE.iterdir())


@pytest.fixture(scope="module")
def demo() -> Iterator[DemoSite]:
    with DemoSite() as running:
        yield running


def ask(demo: DemoSite, path: str, method: str = "GET") -> tuple[HTTPResponse, bytes]:
    """Send the path unchanged, unlike urllib."""
    connection = HTTPConnection(urlsplit(demo.url).netloc, timeout=10)
    try:
        connection.request(method, path)
        response = connection.getresponse()
        return response, response.read()
    finally:
        connection.close()


def test_home_page_is_served_at_the_root(demo: DemoSite) -> None:
    with urlopen(demo.url, timeout=10) as response:
        assert response.headers["Content-Type"] == "text/html; charset=utf-8"
        assert response.headers["Cache-Control"] == "no-store"
        assert b"<title>Corner Store</title>" in response.read()


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        ("/style.css", "text/css; charset=utf-8"),
        ("/cart.js", "text/javascript; charset=utf-8"),
        ("/art.svg", "image/svg+xml"),
        ("/receipt.txt", "text/plain; charset=utf-8"),
        ("/product.html?id=mug", "text/html; charset=utf-8"),
    ],
)
def test_the_content_type_depends_on_the_file(demo: DemoSite, path: str, content_type: str) -> None:
    response, _ = ask(demo, path)
    assert (response.status, response.headers["Content-Type"]) == (200, content_type)


@pytest.mark.parametrize(
    "path",
    [
        "/../__init__.py",
        "/%2e%2e/__init__.py",
        "/..%2f__init__.py",
        "/..%5c__init__.py",
        "/x/../../__init__.py",
        "//__init__.py",
        "/c:/windows/win.ini",
        "/%00",
        "/.hidden",
        "/" + "x" * 5000,
        "__init__.py",
    ],
)
def test_files_outside_the_site_are_not_served(demo: DemoSite, path: str) -> None:
    response, body = ask(demo, path)
    assert response.status == 404
    assert b"This shelf is empty" in body


def test_head_returns_only_the_headers(demo: DemoSite) -> None:
    response, body = ask(demo, "/style.css", method="HEAD")
    assert int(response.headers["Content-Length"]) > 0
    assert body == b""


@pytest.mark.parametrize("name", FILES)
def test_file_refers_only_to_files_of_the_site(name: str) -> None:
    text = (SITE / name).read_text(encoding="utf-8")
    addresses = re.findall(r'(?:href|src|action)="([^"#$]*)"', text)
    targets = {address.lstrip("/").partition("?")[0] for address in addresses}
    assert targets - {""} <= set(FILES)
    assert "//" not in text.replace("http://www.w3.org/", "").replace("// ", "")


def test_a_client_that_disconnects_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with DemoSite() as demo:
        with socket.create_connection(
            (urlsplit(demo.url).hostname, urlsplit(demo.url).port)
        ) as hasty:
            hasty.sendall(b"GET /style.css HTTP/1.0\r\n")
            hasty.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        response, _ = ask(demo, "/")
        assert response.status == 200
    assert caplog.records == []


def test_close_closes_idle_connections_and_frees_the_port() -> None:
    demo = DemoSite().start()
    address = urlsplit(demo.url)
    with socket.create_connection((address.hostname, address.port), timeout=5) as idle:
        ask(demo, "/")
        demo.close()
        assert idle.recv(1) == b""
    with pytest.raises(URLError):
        urlopen(address.geturl(), timeout=5)
    assert address.port is not None
    with DemoSite(port=address.port) as again:
        assert again.url == address.geturl()


def test_the_url_is_unknown_before_the_start() -> None:
    demo = DemoSite()

    with pytest.raises(RuntimeError, match="start"):
        _ = demo.url

    demo.server_close()


def test_the_site_can_be_closed_twice() -> None:
    demo = DemoSite().start()
    url = demo.url
    demo.close()
    demo.close()

    with pytest.raises(URLError):
        urlopen(url, timeout=5)


def test_the_panels_demo_has_the_documented_address_or_a_free_one() -> None:
    with closing(open_demo()) as first, closing(open_demo()) as second:
        ports = [urlsplit(each.url).port for each in (first, second)]
        answers = [ask(each, "/")[0].status for each in (first, second)]

    assert answers == [200, 200]
    # Another program may have it, but only one of the two.
    assert ports[1] != DEMO_PORT
    assert len(set(ports)) == 2
