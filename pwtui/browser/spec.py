"""Specifications of browsers and sessions."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

from pwtui.browser.launch.driver import DRIVER_VERSION
from pwtui.browser.launch.processes import is_browser, is_same_process
from pwtui.protocol.addresses import SessionKey
from pwtui.protocol.envelope import BrowserName
from pwtui.runtime.resolve import Runtime
from pwtui.state.descriptor import SessionDescriptor
from pwtui.state.profiles import Profiles
from pwtui.state.workspace import Workspace


@dataclass(frozen=True)
class BrowserSpec:
    """Identifies a browser: sessions with equal specs share one."""

    key: SessionKey
    cdp_endpoint: str | None = None
    launch_server: bool = False
    workspace: str = ""
    executable: Path | None = None
    channel: str | None = None

    @property
    def browser(self) -> BrowserName:
        return self.key.browser

    @property
    def headless(self) -> bool:
        return self.key.headless

    def descriptor(
        self, owner: Literal["daemon", "detached"], *, pid: int, started_at: float, **more: Any
    ) -> SessionDescriptor:
        """The descriptor by which other processes find the browser."""
        now = time.time()
        return SessionDescriptor(
            session_key=str(self.key),
            workspace=self.workspace,
            workspace_id=self.key.workspace_id,
            profile=self.key.profile,
            browser=self.browser,
            headless=self.headless,
            owner=owner,
            pid=pid,
            started_at=started_at,
            driver_version=DRIVER_VERSION,
            last_used_at=now,
            **{"created_at": now, **more},
        )


@dataclass(frozen=True)
class SessionSpec(BrowserSpec):
    """Identifies a session: requests with equal specs share one."""

    auth_file: Path | None = None
    isolated: bool = False

    @classmethod
    def of(cls, runtime: Runtime, workspace: Workspace) -> Self:
        return cls(
            key=workspace.session_key(runtime.profile, runtime.browser, headless=runtime.headless),
            cdp_endpoint=runtime.cdp_endpoint,
            auth_file=runtime.auth_file,
            isolated=runtime.isolated,
            launch_server=runtime.launch_server,
            workspace=str(workspace.root),
            executable=runtime.executable_path,
            channel=runtime.channel,
        )

    @property
    def place(self) -> dict[str, Any]:
        """The fields of an event that say which session it belongs to."""
        key = self.key
        return {"sessionKey": str(key), "workspace": self.workspace, "profile": key.profile}

    @property
    def of_browser(self) -> BrowserSpec:
        return BrowserSpec(
            self.key,
            self.cdp_endpoint,
            self.launch_server,
            self.workspace,
            self.executable,
            self.channel,
        )


@dataclass(frozen=True)
class SessionRequest:
    """Arguments for opening a session; `port` is the debugging port of a new browser."""

    runtime: Runtime
    profiles: Profiles
    preferred_url: str | None = None
    port: int | None = None

    @property
    def auth_folder(self) -> Path:
        return self.profiles.auth_folder(self.runtime.profile)


def is_alive(descriptor: SessionDescriptor) -> bool:
    """Whether the described browser is running, even if it responds slowly."""
    return is_same_process(descriptor.pid, descriptor.started_at) and is_browser(descriptor.pid)
