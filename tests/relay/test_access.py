"""Access control: web pages, other machines and programs without the token are refused."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

import aiohttp
import pytest

from pwtui.relay.access import EXTENSION_ID, EXTENSION_ORIGIN
from pwtui.relay.launch import EXTENSION_FOLDER
from tests.relay.fake import TOKEN, extension, relay

PAGE = "https://evil.test"
POSTS = ("/open", "/window-mode", "/shutdown")
READ = ("/", "/version", "/extension-status", "/json/version", "/json/list", "/json", "/trace")


async def statuses(
    http: aiohttp.ClientSession, port: int, paths: tuple[str, ...], headers: dict[str, str]
) -> list[int]:
    found = []
    for path in paths:
        method = http.post if path in POSTS else http.get
        async with method(f"http://127.0.0.1:{port}{path}", headers=headers) as answer:
            found.append(answer.status)
            assert "Access-Control-Allow-Origin" not in answer.headers
    return found


async def handshake(http: aiohttp.ClientSession, url: str, **headers: str) -> int:
    """101, or the status with which a WebSocket is refused."""
    try:
        async with http.ws_connect(url, headers={k.title(): v for k, v in headers.items()}):
            return 101
    except aiohttp.WSServerHandshakeError as error:
        return error.status


async def test_requests_of_web_pages_are_refused() -> None:
    async with relay() as (_, port), extension(port), aiohttp.ClientSession() as http:
        by_origin = await statuses(http, port, READ + POSTS, {"Origin": PAGE})
        rebound = await statuses(http, port, READ + POSTS, {"Host": f"evil.test:{port}"})
        embedded = await statuses(http, port, READ + POSTS, {"Sec-Fetch-Site": "cross-site"})
        sockets = [
            await handshake(http, f"ws://127.0.0.1:{port}/{path}", origin=PAGE)
            for path in ("cdp", f"cdp?token={TOKEN}", "extension")
        ]
        null = await handshake(http, f"ws://127.0.0.1:{port}/cdp?token={TOKEN}", origin="null")

    assert set(by_origin) == set(rebound) == set(embedded) == {403}
    assert sockets == [403, 403, 403]
    assert null == 403


async def test_requests_need_the_token() -> None:
    url = "ws://127.0.0.1:{port}/{path}"
    async with relay() as (server, port), extension(port), aiohttp.ClientSession() as http:
        reading = await statuses(http, port, READ, {})
        posting = await statuses(http, port, POSTS, {})
        wrong = await statuses(http, port, ("/trace",), {"Authorization": "Bearer wrong"})
        right = await statuses(http, port, ("/trace",), {"Authorization": f"Bearer {TOKEN}"})
        other_name = {"Host": "tunnel.test", "Authorization": f"Bearer {TOKEN}"}
        tunnelled = await statuses(http, port, ("/trace",), other_name)
        paths = ("cdp", "cdp?token=wrong", "cdp/me?token=", f"cdp/me?token={TOKEN}")
        sockets = [await handshake(http, url.format(port=port, path=path)) for path in paths]
        async with http.get(f"http://127.0.0.1:{port}/json/version?token={TOKEN}") as answer:
            version: Any = await answer.json()
        trace = server.trace.to_wire([])

    assert reading == [200, 200, 200, 200, 401, 401, 401]
    assert posting == [401, 401, 401]
    assert (wrong, right, tunnelled) == ([401], [200], [200])
    assert sockets == [401, 401, 401, 101]
    assert version["webSocketDebuggerUrl"] == f"ws://127.0.0.1:{port}/cdp?token={TOKEN}"
    assert [past["missing"]["step"] for past in trace["past"][:3]] == ["webSocket"] * 3


async def test_without_the_token_only_the_number_of_pages_is_shown() -> None:
    def info(method: str, params: dict[str, Any]) -> dict[str, Any]:
        return {"targetInfo": {"url": "https://bank.test/", "title": "Bank"}}

    async with relay() as (_, port), extension(port, info) as fake, aiohttp.ClientSession() as http:
        await fake.attach("s1", "https://bank.test/")
        async with http.get(f"http://127.0.0.1:{port}/extension-status") as answer:
            without_token = await answer.json()
        bearer = {"Authorization": f"Bearer {TOKEN}"}
        async with http.get(f"http://127.0.0.1:{port}/extension-status", headers=bearer) as answer:
            user = await answer.json()

    assert without_token == {"connected": True, "pageCount": 1, "pages": [{"targetId": "Ts1"}]}
    assert [page["title"] for page in user["pages"]] == ["Bank"]


@pytest.mark.parametrize("origin", ["", "chrome-extension://" + "a" * 32, PAGE])
async def test_only_the_pwtui_extension_may_connect(origin: str) -> None:
    headers = {"origin": origin} if origin else {}
    async with relay() as (_, port), aiohttp.ClientSession() as http:
        refused = await handshake(http, f"ws://127.0.0.1:{port}/extension", **headers)
        accepted = await handshake(
            http, f"ws://127.0.0.1:{port}/extension", origin=EXTENSION_ORIGIN
        )

    assert (refused, accepted) == (403, 101)


async def test_a_post_must_be_small_json() -> None:
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    async with relay() as (_, port), aiohttp.ClientSession(headers=bearer) as http:
        url = f"http://127.0.0.1:{port}/window-mode"
        found = []
        for body, kind in (
            (b"separateWindow=true", "application/x-www-form-urlencoded"),
            (b'{"separateWindow": true}', "text/plain"),
            (b"{", "application/json"),
            (b"[]", "application/json"),
            (b'{"separateWindow": "yes"}', "application/json"),
            (b'"' + b"x" * 100_000 + b'"', "application/json"),
            (b'{"separateWindow": true}', "application/json"),
        ):
            async with http.post(url, data=body, headers={"Content-Type": kind}) as answer:
                found.append(answer.status)

    assert found == [415, 415, 400, 400, 400, 413, 200]


async def test_the_relay_listens_only_on_this_machine() -> None:
    async with relay() as (server, _):
        assert server._runner is not None
        assert [address[0] for address in server._runner.addresses] == ["127.0.0.1"]


def test_the_id_of_the_extension_is_derived_from_its_key_and_it_has_few_permissions() -> None:
    manifest = json.loads((EXTENSION_FOLDER / "manifest.json").read_text())
    digest = hashlib.sha256(base64.b64decode(manifest["key"])).hexdigest()[:32]

    assert "".join(chr(ord("a") + int(digit, 16)) for digit in digest) == EXTENSION_ID
    assert manifest["permissions"] == [
        "alarms",
        "debugger",
        "storage",
        "tabGroups",
        "webNavigation",
    ]
    assert "host_permissions" not in manifest
    assert "web_accessible_resources" not in manifest
    assert "externally_connectable" not in manifest
