"""What the panel knows of a page while it loads what happened before."""

from __future__ import annotations

from typing import Any

from pwtui.app.inspector import Inspector, with_newer_requests
from pwtui.app.store import Store
from pwtui.protocol.envelope import Response
from pwtui.widgets.network_list import NetworkRow
from tests.app.fixed import ROOT, fill

PLACE = {"sessionKey": "s", "workspace": ROOT, "profile": "default", "tab": 0, "pageUrl": "u"}


def error(text: str, time: float) -> dict[str, Any]:
    return {"event": "pageError", "text": text, "time": time, **PLACE}


async def test_an_error_that_arrives_between_the_replies_is_not_lost() -> None:
    store = Store("default", ROOT)
    fill(store)
    active = next(each for each in store.page.tabs if each.active)
    store.page.set_tabs([active.model_copy(update={"index": 0})])

    async def observe(kinds: tuple[str, ...], profile: str, frames: dict[str, int] | None) -> None:
        inspector.receive(error("listed", 5.0))

    async def ask(op: str, /, **input: object) -> Response:
        if op == "requests.list":
            inspector.receive(error("between the replies", 6.0))
            return Response(ok=True, op=op, data={"requests": []})
        listed = {"type": "pageerror", "text": "listed", "time": 5.0, "pageUrl": "u"}
        return Response(ok=True, op=op, data={"messages": [listed]})

    inspector = Inspector(store, ask, observe, lambda: None)
    await inspector.load("default")

    assert [row.text for row in store.console.rows] == ["listed", "between the replies"]
    assert store.console.new_errors == 2


async def test_what_a_tab_did_stays_while_it_cannot_be_asked() -> None:
    store = Store("default", ROOT)
    fill(store)
    is_open = True

    async def observe(kinds: tuple[str, ...], profile: str, frames: dict[str, int] | None) -> None:
        pass

    async def ask(op: str, /, **input: object) -> Response:
        return Response(
            ok=is_open, op=op, data={"requests": [], "messages": []} if is_open else None
        )

    inspector = Inspector(store, ask, observe, lambda: None)
    await inspector.load("default")
    store.put_request(request(7, None, "/x", failure="net::ERR_CONNECTION_REFUSED"))

    is_open = False  # the navigation failed
    await inspector.load("default")

    assert [row.url for row in store.network.rows] == ["/x"]


def request(number: int, index: int | None, url: str, **more: Any) -> NetworkRow:
    return NetworkRow(number, index, "GET", url, "fetch", **more)


def test_a_request_that_is_listed_and_arrived_is_one_row() -> None:
    listed = [request(0, 1, "/a", is_pending=False), request(0, 2, "/b"), request(0, 3, "/c")]
    arrived = [
        request(7, None, "/b"),
        request(8, None, "/c"),
        request(8, 3, "/c", status=404),
        request(9, None, "/a"),
        request(10, 5, "/e", status=200),
    ]
    rows = with_newer_requests(listed, arrived)

    assert [(row.number, row.index, row.url, row.status) for row in rows] == [
        (0, 1, "/a", None),
        (0, 2, "/b", None),
        (0, 3, "/c", 404),
        (9, None, "/a", None),
        (10, 5, "/e", 200),
    ]
