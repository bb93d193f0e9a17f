"""The address of the daemon.

Every `pw` command reads this before anything else, so it imports nothing that costs time.
"""

import os
import stat

# What sun_path holds on macOS, less one for the final zero and a few to spare.
LONGEST_SOCKET_PATH = 100
RUNTIME_VARIABLE = "PWTUI_RUNTIME_DIR"
INSTALLATION = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
_PRIME = 4294967291


class UnsafeFolder(Exception):
    """The folder for the socket belongs to another user, or is accessible to others."""

    hint = f"remove it, or name another one in {RUNTIME_VARIABLE}"


def runtime_dir() -> str:
    """The private folder of the socket; its path is short, as Unix sockets require.

    Each installation has its own, as another one may lack what this one has. A folder that is
    named in the environment may be shared.
    """
    uid = os.getuid()
    environment = os.environ
    if explicit := environment.get(RUNTIME_VARIABLE):
        folder = explicit
    elif session := environment.get("XDG_RUNTIME_DIR"):
        folder = f"{session}/pwtui-{_checksum(INSTALLATION)}"
    else:
        folder = f"/tmp/pwtui-{uid}-{_checksum(INSTALLATION)}"
    if len(os.fsencode(folder)) + len("/daemon.sock") > LONGEST_SOCKET_PATH:
        folder = f"/tmp/pwtui-{uid}-{_checksum(folder)}"
    return folder


def instance() -> str:
    """Distinguishes daemons with different runtime folders that share another folder."""
    return _checksum(runtime_dir())


def _checksum(text: str) -> str:
    return f"{int.from_bytes(os.fsencode(text), 'big') % _PRIME:08x}"


def socket_path(folder: str = "") -> str:
    return (folder or runtime_dir()) + "/daemon.sock"


def check_private(folder: str) -> None:
    """Refuse a folder in which another user could create the socket."""
    status = os.lstat(folder)
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o077:
        raise UnsafeFolder(f"{folder} must be a folder that only you can use")
