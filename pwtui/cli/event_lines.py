"""Events of sessions as lines for people."""

from __future__ import annotations

import time

from pwtui.protocol.events import (
    BrowserEvent,
    CallEvent,
    ConsoleEvent,
    DialogEvent,
    DownloadEvent,
    DroppedEvent,
    FileChooserEvent,
    FloodEvent,
    FrameEvent,
    HoldEvent,
    NavigationEvent,
    NetworkEvent,
    ObservedEvent,
    PageErrorEvent,
    SnapshotEvent,
    TabEvent,
    UnseenEvent,
    UserEvent,
    WebSocketEvent,
)
from pwtui.protocol.printable import one_line
from pwtui.protocol.snapshot import count_nodes


def line_of(event: ObservedEvent | DroppedEvent) -> str:
    """An event as one line for people."""
    if isinstance(event, DroppedEvent):
        return f"dropped {event.count} events: this terminal is too slow"
    tab = "" if event.tab is None else f" {event.tab}"
    moment = time.strftime("%H:%M:%S", time.localtime(event.time))
    return one_line(f"{event.event} {moment} {event.profile or event.client}{tab}  {_what(event)}")


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
            total = f" of {event.total_bytes}" if event.total_bytes else ""
            size = "" if event.received_bytes is None else f", {event.received_bytes}{total} bytes"
            return f"{event.change} {event.suggested_filename} from {event.url}{size}{why}"
        case NavigationEvent():
            return f"{event.url}{'' if event.frame == 'main' else ' in a frame'}"
        case TabEvent():
            return f"{event.change} {event.title or ''} {event.url}"
        case BrowserEvent():
            return f"{event.change}: {event.how}"
        case UserEvent():
            said = [event.key, event.selector or event.url, event.text, *(event.values or ())]
            return " ".join([event.action, *(each for each in said if each)])
        case SnapshotEvent():
            return f"{event.title} {event.url}: {count_nodes(event.text)[0]} nodes"
        case FrameEvent():
            return f"{event.viewport_width}x{event.viewport_height}: {len(event.data)} bytes"
        case CallEvent():
            ms = "" if event.duration_ms is None else f" {event.duration_ms:.0f} ms"
            source = f" ({event.source.file}:{event.source.line})" if event.source else ""
            result = event.error or ("ok" if event.status == "success" else event.status)
            return f"{event.tool}: {event.title} → {result}{ms}{source}"
        case HoldEvent():
            parts = (event.change, event.client, event.action, event.by and f"by {event.by}")
            return " ".join(filter(None, (*parts, event.reason)))
        case UnseenEvent():
            return f"{event.kind} events cannot be seen: {event.reason}"
        case FloodEvent():
            least = "" if event.is_exact else "at least "
            return f"too many {event.kind} events: dropped {least}{event.dropped}"
