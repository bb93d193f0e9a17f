"""The relay: the user's own browser for Playwright, through an extension.

The functions here are for synchronous programs; `pwtui.relay.aio` has the same ones, async.
"""

from pwtui.relay.api import (
    ExtensionNotConnectedError,
    ExtensionStatus,
    RelayInfo,
    RelayServerError,
    RelayServerStartError,
    cdp_url,
    connect_to_relay,
    ensure_persistent_relay,
    wait_for_extension,
)

__all__ = [
    "ExtensionNotConnectedError",
    "ExtensionStatus",
    "RelayInfo",
    "RelayServerError",
    "RelayServerStartError",
    "cdp_url",
    "connect_to_relay",
    "ensure_persistent_relay",
    "wait_for_extension",
]
