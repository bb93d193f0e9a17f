"""A profile's config.json and cache.json (persisted schema 4)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from operator import not_
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, NonNegativeInt

from pwtui.protocol.envelope import BrowserName, ContextDelta
from pwtui.protocol.errors import InvalidInput, did_you_mean, near_misses
from pwtui.protocol.model import Maybe, WireModel
from pwtui.protocol.schema import Schema, shapes
from pwtui.protocol.secrets import without_secrets

STATE_SCHEMA = 4
STALE_AFTER_SECONDS = 3600
TOUCH_EVERY_SECONDS = 60


class StateModel(WireModel):
    """A part of a state file. Unknown members are kept unchanged."""

    model_config = ConfigDict(extra="allow", validate_assignment=True)

    def unknown_members(self, prefix: str = "") -> list[str]:
        """The unknown members, as dotted paths."""
        unknown = [f"{prefix}{name}" for name in self.model_extra or ()]
        for name, field in type(self).model_fields.items():
            part = getattr(self, name)
            if isinstance(part, StateModel):
                unknown += part.unknown_members(f"{prefix}{field.alias}.")
        return unknown


def _without_own_token(endpoint: str) -> str:
    from pwtui.state.relay_records import without_own_token  # few profiles have an endpoint

    return without_own_token(endpoint)


class Defaults(StateModel):
    """The runtime of requests without overrides."""

    browser: Maybe[BrowserName] = Field(None, description="Engine to launch.")
    executable_path: Maybe[str] = Field(
        None, description="Browser executable to start (default: found on the system)."
    )
    channel: Maybe[str] = Field(
        None, description="Playwright channel to launch, such as chrome, msedge or moz-firefox."
    )
    headless: Maybe[bool] = Field(None, description="Launch without a window (true when unset).")
    base_url: Maybe[str] = Field(None, description="Base of relative URLs.")
    cdp_endpoint: Maybe[Annotated[str, AfterValidator(_without_own_token)]] = Field(
        None, description="Attach to this browser (http:// or ws:// URL) instead of launching one."
    )
    isolated: Maybe[bool] = Field(
        None, description="Use a new context in an attached browser, not the open tabs."
    )
    timeout_ms: Maybe[NonNegativeInt] = Field(
        None, description="Timeout of each operation in milliseconds (0: no timeout)."
    )
    auth_file: Maybe[str] = Field(None, description="Storage state to load into new contexts.")
    use_daemon: Maybe[bool] = Field(
        None, description="Run requests in the daemon (true when unset)."
    )
    launch_server: Maybe[bool] = Field(
        None, description="Bind launched browsers so that other Playwright clients can attach."
    )
    cdp: Maybe[bool] = Field(
        None,
        description="Open a CDP debugging port, to which other users of this machine can connect "
        "(default: only for session.start).",
    )


class Har(StateModel):
    """The HAR file of the profile's network traffic."""

    path: str = Field(description="File to write the HAR to.")
    content_policy: Literal["embed", "attach", "omit"] = Field(
        "embed", description="Where response bodies are stored."
    )
    mode: Literal["full", "minimal"] = Field("full", description="Amount of data per entry.")
    omit_content: bool = Field(False, description="Leave response bodies out.")
    url_filter: Maybe[str] = Field(None, description="Record only URLs that match this glob.")


class Network(StateModel):
    block_patterns: list[str] = Field(
        [],
        description="Abort requests to URLs that match one of these globs.",
        exclude_if=not_,
    )


class Downloads(StateModel):
    dir: Maybe[str] = Field(None, description="Folder to save downloads in.")


HistoryMode = Literal["full", "metadata", "off"]


class ProfileConfig(StateModel):
    """config.json: the user's settings."""

    schema_: NonNegativeInt = Field(STATE_SCHEMA, alias="schema")
    defaults: Defaults = Field(default_factory=Defaults.model_construct)
    har: Maybe[Har] = None
    network: Network = Field(default_factory=Network.model_construct)
    downloads: Downloads = Field(default_factory=Downloads.model_construct)
    protected_urls: list[str] = Field(
        [],
        description="Do not use tabs whose URL contains one of these texts (any case).",
        exclude_if=not_,
    )
    history: HistoryMode = Field(
        "full",
        description="What the history records: everything, or only operations, clients and times.",
        exclude_if="full".__eq__,
    )


@cache
def setting_schema() -> Schema:
    """A schema with each setting as a property: `har.path`, and `baseUrl` for the defaults."""
    root = ProfileConfig.model_json_schema()
    found: dict[str, Schema] = {}
    for name, field in root["properties"].items():
        for shape in shapes(field, root):
            for inner, schema in shape.get("properties", {}).items():
                found[inner if name == "defaults" else f"{name}.{inner}"] = schema
            if shape.get("type") == "array" or "enum" in shape:
                found[name] = field
    return {"properties": found, "$defs": root["$defs"]}


def with_settings(config: ProfileConfig, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The config with these settings, as JSON; null removes one."""
    known = setting_schema()["properties"]
    value: dict[str, Any] = config.to_wire()
    for key, setting in settings.items():
        path = key.removeprefix("defaults.")
        if path not in known:
            raise InvalidInput(
                f"settings: there is no setting {key!r}",
                hint=did_you_mean(near_misses(path, known)) or f"use one of {', '.join(known)}",
            )
        is_default = any(path == field.alias for field in Defaults.model_fields.values())
        *parents, name = ("defaults", path) if is_default else path.split(".")
        part = value
        for parent in parents:
            part = part.setdefault(parent, {})
        if setting is None:
            part.pop(name, None)
        else:
            part[name] = setting
    return value


class ProfileCache(StateModel):
    """cache.json: the context of the last operation."""

    schema_: NonNegativeInt = Field(STATE_SCHEMA, alias="schema")
    last_url: Maybe[str] = None
    last_selector: Maybe[str] = None
    last_output: Maybe[str] = None
    last_used_at: Maybe[NonNegativeInt] = None

    def age(self, now: float) -> float | None:
        return None if self.last_used_at is None else now - self.last_used_at

    def is_stale(self, now: float) -> bool:
        """Whether the context is older than an hour; without a time it never expires."""
        age = self.age(now)
        return age is not None and age > STALE_AFTER_SECONDS

    def after(self, delta: ContextDelta, now: float) -> ProfileCache | None:
        """The cache after an operation, or None if it does not have to be written.

        The time of an unchanged context is updated once a minute: repeated requests to one page
        neither let it expire nor write a file each time.
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
