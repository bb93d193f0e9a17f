"""The effective runtime of one request."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, TypeVar

from pwtui.protocol.envelope import BrowserName, EffectiveRuntime, Overrides
from pwtui.protocol.secrets import mask_text
from pwtui.state.config import Har, ProfileConfig
from pwtui.state.trust import DottedSettings, check_trusted, far_settings
from pwtui.state.workspace import DEFAULT_PROFILE, Workspace, normalise_profile_name

V = TypeVar("V")


class Runtime(NamedTuple):
    """The effective settings of a request."""

    profile: str
    browser: BrowserName
    headless: bool
    executable_path: Path | None
    channel: str | None
    base_url: str | None
    cdp_endpoint: str | None
    isolated: bool
    auth_file: Path | None
    timeout_ms: int | None
    use_daemon: bool
    launch_server: bool
    cdp: bool | None
    block_patterns: tuple[str, ...]
    downloads_dir: Path | None
    har: Har | None
    protected_urls: tuple[str, ...]
    far_settings: DottedSettings
    """The effective settings of the profile that affect more than its workspace."""
    config_file: Path

    def check_trusted(self) -> None:
        """Raises InvalidInput if a setting that affects more than the workspace is not trusted."""
        check_trusted(self.config_file, self.far_settings, self.profile)

    def with_window(self) -> Runtime:
        return self._replace(headless=False)

    def effective(self) -> EffectiveRuntime:
        """The part for the response."""
        return EffectiveRuntime(
            profile=self.profile,
            browser=self.browser,
            cdp_endpoint=self.cdp_endpoint and mask_text(self.cdp_endpoint),
            timeout_ms=self.timeout_ms,
        )


def choose_profile(requested: str | None, fallback: str | None) -> str:
    """The request's profile, else the caller's (`--profile`), else `default`; normalised."""
    chosen = _first(requested, fallback)
    return DEFAULT_PROFILE if chosen is None else normalise_profile_name(chosen)


def resolve_runtime(
    profile: str, overrides: Overrides | None, config: ProfileConfig, workspace: Workspace
) -> Runtime:
    """For each setting: the request's override, else the profile's value, else the default."""
    overrides = overrides or Overrides()
    defaults = config.defaults
    overridden = {
        "defaults.cdpEndpoint": overrides.cdp_endpoint,
        "defaults.executablePath": overrides.executable_path,
        "defaults.authFile": overrides.auth_file,
        "downloads.dir": overrides.downloads_dir,
    }
    far = far_settings(config, workspace)
    executable = _first(overrides.executable_path, defaults.executable_path)
    auth_file = _first(overrides.auth_file, defaults.auth_file)
    downloads_dir = _first(overrides.downloads_dir, config.downloads.dir)
    return Runtime(
        profile=profile,
        browser=_first(overrides.browser, defaults.browser) or "chromium",
        headless=_default(defaults.headless, True),
        executable_path=workspace.resolve_path(executable) if executable else None,
        channel=_first(overrides.channel, defaults.channel),
        base_url=_first(overrides.base_url, defaults.base_url),
        cdp_endpoint=_first(overrides.cdp_endpoint, defaults.cdp_endpoint),
        isolated=_default(_first(overrides.isolated, defaults.isolated), False),
        auth_file=workspace.resolve_path(auth_file) if auth_file else None,
        timeout_ms=_first(overrides.timeout_ms, defaults.timeout_ms),
        use_daemon=uses_daemon(overrides, config),
        launch_server=_default(_first(overrides.launch_server, defaults.launch_server), False),
        cdp=defaults.cdp,
        block_patterns=tuple(_default(overrides.block_patterns, config.network.block_patterns)),
        downloads_dir=workspace.resolve_path(downloads_dir) if downloads_dir else None,
        har=_resolve_har(config.har, workspace),
        protected_urls=tuple(config.protected_urls),
        far_settings={name: far[name] for name in far if overridden.get(name) is None},
        config_file=workspace.profiles_dir / normalise_profile_name(profile) / "config.json",
    )


def uses_daemon(overrides: Overrides | None, config: ProfileConfig) -> bool:
    override = overrides.use_daemon if overrides is not None else None
    return _default(_first(override, config.defaults.use_daemon), True)


def _resolve_har(har: Har | None, workspace: Workspace) -> Har | None:
    return har and har.model_copy(update={"path": str(workspace.resolve_path(har.path))})


def _first(override: V | None, default: V | None) -> V | None:
    return default if override is None else override


def _default(value: V | None, fallback: V) -> V:
    return fallback if value is None else value
