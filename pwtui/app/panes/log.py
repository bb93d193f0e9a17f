"""The log of requests, and the detail of one."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType

from pwtui.app import actions
from pwtui.app.panel import InPanel
from pwtui.app.store import Store
from pwtui.widgets.envelope_detail import EnvelopeDetail
from pwtui.widgets.envelope_log import EnvelopeLog


class LogPane(InPanel, EnvelopeLog):
    def __init__(self, *, id: str) -> None:
        super().__init__(self.app.store.log, id=id)

    def caption(self, store: Store) -> str:
        return self.summary()

    @on(EnvelopeLog.RunAgainRequested)
    def _run_again(self, event: EnvelopeLog.RunAgainRequested) -> None:
        if event.entry.request and not event.entry.is_event:
            self.app.send(self.controller.request_of(event.entry))

    @on(EnvelopeLog.EditRequested)
    def _edit(self, event: EnvelopeLog.EditRequested) -> None:
        if event.entry.request and not event.entry.is_event:
            self.app.open_operation(self.controller.request_of(event.entry))


class DetailPane(InPanel, EnvelopeDetail):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "screen.find", "find", key_display="/", show=False, id="detail.find"),
    ]

    @on(EnvelopeDetail.ArtifactOpened)
    def _open_artifact(self, event: EnvelopeDetail.ArtifactOpened) -> None:
        actions.output.open_file(self.app, Path(event.path))
