"""`pw doctor`: print one line for each check; `--fix` fixes what can be fixed safely."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import stat
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import psutil

from pwtui import __version__
from pwtui.browser.launch.driver import DRIVER_VERSION, driver_failed, driver_problem
from pwtui.browser.launch.find_browser import find_chromium, how_to_install
from pwtui.browser.launch.firefox import find_firefox
from pwtui.browser.launch.processes import end_process
from pwtui.browser.launch.registry import dead_bindings, remove_binding
from pwtui.browser.session.pool import BrowserPool
from pwtui.browser.spec import SessionRequest, SessionSpec, is_alive
from pwtui.cli.context import FAILED, OK, Context
from pwtui.cli.output import print_json
from pwtui.cli.terminal import Style, Terminal
from pwtui.client.start import OutsideControl
from pwtui.daemon.address import (
    UnsafeFolder,
    check_private,
    instance,
    runtime_dir,
    socket_path,
)
from pwtui.daemon.instance import DaemonLock
from pwtui.protocol.envelope import Overrides
from pwtui.protocol.errors import PwError
from pwtui.runtime.resolve import resolve_runtime
from pwtui.state.config import ProfileConfig
from pwtui.state.descriptor import read_descriptor
from pwtui.state.paths import is_private, log_file, temporary_folder
from pwtui.state.profiles import Profiles
from pwtui.state.workspace import Workspace

Verdict = Literal["ok", "note", "wrong", "fixed"]
_STYLES: dict[Verdict, Style] = {
    "ok": "green",
    "fixed": "green",
    "note": "yellow",
    "wrong": "red",
}
_SESSION_FOLDERS = ("data-headless", "data-headful")


@dataclass
class Diagnosis:
    """The result of a check; `fix` fixes the problem."""

    what: str
    verdict: Verdict
    message: str
    fix: Callable[[], object] | None = None


async def doctor_command(context: Context, *, fix: bool) -> int:
    findings, fixable = [], False
    async for finding in examine(context.terminal):
        if fix and finding.fix is not None:
            fixable = True
            await _fix(finding)
        findings.append(finding)
        is_quiet = context.arguments.quiet and finding.verdict in ("ok", "note")
        if context.format in (None, "text") and not is_quiet:
            hint = " (--fix fixes it)" if finding.fix is not None and not fix else ""
            mark = "WRONG" if finding.verdict == "wrong" else finding.verdict
            style = _STYLES[finding.verdict]
            context.terminal.out(f"{mark:<8}{finding.what}: {finding.message}{hint}", style)
    is_wrong = any(finding.verdict == "wrong" for finding in findings)
    wire = [
        {
            "what": finding.what,
            "verdict": finding.verdict,
            "message": finding.message,
            "fixable": finding.fix is not None,
        }
        for finding in findings
    ]
    if not print_json(context, {"findings": wire}) and fix and not fixable:
        context.terminal.out("nothing that --fix can fix" if is_wrong else "nothing to fix")
    return FAILED if is_wrong else OK


async def examine(terminal: Terminal) -> AsyncIterator[Diagnosis]:
    """Run all checks, the basic ones first."""
    yield Diagnosis("pwtui", "ok", f"{__version__}, log in {log_file()}")
    async for finding in _browser(terminal.workspace):
        yield finding
    for finding in _socket():
        yield finding
    yield await _daemon()
    for finding in _workspace(terminal.workspace):
        yield finding
    for finding in await asyncio.to_thread(lambda: list(_processes(terminal.workspace))):
        yield finding
    for finding in _temporary_folders():
        yield finding


async def _fix(finding: Diagnosis) -> None:
    assert finding.fix is not None
    try:
        result = finding.fix()
        if asyncio.iscoroutine(result):
            await result
    except (OSError, psutil.Error) as error:
        finding.message += f"; not fixed: {error}"
        return
    finding.verdict, finding.fix = "fixed", None


async def _browser(workspace: Workspace) -> AsyncIterator[Diagnosis]:
    if (problem := await asyncio.to_thread(driver_problem)) is not None:
        yield Diagnosis("driver", "wrong", str(driver_failed(problem)))
        return
    yield Diagnosis("driver", "ok", f"Playwright {DRIVER_VERSION}")
    try:
        found = find_chromium()
    except PwError as error:
        yield Diagnosis("browser", "wrong", str(error))
        return
    pool = BrowserPool()
    try:
        executable = found or await pool.chromium_executable()
    except PwError:
        yield Diagnosis("browser", "wrong", f"no browser was found; {how_to_install('chromium')}")
        return
    runtime = resolve_runtime("default", Overrides(), ProfileConfig(), workspace)
    with tempfile.TemporaryDirectory() as folder:
        scratch = Workspace(Path(folder))
        spec = SessionSpec.of(runtime, scratch)
        try:
            lease = await pool.acquire(spec, SessionRequest(runtime, Profiles(scratch)))
            version = lease.session.running.browser.version
            yield Diagnosis("browser", "ok", f"Chromium {version} starts ({executable})")
        except PwError as error:
            reason = (error.details or {}).get("reason", "")
            yield Diagnosis("browser", "wrong", f"{error} {reason}".strip())
        finally:
            yield await _firefox(pool)
            yield await _webkit(pool)
            await pool.close()


async def _firefox(pool: BrowserPool) -> Diagnosis:
    """Whether there is a Firefox, which only some need."""
    playwrights = Path((await pool.playwright()).firefox.executable_path)
    try:
        found = await asyncio.to_thread(find_firefox, playwrights)
    except PwError as error:
        return Diagnosis("firefox", "note", str(error))
    if found is None:
        return Diagnosis("firefox", "ok", f"Playwright's build ({playwrights})")
    proxy = ", behind a proxy" if found.needs_proxy else ""
    return Diagnosis("firefox", "ok", f"{found.version} ({found.path}){proxy}")


async def _webkit(pool: BrowserPool) -> Diagnosis:
    playwrights = Path((await pool.playwright()).webkit.executable_path)
    if playwrights.exists():
        return Diagnosis("webkit", "ok", f"Playwright's build ({playwrights})")
    return Diagnosis("webkit", "note", f"not installed; {how_to_install('webkit')}")


def _socket() -> Iterator[Diagnosis]:
    folder, path = Path(runtime_dir()), Path(socket_path())
    if not folder.exists():
        yield Diagnosis("socket", "ok", f"none yet ({path})")
        return
    try:
        check_private(str(folder))
    except UnsafeFolder as error:
        fix = (lambda: folder.chmod(0o700)) if _is_our_folder(folder) else None
        yield Diagnosis("socket", "wrong", f"{error}; {error.hint}", fix)
        return
    lock = DaemonLock.acquire()
    if lock is None:
        yield Diagnosis("socket", "ok", f"{path}")
        return
    # This process holds the lock, so no daemon is running: a file is stale.
    try:
        if path.is_symlink() or path.exists():
            is_folder = path.is_dir() and not path.is_symlink()
            remove = path.rmdir if is_folder else path.unlink
            yield Diagnosis(
                "socket", "wrong", f"{path} is the socket of a daemon that has exited", remove
            )
        else:
            yield Diagnosis("socket", "ok", f"none: no daemon is running ({path})")
    finally:
        lock.release()


async def _daemon() -> Diagnosis:
    status = await OutsideControl().status()
    if not status.running:
        return Diagnosis("daemon", "ok", "not running; it starts when it is needed")
    if status.version != __version__:
        return Diagnosis(
            "daemon",
            "note",
            f"process {status.pid} is version {status.version}, this is {__version__}; it is "
            "replaced when it is idle",
        )
    up = f"up {status.uptime_seconds:g} s, sessions: {status.sessions}"
    return Diagnosis("daemon", "ok", f"process {status.pid}, {up}")


def _workspace(workspace: Workspace) -> Iterator[Diagnosis]:
    profiles = Profiles(workspace)
    names = profiles.names()
    yield Diagnosis("workspace", "ok", f"{workspace.root}, profiles: {len(names)}")
    for path in _stale_descriptors(workspace):
        yield Diagnosis(
            "descriptor",
            "wrong",
            f"{path} points to a browser that is no longer running",
            path.unlink,
        )
    for name in names:
        for path in sorted(profiles.folder(name).glob("*.corrupt-*")):
            yield Diagnosis("state", "note", f"{path} could not be read and was renamed")
        for path in sorted(profiles.auth_folder(name).glob("*")):
            if stat.S_IMODE(path.stat().st_mode) & 0o077:
                yield Diagnosis(
                    "permissions",
                    "wrong",
                    f"{path} can be read by others",
                    partial(path.chmod, 0o600),
                )


def _processes(workspace: Workspace) -> Iterator[Diagnosis]:
    """Orphaned browsers: pwtui's own can be killed, those of other tools are only listed."""
    temporary = str(temporary_folder(instance()))
    known = {
        pid
        for name in Profiles(workspace).names()
        for pid in _described_pids(Profiles(workspace).folder(name))
    }
    for process, folder in _browser_processes():
        is_main = not any(each.startswith("--type=") for each in process.info["cmdline"])
        if not is_main or process.info["ppid"] != 1 or process.pid in known:
            continue
        in_workspace = folder.startswith(str(workspace.profiles_dir))
        is_session = in_workspace and Path(folder).name.startswith(_SESSION_FOLDERS)
        if is_session or folder.startswith(temporary):
            yield Diagnosis(
                "orphan",
                "wrong",
                f"browser process {process.pid} belongs to no session ({folder})",
                partial(end_process, process.pid),
            )
        elif "playwright" in folder or "puppeteer" in folder:
            yield Diagnosis(
                "orphan", "note", f"process {process.pid} of another tool has no owner ({folder})"
            )


