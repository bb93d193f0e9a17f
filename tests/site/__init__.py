"""The web site that the tests drive: one page for each thing that a browser can do to a tool."""

from tests.site.server import TestSite

__all__ = ["TestSite"]
