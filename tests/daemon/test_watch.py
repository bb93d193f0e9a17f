"""`pw watch` prints the events of sessions."""

from __future__ import annotations

import json
import signal
import subprocess

from pwtui.cli.event_lines import line_of
from pwtui.protocol.events import ConsoleEvent, DroppedEvent
from tests.daemon.house import House
from tests.daemon.wire import Wire
from tests.site import TestSite
from tests.waiting import LIMIT


def started(house: House, *arguments: str) -> subprocess.Popen[bytes]:
    """A `pw watch` that has subscribed."""
    process = house.start("watch", *arguments)
    assert process.stderr is not None
    assert process.stderr.readline().startswith(b"watching")
    return process


def line(process: subprocess.Popen[bytes]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().decode()


def test_it_prints_ndjson_in_a_pipe_until_it_is_interrupted(
    warm: House, wire: Wire, site: TestSite
) -> None:
    wire.data("navigate", {"url": site.url("/form.html")}, profile="watched")
    process = started(warm, "-p", "watched", "--kind", "console,dialog")
    wire.data("page.eval", {"expression": "console.log('a\\u001b[31mb'); 1"}, profile="watched")
    event = json.loads(line(process))
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=LIMIT)
    wire.data("session.stop", profile="watched")

    assert (event["event"], event["text"]) == ("console", "a\x1b[31mb")
    assert process.returncode == 130
    assert err == b""


def test_it_prints_lines_for_people_and_ends_with_the_daemon(house: House, site: TestSite) -> None:
    house.start_daemon()
    process = started(house, "--format", "text", "--kind", "console,network")
    with house.wire() as wire:
        wire.data("navigate", {"url": site.url("/form.html")})
        wire.data("page.eval", {"expression": "console.log('a\\u001b[31mb\\nc'); 1"})
    lines = [line(process)]
    while not lines[-1].startswith("console"):
        lines.append(line(process))
    house.stop_daemon()
    _, err = process.communicate(timeout=LIMIT)

    assert any("request GET http" in each and "/form.html" in each for each in lines)
    assert "log: a\\u001b[31mb c" in lines[-1]
    assert err == b"pw: the daemon has exited\n"
    assert process.returncode == 1


def test_a_wrong_kind_is_wrong_usage(house: House) -> None:
    result = house("watch", "--kind", "consol")

    assert result.code == 2
    assert "did you mean console" in result.err


def test_text_of_a_page_cannot_control_the_terminal() -> None:
    event = ConsoleEvent(
        time=0.0,
        session_key="k",
        workspace="/w",
        profile="demo",
        tab=1,
        type="log",
        text="\x1b[2J\r\nnext",
        page_url="x",
    )

    assert line_of(event).endswith(" demo 1 log: \\u001b[2J next")
    assert line_of(DroppedEvent(count=3)).startswith("dropped 3 events")


def test_exec_adds_the_events_of_its_time_span(warm: House, site: TestSite) -> None:
    warm.thin("exec", "navigate", f"url={site.url('/form.html')}", "-p", "span")
    arguments = (
        "exec",
        "page.eval",
        "expression=console.log('a\x1b[2J')",
        "-p",
        "span",
        "--events",
    )
    response = json.loads(warm.thin(*arguments).out)
    text = warm.thin(*arguments, "--format", "text").out
    warm.thin("exec", "session.stop", "-p", "span")

    assert [(each["event"], each["text"]) for each in response["events"]] == [
        ("console", "a\x1b[2J")
    ]
    assert "\\u001b[2J" in text
    assert "\x1b" not in text
