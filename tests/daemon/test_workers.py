"""One worker per profile: a fault in one does not affect another."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import resource
import signal
import socket
import stat
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import psutil
import pytest

from pwtui.daemon.launcher import Launcher
from pwtui.daemon.profile_order import ProfileOrder
from pwtui.daemon.worker_link import WorkerLink, WorkerLost
from pwtui.daemon.workers import Workers
from pwtui.protocol.models import SessionData
from pwtui.runtime.caller import Caller
from pwtui.state.paths import daemon_log_file
from pwtui.state.workspace import Workspace
from tests.app.terminal import PANEL
from tests.daemon.house import (
    LONG,
    House,
    SessionProcesses,
    eventually,
    has_ended,
    is_running,
    kill,
)
from tests.daemon.wire import Message, Wire
from tests.site import TestSite
from tests.waiting import LIMIT, until


def open_form(wire: Wire, site: TestSite, profile: str) -> Message:
    return wire.call("navigate", {"url": site.url("/form.html")}, profile=profile)


def _is_deleted(path: Path) -> bool:
    return not path.exists()


def _has_no_session(wire: Wire, profile: str) -> bool:
    listed = wire.data("session.list", {"others": False})["sessions"]
    return profile not in [each["profile"] for each in listed]


def messages(response: Message) -> list[str]:
    return [note["message"] for note in response.get("diagnostics", ())]


async def test_the_beginning_of_a_reply_of_a_killed_worker_is_no_reply(tmp_path: Path) -> None:
    ours, its = socket.socketpair()
    link = WorkerLink()
    await link.attach(ours)
    link.release()
    caller = Caller(Workspace(tmp_path), cwd=tmp_path, mode="exec")
    running = asyncio.create_task(link.run(b"{}", caller, wants=None))
    await asyncio.to_thread(its.recv, 1 << 16)

    its.sendall(b'R1 {"ok": tr')
    its.close()

    with pytest.raises(WorkerLost):
        await asyncio.wait_for(running, LIMIT)


@contextmanager
def many_descriptors(count: int) -> Iterator[None]:
    """The next descriptors have larger numbers than this."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count + 100
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), max(hard, wanted)))
    held = [os.dup(0) for _ in range(count)]
    try:
        yield
    finally:
        for each in held:
            os.close(each)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_worker_starts_while_the_daemon_has_more_connections_than_select_takes() -> None:
    daemon_log_file().parent.mkdir(parents=True)
    with many_descriptors(1100):
        launcher = Launcher()
        with launcher.start() as worker:
            worker.settimeout(LIMIT)
            first = worker.makefile().readline()
        launcher.close()

    assert json.loads(first or "{}").get("is") == "started"


async def test_a_request_that_comes_as_a_worker_exits_reports_the_loss() -> None:
    theirs: list[socket.socket] = []

    class InTest(Launcher):
        def start(self) -> socket.socket:
            ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
            its.settimeout(LIMIT)
            theirs.append(its)
            return ours

    workers = Workers(lambda kind, event: None, launcher=InTest())
    try:
        worker = workers.get("w:p")
        await until(lambda: worker.is_attached, "the first worker")
        worker.sessions = [SessionData(origin="pwtui", title="p", workspace="/w", profile="p")]
        worker.end()
        workers.get("w:p")  # in the same turn of the loop
        await until(lambda: len(theirs) == 2, "the second worker")
        adopted = json.loads(await asyncio.to_thread(theirs[1].makefile().readline))
    finally:
        for each in theirs:
            each.close()
        await workers.close()

    assert "was lost" in adopted["lost"]


