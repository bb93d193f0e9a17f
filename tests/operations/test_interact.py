"""click, fill and other actions on elements: effects and errors."""

from __future__ import annotations

import pytest

from tests.client import Client
from tests.operations.support import data_url, delta, messages
from tests.site import TestSite


async def text_of(client: Client, selector: str) -> str:
    text: str = (await client.data("page.text", {"selector": selector}))["text"]
    return text


async def test_click_returns_its_effect(client: Client, site: TestSite) -> None:
    url = site.url("/duplicates.html")
    selector = "li:nth-child(2) button"
    response = await client.send("click", {"url": url, "selector": selector})
    assert response.data == {
        "beforeUrl": url,
        "afterUrl": url,
        "navigated": False,
        "selector": selector,
    }
    assert response.inputs == {"url": url, "selector": selector}
    assert delta(response) == {"url": url, "selector": selector}
    assert await text_of(client, "#clicked") == "2"


async def test_click_without_a_selector_uses_the_last_one(client: Client, site: TestSite) -> None:
    await client.data("page.text", {"url": site.url("/csp.html"), "selector": "#button"})
    response = await client.send("click", {})
    assert response.inputs == {"selector": "#button"}


async def test_click_with_nothing_remembered_takes_the_button(
    client: Client, site: TestSite
) -> None:
    await client.data("navigate", {"url": site.url("/csp.html")}, profile="no-memory")
    data = await client.data("click", {}, profile="no-memory")
    assert data["selector"] == "css=button"


@pytest.mark.parametrize(
    "selector",
    [
        "#plain",
        "css=#plain",
        "//a[@id='plain']",
        "text=To the form",
        "a >> nth=0",
        "getByRole('link', { name: 'To the form' })",
        "page.get_by_text('To the form')",
    ],
)
async def test_every_kind_of_selector_finds_its_element(
    client: Client, site: TestSite, selector: str
) -> None:
    data = await client.data("click", {"url": site.url("/links.html"), "selector": selector})
    assert data["afterUrl"] == site.url("/form.html")


