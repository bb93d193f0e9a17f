"""Helpers of the tests of operations."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import psutil

from pwtui.protocol.envelope import Response
from tests.client import Client


def data_url(html: str) -> str:
    """A page for one test alone, where none of the site's fits."""
    return f"data:text/html,{quote(f'<!doctype html><title>Own page</title>{html}')}"


def delta(response: Response) -> dict[str, Any]:
    assert response.context_delta is not None
    return response.context_delta.to_wire()


def messages(response: Response) -> list[str]:
    """The texts of the response's diagnostics."""
    return [diagnostic.message for diagnostic in response.diagnostics or []]


async def refs(client: Client) -> dict[str, str]:
    """The refs of the open page by the names of their elements."""
    return refs_in((await client.data("page.aria"))["tree"])


def refs_in(tree: list[dict[str, Any]]) -> dict[str, str]:
    """The refs of a tree by the names of their elements; the first of equal names."""
    found: dict[str, str] = {}
    nodes = list(tree)
    while nodes:
        node = nodes.pop(0)
        if "ref" in node and node.get("name"):
            found.setdefault(node["name"], node["ref"])
        nodes[:0] = node.get("children", [])
    return found


def browser_pids() -> set[int]:
    """The browsers that this process runs, without the processes that serve their pages."""
    pids = set()
    for process in psutil.Process().children(recursive=True):
        try:
            command = process.cmdline()
        except psutil.Error:
            continue
        is_browser = any(argument.startswith("--user-data-dir=") for argument in command)
        if is_browser and not any(argument.startswith("--type=") for argument in command):
            pids.add(process.pid)
    return pids