def test_the_daemon_does_not_load_playwright(house: House, site: TestSite) -> None:
    report = house.folder / "modules"
    first = (
        "import signal, sys, pathlib\n"
        f"report = pathlib.Path({str(report)!r})\n"
        "new = report.with_suffix('.new')\n"
        "def write(*_): new.write_text('\\n'.join(sys.modules)); new.rename(report)\n"
        "signal.signal(signal.SIGUSR1, write)"
    )
    daemon = house.start_daemon(first=first)
    with house.wire() as wire:
        assert open_form(wire, site, "default")["ok"]
        for op, input in {
            "profile.list": {},
            "protect.list": {},
            "har.show": {},
            "har.clear": {},
            "session.list": {},
            "session.status": {},
            "ops.describe": {"op": "click"},
            "session.stop": {},
        }.items():
            assert wire.call(op, input)["ok"], op
        assert wire.call("no.such.operation")["error"]["code"] == "INVALID_INPUT"
    daemon.send_signal(signal.SIGUSR1)
    eventually(report.exists, "the modules are written")
    modules = report.read_text().split()

    assert "pwtui.daemon.server" in modules
    assert [name for name in modules if name.partition(".")[0] == "playwright"] == []


def test_a_worker_that_is_killed_during_a_request_is_reported_and_replaced(
    warm: House, wire: Wire, site: TestSite
) -> None:
    open_form(wire, site, "kept")
    wire.data("page.eval", {"expression": "window.kept = 7"}, profile="kept")
    open_form(wire, site, "lost")
    worker = warm.session_processes("lost").worker
    family = worker.children(recursive=True)
    site.requests.clear()
    name = wire.request("navigate", {"url": site.url("/hang")}, profile="lost")
    eventually(lambda: ("GET", "/hang") in site.requests, "the page loads")
    kill(worker)

    answer = wire.answer(name)
    kept = wire.data("page.eval", {"expression": "window.kept"}, profile="kept")
    after = open_form(wire, site, "lost")
    again = open_form(wire, site, "lost")
    for profile in ("kept", "lost"):
        wire.data("session.stop", profile=profile)

    assert answer["error"]["code"] == "SESSION_ERROR", answer
    assert answer["error"]["details"]["cause"] == "workerGone"
    assert "the next request" in answer["error"]["hint"]
    assert kept["result"] == 7
    assert after["ok"], after
    (report,) = messages(after)
    assert "page state was lost" in report
    assert messages(again) == []
    assert [each for each in family if is_running(each)] == []


def test_what_a_killed_worker_left_is_removed_without_a_further_request(
    house: House, site: TestSite
) -> None:
    house.start_daemon()
    registry = house.folder / "cache" / "ms-playwright" / "b"
    with house.wire() as wire:
        open_form(wire, site, "default")
        worker = house.session_processes("default").worker
        family = worker.children(recursive=True)
        before = len(list(registry.iterdir()))
        kill(worker)
        for each in family:
            assert has_ended(each)
        eventually(lambda: not list(registry.iterdir()), "the registry is empty")
        folder = next((house.folder / "cache" / "pwtui").iterdir()) / str(worker.pid)
        eventually(lambda: not folder.exists(), "its temporary folder is deleted")
        descriptor = house.sessions_folder() / "session.json"
        eventually(lambda: not descriptor.exists(), "its descriptor is deleted")

        assert before == 1
        assert wire.data("session.list", {"others": False})["sessions"] == []


def test_files_of_killed_processes_are_removed_from_a_home_with_a_long_path_too(
    house: House, site: TestSite
) -> None:
    """The sockets of the driver would not fit below the cache folder."""
    cache = house.folder / ("long" * 20)
    house.more_environment["XDG_CACHE_HOME"] = str(cache)
    house.start_daemon()
    with house.wire() as wire:
        open_form(wire, site, "default")
        processes = house.session_processes("default")
        folder = Path(processes.driver.environ()["TMPDIR"])
        mode = stat.S_IMODE(folder.parent.stat().st_mode)
        were_there = list(folder.glob("playwright*"))
        kill(processes.worker)
        eventually(lambda: not folder.exists(), "its temporary folder is deleted")
    house.stop_daemon()

    assert were_there
    assert mode == 0o700
    assert not folder.parent.exists()


