"""Emulation of devices, locations, locales and network state."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import BrowserContext, CDPSession, Error, Page, ViewportSize

from pwtui.protocol.errors import UnsupportedMode


@dataclass
class EmulationState:
    """The emulated values; None is the browser's default."""

    offline: bool = False
    media: dict[str, str] = field(default_factory=dict)
    device: str | None = None
    descriptor: dict[str, Any] | None = None
    locale: str | None = None
    timezone: str | None = None
    geolocation: dict[str, float] | None = None


class Emulation:
    """Applies the emulation to all pages of a session, including those that open later.

    Playwright sets device, locale and time zone only for a new context. CDP can change them later,
    while its session with the page is open.
    """

    def __init__(self, context: BrowserContext, size: ViewportSize | None = None) -> None:
        self._context = context
        self._size = size
        """The viewport of pages in a context without one."""
        self.now = EmulationState()
        self._protocol: dict[Page, asyncio.Future[CDPSession]] = {}
        self._permissions: CDPSession | None = None
        self._sizes: dict[Page, Any] = {}
        """The size of each page before a device was emulated."""

    @property
    def is_chromium(self) -> bool:
        browser = self._context.browser
        return browser is None or browser.browser_type.name == "chromium"

    async def set_offline(self, offline: bool) -> None:
        await self._context.set_offline(offline)
        self.now.offline = offline

    async def set_geolocation(self, place: dict[str, float] | None) -> None:
        given: Any = place
        await self._context.set_geolocation(given)
        await self._permit_geolocation(place is not None)
        self.now.geolocation = place

    async def _permit_geolocation(self, is_permitted: bool) -> None:
        """Grant geolocation. In Chromium over CDP, as Playwright would reset other permissions."""
        browser = self._context.browser
        if self.is_chromium and browser is not None and self._context.pages:
            target = await self._send(self._context.pages[0], "Target.getTargetInfo")
            change = {
                "permission": {"name": "geolocation"},
                "setting": "granted" if is_permitted else "prompt",
                **_given(browserContextId=target["targetInfo"].get("browserContextId")),
            }
            if self._permissions is None:
                # The permission ends with this CDP session, so the session is kept.
                self._permissions = await browser.new_browser_cdp_session()
            await self._permissions.send("Browser.setPermission", change)
        elif is_permitted:
            await self._context.grant_permissions(["geolocation"])
        else:
            await self._context.clear_permissions()

    async def set_media(self, changes: dict[str, str | None]) -> None:
        """Emulate each named feature; None resets it.

        Raises UnsupportedMode for a feature that the browser accepts and does not emulate.
        """
        features: Any = {name: value or "null" for name, value in changes.items()}
        for page in self._context.pages:
            await page.emulate_media(**features)
            if not self.is_chromium and (ignored := await _ignored(page, changes)):
                before: Any = {name: self.now.media.get(name, "null") for name in changes}
                await page.emulate_media(**before)
                raise UnsupportedMode(
                    f"this browser does not emulate {' and '.join(ignored)}",
                    hint="use Chromium, or Playwright's own Firefox (`pw install firefox`)",
                    details={"ignored": ignored},
                )
        kept = self.now.media | {name: value for name, value in changes.items() if value}
        self.now.media = {name: value for name, value in kept.items() if changes.get(name, value)}

    async def set_device(self, name: str | None, descriptor: dict[str, Any] | None) -> None:
        self.now.device, self.now.descriptor = name, descriptor
        for page in self._context.pages:
            await self._apply_device(page)
            await self._apply_agent(page)

    async def set_locale(self, locale: str | None) -> None:
        """Raises Playwright's error for an invalid locale, and changes nothing then."""
        for page in self._context.pages:
            await self._send(page, "Emulation.setLocaleOverride", **_given(locale=locale))
        self.now.locale = locale
        for page in self._context.pages:
            await self._apply_agent(page)

    async def set_timezone(self, timezone: str | None) -> None:
        """Raises Playwright's error for an invalid time zone, and changes nothing then."""
        for page in self._context.pages:
            # Only the first override is checked by the browser, so there must be none before.
            await self._apply_timezone(page, None)
            try:
                await self._apply_timezone(page, timezone)
            except Error:
                await self._apply_timezone(page, self.now.timezone)
                raise
        self.now.timezone = timezone

    async def apply_to(self, page: Page) -> None:
        """Apply the emulation to a page that has just opened."""
        now = self.now
        with suppress(Error):
            if self._size and not now.device:
                await page.set_viewport_size(self._size)
            if now.media:
                features: Any = now.media
                await page.emulate_media(**features)
            if now.locale:
                await self._send(page, "Emulation.setLocaleOverride", locale=now.locale)
            if now.timezone:
                await self._apply_timezone(page, now.timezone)
            if now.device:
                await self._apply_device(page)
            if now.device or now.locale:
                await self._apply_agent(page)

    def forget(self, page: Page) -> None:
        self._protocol.pop(page, None)
        self._sizes.pop(page, None)

    async def _apply_timezone(self, page: Page, timezone: str | None) -> None:
        await self._send(page, "Emulation.setTimezoneOverride", timezoneId=timezone or "")

    async def _apply_device(self, page: Page) -> None:
        device = self.now.descriptor
        if device is None:
            if page in self._sizes:
                await self._send(page, "Emulation.setTouchEmulationEnabled", enabled=False)
                await self._restore_size(page, self._sizes.pop(page))
            return
        self._sizes.setdefault(page, page.viewport_size)
        # Playwright must know the size too: it measures pictures by it.
        await page.set_viewport_size(device["viewport"])
        await self._send(
            page,
            "Emulation.setDeviceMetricsOverride",
            **device["viewport"],
            deviceScaleFactor=device["device_scale_factor"],
            mobile=device["is_mobile"],
        )
        touch = device["has_touch"]
        points = {"maxTouchPoints": 5} if touch else {}
        await self._send(page, "Emulation.setTouchEmulationEnabled", enabled=touch, **points)

    async def _restore_size(self, page: Page, size: Any) -> None:
        if size is None:
            await self._send(page, "Emulation.clearDeviceMetricsOverride")
            return
        await page.set_viewport_size(size)
        # Playwright sends nothing when it thinks that the size is the same.
        own = {"deviceScaleFactor": 0, "mobile": False}
        await self._send(page, "Emulation.setDeviceMetricsOverride", **size, **own)

    async def _apply_agent(self, page: Page) -> None:
        """Set user agent and language, which can only be set together."""
        device, locale = self.now.descriptor, self.now.locale
        agent = device["user_agent"] if device else ""
        if locale and not agent:
            agent = (await self._send(page, "Browser.getVersion"))["userAgent"]
        language = _given(acceptLanguage=locale)
        await self._send(page, "Emulation.setUserAgentOverride", userAgent=agent, **language)

    async def _send(self, page: Page, method: str, **params: Any) -> dict[str, Any]:
        opening = self._protocol.get(page)
        if opening is None or (opening.done() and (opening.cancelled() or opening.exception())):
            opening = asyncio.ensure_future(self._context.new_cdp_session(page))
            self._protocol[page] = opening
        session = await asyncio.shield(opening)
        return await session.send(method, params)


async def _ignored(page: Page, wanted: dict[str, str | None]) -> list[str]:
    """The media queries that should match and do not."""
    queries = [_media_query(name, value) for name, value in wanted.items() if value]
    found = await page.evaluate("all => all.filter(each => !matchMedia(each).matches)", queries)
    return [str(each) for each in found]


def _media_query(name: str, value: str) -> str:
    if name == "media":
        return value
    feature = name.replace("_", "-")
    return f"({feature if name == 'forced_colors' else f'prefers-{feature}'}: {value})"


def _given(**params: str | None) -> dict[str, str]:
    return {name: value for name, value in params.items() if value is not None}
