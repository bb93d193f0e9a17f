"""The wire between relay and extension: a head of JSON, and maybe a line that is passed on unread.

What pages send can be large, and parsing it only to write it again is most of what a relay could
cost. So the body of an event or an answer is passed on as the text that it came as.
"""

from __future__ import annotations

import json
from typing import Any


class BadFrame(ValueError):
    """What came is not a frame."""


def encode(head: dict[str, Any], body: str | None = None) -> str:
    line = json.dumps(head, separators=(",", ":"))
    return line if body is None else f"{line}\n{body}"


def decode(frame: str) -> tuple[dict[str, Any], str]:
    line, _, body = frame.partition("\n")
    try:
        head = json.loads(line)
    except ValueError as error:
        raise BadFrame(str(error)) from None
    if not isinstance(head, dict):
        raise BadFrame("the head is not an object")
    return head, body


def response(id: Any, session: str | None, result: str) -> str:
    """An answer to a client; the result is text already."""
    return f'{{"id":{json.dumps(id)},"result":{result}{_of(session)}}}'


def failure(id: Any, session: str | None, code: int, message: str) -> str:
    error = json.dumps({"code": code, "message": message})
    return f'{{"id":{json.dumps(id)},"error":{error}{_of(session)}}}'


def event(method: str, session: str | None, params: str) -> str:
    return f'{{"method":"{method}","params":{params}{_of(session)}}}'


def _of(session: str | None) -> str:
    return "" if session is None else f',"sessionId":{json.dumps(session)}'