@pytest.mark.thorough  # at a high load the folder sometimes stays until the daemon exits
def test_what_a_killed_spare_worker_left_is_removed(house: House, site: TestSite) -> None:
    house.more_environment["PWTUI_SPARE_WORKER"] = "1"
    house.start_daemon()
    temporary = house.folder / "cache" / "pwtui"

    def spares() -> list[int]:
        used = house.session_processes("default").worker.pid
        folders = (int(each.name) for each in next(temporary.iterdir()).iterdir())
        return [each for each in folders if each != used]

    with house.wire() as wire:
        open_form(wire, site, "default")
        eventually(lambda: len(spares()) == 1, "there is a spare worker")
        (spare,) = map(psutil.Process, spares())
        eventually(spare.children, "its driver has started")
        kill(spare)
        eventually(lambda: spare.pid not in spares(), "its temporary folder is deleted")
        wire.data("session.stop")
    house.stop_daemon()


def test_a_worker_that_is_stopped_is_replaced(warm: House, wire: Wire, site: TestSite) -> None:
    open_form(wire, site, "kept")
    open_form(wire, site, "stuck")
    worker = warm.session_processes("stuck").worker
    worker.suspend()

    name = wire.request("page.title", profile="stuck")
    listed = wire.data("session.list", {"others": False})["sessions"]
    kept = wire.call("page.title", profile="kept")
    answer = wire.answer(name)
    after = open_form(wire, site, "stuck")
    for profile in ("kept", "stuck"):
        wire.data("session.stop", profile=profile)

    assert {each["profile"] for each in listed} >= {"kept", "stuck"}
    assert kept["ok"]
    assert answer["error"]["code"] == "SESSION_ERROR", answer
    assert answer["error"]["details"]["cause"] == "workerHung"
    assert after["ok"], after
    assert "was stopped and was killed" in messages(after)[0]
    assert has_ended(worker)


SPINS = """
import signal
def spin(*_):
    while True:
        pass
signal.signal(signal.SIGUSR1, spin)
"""


@pytest.mark.thorough
def test_a_worker_whose_python_never_returns_is_replaced(house: House, site: TestSite) -> None:
    folder = house.new_workspace("site")
    (folder / "sitecustomize.py").write_text(SPINS)
    house.more_environment["PYTHONPATH"] = str(folder)
    daemon = house.start_daemon(first="pass")
    with house.wire() as wire:
        open_form(wire, site, "kept")
        open_form(wire, site, "stuck")
        endless = {"expression": "new Promise(() => {})"}
        name = wire.request("page.eval", endless, profile="stuck", overrides={"timeoutMs": 0})
        wire.wait_until_running(1)
        house.session_processes("stuck").worker.send_signal(signal.SIGUSR1)
        kept = wire.call("page.title", profile="kept")
        answer = wire.answer(name)
        after = open_form(wire, site, "stuck")
        idle = house.session_processes("stuck").worker
        idle.send_signal(signal.SIGUSR1)

        assert has_ended(idle)
        eventually(lambda: open_form(wire, site, "stuck")["ok"], "a session in another worker")
        house.session_processes("stuck").worker.send_signal(signal.SIGUSR1)
        stopped = wire.call("session.stop", profile="stuck")
        house.session_processes("kept").worker.send_signal(signal.SIGUSR1)
        kill(daemon)
    assert house.nothing_is_left()
    house.start_daemon(first="pass")
    with house.wire() as wire:
        open_form(wire, site, "stuck")
        house.session_processes("stuck").worker.send_signal(signal.SIGUSR1)
    ended = house("daemon", "stop")

    assert kept["ok"]
    assert stopped["data"] == {"stopped": True}
    assert ended.json["data"]["stopped"] is True
    assert answer["error"]["details"]["cause"] == "workerHung", answer
    assert "did not respond and was killed" in messages(after)[0]
    assert house.nothing_is_left()


