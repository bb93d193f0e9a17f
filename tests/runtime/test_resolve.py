"""The effective runtime: the request's override, else the profile, else the default."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pwtui.protocol.envelope import Overrides
from pwtui.protocol.errors import InvalidInput
from pwtui.runtime.resolve import choose_profile, resolve_runtime
from pwtui.state.config import ProfileConfig
from pwtui.state.workspace import Workspace
from tests.client import Client
from tests.site import TestSite

ROOT = Path("/nowhere/workspace")


@dataclass(frozen=True)
class Field:
    """One field of the runtime: how it is overridden, where a profile has it, what it becomes."""

    attribute: str
    override: str
    config: tuple[str, str]
    fallback: object
    in_profile: Any
    in_request: Any
    falsy: Any = None
    as_path: bool = False

    def config_with(self, value: object) -> ProfileConfig:
        section, key = self.config
        return ProfileConfig.model_validate({section: {key: value}})

    def overrides_with(self, value: object) -> Overrides:
        return Overrides.model_validate({self.override: value})

    def resolved(self, value: Any) -> object:
        if self.as_path:
            return ROOT / value
        return tuple(value) if isinstance(value, list) else value


def default(key: str) -> tuple[str, str]:
    return "defaults", key


FIELDS = [
    Field("browser", "browser", default("browser"), "chromium", "firefox", "webkit"),
    Field(
        "executable_path", "executablePath", default("executablePath"), None, "a", "b", as_path=True
    ),
    Field("channel", "channel", default("channel"), None, "chrome", "msedge"),
    Field("base_url", "baseUrl", default("baseUrl"), None, "https://a", "https://b", ""),
    Field("cdp_endpoint", "cdpEndpoint", default("cdpEndpoint"), None, "http://a", "http://b"),
    Field("isolated", "isolated", default("isolated"), False, True, True, False),
    Field("auth_file", "authFile", default("authFile"), None, "a.json", "b.json", as_path=True),
    Field("timeout_ms", "timeoutMs", default("timeoutMs"), None, 1000, 2000, 0),
    Field("use_daemon", "useDaemon", default("useDaemon"), True, True, False, False),
    Field("launch_server", "launchServer", default("launchServer"), False, True, True, False),
    Field(
        "block_patterns", "blockPatterns", ("network", "blockPatterns"), (), ["*.png"], ["*.js"], []
    ),
    Field("downloads_dir", "downloadsDir", ("downloads", "dir"), None, "a", "b", as_path=True),
]


def resolve(field: Field, overrides: Overrides, config: ProfileConfig) -> object:
    runtime = resolve_runtime("default", overrides, config, Workspace(ROOT))
    return getattr(runtime, field.attribute)


def test_the_table_has_all_overrides() -> None:
    assert {field.override for field in FIELDS} == {
        field.alias for field in Overrides.model_fields.values()
    }


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.override)
def test_an_override_wins_over_the_profile_and_the_profile_over_the_default(field: Field) -> None:
    empty, profile = ProfileConfig(), field.config_with(field.in_profile)
    override = field.overrides_with(field.in_request)

    assert resolve(field, Overrides(), empty) == field.fallback
    assert resolve(field, Overrides(), profile) == field.resolved(field.in_profile)
    assert resolve(field, override, empty) == field.resolved(field.in_request)
    assert resolve(field, override, profile) == field.resolved(field.in_request)


@pytest.mark.parametrize(
    "field", [field for field in FIELDS if field.falsy is not None], ids=lambda f: f.override
)
def test_an_override_that_is_empty_false_or_zero_still_wins(field: Field) -> None:
    profile = field.config_with(field.in_profile)

    assert resolve(field, field.overrides_with(field.falsy), profile) == field.resolved(field.falsy)


@pytest.mark.parametrize(
    "field", [field for field in FIELDS if field.falsy is not None], ids=lambda f: f.override
)
def test_a_profile_value_that_is_empty_false_or_zero_wins_over_the_default(field: Field) -> None:
    profile = field.config_with(field.falsy)

    assert resolve(field, Overrides(), profile) == field.resolved(field.falsy)


@pytest.mark.parametrize(("configured", "headless"), [(None, True), (True, True), (False, False)])
def test_a_browser_is_headless_unless_the_profile_sets_it(
    configured: bool | None, headless: bool
) -> None:
    config = ProfileConfig.model_validate({"defaults": {"headless": configured}})

    runtime = resolve_runtime("default", Overrides(), config, Workspace(ROOT))

    assert runtime.headless is headless
    assert runtime.with_window().headless is False


def test_paths_are_relative_to_the_project_or_the_home_folder(tmp_path: Path) -> None:
    (tmp_path / "playwright.config.ts").touch()
    workspace = Workspace(tmp_path / "packages" / "shop")
    config = ProfileConfig.model_validate(
        {
            "defaults": {"authFile": "~/me.json"},
            "downloads": {"dir": "files"},
            "har": {"path": "traffic.har"},
        }
    )

    runtime = resolve_runtime("default", Overrides(), config, workspace)

    assert runtime.auth_file == Path.home() / "me.json"
    assert runtime.downloads_dir == tmp_path / "files"
    assert runtime.har is not None
    assert runtime.har.path == str(tmp_path / "traffic.har")
    assert config.har is not None
    assert config.har.path == "traffic.har"


def test_the_response_has_profile_browser_and_the_endpoint_and_timeout_if_set() -> None:
    overrides = Overrides(browser="firefox", cdp_endpoint="http://x", timeout_ms=5)

    plain = resolve_runtime("dev", Overrides(), ProfileConfig(), Workspace(ROOT)).effective()
    full = resolve_runtime("dev", overrides, ProfileConfig(), Workspace(ROOT)).effective()

    assert plain.to_wire() == {"profile": "dev", "browser": "chromium"}
    assert full.to_wire() == {
        "profile": "dev",
        "browser": "firefox",
        "cdpEndpoint": "http://x",
        "timeoutMs": 5,
    }


# The profile -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("requested", "fallback", "chosen"),
    [
        (None, None, "default"),
        (None, "cli", "cli"),
        ("request", None, "request"),
        ("request", "cli", "request"),
        ("default", "cli", "default"),
        ("prod/team A", None, "prod-team-A"),
        (None, "prod/team A", "prod-team-A"),
    ],
)
def test_the_profile_is_that_of_the_request_else_the_caller_else_default(
    requested: str | None, fallback: str | None, chosen: str
) -> None:
    assert choose_profile(requested, fallback) == chosen


@pytest.mark.parametrize("name", [".", "..", "", " ", "////", "é"])
def test_a_profile_name_that_cannot_be_a_folder_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput):
        choose_profile(name, None)
    with pytest.raises(InvalidInput):
        choose_profile(None, name)


async def test_the_executor_uses_the_profile_of_the_request(
    fresh_client: Callable[[], Client],
) -> None:
    client = fresh_client()
    for name, timeout in (("request", 1), ("cli", 2), ("default", 3)):
        config = {"defaults": {"timeoutMs": timeout}}
        await client.data("profile.set", {"name": name, "config": config})

    async def effective(profile: str | None, fallback: str | None) -> tuple[str, int | None]:
        request = {"op": "protect.list", "runtime": {"profile": profile}}
        response = await client.send_raw(request, profile=fallback)
        assert response.effective_runtime is not None
        return response.effective_runtime.profile, response.effective_runtime.timeout_ms

    assert await effective("request", "cli") == ("request", 1)
    assert await effective(None, "cli") == ("cli", 2)
    assert await effective(None, None) == ("default", 3)


# Overrides are for one request -------------------------------------------------------------------

OVERRIDES: dict[str, Any] = {
    "browser": "chromium",
    "baseUrl": "https://override.example",
    "cdpEndpoint": "http://127.0.0.1:1",
    "authFile": "override.json",
    "timeoutMs": 12_345,
    "useDaemon": False,
    "launchServer": True,
    "blockPatterns": ["*.override"],
    "downloadsDir": "override-downloads",
}
PROFILE: dict[str, Any] = {
    "schema": 4,
    "defaults": {
        "browser": "firefox",
        "baseUrl": "https://profile.example",
        "cdpEndpoint": "http://127.0.0.1:2",
        "timeoutMs": 20_000,
        "authFile": "profile.json",
        "useDaemon": True,
        "launchServer": False,
    },
    "network": {"blockPatterns": ["*.profile"]},
    "downloads": {"dir": "profile-downloads"},
}


@pytest.mark.parametrize("override", OVERRIDES)
async def test_an_override_is_not_saved_in_the_profile(
    fresh_client: Callable[[], Client], override: str
) -> None:
    client = fresh_client()
    await client.data("profile.set", {"name": "default", "config": PROFILE})
    config = client.profiles.folder("default") / "config.json"
    before = config.read_bytes()
    overrides = {override: OVERRIDES[override]}

    for op in ("connect", "protect.list", "har.show", "session.status", "profile.list"):
        await client.data(op, overrides=overrides)
    assert config.read_bytes() == before

    await client.data("protect.add", {"pattern": "x"}, overrides=overrides)
    assert json.loads(config.read_bytes()) == PROFILE | {"protectedUrls": ["x"]}

    shown = await client.data("profile.show", {"name": "default"}, overrides=overrides)
    assert shown == PROFILE | {"protectedUrls": ["x"]}


async def test_an_override_does_not_affect_the_next_request(
    fresh_client: Callable[[], Client],
) -> None:
    client = fresh_client()

    first = await client.send("connect", overrides={"cdpEndpoint": "http://x", "timeoutMs": 9})
    second = await client.send("connect")

    assert (first.data or {})["endpoint"] == "http://x"
    assert (second.data or {})["endpoint"] is None
    assert second.effective_runtime is not None
    assert second.effective_runtime.to_wire() == {"profile": "default", "browser": "chromium"}


async def test_overrides_of_a_browser_request_are_not_saved_in_the_profile(
    client: Client, site: TestSite
) -> None:
    overrides = OVERRIDES | {"baseUrl": site.url(), "downloadsDir": "files"}
    del overrides["cdpEndpoint"], overrides["authFile"], overrides["launchServer"]

    data = await client.data("navigate", {"url": "form.html"}, overrides=overrides)

    assert data["url"] == site.url("/form.html")
    files = [item.name for item in client.profiles.folder("default").iterdir()]
    assert "config.json" not in files
    cache = json.loads((client.profiles.folder("default") / "cache.json").read_bytes())
    assert sorted(cache) == ["lastUrl", "lastUsedAt", "schema"]
