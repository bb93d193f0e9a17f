"""What the history costs: requests of a profile with it, and of one without."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from bench.daemon import ask, environment
from bench.operations import INPUTS, interleaved
from pwtui.client.link import DaemonLink
from pwtui.client.start import OutsideControl
from pwtui.demo import DemoSite
from pwtui.runtime.caller import Caller
from pwtui.state.workspace import Workspace

PROFILES = {"with": "full", "without": "off"}
WITHOUT_BROWSER = {"protect.list": {}, "protect.add": {"pattern": "bench"}}


async def main() -> None:
    with DemoSite() as site, environment() as root:
        client = await DaemonLink("bench").connect(Caller(Workspace(root), cwd=root))
        assert client is not None
        try:
            for profile, mode in PROFILES.items():
                input = {"name": profile, "settings": {"history": mode}}
                await ask(client, "profile.set", input, profile)
                await ask(client, "navigate", {"url": site.url}, profile)
            inputs: dict[str, dict[str, Any]] = {
                **WITHOUT_BROWSER,
                **INPUTS,
                "navigate": {"url": site.url},
            }
            print(f"{'operation':14} {'off ms':>9} {'full ms':>9} {'added ms':>9} {'ratio':>7}")
            for op, input in inputs.items():
                await asyncio.sleep(2)  # the page is looked at once
                full, off = await interleaved(
                    *(partial(ask, client, op, input, profile) for profile in PROFILES)
                )
                print(f"{op:14} {off:9.2f} {full:9.2f} {full - off:9.3f} {full / off:7.3f}")
        finally:
            await client.close()
            await OutsideControl().stop()


if __name__ == "__main__":
    asyncio.run(main())