def test_a_worker_that_uses_too_much_memory_is_replaced(house: House, site: TestSite) -> None:
    house.more_environment["PWTUI_WORKER_MEMORY"] = "250"
    house.start_daemon()
    with house.wire() as wire:
        open_form(wire, site, "default")
        worker = house.session_processes().worker

        # The worker is killed during a call, or between two; the new one must have no large result.
        def message_of_the_new_one() -> str:
            if found := messages(wire.call("page.title")):
                return found[0]
            wire.call("page.eval", {"expression": "'x'.repeat(30_000_000)"})
            return ""

        message = eventually(message_of_the_new_one, "the worker is replaced")
        after = open_form(wire, site, "default")

    assert "MiB of memory and was killed" in message
    assert after["ok"], after
    assert has_ended(worker)


def test_a_result_that_is_too_large_is_refused(wire: Wire, site: TestSite) -> None:
    open_form(wire, site, "large")
    # It is twice as long in JSON, which is known only in the worker.
    quotes = "'\"'.repeat(20_000_000)"
    refused = wire.call("page.eval", {"expression": quotes}, profile="large")
    after = wire.call("page.title", profile="large")
    wire.data("session.stop", profile="large")

    assert refused["error"]["code"] == "RESULT_TOO_LARGE", refused
    assert refused["error"]["details"]["bytes"] > 40_000_000
    assert "file" in refused["error"]["hint"]
    assert after["ok"]


def test_a_worker_exits_after_its_session(warm: House, wire: Wire, site: TestSite) -> None:
    open_form(wire, site, "short")
    worker = warm.session_processes("short").worker
    wire.data("session.stop", profile="short")

    assert has_ended(worker)
    assert open_form(wire, site, "short")["diagnostics"] == []
    wire.data("session.stop", profile="short")


def test_the_worker_of_a_closed_session_is_used_again(
    warm: House, wire: Wire, site: TestSite
) -> None:
    def first_then_second() -> tuple[SessionProcesses, SessionProcesses, Message] | None:
        """None if the machine was so slow that the worker had exited."""
        open_form(wire, site, "first")
        closed = warm.session_processes("first")
        wire.data("session.stop", profile="first")
        answer = open_form(wire, site, "second")
        reused = warm.session_processes("second")
        # It may also be that of a session of an earlier test.
        if reused.driver.create_time() <= closed.driver.create_time():
            return closed, reused, answer
        wire.data("session.stop", profile="second")
        return None

    found = eventually(first_then_second, "a session in the worker of another one")
    assert found is not None
    closed, reused, answer = found
    open_form(wire, site, "first")

    assert not [each for each in messages(answer) if "lost" in each]
    assert answer["contextDelta"]["url"] == site.url("/form.html")
    assert reused.browser != closed.browser
    assert warm.session_processes("first").worker != reused.worker
    for profile in ("first", "second"):
        wire.data("session.stop", profile=profile)


def test_the_worker_of_a_browser_that_was_killed_is_not_used_again(
    warm: House, wire: Wire, site: TestSite
) -> None:
    open_form(wire, site, "killed")
    lost = warm.session_processes("killed")
    kill(lost.browser)
    eventually(partial(_has_no_session, wire, "killed"), "the session is closed")
    open_form(wire, site, "next")

    assert warm.session_processes("next").worker != lost.worker
    wire.data("session.stop", profile="next")


def test_a_look_starts_no_worker(house: House) -> None:
    daemon = house.start_daemon(first="pass")
    with house.wire() as wire:
        looked = wire.ask("look", request={"op": "page.aria", "input": {}})
        status = wire.data("session.status")

    assert looked["response"]["error"]["details"] == {"cause": "nothingOpen"}
    assert status["active"] is False
    assert daemon.children() == []


