"""`pw profile edit`: the config in the user's editor, replaced only by what is valid."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Any

from pwtui.cli.output import Format, complain, show
from pwtui.cli.run import caller, executor
from pwtui.cli.stdin import wait_for_enter
from pwtui.engine.executor import Executor
from pwtui.operations.call import Caller
from pwtui.protocol.envelope import Request, Response, parse_json
from pwtui.protocol.errors import InvalidInput

FALLBACK_EDITOR = "vi"


async def edit_command(name: str, *, format: Format, verbosity: int) -> int:
    async with executor(verbosity) as running:
        sender = caller()
        before = await _show(running, sender, name)
        if not before.ok:
            show(before, format)
            return 1
        handle, file = tempfile.mkstemp(prefix=f"pw-{name}-", suffix=".json")
        os.close(handle)
        draft = Path(file)
        draft.write_text(json.dumps(before.data, indent=2, ensure_ascii=False) + "\n")
        response = await _edit(running, sender, name, draft, before.data)
    if response is None:
        return 1
    draft.unlink()
    show(response, format)
    return 0 if response.ok else 1


async def _edit(
    running: Executor, sender: Caller, name: str, draft: Path, before: dict[str, Any] | None
) -> Response | None:
    """Edit until it is valid or the person gives up; then the draft is kept."""
    while True:
        code = await _open_editor(draft)
        if code != 0:
            complain(f"the editor ended with code {code}; nothing was changed (draft: {draft})")
            return None
        try:
            config = parse_json(draft.read_bytes(), what="the draft")
            problem = None if isinstance(config, dict) else "it is not a JSON object"
        except InvalidInput as error:
            config, problem = None, error.message
        if problem is None:
            now = await _show(running, sender, name)
            if now.data != before:
                complain(f"profile {name} was changed meanwhile; your version is in {draft}")
                return None
            written = await running.execute(
                Request(op="profile.set", input={"name": name, "config": config}), sender
            )
            if written.error is None:
                return written
            problem = written.error.message
        complain(f"not saved: {problem}")
        if not sys.stdin.isatty():
            complain(f"your version is in {draft}")
            return None
        complain(f"press Enter to edit again, Ctrl+C to leave it in {draft}")
        await wait_for_enter()


async def _show(running: Executor, sender: Caller, name: str) -> Response:
    return await running.execute(Request(op="profile.show", input={"name": name}), sender)


async def _open_editor(draft: Path) -> int:
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or FALLBACK_EDITOR
    try:
        process = await asyncio.create_subprocess_exec(*shlex.split(editor), str(draft))
    except OSError as error:
        complain(f"cannot start {editor!r}: {error.strerror}; set EDITOR")
        return 127
    return await process.wait()
