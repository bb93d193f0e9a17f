"""What a recording may do without being asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pwtui.protocol.envelope import Request
from pwtui.recordings.model import RecordedStep, Recording
from pwtui.recordings.trust import UntrustedRecording, check_trust


def check(cwd: Path, request: dict[str, Any], **values: str) -> None:
    step = RecordedStep(1, Request.model_validate(request))
    check_trust(Recording(Path("flows/a.ndjson"), (step,), values=values), cwd)


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    (tmp_path / "flows").mkdir()
    (tmp_path / "flows" / "out").symlink_to("/etc")
    return tmp_path


@pytest.mark.parametrize(
    "request_",
    [
        {"op": "page.run", "input": {"code": "1"}},
        {"op": "navigate", "input": {"url": "file:///etc/passwd"}},
        {"op": "navigate", "input": {"url": " fi\nle:///etc/passwd"}},
        {"op": "page.text", "input": {"url_flag": "view-source:file:///etc/passwd"}},
        {"op": "screenshot", "input": {"output": "shot.png"}},
        {"op": "screenshot", "input": {"output": "flows/out/shot.png"}},
        {"op": "upload", "input": {"files": ["flows/a.txt", "~/.ssh/id_rsa"]}},
        {"op": "page.eval", "input": {"file": "/etc/passwd"}},
        {"op": "profile.set", "input": {"config": {}}},
        {"op": "click", "runtime": {"overrides": {"cdpEndpoint": "http://127.0.0.1:9222"}}},
        {"op": "click", "runtime": {"overrides": {"executablePath": "tools/browser"}}},
        {"op": "click", "runtime": {"overrides": {"baseUrl": "file:///"}}},
        {"op": "click", "runtime": {"overrides": {"downloadsDir": "/tmp"}}},
        {"op": "click", "runtime": {"overrides": {"authFile": "/home/me/auth.json"}}},
    ],
    ids=str,
)
def test_code_local_pages_and_files_elsewhere_are_refused(
    cwd: Path, request_: dict[str, Any]
) -> None:
    with pytest.raises(UntrustedRecording, match="--allow-code"):
        check(cwd, request_)


@pytest.mark.parametrize(
    "request_",
    [
        {"op": "navigate", "input": {"url": "https://example.com/file:x"}},
        {"op": "page.eval", "input": {"expression": "1"}},
        {"op": "screenshot", "input": {}},
        {"op": "screenshot", "input": {"output": "flows/shot.png"}},
        {"op": "cookies.set", "input": {"name": "a", "value": "b", "path": "/"}},
        {"op": "click", "runtime": {"overrides": {"timeoutMs": 5}}},
        {"op": "profile.show"},
    ],
    ids=str,
)
def test_steps_within_the_page_and_the_folder_need_no_trust(
    cwd: Path, request_: dict[str, Any]
) -> None:
    check(cwd, request_)


def test_values_of_variables_are_trusted(cwd: Path) -> None:
    check(cwd, {"op": "upload", "input": {"files": ["/etc/hostname"]}}, file="/etc/hostname")