@pytest.mark.parametrize(
    ("few", "many"),
    [(2, 4), pytest.param(20, 200, marks=[pytest.mark.thorough, pytest.mark.timeout(1200)])],
)
def test_many_sessions_leak_no_processes_files_or_memory(
    house: House, site: TestSite, few: int, many: int
) -> None:
    daemon = house.start_daemon()

    def rounds(wire: Wire, count: int) -> None:
        for number in range(count):
            open_form(wire, site, f"p{number % 2}")
            wire.data("session.stop", profile=f"p{number % 2}")
        forker = daemon.children()[0]
        eventually(lambda: len(forker.children()) <= 1, "only a spare worker is left")

    def counts(wire: Wire) -> tuple[int, int, int, int]:
        status, workers = wire.ask("status"), len(daemon.children()[0].children())
        clients, sessions = len(status["clients"]), status["sessions"]
        return daemon.num_fds() - workers, len(daemon.children()), clients, sessions

    def settled(wire: Wire) -> tuple[int, int, int, int]:
        """The counts once they are the same for a second: sockets close a moment later."""
        seen = [counts(wire)]

        def is_same() -> bool:
            seen.append(counts(wire))
            return len(seen) > 50 and len(set(seen[-50:])) == 1

        eventually(is_same, "the counts stay the same")
        return seen[-1]

    with house.wire() as wire:
        rounds(wire, few)
        after_few = settled(wire)
        rounds(wire, many - few)
        assert settled(wire) == after_few


async def test_requests_in_the_daemon_and_in_the_worker_keep_their_order() -> None:
    order, seen = ProfileOrder(), []  # type: tuple[ProfileOrder, list[str]]
    release = asyncio.Event()

    async def in_worker(name: str, until: asyncio.Event | None = None) -> None:
        async with order:
            seen.append(name)
            if until is not None:
                await until.wait()

    async def in_daemon(name: str) -> None:
        async with order.in_daemon():
            seen.append(name)

    async with asyncio.TaskGroup() as group:
        for work in (in_worker("a", release), in_worker("b"), in_daemon("c"), in_worker("d")):
            group.create_task(work)
            await asyncio.sleep(0)
        before = list(seen)
        release.set()

    assert before == ["a", "b"]
    assert seen == ["a", "b", "c", "d"]


async def test_a_request_does_not_overtake_one_whose_turn_has_just_come() -> None:
    order, seen = ProfileOrder(), []  # type: tuple[ProfileOrder, list[str]]
    release = asyncio.Event()

    async def in_daemon() -> None:
        async with order.in_daemon():
            await release.wait()

    async def in_worker(name: str) -> None:
        async with order:
            seen.append(name)

    async with asyncio.TaskGroup() as group:
        for work in (in_daemon(), in_worker("first")):
            group.create_task(work)
            await asyncio.sleep(0)
        release.set()
        group.create_task(in_worker("second"))

    assert seen == ["first", "second"]


@pytest.mark.parametrize("victim", ["browser", "driver", "worker", "daemon"])
@pytest.mark.parametrize(
    "rounds", [1, pytest.param(40, marks=[pytest.mark.thorough, pytest.mark.timeout(1200)])]
)
def test_kills_leave_no_processes_and_files(
    house: House, site: TestSite, victim: str, rounds: int
) -> None:
    registry = house.folder / "cache" / "ms-playwright" / "b"
    temporary = house.folder / "cache" / "pwtui"
    for is_busy in (False, True) * rounds:
        daemon = house.daemon() or house.start_daemon()
        with house.wire() as wire:
            assert open_form(wire, site, "default")["ok"]
            processes = house.session_processes()
            worker = processes.worker
            if is_busy:
                wire.request("page.eval", {"expression": "new Promise(() => {})"})
                wire.wait_until_running(1)
            family = [worker, *worker.children(recursive=True)]
            kill(getattr(processes, victim, daemon))
            if victim in ("browser", "driver"):
                wire.data("session.stop")
        for each in family:
            assert has_ended(each)
        eventually(lambda: not registry.exists() or not list(registry.iterdir()), "no entry")
        folder = next(temporary.iterdir()) / str(worker.pid)
        eventually(partial(_is_deleted, folder), "no temporary folder")
    if house.daemon() is not None:
        house.stop_daemon()
    assert house.nothing_is_left()


