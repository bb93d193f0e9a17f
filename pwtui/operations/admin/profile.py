"""Profiles as data."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from pwtui.operations.framework.call import Call
from pwtui.operations.framework.declare import Group, Outcome, Run, configures, reads
from pwtui.operations.framework.fields import Data, Input, NoInput
from pwtui.protocol.envelope import parse_json
from pwtui.protocol.errors import InvalidInput, IoError, SessionError
from pwtui.protocol.model import Volatile, decode
from pwtui.state.config import STATE_SCHEMA, ProfileConfig
from pwtui.state.workspace import name_changed, normalise_profile_name

GROUP = Group.SESSION


class NameInput(Input):
    name: str = Field(description="The profile.")


class ProfileShowInput(Input):
    name: str | None = Field(None, description="The profile; without it, the request's own.")


class CreateInput(NameInput):
    config: dict[str, Any] = Field(default_factory=dict, description="The whole config.")


class NewNameInput(NameInput):
    to: str = Field(description="The name of the new profile.")


class ProfilesData(Data):
    profiles: list[str]


class SetInput(NameInput):
    file: str | None = Field(None, description="A file with the whole config as JSON.")
    config: dict[str, Any] | None = Field(None, description="The whole config.")

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.file is None) == (self.config is None):
            raise ValueError("give a file or a config, one of them")
        return self


class WrittenData(Data):
    profile: Volatile[str]
    written: Literal[True] = True


class ProfileCreatedData(Data):
    profile: Volatile[str]
    created: Literal[True] = True


class CopiedData(Data):
    profile: Volatile[str]
    copied_from: str


class RenamedData(Data):
    profile: Volatile[str]
    renamed_from: str


class DeletedData(Data):
    profile: Volatile[str]
    removed: bool


class TrustedData(Data):
    profile: Volatile[str]
    trusted: list[str] = Field(description="The settings, by their dotted names.")


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
    """Show a profile's config."""
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
    """Create a profile; one that exists is refused."""
    name = _normalised(call, "name", input.name)
    call.profiles.create(name, _config(call, input.config))
    return ProfileCreatedData(profile=name)


@configures(
    "profile.copy",
    example={"name": "dev", "to": "staging"},
    outcome="copied {copiedFrom} to {profile}",
)
async def profile_copy(call: Call, input: NewNameInput) -> CopiedData:
    """Create a profile with the config and the saved logins of another.

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
    """Rename a profile; its config, its last page and its saved logins stay with it.

    Refused while a browser runs with the profile: stop it first.
    """
    name, to = _normalised(call, "name", input.name), _normalised(call, "to", input.to)
    _refuse_running(call, "rename", name)
    call.diagnostics += call.profiles.rename(name, to)
    return RenamedData(profile=to, renamed_from=name)


@configures(
    "profile.set",
    example={"name": "dev", "config": {"defaults": {"timeoutMs": 5000}}},
    outcome="saved {profile}",
)
async def profile_set(call: Call, input: SetInput) -> WrittenData:
    """Replace a profile's config; cache, sessions and auth stay. Creates a profile that is new."""
    name = _normalised(call, "name", input.name)
    config = _config(call, input.config if input.file is None else _read(call, input.file))
    call.diagnostics += call.profiles.replace_config(name, config)
    return WrittenData(profile=name)


@configures("profile.trust", example={"name": "dev"})
async def profile_trust(call: Call, input: NameInput) -> TrustedData:
    """Accept the settings of a profile that reach beyond its workspace.

    A path outside of the workspace (har.path, downloads.dir, defaults.authFile) or an endpoint on
    another machine is used only when you set it through pwtui, or with this.
    """
    name = _normalised(call, "name", input.name)
    call.profiles.require(name)
    return TrustedData(profile=name, trusted=call.profiles.trust(name))


@configures(
    "profile.delete", example={"name": "dev"}, outcome="{removed?deleted:nothing to delete}"
)
async def profile_delete(call: Call, input: NameInput) -> DeletedData:
    """Delete a profile with its config, cache, session and saved logins.

    Refused while a browser runs with the profile: stop it first.
    """
    name = _normalised(call, "name", input.name)
    _refuse_running(call, "delete", name)
    removed = call.profiles.delete(name)
    if not removed:
        call.profiles.require(name)
    return DeletedData(profile=name, removed=removed)


def _normalised(call: Call, field: str, given: str) -> str:
    """The name as it is used; the response says when that is not the one that was given."""
    name = normalise_profile_name(given)
    call.resolved_inputs[field] = name
    if name != given:
        call.note("warning", name_changed(given, name))
    return name


def _refuse_running(call: Call, what: str, name: str) -> None:
    if running := _running_browser(call, name):
        raise SessionError(
            f"cannot {what} profile {name!r}: {running} runs with it",
            hint=f"stop it first with `session.stop` (`pw session stop --profile {name}`)",
            details={"profile": name},
        )


def _running_browser(call: Call, name: str) -> str | None:
    """A browser that runs with this profile, in words."""
    from pwtui.browser.launch.processes import is_same_process
    from pwtui.operations.session.session import descriptors

    wanted = (call.caller.workspace.id, name)
    for spec, session in call.pool.sessions.items():
        if spec.key[:2] == wanted:
            return f"{spec.browser} (pid {session.running.pid or 'unknown'})"
    for spec in call.pool.opening:
        if spec.key[:2] == wanted:
            return f"{spec.browser} (starting)"
    for _, descriptor in descriptors(call.profiles, name):
        if is_same_process(descriptor.pid, descriptor.started_at):
            return f"{descriptor.browser} (pid {descriptor.pid})"
    return None


def _config(call: Call, value: Any) -> ProfileConfig:
    config = decode(ProfileConfig, value, where="")
    if config.schema_ > STATE_SCHEMA:
        raise InvalidInput(
            f"schema: {config.schema_} is newer than what this version knows ({STATE_SCHEMA})",
            hint="upgrade pwtui",
            details={"schema": config.schema_},
        )
    if unknown := config.unknown_members():
        call.note("warning", f"unknown settings (kept, ignored): {', '.join(unknown)}")
    return config


def _read(call: Call, file: str) -> Any:
    path = call.path(file)
    try:
        return parse_json(path.read_bytes(), what=str(path))
    except OSError as error:
        raise IoError.of(f"read {path}", error) from error
