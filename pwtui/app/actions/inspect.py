"""The actions of the console and the network pane."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from pwtui.app.actions.output import copy_text
from pwtui.app.exchange import Exchange, pattern_of, read_body, read_exchange
from pwtui.widgets.console_list import ConsoleRow
from pwtui.widgets.dialogs import Choice, ChoiceDialog, PromptDialog
from pwtui.widgets.folded_text import Part
from pwtui.widgets.network_list import NetworkRow

if TYPE_CHECKING:
    from pwtui.app.app import PanelApp

_COPIES = (
    Choice("curl", "cURL command", "c"),
    Choice("route", "route.add with this response", "r"),
    Choice("har", "HAR", "h"),
    Choice("url", "URL", "u"),
)


def open_message(app: PanelApp, row: ConsoleRow) -> None:
    """Show the whole text of a message, and its stack."""
    from pwtui.app.screens.request import FoldedWindow

    at = time.strftime("%H:%M:%S", time.localtime(row.time))
    kind = "uncaught error" if row.type == "pageerror" else row.type
    title = f"{kind}  {at}  {row.source}".rstrip()
    if row.has_value:
        parts = [Part("", value=row.value, has_value=True)]
    else:
        parts = [Part("Message", row.text.splitlines())]
        parts += [Part("Stack", row.stack.splitlines())] if row.stack else []
    app.push_screen(FoldedWindow(title, parts))


async def evaluate(app: PanelApp) -> None:
    """Evaluate an expression in the page, and show its result in the console."""
    prompt = PromptDialog("Evaluate", placeholder="a JavaScript expression: document.title")
    expression = await app.push_screen_wait(prompt)
    if not expression:
        return
    store = app.store
    store.add_message(ConsoleRow(0, "evaluated", expression, time.time()))
    response = await app.perform(app.controller.request("page.eval", {"expression": expression}))
    if response is None:
        return
    if response.data is not None:
        value = response.data.get("result")
        text = json.dumps(value, ensure_ascii=False)
        row = ConsoleRow(0, "result", text, time.time(), value=value, has_value=True)
        store.add_message(row)
    elif response.error is not None:
        store.add_message(ConsoleRow(0, "error", response.error.message, time.time()))


async def open_request(app: PanelApp, row: NetworkRow) -> None:
    """Show the headers, bodies and timing of a request."""
    from pwtui.app.screens.request import RequestWindow

    with app.opening():
        exchange = await _exchange_of(app, row)
        if exchange is not None:
            app.push_screen(RequestWindow(exchange, row.cause))


async def copy_as(app: PanelApp, row: NetworkRow) -> None:
    """Copy a request in a form that the user chooses."""
    # The question first: it must be open before the next key is typed.
    chosen = await app.push_screen_wait(ChoiceDialog("Copy as", _COPIES))
    if chosen is not None and (exchange := await _exchange_of(app, row)) is not None:
        await _copy(app, exchange, chosen)


async def copy_exchange(app: PanelApp, exchange: Exchange) -> None:
    chosen = await app.push_screen_wait(ChoiceDialog("Copy as", _COPIES))
    if chosen is not None:
        await _copy(app, exchange, chosen)


async def _copy(app: PanelApp, exchange: Exchange, chosen: str) -> None:
    for which in ("request", "response"):
        if which not in exchange.bodies:
            await read_body(app.controller.ask, exchange, which)
    match chosen:
        case "curl":
            copy_text(app, exchange.curl())
        case "route":
            request = app.controller.request("route.add", exchange.route())
            copy_text(app, json.dumps(request.to_wire(), ensure_ascii=False))
        case "har":
            copy_text(app, json.dumps(exchange.har(), ensure_ascii=False, indent=2))
        case _:
            copy_text(app, exchange.row.url)


async def mock(app: PanelApp, row: NetworkRow) -> None:
    """Open the form of a route that answers with the response, to be changed."""
    with app.opening():
        exchange = await _exchange_of(app, row)
        if exchange is not None:
            await read_body(app.controller.ask, exchange, "response")
            open_mock(app, exchange)


def open_mock(app: PanelApp, exchange: Exchange) -> None:
    app.open_operation(app.controller.request("route.add", exchange.route()))


async def body_of(app: PanelApp, row: NetworkRow) -> str:
    """The text of the response, as far as there is one."""
    exchange, _ = await read_exchange(app.controller.ask, row)
    if exchange is None:
        return ""
    await read_body(app.controller.ask, exchange, "response")
    body = exchange.bodies.get("response")
    return (body.text if body is not None else None) or ""


def block(app: PanelApp, row: NetworkRow) -> None:
    """Abort requests to this URL from now on."""
    app.send(app.controller.request("route.add", {"pattern": pattern_of(row), "abort": True}))


async def _exchange_of(app: PanelApp, row: NetworkRow) -> Exchange | None:
    """The request with its headers. None if it cannot be asked about."""
    if row.index is None:
        app.notify("The request has no response yet, or belongs to no tab.", timeout=5)
        return None
    exchange, response = await read_exchange(app.controller.ask, row)
    if exchange is None:
        app.show_failure(response)
    return exchange
