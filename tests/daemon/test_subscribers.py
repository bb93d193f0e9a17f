"""Subscribers receive the requests of all clients without secrets, and delay no client."""

from __future__ import annotations

import asyncio
import json
import socket
import time

import psutil

from pwtui.daemon.connection import Connection
from pwtui.daemon.filters import EventFilter
from pwtui.daemon.line_protocol import LineStream
from pwtui.daemon.server import DaemonServer
from tests.daemon.house import House, eventually, kill
from tests.daemon.test_peer import no_commands
from tests.daemon.wire import Message, Wire
from tests.site import TestSite
from tests.waiting import LIMIT

SECRET = "correct-horse-battery"
MEGABYTE = 1024 * 1024


def test_a_request_and_its_response_are_events(warm: House, wire: Wire) -> None:
    wire.ask("subscribe", events=["request", "response", "client"])
    with warm.wire(client="somebody", profile="mine") as other:
        other.call("protect.add", {"pattern": "never"}, name="other's")
    asked, answered = wire.event("request"), wire.event("response")
    came, went = wire.event("client"), wire.event("client")

    assert asked["request"]["op"] == "protect.add"
    assert asked["request"]["input"] == {"pattern": "never"}
    assert asked["client"]["name"] == "somebody"
    assert asked["workspace"] == str(warm.root)
    assert asked["profile"] == "mine"
    assert answered["seq"] == asked["seq"]
    assert answered["request"] == asked["request"]
    assert answered["response"]["ok"] is True
    assert answered["response"]["requestId"] == "other's"
    assert (came["connected"], went["connected"]) == (True, False)


def test_the_commands_of_the_fast_path_are_events_too(warm: House, wire: Wire) -> None:
    wire.ask("subscribe", events=["request", "response"])

    warm.thin("exec", "protect.list", "--profile", "thin")

    asked = wire.event("request", lambda each: each["request"]["op"] == "protect.list")
    assert asked["client"]["name"] == "pw exec"
    assert asked["profile"] == "thin"
    assert wire.event("response")["response"]["ok"] is True


def test_changes_of_sessions_and_pages_are_events(wire: Wire, site: TestSite) -> None:
    wire.ask("subscribe")
    wire.data("navigate", {"url": site.url("/form.html")}, profile="told")
    wire.data("session.stop", profile="told")

    session_opened, page_opened = wire.event("session"), wire.event("page")
    navigated = wire.event("page", lambda each: each["change"] == "navigated")
    closed = wire.event("session", lambda each: each["change"] == "closed")

    assert session_opened["change"] == page_opened["change"] == "opened"
    assert navigated["url"] == site.url("/form.html")
    assert closed["sessionKey"] == session_opened["sessionKey"]


def test_a_subscriber_receives_only_the_events_it_asked_for(warm: House, wire: Wire) -> None:
    with warm.wire() as other:
        wire.ask("subscribe", events=["request"])
        other.call("ops.describe", {"op": "click"})
        wire.ask("subscribe", events=[])
        other.call("ops.describe", {"op": "fill"})
        wire.ask("status")

    assert [each["event"] for each in wire.kept] == ["request"]


def test_the_sender_gets_the_reply_and_other_clients_the_event(warm: House, wire: Wire) -> None:
    with warm.wire() as other:
        for each in (wire, other):
            each.ask("subscribe", events=["request", "response"])
        mine = wire.call("ops.describe", {"op": "click"}, name="mine")
        wire.ask("status")

        heard = [other.event("request"), other.event("response")]

    assert mine["ok"] is True
    assert wire.kept == []
    assert [each["request"]["requestId"] for each in heard] == ["mine", "mine"]
    assert heard[1]["response"] == mine


