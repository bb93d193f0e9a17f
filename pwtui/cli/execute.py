"""`pw exec` and `pw batch`."""

from __future__ import annotations

import sys
from pathlib import Path

from pwtui.cli.output import Format, complain, show
from pwtui.cli.run import caller, executor
from pwtui.cli.stdin import stdin_lines
from pwtui.engine.executor import Executor
from pwtui.operations.call import Caller
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

OK, FAILED, USAGE = 0, 1, 2


async def exec_command(
    *,
    op: str | None,
    input: str | None,
    file: str | None,
    profile: str | None,
    artifacts_dir: str | None,
    format: Format,
    verbosity: int,
) -> int:
    """Run one envelope; the exit code says whether it was ok."""
    if (op is None) == (file is None):
        complain("pw exec: give an operation (see `pw ops`) or --file with a whole envelope")
        return USAGE
    try:
        request = _request(op, input, profile) if op is not None else _envelope(str(file))
    except UndecodableRequest as error:
        show(error.response(), format)
        return FAILED
    except PwError as error:
        show(Response.failure(op or "unknown", error), format)
        return FAILED
    async with executor(verbosity) as running:
        response = await running.execute(
            request, caller(profile=profile, artifacts_dir=artifacts_dir)
        )
        show(response, format)
    return OK if response.ok else FAILED


async def batch_command(
    *, profile: str | None, artifacts_dir: str | None, format: Format, verbosity: int
) -> int:
    """One envelope a line in, one response a line out, in order, until the input ends or quits."""
    sender = caller(mode="batch", profile=profile, artifacts_dir=artifacts_dir)
    async with executor(verbosity) as running:
        async for line in stdin_lines():
            response = await answer_line(running, line, sender)
            show(response, format)
            if response.op == "quit" and response.ok:
                break
    return OK


async def answer_line(running: Executor, line: bytes | LineTooLong, sender: Caller) -> Response:
    """The response to one line of a batch, the words that only a batch knows included."""
    if isinstance(line, LineTooLong):
        return Response.failure("unknown", line)
    try:
        value = parse_json(line, what="the line")
    except InvalidInput as error:
        return Response.failure("unknown", InvalidInput(f"Invalid request JSON: {error.message}"))
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
    return await running.execute(request, sender)


def _request(op: str, input: str | None, profile: str | None) -> Request:
    value = parse_json(_text(input), what="--input") if input is not None else {}
    if not isinstance(value, dict):
        raise InvalidInput("--input must be a JSON object", details={"input": value})
    runtime = RuntimeBlock(profile=profile) if profile is not None else None
    return Request(op=op, input=value, runtime=runtime)


def _envelope(file: str) -> Request:
    return decode_request(sys.stdin.buffer.read() if file == "-" else _read(file))


def _text(input: str) -> str | bytes:
    """`-` is stdin, `@name` a file, everything else the JSON itself."""
    if input == "-":
        return sys.stdin.buffer.read()
    return _read(input[1:]) if input.startswith("@") else input


def _read(file: str) -> bytes:
    try:
        return Path(file).expanduser().read_bytes()
    except OSError as error:
        raise IoError.of(f"read {file}", error) from error
