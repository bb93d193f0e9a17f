"""The process at the other end of a Unix socket."""

from __future__ import annotations

import os
import socket
import struct
import sys
from typing import NamedTuple

# From <sys/un.h> and <sys/ucred.h> of macOS, which the socket module does not have.
_SOL_LOCAL, _LOCAL_PEERCRED, _LOCAL_PEERPID = 0, 1, 2


class Peer(NamedTuple):
    uid: int
    pid: int | None

    @property
    def is_same_user(self) -> bool:
        return self.uid == os.getuid()


def peer_of(connection: socket.socket) -> Peer:
    """The user id and process id of the peer, as reported by the kernel."""
    if sys.platform == "darwin":
        credentials = connection.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, 76)
        _, uid = struct.unpack_from("iI", credentials)
        pid = struct.unpack("i", connection.getsockopt(_SOL_LOCAL, _LOCAL_PEERPID, 4))[0]
        return Peer(uid, pid)
    size = struct.calcsize("3i")
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    pid, uid, _ = struct.unpack("3i", credentials)
    return Peer(uid, pid)
