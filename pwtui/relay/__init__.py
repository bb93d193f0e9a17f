"""The relay: connects Playwright to the user's own browser through an extension.

These functions are synchronous; `pwtui.relay.aio` has async versions.
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
