"""Requests that need a browser: their session, their page, and the profile's cache."""

from __future__ import annotations

import time

from pydantic import BaseModel

from pwtui.browser.page.deadline import Deadline
from pwtui.browser.page.element import Element
from pwtui.browser.page.failure_artifacts import save_failure
from pwtui.browser.page.find_by_text import SEARCH_MS, find_element
from pwtui.browser.page.navigation import go_to
from pwtui.browser.session.session import BrowserSession, check_unprotected, explained
from pwtui.browser.session.tab import is_error_page
from pwtui.browser.spec import SessionRequest
from pwtui.engine.profile_queue import Resolved
from pwtui.engine.progress import within_deadline
from pwtui.operations.framework.call import Call
from pwtui.operations.framework.declare import Operation
from pwtui.operations.framework.fields import Input
from pwtui.operations.framework.page_call import PageCall, SessionCall
from pwtui.operations.framework.target_fields import ElementFields, UrlFields
from pwtui.protocol.envelope import ContextDelta
from pwtui.protocol.errors import (
    InvalidInput,
    PwError,
    SelectorNotFound,
    UnsupportedMode,
    nothing_open,
)
from pwtui.protocol.secrets import mask_text
from pwtui.runtime.target import (
    Target,
    fallback_url,
    resolve_selector,
    resolve_url,
    same_page,
    split_guess,
)
from pwtui.state.config import ProfileCache


async def run_in_session(
    operation: Operation, input: Input, call: Call, resolved: Resolved
) -> tuple[BaseModel, ContextDelta]:
    """Run the operation; returns its data and the changes to the context."""
    assert isinstance(call, SessionCall)
    target = _explicit_target(operation, input, call.runtime.base_url, call.profile.cache)
    session = call.session = await _session(operation, call, resolved, target)
    span = session.observer.begin_request(acts=operation.effect == "acts")
    try:
        await _open(operation, call, target)
        data = await _run(operation, input, call)
    finally:
        session.observer.end_request(span)
    return data, _remember(call)


async def save_failed_page(call: Call) -> None:
    """Save a screenshot, the HTML and the snapshot of a page where an operation failed."""
    if isinstance(call, PageCall) and call.is_open and call.caller.artifacts_dir is not None:
        saved, problems = await save_failure(call.tab, call.caller.artifacts_dir, call.op)
        call.artifacts += saved
        call.diagnostics += problems


async def _open(operation: Operation, call: SessionCall, target: Target) -> None:
    """Find the page with the target, if it is a page operation."""
    session = call.session
    call.deadline.restart()  # the time that a browser needs to start is not the operation's
    if not isinstance(call, PageCall):
        return
    if target.url is None and not session.has_open_page:
        if not call.caller.may_start:
            raise nothing_open("no page is open in this session")
        url = fallback_url(call.profile.cache, call.runtime.base_url, now=time.time())
        target = target._replace(url=url)
    call.act_in(await session.tab_for(call.runtime, target.url), target)
    arriving = _arrive(operation, call)
    if target.url or target.ref or target.is_searched or call.caller.impatient:
        doing = f"opening the page for {call.op}"
        arriving = call.tab.run(arriving, call.deadline, doing=doing)
    await arriving


def _explicit_target(
    operation: Operation, input: Input, base_url: str | None, cache: ProfileCache
) -> Target:
    """The target of the request; its element defaults to the last one of the profile."""
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


def _resolved(url: str | None, base_url: str | None) -> str | None:
    return resolve_url(url, base_url) if url is not None else None


def check_engine(operation: Operation, call: Call) -> None:
    """Raises UnsupportedMode if the operation does not work in this browser."""
    browser, engines = call.runtime.browser, operation.engines
    if engines.refuses(browser):
        raise UnsupportedMode(
            f"{operation.id} requires {' or '.join(engines.only)}, not {browser}: {engines.why}",
            details={"browser": browser, "engines": list(engines.only)},
        )


