"""Protected tabs, which no operation may act on."""

from __future__ import annotations

from pydantic import Field

from pwtui.operations.framework.call import Call
from pwtui.operations.framework.declare import Run, configures, reads
from pwtui.operations.framework.fields import Data, Input, NoInput
from pwtui.state.config import ProfileConfig


class PatternInput(Input):
    pattern: str = Field(
        min_length=1, description="Text in the URLs of the tabs, case-insensitive."
    )


class ProtectedData(Data):
    protected: list[str]


class AddedData(ProtectedData):
    added: bool
    pattern: str


class RemovedData(ProtectedData):
    removed: bool
    pattern: str


class ProtectedListData(ProtectedData):
    count: int


@configures("protect.add", example={"pattern": "mail.example.com"}, run=Run(needs_trust=False))
async def protect_add(call: Call, input: PatternInput) -> AddedData:
    """Protect the tabs whose URL contains a text."""

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
async def protect_list(call: Call, input: NoInput) -> ProtectedListData:
    """List the protected patterns."""
    protected = call.profile.config.protected_urls
    return ProtectedListData(protected=protected, count=len(protected))
