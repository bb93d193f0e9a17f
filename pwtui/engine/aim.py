"""What a request is aimed at: the target that it names, and the session that it runs in."""

from __future__ import annotations

import time
from dataclasses import replace

from pwtui.browser.pool import SessionSpec
from pwtui.browser.session import Session
from pwtui.operations.call import Call
from pwtui.operations.declare import Operation
from pwtui.operations.fields import ElementFields, Input, UrlFields
from pwtui.protocol.errors import InvalidInput
from pwtui.runtime.target import Target, resolve_selector, resolve_url, split_guess


def explicit_target(operation: Operation, input: Input, call: Call) -> Target:
    """What the request itself, and the profile's memory of the last element, aim at."""
    url = input.wanted_url if isinstance(input, UrlFields) else None
    if not isinstance(input, ElementFields):
        return Target(url=_resolved(url, call))
    selector = input.wanted_selector
    if operation.url_may_be_selector and isinstance(input, UrlFields):
        url, selector = split_guess(input.url, input.url_flag, selector)
    target = Target(url=_resolved(url, call), ref=input.ref, words=input.words)
    if input.ref is not None or input.words is not None:
        return target
    if operation.selector_required:
        selector = resolve_selector(
            selector, call.profile.cache, operation.selector_fallback, now=time.time()
        )
        if selector is None:
            raise InvalidInput(
                "selector: is required, as none was used recently; give a selector or a ref"
            )
    return replace(target, selector=selector)


def live_session(call: Call) -> tuple[SessionSpec, Session | None]:
    """The session that runs, with or without a window; else what would have to be opened."""
    wanted = call.session_spec()
    session = call.pool.find(wanted)
    if session is None and call.runtime.headless:
        windowed = call.session_spec(call.runtime.with_window())
        if other := call.pool.find(windowed):
            return windowed, other
    return wanted, session


def _resolved(url: str | None, call: Call) -> str | None:
    return resolve_url(url, call.runtime.base_url) if url is not None else None
