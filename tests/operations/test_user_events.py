"""What a person does by hand is published with durable locators; what requests do is not."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest_asyncio
from playwright.async_api import CDPSession, Page

from pwtui.browser.session.observers import Wanted
from tests.client import Client
from tests.site import TestSite
from tests.waiting import until

HOLD_SECONDS = 0.15
"""How long a person holds a button down at least."""
PAGE = """
    document.body.innerHTML = `
        <h1>By hand</h1>
        <button onclick="this.textContent = 'Saved'">Save</button>
        <label>Name <input></label>
        <label>Password <input type=password></label>
        <label>API key <input></label>
        <label>Fruit <select><option>Apple<option>Pear</select></label>
        <a href="/article.html">Read</a>
        <div id=host></div>
        <iframe srcdoc="<button>Inside</button>"></iframe>`;
    document.querySelector('#host').attachShadow({mode: 'open'}).innerHTML =
        '<button>Shadow</button>';
    1
"""


class Person:
    """Moves the mouse and types through CDP, as the window would: not through a request."""

    def __init__(self, client: Client, page: Page, input: CDPSession) -> None:
        self.events: list[dict[str, Any]] = []
        self.page = page
        self._input = input
        (self._session,) = client.executor.pool.sessions.values()
        self._observers = client.executor.pool.observers

    async def begin(self) -> None:
        """Wait until pages are watched and nothing counts as done by the requests before."""
        self._observers.subscribe(self._deliver, Wanted(frozenset(("user",))))
        observer, tab = self._session.observer, self._session.active
        assert tab is not None
        watch = observer.page_watch(tab)
        assert watch is not None

        def are_followed() -> bool:
            documents = [each for each in watch._documents.values() if each.task is not None]
            return len(documents) == len(self.page.frames)

        await until(are_followed, "all documents")
        await until(lambda: not observer.was_acting(time.time()), "the end of the requests before")

    def close(self) -> None:
        self._observers.unsubscribe(self._deliver)

    async def click(self, x: float, y: float, button: str = "left") -> None:
        for kind in ("mousePressed", "mouseReleased"):
            event = {"type": kind, "x": x, "y": y, "button": button, "clickCount": 1}
            await self._input.send("Input.dispatchMouseEvent", event)
            await asyncio.sleep(HOLD_SECONDS)

    async def type(self, text: str) -> None:
        for letter in text:
            for kind in ("keyDown", "keyUp"):
                event = {"type": kind, "key": letter, "text": letter if kind == "keyDown" else ""}
                await self._input.send("Input.dispatchKeyEvent", event)

    async def press(self, key: str, code: int) -> None:
        for kind in ("rawKeyDown", "keyUp"):
            event = {"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code}
            await self._input.send("Input.dispatchKeyEvent", event)

    async def click_on(self, locator: Any) -> None:
        box = await locator.bounding_box()
        await self.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    async def did(self, **fields: Any) -> dict[str, Any]:
        """The event with these fields, once it is published."""

        def found() -> list[dict[str, Any]]:
            return [each for each in self.events if fields.items() <= each.items()]

        return (await until(found, f"{fields} in {self.events}"))[0]

    def _deliver(self, kind: str, event: dict[str, Any]) -> None:
        self.events.append(event)


@pytest_asyncio.fixture(loop_scope="session")
async def person(client: Client, own_tab: int, site: TestSite) -> AsyncIterator[Person]:
    await client.data("navigate", {"url": site.url("/form.html")})
    await client.data("page.eval", {"expression": PAGE})
    (session,) = client.executor.pool.sessions.values()
    assert session.active is not None
    page = session.active.page
    person = Person(client, page, await page.context.new_cdp_session(page))
    await person.begin()
    yield person
    person.close()


async def test_clicks_have_durable_locators(person: Person, site: TestSite) -> None:
    page = person.page
    await person.click_on(page.get_by_role("button", name="Save"))
    saved = await person.did(action="click", selector="getByRole('button', { name: 'Save' })")
    await person.click_on(page.get_by_role("button", name="Shadow"))
    await person.did(selector="getByRole('button', { name: 'Shadow' })")
    await person.click_on(page.frame_locator("iframe").get_by_role("button"))
    inside = await until(lambda: [e for e in person.events if "Inside" in e["selector"]], "inside")

    assert (saved["button"], saved["count"], saved["url"]) == ("left", 1, site.url("/form.html"))
    assert "contentFrame" in inside[0]["selector"] or "frameLocator" in inside[0]["selector"]
    assert len(person.events) == 3


async def test_typing_is_one_event_and_secrets_are_masked(person: Person) -> None:
    for label, text in (("Name", "Ada L"), ("Password", "hunter2"), ("API key", "abc-123")):
        await person.click_on(person.page.get_by_label(label))
        await person.type(text)
    await person.press("Enter", 13)
    await person.did(action="press", key="Enter")

    filled = [each for each in person.events if each["action"] == "fill"]
    assert [each["text"] for each in filled] == ["Ada L", "••••••", "••••••"]
    assert filled[0]["selector"] == "getByRole('textbox', { name: 'Name' })"
    assert "hunter2" not in str(person.events)
    assert "abc-123" not in str(person.events)


async def test_a_click_that_leaves_the_page_still_names_its_element(person: Person) -> None:
    await person.click_on(person.page.get_by_role("link", name="Read"))
    clicked = await person.did(action="click")
    await until(lambda: person.page.url.endswith("/article.html"), "the next page")

    assert clicked["selector"] == "getByRole('link', { name: 'Read' })"
    assert [each["action"] for each in person.events] == ["click"]


async def test_an_address_that_is_entered_by_hand(person: Person, site: TestSite) -> None:
    await person._input.send(
        "Page.navigate", {"url": site.url("/text.html"), "transitionType": "typed"}
    )
    typed = await person.did(action="navigate")
    await person._input.send("Page.reload")
    await person.did(action="reload")

    assert typed["url"] == site.url("/text.html")


async def test_what_requests_and_scripts_do_is_not_published(
    person: Person, client: Client, site: TestSite
) -> None:
    name = {"selector": "getByLabel('Name')"}
    await client.data("click", {"selector": "button >> nth=0"})
    await client.data("fill", {**name, "text": "by request"})
    await client.data("press", {**name, "key": "Enter"})
    await client.data("page.eval", {"expression": "document.querySelector('button').click(); 1"})
    await client.data("navigate", {"url": site.url("/form.html")})
    await client.data("page.eval", {"expression": PAGE})
    await until(lambda: person.page.get_by_role("button", name="Save").is_visible(), "the button")
    await person.click_on(person.page.get_by_role("heading"))
    await person.did(selector="getByRole('heading', { name: 'By hand' })")

    assert [each["action"] for each in person.events] == ["click"]


async def test_a_person_and_a_request_that_waits(person: Person, client: Client) -> None:
    waiting = asyncio.create_task(client.data("wait.text", {"text": "Saved"}))
    await person.click_on(person.page.get_by_role("button", name="Save"))
    await waiting

    await person.did(action="click", selector="getByRole('button', { name: 'Save' })")


CHANGES = """
    document.body.innerHTML = `
        <button onpointerdown="this.textContent = 'Saved'">Save</button>
        <iframe srcdoc="<button onpointerdown='this.remove()'>Dismiss</button>"></iframe>
        <button onpointerdown="this.outerHTML = '<button>Stop</button>'">Start</button>
        <div>Open</div>
        <ul><li>Milk <button onpointerdown="this.parentNode.remove()">Delete</button>
            <li>Bread <button>Delete</button></ul>
        <label>Code <input onfocus="this.parentNode.firstChild.data = 'Typing '"
            oninput="this.value = ''"></label>`;
    addEventListener('click', (event) => {
        if (event.target.textContent === 'Open') event.target.textContent = 'Closed';
    }, true);
    1
"""


async def test_an_element_is_named_as_it_was_before_the_page_changed_it(
    person: Person, client: Client
) -> None:
    page = person.page
    person.close()  # so that the page's own listeners come first
    await client.data("page.eval", {"expression": CHANGES})
    await person.begin()
    for name in ("Save", "Start", "Delete"):
        await person.click_on(page.get_by_role("button", name=name).first)
    await person.click_on(page.frame_locator("iframe").get_by_role("button"))
    await person.click_on(page.get_by_text("Open"))
    await person.click_on(page.get_by_label("Code"))
    await person.type("7")
    await person.press("Enter", 13)
    await person.did(action="press")

    assert [each["selector"] for each in person.events if each["action"] == "click"] == [
        "getByRole('button', { name: 'Save' })",
        "getByRole('button', { name: 'Start' })",
        "locator('html:nth-child(1) > body:nth-child(2) > ul:nth-child(5) > li:nth-child(1)"
        " > button:nth-child(1)')",
        "locator('iframe').contentFrame().getByRole('button', { name: 'Dismiss' })",
        "getByText('Open')",
        "getByRole('textbox', { name: 'Code' })",
    ]
    (filled,) = [each for each in person.events if each["action"] == "fill"]
    assert filled["text"] == "7"
