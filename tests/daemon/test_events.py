"""Subscribers receive the events of sessions that they asked for, once, without secrets."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

import psutil
import pytest
from websockets.sync.server import ServerConnection, serve

from pwtui.protocol.events import DroppedEvent, FloodEvent, ObservedEvent, read_event
from pwtui.protocol.kinds import KINDS
from tests.daemon.house import House, kill
from tests.daemon.wire import Message, Wire
from tests.site import TestSite
from tests.waiting import LIMIT

SECRET = "correct-horse-battery"


@pytest.fixture
def watcher(warm: House) -> Iterator[Wire]:
    """A second connection, which subscribes."""
    with warm.wire(client="watcher") as connection:
        yield connection


@pytest.fixture
def profile(wire: Wire, site: TestSite) -> Iterator[str]:
    """A profile with the form open, in a browser that the tests use one after another."""
    name = "events"
    wire.data("navigate", {"url": site.url("/form.html")}, profile=name)
    yield name
    listed = wire.call("tabs.list", profile=name)
    if not listed["ok"] or [tab["index"] for tab in listed["data"]["tabs"]] != [0]:
        wire.data("session.stop", profile=name)


def watch(watcher: Wire, *kinds: str, **filter: Any) -> Message:
    reply = watcher.ask("subscribe", kinds=list(kinds), **filter)
    assert reply["ok"], reply
    return reply


def synced(watcher: Wire) -> list[Message]:
    """All events that happened until now."""
    assert watcher.ask("sync")["complete"] is True
    events, watcher.kept = watcher.kept, []
    return events


def evaluate(wire: Wire, profile: str, expression: str) -> Any:
    return wire.data("page.eval", {"expression": expression}, profile=profile)["result"]


def test_every_kind_has_a_model() -> None:
    names = [model.model_fields["event"].default for model in ObservedEvent.__args__]

    assert names == [*KINDS, "flood", "unseen"]


def test_uncaught_exceptions_and_console_messages_are_events(
    wire: Wire, watcher: Wire, profile: str, site: TestSite
) -> None:
    watch(watcher, "console", "pageError", profile=profile)
    script = "console.warn('careful', 7); setTimeout(() => { throw new Error('too late') }, 10)"
    evaluate(wire, profile, script)

    message, error = watcher.event("console"), watcher.event("pageError")

    assert (message["type"], message["text"]) == ("warning", "careful 7")
    assert (message["profile"], message["tab"]) == (profile, 0)
    assert message["pageUrl"] == error["pageUrl"] == site.url("/form.html")
    assert error["text"] == "too late"
    assert "too late" in error["stack"]
    assert message["eventSeq"] < error["eventSeq"]
    assert message["time"] <= error["time"]


def test_a_dialog_has_events_when_it_opens_and_closes(
    wire: Wire, watcher: Wire, profile: str
) -> None:
    watch(watcher, "dialog", profile=profile)
    evaluate(wire, profile, "setTimeout(() => prompt('Name?', 'Ada'), 10); 1")

    opened = watcher.event("dialog")
    wire.data("dialog.accept", profile=profile)
    closed = watcher.event("dialog")

    assert opened["change"] == "opened"
    assert opened["dialog"] == {"type": "prompt", "message": "Name?", "defaultValue": "Ada"}
    assert closed["change"] == "closed"
    assert "dialog" not in closed


def test_a_failed_fetch_is_an_event_with_its_cause(
    wire: Wire, watcher: Wire, profile: str, site: TestSite
) -> None:
    watch(watcher, "network", profile=profile)
    evaluate(wire, profile, "fetch('/reset').catch(() => 1)")

    failed = watcher.event("network", lambda each: each["change"] == "failed")
    (sent,) = synced(watcher)

    assert (sent["change"], failed["change"]) == ("request", "failed")
    assert sent["url"] == failed["url"] == site.url("/reset")
    assert (sent["method"], sent["resourceType"]) == ("GET", "fetch")
    assert sent["frameUrl"] == site.url("/form.html")
    assert sent["request"] == failed["request"]
    assert failed["failure"].startswith("net::ERR_")


def test_a_response_has_status_sizes_and_timing(
    wire: Wire, watcher: Wire, profile: str, site: TestSite
) -> None:
    watch(watcher, "network", profile=profile)
    post = "fetch('/status/404', {method: 'POST', body: '12345'}).then(r => r.text())"
    evaluate(wire, profile, post)
    watcher.kept.append(watcher.event("network", lambda each: each["change"] == "finished"))

    sent, answered, finished = synced(watcher)

    assert [each["change"] for each in (sent, answered, finished)] == [
        "request",
        "response",
        "finished",
    ]
    assert "status" not in sent
    assert (answered["status"], finished["status"]) == (404, 404)
    assert finished["sizes"]["requestBody"] == 5
    assert finished["sizes"]["responseBody"] > 20
    assert finished["timing"]["responseEnd"] == finished["durationMs"] > 0
    assert "fromCache" not in finished


class CachedPage(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = b"<!doctype html><title>Cached</title>" + b"x" * 1000
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=600")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


def test_a_response_from_the_cache_is_marked(wire: Wire, watcher: Wire, profile: str) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), CachedPage) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}/"
        wire.data("navigate", {"url": url}, profile=profile)
        watch(watcher, "network", profile=profile)
        is_end = lambda each: each["change"] == "finished"  # noqa: E731
        finished = []
        for _ in range(2):
            evaluate(wire, profile, "fetch('/again').then(r => r.text()).then(() => 1)")
            finished.append(watcher.event("network", is_end))
        server.shutdown()
        thread.join(10)

    assert [each.get("fromCache") for each in finished] == [None, True]
    assert finished[0]["sizes"]["responseBody"] > 1000
    assert finished[1]["sizes"]["responseBody"] == 0


def test_a_redirect_names_the_redirected_request(
    wire: Wire, watcher: Wire, profile: str, site: TestSite
) -> None:
    watch(watcher, "network", profile=profile)
    evaluate(wire, profile, "fetch('/redirect').then(r => r.text()).then(() => 1)")

    first, second = [each for each in synced(watcher) if each["change"] == "request"]

    assert first["url"] == site.url("/redirect")
    assert (second["url"], second["redirectedFrom"]) == (site.url("/form.html"), first["request"])


def test_a_download_starts_and_finishes(
    wire: Wire, watcher: Wire, profile: str, site: TestSite
) -> None:
    watch(watcher, "download", profile=profile)
    evaluate(wire, profile, "location.href = '/download/report.csv'; 1")

    started = watcher.event("download")
    ended = watcher.event("download", lambda each: each["change"] != "progress")

    assert (started["change"], ended["change"]) == ("started", "finished")
    assert started["url"] == ended["url"] == site.url("/download/report.csv")
    assert started["suggestedFilename"] == "report.csv"
    assert started["download"] == ended["download"]


class SlowFile(BaseHTTPRequestHandler):
    """Sends the second half when it is let."""

    half = b"x" * 300_000
    may_end: Event

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Disposition", "attachment; filename=large.bin")
        self.send_header("Content-Length", str(2 * len(self.half)))
        self.end_headers()
        self.wfile.write(self.half)
        self.wfile.flush()
        self.may_end.wait(LIMIT)
        self.wfile.write(self.half)

    def log_message(self, format: str, *args: object) -> None:
        pass


def test_a_slow_download_reports_its_progress(wire: Wire, watcher: Wire, profile: str) -> None:
    SlowFile.may_end = Event()
    with ThreadingHTTPServer(("127.0.0.1", 0), SlowFile) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        watch(watcher, "download", profile=profile)
        evaluate(wire, profile, f"location.href = 'http://127.0.0.1:{server.server_port}/'; 1")
        half = watcher.event("download", lambda each: each.get("receivedBytes", 0) > 0)
        SlowFile.may_end.set()
        ended = watcher.event("download", lambda each: each["change"] == "finished")
        server.shutdown()
        thread.join(10)

    assert (half["change"], half["totalBytes"]) == ("progress", 600_000)
    assert half["receivedBytes"] <= 300_000
    assert (ended["receivedBytes"], ended["totalBytes"]) == (600_000, 600_000)
    assert half["download"] == ended["download"]


def test_titles_that_scripts_set(wire: Wire, watcher: Wire, profile: str, site: TestSite) -> None:
    watch(watcher, "tab", profile=profile)
    scripts = (
        "document.title = 'First'",
        "document.querySelector('title').firstChild.data = 'Second'",
        "document.querySelector('title').replaceWith(document.createElement('title')); "
        "document.title = 'Third'",
    )
    titles = []
    for script in scripts:
        evaluate(wire, profile, f"setTimeout(() => {{ {script} }}, 20); 1")
        titles.append(watcher.event("tab", lambda each: each["change"] == "title"))

    assert [each["title"] for each in titles] == ["First", "Second", "Third"]
    assert {each["url"] for each in titles} == {site.url("/form.html")}


def test_a_title_that_a_script_sets_soon_after_the_subscription(
    wire: Wire, watcher: Wire, profile: str
) -> None:
    for title in ("1", "2", "3", "4"):
        watch(watcher, profile=profile)
        watch(watcher, "tab", profile=profile)
        evaluate(wire, profile, f"setTimeout(() => {{ document.title = {title} }}); 1")

        assert watcher.event("tab", lambda each: each["change"] == "title")["title"] == title


def test_a_title_that_changes_all_the_time_is_published_at_a_limited_rate(
    wire: Wire, watcher: Wire, profile: str
) -> None:
    watch(watcher, "tab", profile=profile)
    script = "let n = 0; const timer = setInterval(() => {"
    script += " document.title = ++n; if (n == 500) clearInterval(timer) }, 1); 1"
    evaluate(wire, profile, script)
    watcher.event("tab", lambda each: each.get("title") == "500")

    assert len(synced(watcher)) < 250


def test_a_crash_of_a_page(wire: Wire, watcher: Wire, profile: str, site: TestSite) -> None:
    kinds = ("tab", "navigation", "snapshot", "console", "download")
    watch(watcher, *kinds, profile=profile)
    assert wire.call("navigate", {"url": "chrome://crash"}, profile=profile)["ok"] is False
    crashed = watcher.event("tab", lambda each: each["change"] == "crashed")
    wire.data("navigate", {"url": site.url("/article.html")}, profile=profile)
    again = watcher.event("snapshot", lambda each: each["url"] == site.url("/article.html"))
    evaluate(wire, profile, "setTimeout(() => { document.title = 'Alive' }, 10); 1")
    alive = watcher.event("tab", lambda each: each.get("title") == "Alive")

    assert crashed["tab"] == 0
    assert again["tab"] == alive["tab"]


def test_requests_of_a_service_worker(
    wire: Wire, watcher: Wire, profile: str, site: TestSite
) -> None:
    watch(watcher, "network", profile=profile)
    register = """navigator.serviceWorker.register('/fetching-sw.js')
        .then(() => navigator.serviceWorker.ready).then(() => 1)"""
    evaluate(wire, profile, register)
    wire.data("navigate", {"url": site.url("/form.html")}, profile=profile)
    assert evaluate(wire, profile, "fetch('/through-worker').then(r => r.text())") == "from worker"
    answered = watcher.event(
        "network", lambda each: each["url"].endswith("/through-worker") and "status" in each
    )
    own = watcher.event("network", lambda each: each["url"].endswith("/echo?by=worker"))

    assert answered["fromServiceWorker"] is True
    assert own["serviceWorker"] == site.url("/fetching-sw.js")
    assert ("GET", "/echo?by=worker") in site.requests


def test_an_attached_browser_is_observed_like_a_launched_one(
    wire: Wire, watcher: Wire, site: TestSite
) -> None:
    owner = wire.data("session.start", {"cdp": True, "port": 0}, profile="owner")
    attached = {"overrides": {"cdpEndpoint": owner["cdpEndpoint"]}, "profile": "attached"}
    wire.data("navigate", {"url": site.url("/form.html")}, **attached)
    kinds = ("console", "pageError", "network", "tab", "snapshot", "frame", "browser")
    reply = watch(watcher, *kinds, profile="attached")
    script = """setTimeout(() => {
        console.log('seen'); document.title = 'Changed'; document.body.append('by itself');
        fetch('/echo'); throw new Error('late');
    }, 20); 1"""
    wire.data("page.eval", {"expression": script}, **attached)
    watcher.event("console", lambda each: each["text"] == "seen")
    watcher.event("pageError", lambda each: each["text"] == "late")
    watcher.event("network", lambda each: each["url"] == site.url("/echo"))
    watcher.event("tab", lambda each: each.get("title") == "Changed")
    watcher.event("snapshot", lambda each: "by itself" in each["text"])
    watcher.event("frame")
    wire.data("session.stop", profile="owner")
    ended = watcher.event("browser")

    assert [each["attached"] for each in reply["sessions"]] == [True]
    assert ended["how"] == "exited"


def test_a_flood_of_errors_is_counted_exactly(wire: Wire, watcher: Wire, profile: str) -> None:
    watch(watcher, "pageError", profile=profile)
    count = 6000
    script = f"for (let i = 0; i < {count}; i++) reportError(new Error('e')); 1"
    evaluate(wire, profile, script)
    flood = watcher.event("flood")
    forwarded = sum(each["event"] == "pageError" for each in synced(watcher))

    assert flood["isExact"] is True
    assert forwarded < count
    assert flood["dropped"] + forwarded == count


def test_a_popup_is_a_tab_with_its_first_request_and_title(
    wire: Wire, watcher: Wire, profile: str, site: TestSite
) -> None:
    watch(watcher, "tab", "network", profile=profile)
    evaluate(wire, profile, "window.open('/article.html'); 1")

    opened = watcher.event("tab", lambda each: each["change"] == "opened")
    titled = watcher.event("tab", lambda each: each["change"] == "title")
    asked = watcher.event("network", lambda each: each["resourceType"] == "document")
    wire.data("tabs.close", {"target": opened["tab"]}, profile=profile)
    closed = watcher.event("tab", lambda each: each["change"] == "closed")

    assert opened["tab"] == titled["tab"] == closed["tab"] == 1
    assert titled["title"]
    assert asked["url"] == titled["url"] == site.url("/article.html")


def test_a_navigation_of_a_frame_is_an_event(
    wire: Wire, watcher: Wire, profile: str, site: TestSite
) -> None:
    watch(watcher, "navigation", profile=profile)
    wire.data("navigate", {"url": site.url("/frames.html")}, profile=profile)

    main = watcher.event("navigation", lambda each: each["frame"] == "main")
    child = watcher.event("navigation", lambda each: "inner" in each["url"])

    assert main["url"] == site.url("/frames.html")
    assert child["frame"] == "child"


def test_a_file_chooser_is_an_event(wire: Wire, watcher: Wire, profile: str) -> None:
    watch(watcher, "fileChooser", profile=profile)
    script = "document.body.innerHTML = '<input id=many type=file multiple>'; 1"
    evaluate(wire, profile, script)
    wire.call("click", {"selector": "#many"}, profile=profile)

    assert watcher.event("fileChooser")["multiple"] is True


def test_a_websocket_counts_its_frames(wire: Wire, watcher: Wire, profile: str) -> None:
    def echo(connection: ServerConnection) -> None:
        for message in connection:
            connection.send(message)

    with serve(echo, "127.0.0.1", 0) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        url = f"ws://127.0.0.1:{server.socket.getsockname()[1]}/chat?token={SECRET}"
        watch(watcher, "websocket", profile=profile)
        script = f"""new Promise(done => {{
            const socket = new WebSocket({json.dumps(url)});
            let heard = 0;
            socket.onopen = () => {{ for (let i = 0; i < 5; i++) socket.send('four') }};
            socket.onmessage = () => {{ if (++heard == 5) socket.close() }};
            socket.onclose = () => done(heard);
        }})"""
        assert evaluate(wire, profile, script) == 5
        opened = watcher.event("websocket", lambda each: each["change"] == "opened")
        closed = watcher.event("websocket", lambda each: each["change"] == "closed")
        server.shutdown()
        thread.join(10)

    assert opened["socket"] == closed["socket"]
    assert (opened["framesSent"], opened["framesReceived"]) == (0, 0)
    assert (closed["framesSent"], closed["framesReceived"]) == (5, 5)
    assert (closed["bytesSent"], closed["bytesReceived"]) == (20, 20)
    assert "/chat?token=" in opened["url"]
    assert SECRET not in json.dumps([opened, closed])


def test_a_flood_of_console_messages_is_cut_and_reported(
    wire: Wire, watcher: Wire, profile: str
) -> None:
    watch(watcher, "console", profile=profile)
    count = 1500
    evaluate(wire, profile, f"for (let i = 0; i < {count}; i++) console.log('x'.repeat(20000)); 1")
    flood = watcher.event("flood")
    forwarded = sum(each["event"] == "console" for each in watcher.kept)

    assert flood["kind"] == "console"
    assert flood["pauses"] == 1
    assert 0 <= flood["dropped"] <= count - forwarded
    assert 100 < forwarded < count
    assert isinstance(read_event(flood), FloodEvent)


def test_the_end_of_a_browser_is_an_event_with_its_cause(
    warm: House, wire: Wire, watcher: Wire
) -> None:
    watch(watcher, "browser")
    wire.data("session.start", profile="stopped")
    wire.data("session.stop", profile="stopped")
    wire.data("session.start", profile="killed")
    kill(psutil.Process(wire.data("session.status", profile="killed")["session"]["pid"]))
    stopped, killed = watcher.event("browser"), watcher.event("browser")
    wire.data("session.start", profile="worker")
    kill(warm.session_processes("worker").worker)
    lost = watcher.event("browser")

    assert (stopped["profile"], stopped["how"]) == ("stopped", "closed")
    assert (killed["profile"], killed["how"]) == ("killed", "exited")
    assert (lost["profile"], lost["how"]) == ("worker", "workerLost")


def test_each_new_subscriber_gets_the_snapshot_of_now(
    warm: House, wire: Wire, watcher: Wire, profile: str, site: TestSite
) -> None:
    watch(watcher, "snapshot", profile=profile)
    first = watcher.event("snapshot")
    with warm.wire() as later:
        watch(later, "snapshot", profile=profile)
        second = later.event("snapshot")
    evaluate(wire, profile, "setTimeout(() => document.body.append('by itself'), 20); 1")
    changed = watcher.event("snapshot", lambda each: "by itself" in each["text"])

    assert first["text"] == second["text"]
    assert changed["url"] == site.url("/form.html")
    assert first["eventSeq"] < second["eventSeq"] < changed["eventSeq"]


def test_a_viewer_that_acknowledges_gets_frames_beside_one_that_does_not(
    warm: House, wire: Wire, watcher: Wire, profile: str
) -> None:
    watch(watcher, "frame", profile=profile, frames={"maxWidth": 200})
    watcher.event("frame")
    with warm.wire() as viewer:
        watch(viewer, "frame", profile=profile, frames={"maxWidth": 300, "quality": 20})
        frames = [viewer.event("frame")]
        for number in range(4):
            viewer.ask("ack", session=frames[-1]["sessionKey"])
            script = f"document.body.style.background = '#{number}{number}8'; 1"
            evaluate(wire, profile, script)
            frames.append(viewer.event("frame"))
    kept = [each for each in synced(watcher) if each["event"] == "frame"]
    watcher.ask("ack", session=frames[-1]["sessionKey"])
    newest = watcher.event("frame")

    assert [each["frame"] for each in frames] == sorted({each["frame"] for each in frames})
    assert kept == []
    assert newest["frame"] >= frames[-1]["frame"]


def test_a_subscriber_gets_only_the_kinds_and_the_profile_of_its_filter(
    wire: Wire, watcher: Wire, profile: str, site: TestSite
) -> None:
    other = f"{profile}-2"
    wire.data("navigate", {"url": site.url("/form.html")}, profile=other)
    script = "console.log('here'); fetch('/echo').then(() => 1)"

    watch(watcher, "console", profile=profile)
    for each in (profile, other):
        evaluate(wire, each, script)
    of_profile = synced(watcher)
    key = wire.data("session.status", profile=other)["session"]["sessionKey"]
    watch(watcher, "console", session=key)
    for each in (profile, other):
        evaluate(wire, each, script)
    of_session = synced(watcher)
    wire.data("session.stop", profile=other)

    assert [(each["event"], each["profile"]) for each in of_profile] == [("console", profile)]
    assert [(each["event"], each["profile"]) for each in of_session] == [("console", other)]


def test_the_first_session_of_a_profile_is_observed_from_its_start(
    wire: Wire, watcher: Wire, site: TestSite
) -> None:
    watch(watcher, "tab", "network", profile="early")
    wire.data("navigate", {"url": site.url("/form.html")}, profile="early")
    events = synced(watcher)
    wire.data("session.stop", profile="early")

    assert events[0]["change"] == "opened"
    assert site.url("/form.html") in [each["url"] for each in events if each["event"] == "network"]


def test_secrets_are_in_no_event(wire: Wire, watcher: Wire, profile: str) -> None:
    watch(watcher, "console", "network", "navigation", "pageError", profile=profile)
    scripts = (
        f"fetch('/echo?access_token={SECRET}').then(() => 1)",
        f"console.log(JSON.stringify({{password: '{SECRET}'}})); 1",
        f"setTimeout(() => {{ throw new Error('Authorization: Bearer {SECRET}') }}); 1",
        f"history.pushState(0, '', '?token={SECRET}'); 1",
    )
    for script in scripts:
        evaluate(wire, profile, script)
    watcher.event("pageError")
    events = synced(watcher)

    assert {each["event"] for each in events} == {"console", "network", "navigation"}
    assert SECRET not in json.dumps(events)


def test_a_long_text_is_cut(wire: Wire, watcher: Wire, profile: str) -> None:
    watch(watcher, "console", profile=profile)
    evaluate(wire, profile, "console.log('x'.repeat(100000)); 1")

    text = watcher.event("console")["text"]

    assert text.startswith("x" * 10_000)
    assert len(text) < 10_100
    assert text.endswith("more characters)")


def test_a_subscription_begins_with_the_sessions_and_their_tabs(
    wire: Wire, watcher: Wire, profile: str, site: TestSite
) -> None:
    evaluate(wire, profile, "setTimeout(() => alert('wait'), 0); 1")
    reply = watch(watcher, "dialog", profile=profile)

    (session,) = reply["sessions"]
    (tab,) = session["tabs"]
    assert (session["profile"], session["browser"]) == (profile, "chromium")
    assert (tab["index"], tab["url"], tab["active"]) == (0, site.url("/form.html"), True)
    assert reply["fresh"] is True
    wire.data("dialog.accept", profile=profile)


def test_a_client_that_connects_again_learns_whether_it_missed_something(
    warm: House, wire: Wire, profile: str
) -> None:
    def again(last: Message) -> Message:
        after = {"startedAt": last["startedAt"], "eventSeq": last["eventSeq"]}
        with warm.wire() as watcher:
            return watch(watcher, "console", after=after, profile=profile)

    with warm.wire() as watcher:
        first = watch(watcher, "console", profile=profile)
        same = again(first)
        evaluate(wire, profile, "console.log('missed'); 1")
        watcher.event("console")
        later = again(first)
        current = again(later)
        other_daemon = again({**current, "startedAt": 1.0})
    unobserved = again(current)

    assert first["fresh"] is True
    assert (same["fresh"], later["fresh"], current["fresh"]) == (False, True, False)
    assert other_daemon["fresh"] is True
    assert unobserved["fresh"] is True  # nothing was published, but nothing was observed either


def test_a_subscriber_that_does_not_read_loses_events_and_delays_no_client(
    wire: Wire, watcher: Wire, profile: str
) -> None:
    watch(watcher, "network", profile=profile)
    count, query = 600, "x" * 9000
    script = f"""(async () => {{
        for (let i = 0; i < {count}; i += 20)
            await Promise.all([...Array(20)].map(() => fetch('/status/204?{query}')));
        return 1;
    }})()"""
    evaluate(wire, profile, script)
    for _ in range(10):
        assert evaluate(wire, profile, "1 + 1") == 2

    heard = lost = 0
    for event in synced(watcher):
        heard += event["event"] == "network"
        lost += event.get("count", 0)

    assert lost > 0
    assert 2 * count <= heard + lost <= 3 * count
    assert isinstance(read_event({"event": "dropped", "count": lost}), DroppedEvent)


def test_a_wrong_filter_is_refused(wire: Wire) -> None:
    unknown = wire.ask("subscribe", kinds=["nonsense"])
    session = wire.ask("subscribe", kinds=["console"], session="nonsense")

    assert unknown["error"]["code"] == session["error"]["code"] == "INVALID_INPUT"
    assert "'console'" in unknown["error"]["message"]
    assert "no session 'nonsense'" in session["error"]["message"]


def test_the_old_form_receives_no_events_of_sessions(
    wire: Wire, watcher: Wire, profile: str
) -> None:
    reply = watcher.ask("subscribe")
    evaluate(wire, profile, "console.log('quiet'); 1")
    events = synced(watcher)

    assert reply["events"] == ["client", "page", "request", "response", "session"]
    assert {each["event"] for each in events} <= set(reply["events"])
    numbers = [each["eventSeq"] for each in events]
    assert numbers == sorted(set(numbers))


def requests_of_all_kinds(count: int) -> str:
    """A script of requests from the page, a frame and a worker, each with another URL."""
    return f"""(async () => {{
        const origin = location.origin;
        const many = `async (who, origin) => {{
            for (let i = 0; i < {count}; i += 10)
                await Promise.all([...Array(10).keys()].map(
                    k => fetch(origin + '/echo?' + who + (i + k)).then(r => r.text())));
        }}`;
        const frame = document.createElement('iframe');
        frame.srcdoc = '<p>frame</p>';
        await new Promise(done => {{ frame.onload = done; document.body.append(frame) }});
        const code = `(${{many}})('worker', '${{origin}}').then(() => postMessage(1))`;
        const worker = new Worker(URL.createObjectURL(new Blob([code])));
        const finished = new Promise(done => worker.onmessage = done);
        await Promise.all([
            eval(many)('page', origin), frame.contentWindow.eval(many)('frame', origin), finished]);
        return 1;
    }})()"""


@pytest.mark.parametrize(
    "count", [100, pytest.param(3340, marks=[pytest.mark.thorough, pytest.mark.timeout(400)])]
)
def test_network_events_are_those_of_the_access_log(
    count: int, wire: Wire, watcher: Wire, profile: str, site: TestSite
) -> None:
    watch(watcher, "network", profile=profile)
    site.requests.clear()
    wire.socket.settimeout(300)
    script = requests_of_all_kinds(count)
    input = {"expression": script}
    answer = wire.request("page.eval", input, profile=profile, overrides={"timeoutMs": 300_000})
    events: list[Message] = []
    unfinished = 3 * count
    while unfinished:
        event = watcher.read()
        assert event is not None
        assert event["event"] == "network", event
        if "/echo?" in event["url"]:
            events.append(event)
            unfinished -= event["change"] == "finished"
    assert wire.answer(answer)["ok"]
    events += [each for each in synced(watcher) if "/echo?" in each.get("url", "")]

    logged = Counter(site.url(path) for _, path in site.requests if "/echo?" in path)
    assert len(logged) == 3 * count
    for change in ("request", "response", "finished"):
        assert Counter(each["url"] for each in events if each["change"] == change) == logged
    numbers = [each["request"] for each in events if each["change"] == "request"]
    assert len(set(numbers)) == len(numbers)
