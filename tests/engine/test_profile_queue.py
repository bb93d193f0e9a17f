"""The runtime of a profile is cached until the profile changes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pwtui.engine.profile_queue import ProfileQueue
from pwtui.protocol.envelope import Overrides
from pwtui.protocol.errors import InvalidInput
from pwtui.state.config import ProfileConfig
from pwtui.state.workspace import Workspace


@pytest.fixture
def queue(tmp_path: Path) -> ProfileQueue:
    return ProfileQueue(Workspace(tmp_path), "dev")


def set_timeout(queue: ProfileQueue, timeout_ms: int) -> None:
    def change(config: ProfileConfig) -> None:
        config.defaults.timeout_ms = timeout_ms

    queue.profiles.change_config("dev", change)


def test_the_same_profile_is_resolved_once(queue: ProfileQueue) -> None:
    set_timeout(queue, 5)

    first = queue.resolve(None, queue.load().config)

    assert queue.resolve(None, queue.load().config) is first
    assert (first.runtime.timeout_ms, first.effective.timeout_ms) == (5, 5)
    assert str(first.spec.key).endswith(":dev:chromium:headless")


def test_a_changed_profile_is_resolved_again(queue: ProfileQueue) -> None:
    before = queue.resolve(None, queue.load().config)

    set_timeout(queue, 7)

    assert before.runtime.timeout_ms is None
    assert queue.resolve(None, queue.load().config).runtime.timeout_ms == 7


def test_a_profile_that_another_program_changed_is_resolved_again(
    queue: ProfileQueue,
) -> None:
    set_timeout(queue, 5)
    queue.resolve(None, queue.load().config)
    file = queue.profiles.folder("dev") / "config.json"
    written = file.stat()

    file.write_text('{"schema": 4, "defaults": {"timeoutMs": 9}}')
    os.utime(file, ns=(written.st_atime_ns, written.st_mtime_ns + 1))

    assert queue.resolve(None, queue.load().config).runtime.timeout_ms == 9


def test_overrides_of_a_request_are_not_cached(queue: ProfileQueue) -> None:
    wished = queue.resolve(Overrides(timeout_ms=1), queue.load().config)
    plain = queue.resolve(None, queue.load().config)

    assert (wished.runtime.timeout_ms, plain.runtime.timeout_ms) == (1, None)
    assert queue.resolve(Overrides(timeout_ms=2), queue.load().config).runtime.timeout_ms == 2


def test_an_invalid_profile_name_is_an_error_when_it_is_loaded(tmp_path: Path) -> None:
    queue = ProfileQueue(Workspace(tmp_path), "..")

    with pytest.raises(InvalidInput, match="not allowed"):
        queue.load()
