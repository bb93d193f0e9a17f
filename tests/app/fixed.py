"""A panel without a daemon and with fixed content."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from pwtui.app.app import PanelApp
from pwtui.app.controller import Controller
from pwtui.app.past import PastKeeper
from pwtui.app.screens.main import MainScreen
from pwtui.app.store import ProfileView, SnapshotView, Store
from pwtui.protocol.daemon import DaemonData
from pwtui.protocol.models import RequestEvent, SessionData, TabData, read
from pwtui.protocol.snapshot import parse_snapshot
from pwtui.state.workspace import Workspace
from tests.app.panel import SIZE, Panel
from tests.widgets.support import screen_cells

NOW = 1_800_000_000.0
ROOT = "/home/ana/shop"

PAGE = """\
- link "Skip to content" [ref=e2] [cursor=pointer]:
  - /url: "#main"
- banner [ref=e3]:
  - link "Corner Store" [ref=e5] [cursor=pointer]:
    - /url: index.html
  - navigation "Main" [ref=e6]:
    - list [ref=e7]:
      - listitem [ref=e8]:
        - link "Shop" [ref=e9]
      - listitem [ref=e10]:
        - link "Cart 2" [ref=e11]
- main [ref=e12]:
  - heading "Good things, close to home" [level=1] [ref=e13]
  - text: "[/] [@click=app.quit]not markup[/]"
  - search [ref=e14]:
    - searchbox "Search the shop" [active] [ref=e15]: mug
    - button "Search" [ref=e16]
  - checkbox "Gift wrap" [checked] [ref=e17]
  - button "Check out" [disabled] [ref=e18]
  - paragraph [ref=e19]: 日本語 and a long line that says more than eighty columns can show"""

_SESSION = {
    "workspace": ROOT,
    "origin": "pwtui",
    "owner": "daemon",
    "browser": "chromium",
    "headless": True,
    "attached": False,
    "memoryBytes": 231_000_000,
}


def fill(store: Store) -> None:
    """Fill the store with a fixed set of profiles, sessions and requests."""
    store.set_link("connected")
    store.set_profiles(
        [
            ProfileView("default", "chromium"),
            ProfileView("checkout", "firefox", is_stale=True),
            ProfileView("broken", "chromium", is_corrupt=True),
            ProfileView("alone", "webkit", uses_daemon=False),
        ]
    )
    store.set_own_sessions(
        [
            read(
                SessionData,
                _SESSION
                | {
                    "title": "default",
                    "profile": "default",
                    "sessionKey": "w:default:chromium:headless",
                    "pid": 4711,
                    "cdpEndpoint": "http://127.0.0.1:9222",
                    "wsEndpoint": "/run/pw.sock",
                    "pages": [{"title": "Corner Store", "url": "https://shop.example/"}],
                    "createdAt": NOW - 754,
                },
            )
        ]
    )
    store.set_other_sessions(
        [
            read(
                SessionData,
                {
                    "title": "Chrome/156.0",
                    "origin": "cdp",
                    "cdpEndpoint": "http://127.0.0.1:9333",
                    "browser": "chromium",
                    "ownerPid": 815,
                    "attached": False,
                },
            ),
        ]
    )
    store.set_daemon(
        DaemonData(
            running=True,
            pid=4242,
            version="1.2.3",
            uptime_seconds=7260.0,
            clients=["pwtui", "robot"],
            requests_served=1204,
            requests_running=[],
            sessions=1,
            memory_bytes=58_000_000,
        ),
        ["09:00:00 listening on /run/pwtui/daemon.sock"],
    )
    tabs = [
        TabData(index=0, title="Corner Store · Cart", url="https://shop.example/cart"),
        TabData(index=1, title="Corner Store", url="https://shop.example/", active=True),
    ]
    store.page.set_tabs(tabs)
    store.set_snapshot(
        SnapshotView(
            tree=parse_snapshot(PAGE),
            url="https://shop.example/",
            title="Corner Store",
            taken_at=NOW,
        )
    )
    for number, (request, response) in enumerate(_WORK):
        _log(store, number, request, response)


_SEARCH = "getByRole('searchbox', { name: 'Search the shop' })"
_WORK: list[tuple[dict[str, Any], dict[str, Any] | None]] = [
    (
        {"op": "navigate", "input": {"url": "https://shop.example/"}},
        {
            "ok": True,
            "durationMs": 812,
            "data": {"url": "https://shop.example/", "status": 200, "title": "Corner Store"},
            "contextDelta": {"url": "https://shop.example/"},
        },
    ),
    (
        {"op": "fill", "input": {"ref": "e15", "text": "mug"}},
        {
            "ok": True,
            "durationMs": 41,
            "inputs": {"ref": "e15", "selector": _SEARCH, "text": "mug"},
            "contextDelta": {"selector": _SEARCH},
        },
    ),
    (
        {"op": "click", "input": {"ref": "e18"}},
        {
            "ok": False,
            "durationMs": 5003,
            "error": {
                "code": "ACTION_TIMEOUT_OR_NOT_INTERACTABLE",
                "message": "e18 is disabled",
                "hint": "wait until it can be used",
            },
        },
    ),
    (
        {"op": "session.list", "input": {}},
        {"ok": True, "durationMs": 12.4, "data": {"sessions": [{}, {}], "count": 2}},
    ),
]


def _log(
    store: Store, number: int, request: dict[str, Any], response: dict[str, Any] | None
) -> None:
    event = {
        "seq": number + 1,
        "time": NOW - 60 + number,
        "client": {"id": 1, "name": "robot" if number == 3 else "pwtui"},
        "workspace": ROOT,
        "profile": "default",
        "request": request,
    }
    store.begin(read(RequestEvent, event), "test")
    if response is not None:
        store.finish(
            read(RequestEvent, {**event, "response": {"op": request["op"], **response}}), "test"
        )


@asynccontextmanager
async def fixed_panel(
    size: tuple[int, int] = SIZE, *, toasts: bool = False
) -> AsyncIterator[Panel]:
    """A panel with the same content and the same time in each run, which has no past."""

    async def nothing(controller: Controller) -> None:
        del controller

    with (
        patch.object(Controller, "run", nothing),
        patch.object(time, "time", lambda: NOW),
        patch.object(PastKeeper, "show", lambda *_, **__: None),
    ):
        app = PanelApp(Workspace(Path(ROOT)))
        async with app.run_test(size=size, notifications=toasts) as pilot:
            panel = Panel(app, pilot)
            await panel.until(lambda: isinstance(app.screen, MainScreen), "the main screen")
            fill(app.store)
            await panel.until(lambda: "node" in panel.tree.summary(), "the tree")
            await pilot.pause()
            yield panel
            screen_cells(app)  # the last state can be painted
