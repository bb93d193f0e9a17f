"""`pw doctor` finds problems, fixes those of pwtui, and does not touch other programs."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import psutil

from tests.daemon.house import House, cmdline, eventually, has_ended, is_running, kill
from tests.daemon.support import sandbox_flags, write_stale
from tests.waiting import LIMIT


def findings(house: House, *arguments: str) -> tuple[int, list[dict[str, Any]]]:
    result = house("doctor", "-f", "json", *arguments)
    assert result.err == "", result
    found: list[dict[str, Any]] = json.loads(result.out)["findings"]
    return result.code, found


def about(found: list[dict[str, Any]], what: str) -> list[tuple[str, str]]:
    return [(each["verdict"], each["message"]) for each in found if each["what"] == what]


def test_a_healthy_machine_is_reported_and_not_changed(house: House) -> None:
    house.start_daemon()
    with house.wire() as wire:
        wire.data("session.start")
        result = house("doctor", "--fix")
        alive = wire.data("session.status")["active"]

    assert (result.code, result.err) == (0, "")
    assert "WRONG" not in result.out
    assert result.out.endswith("\nnothing to fix\n")
    assert "Chromium" in result.out
    for what in ("driver:", "browser:", "firefox:", "webkit:", "socket:", "daemon:", "workspace:"):
        assert what in result.out
    assert f"no owner ({house.folder}" not in result.out
    assert alive is True


def test_a_driver_that_does_not_run_is_reported_with_the_reason(house: House) -> None:
    node = house.folder / "node"
    node.write_text("#!/bin/sh\necho 'node: cannot find libatomic.so.1' >&2\nexit 127\n")
    node.chmod(0o755)
    house.more_environment["PLAYWRIGHT_NODEJS_PATH"] = str(node)

    code, found = findings(house)
    house.without_daemon()
    failed = house("exec", "navigate", "--input", '{"url": "about:blank"}')

    assert code == 1
    ((verdict, message),) = about(found, "driver")
    assert verdict == "wrong"
    assert "cannot find libatomic.so.1" in message
    assert "apt-get install libatomic1" in message
    assert failed.code == 1
    assert "Traceback" not in failed.err
    error = json.loads(failed.out)["error"]
    assert error["code"] == "BROWSER_LAUNCH_FAILED"
    assert f"{error['message']}; {error['hint']}" == message


def orphan_of_another_tool(house: House, executable: Path) -> psutil.Process:
    """A browser whose program has gone, such as a killed script leaves it."""
    folder = house.folder / "playwright_chromiumdev_profile-x"
    command: list[str | Path] = [executable, "--headless=new", f"--user-data-dir={folder}"]
    command += [*sandbox_flags(), "about:blank"]
    launcher = house.spawn("sh", "-c", '"$@" >/dev/null 2>&1 & exit', "sh", *command)
    launcher.communicate(timeout=LIMIT)
    wanted = f"--user-data-dir={folder}"

    def started() -> list[psutil.Process]:
        found = [each for each in house.browsers() if wanted in cmdline(each)]
        return found if len(found) == 1 and found[0].ppid() != launcher.pid else []

    (found,) = eventually(started, "it runs without its launcher")
    return found


def test_what_is_wrong_is_found_and_fixed_and_others_are_left_alone(
    house: House, executable: Path
) -> None:
    kill(house.start_daemon())
    house.without_daemon()
    house("session", "start")
    (orphan,) = house.browsers()
    (house.sessions_folder() / "session.json").unlink()
    stale = write_stale(house, "stale")
    auth = house.workspace.profiles_dir / "stale" / "auth" / "login.json"
    auth.parent.mkdir(mode=0o700)
    auth.write_text("{}")
    auth.chmod(0o644)
    foreign = orphan_of_another_tool(house, executable)

    code, found = findings(house)
    untouched = [house.socket.exists(), stale.exists(), is_running(orphan), is_running(foreign)]
    mode = stat.S_IMODE(auth.stat().st_mode)
    fixed_code, fixed = findings(house, "--fix")
    again_code, again = findings(house)

    assert code == 1
    ours, others = "orphan", f"process {foreign.pid} of another tool"
    assert [verdict for verdict, _ in about(found, "socket")] == ["wrong"]
    assert [verdict for verdict, _ in about(found, "descriptor")] == ["wrong"]
    assert [verdict for verdict, _ in about(found, "permissions")] == ["wrong"]
    assert [v for v, m in about(found, ours) if f"process {orphan.pid} belongs" in m] == ["wrong"]
    assert [verdict for verdict, message in about(found, ours) if others in message] == ["note"]
    assert untouched == [True] * 4
    assert mode == 0o644
    assert fixed_code == 0
    for what in ("socket", "descriptor", "permissions"):
        assert [verdict for verdict, _ in about(fixed, what)] == ["fixed"]
    assert not house.socket.exists()
    assert not stale.exists()
    assert stat.S_IMODE(auth.stat().st_mode) == 0o600
    assert has_ended(orphan)
    assert is_running(foreign)
    assert again_code == 0
    assert [each for each in again if each["verdict"] in ("wrong", "fixed")] == []


def test_a_runtime_folder_that_others_can_use_does_not_stop_the_rest(house: House) -> None:
    kill(house.start_daemon())
    house.runtime_folder.chmod(0o777)

    code, found = findings(house)
    fixed_code, fixed = findings(house, "--fix")

    assert code == 1
    assert [verdict for verdict, _ in about(found, "socket")] == ["wrong"]
    assert about(found, "workspace")
    assert [verdict for verdict, _ in about(fixed, "socket")] == ["fixed"]
    assert fixed_code == 0
    assert stat.S_IMODE(house.runtime_folder.stat().st_mode) == 0o700
