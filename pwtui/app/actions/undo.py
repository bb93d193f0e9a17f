"""Undoes the latest change of the user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pwtui.app.undo import Final, Restoration, Reversal
from pwtui.protocol.envelope import Response
from pwtui.protocol.errors import PwError
from pwtui.widgets.text import plain

if TYPE_CHECKING:
    from pwtui.app.app import PanelApp

SECONDS = 6.0


async def undo(app: PanelApp) -> None:
    """Undo the last change, or report why that is not possible."""
    stack = app.controller.undo
    record = stack.last
    match record:
        case None:
            text = "There is nothing to undo."
        case Final():
            stack.records.pop()
            more = f" Press again to undo: {stack.last.what}" if stack.last else ""
            text = f"{record.what} cannot be undone.{more}"
        case Restoration():
            stack.records.pop()
            text = _outcome(record.what, record.restore())
        case Reversal():
            refusals = map(app.controller.refusal, record.requests)
            if refusal := next(filter(None, refusals), None):
                app.show_failure(Response.failure(record.requests[0].op, refusal))
                return
            stack.records.pop()
            try:
                problem = await record.unless() or await _run(app, record)
            except PwError as error:
                problem = str(error)
            text = _outcome(record.what, problem)
    app.notify(plain(text), timeout=SECONDS, markup=False)


def _outcome(what: str, problem: str) -> str:
    return f"{what} cannot be undone: {problem}" if problem else f"Undone: {what}"


async def _run(app: PanelApp, record: Reversal) -> str:
    """Send the requests; returns why one failed."""
    controller = app.controller
    for request in record.requests:
        response = await controller.send(request, can_undo=False)
        if response.error is not None:
            return str(response.error)
    if record.shows is not None and controller.store.active_profile == record.shows[0]:
        controller.activate(record.shows[1])
    controller.store.notices.add("", about=f"undo {record.what}")
    if controller.store.page.storage:
        await controller.storage.read()
    return ""