def test_text_for_a_password_field_is_in_no_event(warm: House, wire: Wire, site: TestSite) -> None:
    with warm.wire() as subscriber:
        subscriber.ask("subscribe")
        wire.data("navigate", {"url": site.url("/form.html")})
        filled = wire.call("fill", {"selector": "#password", "text": SECRET})
        wire.call("type", {"selector": "#password", "text": SECRET})
        wire.call("fill", {"selector": "#missing", "text": SECRET}, overrides={"timeoutMs": 200})
        wire.call("fill", {"ref": "nonsense", "text": SECRET})
        warm.thin("exec", "fill", "--input", json.dumps({"selector": "#password", "text": SECRET}))
        waiting = wire.request("fill", {"selector": "#missing", "text": SECRET})
        wire.wait_until_running(1)
        wire.ask("cancel", requestId=waiting)
        wire.answer(waiting)
        wire.call("fill", {"selector": "#name", "text": "Ada"})
        is_last = lambda each: each["response"].get("data", {}).get("text") == "Ada"  # noqa: E731
        last = subscriber.event("response", is_last)

    requests = [each for each in subscriber.kept if each.get("event") == "request"]
    responses = [each for each in subscriber.kept if each.get("event") == "response"]
    assert filled["ok"] is True
    assert sum(each["request"]["op"] in ("fill", "type") for each in requests) == 7
    assert sum(each["request"]["op"] in ("fill", "type") for each in responses) == 6
    assert SECRET not in json.dumps(subscriber.kept)
    assert SECRET not in warm.log
    assert last["request"]["input"]["text"] == "Ada"


def test_headers_for_a_remote_browser_are_in_no_event(warm: House, wire: Wire) -> None:
    with warm.wire() as subscriber:
        subscriber.ask("subscribe")
        headers = {"Authorization": f"Bearer {SECRET}"}
        endpoint = "ws://127.0.0.1:1/remote"
        wire.data("connect", {"endpoint": endpoint, "headers": headers}, profile="remote")
        wire.call("connect", {"endpoint": "wrong", "headers": headers}, profile="remote")
        wire.call("connect", {"endpoint": 7, "headers": headers}, profile="remote")
        wire.call("ops.describe", {"op": "click"}, name="last")
        subscriber.event("response", lambda each: each["response"].get("requestId") == "last")

    assert SECRET not in json.dumps(subscriber.kept)


def test_a_subscriber_that_does_not_read_delays_no_client_and_gets_the_number_of_lost_events(
    house: House,
) -> None:
    daemon = house.start_daemon()
    large = {"pattern": "x" * MEGABYTE}
    count = 60
    with house.wire(client="sleeper") as sleeper, house.wire(client="worker") as worker:
        worker.call("protect.remove", large)
        sleeper.ask("subscribe", events=["response"])
        before = daemon.memory_info().rss
        for _ in range(count):
            worker.call("protect.remove", large)
        grown = daemon.memory_info().rss - before

        heard, missed = 0, 0
        while not missed:
            message: Message | None = sleeper.read()
            assert message is not None
            heard += message["event"] == "response"
            missed += message.get("count", 0)

    assert grown < 40 * MEGABYTE
    assert heard + missed == count


def test_a_client_that_does_not_read_its_replies_delays_no_other(warm: House, wire: Wire) -> None:
    with warm.wire() as sleeper:
        for _ in range(50):
            sleeper.request("ops.list")
        for _ in range(20):
            assert wire.call("ops.describe", {"op": "click"})["ok"]


def test_a_dialog_that_a_timer_opens_is_in_the_event_of_its_page(
    wire: Wire, site: TestSite
) -> None:
    wire.ask("subscribe", events=["page"])
    wire.data("navigate", {"url": site.url("/form.html")}, profile="timer")
    opens = "setTimeout(() => confirm('Really delete?'), 50)"
    wire.data("page.eval", {"expression": opens}, profile="timer")

    opened = wire.event("page", lambda each: each["change"] == "dialog")

    assert opened["dialog"] == {"type": "confirm", "message": "Really delete?"}
    assert (opened["profile"], opened["tab"]) == ("timer", 0)
    assert opened["workspace"]
    wire.data("dialog.accept", profile="timer")
    closed = wire.event("page", lambda each: each["change"] == "dialogclosed")
    assert "dialog" not in closed


