"""`pw exec` and `pw batch`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pwtui.cli.context import FAILED, OK, USAGE, Context
from pwtui.cli.stdin import stdin_lines
from pwtui.protocol.envelope import (
    Request,
    Response,
    RuntimeBlock,
    UndecodableRequest,
    decode_request,
    decode_request_object,
    parse_json,
)
from pwtui.protocol.errors import InvalidInput, IoError, PwError
from pwtui.protocol.ndjson import LineTooLong
from pwtui.recordings.variables import fill_variables, missing_variables, unfilled
from pwtui.runtime.caller import Caller


async def exec_command(
    context: Context,
    *,
    op: str | None,
    input: str | None,
    file: str | None,
    profile: str | None,
    artifacts_dir: str | None,
) -> int:
    """Run one envelope; the exit code says whether it was ok."""
    if (op is None) == (file is None):
        context.terminal.err(
            "pw exec: give an operation (see `pw ops`) or --file with a whole envelope"
        )
        return USAGE
    try:
        if op is not None:
            request = await _request(context, op, input, profile)
        else:
            request = await _envelope(context, str(file))
    except UndecodableRequest as error:
        context.show(error.response())
        return FAILED
    except PwError as error:
        context.show(Response.failure(op or "unknown", error))
        return FAILED
    caller = context.caller(profile=profile, artifacts_dir=artifacts_dir)
    return context.show(await context.perform(request, caller))


async def batch_command(
    context: Context,
    *,
    profile: str | None,
    artifacts_dir: str | None,
    variables: Mapping[str, str],
    fail_fast: bool,
) -> int:
    """One envelope a line in, one response a line out, in order, until the input ends or quits.

    The exit code says whether all were ok; `fail_fast` ends after the first that was not.
    """
    code = OK
    caller = context.caller(mode="batch", profile=profile, artifacts_dir=artifacts_dir)
    async for line in stdin_lines():
        response = await answer_line(context, line, caller, variables)
        code = max(code, context.show(response, format=context.format or "ndjson"))
        if (response.op == "quit" and response.ok) or (fail_fast and not response.ok):
            break
    return code


async def answer_line(
    context: Context, line: bytes | LineTooLong, caller: Caller, variables: Mapping[str, str]
) -> Response:
    """The response to one line of a batch, the words that only a batch knows included."""
    if isinstance(line, LineTooLong):
        return Response.failure("unknown", line)
    try:
        value = parse_json(line, what="the line")
    except InvalidInput as error:
        return Response.failure(
            "unknown", InvalidInput(f"Invalid request JSON: {error.message}", hint=error.hint)
        )
    if isinstance(value, dict):
        request_id = value.get("requestId")
        known_id = request_id if isinstance(request_id, str) else None
        match value.get("op"):
            case "ping":
                return Response(request_id=known_id, op="ping", ok=True, data={"alive": True})
            case "quit" | "exit":
                return Response(request_id=known_id, op="quit", ok=True, data={"quit": True})
    try:
        request = decode_request_object(value)
    except UndecodableRequest as error:
        return error.response()
    if b"{{" in line:
        request = request.model_copy(update={"input": fill_variables(request.input, variables)})
        if names := [name for name in unfilled(request.input) if name not in variables]:
            refused = missing_variables(names)
            return Response.failure(request.op, refused, request_id=request.request_id)
    return await context.perform(request, caller)


async def _request(context: Context, op: str, input: str | None, profile: str | None) -> Request:
    value = parse_json(await _text(context, input), what="--input") if input is not None else {}
    if not isinstance(value, dict):
        raise InvalidInput("--input must be a JSON object", details={"input": value})
    runtime = RuntimeBlock(profile=profile) if profile is not None else None
    return Request(op=op, input=value, runtime=runtime)


async def _envelope(context: Context, file: str) -> Request:
    from_stdin = file == "-"
    text = await context.terminal.read_stdin() if from_stdin else _read(context, file)
    return decode_request(text)


async def _text(context: Context, input: str) -> str | bytes:
    """`-` is stdin, `@name` a file, everything else the JSON itself."""
    if input == "-":
        return await context.terminal.read_stdin()
    return _read(context, input[1:]) if input.startswith("@") else input


def _read(context: Context, file: str) -> bytes:
    try:
        return context.terminal.read_file(context.terminal.cwd / Path(file).expanduser())
    except OSError as error:
        raise IoError.of(f"read {file}", error) from error
