"""A page that changes by itself is followed by snapshot events, and does not notice it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Frame, Page

from pwtui.browser.page.aria_snapshot import Snapshot, take_snapshot
from pwtui.browser.session import page_watch, snapshot_watch
from pwtui.browser.session.observer import Observer
from pwtui.browser.session.observers import Wanted
from pwtui.browser.session.session import BrowserSession
from tests.client import Client
from tests.site import TestSite
from tests.waiting import until

SHADOW = """
    const host = document.body.appendChild(document.createElement('div'));
    const root = host.attachShadow({mode: 'open'});
    root.innerHTML = '<p>in the shadow</p>';
"""


class Subscriber:
    """Collects the events of a client's session."""

    def __init__(self, client: Client) -> None:
        self._observers = client.executor.pool.observers
        self._client = client
        self.events: list[dict[str, Any]] = []

    def watch(self, *kinds: str) -> None:
        self._observers.subscribe(self._deliver, Wanted(frozenset(kinds)))

    def close(self) -> None:
        self._observers.unsubscribe(self._deliver)

    @property
    def session(self) -> BrowserSession:
        (session,) = self._client.executor.pool.sessions.values()
        return session

    @property
    def observer(self) -> Observer:
        return self.session.observer

    @property
    def page(self) -> Page:
        tab = self.session.active
        assert tab is not None
        return tab.page

    async def shows(self, text: str) -> dict[str, Any]:
        """The newest snapshot, once it contains this text."""
        await until(
            lambda: any(text in each["text"] for each in self._newest()), f"snapshot: {text}"
        )
        return self._newest()[0]

    def _newest(self) -> list[dict[str, Any]]:
        return [each for each in self.events if each["event"] == "snapshot"][-1:]

    async def taking(self) -> asyncio.Task[None]:
        """A snapshot that is being taken now."""
        watch = self.observer._snapshots
        assert watch is not None
        await until(lambda: watch._task is not None, "a snapshot")
        assert watch._task is not None
        return watch._task

    def _deliver(self, kind: str, event: dict[str, Any]) -> None:
        self.events.append(event)


@pytest_asyncio.fixture(loop_scope="session")
async def subscriber(client: Client, own_tab: int) -> AsyncIterator[Subscriber]:
    subscriber = Subscriber(client)
    yield subscriber
    subscriber.close()


