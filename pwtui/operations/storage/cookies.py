"""The session's cookies, one by one. Their values are secrets: no record of a request has them."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from playwright.async_api import Error
from pydantic import Field

from pwtui.operations.framework.declare import Group, Outcome, acts, reads
from pwtui.operations.framework.fields import Data, Input, MayBeSecret, NoInput, UrlFields
from pwtui.operations.framework.page_call import PageCall, SessionCall
from pwtui.protocol.errors import InvalidInput
from pwtui.protocol.model import Maybe, Volatile

GROUP = Group.STORAGE

SameSite = Literal["Strict", "Lax", "None"]


COOKIE = "{name}={value:any}  ({domain}{path})"


class CookieData(Data):
    name: str
    value: str
    domain: str
    path: str
    expires: Volatile[float] = Field(description="Seconds since 1970; -1 until the session ends.")
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
    """List the session's cookies, of all sites."""
    found = await _cookies(call, input)
    return CookieListData(cookies=found, count=len(found))


class CookieNameInput(WhichCookies):
    name: str = Field(min_length=1, description="Name of the cookie.")


class CookieFoundData(Data):
    found: bool
    cookie: Maybe[CookieData] = None
    others: Maybe[list[CookieData]] = Field(
        None, description="Further cookies of this name; choose with domain and path."
    )


@reads(
    "cookies.get",
    "cookie-get name",
    example={"name": "theme"},
    outcome=Outcome((COOKIE,), rows="cookie", empty="no such cookie"),
)
async def cookies_get(call: SessionCall, input: CookieNameInput) -> CookieFoundData:
    """Get one cookie; of several with its name, that of the page that is open."""
    found = [each for each in await _cookies(call, input) if each.name == input.name]
    if not found:
        return CookieFoundData(found=False)
    sent = {(each.domain, each.path) for each in await _sent_by_page(call)}
    found.sort(key=lambda each: (each.domain, each.path) not in sent)
    return CookieFoundData(found=True, cookie=found[0], others=found[1:] or None)


class CookieSetInput(UrlFields):
    name: str = Field(min_length=1, description="Name of the cookie.")
    value: Annotated[str, MayBeSecret()] = Field(description="Its value.")
    domain: str | None = Field(None, description="Its domain; without it, that of the page.")
    path: str | None = Field(None, description="Its path; without it, /.")
    expires: float | None = Field(
        None, description="Seconds since 1970; without it, until the session ends."
    )
    http_only: bool = Field(False, description="Hide it from the page's scripts.")
    secure: bool = Field(False, description="Send it over HTTPS only.")
    same_site: SameSite | None = Field(None, description="When other sites' pages send it.")


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
    """Set a cookie, for the page that is open or for another domain."""
    call.hidden_inputs.add("value")
    domain = input.domain or urlsplit(call.tab.url).hostname
    if not domain or (input.domain is None and not call.tab.url.startswith("http")):
        raise InvalidInput(
            f"domain: is required, as {call.tab.url} has none", details={"url": call.tab.url}
        )
    cookie: dict[str, Any] = {
        "name": input.name,
        "value": input.value,
        "domain": domain,
        "path": input.path or "/",
        "expires": input.expires,
        "httpOnly": input.http_only,
        "secure": input.secure,
        "sameSite": input.same_site,
    }
    given: Any = {key: value for key, value in cookie.items() if value is not None}
    try:
        await call.session.context.add_cookies([given])
    except Error as error:
        if not call.session.alive:
            raise
        # Playwright repeats the whole cookie, its value included.
        raise InvalidInput(
            f"the browser refuses the cookie {input.name} for {domain}{cookie['path']}",
            hint="check its name, domain and expires; sameSite None needs secure",
            details={"name": input.name, "domain": domain, "path": cookie["path"]},
        ) from error
    return CookieSavedData(name=input.name, domain=domain, path=cookie["path"])


class CookiesDeletedData(Data):
    deleted: int = Field(description="How many cookies are gone.")


@acts(
    "cookies.delete",
    "cookie-delete name --domain --path",
    example={"name": "theme"},
    outcome="deleted {deleted}",
    python="page.context.clear_cookies(name=name, domain=domain, path=path)",
)
async def cookies_delete(call: SessionCall, input: CookieNameInput) -> CookiesDeletedData:
    """Delete the cookies of a name, on all sites unless a domain or path is given."""
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
    cookies = [CookieData.model_validate(each) for each in map(_known, found)]
    if which.domain is not None:
        wanted = which.domain.lstrip(".").lower()
        cookies = [each for each in cookies if _belongs(each.domain, wanted)]
    if which.path is not None:
        cookies = [each for each in cookies if each.path == which.path]
    return cookies


def _known(cookie: Any) -> dict[str, Any]:
    names = {field.alias for field in CookieData.model_fields.values()}
    return {key: value for key, value in cookie.items() if key in names}


def _belongs(domain: str, wanted: str) -> bool:
    domain = domain.lstrip(".").lower()
    return domain == wanted or domain.endswith(f".{wanted}")


async def _sent_by_page(call: SessionCall) -> list[CookieData]:
    url = call.session.active.url if call.session.active else ""
    if not url.startswith(("http://", "https://")):
        return []
    return [
        CookieData.model_validate(_known(each)) for each in await call.session.context.cookies(url)
    ]
