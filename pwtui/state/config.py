"""A profile's config.json and cache.json (persisted schema 4)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, Field, NonNegativeInt

from pwtui.protocol.envelope import BrowserName, ContextDelta
from pwtui.protocol.model import Maybe, WireModel
from pwtui.protocol.secrets import without_secrets
from pwtui.state.relay_records import without_own_token

STATE_SCHEMA = 4
STALE_AFTER_SECONDS = 3600
TOUCH_EVERY_SECONDS = 60


class StateModel(WireModel):
    """A part of a state file. Members that this version does not know are kept as they are."""

    model_config = ConfigDict(extra="allow", validate_assignment=True)

    def unknown_members(self, prefix: str = "") -> list[str]:
        """The members that this version does not know, as dotted paths."""
        unknown = [f"{prefix}{name}" for name in self.model_extra or ()]
        for name, field in type(self).model_fields.items():
            part = getattr(self, name)
            if isinstance(part, StateModel):
                unknown += part.unknown_members(f"{prefix}{field.alias}.")
        return unknown


class Defaults(StateModel):
    """The runtime of a request that overrides nothing."""

    browser: Maybe[BrowserName] = Field(None, description="Engine to launch.")
    headless: Maybe[bool] = Field(None, description="Launch without a window (true when unset).")
    base_url: Maybe[str] = Field(None, description="Relative URLs are joined to this one.")
    cdp_endpoint: Maybe[Annotated[str, AfterValidator(without_own_token)]] = Field(
        None, description="Attach to this running browser (http:// or ws:// URL) and launch none."
    )
    timeout_ms: Maybe[NonNegativeInt] = Field(
        None, description="Deadline of each operation in milliseconds; 0 is no deadline."
    )
    auth_file: Maybe[str] = Field(None, description="Storage state that new contexts start with.")
    use_daemon: Maybe[bool] = Field(
        None, description="Run requests in the daemon (true when unset)."
    )
    launch_server: Maybe[bool] = Field(
        None, description="Bind launched browsers so that other Playwright clients can attach."
    )
    cdp: Maybe[bool] = Field(
        None,
        description="Open a CDP debugging port, which other users of this machine can connect to "
        "(unset: only for session.start).",
    )


class Har(StateModel):
    """The HAR file of the profile's network traffic."""

    path: str = Field(description="File to write the HAR to.")
    content_policy: Literal["embed", "attach", "omit"] = Field(
        "embed", description="Where response bodies go."
    )
    mode: Literal["full", "minimal"] = Field("full", description="How much each entry holds.")
    omit_content: bool = Field(False, description="Leave response bodies out.")
    url_filter: Maybe[str] = Field(None, description="Record only URLs that match this glob.")


class Network(StateModel):
    block_patterns: list[str] = Field(
        default_factory=list,
        description="Requests to URLs that match one of these globs are aborted.",
        exclude_if=lambda patterns: not patterns,
    )


class Downloads(StateModel):
    dir: Maybe[str] = Field(None, description="Folder that downloads are saved in.")


class ProfileConfig(StateModel):
    """config.json: the user's settings."""

    schema_: NonNegativeInt = Field(STATE_SCHEMA, alias="schema")
    defaults: Defaults = Field(default_factory=Defaults)
    har: Maybe[Har] = None
    network: Network = Field(default_factory=Network)
    downloads: Downloads = Field(default_factory=Downloads)
    protected_urls: list[str] = Field(
        default_factory=list,
        description="Tabs whose URL contains one of these (any case) are left alone.",
        exclude_if=lambda urls: not urls,
    )


class ProfileCache(StateModel):
    """cache.json: the context of the profile's last operation."""

    schema_: NonNegativeInt = Field(STATE_SCHEMA, alias="schema")
    last_url: Maybe[str] = None
    last_selector: Maybe[str] = None
    last_output: Maybe[str] = None
    last_used_at: Maybe[NonNegativeInt] = None

    def age(self, now: float) -> float | None:
        return None if self.last_used_at is None else now - self.last_used_at

    def is_stale(self, now: float) -> bool:
        """The context is not used after an hour; without a time it never expires."""
        age = self.age(now)
        return age is not None and age > STALE_AFTER_SECONDS

    def after(self, delta: ContextDelta, now: float) -> ProfileCache | None:
        """The cache after an operation; None when it need not be written.

        An unchanged context counts as used, but its time is updated once a minute: steady work on
        one page neither expires nor writes a file for each request.
        """
        values = {
            "last_url": without_secrets(delta.url) if delta.url else None,
            "last_selector": delta.selector,
            "last_output": delta.output,
        }
        new = {name: value for name, value in values.items() if value}
        changed = any(getattr(self, name) != value for name, value in new.items())
        age = self.age(now)
        if not changed and (not new or (age is not None and 0 <= age < TOUCH_EVERY_SECONDS)):
            return None
        return self.model_copy(update={**new, "last_used_at": int(now)})
