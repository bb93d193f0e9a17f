"""The v5 request and response envelopes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field, NonNegativeInt
from pydantic_core import PydanticSerializationError, from_json

from pwtui.protocol.errors import InvalidInput, PwError, with_hint
from pwtui.protocol.kinds import Kind
from pwtui.protocol.model import Maybe, WireModel, decode
from pwtui.protocol.secrets import masked

SCHEMA_VERSION = 5
MAX_DEPTH = 100

BrowserName = Literal["chromium", "firefox", "webkit"]
Level = Literal["info", "warning", "error"]
ArtifactType = Literal[
    "screenshot", "pdf", "html", "snapshot", "auth", "har", "trace", "video", "body", "download"
]


class Overrides(WireModel):
    """Settings of the profile that one request replaces for itself."""

    browser: Maybe[BrowserName] = None
    executable_path: Maybe[str] = None
    channel: Maybe[str] = None
    base_url: Maybe[str] = None
    cdp_endpoint: Maybe[str] = None
    isolated: Maybe[bool] = None
    auth_file: Maybe[str] = None
    timeout_ms: Maybe[NonNegativeInt] = None
    use_daemon: Maybe[bool] = None
    launch_server: Maybe[bool] = None
    block_patterns: Maybe[list[str]] = None
    downloads_dir: Maybe[str] = None


class RuntimeBlock(WireModel):
    profile: Maybe[str] = None
    overrides: Maybe[Overrides] = None

    def masked(self) -> RuntimeBlock:
        return RuntimeBlock.model_validate(masked(self.to_wire())) if self.overrides else self


class Envelope(WireModel):
    """A request or response; values that JSON cannot hold are replaced."""

    def to_json(self, *, indent: int | None = None) -> str:
        try:
            return self.model_dump_json(indent=indent)
        except (PydanticSerializationError, RecursionError):
            writable: Envelope = _writable(self)
            return writable.model_dump_json(indent=indent)


class Request(Envelope):
    """One operation to run."""

    schema_version: int = SCHEMA_VERSION
    request_id: Maybe[str] = None
    op: str
    input: dict[str, Any] = Field(default_factory=dict)
    runtime: Maybe[RuntimeBlock] = None
    events: Maybe[list[Kind]] = None

    @property
    def overrides(self) -> Overrides | None:
        return self.runtime.overrides if self.runtime else None

    @property
    def profile(self) -> str | None:
        return self.runtime.profile if self.runtime else None


class Artifact(WireModel):
    """A file that the operation created."""

    type: ArtifactType
    path: str
    size_bytes: Maybe[int] = None


class Diagnostic(WireModel):
    """A message for the caller beside the data or the error."""

    level: Level
    message: str
    source: Maybe[str] = None


class ErrorBody(WireModel):
    code: str
    message: str
    hint: Maybe[str] = None
    details: dict[str, Any] | None = None

    def __str__(self) -> str:
        return with_hint(self.message, self.hint)


class ContextDelta(WireModel):
    """The changes of the profile's cache after a successful operation."""

    url: Maybe[str] = None
    selector: Maybe[str] = None
    output: Maybe[str] = None


class EffectiveRuntime(WireModel):
    profile: str
    browser: BrowserName
    cdp_endpoint: Maybe[str] = None
    timeout_ms: Maybe[int] = None


