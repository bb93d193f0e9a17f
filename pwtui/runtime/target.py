"""The target of a request: its URL and its element."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import urljoin

from pydantic import ValidationError
from pydantic_core import Url

from pwtui.protocol.errors import InvalidInput
from pwtui.protocol.selectors import is_selector
from pwtui.state.config import ProfileCache

_SCHEMES = (
    "http https ws wss file data about blob chrome chrome-extension chrome-error edge devtools "
    "view-source javascript"
).split()
_ABSOLUTE = re.compile(rf"(?:{'|'.join(_SCHEMES)}):", re.IGNORECASE)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_HOST_AND_PORT = re.compile(
    r"(?:localhost|[\w-]+(?:\.[\w-]+)*|\[[0-9a-fA-F:]+\]):\d{1,5}(?:[/?#]|$)"
)


class Target(NamedTuple):
    """The page and the element of an operation; without a URL, the current page."""

    url: str | None = None
    selector: str | None = None
    ref: str | None = None
    words: str | None = None
    within: str | None = None
    """A text in the region of the page that contains the element."""
    within_role: str | None = None

    @property
    def is_searched(self) -> bool:
        """Whether the element has to be searched by text."""
        return self.words is not None or self.within is not None or self.within_role is not None


def is_absolute(url: str) -> bool:
    return bool(_ABSOLUTE.match(url) or _HOST_AND_PORT.match(url))


def normalise_url(url: str) -> str:
    """The URL as a browser shows it: `https://example.com` becomes `https://example.com/`."""
    if _HOST_AND_PORT.match(url) and not _ABSOLUTE.match(url):
        url = f"http://{url}"
    try:
        return str(Url(url))
    except (ValidationError, ValueError) as error:
        reason = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
        raise InvalidInput(f"{url!r} is not a URL: {reason}", details={"url": url}) from None


def resolve_url(url: str, base_url: str | None) -> str:
    """The absolute URL; a relative one is joined to the base URL."""
    url = url.strip()
    if is_absolute(url):
        return normalise_url(url)
    if _SCHEME.match(url):
        raise InvalidInput(f"browsers cannot open {url!r}: unknown scheme", details={"url": url})
    if not base_url:
        raise InvalidInput(
            f"{url!r} is relative, but there is no base URL",
            hint=f"use an absolute URL such as 'https://{url.lstrip('/')}', or set "
            "defaults.baseUrl in the profile",
            details={"url": url},
        )
    if not is_absolute(base_url):
        raise InvalidInput(
            f"the base URL {base_url!r} is not absolute", details={"baseUrl": base_url}
        )
    try:
        joined = urljoin(normalise_url(base_url), url)
    except ValueError as error:
        raise InvalidInput(f"{url!r} is not a URL: {error}", details={"url": url}) from None
    return normalise_url(joined)


def fallback_url(cache: ProfileCache, base_url: str | None, *, now: float) -> str:
    """The URL to open if the request has no URL and no page is open."""
    stale = cache.is_stale(now)
    if cache.last_url and not stale:
        return cache.last_url
    if base_url:
        return resolve_url("", base_url)
    if cache.last_url:
        raise InvalidInput(
            f"no page is open, and the last URL ({cache.last_url}) was used more than an hour ago",
            hint="set url",
            details={"lastUrl": cache.last_url, "lastUsedAt": cache.last_used_at},
        )
    raise InvalidInput("no page is open", hint="set url or `navigate` first")


def resolve_selector(
    given: str | None, cache: ProfileCache, fallback: str | None, *, now: float
) -> str | None:
    """The request's selector, else the last one of the last hour, else the operation's default."""
    if given is not None:
        if not given.strip():
            raise InvalidInput("selector: must not be empty")
        return given
    if cache.last_selector and not cache.is_stale(now):
        return cache.last_selector
    return fallback


def looks_like_selector(text: str) -> bool:
    """Whether the `url` of click, page.text and page.html is a selector."""
    if "://" in text or is_absolute(text.strip()):
        return False
    return is_selector(text, or_url=True)


def split_guess(
    positional: str | None, url: str | None, selector: str | None
) -> tuple[str | None, str | None]:
    """The URL and the selector, where `positional` may be either."""
    if positional is None:
        return url, selector
    # Together with a selector, text with a path can only be a URL.
    is_path = selector is not None and "/" in positional
    if looks_like_selector(positional) and not is_path:
        return url, selector or positional
    return url or positional, selector


def same_page(current: str, wanted: str) -> bool:
    """Whether `current` is the page at `wanted`."""
    return current.rstrip("/") == wanted.rstrip("/")
