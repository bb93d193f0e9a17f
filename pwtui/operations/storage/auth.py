"""Saved logins: their content, and cookies from a browser extension."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from pwtui.operations.framework.call import Call
from pwtui.operations.framework.declare import Run, configures, reads
from pwtui.operations.framework.fields import Data, EchoAs, Input, Seconds
from pwtui.protocol.errors import IoError
from pwtui.protocol.model import Volatile
from pwtui.state.auth import read_storage_state


def auth_path(call: Call, output: str) -> Path:
    """A name without folders is in the profile's auth folder, where sessions find it."""
    if Path(output).name == output:
        return call.profiles.auth_folder(call.runtime.profile) / output
    return call.path(output)


class AuthShowInput(Input):
    file: Annotated[str, EchoAs("outputPath")] = Field(
        "auth.json", description="A name in the profile's auth folder, or a path."
    )


class ShownCookie(Data):
    name: str
    domain: str
    expires: Volatile[str] = Field(
        description="session, expired, or the remaining time: 5m, 3h, 12d."
    )


class ShowData(Data):
    file: Volatile[str]
    cookies: list[ShownCookie]
    cookie_count: int
    origins: list[dict[str, Any]]
    origin_count: int


@reads("auth.show", example={"file": "auth.json"}, run=Run(needs_trust=True))
async def auth_show(call: Call, input: AuthShowInput) -> ShowData:
    """Show the cookies and origins of a saved login, without values."""
    path = call.path(input.file)
    if Path(input.file).name == input.file and not path.exists():
        path = auth_path(call, input.file)
    state = read_storage_state(path)
    now = time.time()
    cookies = [
        ShownCookie(name=each.name, domain=each.domain, expires=_remaining(each.expires, now))
        for each in state.cookies
    ]
    origins = [origin.model_dump(mode="json", by_alias=True) for origin in state.origins]
    return ShowData(
        file=str(path),
        cookies=cookies,
        cookie_count=len(cookies),
        origins=origins,
        origin_count=len(origins),
    )


def _remaining(expires: float, now: float) -> str:
    if expires < 0:
        return "session"
    left = int(expires - now)
    if left <= 0:
        return "expired"
    for limit, size, unit in ((3600, 60, "m"), (86400, 3600, "h")):
        if left < limit:
            return f"{left // size}{unit}"
    return f"{left // 86400}d"


class ListenInput(Input):
    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: Annotated[int, Field(ge=0, le=65535)] = Field(
        9271, description="Port (0: any free port)."
    )
    timeout_secs: Seconds = Field(300, description="Stop after this time.")
    once: bool = Field(False, description="Stop after the first cookies were saved.")


class ListenData(Data):
    listening: bool = False
    host: str
    port: Volatile[int]
    saved: list[str] = Field(description="The files that were written.")


@configures("auth.listen", example={"once": True}, run=Run(interactive=True))
async def auth_listen(call: Call, input: ListenInput) -> ListenData:
    """Receive cookies from a browser extension and save them for this profile.

    The extension connects over WebSocket, sends hello with the token that is shown, and pushes the
    cookies of the selected domains. Each domain becomes a file in the auth folder.
    """
    from pwtui.operations.storage.cookie_listener import CookieListener

    listener = CookieListener(call.profiles.auth_folder(call.runtime.profile))
    try:
        async with listener.serve(input.host, input.port) as port:
            call.caller.conversation.show(
                f"Listening on ws://{input.host}:{port}, token {listener.token} "
                f"(for {input.timeout_secs} s)."
            )
            call.deadline.extend(input.timeout_secs * 1000)
            with suppress(TimeoutError):
                async with asyncio.timeout(input.timeout_secs):
                    await (listener.received if input.once else asyncio.Event()).wait()
    except OSError as error:
        raise IoError.of(f"listen on {input.host}:{input.port}", error) from error
    return ListenData(host=input.host, port=port, saved=[str(path) for path in listener.saved])