def test_after_a_browser_was_killed_a_ref_and_a_look_start_no_new_one(
    warm: House, wire: Wire, site: TestSite
) -> None:
    wire.ask("subscribe", events=["session"])
    wire.data("navigate", {"url": site.url("/form.html")}, profile="killed")
    wire.data("page.aria", profile="killed")
    kill(psutil.Process(wire.data("session.status", profile="killed")["session"]["pid"]))

    ended = wire.event("session", lambda each: each["change"] == "closed")
    clicked = wire.call("click", {"ref": "e2"}, profile="killed")
    looked = look(wire, "page.aria", "killed")

    assert ended["unexpected"] is True
    assert clicked["error"]["code"] == "SELECTOR_NOT_FOUND"
    assert "no browser is open" in clicked["error"]["message"]
    assert looked["error"]["details"] == {"cause": "nothingOpen"}
    assert wire.data("session.status", profile="killed")["active"] is False


def test_a_look_opens_no_page_in_a_browser_that_has_none(wire: Wire, site: TestSite) -> None:
    wire.data("navigate", {"url": site.url("/form.html")}, profile="blank")
    wire.data("session.stop", profile="blank")
    wire.data("session.start", profile="blank")

    looked = look(wire, "page.aria", "blank")

    assert looked["error"]["details"] == {"cause": "nothingOpen"}
    assert wire.data("tabs.list", profile="blank")["tabs"] == []


def look(wire: Wire, op: str, profile: str) -> Message:
    request = {"schemaVersion": 5, "op": op, "runtime": {"profile": profile}}
    response: Message = wire.ask("look", request=request)["response"]
    return response


async def test_events_that_a_worker_lost_are_counted_for_those_who_wanted_them() -> None:
    server = DaemonServer(idle_seconds=0, run_command=no_commands)
    loop = asyncio.get_running_loop()
    lost = {}
    for number, kind in enumerate(("console", "network", "dialog")):
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        _, stream = await loop.create_unix_connection(LineStream, sock=theirs)
        connection = Connection(server, stream, number=number, pid=None)
        server.subscribe(connection, frozenset(), EventFilter(frozenset({kind})))
        server.workers.on_dropped([("console", "w:p:c:h", 5), ("network", "w:p:c:h", 700)])
        await connection.close()
        async with asyncio.timeout(LIMIT):
            line = await loop.sock_recv(ours, 1000)
        lost[kind] = json.loads(line)["count"] if line else None
        ours.close()

    assert lost == {"console": 5, "network": 700, "dialog": None}


async def test_idle_connections_do_not_slow_events_down() -> None:
    server = DaemonServer(idle_seconds=0, run_command=no_commands)

    def seconds() -> float:
        began = time.perf_counter()
        for _ in range(200):
            server.subscribers.publish("session", {"change": "opened"})
        return time.perf_counter() - began

    idle = [Connection(server, LineStream(), number=each, pid=None) for each in range(5000)]
    alone = min(seconds() for _ in range(5))
    server.connections.update(idle)
    beside = min(seconds() for _ in range(5))
    for each in idle:
        each.outbox._task.cancel()

    assert beside < 10 * alone


def test_a_client_that_reads_no_replies_is_cut_off(warm: House, wire: Wire, site: TestSite) -> None:
    wire.data("navigate", {"url": site.url("/form.html")}, profile="deaf")
    with warm.wire(client="deaf") as deaf:
        for _ in range(15):
            deaf.request("page.eval", {"expression": "'x'.repeat(1e7)"}, profile="deaf")
        eventually(lambda: "deaf" not in wire.ask("status")["clients"], "it is cut off")

    assert wire.data("page.title", profile="deaf")["title"]
    assert wire.running() == []
    wire.data("session.stop", profile="deaf")
