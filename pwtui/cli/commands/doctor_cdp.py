"""`pw doctor cdp URL`: the seven steps at any CDP endpoint."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from pwtui.browser.launch.relay_endpoint import relay_address
from pwtui.cli.context import FAILED, OK, USAGE, Context
from pwtui.relay.probe import Walk, walk

SCHEMES = ("http", "https", "ws", "wss")


async def doctor_cdp_command(
    context: Context, endpoint: str, *, seconds: float, headers: Sequence[str]
) -> int:
    if endpoint.partition("://")[0].lower() not in SCHEMES:
        context.terminal.err(
            f"pw doctor cdp: {endpoint!r} must begin with http://, https://, ws:// or wss://"
        )
        return USAGE
    try:
        given = dict(line for text in headers for line in _headers(context, text))
    except (OSError, ValueError) as error:
        context.terminal.err(f"pw doctor cdp: --header: {error}")
        return USAGE
    address = None
    with suppress(OSError):  # then the walk shows where it stops
        address = await asyncio.to_thread(relay_address, endpoint)
    going = await walk(address or endpoint, seconds=seconds, headers=given)
    if context.format in ("json", "ndjson"):
        indent = 2 if context.format == "json" else None
        context.terminal.data(json.dumps(going.to_wire(), indent=indent, ensure_ascii=False))
    else:
        for line in _lines(going):
            context.terminal.out(line)
    return OK if going.missing is None else FAILED


def _headers(context: Context, text: str) -> Iterator[tuple[str, str]]:
    """`NAME: VALUE`, or the lines of `@FILE`, which keeps credentials out of the process list."""
    if text.startswith("@"):
        text = context.terminal.read_file(Path(text[1:])).decode()
    for line in text.splitlines():
        name, colon, value = line.partition(":")
        if not name.strip() or not colon:
            raise ValueError("must be `NAME: VALUE`, or `@FILE` with such lines")
        yield name.strip(), value.strip()


def _lines(going: Walk) -> list[str]:
    lines = [f"ok      {s.number} {s:<24} {ms:8.1f} ms" for s, ms in going.progress.reached.items()]
    for page in going.pages:
        lines.append(f"        page {page.url!r}")
        lines += [
            f"ok      {s.number} {s:<24} {ms:8.1f} ms" for s, ms in page.progress.reached.items()
        ]
        if (late := page.progress.missing) is not None:
            lines.append(f"MISSING {late.number} {late}")
    lines += [f"note    {note}" for note in going.notes]
    if (step := going.missing) is not None:
        if not any(page.progress.missing for page in going.pages):
            lines.append(f"MISSING {step.number} {step}")
        lines.append(f"        {going.hint}")
        if going.problem:
            lines.append(f"        {going.problem}")
    return lines
