"""The user's tabs in the panel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pwtui.app.screens.relay import RelayScreen, connection_rows
from pwtui.client.start import OutsideControl
from pwtui.protocol.models import RelayTrace, read
from pwtui.state.workspace import Workspace
from tests.app.panel import open_panel
from tests.relay.rig import Rig
from tests.site import TestSite


async def test_a_tab_of_the_user_is_listed_attached_and_clicked_and_its_steps_are_shown(
    rig: Rig, site: TestSite, workspace: Workspace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PWTUI_RUNTIME_DIR", str(rig.folder / "run"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(rig.folder / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    mine = await rig.open(site.url("/form.html"))
    try:
        async with open_panel(workspace) as panel:

            def relayed() -> list[object]:
                return [each for each in panel.store.sessions if each.origin == "relay"]

            await panel.until(relayed, "the relay's browser among the sessions")
            endpoint = f"http://127.0.0.1:{rig.port}"
            connect = panel.app.controller.request("connect", {"endpoint": endpoint})
            panel.app.send(connect)
            await panel.answer("connect")
            panel.app.send(panel.app.controller.request("tabs.list"))
            await panel.answer("tabs.list")
            await panel.page()
            await panel.choose(panel.ref("button", "Submit"), "c")
            assert (await panel.answer("click")).ok

            await panel.press("ctrl+y")
            await panel.screen(RelayScreen)
            await panel.until(
                lambda: "7 executionContextCreated" in panel.screen_text, "the last step"
            )
            assert "4 setAutoAttach" in panel.screen_text
            assert "/form.html" in panel.screen_text
            await panel.press("escape")
            await panel.home()
    finally:
        await OutsideControl().stop()
    assert mine in [page["targetId"] for page in await rig.pages()]


def test_past_clients_are_listed_below_connected_ones() -> None:
    def client(id: str, *, connected: bool) -> dict[str, Any]:
        state = {"connected": connected, "refused": None, "connectedAt": 1.0}
        return {"id": id, **state, "steps": [], "missing": None, "targets": []}

    relays = [
        {
            "port": port,
            "clients": [client(f"live-{port}", connected=True)],
            "past": [client(f"old-{port}", connected=False)],
            "pid": port,
            "startedAt": 1.0,
            "separateWindow": False,
            "extensions": [],
            "notes": [],
            "unpaired": [],
        }
        for port in (1, 2)
    ]

    titles = [row.title for row in connection_rows([read(RelayTrace, relay) for relay in relays])]

    assert titles == ["client live-1", "client live-2", "client old-1", "client old-2"]
