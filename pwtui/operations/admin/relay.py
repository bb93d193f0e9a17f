"""The relays that are running on this machine."""

from __future__ import annotations

import asyncio

from pwtui.browser.launch.relay_endpoint import ask_relay, running_relays
from pwtui.operations.framework.call import Call
from pwtui.operations.framework.declare import Run, reads
from pwtui.operations.framework.fields import NoInput
from pwtui.protocol.models import RelayTrace, RelayTraceData, read


@reads("relay.trace", run=Run(queued=False, needs_trust=True))
async def relay_trace(call: Call, input: NoInput) -> RelayTraceData:
    """Show the connection progress of each client and page of the relays.

    A missing step is reported with a hint, as by `pw relay trace`.
    """
    relays = []
    for each in running_relays():
        try:
            trace = await asyncio.to_thread(ask_relay, each.port, "/trace")
        except (OSError, ValueError) as error:
            call.note("warning", f"the relay on port {each.port} does not respond: {error}")
        else:
            relays.append(read(RelayTrace, {"port": each.port, **trace}))
    return RelayTraceData(relays=relays, count=len(relays))
