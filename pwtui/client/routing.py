"""Where a request runs: in the daemon, or without it."""

from __future__ import annotations

from typing import Literal

from pwtui.protocol.catalog import catalog
from pwtui.protocol.envelope import Request
from pwtui.protocol.errors import InvalidInput
from pwtui.runtime.caller import Caller
from pwtui.runtime.resolve import choose_profile, uses_daemon
from pwtui.state.profiles import Profiles

Place = Literal["client", "private", "daemon", "any"]


def place_of(request: Request, caller: Caller) -> Place:
    """Where a request has to run.

    client: in the sender's process, as it controls the daemon from outside; private: without the
    daemon, as its profile says; daemon: there, started if need be; any: there if it runs.
    """
    info = catalog().get(request.op)
    if info is not None and info.runs_in == "client":
        return "client"
    try:
        name = choose_profile(request.profile, caller.profile)
    except InvalidInput:
        return "any"  # the executor says what is wrong
    config = Profiles(caller.workspace).read_config(name)
    if not uses_daemon(request.overrides, config):
        return "private"
    if info is None or (info.interactive and caller.mode == "batch"):
        return "any"  # the executor says why it is refused
    return "daemon" if info.runs_in == "session" else "any"
