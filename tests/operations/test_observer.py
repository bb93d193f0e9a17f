"""The observer listens only to what a subscriber wants, and collects the events of a request."""

from __future__ import annotations

from typing import Any

from pwtui.browser.session.observers import Wanted
from pwtui.browser.session.session import BrowserSession
from pwtui.protocol.kinds import KINDS
from tests.client import Client
from tests.site import TestSite

CONTEXT_EVENTS = ("request", "response", "requestfinished", "requestfailed")
PAGE_EVENTS = ("websocket", "domcontentloaded", "load")


def listeners(session: BrowserSession) -> set[str]:
    """The events that only the observer listens to, and that it listens to now."""
    context, page = session.context._impl_obj, session.tabs[0].page._impl_obj
    found = {name for name in CONTEXT_EVENTS if context.listeners(name)}
    return found | {name for name in PAGE_EVENTS if page.listeners(name)}


async def test_without_a_subscriber_nothing_is_listened_to(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/form.html")})
    pool = client.executor.pool
    (session,) = pool.sessions.values()
    events: list[str] = []

    def deliver(kind: str, event: dict[str, Any]) -> None:
        events.append(kind)

    before = listeners(session)
    pool.observers.subscribe(deliver, Wanted(frozenset(("network",))))
    with_network = listeners(session)
    pool.observers.subscribe(deliver, Wanted(frozenset(KINDS)))
    with_all = listeners(session)
    pool.observers.subscribe(deliver, Wanted(of_session={"another": frozenset(KINDS)}))
    of_another = listeners(session)
    pool.observers.unsubscribe(deliver)
    await client.data("page.eval", {"expression": "console.log('x'); fetch('/echo').then(() => 1)"})

    assert before == of_another == listeners(session) == set()
    assert with_network == set(CONTEXT_EVENTS)
    assert with_all == {*CONTEXT_EVENTS, *PAGE_EVENTS}
    assert events == []


async def test_a_response_has_the_events_of_its_request(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/form.html")})
    script = "console.log('mine'); fetch('/status/404').then(r => r.text()).then(() => 1)"
    request = {"op": "page.eval", "input": {"expression": script}, "events": ["console", "network"]}
    observed = await client.send_raw(request)
    plain = await client.send("page.eval", {"expression": "console.log('later'); 1"})
    failed = await client.send_raw(
        {"op": "page.eval", "input": {"expression": "console.log(1); nonsense"}}
        | {"events": ["console"]}
    )
    unused = await client.send_raw({"op": "profile.list", "events": ["console"]})

    assert [each.get("text", each.get("change")) for each in observed.events or []][:3] == [
        "mine",
        "request",
        "response",
    ]
    assert plain.events is None
    assert not failed.ok
    assert [each["text"] for each in failed.events or []] == ["1"]
    assert unused.events is None


async def test_more_events_than_fit_are_counted(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/form.html")})
    script = "for (let i = 0; i < 1010; i++) console.log(i); 1"
    request = {"op": "page.eval", "input": {"expression": script}, "events": ["console"]}
    response = await client.send_raw(request)

    assert response.events is not None
    assert [each["text"] for each in response.events[:1000]] == [str(i) for i in range(1000)]
    assert response.events[1000:] == [{"event": "dropped", "count": 10}]
