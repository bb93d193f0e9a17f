"""HAR recordings of a profile's network traffic."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from pwtui.operations.framework.call import Call
from pwtui.operations.framework.declare import Run, configures, reads
from pwtui.operations.framework.fields import Data, Input, NoInput
from pwtui.protocol.envelope import Artifact
from pwtui.state.config import Har, ProfileConfig


class HarSetInput(Input):
    file: str = Field(description="HAR file, relative to the project.")
    content: Literal["embed", "attach", "omit"] = Field(
        "embed", description="Where to store response bodies."
    )
    mode: Literal["full", "minimal"] = Field("full", description="Amount of detail.")
    omit_content: bool = Field(False, description="Do not store response bodies.")
    url_filter: str | None = Field(None, description="Glob of the URLs to record.")


class HarSetData(Data):
    enabled: Literal[True] = True
    changed: bool
    har: dict[str, Any]


class HarShowData(Data):
    enabled: bool
    har: dict[str, Any] | None


class HarClearData(Data):
    cleared: bool
    enabled: Literal[False] = False


@configures("har.set", example={"file": "traffic.har"})
async def har_set(call: Call, input: HarSetInput) -> HarSetData:
    """Record the profile's network traffic to a HAR file, until har.clear.

    The file is written when the recording ends: on har.clear, har.set, or when the browser closes.
    """
    har = Har(
        path=input.file,
        content_policy=input.content,
        mode=input.mode,
        omit_content=input.omit_content,
        url_filter=input.url_filter,
    )

    def change(config: ProfileConfig) -> bool:
        changed = config.har != har
        config.har = har
        return changed

    changed = call.profiles.change_config(call.runtime.profile, change)
    return HarSetData(changed=changed, har=har.model_dump(mode="json"))


@reads("har.show")
async def har_show(call: Call, input: NoInput) -> HarShowData:
    """Show the HAR settings."""
    har = call.profile.config.har
    return HarShowData(enabled=har is not None, har=har.model_dump(mode="json") if har else None)


@configures("har.clear", run=Run(where="open session"))
async def har_clear(call: Call, input: NoInput) -> HarClearData:
    """Stop the HAR recording and write its file."""

    def change(config: ProfileConfig) -> bool:
        cleared = config.har is not None
        config.har = None
        return cleared

    cleared = call.profiles.change_config(call.runtime.profile, change)
    pool = call.browsers.made
    session = pool.find(call.session_spec()) if pool is not None else None
    written = await session.stop_har() if session is not None else None
    if written is not None:
        size = written.stat().st_size
        call.artifacts.append(Artifact(type="har", path=str(written), size_bytes=size))
    return HarClearData(cleared=cleared)
