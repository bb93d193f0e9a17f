"""Reads a moment from the history: the page after a request, with its console and requests."""

from __future__ import annotations

import json
from base64 import b64encode
from io import BytesIO
from typing import Any

from PIL import Image

from pwtui.app.earlier_rows import READ_ERRORS
from pwtui.app.inspector import message_row, request_row
from pwtui.app.page_state import PictureView
from pwtui.app.store import PastView, SnapshotView
from pwtui.history.reader import Condition, Entry, HistoryReader
from pwtui.history.steps import LAST_SECONDS
from pwtui.protocol.snapshot import SnapshotTree, parse_snapshot
from pwtui.widgets.console_list import ConsoleLog
from pwtui.widgets.log_entry import LogEntry
from pwtui.widgets.network_list import NetworkLog

ABOUT_SECONDS = 5.0
"""A panel and the daemon note the start of a request at nearly the same time."""
NOTHING = "the history has no tree of this page before that time"


def read_moment(entry: LogEntry, workspace: str) -> PastView:
    """The page after the request of a log entry."""
    try:
        with HistoryReader() as history:
            recorded = find_entry(history, entry, workspace)
            if recorded is None:
                return PastView(entry, SnapshotView(problem="it is not in the history"))
            return _moment(history, entry, recorded)
    except READ_ERRORS as error:
        return PastView(entry, SnapshotView(problem=f"the history cannot be read: {error}"))


def find_entry(history: HistoryReader, entry: LogEntry, workspace: str) -> Entry | None:
    """The record of a log entry."""
    if entry.seq < 0:
        return history.entry(-entry.seq)
    near = Condition(
        "time between ? and ? and requests.workspace = (select id from names where text = ?) "
        "and requests.op = (select id from names where text = ?)",
        (entry.time - ABOUT_SECONDS, entry.time + ABOUT_SECONDS, workspace, entry.op),
    )
    found = sorted(history.entries([near]), key=lambda each: abs(each.time - entry.time))
    id = entry.request.get("requestId")
    for each in found:
        if id is not None and each.client == entry.client:
            request, _ = history.envelopes(each.id)
            if request and json.loads(request).get("requestId") == id:
                return each
    return next((each for each in found if id is None and each.client == entry.client), None)


def _moment(history: HistoryReader, entry: LogEntry, recorded: Entry) -> PastView:
    at = recorded.time + (recorded.ms or 0.0) / 1000
    looks = _looks(history, recorded)
    if not looks:
        return PastView(entry, SnapshotView(problem=NOTHING, taken_at=at))
    id, time, tree, picture, url, session = looks[0]
    end = _end(history, recorded, session)
    shown = SnapshotView(_tree(history, tree), url or "", taken_at=time)
    messages, requests = _events(history, session, end)
    console, network = ConsoleLog(), NetworkLog()
    console.replace([message_row(each) for each in messages])
    network.replace([request_row(each) for each in requests])
    return PastView(
        entry,
        shown,
        before=_tree(history, looks[1][2]) if len(looks) > 1 else None,
        picture=_picture(history.content(picture), time),
        console=list(console.rows),
        network=list(network.rows),
        is_exact=id == recorded.id,
    )


def _looks(history: HistoryReader, recorded: Entry) -> list[Any]:
    """The newest two looks at the page of the request's profile, the newest first."""
    return history.rows(
        "select requests.id, time, tree, picture, (select url from requests other "
        "where other.id <= requests.id and other.id > requests.id - 1000 "
        "and other.session = requests.session and url is not null order by id desc limit 1), "
        "names.text from requests join names on names.id = session "
        "where tree is not null and requests.id <= ? "
        "and profile = (select id from names where text = ?) "
        "and workspace = (select id from names where text = ?) "
        "order by requests.id desc limit 2",
        recorded.id,
        recorded.profile,
        recorded.workspace,
    ).fetchall()


def _end(history: HistoryReader, recorded: Entry, session: str) -> float:
    """Events before this time happened before the next request of the session."""
    (later,) = history.rows(
        "select min(time) from (select time from requests where id > ? and id < ? + 1000 "
        "and session = (select id from names where text = ?))",
        recorded.id,
        recorded.id,
        session,
    ).fetchone()
    end = recorded.time + (recorded.ms or 0.0) / 1000 + LAST_SECONDS
    return min(later, end) if later is not None else end


def _events(
    history: HistoryReader, session: str, end: float
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The messages and the requests of the page that was open at a time."""
    (start,) = history.rows(
        "select max(time) from events where time <= ? "
        "and kind = (select id from names where text = 'navigation') "
        "and session = (select id from names where text = ?) "
        """and instr(data, '"frame": "main"') + instr(data, '"frame":"main"') > 0""",
        end,
        session,
    ).fetchone()
    console, network = [], []
    for event in history.events(start or 0.0, end, session=session, kinds=KINDS):
        data = {"time": event.time, **json.loads(event.data)}
        if event.kind == "network":
            if "index" in data:  # as it is listed
                network.append(data)
        else:
            console.append({"type": "pageerror", **data})
    return console, network


KINDS = ("console", "pageError", "network")


def _picture(data: bytes | None, time: float) -> PictureView | None:
    if data is None:
        return None
    with Image.open(BytesIO(data)) as picture:
        size = picture.size
    return PictureView(b64encode(data).decode(), size, "", time)


def _tree(history: HistoryReader, number: int) -> SnapshotTree:
    return parse_snapshot((history.content(number) or b"").decode("utf-8", "replace"))
