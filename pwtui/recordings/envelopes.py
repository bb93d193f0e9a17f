"""NDJSON recordings: requests, or requests with their responses."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pwtui.keywords.to_line import to_line
from pwtui.protocol.envelope import Response, UndecodableRequest, decode_request_object
from pwtui.recordings.steps import Recording, RecordingError, Step, durable
from pwtui.recordings.variables import filled, names_in


def read_envelopes(path: Path, text: str, variables: Mapping[str, str]) -> Recording:
    steps: list[Step] = []
    problems: list[tuple[int, str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            step = _step(number, json.loads(line), variables)
        except UndecodableRequest as error:
            problems.append((number, str(error)))
        except ValidationError as error:
            problems.append((number, f"no response: {error.errors()[0]['msg']}"))
        except ValueError as error:
            problems.append((number, f"not JSON: {error}"))
        else:
            if step is not None:
                steps.append(step)
    if problems:
        raise RecordingError(path, problems)
    return Recording(path, tuple(steps))


def _step(number: int, record: Any, variables: Mapping[str, str]) -> Step | None:
    """A line with `request` is a pair (its response may be missing), one with `op` a request."""
    if not isinstance(record, dict) or "request" not in record:
        if isinstance(record, dict) and "ok" in record and "input" not in record:
            return None  # a response alone, as `pw batch` writes them
        request, response = decode_request_object(record), None
    else:
        request = decode_request_object(record["request"])
        answered = record.get("response")
        response = Response.model_validate(answered) if answered is not None else None
    # A durable locator names the variable better than a ref does.
    request = durable(Step(number, request, response)).request
    shown = to_line(request) if any(names_in(request.input)) else ""
    request = request.model_copy(update={"input": filled(request.input, variables)})
    return Step(number, request, response, shown)


def write_envelopes(steps: Iterable[Step], *, pairs: bool = False) -> str:
    """A request each, which `pw batch` takes; or pairs, which can be compared with."""
    lines = []
    for step in steps:
        record = step.request.to_wire()
        if pairs and step.response is not None:
            record = {"request": record, "response": step.response.to_wire()}
        lines.append(json.dumps(record, ensure_ascii=False) + "\n")
    return "".join(lines)
