"""The session's cookies. Their values are secrets and are masked in every record."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import ConfigDict, Field

from pwtui.operations.framework.browser_errors import rejected_as
from pwtui.operations.framework.declare import Group, Outcome, acts, reads
from pwtui.operations.framework.fields import Data, Input, MayBeSecret, NoInput
from pwtui.operations.framework.page_call import PageCall, SessionCall
from pwtui.operations.framework.target_fields import UrlFields
from pwtui.protocol.errors import InvalidInput
from pwtui.protocol.model import Maybe, Volatile

GROUP = Group.STORAGE

SameSite = Literal["Strict", "Lax", "None"]

COOKIE = "{name}={value:any}  ({domain}{path})"


class CookieData(Data):
    model_config = ConfigDict(extra="ignore")

    name: str
    value: str
    domain: str
    path: str
    expires: Volatile[float] = Field(description="Unix time in seconds; -1 for a session cookie.")
    http_only: bool
    secure: bool
    same_site: Maybe[SameSite] = None


class CookieListData(Data):
    cookies: list[CookieData]
    count: int


class WhichCookies(Input):
    domain: str | None = Field(None, description="Only cookies of this domain and its subdomains.")
    path: str | None = Field(None, description="Only cookies of this path.")


@reads(
    "cookies.list",
    "cookie-list --domain --path",
    example={"domain": "example.com"},
    outcome=Outcome((COOKIE,), rows="cookies", empty="no cookies"),
)
async def cookies_list(call: SessionCall, input: WhichCookies) -> CookieListData:
    """List the session's cookies of all sites."""
    found = await _cookies(call, input)
    return CookieListData(cookies=found, count=len(found))


class CookieNameInput(WhichCookies):
    name: str = Field(min_length=1, description="Name of the cookie.")


class CookieFoundData(Data):
    found: bool
    cookie: Maybe[CookieData] = None
    others: Maybe[list[CookieData]] = Field(None, description="Other cookies with this name.")


@reads(
    "cookies.get",
    "cookie-get name",
    example={"name": "theme"},
    outcome=Outcome((COOKIE,), rows="cookie", empty="no such cookie"),
)
async def cookies_get(call: SessionCall, input: CookieNameInput) -> CookieFoundData:
    """Get a cookie by name, preferably that of the open page."""
    found = [each for each in await _cookies(call, input) if each.name == input.name]
    if not found:
        return CookieFoundData(found=False)
    url = call.session.active.url if call.session.active else ""
    is_web = url.startswith(("http://", "https://"))
    cookies: Any = await call.session.context.cookies(url) if is_web else []
    sent = {(each["domain"], each["path"]) for each in cookies}
    found.sort(key=lambda each: (each.domain, each.path) not in sent)
    return CookieFoundData(found=True, cookie=found[0], others=found[1:] or None)


class CookieSetInput(UrlFields):
    name: str = Field(min_length=1, description="Name of the cookie.")
    value: Annotated[str, MayBeSecret()] = Field(description="Value of the cookie.")
    domain: str | None = Field(None, description="Domain (default: that of the page).")
    path: str | None = Field(None, description="Path (default: /).")
    expires: float | None = Field(
        None, description="Unix time in seconds (default: when the session ends)."
    )
    http_only: bool = Field(False, description="Hide it from scripts.")
    secure: bool = Field(False, description="Send it over HTTPS only.")
    same_site: SameSite | None = Field(None, description="SameSite attribute.")


class CookieSavedData(Data):
    name: str
    domain: str
    path: str


@acts(
    "cookies.set",
    "cookie-set name value --domain --path --expires --httpOnly --secure --sameSite",
    example={"name": "theme", "value": "dark"},
    outcome="{name} set ({domain}{path})",
    python="""
        if domain:
            page.context.add_cookies([{'name': name, 'value': value, 'domain': domain,
                'path': path or '/', 'expires': expires, 'httpOnly': http_only,
                'secure': secure, 'sameSite': same_site}])
        else:
            page.context.add_cookies([{'name': name, 'value': value, 'path': path,
                'expires': expires, 'httpOnly': http_only, 'secure': secure,
                'sameSite': same_site, 'url': url or page.url}])
    """,
)
async def cookies_set(call: PageCall, input: CookieSetInput) -> CookieSavedData:
    """Set a cookie for the open page or another domain."""
    call.hidden_inputs.add("value")
    domain = input.domain or urlsplit(call.tab.url).hostname
    if not domain or (input.domain is None and not call.tab.url.startswith("http")):
        raise InvalidInput(
            f"domain: required, because {call.tab.url} has none", details={"url": call.tab.url}
        )
    saved = CookieSavedData(name=input.name, domain=domain, path=input.path or "/")
    given = input.model_dump(exclude={"url", "url_flag"}, exclude_none=True)
    cookie: Any = given | saved.model_dump()
    # Playwright's reason repeats the whole cookie, with its value.
    rejected = InvalidInput(
        f"the browser rejected the cookie {input.name} for {domain}{saved.path}",
        hint="check its name, domain and expires; sameSite None requires secure",
        details=saved.model_dump(),
    )
    with rejected_as(call, lambda _: rejected):
        await call.session.context.add_cookies([cookie])
    return saved


class CookiesDeletedData(Data):
    deleted: int = Field(description="Number of deleted cookies.")


@acts(
    "cookies.delete",
    "cookie-delete name --domain --path",
    example={"name": "theme"},
    outcome="deleted {deleted}",
    python="page.context.clear_cookies(name=name, domain=domain, path=path)",
)
async def cookies_delete(call: SessionCall, input: CookieNameInput) -> CookiesDeletedData:
    """Delete the cookies with a name (default: of all sites)."""
    gone = [each for each in await _cookies(call, input) if each.name == input.name]
    for each in gone:
        await call.session.context.clear_cookies(name=each.name, domain=each.domain, path=each.path)
    return CookiesDeletedData(deleted=len(gone))


@acts(
    "cookies.clear",
    "cookie-clear",
    outcome="deleted {deleted}",
    python="page.context.clear_cookies()",
)
async def cookies_clear(call: SessionCall, input: NoInput) -> CookiesDeletedData:
    """Delete all cookies of the session."""
    count = len(await call.session.context.cookies())
    await call.session.context.clear_cookies()
    return CookiesDeletedData(deleted=count)


async def _cookies(call: SessionCall, which: WhichCookies) -> list[CookieData]:
    found = await call.session.context.cookies()
    cookies = [CookieData.model_validate(each) for each in found]
    if which.domain is not None:
        wanted = which.domain.lstrip(".").lower()
        # With a dot before both, a subdomain ends with its domain.
        cookies = [each for each in cookies if f".{each.domain}".lower().endswith(f".{wanted}")]
    if which.path is not None:
        cookies = [each for each in cookies if each.path == which.path]
    return cookies
