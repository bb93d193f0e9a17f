"""What the persistent relay's functions raise."""

from __future__ import annotations

from pwtui.state.relay_records import relay_log_file


class RelayServerError(Exception):
    """Something is wrong with the relay on a port."""

    def __init__(self, message: str, port: int) -> None:
        super().__init__(f"{message} (port {port})")
        self.message = message
        self.port = port


class ExtensionNotConnectedError(RelayServerError):
    """The relay runs, but no tab can be used through it."""

    def __init__(self, port: int, *, connected: bool = False) -> None:
        problem = (
            "The extension is connected, but no tab is attached."
            if connected
            else "The extension is not connected."
        )
        super().__init__(
            f"{problem} Click the pwtui button on a tab of your browser; `pw relay extension` "
            "shows how to load it, `pw relay open` starts a browser that has it",
            port,
        )


class RelayServerStartError(RelayServerError):
    """The relay could not be started."""

    def __init__(self, port: int, reason: str = "it does not answer") -> None:
        super().__init__(f"The relay did not start: {reason}. See {relay_log_file()}", port)
