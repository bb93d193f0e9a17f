"""Events of sessions as lines for people."""

from __future__ import annotations

import time

from pwtui.protocol.events import (
    BrowserEvent,
    ConsoleEvent,
    DialogEvent,
    DownloadEvent,
    DroppedEvent,
    FileChooserEvent,
    FloodEvent,
    NavigationEvent,
    NetworkEvent,
    ObservedEvent,
    PageErrorEvent,
    TabEvent,
    WebSocketEvent,
)
from pwtui.protocol.printable import one_line


def line_of(event: ObservedEvent | DroppedEvent) -> str:
    """An event as one line for people."""
    if isinstance(event, DroppedEvent):
        return f"dropped {event.count} events: this terminal is too slow"
    tab = "" if event.tab is None else f" {event.tab}"
    moment = time.strftime("%H:%M:%S", time.localtime(event.time))
    return one_line(f"{event.event} {moment} {event.profile}{tab}  {_what(event)}")


def _what(event: ObservedEvent) -> str:
    match event:
        case ConsoleEvent():
            where = f" ({event.url}:{event.line})" if event.url else ""
            return f"{event.type}: {event.text}{where}"
        case PageErrorEvent():
            return f"{event.text} ({event.page_url})"
        case NetworkEvent():
            outcome = event.failure or event.status or ""
            cached = " from cache" if event.from_cache else ""
            ms = "" if event.duration_ms is None else f" {event.duration_ms:.0f} ms"
            return f"{event.change} {event.method} {event.url} {outcome}{cached}{ms}".rstrip()
        case WebSocketEvent():
            frames = f"{event.frames_sent} frames sent, {event.frames_received} received"
            return f"{event.change} {event.url}: {event.error or frames}"
        case DialogEvent():
            shown = f" {event.dialog.type}: {event.dialog.message}" if event.dialog else ""
            return f"{event.change}{shown}"
        case FileChooserEvent():
            return "for several files" if event.multiple else "for one file"
        case DownloadEvent():
            why = f": {event.failure}" if event.failure else ""
            return f"{event.change} {event.suggested_filename} from {event.url}{why}"
        case NavigationEvent():
            return f"{event.url}{'' if event.frame == 'main' else ' in a frame'}"
        case TabEvent():
            return f"{event.change} {event.title or ''} {event.url}"
        case BrowserEvent():
            return f"{event.change}: {event.how}"
        case FloodEvent():
            return f"too many {event.kind} events: dropped at least {event.dropped}"
