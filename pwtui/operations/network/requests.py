"""The requests of a page and their responses."""

from __future__ import annotations

import asyncio
import mimetypes
from collections.abc import Awaitable
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from playwright.async_api import Error
from pydantic import Field, PositiveInt

from pwtui.browser.session.request_log import Exchange
from pwtui.operations.framework.browser_errors import rejected_as
from pwtui.operations.framework.declare import (
    Engines,
    Group,
    Keyword,
    Outcome,
    Run,
    configures,
    reads,
)
from pwtui.operations.framework.fields import Data, EchoAs
from pwtui.operations.framework.page_call import PageCall
from pwtui.operations.framework.target_fields import UrlFields
from pwtui.protocol.errors import InvalidInput
from pwtui.protocol.model import Maybe, Volatile
from pwtui.runtime.patterns import url_pattern

GROUP = Group.NETWORK

T = TypeVar("T")

NOT_MODIFIED = 304
STATIC = {"image", "media", "font", "script", "stylesheet", "texttrack", "manifest"}
# The headers of a pending request are known when it ends.
HEADERS_SECONDS = 1.0
LONGEST_TEXT = 1_000_000

EXCHANGE = "{index}. [{method}] {url} => {status|failure|'pending'}"
REQUEST = Outcome(
    (
        EXCHANGE,
        "\nrequest headers:\n{requestHeaders:headers}",
        "\nresponse headers:\n{responseHeaders:headers}",
        "\nrequest body bytes: {requestBodyBytes}",
        "\nduration ms: {durationMs}",
        "\nserver: {server}",
        "\ntiming:\n{timing:outline}",
        "\nredirected from: {redirectedFrom}",
        "\nredirected to: {redirectedTo}",
    )
)


class RequestSummary(Data):
    index: int
    method: str
    url: str
    resource_type: str
    status: Maybe[int] = None
    status_text: Maybe[str] = None
    failure: Maybe[str] = Field(None, description="Why the request failed.")
    pending: Maybe[Literal[True]] = Field(None, description="There is no response yet.")
    started_at: Volatile[float] = Field(description="In seconds since 1970.")
    duration_ms: Volatile[Maybe[float]] = None
    body_bytes: Volatile[Maybe[int]] = Field(
        None, description="Received bytes of the response's body, if events were recorded."
    )
    cached: Volatile[Maybe[Literal[True]]] = None


class RequestsInput(UrlFields):
    filter: str | None = Field(
        None, description="Part of the URL, a glob, or /a regular expression/."
    )
    static: bool = Field(
        False, description="Include successful requests for images, fonts, scripts and styles."
    )
    all: bool = Field(False, description="Include requests of earlier pages of this tab.")


class RequestsData(Data):
    requests: list[RequestSummary]
    count: int
    hidden_static: int = Field(description="Number of static requests that are not listed.")
    dropped: Maybe[int] = Field(
        None, description="Number of requests of this tab that were dropped."
    )


@reads(
    "requests.list",
    "requests|network|net --static --all --filter --clear@requests.clear",
    example={"filter": "/api/"},
    outcome=Outcome((EXCHANGE,), rows="requests", empty="no requests"),
)
async def requests_list(call: PageCall, input: RequestsInput) -> RequestsData:
    """List the requests of the open page.

    The newest 1000 of a tab are kept, each with its number. Above 200 requests a second (bursts of
    4000) listening pauses for up to 10 s; `dropped` and a warning report what is missing.
    """
    call.note_gaps("requests", call.tab.requests.feed)
    exchanges = list(call.tab.requests) if input.all else call.tab.requests.of_page()
    if input.filter is not None:
        pattern = url_pattern(input.filter)
        exchanges = [each for each in exchanges if pattern.is_in(each.request.url)]
    shown = [each for each in exchanges if input.static or not _is_static(each)]
    return RequestsData(
        requests=[RequestSummary(**_summary(each)) for each in shown],
        count=len(shown),
        hidden_static=len(exchanges) - len(shown),
        dropped=call.tab.requests.dropped or None,
    )


class RequestInput(UrlFields):
    index: PositiveInt = Field(description="Number of the request in requests.list.")


class Header(Data):
    name: str
    value: str


class RequestData(RequestSummary):
    request_headers: list[Header]
    request_body_bytes: int
    response_headers: Maybe[list[Header]] = None
    server: Maybe[str] = None
    timing: Volatile[Maybe[dict[str, float]]] = Field(
        None, description="Milliseconds since the start, for the phases that took place."
    )
    redirected_from: Maybe[str] = None
    redirected_to: Maybe[str] = None


@reads(
    "requests.show",
    "request|request-headers|response-headers index",
    example={"index": 1},
    run=Run(starts_browser=False),
    engines=Engines(
        differs={"firefox": "the browser's own headers differ; size of the request body is unknown"}
    ),
    outcome=REQUEST,
)
async def requests_show(call: PageCall, input: RequestInput) -> RequestData:
    """Show a request: headers of request and response, timing, failure."""
    exchange = _find(call, input.index)
    request = exchange.request
    response = request.existing_response
    sent = await _within_a_second(request.headers_array())
    received = await _within_a_second(response.headers_array()) if response else None
    address: Any = await _within_a_second(response.server_addr()) if response else None
    timing = {
        name: round(value, 3)
        for name, value in dict(request.timing).items()
        if isinstance(value, int | float) and value >= 0 and name != "startTime"
    }
    return RequestData(
        **_summary(exchange),
        request_headers=_headers(sent, request.headers),
        request_body_bytes=len(request.post_data_buffer or b""),
        response_headers=_headers(received, response.headers) if response else None,
        server=f"{address['ipAddress']}:{address['port']}" if address else None,
        timing=timing or None,
        redirected_from=request.redirected_from.url if request.redirected_from else None,
        redirected_to=request.redirected_to.url if request.redirected_to else None,
    )


