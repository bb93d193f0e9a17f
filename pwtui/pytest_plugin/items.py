"""Recordings as items of pytest."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from textwrap import dedent
from typing import Any, TypeVar

import pytest

from pwtui.cli.argument_types import browser_names, duration
from pwtui.cli.replay_places import Place, read_places
from pwtui.cli.replay_run import Replay
from pwtui.client.client import Client
from pwtui.client.loop_thread import LoopThread
from pwtui.protocol.errors import InvalidInput, PwError
from pwtui.pytest_plugin import SETTINGS
from pwtui.recordings.formats import decode_recording
from pwtui.recordings.ndjson import is_step
from pwtui.recordings.replay import FileResult, StepResult
from pwtui.recordings.trust import check_trust
from pwtui.recordings.variables import ENVIRONMENT_PREFIX, read_variables
from pwtui.state.files import read_text
from pwtui.state.paths import user_path
from pwtui.state.profiles import Profiles
from pwtui.state.workspace import Workspace

T = TypeVar("T")

LINES = 3
"""How many lines of an NDJSON file are read to find out whether it is a recording."""
LONGEST_LINE = 1024 * 1024
WORKER = re.compile(r"gw(\d+)")


def is_recording(path: Path) -> bool:
    """Whether a file is a recording: other programs write NDJSON, too."""
    if path.suffix == ".pw":
        return True
    try:
        with path.open(encoding="utf-8") as file:
            lines = [file.readline(LONGEST_LINE) for _ in range(LINES)]
    except (OSError, UnicodeDecodeError):
        return False
    return any(is_step(line) for line in lines)


class RecordingFailed(Exception):
    """Its text is the report of the failure."""


class RecordingFile(pytest.File):
    def collect(self) -> Iterator[pytest.Item]:
        """One item, or one for each browser."""
        for browser in Replays.of(self.config).browsers:
            name = f"replay[{browser}]" if browser else "replay"
            yield RecordingItem.from_parent(self, name=name, browser=browser)


class RecordingItem(pytest.Item):
    def __init__(self, *, browser: str | None, **node: Any) -> None:
        super().__init__(**node)
        self._browser = browser

    def runtest(self) -> None:
        result = Replays.of(self.config).run(self.path, self._browser)
        if not result.passed:
            raise RecordingFailed(dedent(result.summary().partition("\n")[2]))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, RecordingFailed | PwError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"{self.path.name}: {self.name}"


class Replays:
    """Runs recordings with the settings of this run of pytest, one at a time."""

    @classmethod
    def of(cls, config: pytest.Config) -> Replays:
        known = config.stash.get(_REPLAYS, None)
        if known is None:
            known = config.stash[_REPLAYS] = cls(config)
        return known

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._root = config.rootpath
        self._workspace = Workspace.locate(os.environ.get("PW_WORKSPACE_ROOT") or self._root)
        self._loop: LoopThread | None = None
        profile = self._setting("profile")
        try:
            self.browsers = self._browsers()
            self._places = self._own_places()
            self._variables = self._read_variables()
            if profile is not None:
                Profiles(self._workspace).require(profile)
            timeout = self._checked(duration("ms"), self._setting("timeout"), "timeout")
        except InvalidInput as error:
            raise pytest.Collector.CollectError(str(error)) from None
        self._client = Client("pytest")
        self._replay = Replay(
            self._client.perform,
            self._root,
            self._workspace,
            profile,
            {
                "base_url": self._setting("base-url"),
                "timeout_ms": None if timeout is None else round(timeout * 1000),
            },
            config.invocation_params.dir / (self._setting("artifacts-dir") or "pw-replay"),
            headed=bool(self._setting("headed")),
            keep_going=False,
            compare=bool(self._setting("compare")),
        )
        config.add_cleanup(self._close)

    def run(self, path: Path, browser: str | None) -> FileResult:
        """The result; an endpoint that was lost is not used again."""
        shown = path.relative_to(self._root) if path.is_relative_to(self._root) else path
        try:
            recording = decode_recording(shown, read_text(path), self._variables, whole=True)
        except InvalidInput as error:
            missing = (error.details or {}).get("missing")
            if not missing:
                raise
            raise InvalidInput(
                error.message,
                hint=f"set them with --pw-var, pw_var, or {ENVIRONMENT_PREFIX}{missing[0]} in the "
                "environment",
            ) from None
        if not self._setting("allow-code"):
            check_trust(recording, self._root)
        if self._loop is None:
            # Not in this thread: Playwright's own plugin has a loop that seems to run in it.
            self._loop = LoopThread()
        replay = self._replay._replace(overrides={**self._replay.overrides, "browser": browser})
        while self._places:
            result = FileResult(
                shown, browser=browser if len(self.browsers) > 1 else None, problem="interrupted"
            )
            if self._loop.run(replay.run(recording, self._places[0], _Silent(), result)):
                return result
            del self._places[0]
        return FileResult(shown, problem="no endpoint is left: all were lost")

    def _close(self) -> None:
        if self._loop is not None:
            self._loop.close(self._client.close())

    def _setting(self, name: str) -> Any:
        """The value of the command line, else of the configuration, else of another plugin."""
        setting = next(each for each in SETTINGS if each.name == name)
        value = self._config.getoption(setting.key)
        if value is None:
            value = self._config.getini(setting.key)
        if not value and setting.others and self._config.pluginmanager.hasplugin(setting.plugin):
            value = self._config.getoption(setting.others, None)
        return value or None

    def _checked(self, read: Callable[[str], T], value: str | None, name: str) -> T | None:
        try:
            return None if value is None else read(value)
        except argparse.ArgumentTypeError as error:
            raise InvalidInput(f"--pw-{name}: {error}") from None

    def _browsers(self) -> list[str | None]:
        given = self._setting("browser")
        names = given if isinstance(given, str) else ",".join(given or ())
        found = self._checked(browser_names, names or None, "browser")
        return list(found) if found else [None]

    def _own_places(self) -> list[Place]:
        """All endpoints; each worker of pytest-xdist begins with another one."""
        places = read_places(
            self._setting("on") or (), self._setting("header") or (), self._root, self._workspace
        )
        worker = WORKER.fullmatch(os.environ.get("PYTEST_XDIST_WORKER", ""))
        first = int(worker[1]) % len(places) if worker else 0
        return [*islice(places, first, None), *islice(places, first)]

    def _read_variables(self) -> dict[str, str]:
        given = self._config.getini("pw_var") + (self._config.getoption("pw_var") or [])
        files = [user_path(self._root, name) for name in self._setting("var-file") or ()]
        return read_variables(given, files, os.environ)


_REPLAYS = pytest.StashKey[Replays]()


class _Silent:
    """pytest shows the progress."""

    async def before(self, number: int, count: int, line: str) -> None: ...

    def after(self, result: StepResult) -> None: ...
