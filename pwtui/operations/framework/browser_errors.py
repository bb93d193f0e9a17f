"""The browser's errors as errors of an operation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from playwright.async_api import Error
from playwright.async_api import TimeoutError as PlaywrightTimeout

from pwtui.browser.first_line import first_line
from pwtui.operations.framework.page_call import PageCall, SessionCall
from pwtui.protocol.errors import PwError


@contextmanager
def rejected_as(call: SessionCall, error: Callable[[str], PwError]) -> Iterator[None]:
    """Raise `error(reason)` when the browser rejects what is asked.

    A timeout, a closed or crashed page, an open dialog and a navigation are not rejections: the
    executor explains those.
    """
    tab = call.tab if isinstance(call, PageCall) else None
    navigations = tab.navigations if tab else 0
    try:
        yield
    except PlaywrightTimeout:
        raise
    except Error as failure:
        is_usable = call.session.alive if tab is None else tab.is_usable
        if not is_usable or (tab is not None and tab.navigations > navigations):
            raise
        raise error(first_line(failure)) from failure
