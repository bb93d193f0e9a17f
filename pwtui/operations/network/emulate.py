"""Emulation of devices, locales, media features and network state, until the session ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator
from pydantic.alias_generators import to_camel

from pwtui.operations.framework.browser_errors import rejected_as
from pwtui.operations.framework.declare import Engines, Group, Keyword, Outcome, configures
from pwtui.operations.framework.fields import Data, Input
from pwtui.operations.framework.page_call import SessionCall
from pwtui.protocol.errors import InvalidInput, UnsupportedMode, did_you_mean, near_misses
from pwtui.protocol.model import Maybe

GROUP = Group.EMULATION

Degrees = Annotated[float, Field(allow_inf_nan=False)]

CHROMIUM = Engines(("chromium",), "other browsers cannot change this after launch")
EMULATED = Outcome(("{:facts}",), empty="nothing is emulated")


def _media(*names: str) -> Iterator[Keyword]:
    for name in names:
        feature = "the media type" if name == "media" else f"prefers-{name}"
        if name == "forced-colors":
            feature = name
        reset = {to_camel(name.replace("-", "_")): "reset"}
        yield Keyword(f"set-{name} {name}", f"Emulate {feature}.")
        yield Keyword(f"clear-{name}", f"Stop emulating {feature}.", reset)


def _override(argument: str, shown: str) -> Iterator[Keyword]:
    name, _, field = argument.partition("=")
    yield Keyword(f"set-{name} {argument}...", f"Emulate a {shown}.")
    yield Keyword(f"clear-{name}", f"Stop emulating a {name}.", {field or name: ""})


class Geolocation(Data):
    latitude: float
    longitude: float
    accuracy: float = Field(description="In metres.")


class EmulationData(Data):
    """Everything that the session emulates now."""

    offline: bool
    media: dict[str, str]
    device: Maybe[str] = None
    locale: Maybe[str] = None
    timezone: Maybe[str] = None
    geolocation: Maybe[Geolocation] = None


class OfflineInput(Input):
    offline: bool = Field(True, description="Whether to go offline.")


@configures(
    "emulate.offline",
    Keyword("network-state-set state=offline(online|offline)", group=Group.NETWORK),
    example={"offline": True},
    outcome=EMULATED,
    python="page.context.set_offline(unless_false(offline))",
)
async def emulate_offline(call: SessionCall, input: OfflineInput) -> EmulationData:
    """Go offline or online."""
    await call.session.emulation.set_offline(input.offline)
    return _current(call)


class MediaInput(Input):
    color_scheme: Literal["light", "dark", "reset"] | None = Field(
        None, description="Emulated `prefers-color-scheme`."
    )
    reduced_motion: Literal["reduce", "no-preference", "reset"] | None = Field(
        None, description="Emulated `prefers-reduced-motion`."
    )
    forced_colors: Literal["active", "none", "reset"] | None = Field(
        None, description="Emulated `forced-colors`."
    )
    contrast: Literal["more", "no-preference", "reset"] | None = Field(
        None, description="Emulated `prefers-contrast`."
    )
    media: Literal["screen", "print", "reset"] | None = Field(
        None, description="Emulated media type."
    )

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not self.model_fields_set:
            raise ValueError("at least one feature is required")
        return self


@configures(
    "emulate.media",
    *_media("color-scheme", "reduced-motion", "forced-colors", "contrast", "media"),
    example={"colorScheme": "dark"},
    outcome=EMULATED,
    python="""
        page.emulate_media(
            color_scheme=null(color_scheme), reduced_motion=null(reduced_motion),
            forced_colors=null(forced_colors), contrast=null(contrast), media=null(media))
    """,
)
async def emulate_media(call: SessionCall, input: MediaInput) -> EmulationData:
    """Emulate CSS media features; reset or null restores the browser's own."""
    given = {name: getattr(input, name) for name in input.model_fields_set}
    changes = {name: None if value == "reset" else value for name, value in given.items()}
    call.check_pages()
    emulation = call.session.emulation
    if not emulation.is_chromium and not call.session.tabs:
        await call.session.new_tab()  # whether the browser does it can only be seen in a page
    with rejected_as(
        call, lambda why: UnsupportedMode(f"{call.runtime.browser} rejects it: {why}")
    ):
        await emulation.set_media(changes)
    return _current(call)


class DeviceInput(Input):
    name: str = Field(description="Playwright device name, such as Pixel 7; empty resets.")