@pytest.fixture(params=["isolated world", "without CDP"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """How the script reaches the page."""
    if request.param == "without CDP":
        monkeypatch.setattr(page_watch, "has_cdp", lambda page: False)


async def later(page: Page | Frame, script: str) -> None:
    """Let a timer of the page run a script: no request does."""
    await page.evaluate(f"setTimeout(() => {{ {script} }}, 30); 1")


@pytest.mark.usefixtures("way")
async def test_what_timers_change_is_noticed_in_all_frames(
    client: Client, subscriber: Subscriber, site: TestSite
) -> None:
    await client.data("navigate", {"url": site.url("/frames.html")})
    subscriber.watch("snapshot")
    first = await subscriber.shows("")
    page = subscriber.page
    await later(page, "document.body.append('in the page')")
    await subscriber.shows("in the page")
    await later(page.frames[-1], "document.body.append('in the frame')")
    await subscriber.shows("in the frame")
    await later(page, SHADOW)
    await subscriber.shows("in the shadow")
    await later(page, "document.querySelector('div:last-of-type').shadowRoot.append('more of it')")
    await subscriber.shows("more of it")
    await later(page, "location.href = '/article.html'")
    last = await subscriber.shows("article")

    assert (first["url"], last["url"]) == (site.url("/frames.html"), site.url("/article.html"))
    assert first["tab"] == last["tab"]
    assert last["title"] == await page.title()


async def test_a_frame_of_another_site_is_followed(
    client: Client, subscriber: Subscriber, site: TestSite
) -> None:
    await client.data("navigate", {"url": site.url("/form.html")})
    other = site.url("/text.html").replace("127.0.0.1", "localhost")
    subscriber.watch("snapshot")
    await subscriber.page.evaluate(
        f"document.body.append(Object.assign(document.createElement('iframe'), {{src: '{other}'}}))"
    )
    await until(lambda: subscriber.page.frames[-1].url == other, "the frame")
    await later(subscriber.page.frames[-1], "document.body.append('from afar')")

    await subscriber.shows("from afar")


async def test_values_and_focus_are_noticed(
    client: Client, subscriber: Subscriber, site: TestSite
) -> None:
    await client.data("navigate", {"url": site.url("/form.html")})
    subscriber.watch("snapshot")
    await subscriber.shows("textbox")
    field = subscriber.page.get_by_role("textbox").first
    await field.fill("typed by another client")

    assert "[active]" in (await subscriber.shows("typed by another client"))["text"]


async def test_a_page_cannot_see_that_it_is_followed(
    client: Client, subscriber: Subscriber, site: TestSite
) -> None:
    await client.data("navigate", {"url": site.url("/form.html")})
    spy = """
        window.seen = [];
        for (const name of ['MutationObserver', 'Promise', 'addEventListener']) {
            const real = window[name];
            window[name] = new Proxy(real, {
                construct(it, args) { seen.push(name); return new it(...args) },
                apply(it, self, args) { seen.push(name); return it.apply(self, args) },
            });
        }
        Object.getOwnPropertyNames(window).sort().join()
    """
    before = await subscriber.page.evaluate(spy)
    subscriber.watch("snapshot", "tab")
    await later(subscriber.page, "document.body.append('changed')")
    await subscriber.shows("changed")
    names = await subscriber.page.evaluate("Object.getOwnPropertyNames(window).sort().join()")

    assert names == before
    assert await subscriber.page.evaluate("seen") == []


async def test_nothing_is_published_while_nothing_changes(
    client: Client, subscriber: Subscriber, site: TestSite
) -> None:
    await client.data("navigate", {"url": site.url("/form.html")})
    subscriber.watch("snapshot")
    await subscriber.shows("textbox")
    for _ in range(3):
        await client.data("page.title")
    await later(subscriber.page, "document.body.append('x'); document.body.lastChild.remove()")
    await later(subscriber.page, "document.title = 'Other'")
    other = await subscriber.shows("textbox")
    await until(lambda: subscriber.events[-1]["title"] == "Other", "the title")

    assert [each["title"] for each in subscriber.events] == [other["title"], "Other"]


async def test_without_a_subscriber_no_script_and_no_task_is_left(
    client: Client, subscriber: Subscriber, site: TestSite
) -> None:
    await client.data("navigate", {"url": site.url("/form.html")})
    before = len(asyncio.all_tasks())
    subscriber.watch("snapshot", "tab")
    await until(
        lambda: any(each["event"] == "snapshot" for each in subscriber.events), "a snapshot"
    )
    subscriber.close()
    await until(lambda: len(asyncio.all_tasks()) <= before, "the end of all tasks")
    events = len(subscriber.events)
    await subscriber.page.evaluate("document.body.append('unseen'); 1")
    await client.data("page.title")

    assert len(subscriber.events) == events
    assert subscriber.observer._page_watches == {}


async def test_a_request_cancels_a_snapshot_which_is_taken_again(
    client: Client, subscriber: Subscriber, site: TestSite
) -> None:
    await client.data("navigate", {"url": site.url("/ten-thousand.html")})
    subscriber.watch("snapshot")
    task = await subscriber.taking()
    await client.data("page.title")

    assert task.cancelled()
    await subscriber.shows("button")


async def test_a_snapshot_that_is_cancelled_before_it_began_is_taken_again(
    client: Client, subscriber: Subscriber, site: TestSite
) -> None:
    await client.data("navigate", {"url": site.url("/form.html")})
    subscriber.watch("snapshot")
    observer = subscriber.observer
    watch = observer._snapshots
    assert watch is not None
    assert watch._timer is not None
    watch._timer.cancel()
    watch._begin()
    request = observer.begin_request(acts=False)  # in the same turn of the loop
    await asyncio.sleep(0)
    observer.end_request(request)

    await subscriber.shows("textbox")


async def test_a_page_that_never_stops_changing_costs_a_tenth_of_the_time(
    client: Client, subscriber: Subscriber, site: TestSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    await client.data("navigate", {"url": site.url("/elements.html")})
    spans: list[tuple[float, float]] = []

    async def timed(page: Page, **options: Any) -> Snapshot:
        begun = time.monotonic()
        snapshot = await take_snapshot(page, **options)
        spans.append((begun, time.monotonic()))
        return snapshot

    monkeypatch.setattr(snapshot_watch, "take_snapshot", timed)
    script = "setInterval(() => { document.body.firstElementChild.title = Math.random() }, 1); 1"
    await subscriber.page.evaluate(script)
    subscriber.watch("snapshot")
    await until(lambda: len(spans) > 6, "snapshots")

    busy = sum(end - begun for begun, end in spans[:-1])
    assert busy <= 0.1 * (spans[-1][0] - spans[0][0])


async def test_the_snapshot_is_of_the_active_tab(
    client: Client, subscriber: Subscriber, site: TestSite, own_tab: int
) -> None:
    async def shows(tab: int) -> None:
        await until(lambda: subscriber.events[-1:] and subscriber.events[-1]["tab"] == tab, "a tab")

    await client.data("navigate", {"url": site.url("/form.html")})
    subscriber.watch("snapshot")
    await shows(own_tab)
    other = (await client.data("tabs.new", {"url": site.url("/article.html")}))["index"]
    await shows(other)
    await client.data("tabs.switch", {"target": own_tab})
    await shows(own_tab)
    await client.data("tabs.switch", {"target": other})
    await shows(other)
    await client.data("tabs.close", {"target": other})
    await shows(own_tab)

    assert subscriber.events[-1]["url"] == site.url("/form.html")


async def test_an_open_dialog_delays_the_snapshot(
    client: Client, subscriber: Subscriber, site: TestSite
) -> None:
    await client.data("navigate", {"url": site.url("/form.html")})
    subscriber.watch("snapshot", "dialog")
    await until(lambda: subscriber.events, "a snapshot")
    await later(subscriber.page, "document.body.append('asking'); alert('wait')")
    await until(lambda: subscriber.events[-1]["event"] == "dialog", "the dialog")
    await client.data("dialog.accept")
    await until(lambda: "asking" in subscriber.events[-1].get("text", ""), "a snapshot")

    kinds = [(each["event"], each.get("change")) for each in subscriber.events]
    assert kinds[-3:] == [("dialog", "opened"), ("dialog", "closed"), ("snapshot", None)]


async def test_a_password_is_in_no_snapshot(
    client: Client, subscriber: Subscriber, site: TestSite
) -> None:
    await client.data("navigate", {"url": site.url("/form.html")})
    subscriber.watch("snapshot")
    field = "Object.assign(document.createElement('input'), {type: 'password', value: 'hunter2'})"
    await later(subscriber.page, f"document.body.append({field}, 'done')")
    await subscriber.shows("done")

    assert "hunter2" not in str(subscriber.events)
