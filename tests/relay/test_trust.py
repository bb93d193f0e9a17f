"""Programs on the relay's port, and programs that connect to it, must prove their identity."""

from __future__ import annotations

import asyncio
import json
import stat
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from aiohttp import web
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from pwtui.browser.launch import relay_endpoint as relays
from pwtui.browser.launch.relay_endpoint import UnknownRelay, ask_relay, client_url, relay_address
from pwtui.relay import RelayServerError, aio, api
from pwtui.relay.launch import EXTENSION_FOLDER, private_extension, refresh_extension
from pwtui.relay.server import RelayServer
from pwtui.state.relay_records import DEFAULT_PORT, proof, relay_token
from tests.relay.fake import client, extension, relay, unpaired
from tests.relay.rig import Cdp, Rig
from tests.relay.test_commands import pw
from tests.site import TestSite
from tests.waiting import within

Answer = Callable[[str], tuple[int, dict[str, str], bytes]]


@contextmanager
def fake_server(answer: Answer) -> Iterator[tuple[int, list[str]]]:
    """A program of another user: its port, and all that it was sent."""
    received: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            received.append(f"{self.requestline}\n{self.headers}\n{body!r}")
            status, headers, content = answer(self.path)
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = handle_any  # noqa: N815

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_address[1], received
    finally:
        server.shutdown()
        server.server_close()


def pretend(path: str) -> tuple[int, dict[str, str], bytes]:
    return 200, {}, json.dumps({"version": "99.0.0", "proof": "0" * 64, "ticket": "t"}).encode()


async def test_no_command_sends_the_token_to_a_fake_relay(
    state: Path,
) -> None:
    with fake_server(pretend) as (port, received):
        results = [
            await pw("relay", *words, "--port", str(port))
            for words in (["start"], ["status"], ["trace"], ["stop"], ["open", "--headless"])
        ]
        for call in (
            lambda: api.ensure_persistent_relay(port=port),
            lambda: api.wait_for_extension(port=port),
            lambda: api.connect_to_relay(port=port),
        ):
            with pytest.raises(RelayServerError):
                await asyncio.to_thread(call)

    assert [result.code for result in results] == [1] * 5
    assert all("another program listens here" in result.err for result in results)
    assert all("Traceback" not in result.err for result in results)
    assert len(received) >= 7
    assert relay_token() not in "".join(received)


