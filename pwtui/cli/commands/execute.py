"""`pw exec` and `pw batch`."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping

from pwtui.cli.context import OK, Context
from pwtui.cli.stdin import stdin_lines
from pwtui.protocol.catalog import catalog
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
from pwtui.protocol.kinds import HAPPENINGS
from pwtui.protocol.ndjson import LineTooLong
from pwtui.runtime.caller import Caller
from pwtui.state.paths import user_path


async def exec_command(arguments: Namespace, context: Context) -> int:
    """Run one request; the exit code says whether it was ok."""
    op, file, fields = arguments.op, arguments.file, arguments.fields
    if (op is None) == (file is None):
        return context.refuse("name an operation (see `pw ops`), or use --file")
    if (wrong := next((each for each in fields if "=" not in each), None)) is not None:
        from pwtui.cli.commands.keyword_line import as_keyword

        fix = as_keyword(op, fields) or f"see `pw ops {op}` for the fields"
        return context.refuse(f"'{wrong}' is not NAME=VALUE or NAME:=JSON; {fix}")
    try:
        request = await (_envelope(context, file) if op is None else _request(context, arguments))
    except UndecodableRequest as error:
        return context.show(error.response())
    except PwError as error:
        return context.show(Response.failure(op or "unknown", error))
    if arguments.events:
        request = request.model_copy(update={"events": list(HAPPENINGS)})
    caller = context.caller(profile=arguments.profile)
    if arguments.headed:
        start = Request(op="session.start", input={"headful": True})
        opened = await context.perform(context.with_options(start), caller)
        if not opened.ok:
            return context.show(opened)
    return context.show(await context.perform(context.with_options(request), caller))


async def batch_command(
    context: Context, *, profile: str | None, variables: Mapping[str, str], fail_fast: bool
) -> int:
    """Run one request for each line of stdin, in order; print one response for each.

    The exit code says whether all were ok; `fail_fast` ends after the first that was not.
    """
    code = OK
    caller = context.caller(mode="batch", profile=profile)
    async for line in stdin_lines():
        response = await answer_line(context, line, caller, variables)
        format = context.format or "ndjson"
        code = max(code, context.show(response, format=format, paged=False))
        if (response.op == "quit" and response.ok) or (fail_fast and not response.ok):
            break
    return code


async def answer_line(
    context: Context, line: bytes | LineTooLong, caller: Caller, variables: Mapping[str, str]
) -> Response:
    """The response to one line of a batch; `ping`, `quit` and `exit` are known here only."""
    from pwtui.recordings.variables import fill_variables, missing_variables, unfilled

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


async def _request(context: Context, arguments: Namespace) -> Request:
    op, given = arguments.op, arguments.input
    input = parse_json(await _text(context, given), what="--input") if given is not None else {}
    if not isinstance(input, dict):
        raise InvalidInput("--input must be a JSON object", details={"input": input})
    info = catalog().get(op)
    if info is not None and arguments.fields:
        from pwtui.keywords.parser import named_values

        input |= named_values(info.input, arguments.fields, op)
    profile: str | None = arguments.profile
    runtime = RuntimeBlock(profile=profile) if profile is not None else None
    return Request(op=op, input=input, runtime=runtime)


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
        return context.terminal.read_file(user_path(context.terminal.cwd, file))
    except OSError as error:
        raise IoError.of(f"read {file}", error) from error
