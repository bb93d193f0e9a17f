"""The calls of other programs: what is shown of them, and where they cannot be seen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright._impl.debugger import Debugger
from playwright.async_api import async_playwright

from pwtui.browser.launch.find_browser import find_chromium
from pwtui.browser.launch.registry import bound_browsers
from pwtui.browser.session.bound_session import BoundSession
from pwtui.browser.session.call_watch import shown_title, target_of
from pwtui.browser.session.observers import Observers, Wanted
from pwtui.protocol.models import SessionData
from tests.waiting import until


@pytest.mark.parametrize(
    ("title", "shown", "target"),
    [
        ('Click locator("#go")', 'Click locator("#go")', 'locator("#go")'),
        ('Fill "a" locator("#n")', 'Fill "••••••" locator("#n")', 'locator("#n")'),
        ('Fill "a" b" locator("#n")', 'Fill "••••••" locator("#n")', 'locator("#n")'),
        ('Fill "" locator("#n")', 'Fill "" locator("#n")', 'locator("#n")'),
        (
            'Fill "x" f(1)" getByRole(\'text\')',
            "Fill \"••••••\" getByRole('text')",
            "getByRole('text')",
        ),
        ('Type "a" and "b"', 'Type "••••••"', None),
        ('Insert "pass\nword"', 'Insert "••••••"', None),
        ('Press "a"', 'Press "••••••"', None),
        ('Press "Enter" locator("#n")', 'Press "Enter" locator("#n")', 'locator("#n")'),
        ('Press "Control+A"', 'Press "Control+A"', None),
        ("Navigate shop.example/cart?page=2", None, "shop.example/cart?page=2"),
        ("Get page title", "Get page title", None),
        ('Expect "to_have_text" locator("h1")', None, 'locator("h1")'),
    ],
)
def test_typed_text_is_masked_and_the_target_is_found(
    title: str, shown: str | None, target: str | None
) -> None:
    assert shown_title(title) == (shown or title)
    assert target_of(shown_title(title)) == target


@pytest.mark.browser
async def test_without_the_private_list_of_calls_everything_else_is_observed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delattr(Debugger, "_enable")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    events: list[dict[str, Any]] = []
    observers = Observers()
    observers.subscribe(
        lambda kind, event: events.append(event), Wanted(frozenset({"call", "console"}))
    )
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chromium(headless=True))
        page = await browser.new_page()
        bound = await browser.bind("older")
        (key,) = [each.session_key for each in bound_browsers()]
        session = SessionData(
            origin="playwright", title="older", session_key=key, ws_endpoint=bound["endpoint"]
        )
        observed = await BoundSession.open(playwright, session, observers)
        await observed.described()
        await page.evaluate("console.log('still seen')")
        await until(lambda: len(events) == 2, "both events have come")
        await observed.close()
        result = await page.evaluate("1 + 1")
        await browser.close()

    assert result == 2
    assert [(each["event"], each["client"]) for each in events] == [
        ("unseen", "older"),
        ("console", "older"),
    ]
    assert events[0]["kind"] == "call"
    assert "does not list the calls" in events[0]["reason"]
    assert events[1]["text"] == "still seen"
