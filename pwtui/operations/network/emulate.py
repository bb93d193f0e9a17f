"""Pretending: another device, language, place or look, or no network. It ends with the session."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self

from playwright.async_api import Error
from pydantic import Field, model_validator
from pydantic.alias_generators import to_camel

from pwtui.operations.framework.declare import Group, Keyword, Outcome, configures
from pwtui.operations.framework.fields import Data, Input
from pwtui.operations.framework.page_call import SessionCall
from pwtui.protocol.errors import InvalidInput, UnsupportedMode, did_you_mean, near_misses
from pwtui.protocol.model import Maybe

GROUP = Group.EMULATION

Degrees = Annotated[float, Field(allow_inf_nan=False)]


EMULATED = Outcome(("{:facts}",), empty="nothing is emulated")


def _media(*names: str) -> Iterator[Keyword]:
    for name in names:
        shown, field = name.replace("-", " "), to_camel(name.replace("-", "_"))
        yield Keyword(f"set-{name} {name}", f"Emulate the {shown}.")
        yield Keyword(f"clear-{name}", f"End the emulation of the {shown}.", {field: "reset"})


def _override(argument: str, shown: str) -> Iterator[Keyword]:
    name, _, field = argument.partition("=")
    yield Keyword(f"set-{name} {argument}...", f"Emulate another {shown}.")
    yield Keyword(f"clear-{name}", f"End the emulation of the {name}.", {field or name: ""})


class Geolocation(Data):
    latitude: float
    longitude: float
    accuracy: float = Field(description="In metres.")


class EmulationData(Data):
    """All that the session pretends now."""

    offline: bool
    media: dict[str, str]
    device: Maybe[str] = None
    locale: Maybe[str] = None
    timezone: Maybe[str] = None
    geolocation: Maybe[Geolocation] = None


class OfflineInput(Input):
    offline: bool = Field(True, description="Whether there is no network.")


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
        None, description="What the page is told of the colour scheme that the user prefers."
    )
    reduced_motion: Literal["reduce", "no-preference", "reset"] | None = Field(
        None, description="Whether the user wants less motion."
    )
    forced_colors: Literal["active", "none", "reset"] | None = Field(
        None, description="Whether the user forces colours."
    )
    contrast: Literal["more", "no-preference", "reset"] | None = Field(
        None, description="Whether the user wants more contrast."
    )
    media: Literal["screen", "print", "reset"] | None = Field(
        None, description="What the page is shown on."
    )

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not self.model_fields_set:
            raise ValueError("give a feature to emulate, or reset one")
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
    """Emulate media features; a feature that is reset or null is the browser's own again."""
    given = {name: getattr(input, name) for name in input.model_fields_set}
    changes = {name: None if value == "reset" else value for name, value in given.items()}
    call.check_pages()
    await call.session.emulation.set_media(changes)
    return _current(call)


class DeviceInput(Input):
    name: str = Field(description="A device that Playwright knows, such as Pixel 7; empty resets.")


@configures(
    "emulate.device",
    *_override("device=name", "device, such as Pixel 7"),
    example={"name": "Pixel 7"},
    outcome=EMULATED,
)
async def emulate_device(call: SessionCall, input: DeviceInput) -> EmulationData:
    """Emulate a phone, tablet or desktop: viewport, scale, touch and user agent.

    Only Chromium can do so while it runs. The engine stays what it is, frames of other sites keep
    their user agent, and what a page has read already it has to be told by a reload.
    """
    _check_chromium(call)
    descriptor = None
    if input.name:
        devices = await call.pool.devices()
        known = {name.lower(): name for name in devices}
        name = known.get(input.name.lower())
        if name is None:
            close = near_misses(input.name, devices)
            raise InvalidInput(
                f"name: no device is called {input.name!r}",
                hint=did_you_mean(close),
                details={"name": input.name, "nearMisses": close},
            )
        descriptor = devices[name]
    await call.session.emulation.set_device(name if input.name else None, descriptor)
    _note_reload(call)
    return _current(call)


class LocaleInput(Input):
    locale: str = Field(description="A language tag such as de-DE; empty resets.")


@configures(
    "emulate.locale",
    *_override("locale", "language, such as de-DE"),
    example={"locale": "de-DE"},
    outcome=EMULATED,
)
async def emulate_locale(call: SessionCall, input: LocaleInput) -> EmulationData:
    """Override the language of pages, and how they write numbers and dates.

    Only Chromium can do so while it runs.
    """
    _check_chromium(call)
    try:
        await call.session.emulation.set_locale(input.locale or None)
    except Error as error:
        raise _refused(call, error, "locale", input.locale, "de-DE or en-GB") from error
    _note_reload(call)
    return _current(call)


class TimezoneInput(Input):
    timezone: str = Field(description="A time zone such as Europe/Berlin; empty resets.")


@configures(
    "emulate.timezone",
    *_override("timezone", "time zone"),
    example={"timezone": "Europe/Berlin"},
    outcome=EMULATED,
)
async def emulate_timezone(call: SessionCall, input: TimezoneInput) -> EmulationData:
    """Override the time zone of all pages. Only Chromium can do so while it runs."""
    _check_chromium(call)
    try:
        await call.session.emulation.set_timezone(input.timezone or None)
    except Error as error:
        raise _refused(call, error, "timezone", input.timezone, "Europe/Berlin") from error
    return _current(call)


class GeolocationInput(Input):
    latitude: Degrees | None = Field(None, ge=-90, le=90, description="Degrees north.")
    longitude: Degrees | None = Field(None, ge=-180, le=180, description="Degrees east.")
    accuracy: Degrees = Field(0, ge=0, description="In metres.")

    @model_validator(mode="after")
    def _both(self) -> Self:
        if (self.latitude is None) != (self.longitude is None):
            raise ValueError("give latitude and longitude, or neither to reset")
        return self


@configures(
    "emulate.geolocation",
    Keyword("set-geolocation latitude longitude --accuracy", summary="Set the position."),
    Keyword("clear-geolocation", summary="Clear the position."),
    example={"latitude": 52.52, "longitude": 13.4},
    outcome=EMULATED,
    python="""
        page.context.grant_permissions(['geolocation'])
        page.context.set_geolocation({
            'latitude': latitude, 'longitude': longitude, 'accuracy': accuracy})
    """,
)
async def emulate_geolocation(call: SessionCall, input: GeolocationInput) -> EmulationData:
    """Override the geolocation, and allow pages to ask for it; without a position, reset it."""
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


def _check_chromium(call: SessionCall) -> None:
    if not call.session.emulation.is_chromium:
        raise UnsupportedMode(
            f"{call.op} requires Chromium: other browsers cannot change this after launch",
            details={"browser": call.runtime.browser},
        )
    call.check_pages()


def _refused(call: SessionCall, error: Error, field: str, value: str, such_as: str) -> Exception:
    if not call.session.alive:
        return error
    return InvalidInput(
        f"{field}: the browser does not know {value!r}",
        hint=f"use one such as {such_as}",
        details={field: value},
    )


def _note_reload(call: SessionCall) -> None:
    if any(tab.url.startswith("http") for tab in call.session.tabs):
        call.note("info", "open pages keep what they have read; `reload` them to apply this")
