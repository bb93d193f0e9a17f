"""One daemon per user: started on demand, stopped with everything that it started."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

import pwtui
from pwtui import __version__
from pwtui.client import start
from pwtui.client.connection import DaemonConnection
from pwtui.daemon.instance import DaemonLock
from pwtui.daemon.server import listen
from pwtui.protocol.errors import SessionError
from tests.cli.pw import INSTALLED, MODULE
from tests.daemon.house import House, eventually, has_ended, is_running, kill
from tests.daemon.wire import Wire
from tests.site import TestSite
from tests.waiting import LIMIT


def release(version: str) -> str:
    """Makes a daemon one of another release."""
    return f"import pwtui; pwtui.__version__ = {version!r}"


def next_line(process: subprocess.Popen[bytes]) -> bytes:
    assert process.stdout
    ready, _, _ = select.select([process.stdout], [], [], LIMIT)
    assert ready, "no line came"
    return process.stdout.readline()


def test_the_daemon_is_started_shown_restarted_and_stopped(house: House) -> None:
    started = house("daemon", "start", "--idle-timeout", "0")
    again = house("daemon", "start")
    status = house("daemon", "status")
    restarted = house("daemon", "restart")
    stopped = house("daemon", "stop")
    once_more = house("daemon", "stop")

    assert started.json["data"]["started"] is True
    assert again.json["data"]["started"] is False
    assert again.json["data"]["alreadyRunning"] is True
    pid = started.json["data"]["pid"]
    assert again.json["data"]["pid"] == status.json["data"]["pid"] == pid
    expected = {
        "running": True,
        "version": __version__,
        "socket": str(house.socket),
        "idleTimeoutSeconds": 0.0,
        "sessions": 0,
        "clients": [],
    }
    assert status.json["data"] | expected == status.json["data"]
    assert restarted.code == 0
    assert restarted.lines[-1]["data"]["started"] is True
    assert restarted.lines[-1]["data"]["pid"] != pid
    assert (stopped.code, stopped.json["data"]["stopped"]) == (0, True)
    assert (once_more.code, once_more.json["data"]["stopped"]) == (0, False)
    assert house.nothing_is_left()
    assert not house.socket.exists()


def test_the_daemon_writes_a_log(house: House) -> None:
    no_log = house("daemon", "logs")
    house.start_daemon()
    follower = house.start("daemon", "logs", "--follow", "-n", "1")
    first = json.loads(next_line(follower))
    house.stop_daemon()
    later = json.loads(next_line(follower))
    follower.send_signal(signal.SIGINT)
    follower.communicate(timeout=LIMIT)
    all_lines = house("daemon", "logs")
    last_line = house("daemon", "logs", "-n", "1")

    assert no_log.code == 1
    assert "no log yet" in no_log.err
    assert first["message"] == f"listening on {house.socket}"
    assert later["message"].startswith("ended after ")
    assert [line["level"] for line in all_lines.lines] == ["info", "info"]
    assert last_line.lines == [later]
    assert follower.returncode == 130


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_daemon_in_the_foreground(house: House, number: signal.Signals) -> None:
    process = house.start("daemon", "start", "--foreground")
    eventually(lambda: "listening" in house.log, "it listens")
    second = house("daemon", "start", "--foreground")
    process.send_signal(number)
    _, err = process.communicate(timeout=LIMIT)

    assert second.code == 1
    assert "is already running" in second.err
    assert process.returncode == 0
    assert b"Traceback" not in err
    assert not house.socket.exists()
    assert house.nothing_is_left()


def test_two_concurrent_starts_start_one_daemon(house: House) -> None:
    starts = [house.start("daemon", "start") for _ in range(2)]
    results = [json.loads(each.communicate(timeout=60)[0]) for each in starts]
    eventually(lambda: len(house.processes()) == 1, "only one daemon is left")

    assert [each["ok"] for each in results] == [True, True]
    assert len({each["data"]["pid"] for each in results}) == 1


def test_of_eight_daemons_that_start_at_once_one_keeps_running(house: House) -> None:
    module = (sys.executable, "-m", "pwtui.daemon_process", "--idle-timeout=0")
    daemons = [house.spawn(*module, stderr=subprocess.DEVNULL) for _ in range(8)]
    eventually(lambda: sum(each.poll() is None for each in daemons) == 1, "one stays")

    (winner,) = [each.pid for each in daemons if each.poll() is None]
    assert [each.returncode for each in daemons if each.pid != winner] == [0] * 7
    daemon = eventually(house.daemon, "it listens")
    assert daemon is not None
    assert daemon.pid == winner


def test_it_starts_with_the_first_request_that_needs_a_browser(
    house: House, site: TestSite
) -> None:
    without = house("ops", "click", command=MODULE)
    still_none = house.daemon()
    envelope = json.dumps({"url": site.url("/form.html")})
    first = house.thin("exec", "navigate", "--input", envelope, "-v")
    second = house.thin("exec", "page.text", "--input", '{"selector": "h1"}', "-v")
    daemon = house.daemon()
    (browser,) = house.browsers()
    house.stop_daemon()

    assert without.code == 0
    assert still_none is None
    assert first.code == 0
    assert "starting the daemon" in first.err
    assert "browser launched" in first.err
    assert second.json["data"]["text"] == "Form"
    assert "browser reused" in second.err
    assert daemon is not None
    assert has_ended(browser)
    assert house.nothing_is_left()
    assert list(house.sessions_folder().iterdir()) == []


def test_a_command_that_finds_no_daemon_leaves_one_starting(house: House) -> None:
    first = house.thin("profile", "list")
    daemon = eventually(house.daemon, "it listens")
    again = house.thin("profile", "list")

    assert first.json["data"] == again.json["data"]
    assert daemon is not None
    with Wire(house.socket) as wire:
        assert wire.ask("status")["requestsServed"] == 1


def test_a_command_of_a_profile_without_daemon_leaves_none(house: House) -> None:
    house.without_daemon()

    assert house.thin("exec", "protect.list").code == 0
    assert house.nothing_is_left()


def test_the_socket_of_a_daemon_that_was_killed_does_not_stop_a_start(house: House) -> None:
    kill(house.start_daemon())
    left_over = stat.S_ISSOCK(house.socket.lstat().st_mode)

    started = house("daemon", "start")

    assert left_over
    assert (started.code, started.json["data"]["started"]) == (0, True)


@pytest.mark.parametrize("what", ["file", "directory", "symlink", "dangling symlink"])
def test_a_file_in_place_of_the_socket_is_replaced(
    house: House, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    monkeypatch.setenv("PWTUI_RUNTIME_DIR", str(house.runtime_folder))
    target = house.folder / "target"
    target.write_text("precious")
    house.runtime_folder.mkdir(mode=0o700)
    match what:
        case "file":
            house.socket.write_text("left over")
        case "directory":
            house.socket.mkdir()
        case "symlink":
            house.socket.symlink_to(target)
        case _:
            house.socket.symlink_to(house.folder / "none")

    listen().close()

    assert stat.S_ISSOCK(house.socket.lstat().st_mode)
    assert target.read_text() == "precious"


def test_a_failed_connection_does_not_remove_the_socket(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PWTUI_RUNTIME_DIR", str(house.runtime_folder))
    house.runtime_folder.mkdir(mode=0o700)
    house.socket.write_text("not a socket")

    status = house("daemon", "status")
    lock = DaemonLock.acquire()  # else the next command leaves a daemon starting, which removes it
    assert lock is not None
    described = house.thin("ops", "click")

    assert status.json["data"]["running"] is False
    assert described.code == 0
    assert house.socket.read_text() == "not a socket"
    lock.release()


def test_a_folder_with_files_in_place_of_the_socket_is_kept_and_reported(house: House) -> None:
    house.runtime_folder.mkdir(mode=0o700)
    house.socket.mkdir()
    (house.socket / "precious").write_text("mine")

    result = house("daemon", "start")

    assert result.code == 1
    assert result.json["error"]["code"] == "SESSION_ERROR"
    assert "Traceback" not in result.err
    assert (house.socket / "precious").read_text() == "mine"


def test_a_lock_file_without_a_daemon_does_not_prevent_a_start(house: House) -> None:
    house.runtime_folder.mkdir(mode=0o700)
    (house.runtime_folder / "daemon.lock").write_text("1\n")

    daemon = house.start_daemon()

    assert (house.runtime_folder / "daemon.lock").read_text() == f"{daemon.pid}\n"


def test_the_socket_and_its_folder_are_private(house: House) -> None:
    house.start_daemon()

    assert stat.S_IMODE(house.runtime_folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(house.socket.stat().st_mode) == 0o600
    assert stat.S_IMODE((house.runtime_folder / "daemon.lock").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("what", "how"),
    [("open to others", "start"), ("symlink", "foreground"), ("file", "exec")],
)
def test_a_runtime_folder_that_others_can_use_is_refused(house: House, what: str, how: str) -> None:
    folder = house.runtime_folder
    match what:
        case "open to others":
            folder.mkdir()
            folder.chmod(0o777)
        case "symlink":
            (house.folder / "real").mkdir(mode=0o700)
            folder.symlink_to(house.folder / "real")
        case _:
            folder.write_text("")
    commands: dict[str, tuple[str, ...]] = {
        "start": ("daemon", "start"),
        "foreground": ("daemon", "start", "--foreground"),
        "exec": ("exec", "session.start"),
    }

    result = house.thin(*commands[how])

    assert result.code == 1
    assert str(folder) in result.out + result.err
    assert "only you can use" in result.out + result.err
    assert "Traceback" not in result.err


def test_a_very_long_runtime_folder_is_replaced_by_a_short_one(house: House) -> None:
    house.runtime_folder = house.folder / ("long" * 40)

    started = house("daemon", "start")
    again = house("daemon", "start")
    described = house.thin("ops", "click")
    stopped = house("daemon", "stop")
    socket = Path(started.json["data"]["socket"])
    shutil.rmtree(socket.parent)

    assert started.code == 0
    assert len(str(socket)) < 100
    assert not socket.is_relative_to(house.folder)
    assert again.json["data"]["pid"] == started.json["data"]["pid"]
    assert described.code == 0
    assert stopped.json["data"]["stopped"] is True


def test_an_idle_daemon_ends_and_closes_its_browsers(house: House) -> None:
    daemon = house.start_daemon(idle=1)
    with house.wire() as wire:
        wire.data("session.start")
        (browser,) = house.browsers()
        time.sleep(2)
        runs_while_connected = is_running(daemon)

    assert runs_while_connected
    assert has_ended(daemon)
    assert has_ended(browser)
    assert house.nothing_is_left()
    assert not house.socket.exists()
    assert list(house.sessions_folder().iterdir()) == []


def test_the_idle_time_comes_from_the_environment_and_zero_is_never(house: House) -> None:
    house.more_environment["PWTUI_IDLE_TIMEOUT"] = "1"
    house("daemon", "start")
    assert house.nothing_is_left()
    endless = house.start_daemon(idle=0)
    time.sleep(1.5)
    running = is_running(endless)
    house.stop_daemon()
    house.more_environment["PWTUI_IDLE_TIMEOUT"] = "soon"
    wrong = [house("daemon", "start"), house("daemon", "start", "--foreground")]

    assert running
    for each in wrong:
        assert each.code == 1
        assert "PWTUI_IDLE_TIMEOUT must be a number of seconds, not 'soon'" in each.out + each.err
        assert "Traceback" not in each.err


def test_an_older_daemon_is_replaced_and_its_browsers_are_closed(house: House) -> None:
    old = house.start_daemon(first=release("0.0.1"))
    with house.wire() as wire:
        wire.data("session.start")
    (browser,) = house.browsers()

    result = house.thin("exec", "session.start")
    now = house.daemon()

    assert "the daemon is older (0.0.1" in result.err
    assert result.code == 0, result
    assert has_ended(old)
    assert has_ended(browser)
    assert now is not None
    assert now.pid != old.pid
    assert house("daemon", "status").json["data"]["version"] == __version__


def test_an_older_daemon_finishes_the_requests_of_other_clients_first(
    house: House, site: TestSite
) -> None:
    old = house.start_daemon(first=release("0.0.1"))
    with house.wire() as other:
        wait = "new Promise(done => setTimeout(done, 1500, 7))"
        name = other.request("page.eval", {"url": site.url("/"), "expression": wait})
        other.wait_until_running(1)
        newer = house.start("exec", "ops.list")
        response = other.answer(name)
        out, _ = newer.communicate(timeout=60)

    assert response["data"]["result"] == 7
    assert json.loads(out)["ok"] is True
    assert has_ended(old)


def by_second_installation(house: House, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """A command of the same version in another place, as a second environment has it."""
    folder = house.folder / "second"
    folder.mkdir()
    (folder / "pwtui").symlink_to(Path(pwtui.__file__).parent)
    return subprocess.run(
        [*INSTALLED, *arguments],
        cwd=house.root,
        env=house.environment(PYTHONPATH=str(folder)),
        capture_output=True,
        timeout=60,
    )


def test_two_installations_of_one_version_have_separate_daemons(house: House) -> None:
    (house.folder / "xdg").mkdir(mode=0o700)
    house.more_environment |= {
        "PWTUI_RUNTIME_DIR": "",
        "XDG_RUNTIME_DIR": str(house.folder / "xdg"),
    }
    first = house("daemon", "start").json["data"]
    other = json.loads(by_second_installation(house, "daemon", "status").stdout)["data"]
    again = house("daemon", "status").json["data"]
    house("daemon", "stop")

    assert first["started"] is True
    assert other["running"] is False
    assert again["running"] is True


def test_in_a_named_folder_the_daemon_of_another_installation_is_reported(house: House) -> None:
    house.start_daemon()

    own = house.thin("exec", "ops.list")
    other = by_second_installation(house, "exec", "ops.list")

    assert own.err == ""
    assert (own.code, other.returncode) == (0, 0)
    assert b"belongs to another installation" in other.stderr
    assert b"pw daemon restart" in other.stderr


def test_a_newer_daemon_serves_an_older_client(house: House) -> None:
    newer = house.start_daemon(first=release("99.0.0"))

    result = house.thin("exec", "ops.describe", "--input", '{"op": "click"}')

    assert (result.code, result.err) == (0, "")
    assert is_running(newer)


def test_a_request_while_the_daemon_exits_waits_for_the_next_daemon(house: House) -> None:
    old = house.start_daemon()
    with house.wire() as wire:
        wire.data("session.start")
        (browser,) = house.browsers()
        browser.suspend()
        wire.ask("shutdown", when="now")
        assert wire.has_ended()

        command = house.start("exec", "session.start")
        still_ends = is_running(old)
        out, _ = command.communicate(timeout=60)

    assert still_ends
    assert json.loads(out)["ok"] is True, out
    assert has_ended(old)


async def test_no_other_daemon_is_started_while_one_holds_the_lock(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PWTUI_RUNTIME_DIR", str(house.runtime_folder))
    house.runtime_folder.mkdir(mode=0o700)
    lock = DaemonLock.acquire()
    starts: list[int] = []
    looks: list[str | None] = []

    def spawn(*_: object, **__: object) -> int:
        starts.append(len(looks))
        read_end, write_end = os.pipe()
        os.write(write_end, b"another\n" if len(starts) == 1 else b"")
        os.close(write_end)
        return read_end

    async def connect(folder: str | None) -> None:
        looks.append(folder)
        if len(looks) == 9 and lock is not None:
            lock.release()

    monkeypatch.setattr(start, "spawn", spawn)
    monkeypatch.setattr(DaemonConnection, "connect", connect)
    with pytest.raises(SessionError, match="exited during start-up"):
        await start.connect_or_start()

    assert starts == [1, 9]


def test_a_daemon_that_cannot_start_says_where_to_look(house: House) -> None:
    house.runtime_folder.mkdir(mode=0o700)
    (house.runtime_folder / "daemon.lock").mkdir()

    result = house("daemon", "start")

    assert result.code == 1
    assert result.json["error"]["code"] == "SESSION_ERROR"
    assert "daemon" in result.json["error"]["message"]
    assert "Traceback" not in result.err
