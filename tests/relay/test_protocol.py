"""The relay between a client and a fake extension."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from pwtui.relay import send_queue as outbox
from tests.relay.fake import client, extension, relay
from tests.relay.rig import Cdp, eventually
from tests.waiting import within


async def attached(cdp: Cdp) -> str:
    """The session of the only page that is announced to the client."""
    await cdp.send("Target.setAutoAttach", {"autoAttach": True, "flatten": True})
    event = await cdp.event("Target.attachedToTarget")
    return str(event["params"]["sessionId"])


async def test_results_and_events_of_a_session_keep_their_order() -> None:
    async with relay() as (_, port), extension(port, lambda m, p: None) as fake:
        await fake.attach("s1", "about:blank")
        async with client(port) as socket:
            session = await attached(Cdp(socket))
            await socket.send(json.dumps({"id": 7, "method": "Page.enable", "sessionId": session}))
            for number in range(300):
                ask = {"id": 100 + number, "method": "Runtime.evaluate", "sessionId": session}
                await socket.send(json.dumps(ask))

            async def all_asked() -> bool:
                return len(fake.commands) == 301

            await eventually(all_asked, "the extension has all commands")
            # The relay has its own ids; events and results alternate.
            first = 2
            for number in range(301):
                await fake.event("Page.frameAttached", {"number": number}, "s1")
                await fake.socket.send(json.dumps({"id": first + number}) + f'\n{{"n":{number}}}')
            seen: list[dict[str, int]] = []
            while len(seen) < 602:
                message = json.loads(await within(socket.recv()))
                seen.append(message.get("result", message.get("params")))

    numbers = [part.get("n", part.get("number")) for part in seen]
    assert numbers == [number for number in range(301) for _ in range(2)]
    assert ["number" in part for part in seen] == [True, False] * 301


async def test_events_about_frames_are_sent_after_the_frame_tree_unless_it_includes_them() -> None:
    async with relay() as (_, port), extension(port, lambda m, p: None) as fake:
        await fake.attach("s1", "about:blank")
        async with client(port) as socket:
            session = await attached(Cdp(socket))
            ask = {"id": 7, "method": "Page.getFrameTree", "sessionId": session}
            await socket.send(json.dumps(ask))

            async def asked() -> bool:
                return fake.commands == ["Page.getFrameTree"]

            await eventually(asked, "the extension has the command")
            context = {"context": {"id": 1, "auxData": {"isDefault": True}}}
            await fake.event("Runtime.executionContextCreated", context, "s1")
            await fake.event("Page.javascriptDialogOpening", {}, "s1")
            for id in ("old", "new"):
                await fake.event("Page.frameAttached", {"frameId": id, "parentFrameId": "x"}, "s1")
            old = {"frame": {"id": "old", "loaderId": "L2"}}
            tree = {"frame": {"id": "x", "loaderId": "L1"}, "childFrames": [old]}
            await fake.socket.send('{"id": 2}\n' + json.dumps({"frameTree": tree}))
            later = {"frame": {"id": "x", "loaderId": "L3", "url": ""}}
            await fake.event("Page.frameNavigated", later, "s1")
            seen = [json.loads(await within(socket.recv())) for _ in range(5)]

    assert [message.get("method", message.get("id")) for message in seen] == [
        "Page.javascriptDialogOpening",
        7,
        "Runtime.executionContextCreated",
        "Page.frameAttached",
        "Page.frameNavigated",
    ]
    assert seen[3]["params"]["frameId"] == "new"


async def test_held_events_of_a_frame_are_sent_before_later_events_of_the_page() -> None:
    async with relay() as (_, port), extension(port, lambda m, p: None) as fake:
        await fake.attach("s1", "about:blank")
        async with client(port) as socket:
            cdp = Cdp(socket)
            await attached(cdp)
            attach = {"autoAttach": True, "flatten": True}
            await cdp.post("Target.setAutoAttach", attach, "s1")
            info = {"targetId": "F", "type": "iframe", "url": ""}
            child = {"sessionId": "c1", "targetInfo": info, "waitingForDebugger": True}

            async def asked(count: int) -> None:
                async def has() -> bool:
                    return len(fake.commands) == count

                await eventually(has, "the extension has the command")

            await asked(1)
            await fake.event("Target.attachedToTarget", child, "s1")
            await cdp.event("Target.attachedToTarget")
            await cdp.post("Page.getFrameTree", {}, "c1")
            await asked(2)
            frame = {"id": "F", "loaderId": "L1"}
            answer = '{"id": 3}\n' + json.dumps({"frameTree": {"frame": frame}})
            navigated = {"frame": {"id": "F", "loaderId": "L2", "url": "https://other.test/"}}
            # In one burst, as on a busy machine.
            await asyncio.gather(
                fake.socket.send(answer),
                fake.event("Page.frameNavigated", navigated, "c1"),
                fake.event("Page.loadEventFired", {}, "s1"),
            )
            await cdp.event("Page.loadEventFired")

    assert [event["method"] for event in cdp.events] == ["Page.frameNavigated"]


async def test_only_a_client_that_does_not_read_is_disconnected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(outbox, "MAX_WAITING_CHARACTERS", 1_000_000)
    async with (
        relay() as (server, port),
        extension(port) as fake,
        client(port, "/reads") as good,
        client(port, "/stuck", max_queue=1) as stuck,
    ):
        await fake.attach("s1", "about:blank")
        stuck_session, session = await attached(Cdp(stuck)), await attached(Cdp(good))
        await Cdp(stuck).send("Log.enable", session=stuck_session)

        async def is_alone() -> bool:
            await fake.event("Log.entryAdded", {"text": "x" * 500_000}, "s1")
            return list(server.hub.clients) == ["reads"]

        await eventually(is_alone, "the client that does not read is disconnected")
        alive = await Cdp(good).send("Page.enable", session=session)

    assert alive == {}


async def test_an_empty_url_is_requested_again_before_the_page_is_announced() -> None:
    urls = iter(["", ":", "https://late.test/"])

    def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
        if method == "Target.getTargetInfo":
            return {"targetInfo": {"url": next(urls, "https://late.test/")}}
        return {}

    async with relay() as (server, port), extension(port, answer) as fake, client(port) as socket:
        cdp = Cdp(socket)
        await cdp.send("Target.setAutoAttach", {"autoAttach": True})
        await fake.attach("s1", "")
        event = await cdp.event("Target.attachedToTarget")
        notes = server.trace.to_wire([])["notes"]

    assert event["params"]["targetInfo"]["url"] == "https://late.test/"
    assert "empty URL" in notes[0]["message"]
    assert "https://late.test/" in notes[0]["message"]


async def test_a_client_has_all_pages_when_it_is_attached() -> None:
    def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
        if method != "Target.getTargetInfo":
            return {}
        is_attaching = any(each.auto_attach for each in server.hub.clients.values())
        return {"targetInfo": {"url": "https://late.test/" if is_attaching else ""}}

    async with relay() as (server, port), extension(port, answer) as fake:
        await fake.attach("s1", "")

        async def is_listed() -> bool:
            return bool(fake.commands)

        await eventually(is_listed, "the relay has the page, without its URL")
        async with client(port) as socket:
            cdp = Cdp(socket)
            await cdp.send("Target.setAutoAttach", {"autoAttach": True})

    assert [each["params"]["sessionId"] for each in cdp.events] == ["s1"]


async def test_the_trace_has_the_missing_step() -> None:
    def answer(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
        return None if method == "Runtime.enable" else {}

    async def missing() -> list[str | None]:
        trace = server.trace.to_wire(list(server.hub.clients.values()))
        (wire,) = trace["clients"]
        found = [wire["missing"], *(target["missing"] for target in wire["targets"])]
        return [each and str(each["step"]) for each in found]

    async with relay() as (server, port), extension(port, answer) as fake, client(port) as socket:
        cdp = Cdp(socket)

        async def has_client() -> bool:
            return bool(server.hub.clients)

        await eventually(has_client, "the client is there")
        steps = [await missing()]
        await cdp.send("Browser.getVersion")
        steps.append(await missing())
        await cdp.send("Target.setAutoAttach", {"autoAttach": True})
        steps.append(await missing())
        await fake.attach("s1", "about:blank")
        await cdp.event("Target.attachedToTarget")
        await socket.send(json.dumps({"id": 9, "method": "Runtime.enable", "sessionId": "s1"}))
        steps.append(await missing())
        context = {"id": 1, "auxData": {"isDefault": True}}
        await fake.event("Runtime.executionContextCreated", {"context": context}, "s1")
        await cdp.event("Runtime.executionContextCreated")
        (wire,) = server.trace.to_wire(list(server.hub.clients.values()))["clients"]

    assert steps == [
        ["getVersion"],
        ["setAutoAttach"],
        ["attachedToTarget"],
        [None, "runtimeEnable"],
    ]
    assert "frozen" in wire["targets"][0]["missing"]["hint"]
    times = [step["atMs"] for step in wire["steps"]]
    assert times == sorted(times)


async def test_a_refused_client_is_in_the_trace_with_a_hint() -> None:
    async with relay() as (server, port):
        with pytest.raises(InvalidStatus):
            async with client(port):
                pass
        (past,) = server.trace.to_wire([])["past"]

    assert past["missing"]["step"] == "webSocket"
    assert "`pw relay open`" in past["missing"]["hint"]


async def test_malformed_messages_of_a_client_are_answered_and_do_not_affect_others() -> None:
    async with relay() as (_, port), extension(port) as fake, client(port) as socket:
        await fake.attach("s1", "about:blank")
        codes = []
        for text in (
            "{",
            "[]",
            "{}",
            '{"id": "one", "method": "Page.enable"}',
            '{"id": 1, "method": 7}',
            '{"id": 2, "method": "Page.enable", "params": []}',
            '{"id": 3, "method": "Page.enable", "sessionId": "nobody"}',
            '{"id": 4, "method": "SystemInfo.getInfo"}',
            '{"id": 5, "method": "Target.attachToTarget"}',
            "\ud800".encode("utf-8", "replace").decode(),
        ):
            await socket.send(text)
            codes.append(json.loads(await within(socket.recv()))["error"]["code"])
        cdp = Cdp(socket)
        alive = await cdp.send("Browser.getVersion")
        session = await attached(cdp)
        passed_on = await cdp.send("DOM.enable", session=session)

    parse, invalid = -32700, -32600
    assert codes == [parse, *[invalid] * 5, -32001, -32601, invalid, parse]
    assert alive["product"] == "Fake/1.0"
    assert passed_on == {}


async def test_a_message_that_is_too_large_disconnects_only_its_sender() -> None:
    async with (
        relay(max_message_bytes=10_000) as (server, port),
        extension(port),
        client(port, "/large") as socket,
        client(port) as other,
    ):
        await socket.send(json.dumps({"id": 1, "method": "x" * 20_000}))
        with pytest.raises(ConnectionClosed) as closed:
            await within(socket.recv())
        alive = await Cdp(other).send("Browser.getVersion")

        async def notes() -> list[str]:
            return [note["message"] for note in server.trace.to_wire([])["notes"]]

        noted = await eventually(notes, "the relay notes it")

    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1009
    assert alive
    assert "client large was disconnected: Message size" in noted[0]


@pytest.mark.parametrize("frame", ["no json", "[]", '{"method": "forwardCDPEvent"}', "{}\n{"])
async def test_an_invalid_frame_of_an_extension_is_ignored_or_disconnects_it(frame: str) -> None:
    async with relay() as (server, port), extension(port) as fake:
        await fake.socket.send(frame)
        async with extension(port, install="other"):

            async def other_is_there() -> bool:
                return "other" in server.hub.extensions

            await eventually(other_is_there, "another extension can connect")


async def test_a_client_can_choose_one_of_several_extensions() -> None:
    async with relay() as (_, port):
        with pytest.raises(InvalidStatus) as missing:
            async with client(port):
                pass
        async with extension(port, install="a") as one, extension(port, install="b"):
            with pytest.raises(InvalidStatus) as ambiguous:
                async with client(port):
                    pass
            async with client(port, query="&extension=b") as socket:
                await Cdp(socket).send("Target.setAutoAttach", {"autoAttach": True})
            await one.attach("s1", "about:blank")

            async def by_tabs() -> bool:
                try:
                    async with client(port) as socket:
                        return bool(await attached(Cdp(socket)) == "s1")
                except InvalidStatus:
                    return False

            await eventually(by_tabs, "the only one with tabs is chosen")

    assert "Extension not connected" in str(missing.value.response.body)
    assert "Multiple extensions" in str(ambiguous.value.response.body)


async def test_two_clients_cannot_have_the_same_name() -> None:
    async with relay() as (_, port), extension(port), client(port, "/me"):
        with pytest.raises(InvalidStatus) as refused:
            async with client(port, "/me"):
                pass

    assert refused.value.response.status_code == 409


async def test_an_extension_that_reconnects_replaces_its_old_connection() -> None:
    async with relay() as (server, port), extension(port) as old, client(port) as socket:
        pending = {"id": 1, "method": "Target.createTarget", "params": {"url": "about:blank"}}
        old.take = lambda frame: asyncio.sleep(0)  # type: ignore[method-assign]
        await socket.send(json.dumps(pending))
        async with extension(port):
            answer = json.loads(await within(socket.recv()))
            with pytest.raises(ConnectionClosed) as closed:
                await within(socket.recv())
            await old.socket.wait_closed()

            assert list(server.hub.extensions) == ["fake"]

    assert answer["error"]["message"] == "Extension connection closed"
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.reason == "Extension disconnected"
    assert old.socket.close_code == 4001


async def test_the_extension_is_pinged_and_disconnected_when_it_does_not_answer() -> None:
    async with relay(ping_seconds=0.05) as (server, port), extension(port) as fake:

        async def pinged() -> bool:
            return fake.requests.count("ping") >= 2

        async def gone() -> bool:
            return not server.hub.extensions

        await eventually(pinged, "it is pinged")
        await eventually(gone, "its silence is noticed")


async def test_browser_close_closes_only_the_connection() -> None:
    async with relay() as (_, port), extension(port) as fake, client(port) as socket:
        answer = await Cdp(socket).ask("Browser.close")
        with pytest.raises(ConnectionClosed):
            await within(socket.recv())
        requests = list(fake.requests)

    assert answer["result"] == {}
    assert requests == ["setWindowMode"]
