"""The test site: static pages, and routes that are slow, fail, or return the request."""

from __future__ import annotations

import base64
import json
import socket
import struct
import threading
from functools import partial
from http import HTTPStatus
from http.cookies import SimpleCookie
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs

from tests.site.static import CONTENT_TYPES, LocalSite, StaticHandler
from tests.waiting import LIMIT

HTML = CONTENT_TYPES[".html"]
JSON = CONTENT_TYPES[".json"]
SVG = CONTENT_TYPES[".svg"]

# Only the page's script has the nonce; eval, inline handlers and other scripts are refused.
STRICT_POLICY = "default-src 'none'; script-src 'nonce-site'; form-action 'self'; base-uri 'none'"

REPORT = b"name,amount\nbread,2\nhoney,1\n"
SQUARE = (
    b'<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20">'
    b'<rect width="20" height="20" fill="teal"/></svg>'
)

RED_PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U"
    "1AAAAABJRU5ErkJggg=="
)


class TestSite(LocalSite):
    """The test site on a free port; `requests` has the (method, path with query) of each."""

    __test__ = False  # pytest collects classes by this name

    def __init__(self) -> None:
        self.requests: list[tuple[str, str]] = []
        self.closing = threading.Event()
        self.gate = threading.Event()
        """Set by a test to let /gate answer."""
        super().__init__(partial(TestHandler, site=self))

    def url(self, path: str = "/") -> str:
        return f"{self.origin}{path}"

    def start(self) -> TestSite:
        self.closing.clear()
        self.gate.clear()
        super().start()
        return self

    def close(self) -> None:
        self.gate.set()
        self.closing.set()  # first: routes that wait must end before their sockets are closed
        super().close()


class TestHandler(StaticHandler):
    """Adds dynamic routes; any other path is a file in `pages/`."""

    __test__ = False

    def __init__(self, *args: Any, site: TestSite) -> None:
        self.site = site
        super().__init__(*args, root=files("tests.site") / "pages")

    def route(self) -> None:
        if self.path == "/favicon.ico":
            # The browser requests it at any time: not a request of a test, and not an error.
            self.answer(b"", SVG, HTTPStatus.NO_CONTENT)
            return
        self.site.requests.append((self.command, self.path))
        path, _, query = self.path.partition("?")
        fields = {name: values[-1] for name, values in parse_qs(query).items()}
        match path.split("/")[1:]:
            case ["echo"]:
                self.answer_echo(query)
            case ["slow"]:
                self.pause(fields)
                self.answer(b"<!doctype html><title>Slow</title><h1>At last</h1>", HTML)
            case ["red.png"]:
                self.answer(RED_PNG, "image/png")
            case ["gate"]:
                self.site.gate.wait(LIMIT)
                self.answer(b"<!doctype html><title>Gate</title><h1>At last</h1>", HTML)
            case ["slow-image.svg"]:
                self.pause(fields)
                self.answer(SQUARE, SVG)
            case ["hang"]:
                self.site.closing.wait(2 * LIMIT)
            case ["reset"]:
                self.reset_connection()
            case ["redirect"]:
                self.answer(b"", HTML, HTTPStatus.FOUND, [("Location", "/form.html")])
            case ["status", code]:
                self.answer_status(int(code))
            case ["download", name]:
                disposition = f'attachment; filename="{name}"'
                self.answer(REPORT, "text/csv", headers=[("Content-Disposition", disposition)])
            case ["cookies", "set"]:
                self.set_cookie(fields["name"], fields["value"])
            case ["cookies", "show"]:
                self.answer_json(self.cookies())
            case ["csp.html"]:
                self.answer_file(path, [("Content-Security-Policy", STRICT_POLICY)])
            case _:
                self.answer_file(path)

    def pause(self, fields: dict[str, str]) -> None:
        """Wait for the `ms` of the query, or until the site is closed."""
        self.site.closing.wait(int(fields.get("ms", "0")) / 1000)

    def answer_json(self, value: object) -> None:
        self.answer(json.dumps(value, indent=2).encode(), JSON)

    def answer_echo(self, query: str) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self.answer_json(
            {
                "method": self.command,
                "query": parse_qs(query, keep_blank_values=True),
                "headers": dict(self.headers.items()),
                "body": body.decode(errors="replace"),
            }
        )

    def answer_status(self, code: int) -> None:
        bodiless = code in {HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED}
        page = f"<!doctype html><title>{code}</title><h1>Status {code}</h1>"
        self.answer(b"" if bodiless else page.encode(), HTML, code)

    def cookies(self) -> dict[str, str]:
        jar = SimpleCookie(self.headers.get("Cookie", ""))
        return {name: cookie.value for name, cookie in jar.items()}

    def set_cookie(self, name: str, value: str) -> None:
        jar: SimpleCookie = SimpleCookie({name: value})
        jar[name]["path"] = "/"
        page = b"<!doctype html><title>Cookie</title><h1>Cookie set</h1>"
        self.answer(page, HTML, headers=[("Set-Cookie", jar[name].OutputString())])

    def reset_connection(self) -> None:
        # With a linger time of zero, closing sends a reset. The reader shares the socket, which
        # stays open until both are closed.
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.rfile.close()
        self.connection.close()


# http.server calls the method named after the verb; all verbs have the same routes here.
for verb in ("POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
    setattr(TestHandler, f"do_{verb}", TestHandler.route)
