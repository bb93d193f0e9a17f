"""What a recording is made of, whatever its format."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from pwtui.protocol.envelope import Request, Response
from pwtui.protocol.errors import InvalidInput
from pwtui.protocol.secrets import MASK, masked

_WORD = re.compile(r"'([^']*)'|\"([^\"]*)\"")
_NOT_A_NAME = re.compile(r"[^a-z0-9]+")
_MASKED = re.compile(rf"(?P<userinfo>://[^\s/]*)?(?:[?&#;](?P<parameter>[\w.%-]+)=)?{MASK}")
_TARGET_PREFIXES = ("", "to")


class RecordingError(InvalidInput):
    """The recording cannot be used as it is; each problem names its line."""

    def __init__(self, path: Path, problems: Sequence[tuple[int, str]]) -> None:
        self.problems = tuple(problems)
        lines = [f"{path}:{number}: {problem}" for number, problem in problems]
        super().__init__("\n".join(lines), details={"file": str(path)})


@dataclass(frozen=True)
class Step:
    """One request of a recording, and the answer that it got when it was recorded."""

    line: int
    request: Request
    response: Response | None = None
    shown: str = ""
    """As it is written, where filling in variables has put values into the request."""

    @property
    def failed(self) -> bool:
        return self.response is not None and not self.response.ok


@dataclass(frozen=True)
class Recording:
    path: Path
    steps: tuple[Step, ...]
    warnings: tuple[tuple[int, str], ...] = field(default=())
    values: Mapping[str, str] = field(default_factory=dict)
    """The values of its variables, which nothing that is shown may repeat."""

    @property
    def name(self) -> str:
        return self.path.stem

    def warned(self, more: Iterable[tuple[int, str]]) -> Recording:
        return replace(self, warnings=(*self.warnings, *more))


def replayable(request: dict[str, Any], response: Mapping[str, Any] | None) -> dict[str, Any]:
    """The request as another browser can carry it out: its ref becomes the durable locator."""
    wire = {key: value for key, value in request.items() if key != "requestId"}
    input = dict(wire.get("input") or {})
    inputs = (response or {}).get("inputs") or {}
    for prefix in _TARGET_PREFIXES:
        selector = inputs.get(_field(prefix, "selector"))
        short_lived = [_field(prefix, "ref"), _field(prefix, "words")]
        if not prefix:
            short_lived += ["within", "withinRole"]
        if selector and any(name in input for name in short_lived):
            for name in short_lived:
                input.pop(name, None)
            input[_field(prefix, "selector")] = selector
    wire["input"] = input
    return wire


def durable(step: Step) -> Step:
    """The step with locators that outlive its page, and variables in place of its secrets."""
    response = step.response.to_wire() if step.response else None
    request = Request.model_validate(replayable(step.request.to_wire(), response))
    # The profile is the recorder's own affair: a replay has one to itself.
    request = request.model_copy(update={"runtime": _without_profile(request)})
    request = request.model_copy(update={"input": with_variables(request.input, step.line)})
    return replace(step, request=request)


def as_kept(request: Request, response: Response) -> Request:
    """The request as it may be kept: what its response does not repeat is not kept either."""
    hidden = {name for name, value in (response.inputs or {}).items() if value == MASK}
    shown = {
        name: MASK if name in hidden else masked(value) for name, value in request.input.items()
    }
    runtime = request.runtime and request.runtime.masked()
    return request.model_copy(update={"input": shown, "runtime": runtime})


def with_variables(input: Mapping[str, Any], number: int) -> dict[str, Any]:
    """Variables in place of what is masked.

    `number` is the step's: it tells the keys of one field apart, and the texts of no field.
    """
    if input.get("key") == MASK:
        where = f"{variable_name(str(input.get('selector') or ''))}_key_{number}"
    else:
        where = str(input.get("selector") or input.get("name") or input.get("key") or "")
    return {
        name: _with_variables(value, where or f"{name}_{number}") for name, value in input.items()
    }


def refs_left(steps: Iterable[Step]) -> list[tuple[int, str]]:
    """Steps that only a ref leads to, which no other page knows."""
    problems = []
    for step in steps:
        for prefix in _TARGET_PREFIXES:
            if ref := step.request.input.get(_field(prefix, "ref")):
                problems.append(
                    (
                        step.line,
                        f"{step.request.op} is aimed at the ref {ref}, which means nothing on "
                        "another page; put a locator in its place (`locator "
                        f"{ref}` shows one), or record it with its responses",
                    )
                )
    return problems


def _without_profile(request: Request) -> Any:
    runtime = request.runtime
    if runtime is None or runtime.overrides is None:
        return None
    return runtime.model_copy(update={"profile": None})


def _with_variables(value: Any, where: str) -> Any:
    if isinstance(value, str):
        return value if MASK not in value else _MASKED.sub(partial(_variable, where=where), value)
    if isinstance(value, dict):
        return {name: _with_variables(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [_with_variables(item, where) for item in value]
    return value


def _variable(found: re.Match[str], where: str) -> str:
    """In a URL the parameter names the variable; what is before the host is its password."""
    name = found["parameter"] or ("password" if found["userinfo"] else where)
    return f"{found[0].removesuffix(MASK)}{{{{{variable_name(name)}}}}}"


def variable_name(where: str) -> str:
    """A name for what is typed there: `getByLabel('Your password')` is `your_password`."""
    quoted = [first or second for first, second in _WORD.findall(where)]
    text = (quoted[-1] if quoted else where).lower()
    return _NOT_A_NAME.sub("_", text).strip("_") or "secret"


def _field(prefix: str, name: str) -> str:
    return prefix + name[0].upper() + name[1:] if prefix else name