class BodyInput(RequestInput):
    which: Literal["request", "response"] = Field("response", description="Which body.")
    output: Annotated[str | None, EchoAs("outputPath")] = Field(
        None, description="File to write, relative to the current folder."
    )


class BodyData(Data):
    index: int
    which: str
    size_bytes: Volatile[int]
    content_type: Maybe[str] = None
    text: Maybe[str] = None
    path: Volatile[Maybe[str]] = Field(
        None, description="Where it was saved; binary content always is."
    )


@reads(
    "requests.body",
    Keyword(
        "request-body index --filename=output",
        summary="Show the body of a request.",
        fixed={"which": "request"},
    ),
    Keyword(
        "response-body index --filename=output",
        summary="Show the body of a response.",
        fixed={"which": "response"},
    ),
    example={"index": 1},
    run=Run(starts_browser=False),
    outcome=Outcome(("{text}",), empty="the {which} has no body"),
)
async def requests_body(call: PageCall, input: BodyInput) -> BodyData:
    """Get the body of a request or response; binary content is saved to a file."""
    exchange = _find(call, input.index)
    if input.which == "request":
        body = exchange.request.post_data_buffer or b""
        content_type = exchange.request.headers.get("content-type")
    else:
        body, content_type = await _response_body(call, exchange)
    data = BodyData(
        index=input.index, which=input.which, size_bytes=len(body), content_type=content_type
    )
    text = _as_text(body)
    if input.output is None and text is not None and len(text) <= LONGEST_TEXT:
        data.text = text
    else:
        output = input.output or _file_name(call, input, content_type)
        data.path = str(call.save_artifact("body", output, body))
    return data


class RequestsClearedData(Data):
    cleared: int


@configures("requests.clear", run=Run(starts_browser=False))
async def requests_clear(call: PageCall, input: UrlFields) -> RequestsClearedData:
    """Delete the recorded requests of this tab; numbering continues."""
    cleared = len(call.tab.requests)
    call.tab.requests.clear()
    return RequestsClearedData(cleared=cleared)


def _find(call: PageCall, index: int) -> Exchange:
    exchange = call.tab.requests.find(index)
    if exchange is None:
        known = list(call.tab.requests)
        which = f"{known[0].index} to {known[-1].index}" if known else "none"
        raise InvalidInput(
            f"index: no request {index} in this tab",
            hint=f"known requests: {which}",
            details={"index": index},
        )
    return exchange


def _summary(exchange: Exchange) -> dict[str, Any]:
    request = exchange.request
    response = request.existing_response
    start, end = request.timing["startTime"], request.timing["responseEnd"]
    return {
        "index": exchange.index,
        "method": request.method,
        "url": request.url,
        "resource_type": request.resource_type,
        "status": response.status if response else None,
        "status_text": (response.status_text or None) if response else None,
        "failure": request.failure,
        "pending": True if response is None and request.failure is None else None,
        "started_at": start / 1000 if start > 0 else exchange.sent_at,
        "duration_ms": round(end, 1) if end >= 0 else None,
        "body_bytes": exchange.body_bytes,
        "cached": exchange.is_cached or None,
    }


def _is_static(exchange: Exchange) -> bool:
    """Whether it is a successful request for an image, font, script or the like."""
    response = exchange.request.existing_response
    is_fine = exchange.request.failure is None and (response is None or response.status < 400)
    return is_fine and exchange.request.resource_type in STATIC


def _headers(found: list[Any] | None, known: dict[str, str]) -> list[Header]:
    pairs = [(each["name"], each["value"]) for each in found] if found else list(known.items())
    return [Header(name=name, value=value) for name, value in pairs]


async def _within_a_second(answer: Awaitable[T]) -> T | None:
    """The result, if the browser has it and returns it in time."""
    try:
        return await asyncio.wait_for(answer, HEADERS_SECONDS)
    except (TimeoutError, Error):
        return None


async def _response_body(call: PageCall, exchange: Exchange) -> tuple[bytes, str | None]:
    response = exchange.request.existing_response
    index = exchange.index
    if response is None:
        why = exchange.request.failure or "it is pending"
        raise InvalidInput(f"request {index} has no response: {why}", details={"index": index})
    missing = InvalidInput(
        f"the browser has no body for request {index}: redirects have no body, and bodies are "
        "dropped on navigation",
        details={"index": index},
    )
    with rejected_as(call, lambda _: missing):
        body = await response.body()
    if response.status == NOT_MODIFIED and not body and not call.session.is_chromium:
        raise InvalidInput(
            f"{call.runtime.browser} has no body for request {index}: it was not modified (304), "
            "and only Chromium returns the cached body",
            details={"index": index, "status": response.status},
        )
    return body, response.headers.get("content-type")


def _as_text(body: bytes) -> str | None:
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return None
    return None if "\x00" in text else text


def _file_name(call: PageCall, input: BodyInput, content_type: str | None) -> str:
    suffix = mimetypes.guess_extension((content_type or "").partition(";")[0].strip()) or ".bin"
    folder = call.caller.artifacts_dir or Path()
    return str(folder / f"{input.which}-{input.index}{suffix}")
