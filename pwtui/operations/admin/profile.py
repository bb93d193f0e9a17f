"""Profiles."""

from __future__ import annotations

from itertools import chain
from typing import Any, Literal

from pydantic import Field

from pwtui.operations.framework.call import Call
from pwtui.operations.framework.declare import Group, Outcome, Run, configures, reads
from pwtui.operations.framework.fields import Data, Input, NoInput
from pwtui.protocol.envelope import parse_json
from pwtui.protocol.errors import (
    InvalidInput,
    SessionError,
    did_you_mean,
    near_misses,
    with_hint,
)
from pwtui.protocol.model import Volatile, decode
from pwtui.state.config import STATE_SCHEMA, ProfileConfig, setting_schema, with_settings
from pwtui.state.workspace import name_changed, normalise_profile_name

GROUP = Group.SESSION


class NameInput(Input):
    name: str = Field(description="Name of the profile.")


class ProfileShowInput(Input):
    name: str | None = Field(None, description="Profile (default: that of the request).")


class CreateInput(NameInput):
    config: dict[str, Any] = Field(default_factory=dict, description="Config of the profile.")


class NewNameInput(NameInput):
    to: str = Field(description="Name of the new profile.")


class ProfilesData(Data):
    profiles: list[str]


class SetInput(NameInput):
    file: str | None = Field(None, description="JSON file with the whole config.")
    config: dict[str, Any] | None = Field(None, description="The whole config.")
    settings: dict[str, Any] | None = Field(
        None,
        description="Change only these settings, such as baseUrl or har.path; null removes one.",
    )
    one_of = ("file", "config", "settings")


class ProfileData(Data):
    profile: Volatile[str]


class WrittenData(ProfileData):
    written: Literal[True] = True


class ProfileCreatedData(ProfileData):
    created: Literal[True] = True


class CopiedData(ProfileData):
    copied_from: str


class RenamedData(ProfileData):
    renamed_from: str


class DeleteInput(NameInput):
    purge: bool = Field(
        False, description="Delete it for good: it cannot be restored, and its logins are removed."
    )


class DeletedData(ProfileData):
    removed: bool
    can_restore: bool = Field(description="Whether profile.restore can bring it back.")


class RestoredData(ProfileData):
    restored: Literal[True] = True


class TrustedData(ProfileData):
    trusted: list[str] = Field(description="Dotted names of the settings.")


@reads(
    "profile.list",
    run=Run(queued=False),
    outcome=Outcome(("{}",), rows="profiles", empty="no profiles"),
)
async def profile_list(call: Call, input: NoInput) -> ProfilesData:
    """List the profiles of the workspace."""
    return ProfilesData(profiles=call.profiles.names())


@reads(
    "profile.show",
    "config-print",
    example={"name": "default"},
    run=Run(queued=False),
    outcome="{:json}",
)
async def profile_show(call: Call, input: ProfileShowInput) -> ProfileConfig:
    """Show the config of a profile."""
    profile = call.profile
    if input.name is not None:
        profile = call.profiles.load(_normalised(call, "name", input.name))
        call.diagnostics += profile.notices
    call.profiles.require(profile.name)
    return profile.config


@configures(
    "profile.create",
    example={"name": "dev", "config": {"defaults": {"timeoutMs": 5000}}},
    outcome="created {profile}",
)
async def profile_create(call: Call, input: CreateInput) -> ProfileCreatedData:
    """Create a profile; fails when it exists."""
    name = _normalised(call, "name", input.name)
    call.profiles.create(name, _config(call, input.config))
    return ProfileCreatedData(profile=name)


@configures(
    "profile.copy",
    example={"name": "dev", "to": "staging"},
    outcome="copied {copiedFrom} to {profile}",
)
async def profile_copy(call: Call, input: NewNameInput) -> CopiedData:
    """Copy a profile with its config and saved logins.

    The browser session and the last page are not copied.
    """
    name, to = _normalised(call, "name", input.name), _normalised(call, "to", input.to)
    call.diagnostics += call.profiles.copy(name, to)
    return CopiedData(profile=to, copied_from=name)


@configures(
    "profile.rename",
    example={"name": "dev", "to": "staging"},
    outcome="renamed {renamedFrom} to {profile}",
)
async def profile_rename(call: Call, input: NewNameInput) -> RenamedData:
    """Rename a profile, with its config, last page and saved logins.

    Fails while a browser is running with the profile.
    """
    name, to = _normalised(call, "name", input.name), _normalised(call, "to", input.to)
    await _refuse_running(call, "rename", name)
    call.diagnostics += call.profiles.rename(name, to)
    return RenamedData(profile=to, renamed_from=name)