async def test_a_profile_with_the_default_port_is_not_attached_to_a_fake_relay(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with fake_server(pretend) as (port, received):
        monkeypatch.setattr(relays, "DEFAULT_PORT", port)
        with pytest.raises(UnknownRelay):
            await asyncio.to_thread(relay_address, api.cdp_url(port))
        other = await asyncio.to_thread(relay_address, f"ws://127.0.0.1:{port}/cdp?token=other")

    assert other is None
    assert relay_token() not in "".join(received)


async def test_redirects_are_not_followed(state: Path) -> None:
    async with running() as mine:
        target = f"http://127.0.0.1:{mine}"
        with (
            fake_server(lambda path: (302, {"Location": target + path}, b"")) as (port, received),
            pytest.raises(UnknownRelay),
        ):
            await asyncio.to_thread(ask_relay, port, "/trace")

    assert len(received) == 1


async def test_the_proof_of_a_relay_is_not_valid_for_another_port(
    state: Path,
) -> None:
    async with running() as mine:

        def pass_on(path: str) -> tuple[int, dict[str, str], bytes]:
            with urlopen(f"http://127.0.0.1:{mine}{path}", timeout=5) as answer:
                return 200, {}, answer.read()

        with fake_server(pass_on) as (port, received):
            with pytest.raises(UnknownRelay):
                await asyncio.to_thread(ask_relay, port, "/trace")
            reached = await asyncio.to_thread(ask_relay, mine, "/trace")

    assert "challenge=" in received[0]
    assert relay_token() not in "".join(received)
    assert reached["clients"] == []


@asynccontextmanager
async def running() -> AsyncIterator[int]:
    """A relay of this user."""
    server = RelayServer()
    try:
        yield await server.start(0)
    finally:
        await server.stop()


async def test_a_new_token_disconnects_clients_and_the_old_one_is_refused(rig: Rig) -> None:
    old = api.cdp_url(rig.port)
    async with connect(old) as socket:
        await Cdp(socket).send("Browser.getVersion")
        new = await pw("relay", "token", "--new")
        with pytest.raises(ConnectionClosed) as closed:
            await within(socket.recv())
    with pytest.raises(InvalidStatus) as refused:
        async with connect(old):
            pass
    async with connect(api.cdp_url(rig.port)) as socket:
        works = await Cdp(socket).send("Browser.getVersion")

    assert new.code == 0
    assert new.out == relay_token() != old.partition("token=")[2]
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.reason == "The token was replaced"
    assert refused.value.response.status_code == 401
    assert works


async def test_a_ticket_is_valid_once(rig: Rig) -> None:
    url = await asyncio.to_thread(client_url, rig.port)
    async with connect(url) as socket:
        works = await Cdp(socket).send("Browser.getVersion")
    with pytest.raises(InvalidStatus) as refused:
        async with connect(url):
            pass
    address = await asyncio.to_thread(relay_address, f"http://127.0.0.1:{rig.port}")

    assert works
    assert refused.value.response.status_code == 401
    assert address is not None
    assert relay_token() not in url + address


async def test_the_extension_sends_nothing_to_a_fake_relay(rig: Rig, site: TestSite) -> None:
    """No proof, one of another secret, and one that was made for another port."""
    tab = await rig.open(site.url("/form.html"))
    await asyncio.to_thread(api.stop_relay, rig.port)
    proofs: dict[str, Callable[[str], str | None]] = {
        "missing": lambda ours: None,
        "wrong": lambda ours: proof("guess", "relay", rig.port, ours, "theirs"),
        "reflected": lambda ours: ours,
    }
    sent: dict[str, list[str]] = {name: [] for name in proofs}
    waiting = list(proofs)
    done = asyncio.Event()

    async def pose(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        if not waiting:
            return socket
        name = waiting.pop(0)
        given = proofs[name](request.query["challenge"])
        await socket.send_json({"challenge": "theirs", "proof": given})
        await socket.send_str('{"id": 1, "method": "attachActiveTab", "params": {}}')
        async for message in socket:
            sent[name].append(str(message.data))
        if not waiting:
            done.set()
        return socket

    app = web.Application()
    app.router.add_get("/extension", pose)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", rig.port).start()
        await within(done.wait())
    finally:
        await runner.cleanup()
        await aio.ensure_persistent_relay(port=rig.port)
    await aio.wait_for_extension(port=rig.port, poll_interval=50)

    assert sent == {"missing": [], "wrong": [], "reflected": []}
    assert [page["targetId"] for page in await rig.pages()] == [tab]


async def test_a_fake_extension_is_refused_and_listed() -> None:
    async with relay() as (server, port):
        for answer in ("{}", '{"proof": ""}', '{"proof": 7}', "no json", "[]"):
            async with unpaired(port, install="stranger") as socket:
                await within(socket.recv())
                await socket.send(answer)
                with pytest.raises(ConnectionClosed) as closed:
                    await within(socket.recv())
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 4401
        async with unpaired(port, install="mirror") as socket:
            await socket.send(await within(socket.recv()))  # the proof of the relay itself
            with pytest.raises(ConnectionClosed):
                await within(socket.recv())
        with pytest.raises(InvalidStatus):  # no tab is attached
            async with client(port):
                pass
        refused = [each["id"] for each in server.trace.to_wire([])["unpaired"]]
        async with extension(port, install="stranger"):
            later = [each["id"] for each in server.trace.to_wire([])["unpaired"]]

    assert refused == ["stranger", "mirror"]
    assert later == ["mirror"]


async def test_the_status_lists_a_refused_extension(rig: Rig) -> None:
    async with unpaired(rig.port, install="0ddba11") as socket:
        await within(socket.recv())
        await socket.send("{}")
        with pytest.raises(ConnectionClosed):
            await within(socket.recv())
    status = await pw("relay", "status", "--port", str(rig.port))

    assert "refused: Fake/1.0 (0ddba11) is not paired with this relay" in status.out
    assert "`pw relay extension`" in status.out


def test_only_the_user_can_read_the_private_copy_and_it_is_updated(state: Path) -> None:
    folder = private_extension(DEFAULT_PORT)
    (folder / "link.js").write_text("changed")
    (folder / "gone.js").write_text("of an earlier version")
    before = (folder / "defaults.js").read_text()
    refresh_extension(DEFAULT_PORT)
    refresh_extension(6789)  # which does not exist
    other = private_extension(2345)

    names = {path.name for path in EXTENSION_FOLDER.iterdir()}
    assert folder == state / "extension"
    assert not (state / "extension-6789").exists()
    assert {path.name for path in folder.iterdir()} == names
    assert (folder / "link.js").read_bytes() == (EXTENSION_FOLDER / "link.js").read_bytes()
    assert (folder / "defaults.js").read_text() == before
    assert "2345" in (other / "defaults.js").read_text()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


def test_the_extension_in_the_package_has_no_secret(state: Path) -> None:
    private = (private_extension(DEFAULT_PORT) / "defaults.js").read_text()

    assert 'PAIRING_SECRET = "";' in (EXTENSION_FOLDER / "defaults.js").read_text()
    assert (state / "pairing").read_text().strip() in private
