"""The cookie commands of a context, run in tabs.

By default they apply to the cookies of the attached pages: clearing the cookies in the user's
browser must not log the user out of other sites.
"""

from __future__ import annotations

from typing import Any

from pwtui.relay.client import RelayClient
from pwtui.relay.extension_connection import CdpError

KEY = ("name", "domain", "path", "partitionKey")


async def get_cookies(client: RelayClient) -> dict[str, Any]:
    if client.cookies == "browser":
        return await _in_any_page(client, "Storage.getCookies")
    return {"cookies": await _page_cookies(client)}


async def set_cookies(client: RelayClient, cookies: list[dict[str, Any]]) -> dict[str, Any]:
    return await _in_any_page(client, "Network.setCookies", {"cookies": cookies})


async def clear_cookies(client: RelayClient) -> dict[str, Any]:
    if client.cookies == "browser":
        return await _in_any_page(client, "Storage.clearCookies")
    for cookie in await _page_cookies(client):
        key = {name: cookie[name] for name in KEY if name in cookie}
        await _in_any_page(client, "Network.deleteCookies", key)
    return {}


async def _page_cookies(client: RelayClient) -> list[dict[str, Any]]:
    """The cookies of all attached pages, without duplicates."""
    cookies: dict[str, dict[str, Any]] = {}
    for session in _pages(client):
        answer = await client.extension.command(session, "Network.getCookies")
        for cookie in answer["cookies"]:
            cookies[repr([cookie.get(key) for key in KEY])] = cookie
    return list(cookies.values())


async def _in_any_page(
    client: RelayClient, method: str, params: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Run a command in any tab; commands of Storage apply to the whole browser."""
    return await client.extension.command(_pages(client)[0], method, params)


def _pages(client: RelayClient) -> list[str]:
    sessions = [tab.session for tab in client.extension.tabs if not tab.crashed]
    if not sessions:
        raise CdpError(
            "No pages available for cookie operation: click the extension's button on a tab first"
        )
    return sessions