@contextmanager
def panel(house: House) -> Iterator[subprocess.Popen[bytes]]:
    """The panel in a terminal without a screen."""
    ours, its = pty.openpty()
    process = house.spawn(*PANEL, stdin=its, stdout=its, stderr=its, start_new_session=True)
    os.close(its)

    def read() -> None:
        with suppress(OSError):  # once the panel has exited
            while os.read(ours, 1 << 16):
                pass

    reader = threading.Thread(target=read)
    reader.start()
    yield process
    reader.join(LIMIT)
    os.close(ours)


@contextmanager
def batch(house: House, op: str, input: Message) -> Iterator[subprocess.Popen[bytes]]:
    """A client that has sent a request."""
    process = house.start("batch")
    assert process.stdin
    request = {"op": op, "input": input, "runtime": {"profile": "killed"}}
    process.stdin.write(json.dumps(request).encode() + b"\n")
    process.stdin.flush()
    yield process


CLIENTS = {
    "idle": lambda house: batch(house, "page.title", {}),
    "busy": lambda house: batch(house, "page.eval", {"expression": "new Promise(() => {})"}),
    "panel": panel,
}
LONG_RUN = [pytest.mark.thorough, pytest.mark.timeout(900)]


@pytest.mark.parametrize(
    ("client", "rounds"),
    [("idle", 2), ("busy", 2), *(pytest.param(each, 40, marks=LONG_RUN) for each in CLIENTS)],
)
def test_nothing_is_left_of_clients_that_are_killed(
    warm: House, wire: Wire, site: TestSite, client: str, rounds: int
) -> None:
    open_form(wire, site, "killed")
    daemon = warm.daemon()
    assert daemon is not None
    before, running = daemon.num_fds(), int(client == "busy")
    known = {each.pid for each in warm.processes()}
    for _ in range(rounds):
        with CLIENTS[client](warm) as process:
            eventually(lambda: len(wire.ask("status")["clients"]) > 1, "it is connected")
            eventually(lambda: len(wire.running()) == running, "its request runs, or has finished")
            process.kill()
            process.wait(LONG)
        eventually(lambda: wire.running() == [], "nothing runs for it")
    eventually(lambda: wire.ask("status")["clients"] == ["test"], "only this client is left")
    eventually(lambda: daemon.num_fds() <= before, "no descriptor is left")
    eventually(lambda: {each.pid for each in warm.processes()} <= known, "no process is left")
    after = wire.call("page.title", profile="killed")
    wire.data("session.stop", profile="killed")

    assert after["ok"], after


def test_where_forking_is_not_safe_a_worker_is_spawned(house: House, site: TestSite) -> None:
    daemon = house.start_daemon(
        first="import pwtui.daemon.launcher as launcher\nlauncher.CAN_FORK = False"
    )
    with house.wire() as wire:
        first, second = (open_form(wire, site, name) for name in ("a", "b"))
        workers = [house.session_processes(name).worker for name in ("a", "b")]
        parents = [each.parent() for each in workers]
        kill(workers[0])
        # A request that comes before the daemon has noticed it fails.
        said = eventually(lambda: messages(open_form(wire, site, "a")), "the loss is reported")
        other = wire.call("page.title", profile="b")
    house.stop_daemon()

    assert first["ok"], first
    assert second["ok"], second
    assert parents == [daemon, daemon]
    assert "was lost" in said[0]
    assert other["ok"], other
    assert house.nothing_is_left()