@configures(
    "emulate.device",
    *_override("device=name", "device, such as Pixel 7"),
    example={"name": "Pixel 7"},
    engines=CHROMIUM,
    outcome=EMULATED,
)
async def emulate_device(call: SessionCall, input: DeviceInput) -> EmulationData:
    """Emulate a phone, tablet or desktop: viewport, scale, touch and user agent.

    Requires Chromium. The browser engine stays the same, cross-site frames keep their user agent,
    and open pages need a reload.
    """
    call.check_pages()
    name, descriptor = None, None
    if input.name:
        devices = await call.pool.devices()
        known = {name.lower(): name for name in devices}
        name = known.get(input.name.lower())
        if name is None:
            close = near_misses(input.name, devices)
            raise InvalidInput(
                f"name: unknown device {input.name!r}",
                hint=did_you_mean(close) or "use one such as 'iPhone 15' or 'Desktop Chrome'",
                details={"name": input.name, "nearMisses": close},
            )
        descriptor = devices[name]
    await call.session.emulation.set_device(name, descriptor)
    _note_reload(call)
    return _current(call)


class LocaleInput(Input):
    locale: str = Field(description="Language tag such as de-DE; empty resets.")


@configures(
    "emulate.locale",
    *_override("locale", "locale, such as de-DE"),
    example={"locale": "de-DE"},
    engines=CHROMIUM,
    outcome=EMULATED,
)
async def emulate_locale(call: SessionCall, input: LocaleInput) -> EmulationData:
    """Override the language of pages, and the format of numbers and dates; requires Chromium."""
    with _overriding(call, "locale", input.locale, "de-DE or en-GB"):
        await call.session.emulation.set_locale(input.locale or None)
    _note_reload(call)
    return _current(call)


class TimezoneInput(Input):
    timezone: str = Field(description="Time zone such as Europe/Berlin; empty resets.")


@configures(
    "emulate.timezone",
    *_override("timezone", "time zone, such as Europe/Berlin"),
    example={"timezone": "Europe/Berlin"},
    engines=CHROMIUM,
    outcome=EMULATED,
)
async def emulate_timezone(call: SessionCall, input: TimezoneInput) -> EmulationData:
    """Override the time zone of all pages; requires Chromium."""
    with _overriding(call, "timezone", input.timezone, "Europe/Berlin"):
        await call.session.emulation.set_timezone(input.timezone or None)
    return _current(call)


class GeolocationInput(Input):
    latitude: Degrees | None = Field(None, ge=-90, le=90, description="Degrees north.")
    longitude: Degrees | None = Field(None, ge=-180, le=180, description="Degrees east.")
    accuracy: Degrees = Field(0, ge=0, description="In metres.")

    @model_validator(mode="after")
    def _both(self) -> Self:
        if (self.latitude is None) != (self.longitude is None):
            raise ValueError("latitude and longitude go together")
        return self


@configures(
    "emulate.geolocation",
    Keyword("set-geolocation latitude longitude --accuracy", summary="Emulate a geolocation."),
    Keyword("clear-geolocation", summary="Stop emulating a geolocation."),
    example={"latitude": 52.52, "longitude": 13.4},
    outcome=EMULATED,
    python="""
        page.context.grant_permissions(['geolocation'])
        page.context.set_geolocation({
            'latitude': latitude, 'longitude': longitude, 'accuracy': accuracy})
    """,
)
async def emulate_geolocation(call: SessionCall, input: GeolocationInput) -> EmulationData:
    """Override the geolocation and grant the permission; without a position, reset it."""
    place = None if input.latitude is None else input.model_dump()
    await call.session.emulation.set_geolocation(place)
    return _current(call)


def _current(call: SessionCall) -> EmulationData:
    now = call.session.emulation.now
    place: Any = now.geolocation
    return EmulationData(
        offline=now.offline,
        media={_MEDIA_NAMES[name]: value for name, value in now.media.items()},
        device=now.device,
        locale=now.locale,
        timezone=now.timezone,
        geolocation=Geolocation(**place) if place else None,
    )


_MEDIA_NAMES = {name: field.alias or name for name, field in MediaInput.model_fields.items()}


@contextmanager
def _overriding(call: SessionCall, field: str, value: str, examples: str) -> Iterator[None]:
    call.check_pages()
    unknown = InvalidInput(
        f"{field}: unknown {field} {value!r}", hint=f"examples: {examples}", details={field: value}
    )
    with rejected_as(call, lambda _: unknown):
        yield


def _note_reload(call: SessionCall) -> None:
    if any(tab.url.startswith("http") for tab in call.session.tabs):
        call.note("info", "`reload` open pages to apply this")
