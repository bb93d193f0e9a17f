"""The web site of the tests: a page for each kind of behaviour."""

from tests.site.server import TestSite

__all__ = ["TestSite"]
