"""The pages that the documentation calls https://example.com."""

from __future__ import annotations

from tests.site.static import StaticHandler

EXAMPLE = "https://example.com"
PAGES = {
    "/": """<title>Example Domain</title><div><h1>Example Domain</h1><p>This domain is for use in
        documentation examples without needing permission. Avoid use in operations.<p><a
        href="https://iana.org/domains/example">Learn more</a></div>""",
    "/login": """<title>Log in</title><form onsubmit="location = '/home'; return false">
        <label>Name <input id=user></label>
        <label>Password <input id=password type=password></label>
        <button>Log in</button></form>""",
    "/home": "<title>Home</title><main><h1>Welcome, Ada</h1><p>You have no messages today.</main>",
    "/orders": """<title>Orders</title><h1>Orders</h1><ul><li>First <button>Save</button>
        <li>Second <button>Save</button><li>Third <button>Save</button></ul>""",
}


class ExamplePages(StaticHandler):
    def route(self) -> None:
        self.answer(
            f"<!doctype html>{PAGES.get(self.path, '')}".encode(), "text/html; charset=utf-8"
        )
