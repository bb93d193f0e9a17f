"""Serve a folder of files on 127.0.0.1 from a daemon thread."""

from __future__ import annotations

import logging
import socket
import sys
import threading
from collections.abc import Callable, Iterable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath
from socketserver import BaseServer, TCPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import unquote

HOST = "127.0.0.1"

# Not `mimetypes`, which depends on the system's tables.
CONTENT_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}

HandlerFactory = Callable[[Any, Any, BaseServer], BaseHTTPRequestHandler]

log = logging.getLogger(__name__)


def find_file(root: Traversable, url_path: str) -> Traversable | None:
    """The file in `root` for a URL path; None if there is no such file."""
    if not url_path.startswith("/"):
        return None
    names = unquote(url_path).split("/")[1:]
    names[-1] = names[-1] or "index.html"
    file = root
    for name in names:
        # Refuse "..", hidden files and Windows paths.
        if not name or name.startswith(".") or any(char in name for char in "\\:\0"):
            return None
        file = file / name
    try:
        return file if file.is_file() else None
    except OSError:  # a name longer than the file system allows
        return None


class StaticHandler(BaseHTTPRequestHandler):
    """Serves the files in `root`, without listings of folders."""

    server_version = "pwtui"
    sys_version = ""

    def __init__(
        self, request: Any, client_address: Any, server: BaseServer, *, root: Traversable
    ) -> None:
        self.root = root  # first: the base class answers the request in its constructor
        super().__init__(request, client_address, server)

    def do_GET(self) -> None:
        self.route()

    def do_HEAD(self) -> None:
        self.route()

    def route(self) -> None:
        """Choose the response; a site with dynamic routes overrides this."""
        self.answer_file(self.path.partition("?")[0].partition("#")[0])

    def answer_file(self, url_path: str, headers: Iterable[tuple[str, str]] = ()) -> None:
        """Return the file at `url_path`, or the 404 page of the site."""
        file = find_file(self.root, url_path)
        if file is not None:
            suffix = PurePosixPath(file.name).suffix
            content_type = CONTENT_TYPES.get(suffix, "application/octet-stream")
            self.answer(file.read_bytes(), content_type, headers=headers)
        elif (page := find_file(self.root, "/404.html")) is not None:
            self.answer(page.read_bytes(), CONTENT_TYPES[".html"], HTTPStatus.NOT_FOUND)
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def answer(
        self,
        body: bytes,
        content_type: str,
        status: int = HTTPStatus.OK,
        headers: Iterable[tuple[str, str]] = (),
    ) -> None:
        """Send a response; for HEAD only its headers."""
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def end_headers(self) -> None:
        # Here rather than in `answer`, so that error pages are not cached or sniffed either.
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        log.debug(format, *args)


class LocalServer(ThreadingHTTPServer):
    """A server that does not print and can close all of its connections, also idle ones."""

    daemon_threads = True
    request_queue_size = 128  # browsers open several connections at once; the default is 5

    def __init__(self, port: int, handler: HandlerFactory) -> None:
        self._connections: set[socket.socket] = set()
        self._lock = threading.Lock()
        super().__init__((HOST, port), handler)

    def server_bind(self) -> None:
        # Not HTTPServer.server_bind, whose lookup of the host name may take seconds.
        TCPServer.server_bind(self)
        self.server_name, self.server_port = HOST, int(self.server_address[1])

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        with self._lock:
            self._connections.add(connection)
        return connection, address

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._connections.discard(request)
        super().shutdown_request(request)

    def disconnect_clients(self) -> None:
        with self._lock:
            for connection in self._connections:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    continue  # closed by the client

    def handle_error(self, request: Any, client_address: Any) -> None:
        error = sys.exception()
        if isinstance(error, ConnectionError):
            log.debug("%s went away: %s", client_address, error)
        else:
            # The base class prints to stderr.
            log.error("could not answer %s", client_address, exc_info=error)


class LocalSite:
    """A web site on 127.0.0.1, as a context manager."""

    def __init__(self, handler: HandlerFactory, port: int = 0) -> None:
        self._handler = handler
        self._port = port
        self._server: LocalServer | None = None

    @property
    def origin(self) -> str:
        """Scheme, host and port, such as `http://127.0.0.1:8000`."""
        if self._server is None:
            raise RuntimeError("the site has no address: call start() first")
        return f"http://{HOST}:{self._server.server_port}"

    def start(self) -> Self:
        """Serve until `close`. Raises OSError when the given port is in use."""
        if self._server is None:
            self._server = LocalServer(self._port, self._handler)
            threading.Thread(
                target=self._server.serve_forever,
                kwargs={"poll_interval": 0.1},
                name=f"site-{self._server.server_port}",
                daemon=True,
            ).start()
        return self

    def close(self) -> None:
        """Stop serving and close all connections; may be called twice."""
        server, self._server = self._server, None
        if server is not None:
            server.shutdown()
            server.disconnect_clients()
            server.server_close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
