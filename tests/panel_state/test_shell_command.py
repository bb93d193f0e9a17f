"""The command that the panel copies sends the same request."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

from pwtui.app.shell_command import as_command
from pwtui.cli.parser import parse


@pytest.mark.parametrize(
    ("op", "input", "profile"),
    [
        ("page.title", {}, None),
        ("click", {"selector": "text='it'"}, "dev"),
        ("fill", {"ref": "e5", "text": 'a "b" $HOME\n'}, None),
    ],
)
def test_a_request_is_a_command_with_its_input(
    op: str, input: dict[str, Any], profile: str | None
) -> None:
    command = as_command({"op": op, "input": input, "runtime": {"profile": profile}})
    parsed = parse(shlex.split(command)[1:], {})

    assert (parsed.name_of_command, parsed.op, parsed.profile) == ("exec", op, profile)
    assert json.loads(parsed.input or "{}") == input


def test_a_request_with_overrides_is_sent_as_a_whole() -> None:
    request = {"op": "page.title", "runtime": {"overrides": {"timeoutMs": 5}}}
    command, _, text = as_command(request).partition(" <<< ")

    assert command == "pw exec --file -"
    assert json.loads(shlex.split(text)[0]) == request