class Response(Envelope):
    """The response to one request; the order of the fields is the order on the wire."""

    schema_version: int = SCHEMA_VERSION
    request_id: Maybe[str] = None
    op: str
    ok: bool
    inputs: Maybe[dict[str, Any]] = None
    data: Maybe[dict[str, Any]] = None
    error: Maybe[ErrorBody] = None
    duration_ms: Maybe[float] = None
    artifacts: Maybe[list[Artifact]] = None
    diagnostics: Maybe[list[Diagnostic]] = None
    context_delta: Maybe[ContextDelta] = None
    effective_runtime: Maybe[EffectiveRuntime] = None
    events: Maybe[list[dict[str, Any]]] = None

    @classmethod
    def failure(
        cls,
        op: str,
        error: PwError,
        *,
        request_id: str | None = None,
        duration_ms: float | None = None,
        artifacts: Sequence[Artifact] = (),
        diagnostics: Sequence[Diagnostic] = (),
        effective_runtime: EffectiveRuntime | None = None,
    ) -> Response:
        return cls(
            request_id=request_id,
            op=op,
            ok=False,
            error=ErrorBody(
                code=error.code, message=error.message, hint=error.hint, details=error.details
            ),
            duration_ms=duration_ms,
            artifacts=list(artifacts) or None,
            diagnostics=list(diagnostics) or None,
            effective_runtime=effective_runtime,
        )


def _writable(value: Any, depth: int = 0) -> Any:
    """The value without lone surrogates, which UTF-8 does not allow, and without deep nesting."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, WireModel):
        fields = type(value).model_fields
        return value.model_copy(update={name: _writable(getattr(value, name)) for name in fields})
    if isinstance(value, dict | list) and depth == MAX_DEPTH:
        return "[Too deep]"
    if isinstance(value, dict):
        return {_writable(key): _writable(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_writable(item, depth + 1) for item in value]
    return value


class UndecodableRequest(InvalidInput):
    """The text is not a request; has its `op` and `requestId` if they could be read."""

    def __init__(
        self, problem: InvalidInput, *, op: str = "unknown", request_id: str | None = None
    ):
        super().__init__(problem.message, hint=problem.hint, details=problem.details)
        self.op = op
        self.request_id = request_id

    def response(self) -> Response:
        return Response.failure(self.op, self, request_id=self.request_id)


def parse_json(text: str | bytes, *, what: str) -> Any:
    """Parse standard JSON (no NaN, no comments). Raises InvalidInput with the position."""
    try:
        return from_json(text, allow_inf_nan=False)
    except ValueError as error:
        raise InvalidInput(f"{what} is not JSON: {error}") from None


def decode_request(text: str | bytes) -> Request:
    """Read a request from JSON text."""
    try:
        value = parse_json(text, what="the request")
    except InvalidInput as error:
        raise unreadable(text, error) from None
    return decode_request_object(value)


def unreadable(text: str | bytes, error: InvalidInput) -> UndecodableRequest:
    """The error for text that is not JSON, or contains lone surrogates."""
    problem = InvalidInput(f"Invalid request JSON: {error.message}", hint=error.hint)
    try:
        return _named(problem, json.loads(text, parse_constant=_refuse))
    except (ValueError, RecursionError):
        return UndecodableRequest(problem)


def decode_request_object(value: object) -> Request:
    """Read a request from decoded JSON; unknown members are ignored."""
    if not isinstance(value, dict):
        kind = "null" if value is None else type(value).__name__
        raise UndecodableRequest(
            InvalidInput(f"Invalid request JSON: expected an object, got {kind}")
        )
    known = {key: value[key] for key in _ENVELOPE_KEYS if key in value}
    if "runtime" in known and known["runtime"] is None:
        del known["runtime"]
    try:
        return decode(Request, known, where="")
    except InvalidInput as error:
        raise _named(error, value) from None


def _named(problem: InvalidInput, value: object) -> UndecodableRequest:
    """The error with the `op` and `requestId` of the request, if it has them."""
    members = value if isinstance(value, dict) else {}
    op, request_id = _text(members.get("op")), _text(members.get("requestId"))
    return UndecodableRequest(problem, op=op or "unknown", request_id=request_id)


def _text(value: object) -> str | None:
    """The value if it is a string without lone surrogates."""
    try:
        return value.encode().decode() if isinstance(value, str) else None
    except UnicodeEncodeError:
        return None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


_ENVELOPE_KEYS = tuple(field.alias or name for name, field in Request.model_fields.items())
