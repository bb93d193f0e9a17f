"""The daemon in the panel: killed, stopped, started, and profiles that do not use it."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import pytest_asyncio

from pwtui.app.store import OWN
from pwtui.client.client import Client
from pwtui.client.link import DaemonLink
from pwtui.client.start import OutsideControl
from pwtui.daemon.address import runtime_dir, socket_path
from pwtui.protocol.envelope import Request, RuntimeBlock
from pwtui.protocol.errors import SessionError
from pwtui.state.config import ProfileConfig
from pwtui.state.profiles import Profiles
from pwtui.state.workspace import Workspace
from pwtui.widgets.daemon_card import DaemonCard
from pwtui.widgets.dialogs import ConfirmDialog
from pwtui.widgets.key_bar import KeyBar
from tests.app.conftest import use_folders
from tests.app.panel import Panel, caller_in, open_panel
from tests.daemon.house import cmdline, has_ended, is_running
from tests.site import TestSite
from tests.waiting import until


@pytest_asyncio.fixture(loop_scope="session")
async def own_daemon(
    _private_environment: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> AsyncIterator[None]:
    """Folders in which no daemon runs yet; whatever the test leaves there is ended."""
    folder = Path(tempfile.mkdtemp(prefix="pwt-"))
    use_folders(monkeypatch, folder, tmp_path)
    yield
    await OutsideControl().stop()
    shutil.rmtree(folder, ignore_errors=True)


async def connected(panel: Panel) -> psutil.Process:
    """The daemon that the panel shows."""
    await panel.until(
        lambda: panel.store.link == "connected" and panel.store.daemon, "a daemon that runs"
    )

    def pid() -> int | None:
        daemon = panel.store.daemon
        return daemon.pid if daemon and daemon.pid and psutil.pid_exists(daemon.pid) else None

    return psutil.Process(await panel.until(pid, "its process"))


async def test_a_killed_daemon_is_reported_and_the_panel_connects_to_another(
    own_daemon: None, site: TestSite, workspace: Workspace
) -> None:
    async with open_panel(workspace, url=site.url("/form.html")) as panel:
        first = await connected(panel)
        await panel.until(lambda: "1 session" in panel.status, "the header")
        panel.app.send(panel.app.controller.request("navigate", {"url": site.url("/hang")}))
        await panel.until(lambda: panel.store.running, "a running request")
        states: list[str] = []
        panel.store.listeners.append(lambda _: states.append(panel.store.link))

        os.kill(first.pid, signal.SIGKILL)

        await panel.until(lambda: "gone" in states, "the state is shown")
        lost = await panel.answer("navigate", 2)
        assert lost.failed
        assert "the daemon exited" in lost.message
        assert panel.tree.snapshot is not None
        await panel.until(lambda: panel.tree.is_stale, "the tree is shown as old")
        await panel.until(
            lambda: panel.store.daemon and panel.store.daemon.pid != first.pid, "another daemon"
        )
        second = await connected(panel)
        assert second.pid != first.pid
        await panel.press("3", "z")
        await panel.until(lambda: str(second.pid) in panel.text("#daemon"), "the new pid")
        await panel.press("z")
        assert len(panel.entries("navigate")) == 2
        await panel.until(lambda: "0 sessions" in panel.status, "the header")
        panel.app.send(panel.app.controller.request("navigate", {"url": site.url("/links.html")}))
        assert (await panel.answer("navigate", 3)).ok
        await panel.page("Links")
        assert [each.ok for each in panel.entries("navigate")] == [True, False, True]


async def test_the_daemon_is_stopped_and_started_by_keys(
    own_daemon: None, workspace: Workspace
) -> None:
    async with open_panel(workspace) as panel:
        first = await connected(panel)
        card = panel.main.query_one(DaemonCard)
        await panel.press("R")
        path = Path(str(panel.store.recording_path))

        await panel.press("3")
        keys = panel.main.query_one(KeyBar)
        await panel.until(lambda: "restart" in str(keys.render()), "the keys of the daemon")
        assert "o start" not in str(keys.render())
        await panel.press("delete")
        question = await panel.screen(ConfirmDialog)
        await panel.shows("No browser will be closed.", question)
        await panel.press("escape")
        await panel.home()
        assert is_running(first)
        await panel.press("delete")
        await panel.screen(ConfirmDialog)
        await panel.press("y")

        await panel.until(lambda: panel.store.link == "stopped", "it is stopped")
        assert has_ended(first)
        await panel.pilot.pause(1.5)
        assert panel.store.link == "stopped"
        assert card.daemon_state == "stopped"
        await panel.until(lambda: "○ daemon stopped" in panel.status, "the status")
        await panel.until(lambda: "o start" in str(keys.render()), "the key that starts it")
        assert "restart" not in str(keys.render())
        other = await DaemonLink("other").connect(caller_in(workspace))
        assert other is not None
        assert (await other.request(Request(op="protect.list"))).ok
        await panel.press("o")
        second = await connected(panel)
        await panel.until(lambda: panel.store.daemon and panel.store.daemon.pid != first.pid, "pid")
        assert second.pid != first.pid
        await panel.until(lambda: "protect.list" in path.read_text(), "what it missed is recorded")
        assert path.read_text().count("protect.list") == 2  # in the request and the response
        await other.close()
        await panel.press("r")
        await panel.until(lambda: not is_running(second), "restarted")
        third = await connected(panel)
        assert third.pid not in (first.pid, second.pid)


async def test_a_recording_has_what_others_do_before_the_panel_is_connected(
    own_daemon: None, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_connect = asyncio.Event()
    connect = DaemonLink.connect

    async def connect_later(link: DaemonLink, *arguments: Any, **options: Any) -> Any:
        if link._name == OWN:
            await may_connect.wait()
        return await connect(link, *arguments, **options)

    other = DaemonLink("other")
    monkeypatch.setattr(DaemonLink, "connect", connect_later)
    async with open_panel(workspace) as panel:
        link = await other.connect(caller_in(workspace))
        assert link is not None
        assert (await link.request(Request(op="har.show"))).ok
        await panel.press("R")
        path = Path(str(panel.store.recording_path))
        assert (await link.request(Request(op="protect.list"))).ok
        await panel.until(lambda: "⏺ rec 0…" in panel.status, "that more may come")
        assert path.read_text() == ""

        may_connect.set()

        await panel.until(lambda: "⏺ rec 1 " in panel.status, "what it missed is recorded")
        assert (await link.request(Request(op="profile.list"))).ok
        await panel.until(lambda: "⏺ rec 2 " in panel.status, "and what it sees")
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        assert [each["request"]["op"] for each in lines] == ["protect.list", "profile.list"]
    await other.close()


async def test_a_client_that_is_cancelled_while_it_closes_leaves_no_connection(
    own_daemon: None, workspace: Workspace
) -> None:
    def without_daemon(config: ProfileConfig) -> None:
        config.defaults.use_daemon = False

    Profiles(workspace).change_config("private", without_daemon)
    client = Client("test", in_process=False)
    for profile in ("default", "private"):
        request = Request(op="har.show", runtime=RuntimeBlock(profile=profile))
        assert (await client.perform(request, caller_in(workspace))).ok
    links = [client.daemon, client._private]

    closing = asyncio.create_task(client.close())
    await asyncio.sleep(0)
    closing.cancel()

    with pytest.raises(asyncio.CancelledError):
        await closing
    await until(lambda: not any(each and each.is_connected for each in links), "both are closed")


def private_server() -> psutil.Process | None:
    """The only one; what it forks has its command line until it has become another program."""
    found = [
        each
        for each in psutil.Process().children(recursive=True)
        if "pwtui.daemon_process" in cmdline(each)
        and Path(each.environ()["PWTUI_RUNTIME_DIR"]).name.startswith("pwtui-")
    ]
    return found[0] if len(found) == 1 else None


async def test_a_profile_without_daemon_has_a_server_that_ends_with_the_panel(
    own_daemon: None, site: TestSite, workspace: Workspace
) -> None:
    def without_daemon(config: ProfileConfig) -> None:
        config.defaults.use_daemon = False

    Profiles(workspace).change_config("default", without_daemon)
    async with open_panel(workspace) as panel:
        shared = await connected(panel)
        await panel.until(lambda: panel.store.profiles, "the profiles")
        assert not panel.store.profiles[0].uses_daemon
        await panel.shows("default  no d", "#profiles")

        panel.app.send(panel.app.controller.request("navigate", {"url": site.url("/form.html")}))
        entry = await panel.answer("navigate")
        assert entry.ok, entry.response
        await panel.page("Form")
        await panel.click_ref(panel.ref("button", "Submit"))
        assert (await panel.answer("click")).ok
        private = await panel.until(private_server, "one server")
        assert private is not None
        processes = [private, *private.children(recursive=True)]
        await panel.until(lambda: panel.store.session_of("default"), "its session")

    await until(lambda: not any(map(is_running, processes)), "the processes have ended")
    assert is_running(shared)


async def test_a_connection_without_a_greeting_is_closed(
    own_daemon: None, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = asyncio.Event()

    async def never_greets(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        closed.set()
        writer.close()

    monkeypatch.setattr("pwtui.client.connection.ANSWER_SECONDS", 0.2)
    Path(runtime_dir()).mkdir(mode=0o700, parents=True, exist_ok=True)
    server = await asyncio.start_unix_server(never_greets, socket_path())
    link = DaemonLink("pwtui")
    async with server:
        with pytest.raises(SessionError, match="does not respond"):
            await link.connect(caller_in(workspace))
        async with asyncio.timeout(30):
            await closed.wait()
