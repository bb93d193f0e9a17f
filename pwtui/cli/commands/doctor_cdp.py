"""`pw doctor cdp URL`: the seven connection steps of a CDP endpoint."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from pwtui.browser.launch.relay_endpoint import relay_address
from pwtui.cli.context import FAILED, OK, Context
from pwtui.cli.output import print_json
from pwtui.cli.terminal import Style
from pwtui.relay.probe import ProbeResult, probe_steps
from pwtui.relay.steps import ConnectionProgress

_STYLES: dict[str, Style] = {"ok": "green", "note": "yellow", "MISSING": "red"}
SCHEMES = ("http", "https", "ws", "wss")


async def doctor_cdp_command(
    context: Context, url: str, timeout: float, headers: Sequence[str]
) -> int:
    if url.partition("://")[0].lower() not in SCHEMES:
        return context.refuse(f"'{url}' must begin with http://, https://, ws:// or wss://")
    try:
        given = dict(line for text in headers for line in _headers(context, text))
    except (OSError, ValueError) as error:
        return context.refuse(f"--header: {error}")
    address = None
    with suppress(OSError):  # the probe reports it
        address = await asyncio.to_thread(relay_address, url)
    result = await probe_steps(address or url, seconds=timeout, headers=given)
    if not print_json(context, result.to_wire()):
        for line in _lines(result):
            context.terminal.out(line, _STYLES.get(line.partition(" ")[0]))
    return OK if result.missing is None else FAILED


def _headers(context: Context, text: str) -> Iterator[tuple[str, str]]:
    """Headers of `NAME: VALUE` or `@FILE`, which keeps credentials out of the process list."""
    if text.startswith("@"):
        text = context.terminal.read_file(Path(text[1:])).decode()
    for line in text.splitlines():
        name, colon, value = line.partition(":")
        if not name.strip() or not colon:
            raise ValueError("must be `NAME: VALUE`, or `@FILE` with such lines")
        yield name.strip(), value.strip()


def _lines(result: ProbeResult) -> list[str]:
    lines = _reached(result.progress)
    for page in result.pages:
        lines += [f"        page {page.url!r}", *_reached(page.progress)]
        if (late := page.progress.missing) is not None:
            lines.append(f"MISSING {late.number} {late}")
    lines += [f"note    {note}" for note in result.notes]
    if (step := result.missing) is not None:
        if not any(page.progress.missing for page in result.pages):
            lines.append(f"MISSING {step.number} {step}")
        lines.append(f"        {result.hint}")
        if result.problem:
            lines.append(f"        {result.problem}")
    return lines


def _reached(progress: ConnectionProgress) -> list[str]:
    return [f"ok      {s.number} {s:<24} {ms:8.1f} ms" for s, ms in progress.reached.items()]
