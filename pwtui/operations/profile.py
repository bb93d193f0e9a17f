"""Profiles as data."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from pwtui.operations.call import Call
from pwtui.operations.declare import operation
from pwtui.operations.fields import Data, Input, NoInput
from pwtui.protocol.envelope import parse_json
from pwtui.protocol.errors import InvalidInput, IoError
from pwtui.protocol.model import decode
from pwtui.state.config import STATE_SCHEMA, ProfileConfig
from pwtui.state.workspace import normalise_profile_name


class NameInput(Input):
    name: str = Field(description="The profile.")

    @model_validator(mode="after")
    def _normalised(self) -> Self:
        # Straight into the fields: an assignment would validate again, and come back here.
        self.__dict__["name"] = normalise_profile_name(self.name)
        return self


class ShowInput(Input):
    name: str | None = Field(None, description="The profile; without it, the request's own.")


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
    profile: str
    written: Literal[True] = True


class DeletedData(Data):
    profile: str
    removed: bool


@operation("profile.list", queued=False)
async def profile_list(call: Call, input: NoInput) -> ProfilesData:
    """List the profiles of the workspace."""
    return ProfilesData(profiles=call.profiles.names())


@operation("profile.show", example={"name": "default"}, queued=False)
async def profile_show(call: Call, input: ShowInput) -> ProfileConfig:
    """Show a profile's config; one that does not exist yet has the defaults."""
    profile = call.profile
    if input.name is not None:
        profile = call.profiles.load(normalise_profile_name(input.name))
    call.diagnostics += profile.notices
    return profile.config


@operation("profile.set", example={"name": "dev", "config": {"defaults": {"timeoutMs": 5000}}})
async def profile_set(call: Call, input: SetInput) -> WrittenData:
    """Replace a profile's config; cache, sessions and auth stay."""
    value = input.config if input.file is None else _read(call, input.file)
    config = decode(ProfileConfig, value, where="")
    if config.schema_ > STATE_SCHEMA:
        raise InvalidInput(
            f"schema: {config.schema_} is newer than what this version knows ({STATE_SCHEMA})",
            details={"schema": config.schema_},
        )
    if unknown := config.unknown_members():
        call.note("warning", f"kept, but nothing reads: {', '.join(unknown)}")
    call.diagnostics += call.profiles.replace_config(input.name, config)
    return WrittenData(profile=input.name)


@operation("profile.delete", example={"name": "dev"})
async def profile_delete(call: Call, input: NameInput) -> DeletedData:
    """Delete a profile with its config, cache, session and saved logins."""
    return DeletedData(profile=input.name, removed=call.profiles.delete(input.name))


def _read(call: Call, file: str) -> Any:
    path = call.path(file)
    try:
        return parse_json(path.read_bytes(), what=str(path))
    except OSError as error:
        raise IoError.of(f"read {path}", error) from error
