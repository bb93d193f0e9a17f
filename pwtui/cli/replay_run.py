"""Replays one recording in a fresh browser: for `pw replay`, and for pytest."""

from __future__ import annotations

import asyncio
import logging
import shutil
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from pwtui.cli.context import Perform, with_overrides
from pwtui.cli.replay_places import Place
from pwtui.protocol.envelope import Request, Response
from pwtui.recordings.model import Recording
from pwtui.recordings.replay import FileResult, Send, Watcher, replay
from pwtui.runtime.caller import Caller
from pwtui.state.auth import cdp_headers_file
from pwtui.state.files import write_json
from pwtui.state.profiles import Profiles
from pwtui.state.trust import far_settings, trust, untrusted
from pwtui.state.workspace import Workspace

IN_FOLDERS = (".pw", ".ndjson")
"""The recordings that are found in a folder."""
STOP_SECONDS = 10.0

log = logging.getLogger(__name__)


class Replay(NamedTuple):
    """How recordings are replayed."""

    perform: Perform
    cwd: Path
    """Paths in a recording are relative to it."""
    workspace: Workspace
    """The workspace of the profile."""
    profile: str | None
    """The profile whose config and saved logins are copied."""
    overrides: Mapping[str, Any]
    """For requests that do not set them."""
    artifacts: Path
    """The folder for files of failures."""
    headed: bool
    keep_going: bool
    compare: bool
    verbosity: int = 0

    async def run(
        self, recording: Recording, place: Place, watcher: Watcher, result: FileResult
    ) -> bool:
        """Replay the recording; False if its place was lost before it could pass."""
        async with self._fresh_browser(result, place) as perform:
            problem = await _open_window(perform) if self.headed else None
            if problem is None:
                await replay(
                    recording,
                    perform,
                    watcher,
                    result,
                    keep_going=self.keep_going,
                    compare=self.compare,
                )
            result.problem = problem
        return result.passed or place.endpoint is None or await place.is_reachable()

    @asynccontextmanager
    async def _fresh_browser(self, result: FileResult, place: Place) -> AsyncIterator[Send]:
        """A temporary workspace with a session, for one recording."""
        folder = Path(tempfile.mkdtemp(prefix="pw-replay-")).resolve()
        parts = [part for part in result.path.parts if part not in (result.path.anchor, "..")]
        caller = Caller(
            workspace=Workspace(folder),
            cwd=self.cwd,
            mode="batch",
            artifacts_dir=self.artifacts.joinpath(result.browser or "", *parts),
            verbosity=self.verbosity,
        )
        given = dict(self.overrides)
        if place.endpoint is not None:
            given |= {"cdp_endpoint": place.endpoint, "isolated": True}

        async def perform(request: Request) -> Response:
            return await self.perform(with_overrides(request, given), caller)

        try:
            if self.profile is not None:
                _copy_profile(self.workspace, self.profile, caller.workspace)
            if place.endpoint is not None:
                auth = Profiles(caller.workspace).auth_folder("default")
                write_json(cdp_headers_file(auth), dict(place.headers), private=True)
            yield perform
        finally:
            try:
                async with asyncio.timeout(STOP_SECONDS):
                    await perform(Request(op="session.stop"))
            except TimeoutError:
                log.warning("the browser of %s did not close in time", result.name)
            finally:
                shutil.rmtree(folder, ignore_errors=True)


async def _open_window(perform: Send) -> str | None:
    """Start the browser with a window; returns why that is not possible."""
    opened = await perform(Request(op="session.start", input={"headful": True}))
    return None if opened.error is None else f"{opened.error.code}: {opened.error}"


def _copy_profile(source: Workspace, name: str, target: Workspace) -> None:
    """Copy the config and the saved logins of a profile, not its cache."""
    folder = Profiles(source).folder(name)
    copy = Profiles(target).folder("default")
    copy.mkdir(parents=True)
    if (folder / "config.json").is_file():
        shutil.copy2(folder / "config.json", copy)
        config = Profiles(source).read_config(name)
        foreign = untrusted(folder / "config.json", far_settings(config, source))
        far = far_settings(config, target)
        trust(copy / "config.json", {key: far[key] for key in far if key not in foreign})
    if (folder / "auth").is_dir():
        shutil.copytree(folder / "auth", copy / "auth")
