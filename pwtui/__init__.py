"""pwtui: the terminal control panel for browser automation, and a client for Python programs."""

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pwtui.client.api import AsyncPw, Pw, connect, connect_async
    from pwtui.client.data import Data
    from pwtui.protocol import errors
    from pwtui.protocol.errors import PwError

__all__ = ["AsyncPw", "Data", "Pw", "PwError", "connect", "connect_async", "errors"]

_MODULES = {
    "client.api": ("AsyncPw", "Pw", "connect", "connect_async"),
    "client.data": ("Data",),
    "protocol.errors": ("PwError", "errors"),
}


def __getattr__(name: str) -> object:
    """Load the Python API on first use: `pw` imports this module and has to start fast."""
    from importlib import import_module

    for module, names in _MODULES.items():
        if name in names:
            loaded = import_module(f"pwtui.{module}")
            return loaded if name == "errors" else getattr(loaded, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