@configures(
    "profile.set",
    example={"name": "dev", "config": {"defaults": {"timeoutMs": 5000}}},
    outcome="saved {profile}",
)
async def profile_set(call: Call, input: SetInput) -> WrittenData:
    """Create a profile, replace its config, or change settings in it.

    The cache, the sessions and the saved logins are kept.
    """
    name = _normalised(call, "name", input.name)
    value: Any = input.config
    if input.file is not None:
        value = parse_json(call.read_text(input.file), what=str(call.path(input.file)))
    settings = input.settings
    # First: an invalid config must not create the profile.
    config = _config(call, value) if settings is None else None
    call.diagnostics += call.profiles.replace_config(
        name, lambda before: config or _config(call, with_settings(before, settings or {}))
    )
    return WrittenData(profile=name)


@configures("profile.trust", example={"name": "dev"})
async def profile_trust(call: Call, input: NameInput) -> TrustedData:
    """Trust the settings of a profile that point outside its workspace.

    A path outside the workspace (har.path, downloads.dir, defaults.authFile) or an endpoint on
    another machine is only used after you set it through pwtui, or trust it.
    """
    name = _normalised(call, "name", input.name)
    call.profiles.require(name)
    return TrustedData(profile=name, trusted=call.profiles.trust(name))


@configures(
    "profile.delete", example={"name": "dev"}, outcome="{removed?deleted:nothing to delete}"
)
async def profile_delete(call: Call, input: DeleteInput) -> DeletedData:
    """Delete a profile with its config, cache, session and saved logins.

    It can be restored for 7 days, unless it is purged. Fails while a browser is running with the
    profile.
    """
    name = _normalised(call, "name", input.name)
    await _refuse_running(call, "delete", name)
    removed = call.profiles.delete(name, purge=input.purge)
    if not removed:
        call.profiles.require(name)
    can_restore = removed and name in call.profiles.deleted()
    return DeletedData(profile=name, removed=removed, can_restore=can_restore)


@configures("profile.restore", example={"name": "dev"}, outcome="restored {profile}")
async def profile_restore(call: Call, input: NameInput) -> RestoredData:
    """Restore a deleted profile; fails when another one has its name now."""
    name = _normalised(call, "name", input.name)
    call.profiles.restore(name)
    return RestoredData(profile=name)


def _normalised(call: Call, field: str, given: str) -> str:
    """The name as it is stored; a diagnostic reports when it differs from the given one."""
    name = normalise_profile_name(given)
    call.resolved_inputs[field] = name
    if name != given:
        call.note("warning", name_changed(given, name))
    return name


async def _refuse_running(call: Call, what: str, name: str) -> None:
    if running := await _running_browser(call, name):
        raise SessionError(
            f"cannot {what} profile {name!r}: {running} is running with it",
            hint=f"use `session.stop` first (`pw session stop --profile {name}`)",
            details={"profile": name},
        )


async def _running_browser(call: Call, name: str) -> str | None:
    """A description of the browser that is running with this profile."""
    from pwtui.browser.launch.processes import is_same_process
    from pwtui.operations.session.session import descriptors

    wanted = (call.caller.workspace.id, name)
    for session in await call.sessions.listed():
        if (session.workspace_id, session.profile) == wanted:
            return f"{session.browser} (pid {session.pid or 'unknown'})"
    if call.sessions.is_starting(*wanted):
        browser = call.profiles.read_config(name).defaults.browser
        return f"{browser or 'chromium'} (starting)"
    for _, descriptor in descriptors(call.profiles, name):
        if is_same_process(descriptor.pid, descriptor.started_at):
            return f"{descriptor.browser} (pid {descriptor.pid})"
    return None


def _config(call: Call, value: Any) -> ProfileConfig:
    config = decode(ProfileConfig, value, where="")
    if config.schema_ > STATE_SCHEMA:
        raise InvalidInput(
            f"schema: {config.schema_} is newer than this version supports ({STATE_SCHEMA})",
            hint="upgrade pwtui",
            details={"schema": config.schema_},
        )
    if unknown := config.unknown_members():
        known = setting_schema()["properties"]
        near = [near_misses(each.removeprefix("defaults."), known)[:1] for each in unknown]
        text = f"unknown settings (kept, ignored): {', '.join(unknown)}"
        call.note("warning", with_hint(text, did_you_mean(sorted({*chain(*near)}))))
    return config
