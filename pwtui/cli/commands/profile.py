"""`pw profile set` and `pw profile edit`, which opens the config in an editor."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Any

from pwtui.cli.context import FAILED, Context
from pwtui.keywords.errors import KeywordError
from pwtui.keywords.parser import named_values
from pwtui.protocol.envelope import Request, Response, parse_json
from pwtui.protocol.errors import InvalidInput, with_hint
from pwtui.state.config import ProfileConfig, setting_schema
from pwtui.state.profiles import Profiles

FALLBACK_EDITOR = "vi"


async def set_command(context: Context, name: str, settings: list[str], file: str | None) -> int:
    if (file is None) == (not settings):
        return context.refuse("use KEY=VALUE, or --file with the whole config")
    if file is not None:
        return await context.run("profile.set", {"name": name, "file": file})
    try:
        values = named_values(setting_schema(), settings, "a profile")
    except KeywordError as error:
        return context.refuse(error)
    return await context.run("profile.set", {"name": name, "settings": values})


async def edit_command(context: Context, name: str) -> int:
    if _is_new(context, name):
        near = Profiles(context.terminal.workspace).suggest(name)
        context.terminal.err(with_hint(f"profile {name!r} is new", near))
    before = await _show(context, name)
    if not before.ok:
        return context.show(before)
    handle, file = tempfile.mkstemp(prefix="pw-profile-", suffix=".json")
    os.close(handle)
    draft = Path(file)
    text = json.dumps(before.data, indent=2, ensure_ascii=False) + "\n"
    draft.write_text(text, encoding="utf-8")
    response = await _edit(context, name, draft, before.data)
    if response is None:
        return FAILED
    draft.unlink()
    return context.show(response)


async def _edit(
    context: Context, name: str, draft: Path, before: dict[str, Any] | None
) -> Response | None:
    """Edit until the config is valid; None if the user stops, which keeps the draft."""
    err = context.terminal.err
    while True:
        code = await _open_editor(context, draft)
        if code != 0:
            err(f"the editor exited with code {code}; nothing was changed (draft: {draft})")
            return None
        try:
            config = parse_json(draft.read_bytes(), what="the draft")
            problem = None if isinstance(config, dict) else "it is not a JSON object"
        except InvalidInput as error:
            config, problem = None, str(error)
        if problem is None:
            if (await _show(context, name)).data != before:
                err(f"profile {name} was changed by another program; your version is in {draft}")
                return None
            request = Request(op="profile.set", input={"name": name, "config": config})
            written = await context.perform(request, context.caller())
            if written.error is None:
                return written
            problem = str(written.error)
        err(f"not saved: {problem}")
        if sys.stdin is None or not sys.stdin.isatty():
            err(f"your version is in {draft}")
            return None
        err(f"press Enter to edit again, Ctrl+C to stop (draft: {draft})")
        await context.terminal.wait_for_enter()


def _is_new(context: Context, name: str) -> bool:
    try:
        return not Profiles(context.terminal.workspace).exists(name)
    except InvalidInput:
        return False  # `profile.show` reports the invalid name


async def _show(context: Context, name: str) -> Response:
    if _is_new(context, name):
        empty = ProfileConfig().model_dump(mode="json")
        return Response(op="profile.show", ok=True, data=empty)
    request = Request(op="profile.show", input={"name": name})
    return await context.perform(request, context.caller())


async def _open_editor(context: Context, draft: Path) -> int:
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or FALLBACK_EDITOR
    try:
        process = await asyncio.create_subprocess_exec(*shlex.split(editor), str(draft))
    except OSError as error:
        context.terminal.err(f"cannot start {editor!r}: {error.strerror}; set EDITOR")
        return 127
    return await process.wait()
