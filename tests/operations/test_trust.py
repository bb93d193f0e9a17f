"""Settings of a cloned workspace cannot reach beyond it, unless the user trusts them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.client import Client
from tests.operations.support import data_url


def cloned(client: Client, config: dict[str, Any], profile: str = "default") -> None:
    """A config as it comes with a repository, not written through pwtui."""
    folder = client.profiles.folder(profile)
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps({"schema": 4, **config}))


@pytest.mark.parametrize(
    "config",
    [
        {"har": {"path": "/tmp/pwtui-elsewhere.har"}},
        {"har": {"path": "../elsewhere.har"}},
        {"har": {"path": "link/elsewhere.har"}},
        {"downloads": {"dir": "~/elsewhere"}},
        {"defaults": {"authFile": "/etc/hostname"}},
        {"defaults": {"cdpEndpoint": "ws://example.com:9222/x"}},
        {"defaults": {"executablePath": "tools/browser"}},
    ],
)
@pytest.mark.parametrize("op", ["page.title", "session.start"])
async def test_what_reaches_beyond_the_workspace_is_refused(
    fresh_client: Callable[[], Client], tmp_path: Path, config: dict[str, Any], op: str
) -> None:
    client = fresh_client()
    (client.root / "link").symlink_to(tmp_path)
    cloned(client, config)

    error = await client.error(op)
    shown = await client.send("profile.show")

    assert error.code == "INVALID_INPUT"
    assert "pw profile trust default" in str(error.hint)
    assert shown.ok
    assert client.executor.pool.sessions == {}


async def test_settings_that_the_user_set_or_trusted_are_used(
    fresh_client: Callable[[], Client], tmp_path: Path
) -> None:
    client = fresh_client()
    page = {"url": data_url("<p>x")}
    cloned(client, {"har": {"path": str(tmp_path / "a.har")}})
    # Another change of the file does not accept what was in it before.
    await client.data("protect.add", {"pattern": "never"})
    before = await client.error("navigate", page)
    trusted = await client.data("profile.trust", {"name": "default"})
    after = await client.send("navigate", page)
    own = await client.send("har.set", {"file": str(tmp_path / "b.har")}, profile="own")
    await client.data("profile.rename", {"name": "own", "to": "moved"})
    moved = await client.send("navigate", page, profile="moved")

    assert before.code == "INVALID_INPUT"
    assert trusted == {"profile": "default", "trusted": ["har.path"]}
    assert after.ok, after.error
    assert own.ok
    assert moved.ok, moved.error


async def test_local_settings_need_no_trust(
    fresh_client: Callable[[], Client],
) -> None:
    client = fresh_client()
    config = {"har": {"path": str(client.root / "a.har")}, "downloads": {"dir": "got"}}
    cloned(client, config)
    cloned(client, {"defaults": {"cdpEndpoint": "http://127.0.0.1:1"}}, "attached")

    inside = await client.send("navigate", {"url": data_url("<p>x")})
    attached = await client.error("page.title", profile="attached")

    assert inside.ok, inside.error
    assert attached.code == "BROWSER_LAUNCH_FAILED"
