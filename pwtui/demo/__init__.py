"""Corner Store: a demo shop, served on 127.0.0.1 from a daemon thread."""

from __future__ import annotations

import logging
import socket
import sys
import threading
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import TCPServer
from typing import Any, Self

HOST = "127.0.0.1"
DEMO_PORT = 42113
"""The port of `pwtui --demo`, unless another program uses it."""
FILES = {f"/{file.name}": file for file in (Path(__file__).parent / "site").iterdir()}
# Not `mimetypes`, which depends on the system's tables.
CONTENT_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}

log = logging.getLogger(__name__)


def open_demo() -> DemoSite:
    """The shop at the address that the documentation names, if that is free."""
    site = DemoSite(DEMO_PORT)
    try:
        return site.start()
    except OSError:
        site.server_close()
        return DemoSite().start()


class DemoSite(ThreadingHTTPServer):
    """The web server of the shop; `port` 0 is any free port."""

    daemon_threads = True
    request_queue_size = 128  # browsers open several connections at once; the default is 5

    def __init__(self, port: int = 0) -> None:
        super().__init__((HOST, port), _Handler, bind_and_activate=False)
        self._connections: set[socket.socket] = set()

    @property
    def url(self) -> str:
        if not self.server_address[1]:
            raise RuntimeError("the site has no address: call start() first")
        return f"http://{HOST}:{self.server_address[1]}/"

    def start(self) -> Self:
        """Start serving. Raises OSError if the port is in use."""
        self.server_bind()
        self.server_activate()
        threading.Thread(target=self.serve_forever, args=(0.1,), daemon=True).start()
        return self

    def close(self) -> None:
        """Stop serving and close every connection."""
        self.shutdown()
        for connection in list(self._connections):
            with suppress(OSError):  # closed by the client meanwhile
                connection.shutdown(socket.SHUT_RDWR)
        self.server_close()

    __enter__ = start

    def __exit__(self, *_: object) -> None:
        self.close()

    def server_bind(self) -> None:
        # Not HTTPServer.server_bind, whose lookup of the host name may take seconds.
        TCPServer.server_bind(self)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._connections.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        # The base class prints to stderr, which would break the panel's screen.
        if not isinstance(error := sys.exception(), ConnectionError):
            log.error("could not answer %s", client_address, exc_info=error)


class _Handler(BaseHTTPRequestHandler):
    """Returns a file of the shop, or its 404 page."""

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        found = FILES.get("/index.html" if path == "/" else path)
        file = found or FILES["/404.html"]
        body = file.read_bytes()
        self.send_response(HTTPStatus.OK if found else HTTPStatus.NOT_FOUND)
        self.send_header("Content-Type", CONTENT_TYPES[file.suffix])
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_HEAD(self) -> None:
        self.do_GET()

    def log_message(self, format: str, *args: Any) -> None:
        log.debug(format, *args)