async def test_url_that_looks_like_a_selector_is_one(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/links.html")})
    response = await client.send("click", {"url": "#plain"})
    assert response.inputs == {"selector": "#plain"}
    assert response.data is not None
    assert response.data["navigated"] is True


async def test_path_with_a_dot_is_a_url_beside_a_selector(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    response = await client.send(
        "page.text",
        {"url": "/form.html", "selector": "h1"},
        overrides={"baseUrl": site.origin},
    )
    assert response.inputs == {"url": site.url("/form.html"), "selector": "h1"}
    assert response.data is not None
    assert response.data["text"] == "Form"


async def test_page_that_is_open_is_not_loaded_again(client: Client, site: TestSite) -> None:
    await client.data("fill", {"url": site.url("/form.html"), "selector": "#name", "text": "Ada"})
    await client.data("click", {"url": site.url("/form.html"), "selector": "#submit"})
    assert "name=Ada" in await text_of(client, "#result")


async def test_slow_link_is_awaited(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/links.html")})
    data = await client.data("click", {"selector": "#slow"})
    assert data["navigated"] is True
    assert data["afterUrl"] == site.url("/slow?ms=400")


async def test_later_navigation_is_seen_within_the_wait(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/links.html")})
    response = await client.send("click", {"selector": "#script", "waitMs": 5000})
    assert response.data is not None
    assert response.data["afterUrl"] == site.url("/form.html")
    assert response.inputs == {"selector": "#script", "waitMs": 5000}
    assert response.duration_ms is not None
    assert response.duration_ms < 5000


@pytest.mark.parametrize("how", ["push", "replace"])
async def test_changed_history_counts_as_navigation(
    client: Client, site: TestSite, how: str
) -> None:
    data = await client.data("click", {"url": site.url("/links.html"), "selector": f"#{how}"})
    assert data["navigated"] is True
    assert data["beforeUrl"] == site.url("/links.html")


@pytest.mark.usefixtures("own_tab")
async def test_click_that_opens_a_dialog_ends_with_it(client: Client, site: TestSite) -> None:
    url = site.url("/dialogs.html")
    response = await client.send(
        "click", {"url": url, "selector": "#prompt"}, overrides={"timeoutMs": 5000}
    )
    assert response.data is not None
    assert response.data["dialog"] == {
        "type": "prompt",
        "message": "What is your name?",
        "defaultValue": "Grace",
    }
    assert response.duration_ms is not None
    assert response.duration_ms < 5000
    assert "dialog.accept" in messages(response)[0]
    await client.data("dialog.dismiss")


@pytest.mark.usefixtures("own_tab")
@pytest.mark.parametrize("selector", ["#open", "#blank"])
async def test_click_that_opens_a_tab_returns_its_index(
    client: Client, site: TestSite, selector: str
) -> None:
    await client.data("navigate", {"url": site.url("/popup.html")})
    # The tab counts as opened when its first response is there.
    slow = "document.querySelector('#blank').href = '/slow?ms=500'"
    await client.data("page.eval", {"expression": slow})
    response = await client.send("click", {"selector": selector})
    tabs = (await client.data("tabs.list"))["tabs"]
    opened = tabs[-1]["index"]
    assert [tab.get("active", False) for tab in tabs] == [True, False]
    assert any(f"tab {opened} opened" in message for message in messages(response))
    switched = await client.data("tabs.switch", {"target": opened})
    assert switched["title"] in ("Form", "Slow")


@pytest.mark.usefixtures("own_tab")
async def test_tab_that_opens_a_moment_later_can_be_switched_to(
    client: Client, site: TestSite, own_tab: int
) -> None:
    await client.data("navigate", {"url": site.url("/popup.html")})
    await client.data("page.eval", {"expression": "void setTimeout(() => open('/form.html'), 300)"})
    await client.data("tabs.switch", {"target": own_tab + 1})
    await client.data("wait", {"condition": "load"})
    assert (await client.data("page.title"))["title"] == "Form"


async def test_missing_element_is_not_found_within_the_timeout(
    client: Client, site: TestSite
) -> None:
    await client.data("navigate", {"url": site.url("/form.html")})
    for op in ("click", "fill", "page.text", "page.html", "page.coords", "screenshot"):
        response = await client.send(op, {"selector": "#nowhere"}, overrides={"timeoutMs": 300})
        assert response.error is not None, op
        assert response.error.code == "SELECTOR_NOT_FOUND", op
        assert response.error.details == {"selector": "#nowhere", "timeoutMs": 300}
        assert response.duration_ms is not None
        assert response.duration_ms < 20 * 300


async def test_time_to_watch_does_not_prolong_the_search(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/form.html")})
    response = await client.send(
        "click", {"selector": "#nowhere", "waitMs": 4000}, overrides={"timeoutMs": 300}
    )
    assert response.error is not None
    assert response.error.code == "SELECTOR_NOT_FOUND"
    assert response.duration_ms is not None
    assert response.duration_ms < 4000


async def test_a_disabled_button_is_a_timeout_with_the_reason(
    client: Client, site: TestSite
) -> None:
    await client.data("navigate", {"url": site.url("/disabled.html")})
    error = await client.error("click", {"selector": "#disabled"}, overrides={"timeoutMs": 800})
    assert error.code == "TIMEOUT"
    assert error.details is not None
    assert error.details["selector"] == "#disabled"
    assert error.details["timeoutMs"] == 800
    assert any("not enabled" in line for line in error.details["callLog"])
    assert "not enabled" in error.message


async def test_covered_button_is_a_timeout_that_names_the_cover(
    client: Client, site: TestSite
) -> None:
    await client.data("navigate", {"url": site.url("/disabled.html")})
    error = await client.error("click", {"selector": "#covered"}, overrides={"timeoutMs": 800})
    assert error.code == "TIMEOUT"
    assert "intercepts pointer events" in error.message
    assert "overlay" in error.message


@pytest.mark.parametrize(
    ("query", "selector"), [("ms=200", "#disabled"), ("uncover=200", "#covered")]
)
async def test_click_waits_until_the_button_can_be_clicked(
    client: Client, site: TestSite, query: str, selector: str
) -> None:
    await client.data("click", {"url": site.url(f"/disabled.html?{query}"), "selector": selector})
    assert await text_of(client, "#clicked") == selector.removeprefix("#")


async def test_element_that_comes_late_is_awaited(client: Client, site: TestSite) -> None:
    data = await client.data("click", {"url": site.url("/late.html?ms=200"), "selector": "#late"})
    assert data["selector"] == "#late"


async def test_several_matches_are_ambiguous_with_usable_candidates(
    client: Client, site: TestSite
) -> None:
    await client.data("navigate", {"url": site.url("/duplicates.html")})
    error = await client.error("click", {"selector": "button"})
    assert error.code == "SELECTOR_AMBIGUOUS"
    assert error.details is not None
    assert error.details["selector"] == "button"
    assert error.details["matchCount"] == 3
    candidates = error.details["candidates"]
    assert [candidate["text"] for candidate in candidates] == ["Save"] * 3
    clicked = []
    for candidate in candidates:
        await client.data("click", {"selector": candidate["selector"]})
        clicked.append(await text_of(client, "#clicked"))
    assert clicked == ["1", "2", "3"]


@pytest.mark.parametrize("op", ["fill", "page.text", "page.html", "page.coords", "screenshot"])
async def test_every_operation_on_one_element_refuses_several(
    client: Client, site: TestSite, op: str
) -> None:
    await client.data("navigate", {"url": site.url("/duplicates.html")})
    error = await client.error(op, {"selector": "li"})
    assert error.code == "SELECTOR_AMBIGUOUS"


@pytest.mark.parametrize("selector", ["a[", "getByRole(", ">> nth=x"])
async def test_selector_that_does_not_parse_is_invalid(
    client: Client, site: TestSite, selector: str
) -> None:
    await client.data("navigate", {"url": site.url("/form.html")})
    error = await client.error("click", {"selector": selector}, overrides={"timeoutMs": 1000})
    assert error.code == "INVALID_INPUT"
    assert "selector" in error.message


async def test_empty_selector_is_invalid(client: Client) -> None:
    error = await client.error("click", {"selector": "  "})
    assert error.code == "INVALID_INPUT"


async def test_selector_and_ref_together_are_invalid(client: Client) -> None:
    error = await client.error("click", {"selector": "a", "ref": "e1"})
    assert error.code == "INVALID_INPUT"
    assert "only one of selector, ref and words" in error.message


async def test_unknown_field_is_refused_with_a_suggestion(client: Client) -> None:
    error = await client.error("click", {"selecter": "a"})
    assert error.code == "INVALID_INPUT"
    assert "did you mean selector" in str(error.hint)


async def test_fill_puts_text_in_place_of_what_is_there(client: Client, site: TestSite) -> None:
    url = site.url("/form.html")
    await client.data("fill", {"url": url, "selector": "#name", "text": "Grace"})
    response = await client.send("fill", {"selector": "#name", "text": "Ada"})
    assert response.data == {"selector": "#name", "text": "Ada"}
    assert response.inputs == {"selector": "#name", "text": "Ada"}
    assert delta(response) == {"url": url, "selector": "#name"}
    await client.data("click", {"selector": "#submit"})
    assert "name=Ada\n" in await text_of(client, "#result")


async def test_fill_without_a_text_clears_the_field(client: Client, site: TestSite) -> None:
    await client.data("fill", {"url": site.url("/form.html"), "selector": "#name", "text": "Ada"})
    response = await client.send("fill", {"selector": "#name"})
    assert response.inputs == {"selector": "#name"}
    value = await client.data("page.eval", {"expression": "document.querySelector('#name').value"})
    assert value["result"] == ""


async def test_fill_of_another_element_is_an_error_with_the_reason(
    client: Client, site: TestSite
) -> None:
    await client.data("navigate", {"url": site.url("/form.html")})
    error = await client.error("fill", {"selector": "h1", "text": "x"})
    assert error.code == "INVALID_INPUT"
    assert "h1" in error.message


async def test_fill_of_a_number_field_with_letters_is_an_error_with_the_reason(
    client: Client, site: TestSite
) -> None:
    await client.data("navigate", {"url": site.url("/form.html")})
    error = await client.error("fill", {"selector": "#age", "text": "ten"})
    assert error.code == "INVALID_INPUT"


@pytest.mark.parametrize("has_secrets", [False, True])
async def test_field_that_navigates_while_it_is_filled_is_filled(
    client: Client, site: TestSite, has_secrets: bool
) -> None:
    if has_secrets:
        await client.data("navigate", {"url": data_url("<input type=password>")})
        await client.data("fill", {"selector": "input", "text": "x"})
    code = f"<input id=code oninput=\"location.assign('{site.url('/text.html')}')\">"
    await client.data("navigate", {"url": data_url(code)})
    data = await client.data(
        "fill", {"selector": "#code", "text": "123456"}, overrides={"timeoutMs": 3000}
    )
    assert data == {"selector": "#code", "text": "123456"}


@pytest.mark.usefixtures("own_tab")
async def test_field_that_opens_a_dialog_while_it_is_filled_is_filled(client: Client) -> None:
    await client.data("navigate", {"url": data_url("<input id=code oninput='alert(1)'>")})
    response = await client.send(
        "fill", {"selector": "#code", "text": "x"}, overrides={"timeoutMs": 3000}
    )
    assert response.ok, response.error
    assert (await client.data("dialog.show"))["open"] is True
    await client.data("dialog.accept")


async def value_of(client: Client, expression: str) -> object:
    result: object = (await client.data("page.eval", {"expression": expression}))["result"]
    return result


COUNT_EVENTS = """
<h1>Elsewhere</h1><button>Press</button><p id=seen></p><script>
  for (const kind of ["click", "dblclick", "contextmenu", "mouseenter"])
    document.querySelector("button").addEventListener(kind, (event) => {
      event.preventDefault();
      document.querySelector("#seen").textContent += `${kind}${event.shiftKey ? "+shift" : ""} `;
    });
</script>"""


@pytest.mark.parametrize(
    ("op", "input", "seen"),
    [
        ("dblclick", {}, "mouseenter click click dblclick"),
        ("hover", {}, "mouseenter"),
        ("click", {"button": "right"}, "mouseenter contextmenu"),
        ("click", {"modifiers": ["Shift"]}, "mouseenter+shift click+shift"),
    ],
)
async def test_button_and_modifiers_are_used(
    client: Client, op: str, input: dict[str, object], seen: str
) -> None:
    await client.data("hover", {"url": data_url(COUNT_EVENTS), "selector": "h1"})
    await client.data("page.eval", {"expression": "document.querySelector('#seen').innerText = ''"})
    response = await client.send(op, {"selector": "button", **input})
    assert response.data is not None
    assert response.data.keys() == {"beforeUrl", "afterUrl", "navigated", "selector"}
    assert response.inputs == {"selector": "button", **input}
    assert (await text_of(client, "#seen")) == seen


async def test_checkbox_is_checked_and_unchecked(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/form.html")})
    for op, ticked in (("check", True), ("check", True), ("uncheck", False), ("uncheck", False)):
        data = await client.data(op, {"selector": "#agree"})
        assert data.keys() == {"beforeUrl", "afterUrl", "navigated", "selector"}
        assert await value_of(client, "document.querySelector('#agree').checked") is ticked


async def test_only_checkboxes_can_be_checked(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/form.html")})
    error = await client.error("check", {"selector": "#name"})
    assert error.code == "INVALID_INPUT"


@pytest.mark.parametrize("values", [["green"], ["Green"]])
async def test_option_is_chosen_by_value_or_label(
    client: Client, site: TestSite, values: list[str]
) -> None:
    await client.data("navigate", {"url": site.url("/form.html")})
    response = await client.send("select", {"selector": "#color", "values": values})
    assert response.data is not None
    assert response.data.keys() == {"beforeUrl", "afterUrl", "navigated", "selector", "selected"}
    assert response.data["selected"] == ["green"]
    assert response.inputs == {"selector": "#color", "values": values}


async def test_an_option_that_does_not_exist_is_a_timeout_with_the_reason(
    client: Client, site: TestSite
) -> None:
    await client.data("navigate", {"url": site.url("/form.html")})
    error = await client.error(
        "select", {"selector": "#color", "values": ["mauve"]}, overrides={"timeoutMs": 800}
    )
    assert error.code == "TIMEOUT"
    assert "option" in error.message


async def test_key_is_pressed_on_an_element_or_where_the_focus_is(
    client: Client, site: TestSite
) -> None:
    await client.data("navigate", {"url": site.url("/form.html")})
    response = await client.send("press", {"selector": "#query", "key": "a"})
    assert response.data is not None
    assert response.data.keys() == {"beforeUrl", "afterUrl", "navigated", "key", "selector"}
    assert response.inputs == {"selector": "#query", "key": "a"}
    response = await client.send("press", {"key": "Shift+B"})
    assert response.data is not None
    assert response.data.keys() == {"beforeUrl", "afterUrl", "navigated", "key"}
    assert response.inputs == {"key": "Shift+B"}
    assert await value_of(client, "document.querySelector('#query').value") == "aB"


async def test_key_that_submits_a_form_waits_for_the_navigation(
    client: Client, site: TestSite
) -> None:
    await client.data("navigate", {"url": site.url("/form.html")})
    await client.data("press", {"selector": "#query", "key": "Enter"})
    data = await client.data("wait", {"condition": "text=headers"})
    assert data["selectorFound"] is True


@pytest.mark.parametrize("target", [{}, {"selector": "#name"}])
async def test_unknown_key_is_invalid(
    client: Client, site: TestSite, target: dict[str, str]
) -> None:
    await client.data("navigate", {"url": site.url("/form.html")})
    error = await client.error("press", {**target, "key": "NoSuchKey"})
    assert error.code == "INVALID_INPUT"
    assert "NoSuchKey" in error.message


async def test_text_is_typed_key_by_key(client: Client, site: TestSite) -> None:
    await client.data("fill", {"url": site.url("/form.html"), "selector": "#query", "text": "a"})
    response = await client.send("type", {"selector": "#query", "text": "bc", "delayMs": 10})
    assert response.data == {"selector": "#query", "text": "bc"}
    assert response.inputs == {"selector": "#query", "text": "bc", "delayMs": 10}
    assert await value_of(client, "document.querySelector('#query').value") == "abc"
    response = await client.send("type", {"text": "d", "submit": True})
    assert response.data == {"text": "d"}
    data = await client.data("wait", {"condition": "text=abcd"})
    assert data["selectorFound"] is True