async def _session(
    operation: Operation, call: Call, resolved: Resolved, target: Target
) -> BrowserSession:
    call.runtime.check_trusted()
    check_engine(operation, call)
    spec, how = resolved.spec, "reused"
    session = call.pool.find(spec)
    if session is None and resolved.runtime.headless:
        windowed = call.session_spec(resolved.runtime.with_window())
        if session := call.pool.find(windowed):
            spec = windowed
    if session is None:
        if not call.caller.may_start:
            raise nothing_open("no browser is open for this profile")
        if target.ref is not None:
            raise SelectorNotFound(
                f"ref {target.ref} is stale: no browser is open for this profile",
                hint="open the page again and take a snapshot with `page.aria`",
                details={"ref": target.ref, "cause": "nothingOpen"},
            )
        opening = SessionRequest(
            call.runtime,
            call.profiles,
            target.url or call.profile.cache.last_url,
            port=0 if call.runtime.cdp else None,
        )
        would_launch = call.pool.would_launch(spec, opening)
        # A request that cannot succeed does not start a browser.
        if would_launch and target.url is None and operation.run.starts_browser is False:
            raise nothing_open(f"no browser is open for this profile, and {operation.id} needs one")
        if would_launch and operation.needs_page:
            cache, base_url = call.profile.cache, call.runtime.base_url
            url = target.url or fallback_url(cache, base_url, now=time.time())
            check_unprotected(url, call.runtime)
        lease = await call.pool.acquire(spec, opening)
        session, how = lease.session, lease.how
        call.diagnostics += lease.notices
    call.report(1, f"browser {how} ({spec.key})")
    session.touch()
    if session.differs_from(call.runtime):
        async with explained("setting up the session", session):
            await session.apply(call.runtime)
    return session


async def _arrive(operation: Operation, call: PageCall) -> None:
    """Navigate to the target's page and find its element."""
    target = call.target
    if not operation.target.opens_url:
        call.tab.check_usable()
        if target.url is not None and not same_page(call.tab.url, target.url):
            await go_to(call.tab, target.url, call.deadline)
    if target.ref is not None:
        call.found = await Element.by_ref(call.tab, target.ref, call.deadline)
    elif target.is_searched:
        call.found = await find_element(
            call.tab,
            target,
            operation.target.search,
            call.deadline,
            patient=call.runtime.timeout_ms is not None,
        )
    elif target.selector is not None:
        call.found = Element.by_selector(call.tab, target.selector, call.deadline)
        # An assertion waits itself, and may be about an element that is absent.
        is_soon = call.caller.impatient and not operation.target.may_be_absent
        if is_soon and call.runtime.timeout_ms is None:
            await call.found.appear(Deadline(SEARCH_MS))


async def _run(operation: Operation, input: Input, call: SessionCall) -> BaseModel:
    work = operation.function(call, input)
    if isinstance(call, PageCall):
        next_index = call.session.next_index
        data = await call.tab.run(work, call.deadline, doing=operation.id)
        if call.session.next_index != next_index:
            for tab in call.session.tabs:
                if tab.index >= next_index:
                    call.note("info", f"tab {tab.index} opened ({tab.url}); see `tabs.switch`")
        return data
    async with explained(operation.id, call.session):
        return await within_deadline(call, work)


def _remember(call: SessionCall) -> ContextDelta:
    """Write the changes to the profile's cache; returns them for the response."""
    if not isinstance(call, PageCall):
        return ContextDelta()
    url = call.tab.url
    delta = ContextDelta(
        url=None if is_error_page(url) else mask_text(url),
        selector=call.found.selector if call.found else None,
        output=call.output,
    )
    try:
        call.profiles.update_cache(call.profile, delta)
    except PwError as error:
        # The operation itself succeeded: reported as failed, it would be repeated.
        call.note("warning", f"the profile's cache was not written: {error}")
    return delta
