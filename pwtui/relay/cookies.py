"""Cookies of a context, through tabs.

Page scope, the default, means the cookies that the attached pages can use: clearing cookies in a
user's own browser must not log them out everywhere. Who wants the whole browser says so.
"""

from __future__ import annotations

from typing import Any

from pwtui.relay.client import Client
from pwtui.relay.extension_connection import CdpError
from pwtui.relay.targets import Target

KEY = ("name", "domain", "path", "partitionKey")


async def get_cookies(client: Client, params: dict[str, Any]) -> dict[str, Any]:
    if client.cookies == "browser":
        return await _storage(client, "Storage.getCookies")
    return {"cookies": await _page_cookies(client)}


async def set_cookies(client: Client, params: dict[str, Any]) -> dict[str, Any]:
    cookies = {"cookies": params.get("cookies", [])}
    return await client.extension.command(_any_page(client).session, "Network.setCookies", cookies)


async def clear_cookies(client: Client, params: dict[str, Any]) -> dict[str, Any]:
    if client.cookies == "browser":
        return await _storage(client, "Storage.clearCookies")
    session = _any_page(client).session
    for cookie in await _page_cookies(client):
        named = {key: cookie[key] for key in KEY if key in cookie}
        await client.extension.command(session, "Network.deleteCookies", named)
    return {}


async def _page_cookies(client: Client) -> list[dict[str, Any]]:
    """The cookies of all attached pages, each once."""
    _any_page(client)
    found: dict[str, dict[str, Any]] = {}
    for target in _pages(client):
        answer = await client.extension.command(target.session, "Network.getCookies")
        for cookie in answer["cookies"]:
            found[repr([cookie.get(key) for key in KEY])] = cookie
    return list(found.values())


async def _storage(client: Client, method: str) -> dict[str, Any]:
    # On a tab it works for the whole browser; only naming a browser context is refused.
    return await client.extension.command(_any_page(client).session, method)


def _pages(client: Client) -> list[Target]:
    return [tab for tab in client.extension.tabs if not tab.crashed]


def _any_page(client: Client) -> Target:
    for target in _pages(client):
        return target
    raise CdpError(
        "No pages available for cookie operation. Click the extension's button on a tab first."
    )
