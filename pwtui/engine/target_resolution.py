"""What a request is aimed at: the target that it names, and the session that it runs in."""

from __future__ import annotations

import time

from pwtui.browser.session.pool import BrowserPool
from pwtui.browser.session.session import BrowserSession
from pwtui.browser.spec import SessionSpec
from pwtui.engine.profile_queue import Resolved
from pwtui.operations.framework.declare import Operation
from pwtui.operations.framework.fields import ElementFields, Input, UrlFields
from pwtui.protocol.errors import InvalidInput
from pwtui.runtime.caller import Caller
from pwtui.runtime.target import Target, resolve_selector, resolve_url, split_guess
from pwtui.state.config import ProfileCache


def explicit_target(
    operation: Operation, input: Input, base_url: str | None, cache: ProfileCache
) -> Target:
    """What the request itself, and the profile's memory of the last element, aim at."""
    url = input.wanted_url if isinstance(input, UrlFields) else None
    if not isinstance(input, ElementFields):
        return Target(_resolved(url, base_url))
    selector = input.wanted_selector
    rules = operation.target
    if rules.url_may_be_selector and isinstance(input, UrlFields):
        url, selector = split_guess(input.url, input.url_flag, selector)
    url = _resolved(url, base_url)
    scope = (input.within, input.within_role)
    if input.ref is not None or input.words is not None:
        return Target(url, None, input.ref, input.words, *scope)
    if not rules.optional:
        selector = resolve_selector(selector, cache, rules.fallback, now=time.time())
        if selector is None:
            raise InvalidInput(
                "selector is required: no element was used recently",
                hint="set selector or ref",
            )
    return Target(url, selector, None, None, *scope)


def live_session(
    resolved: Resolved, pool: BrowserPool, caller: Caller
) -> tuple[SessionSpec, BrowserSession | None]:
    """The session that runs, with or without a window; else what would have to be opened."""
    session = pool.find(resolved.spec)
    if session is None and resolved.runtime.headless:
        windowed = SessionSpec.of(resolved.runtime.with_window(), caller.workspace)
        if other := pool.find(windowed):
            return windowed, other
    return resolved.spec, session


def _resolved(url: str | None, base_url: str | None) -> str | None:
    return resolve_url(url, base_url) if url is not None else None
