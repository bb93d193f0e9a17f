"""A broad sweep of Playwright's API, by category; each check is one call and its result."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, BrowserContext, Dialog, Error, Page, Route

from tests.site import TestSite

SECONDS = 10.0


@dataclass
class Place:
    """Where the checks run."""

    browser: Browser
    context: BrowserContext
    page: Page
    site: TestSite
    folder: Path

    async def at(self, path: str) -> Page:
        """The page, at a path of the site."""
        url = self.site.url(path)
        if self.page.url != url:
            await self.page.goto(url)
        return self.page


Check = Callable[[Place], Awaitable[object]]
_CHECKS: list[tuple[str, str, Check]] = []


@dataclass(frozen=True)
class Outcome:
    category: str
    name: str
    error: str | None


def check(category: str, name: str) -> Callable[[Check], Check]:
    def register(function: Check) -> Check:
        _CHECKS.append((category, name, function))
        return function

    return register


async def sweep(place: Place) -> AsyncIterator[Outcome]:
    """All checks, one after the other; one that fails does not keep the others from running."""
    for category, name, function in _CHECKS:
        error = None
        try:
            async with asyncio.timeout(SECONDS):
                if not await function(place):
                    error = "gave the wrong result"
        except TimeoutError:
            error = f"did not end in {SECONDS:g} s"
        except (Error, AssertionError, KeyError, IndexError) as raised:
            error = str(raised).splitlines()[0]
        yield Outcome(category, name, error)


# Browser -----------------------------------------------------------------------------------------


@check("Browser", "browser.version")
async def _(at: Place) -> object:
    return at.browser.version[0].isdigit()


@check("Browser", "browser.is_connected()")
async def _(at: Place) -> object:
    return at.browser.is_connected()


@check("Browser", "browser.contexts")
async def _(at: Place) -> object:
    return at.browser.contexts == [at.context]


@check("Browser", "browser.browser_type")
async def _(at: Place) -> object:
    return at.browser.browser_type.name == "chromium"


@check("Browser", "browser.new_browser_cdp_session()")
async def _(at: Place) -> object:
    session = await at.browser.new_browser_cdp_session()
    version = await session.send("Browser.getVersion")
    await session.detach()
    return version["product"]


@check("Browser", "browser.new_context()")
async def _(at: Place) -> object:
    context = await at.browser.new_context()
    await context.close()
    return True


# Context -----------------------------------------------------------------------------------------


@check("Context", "context.pages")
async def _(at: Place) -> object:
    return at.page in at.context.pages


@check("Context", "context.new_page()")
async def _(at: Place) -> object:
    page = await at.context.new_page()
    await page.goto(at.site.url("/text.html"))
    there = page in at.context.pages
    await page.close()
    return there and page not in at.context.pages


@check("Context", "context.expect_page()")
async def _(at: Place) -> object:
    page = await at.at("/popup.html")
    async with at.context.expect_page() as coming:
        await page.click("#blank")
    opened = await coming.value
    await opened.wait_for_load_state()
    url = opened.url
    await opened.close()
    return url.endswith("/text.html")


@check("Context", "context.add_init_script()")
async def _(at: Place) -> object:
    await at.context.add_init_script("window.fromContext = 5")
    await at.page.goto(at.site.url("/text.html"))
    return await at.page.evaluate("window.fromContext") == 5


@check("Context", "context.expose_function()")
async def _(at: Place) -> object:
    await at.context.expose_function("thrice", lambda n: n * 3)
    await at.page.goto(at.site.url("/text.html"))
    return await at.page.evaluate("thrice(4)") == 12


@check("Context", "context.expose_binding()")
async def _(at: Place) -> object:
    await at.context.expose_binding("whereAmI", lambda source: source["page"].url)
    return await at.page.evaluate("whereAmI()") == at.page.url


@check("Context", "context.route() and unroute()")
async def _(at: Place) -> object:
    await at.context.route("**/made-up", lambda route: route.fulfill(body="from the context"))
    text = await at.page.evaluate("fetch('/made-up').then(r => r.text())")
    await at.context.unroute_all()
    return text == "from the context"


@check("Context", "context.set_extra_http_headers()")
async def _(at: Place) -> object:
    await at.context.set_extra_http_headers({"X-Relay": "yes"})
    echo = await at.page.evaluate("fetch('/echo').then(r => r.json())")
    await at.context.set_extra_http_headers({})
    return {k.lower(): v for k, v in echo["headers"].items()}.get("x-relay") == "yes"


@check("Context", "context.set_offline()")
async def _(at: Place) -> object:
    await at.context.set_offline(True)
    offline = await at.page.evaluate("navigator.onLine")
    await at.context.set_offline(False)
    return offline is False and await at.page.evaluate("navigator.onLine")


@check("Context", "context.set_geolocation()")
async def _(at: Place) -> object:
    await at.context.set_geolocation({"latitude": 1.5, "longitude": 2.5})
    return True


@check("Context", "context.set_default_timeout()")
async def _(at: Place) -> object:
    at.context.set_default_timeout(50)
    try:
        await at.page.click("#is-not-there")
    except Error:
        return True
    finally:
        at.context.set_default_timeout(SECONDS * 1000)
    return False


@check("Context", "context.expect_console_message()")
async def _(at: Place) -> object:
    async with at.context.expect_console_message() as coming:
        await at.page.evaluate("console.log('hello', 7)")
    return (await coming.value).text == "hello 7"


@check("Context", "context.grant_permissions()")
async def _(at: Place) -> object:
    await at.context.grant_permissions(["geolocation"], origin=at.site.origin)
    return True


@check("Context", "context.clear_permissions()")
async def _(at: Place) -> object:
    await at.context.clear_permissions()
    return True


@check("Context", "context.request")
async def _(at: Place) -> object:
    return (await at.context.request.get(at.site.url("/text.html"))).ok


# Cookies and storage -----------------------------------------------------------------------------


@check("Cookies and storage", "context.add_cookies()")
async def _(at: Place) -> object:
    page = await at.at("/text.html")
    await at.context.add_cookies([{"name": "added", "value": "1", "url": at.site.url()}])
    return "added=1" in await page.evaluate("document.cookie")


@check("Cookies and storage", "context.cookies()")
async def _(at: Place) -> object:
    return "added" in [cookie["name"] for cookie in await at.context.cookies()]


@check("Cookies and storage", "context.cookies(urls)")
async def _(at: Place) -> object:
    return await at.context.cookies("https://elsewhere.test/") == []


@check("Cookies and storage", "context.storage_state()")
async def _(at: Place) -> object:
    await at.page.evaluate("localStorage.setItem('kept', 'yes')")
    state: Any = await at.context.storage_state()
    stored = {i["name"]: i["value"] for o in state["origins"] for i in o["localStorage"]}
    return stored.get("kept") == "yes" and "added" in [c["name"] for c in state["cookies"]]


@check("Cookies and storage", "context.clear_cookies(name=)")
async def _(at: Place) -> object:
    await at.context.add_cookies([{"name": "other", "value": "2", "url": at.site.url()}])
    await at.context.clear_cookies(name="added")
    return [cookie["name"] for cookie in await at.context.cookies()] == ["other"]


@check("Cookies and storage", "context.clear_cookies()")
async def _(at: Place) -> object:
    await at.context.clear_cookies()
    return await at.context.cookies() == []


@check("Cookies and storage", "page.local_storage")
async def _(at: Place) -> object:
    await at.page.local_storage.set_item("mine", "1")
    return await at.page.evaluate("localStorage.getItem('mine')") == "1"


# Navigation --------------------------------------------------------------------------------------


@check("Navigation", "page.goto()")
async def _(at: Place) -> object:
    response = await at.page.goto(at.site.url("/links.html"))
    return response is not None and response.status == 200


@check("Navigation", "page.reload()")
async def _(at: Place) -> object:
    response = await at.page.reload()
    return response is not None and response.ok


@check("Navigation", "page.go_back() and go_forward()")
async def _(at: Place) -> object:
    await at.page.goto(at.site.url("/form.html"))
    await at.page.go_back()
    back = at.page.url
    await at.page.go_forward()
    return back.endswith("/links.html") and at.page.url.endswith("/form.html")


@check("Navigation", "page.wait_for_url()")
async def _(at: Place) -> object:
    page = await at.at("/links.html")
    await page.click("#script")
    await page.wait_for_url("**/form.html")
    return True


@check("Navigation", "page.expect_navigation()")
async def _(at: Place) -> object:
    page = await at.at("/links.html")
    async with page.expect_navigation() as coming:
        await page.click("#plain")
    return (await coming.value).ok


@check("Navigation", "page.wait_for_load_state()")
async def _(at: Place) -> object:
    page = await at.at("/links.html")
    await page.wait_for_load_state("networkidle")
    return True


@check("Navigation", "history within the document")
async def _(at: Place) -> object:
    page = await at.at("/links.html")
    await page.click("#push")
    return page.url.endswith("/pushed")


@check("Navigation", "a redirect")
async def _(at: Place) -> object:
    response = await at.page.goto(at.site.url("/redirect"))
    return response is not None and response.request.redirected_from is not None


@check("Navigation", "a site in another process")
async def _(at: Place) -> object:
    await at.page.goto(at.site.url("/text.html").replace("127.0.0.1", "localhost"))
    there = await at.page.evaluate("location.hostname")
    await at.page.goto(at.site.url("/text.html"))
    return there == "localhost" and await at.page.title()


@check("Navigation", "page.set_content() and content()")
async def _(at: Place) -> object:
    await at.page.set_content("<b id=own>own</b>")
    return "<b id" in await at.page.content() and await at.page.text_content("#own") == "own"


@check("Navigation", "page.title(), url, viewport_size")
async def _(at: Place) -> object:
    page = await at.at("/form.html")
    return await page.title() == "Form" and page.url.endswith("/form.html")


# Evaluation --------------------------------------------------------------------------------------


@check("Evaluation", "page.evaluate()")
async def _(at: Place) -> object:
    return await at.page.evaluate("([a, b]) => ({sum: a + b})", [2, 3]) == {"sum": 5}


@check("Evaluation", "page.evaluate() of a promise")
async def _(at: Place) -> object:
    return await at.page.evaluate("new Promise(r => setTimeout(() => r('late'), 20))") == "late"


@check("Evaluation", "page.evaluate() that throws")
async def _(at: Place) -> object:
    try:
        await at.page.evaluate("() => { throw new Error('mine') }")
    except Error as error:
        return "mine" in error.message
    return False


@check("Evaluation", "a large result")
async def _(at: Place) -> object:
    return len(await at.page.evaluate("'x'.repeat(3_000_000)")) == 3_000_000


@check("Evaluation", "page.evaluate_handle() and JSHandle")
async def _(at: Place) -> object:
    handle = await at.page.evaluate_handle("({one: 1})")
    one = await (await handle.get_property("one")).json_value()
    await handle.dispose()
    return one == 1


@check("Evaluation", "page.wait_for_function()")
async def _(at: Place) -> object:
    await at.page.evaluate("setTimeout(() => { window.ready = 9 }, 30)")
    return await (await at.page.wait_for_function("window.ready")).json_value() == 9


@check("Evaluation", "page.expose_function()")
async def _(at: Place) -> object:
    await at.page.expose_function("twice", lambda n: n * 2)
    return await at.page.evaluate("twice(21)") == 42


@check("Evaluation", "page.add_init_script()")
async def _(at: Place) -> object:
    await at.page.add_init_script("window.first = 'here'")
    await at.page.reload()
    return await at.page.evaluate("window.first") == "here"


@check("Evaluation", "page.add_script_tag() and add_style_tag()")
async def _(at: Place) -> object:
    await at.page.add_script_tag(content="window.tagged = 1")
    await at.page.add_style_tag(content="h1 { color: rgb(1, 2, 3) }")
    color = await at.page.eval_on_selector("h1", "e => getComputedStyle(e).color")
    return await at.page.evaluate("window.tagged") == 1 and color == "rgb(1, 2, 3)"


@check("Evaluation", "page.eval_on_selector_all()")
async def _(at: Place) -> object:
    page = await at.at("/form.html")
    return await page.eval_on_selector_all("input", "all => all.length") > 5


@check("Evaluation", "page.request_gc()")
async def _(at: Place) -> object:
    await at.page.request_gc()
    return True


# Locators ----------------------------------------------------------------------------------------


@check("Locators", "get_by_role()")
async def _(at: Place) -> object:
    page = await at.at("/form.html")
    return await page.get_by_role("button", name="Submit").count() == 1


@check("Locators", "get_by_label(), get_by_text()")
async def _(at: Place) -> object:
    page = at.page
    return await page.get_by_label("Name").count() and await page.get_by_text("I agree").count()


@check("Locators", "filter(), nth(), first, last, all()")
async def _(at: Place) -> object:
    paragraphs = at.page.locator("p").filter(has=at.page.locator("input"))
    await paragraphs.nth(1).wait_for()
    await paragraphs.first.wait_for()
    await paragraphs.last.wait_for()
    return len(await paragraphs.all()) > 2


@check("Locators", "states: is_visible(), is_enabled(), is_checked(), is_editable()")
async def _(at: Place) -> object:
    box, name = at.page.locator("#agree"), at.page.locator("#name")
    states = [await name.is_visible(), await name.is_enabled(), await name.is_editable()]
    return all(states) and not await box.is_checked() and not await name.is_hidden()


@check("Locators", "inner_text(), text_content(), inner_html(), get_attribute()")
async def _(at: Place) -> object:
    title = at.page.locator("h1")
    texts = [await title.inner_text(), await title.text_content(), await title.inner_html()]
    return set(texts) == {"Form"} and await at.page.get_attribute("#name", "name") == "name"


@check("Locators", "bounding_box(), scroll_into_view_if_needed()")
async def _(at: Place) -> object:
    await at.page.locator("#go-submit").scroll_into_view_if_needed()
    box = await at.page.locator("#go-submit").bounding_box()
    return box is not None and box["width"] > 0


@check("Locators", "evaluate(), evaluate_all(), element_handle()")
async def _(at: Place) -> object:
    handle = await at.page.locator("h1").element_handle()
    tag = await at.page.locator("h1").evaluate("e => e.tagName")
    many = await at.page.locator("input").evaluate_all("all => all.length")
    return tag == "H1" and many > 5 and await handle.inner_text() == "Form"


@check("Locators", "wait_for() and wait_for_selector()")
async def _(at: Place) -> object:
    await at.page.evaluate(
        "setTimeout(() => document.body.append(Object.assign("
        "document.createElement('i'), {id: 'soon', textContent: 's'})), 30)"
    )
    await at.page.locator("#soon").wait_for()
    return await at.page.wait_for_selector("#soon")


@check("Locators", "aria_snapshot() with refs")
async def _(at: Place) -> object:
    return "[ref=" in await at.page.aria_snapshot(mode="ai")


@check("Locators", "normalize()")
async def _(at: Place) -> object:
    return "Submit" in str(await at.page.locator("#submit").normalize())


@check("Locators", "shadow roots")
async def _(at: Place) -> object:
    page = await at.at("/shadow.html")
    await page.get_by_role("button", name="Nested button").click()
    return await page.text_content("#clicked") == "nested"


@check("Locators", "query_selector(), query_selector_all()")
async def _(at: Place) -> object:
    page = await at.at("/form.html")
    return await page.query_selector("h1") and len(await page.query_selector_all("input")) > 5


@check("Locators", "add_locator_handler()")
async def _(at: Place) -> object:
    seen: list[int] = []
    await at.page.evaluate("document.body.insertAdjacentHTML('beforeend', '<u id=over>x</u>')")

    async def away() -> None:
        seen.append(1)
        await at.page.evaluate("document.querySelector('#over').remove()")

    over = at.page.locator("#over")
    await at.page.add_locator_handler(over, away)
    await at.page.locator("#name").click()
    await at.page.remove_locator_handler(over)
    return seen == [1]


# Input -------------------------------------------------------------------------------------------


@check("Input", "click()")
async def _(at: Place) -> object:
    page = await at.at("/form.html")
    await page.reload()
    await page.get_by_role("button", name="Submit").click()
    return "size=small" in await page.inner_text("#result")


@check("Input", "fill(), clear(), input_value()")
async def _(at: Place) -> object:
    field = at.page.locator("#name")
    await field.fill("Ada")
    value = await field.input_value()
    await field.clear()
    return value == "Ada" and await field.input_value() == ""


@check("Input", "press_sequentially(), press(), type()")
async def _(at: Place) -> object:
    field = at.page.locator("#name")
    await field.press_sequentially("abc")
    await field.press("Backspace")
    await field.type("d")
    return await field.input_value() == "abd"


@check("Input", "check(), uncheck(), set_checked()")
async def _(at: Place) -> object:
    box = at.page.locator("#agree")
    await box.check()
    checked = await box.is_checked()
    await box.uncheck()
    await box.set_checked(True)
    return checked and await box.is_checked()


@check("Input", "select_option()")
async def _(at: Place) -> object:
    return await at.page.select_option("#color", label="Green") == ["green"]


@check("Input", "dblclick(), hover(), focus(), blur()")
async def _(at: Place) -> object:
    field = at.page.locator("#name")
    await field.dblclick()
    await field.hover()
    await field.focus()
    focused = await at.page.evaluate("document.activeElement.id")
    await field.blur()
    return focused == "name"


@check("Input", "tap() and touchscreen")
async def _(at: Place) -> object:
    try:
        await at.page.locator("#agree").tap()
    except Error as error:
        # The user's context has no touch, which Playwright reports itself.
        return "hasTouch" in error.message
    return False


@check("Input", "dispatch_event()")
async def _(at: Place) -> object:
    before = await at.page.is_checked("#agree")
    await at.page.dispatch_event("#agree", "click")
    return await at.page.is_checked("#agree") is not before


@check("Input", "keyboard: type, press, down, up, insert_text")
async def _(at: Place) -> object:
    await at.page.fill("#bio", "")
    await at.page.focus("#bio")
    await at.page.keyboard.type("one")
    await at.page.keyboard.down("Shift")
    await at.page.keyboard.press("ArrowLeft")
    await at.page.keyboard.up("Shift")
    await at.page.keyboard.insert_text("!")
    return await at.page.input_value("#bio") == "on!"


@check("Input", "mouse: move, down, up, click, wheel")
async def _(at: Place) -> object:
    box = await at.page.locator("#agree").bounding_box()
    assert box is not None
    before = await at.page.is_checked("#agree")
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    await at.page.mouse.move(x, y)
    await at.page.mouse.down()
    await at.page.mouse.up()
    await at.page.mouse.wheel(0, 10)
    return await at.page.is_checked("#agree") is not before


@check("Input", "drag_to()")
async def _(at: Place) -> object:
    await at.page.set_content(
        "<p draggable=true id=a>a</p><p id=b>b</p><script>"
        "b.ondragover = e => e.preventDefault();"
        "b.ondrop = () => b.textContent = 'dropped'</script>"
    )
    await at.page.locator("#a").drag_to(at.page.locator("#b"))
    return await at.page.text_content("#b") == "dropped"


@check("Input", "set_input_files()")
async def _(at: Place) -> object:
    await at.page.set_content("<input type=file>")
    path = at.folder / "upload.txt"
    path.write_text("content")
    await at.page.set_input_files("input", path)
    return await at.page.evaluate("document.querySelector('input').files[0].text()") == "content"


@check("Input", "set_input_files() from memory")
async def _(at: Place) -> object:
    file: Any = {"name": "m.txt", "mimeType": "text/plain", "buffer": b"memory"}
    await at.page.set_input_files("input", file)
    return await at.page.evaluate("document.querySelector('input').files[0].text()") == "memory"


@check("Input", "expect_file_chooser()")
async def _(at: Place) -> object:
    async with at.page.expect_file_chooser() as coming:
        await at.page.click("input")
    await (await coming.value).set_files(at.folder / "upload.txt")
    return await at.page.evaluate("document.querySelector('input').files.length") == 1


# Frames ------------------------------------------------------------------------------------------


@check("Frames", "page.frames, frame(), child_frames")
async def _(at: Place) -> object:
    page = await at.at("/frames.html")
    await page.wait_for_load_state("load")
    frame = page.frame(name="same")
    urls = [each.url for each in page.frames]
    return frame is not None and frame in page.main_frame.child_frames and "" not in urls


@check("Frames", "a frame of the same site")
async def _(at: Place) -> object:
    frame = at.page.frame_locator("#same")
    return await frame.locator("h1, h2").first.inner_text()


@check("Frames", "a frame of another site")
async def _(at: Place) -> object:
    frame = at.page.frame(name="cross")
    assert frame is not None
    await frame.wait_for_load_state()
    return await frame.evaluate("location.hostname") == "localhost"


@check("Frames", "a click in a frame of another site")
async def _(at: Place) -> object:
    await at.page.frame_locator("#cross").get_by_role("button").first.click()
    return True


@check("Frames", "a frame inside a frame")
async def _(at: Place) -> object:
    return len(at.page.frames) > 4


@check("Frames", "frame.goto() to another site")
async def _(at: Place) -> object:
    frame = at.page.frame(name="same")
    assert frame is not None
    other = at.site.url("/text.html").replace("127.0.0.1", "localhost")
    await frame.goto(other)
    return await frame.evaluate("location.href") == other


@check("Frames", "aria_snapshot() of all frames")
async def _(at: Place) -> object:
    return "[ref=f" in await at.page.aria_snapshot(mode="ai")


@check("Frames", "content_frame, frame_element()")
async def _(at: Place) -> object:
    frame = at.page.frame(name="same")
    assert frame is not None
    return await (await frame.frame_element()).get_attribute("id") == "same"


# Network -----------------------------------------------------------------------------------------


@check("Network", "page.route() with fulfill()")
async def _(at: Place) -> object:
    page = await at.at("/text.html")
    await page.route("**/mocked", lambda route: route.fulfill(json={"m": 1}))
    return await page.evaluate("fetch('/mocked').then(r => r.json())") == {"m": 1}


@check("Network", "route.abort()")
async def _(at: Place) -> object:
    await at.page.route("**/gone", lambda route: route.abort())
    return await at.page.evaluate("fetch('/gone').then(() => 'there', () => 'gone')") == "gone"


@check("Network", "route.continue_() with changes")
async def _(at: Place) -> object:
    async def change(route: Route) -> None:
        await route.continue_(headers={**route.request.headers, "x-changed": "1"})

    await at.page.route("**/echo", change)
    echo = await at.page.evaluate("fetch('/echo').then(r => r.json())")
    return {k.lower(): v for k, v in echo["headers"].items()}.get("x-changed") == "1"


@check("Network", "route.fetch()")
async def _(at: Place) -> object:
    async def fetch(route: Route) -> None:
        response = await route.fetch()
        await route.fulfill(response=response, body="changed")

    await at.page.route("**/form.html", fetch)
    text = await at.page.evaluate("fetch('/form.html').then(r => r.text())")
    await at.page.unroute_all()
    return text == "changed"


@check("Network", "expect_request(), expect_response()")
async def _(at: Place) -> object:
    async with at.page.expect_request("**/echo") as asked, at.page.expect_response("**/echo") as a:
        await at.page.evaluate("fetch('/echo', {method: 'POST', body: 'sent'})")
    return (await asked.value).post_data == "sent" and (await a.value).ok


@check("Network", "response.body(), json(), headers, server_addr()")
async def _(at: Place) -> object:
    async with at.page.expect_response("**/echo") as coming:
        await at.page.evaluate("fetch('/echo').then(r => r.text())")
    response = await coming.value
    assert (await response.json())["method"] == "GET"
    return await response.body() and await response.all_headers() and await response.server_addr()


@check("Network", "request.timing, sizes()")
async def _(at: Place) -> object:
    async with at.page.expect_request_finished() as coming:
        await at.page.evaluate("fetch('/echo').then(r => r.text())")
    request = await coming.value
    return (await request.sizes())["responseBodySize"] > 0 and request.timing["responseEnd"] >= 0


@check("Network", "request failed event")
async def _(at: Place) -> object:
    async with at.page.expect_event("requestfailed") as coming:
        await at.page.evaluate("fetch('/reset').catch(() => 0)")
    return (await coming.value).failure


@check("Network", "page.set_extra_http_headers()")
async def _(at: Place) -> object:
    await at.page.set_extra_http_headers({"X-Page": "1"})
    echo = await at.page.evaluate("fetch('/echo').then(r => r.json())")
    await at.page.set_extra_http_headers({})
    return {k.lower(): v for k, v in echo["headers"].items()}.get("x-page") == "1"


@check("Network", "route_from_har()")
async def _(at: Place) -> object:
    har = at.folder / "one.har"
    await at.context.tracing.start_har(har)
    await at.page.goto(at.site.url("/text.html"))
    await at.context.tracing.stop_har()
    return har.stat().st_size > 100


@check("Network", "route_web_socket()")
async def _(at: Place) -> object:
    await at.page.route_web_socket("**/ws", lambda ws: ws.on_message(lambda m: ws.send(f"<{m!s}>")))
    await at.page.reload()
    return (
        await at.page.evaluate(
            "new Promise(r => { const w = new WebSocket('ws://127.0.0.1/ws');"
            " w.onmessage = e => r(e.data); w.onopen = () => w.send('hi') })"
        )
        == "<hi>"
    )


# Events ------------------------------------------------------------------------------------------


@check("Events", "console messages and their arguments")
async def _(at: Place) -> object:
    async with at.page.expect_console_message() as coming:
        await at.page.evaluate("console.warn('careful', {a: 1})")
    message = await coming.value
    return message.type == "warning" and await message.args[1].json_value() == {"a": 1}


@check("Events", "page.console_messages()")
async def _(at: Place) -> object:
    return "careful" in [m.text.split()[0] for m in await at.page.console_messages()]


@check("Events", "pageerror")
async def _(at: Place) -> object:
    async with at.page.expect_event("pageerror") as coming:
        await at.page.evaluate("setTimeout(() => { throw new Error('late') }, 0)")
    return "late" in str(await coming.value)


@check("Events", "dialog: alert, confirm, prompt")
async def _(at: Place) -> object:
    page = await at.at("/dialogs.html")
    answers = []

    async def answer(dialog: Dialog) -> None:
        answers.append(dialog.type)
        await dialog.accept("me" if dialog.type == "prompt" else None)

    page.on("dialog", answer)
    for name in ("alert", "confirm", "prompt"):
        await page.click(f"#{name}")
    page.remove_listener("dialog", answer)
    return answers == ["alert", "confirm", "prompt"] and await page.inner_text("#answer") == (
        "prompt: me"
    )


@check("Events", "popup in a tab")
async def _(at: Place) -> object:
    page = await at.at("/popup.html")
    async with page.expect_popup() as coming:
        await page.click("#blank")
    popup = await coming.value
    await popup.wait_for_load_state()
    title = await popup.title()
    await popup.close()
    return title


@check("Events", "popup in a window, with its opener")
async def _(at: Place) -> object:
    async with at.page.expect_popup() as coming:
        await at.page.click("#open")
    popup = await coming.value
    await popup.wait_for_load_state()
    opener, filled = await popup.opener(), await popup.get_by_label("Name").count()
    await popup.close()
    return opener is at.page and filled == 1


@check("Events", "domcontentloaded, load, framenavigated")
async def _(at: Place) -> object:
    seen: list[str] = []
    for name in ("domcontentloaded", "load", "framenavigated"):
        at.page.once(name, lambda _, name=name: seen.append(name))
    await at.page.goto(at.site.url("/text.html"))
    return sorted(seen) == ["domcontentloaded", "framenavigated", "load"]


@check("Events", "websocket")
async def _(at: Place) -> object:
    async with at.page.expect_websocket() as coming:
        await at.page.evaluate("void new WebSocket('ws://127.0.0.1:9/none')")
    return (await coming.value).url.endswith("/none")


@check("Events", "crash")
async def _(at: Place) -> object:
    page = await at.context.new_page()
    await page.goto(at.site.url("/text.html"))
    async with page.expect_event("crash"):
        session = await at.context.new_cdp_session(page)
        asyncio.ensure_future(session.send("Page.crash")).add_done_callback(lambda f: f.exception())
    await page.close()
    return True


@check("Events", "download event")
async def _(at: Place) -> object:
    page = await at.at("/downloads.html")
    async with page.expect_download() as coming:
        await page.click("#link")
    return (await coming.value).suggested_filename == "report.csv"


@check("Events", "download.save_as()")
async def _(at: Place) -> object:
    page = await at.at("/downloads.html")
    async with page.expect_download() as coming:
        await page.click("#link")
    await (await coming.value).save_as(at.folder / "saved.csv")
    return True


# Workers -----------------------------------------------------------------------------------------


@check("Workers", "page.workers and worker.evaluate()")
async def _(at: Place) -> object:
    page = await at.at("/text.html")
    async with page.expect_worker() as coming:
        await page.evaluate("window.w = new Worker(URL.createObjectURL(new Blob(['self.x = 6'])))")
    worker = await coming.value
    return await worker.evaluate("self.x") == 6 and worker in page.workers


@check("Workers", "context.service_workers")
async def _(at: Place) -> object:
    return isinstance(at.context.service_workers, list)


# Emulation ---------------------------------------------------------------------------------------


@check("Emulation", "page.set_viewport_size()")
async def _(at: Place) -> object:
    await at.page.set_viewport_size({"width": 640, "height": 480})
    return await at.page.evaluate("[innerWidth, innerHeight]") == [640, 480]


@check("Emulation", "page.emulate_media()")
async def _(at: Place) -> object:
    await at.page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    query = "matchMedia('(prefers-color-scheme: dark)').matches"
    dark = await at.page.evaluate(query)
    await at.page.emulate_media(color_scheme="null", reduced_motion="null")
    return dark


@check("Emulation", "page.clock")
async def _(at: Place) -> object:
    page = await at.context.new_page()
    await page.clock.install(time="2024-02-02T08:00:00Z")
    await page.goto(at.site.url("/text.html"))
    await page.clock.fast_forward(3_600_000)
    year = await page.evaluate("new Date().toISOString().slice(0, 13)")
    await page.close()
    return year == "2024-02-02T09"


@check("Emulation", "page.bring_to_front()")
async def _(at: Place) -> object:
    await at.page.bring_to_front()
    return True


# Pictures and records ----------------------------------------------------------------------------


@check("Pictures and records", "page.screenshot()")
async def _(at: Place) -> object:
    page = await at.at("/form.html")
    return (await page.screenshot()).startswith(b"\x89PNG")


@check("Pictures and records", "page.screenshot() of a tab in the background")
async def _(at: Place) -> object:
    page = await at.context.new_page()
    await page.goto(at.site.url("/form.html"))
    await at.page.bring_to_front()
    picture = await page.screenshot()
    await page.close()
    return picture.startswith(b"\x89PNG")


@check("Pictures and records", "full page, clip, jpeg, mask")
async def _(at: Place) -> object:
    jpeg = await at.page.screenshot(full_page=True, type="jpeg", mask=[at.page.locator("h1")])
    clip = await at.page.screenshot(clip={"x": 0, "y": 0, "width": 20, "height": 20})
    return jpeg.startswith(b"\xff\xd8") and clip


@check("Pictures and records", "locator.screenshot()")
async def _(at: Place) -> object:
    return await at.page.locator("h1").screenshot()


@check("Pictures and records", "page.pdf()")
async def _(at: Place) -> object:
    return (await at.page.pdf()).startswith(b"%PDF")


@check("Pictures and records", "tracing")
async def _(at: Place) -> object:
    path = at.folder / "trace.zip"
    await at.context.tracing.start(screenshots=True, snapshots=True)
    await at.page.reload()
    await at.context.tracing.stop(path=path)
    return path.stat().st_size > 1000


# CDP sessions ------------------------------------------------------------------------------------


@check("CDP sessions", "context.new_cdp_session(page)")
async def _(at: Place) -> object:
    session = await at.context.new_cdp_session(at.page)
    answer = await session.send("Runtime.evaluate", {"expression": "1 + 1"})
    await session.detach()
    return answer["result"]["value"] == 2


@check("CDP sessions", "events of a session")
async def _(at: Place) -> object:
    session = await at.context.new_cdp_session(at.page)
    seen: list[object] = []
    session.on("Page.frameNavigated", lambda event: seen.append(event))
    await session.send("Page.enable")
    await at.page.reload()
    await session.detach()
    return seen


@check("CDP sessions", "context.new_cdp_session(frame)")
async def _(at: Place) -> object:
    page = await at.at("/frames.html")
    frame = page.frame(name="cross")
    assert frame is not None
    await frame.wait_for_load_state()
    session = await at.context.new_cdp_session(frame)
    answer = await session.send("Runtime.evaluate", {"expression": "location.hostname"})
    await session.detach()
    return answer["result"]["value"] == "localhost"
