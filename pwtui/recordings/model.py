"""Recordings and their steps, in any format."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Self

from pwtui.keywords.to_line import to_line
from pwtui.protocol.envelope import Request, Response
from pwtui.protocol.errors import InvalidInput
from pwtui.protocol.secrets import MASK, masked
from pwtui.recordings.variables import fill_variables, names_in

Problem = tuple[int, str]
"""A line of the recording, and what is wrong with it or was lost."""

_QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")
_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")
_MASKED = re.compile(rf"(?P<userinfo>://[^\s/]*)?(?:[?&#;](?P<parameter>[\w.%\[\]-]+)=)?{MASK}")


class RecordingError(InvalidInput):
    """The recording cannot be used; each problem names its line."""

    def __init__(self, path: Path, problems: Sequence[Problem], hint: str | None = None) -> None:
        self.problems = tuple(problems)
        lines = [f"{path}:{number}: {problem}" for number, problem in problems]
        super().__init__("\n".join(lines), hint=hint, details={"file": str(path)})


@dataclass(frozen=True)
class RecordedStep:
    """A request of a recording, and its response at that time."""

    line: int
    request: Request
    response: Response | None = None
    shown: str = ""
    """The keyword line with variables, when the request has their values."""

    @classmethod
    def read(
        cls,
        line: int,
        request: Request,
        variables: Mapping[str, str],
        response: Response | None = None,
    ) -> Self:
        """A step with its variables filled in."""
        shown = to_line(request) if any(names_in(request.input)) else ""
        update = {"input": fill_variables(request.input, variables)}
        return cls(line, request.model_copy(update=update), response, shown)

    @property
    def failed(self) -> bool:
        return self.response is not None and not self.response.ok


@dataclass(frozen=True)
class Recording:
    path: Path
    steps: tuple[RecordedStep, ...]
    values: Mapping[str, str] = field(default_factory=dict)
    """The values of its variables, which must not be shown."""


def replayable(request: dict[str, Any], response: Mapping[str, Any] | None) -> dict[str, Any]:
    """The request for another browser: with durable locators for its elements."""
    wire = {key: value for key, value in request.items() if key != "requestId"}
    input = dict(wire.get("input") or {})
    for name, selector in ((response or {}).get("inputs") or {}).items():
        if not selector or not name.lower().endswith("selector"):
            continue
        # A second target has a prefix: toSelector, toRef, toWords.
        prefix = name[: -len("selector")]
        own = ["ref", "words", "within", "withinRole"]
        short_lived = [f"{prefix}Ref", f"{prefix}Words"] if prefix else own
        if any(each in input for each in short_lived):
            input = {key: value for key, value in input.items() if key not in short_lived}
            input[name] = selector
    return {**wire, "input": input}


def durable(step: RecordedStep) -> RecordedStep:
    """The step with locators that outlive its page, and variables in place of its secrets."""
    response = step.response.to_wire() if step.response else None
    request = Request.model_validate(replayable(step.request.to_wire(), response))
    runtime = request.runtime
    if runtime is not None:
        # A replay has its own profile.
        runtime = runtime.model_copy(update={"profile": None}) if runtime.overrides else None
    update = {"runtime": runtime, "input": with_variables(request.input, step.line)}
    return replace(step, request=request.model_copy(update=update))


def as_kept(request: Request, response: Response) -> Request:
    """The request without the secrets that its response masks."""
    hidden = {name for name, value in (response.inputs or {}).items() if value == MASK}
    shown = {
        name: MASK if name in hidden else masked(value) for name, value in request.input.items()
    }
    runtime = request.runtime and request.runtime.masked()
    return request.model_copy(update={"input": shown, "runtime": runtime})


def with_variables(input: Mapping[str, Any], number: int) -> dict[str, Any]:
    """The input with variables in place of masked values.

    The number of the step distinguishes keys of the same field, and texts without a field.
    """
    if input.get("key") == MASK:
        name = f"{_variable_name(str(input.get('selector') or ''))}_key_{number}"
    else:
        name = str(input.get("selector") or input.get("name") or input.get("key") or "")
    return {
        field: _with_variables(value, name or f"{field}_{number}") for field, value in input.items()
    }


def refs_left(steps: Iterable[RecordedStep]) -> list[Problem]:
    """Steps whose element is only known by a ref, which is invalid on another page."""
    return [
        (step.line, f"{step.request.op} uses the ref {ref}, which is not valid on another page")
        for step in steps
        for name, ref in step.request.input.items()
        if ref and (name == "ref" or name.endswith("Ref"))
    ]


def _with_variables(value: Any, name: str) -> Any:
    if isinstance(value, str):
        return value if MASK not in value else _MASKED.sub(partial(_variable, name=name), value)
    if isinstance(value, dict):
        return {key: _with_variables(item, key) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_variables(item, name) for item in value]
    return value


def _variable(found: re.Match[str], name: str) -> str:
    """In a URL the parameter names the variable; the part before the host is a password."""
    name = found["parameter"] or ("password" if found["userinfo"] else name)
    return f"{found[0].removesuffix(MASK)}{{{{{_variable_name(name)}}}}}"


def _variable_name(target: str) -> str:
    """A name for the value of a field: `getByLabel('Your password')` is `your_password`."""
    quoted = [first or second for first, second in _QUOTED.findall(target)]
    text = (quoted[-1] if quoted else target).lower()
    return _NOT_IN_NAMES.sub("_", text).strip("_") or "secret"
