"""Manual logins, and the cookies of a page."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from pydantic import Field

from pwtui.operations.framework.declare import Run, acts, reads
from pwtui.operations.framework.fields import Data, EchoAs, Seconds
from pwtui.operations.framework.page_call import PageCall
from pwtui.operations.framework.target_fields import UrlFields
from pwtui.operations.storage.auth import auth_path
from pwtui.operations.storage.storage_state import StateData, save_state


class LoginInput(UrlFields):
    output: Annotated[str, EchoAs("outputPath")] = Field(
        "auth.json", description="A name in the profile's auth folder, or a path."
    )
    timeout_secs: Seconds = Field(300, description="Save after this time if Enter is not pressed.")


class LoginData(StateData):
    url: str


@acts(
    "auth.login",
    example={"url": "https://example.com/login"},
    run=Run(interactive=True, window=True, needs_trust=True),
    outcome="saved {cookies} cookies and the storage of {origins} origins",
)
async def auth_login(call: PageCall, input: LoginInput) -> LoginData:
    """Open a browser window for a manual login, then save cookies and local storage."""
    call.caller.conversation.show(
        f"Log in in the browser window, then press Enter here (saves after {input.timeout_secs} s)."
    )
    call.deadline.extend(input.timeout_secs * 1000)
    try:
        async with asyncio.timeout(input.timeout_secs):
            await call.caller.conversation.wait_for_enter()
    except TimeoutError:
        call.note("info", f"saved after {input.timeout_secs} s without Enter")
    call.output = str(auth_path(call, input.output))
    saved = await save_state(call, call.output)
    return LoginData(url=call.tab.url, **saved.model_dump())


class CookiesInput(UrlFields):
    format: str = Field("table", description="Display format, returned unchanged.")


class CookiesData(Data):
    url: str
    format: str
    cookies: list[dict[str, Any]]
    count: int


@reads("auth.cookies", example={"url": "https://example.com"}, run=Run(needs_trust=True))
async def auth_cookies(call: PageCall, input: CookiesInput) -> CookiesData:
    """List the cookies of the page; all cookies of the session for a page without a host."""
    url = call.tab.url
    urls = [url] if url.startswith(("http://", "https://")) else None
    cookies: list[Any] = await call.session.context.cookies(urls)
    return CookiesData(url=url, format=input.format, cookies=cookies, count=len(cookies))
