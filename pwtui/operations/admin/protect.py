"""Tabs that no operation may touch."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from pwtui.operations.framework.call import Call
from pwtui.operations.framework.declare import Run, configures, reads
from pwtui.operations.framework.fields import Data, Input, NoInput
from pwtui.state.config import ProfileConfig


class PatternInput(Input):
    pattern: Annotated[str, StringConstraints(min_length=1)] = Field(
        description="Tabs whose URL contains this, in any case, are protected."
    )


class AddedData(Data):
    added: bool
    pattern: str
    protected: list[str]


class RemovedData(Data):
    removed: bool
    pattern: str
    protected: list[str]


class ProtectedData(Data):
    protected: list[str]
    count: int


@configures("protect.add", example={"pattern": "mail.example.com"}, run=Run(needs_trust=False))
async def protect_add(call: Call, input: PatternInput) -> AddedData:
    """Protect all tabs whose URL contains a text."""

    def add(config: ProfileConfig) -> AddedData:
        known = {pattern.lower() for pattern in config.protected_urls}
        is_new = input.pattern.lower() not in known
        if is_new:
            config.protected_urls = [*config.protected_urls, input.pattern]
        return AddedData(added=is_new, pattern=input.pattern, protected=config.protected_urls)

    return call.profiles.change_config(call.runtime.profile, add)


@configures("protect.remove", example={"pattern": "mail.example.com"}, run=Run(needs_trust=False))
async def protect_remove(call: Call, input: PatternInput) -> RemovedData:
    """Remove a protected pattern."""

    def remove(config: ProfileConfig) -> RemovedData:
        kept = [p for p in config.protected_urls if p.lower() != input.pattern.lower()]
        removed = len(kept) < len(config.protected_urls)
        config.protected_urls = kept
        return RemovedData(removed=removed, pattern=input.pattern, protected=kept)

    return call.profiles.change_config(call.runtime.profile, remove)


@reads("protect.list")
async def protect_list(call: Call, input: NoInput) -> ProtectedData:
    """List what is protected."""
    protected = call.profile.config.protected_urls
    return ProtectedData(protected=protected, count=len(protected))
