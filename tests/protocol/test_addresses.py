from __future__ import annotations

import pytest

from pwtui.protocol.addresses import Endpoint, SessionKey


def test_a_session_key_is_read_back_from_its_text() -> None:
    key = SessionKey("1b170154c788016f", "dev", "firefox", headless=False)

    assert str(key) == "1b170154c788016f:dev:firefox:headful"
    assert SessionKey.parse(str(key)) == key


def test_other_text_is_not_a_session_key() -> None:
    with pytest.raises(ValueError, match="unpack"):
        SessionKey.parse("dev:firefox")


@pytest.mark.parametrize(
    ("text", "host", "port", "is_local"),
    [
        ("http://127.0.0.1:9222", "127.0.0.1", 9222, True),
        ("ws://localhost:9222/devtools/browser/1", "localhost", 9222, True),
        ("ws://[::1]:9222/", "::1", 9222, True),
        ("wss://browsers.example/?token=1", "browsers.example", None, False),
        ("/tmp/browser.sock", None, None, True),
        ("http://[half", "", None, False),
        ("http://127.0.0.1:port", "127.0.0.1", None, True),
    ],
)
def test_an_endpoint_has_a_host_and_a_port(
    text: str, host: str | None, port: int | None, is_local: bool
) -> None:
    endpoint = Endpoint(text)

    assert (endpoint.host, endpoint.port, endpoint.is_local) == (host, port, is_local)


@pytest.mark.parametrize("text", ["WS://host/", "http://host", "/tmp/browser.sock"])
def test_an_endpoint_is_a_url_or_a_socket(text: str) -> None:
    assert Endpoint(text).is_valid


@pytest.mark.parametrize("text", ["", "localhost:9222", "ftp://host"])
def test_other_text_is_not_an_endpoint(text: str) -> None:
    assert not Endpoint(text).is_valid


def test_a_websocket_endpoint_has_an_http_url() -> None:
    assert Endpoint("wss://host:1/path?x=1").http_url("/json") == "https://host:1/json"