def _temporary_folders() -> Iterator[Diagnosis]:
    ours = temporary_folder(instance())
    in_use = {folder for _, folder in _browser_processes()}
    if is_private(ours) and _no_daemon_runs():
        left = [path for path in ours.iterdir() if str(path) not in in_use]
        if left:
            yield Diagnosis(
                "temporary files",
                "wrong",
                f"folders of browsers that have exited in {ours}: {len(left)}",
                partial(_remove_all, left),
            )
    for entry in dead_bindings():
        yield Diagnosis(
            "bound browsers",
            "wrong",
            f"{entry.title} in Playwright's registry has exited ({entry.path})",
            partial(remove_binding, entry),
        )
    others = [
        path
        for path in Path(tempfile.gettempdir()).glob("playwright_*dev_profile-*")
        if str(path) not in in_use
    ]
    if others:
        yield Diagnosis(
            "temporary files",
            "note",
            f"unused browser profiles of other tools in {others[0].parent}: {len(others)}",
        )


def _stale_descriptors(workspace: Workspace) -> list[Path]:
    """The session descriptors in a workspace whose browser has exited."""
    found = sorted(workspace.profiles_dir.glob("*/sessions/session*.json"))
    known = {path: read_descriptor(path) for path in found}
    return [path for path, each in known.items() if each is None or not is_alive(each)]


def _no_daemon_runs() -> bool:
    try:
        lock = DaemonLock.acquire()
    except PwError:
        return False
    if lock is None:
        return False
    lock.release()
    return True


def _remove_all(folders: list[Path]) -> None:
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


def _browser_processes() -> Iterator[tuple[psutil.Process, str]]:
    """The processes of all browsers, with their profile folder."""
    for process in psutil.process_iter(["cmdline", "ppid"]):
        for argument in process.info["cmdline"] or ():
            if argument.startswith("--user-data-dir="):
                yield process, argument.partition("=")[2]
                break


def _described_pids(folder: Path) -> Iterator[int]:
    for path in folder.glob("sessions/session*.json"):
        with suppress(OSError, ValueError, KeyError):
            yield int(json.loads(path.read_bytes())["pid"])


def _is_our_folder(folder: Path) -> bool:
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
