"""The requests sent by this panel, now and in earlier runs."""

from __future__ import annotations

from copy import copy
from typing import Any

from pwtui.app.settings import KEPT_REQUESTS, PastRequest, Settings
from pwtui.protocol.catalog import Effect, catalog
from pwtui.protocol.envelope import Request, Response
from pwtui.widgets.log_entry import LogEntry

KEPT_INPUTS = 10_000

Wire = dict[str, Any]


class RequestHistory:
    def __init__(self, settings: Settings, workspace: str) -> None:
        self._settings = settings
        self._workspace = workspace
        self._inputs: dict[str, dict[str, Any]] = {}
        """The latest inputs by request id, with secrets; the log and the disk have them masked."""
        self.requests = [
            past.request for past in settings.now.history if past.workspace == workspace
        ]
        """The latest last; refs are replaced by locators."""
        self.last_action: Request | None = None
        self.typed_lines: list[str] = []

    def sent(self, request: Request) -> None:
        if request.request_id is not None:
            self._inputs[request.request_id] = request.input
            if len(self._inputs) > KEPT_INPUTS:
                del self._inputs[next(iter(self._inputs))]
        self.requests = _with_newest(self.requests, _without_id(request))
        info = catalog().get(request.op)
        if info is not None and info.takes_element and info.effect is Effect.ACTS:
            self.last_action = request

    def succeeded(self, request: Request, response: Response) -> None:
        """Save a request that succeeded: in a failed one, secrets are not known."""
        from pwtui.recordings.model import RecordedStep, as_kept, refs_left, replayable

        wire = _without_id(request)
        kept = replayable(as_kept(request, response).to_wire(), response.to_wire())
        self.requests = _with_newest([each for each in self.requests if each != wire], kept)
        if not refs_left([RecordedStep(0, Request.model_validate(kept))]):
            self._settings.remember(PastRequest(workspace=self._workspace, request=kept))

    def unmasked(self, entry: LogEntry) -> LogEntry:
        """The entry with its secrets, if this panel sent it."""
        request = entry.request
        input = self._inputs.get(request.get("requestId") or "")
        if input is None:
            return entry
        unmasked = copy(entry)
        unmasked.answer({**request, "input": input}, entry.response)
        return unmasked


def _without_id(request: Request) -> Wire:
    return request.model_copy(update={"request_id": None}).to_wire()


def _with_newest(history: list[Wire], wire: Wire) -> list[Wire]:
    """The history with this request moved to its end."""
    return [*(each for each in history if each != wire), wire][-KEPT_REQUESTS:]
