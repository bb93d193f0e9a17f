"""The actions of the console and the network pane."""

from __future__ import annotations

import json
import shlex
import time
from typing import TYPE_CHECKING, Any

from pwtui.app.actions.output import copy_text
from pwtui.app.screens.text import TextWindow
from pwtui.protocol.catalog import catalog
from pwtui.protocol.envelope import Response
from pwtui.protocol.outcome import result
from pwtui.widgets.console_list import ConsoleRow
from pwtui.widgets.dialogs import PromptDialog
from pwtui.widgets.network_list import NetworkRow
from pwtui.widgets.text import cut, plain

if TYPE_CHECKING:
    from pwtui.app.app import PanelApp

LONGEST_TITLE = 70
# What a client adds to each request itself.
_OWN_HEADERS = frozenset(("content-length", "host", "connection"))


def open_message(app: PanelApp, row: ConsoleRow) -> None:
    """Show the whole text of a message, and its stack."""
    at = time.strftime("%H:%M:%S", time.localtime(row.time))
    parts = [f"{row.type}  {at}  {row.source}".rstrip(), row.text, row.stack]
    app.push_screen(TextWindow("Console message", "\n\n".join(filter(None, parts))))


async def evaluate(app: PanelApp) -> None:
    """Evaluate an expression in the page, and show its result in the console."""
    prompt = PromptDialog("Evaluate", placeholder="a JavaScript expression: document.title")
    expression = await app.push_screen_wait(prompt)
    if not expression:
        return
    store = app.controller.store
    store.add_message(ConsoleRow(0, "evaluated", expression, time.time()))
    response = await app.perform(app.controller.request("page.eval", {"expression": expression}))
    if response is None:
        return
    if response.data is not None:
        text = json.dumps(response.data.get("result"), ensure_ascii=False, indent=2)
        store.add_message(ConsoleRow(0, "result", text, time.time()))
    elif response.error is not None:
        store.add_message(ConsoleRow(0, "error", response.error.message, time.time()))


async def open_request(app: PanelApp, row: NetworkRow) -> None:
    """Show the headers, bodies and timing of a request."""
    shown = await _ask(app, row, "requests.show")
    if shown is None or shown.data is None:
        return
    parts = [str(result(catalog()["requests.show"], shown))]
    for which in ("request", "response"):
        body = await _ask(app, row, "requests.body", which=which)
        text = (body.data or {}).get("text") if body is not None else None
        if text:
            parts.append(f"{which} body:\n{_formatted(text)}")
    title = cut(plain(f"{row.method} {row.url}"), LONGEST_TITLE)
    app.push_screen(TextWindow(title, "\n\n".join(parts)))


async def copy_as_curl(app: PanelApp, row: NetworkRow) -> None:
    shown = await _ask(app, row, "requests.show")
    if shown is None or shown.data is None:
        return
    words = ["curl", row.url]
    if row.method != "GET":
        words += ["-X", row.method]
    for header in shown.data["requestHeaders"]:
        if not header["name"].startswith(":") and header["name"].lower() not in _OWN_HEADERS:
            words += ["-H", f"{header['name']}: {header['value']}"]
    body = await _ask(app, row, "requests.body", which="request")
    if body is not None and (text := (body.data or {}).get("text")):
        words += ["--data-raw", text]
    copy_text(app, shlex.join(words))


def block(app: PanelApp, row: NetworkRow) -> None:
    """Abort requests to this URL from now on."""
    pattern = row.url.partition("?")[0]
    app.send(app.controller.request("route.add", {"pattern": pattern + "*", "abort": True}))


async def _ask(app: PanelApp, row: NetworkRow, op: str, **input: Any) -> Response | None:
    """Ask about a request. None if it cannot be asked about."""
    if row.index is None:
        app.notify("The request has no response yet, or belongs to no tab.", timeout=5)
        return None
    response = await app.controller.ask(op, index=row.index, **input)
    if op == "requests.show":
        app.show_failure(response)
    return response


def _formatted(text: str) -> str:
    """JSON in lines; any other text as it is."""
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=2)
    except ValueError:
        return text
