"""Checks of what a recording may only do if the user trusts it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from pathlib import Path

from pwtui.protocol.catalog import catalog
from pwtui.protocol.envelope import Request
from pwtui.protocol.secrets import texts_in
from pwtui.recordings.model import Recording, RecordingError
from pwtui.state.paths import user_path

_URLS = ("url", "urlFlag", "url_flag")
_PATHS = ("output", "file", "files")
_LOCAL = re.compile(r"(?:view-source:)*(?:file|chrome|edge|devtools)[\w-]*:", re.IGNORECASE)


class UntrustedRecording(RecordingError):
    """The recording does what only a trusted one may do."""


def check_trust(recording: Recording, cwd: Path) -> None:
    """Reject a recording that runs code, opens local pages, or uses files outside its folder."""
    folder = (cwd / recording.path).parent.resolve()
    problems = [
        (step.line, f"{step.request.op} {problem}")
        for step in recording.steps
        for problem in _problems(step.request, folder, cwd, set(recording.values.values()))
    ]
    if problems:
        hint = "if you trust the recording, replay it with --allow-code"
        raise UntrustedRecording(recording.path, problems, hint)


def _problems(request: Request, folder: Path, cwd: Path, given: Set[str]) -> Iterator[str]:
    """Values of variables are trusted: the caller chose them."""
    info = catalog().get(request.op)
    if info is not None and info.needs_trust:
        yield "acts outside the page, with your permissions"
    overrides = request.overrides.to_wire() if request.overrides else {}
    if "executablePath" in overrides:
        yield f"runs the program {overrides['executablePath']}"
    if "cdpEndpoint" in overrides:
        yield f"attaches to the browser at {overrides['cdpEndpoint']}"
    for url in [*(request.input.get(name) for name in _URLS), overrides.get("baseUrl")]:
        # Browsers ignore white space in a scheme.
        if isinstance(url, str) and _LOCAL.match("".join(url.split())) and url not in given:
            yield f"opens a local page: {url}"
    paths = [request.input.get(name) for name in _PATHS]
    for path in texts_in([*paths, overrides.get("authFile"), overrides.get("downloadsDir")]):
        is_inside = user_path(cwd, path).resolve().is_relative_to(folder)
        if not is_inside and path not in given:
            yield f"uses a file outside the recording's folder: {path}"
