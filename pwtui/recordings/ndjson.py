"""NDJSON recordings: requests, or requests with their responses."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pwtui.protocol.catalog import catalog
from pwtui.protocol.envelope import Response, UndecodableRequest, decode_request_object
from pwtui.recordings.model import Problem, RecordedStep, Recording, RecordingError, durable


def read_ndjson(path: Path, text: str, variables: Mapping[str, str]) -> Recording:
    steps: list[RecordedStep] = []
    problems: list[Problem] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            if not _is_response(record):
                steps.append(_read_step(number, record, variables))
        except UndecodableRequest as error:
            problems.append((number, str(error)))
        except ValidationError as error:
            problems.append((number, f"not a response: {error.errors()[0]['msg']}"))
        except ValueError as error:
            problems.append((number, f"not JSON: {error}"))
    if problems:
        raise RecordingError(path, problems)
    return Recording(path, tuple(steps))


def is_step(line: str) -> bool:
    """Whether a line is a request, or one with its response: other programs write NDJSON, too."""
    try:
        record = json.loads(line)
    except ValueError:
        return False
    request = record.get("request", record) if isinstance(record, dict) else None
    return isinstance(request, dict) and request.get("op") in catalog()


def _is_response(record: Any) -> bool:
    """Whether it is a response without its request, as `pw batch` writes them."""
    is_object = isinstance(record, dict)
    return is_object and "request" not in record and "ok" in record and "input" not in record


def _read_step(number: int, record: Any, variables: Mapping[str, str]) -> RecordedStep:
    """A line is a pair with `request` and perhaps `response`, or a request."""
    response = None
    if isinstance(record, dict) and "request" in record:
        if (recorded := record.get("response")) is not None:
            response = Response.model_validate(recorded)
        record = record["request"]
    step = RecordedStep(number, decode_request_object(record), response)
    # A durable locator is a better name for a variable than a ref.
    return RecordedStep.read(number, durable(step).request, variables, response)


def write_ndjson(steps: Iterable[RecordedStep], *, pairs: bool = False) -> str:
    """Requests, which `pw batch` runs, or pairs, which a replay can compare."""
    lines = []
    for step in steps:
        record = step.request.to_wire()
        if pairs and step.response is not None:
            record = {"request": record, "response": step.response.to_wire()}
        lines.append(json.dumps(record, ensure_ascii=False) + "\n")
    return "".join(lines)
