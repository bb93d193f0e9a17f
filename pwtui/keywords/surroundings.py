"""Keywords for what is around a page: storage, network, emulation, the session."""

from __future__ import annotations

from pwtui.keywords.arguments import Argument, Keyword, Option, flag

FILENAME = Option("filename", "output")
INDEX = Argument("index", "index", "integer")
FILE = Argument("filename", "file")


def _storage(kind: str, shown: str) -> tuple[Keyword, ...]:
    key = Argument("key", "key")
    return (
        Keyword(f"{kind}-list", f"{kind}.list", f"List what {shown} holds."),
        Keyword(f"{kind}-get", f"{kind}.get", f"Get one value of {shown}.", (key,)),
        Keyword(
            f"{kind}-set",
            f"{kind}.set",
            f"Set one value of {shown}.",
            (key, Argument("value", "value", rest=True)),
        ),
        Keyword(f"{kind}-delete", f"{kind}.delete", f"Delete one value of {shown}.", (key,)),
        Keyword(f"{kind}-clear", f"{kind}.clear", f"Empty {shown}."),
    )


_COOKIE_PLACE = (Option("domain", "domain"), Option("path", "path"))
STORAGE = (
    Keyword("cookie-list", "cookies.list", "List the cookies.", options=_COOKIE_PLACE),
    Keyword("cookie-get", "cookies.get", "Show one cookie.", (Argument("name", "name"),)),
    Keyword(
        "cookie-set",
        "cookies.set",
        "Set a cookie.",
        (Argument("name", "name"), Argument("value", "value")),
        (
            *_COOKIE_PLACE,
            Option("expires", "expires", "number"),
            flag("httpOnly"),
            flag("secure"),
            Option("sameSite", "sameSite", choices=("Strict", "Lax", "None")),
        ),
    ),
    Keyword(
        "cookie-delete",
        "cookies.delete",
        "Delete a cookie.",
        (Argument("name", "name"),),
        _COOKIE_PLACE,
    ),
    Keyword("cookie-clear", "cookies.clear", "Delete all cookies."),
    *_storage("localstorage", "the local storage"),
    *_storage("sessionstorage", "the session storage"),
    Keyword(
        "state-save",
        "state.save",
        "Save cookies and storage to a file.",
        (Argument("filename", "output", required=False),),
        (FILENAME,),
    ),
    Keyword("state-load", "state.load", "Load cookies and storage from a file.", (FILE,)),
)


NETWORK = (
    Keyword(
        "requests",
        "requests.list",
        "List what the page has requested.",
        options=(
            flag("static"),
            flag("all"),
            Option("filter", "filter"),
            Option("clear", "", "flag", op="requests.clear"),
        ),
        aliases=("network", "net"),
    ),
    Keyword(
        "request",
        "requests.show",
        "Show one request, with its headers.",
        (INDEX,),
        aliases=("request-headers", "response-headers"),
    ),
    Keyword(
        "request-body",
        "requests.body",
        "Show what a request sent.",
        (INDEX,),
        (FILENAME,),
        {"which": "request"},
    ),
    Keyword(
        "response-body",
        "requests.body",
        "Show what a request was answered with.",
        (INDEX,),
        (FILENAME,),
        {"which": "response"},
    ),
    Keyword(
        "route",
        "route.add",
        "Answer or change the requests that match a pattern.",
        (Argument("pattern", "pattern"),),
        (
            Option("status", "status", "integer"),
            Option("body", "body"),
            Option("content-type", "contentType"),
            Option("header", "headers", "pairs", many=True, separator=":"),
            Option("remove-header", "removeHeaders", many=True),
            flag("abort"),
        ),
    ),
    Keyword("route-list", "route.list", "List the routes."),
    Keyword(
        "unroute",
        "route.remove",
        "Remove a route, or all of them.",
        (Argument("pattern", "pattern", required=False),),
    ),
    Keyword(
        "network-state-set",
        "emulate.offline",
        "Go offline or online.",
        (Argument("state", "offline", choices=("online", "offline"), values=(False, True)),),
    ),
)


def _media(name: str, field: str, *choices: str) -> tuple[Keyword, ...]:
    shown = name.replace("-", " ")
    return (
        Keyword(
            f"set-{name}",
            "emulate.media",
            f"Emulate the {shown}.",
            (Argument(name, field, choices=choices),),
        ),
        Keyword(
            f"clear-{name}",
            "emulate.media",
            f"End the emulation of the {shown}.",
            fixed={field: "reset"},
        ),
    )


def _set_and_clear(name: str, op: str, field: str, what: str) -> tuple[Keyword, ...]:
    return (
        Keyword(f"set-{name}", op, f"Emulate another {what}.", (Argument(name, field, rest=True),)),
        Keyword(f"clear-{name}", op, f"End the emulation of the {name}.", fixed={field: ""}),
    )


EMULATION = (
    Keyword(
        "resize",
        "page.resize",
        "Set the size of the view.",
        (Argument("width", "width", "integer"), Argument("height", "height", "integer")),
    ),
    *_media("color-scheme", "colorScheme", "light", "dark"),
    *_media("reduced-motion", "reducedMotion", "reduce", "no-preference"),
    *_media("forced-colors", "forcedColors", "active", "none"),
    *_media("contrast", "contrast", "more", "no-preference"),
    *_media("media", "media", "screen", "print"),
    *_set_and_clear("device", "emulate.device", "name", "device, such as Pixel 7"),
    *_set_and_clear("locale", "emulate.locale", "locale", "language, such as de-DE"),
    *_set_and_clear("timezone", "emulate.timezone", "timezone", "time zone"),
    Keyword(
        "set-geolocation",
        "emulate.geolocation",
        "Set the position.",
        (Argument("latitude", "latitude", "number"), Argument("longitude", "longitude", "number")),
        (Option("accuracy", "accuracy", "number"),),
    ),
    Keyword("clear-geolocation", "emulate.geolocation", "Forget the position."),
)

CAPTURE = (
    Keyword("tracing-start", "trace.start", "Start a Playwright trace."),
    Keyword("tracing-stop", "trace.stop", "End the trace and save it.", options=(FILENAME,)),
    Keyword(
        "video-start",
        "video.start",
        "Start a video of the page.",
        (Argument("filename", "output", required=False),),
        (Option("size", "size", help="Such as 800x600."), Option("fps", "fps", "integer")),
    ),
    Keyword("video-stop", "video.stop", "End the video and save it."),
    Keyword(
        "video-chapter",
        "video.chapter",
        "Begin a chapter of the video.",
        (Argument("title", "title", rest=True),),
        (Option("description", "description"), Option("duration", "durationMs", "integer")),
    ),
)

SESSION = (
    Keyword("close", "session.stop", "Close the browser.", aliases=("q",)),
    Keyword("list", "session.list", "List the browsers that run.", aliases=("ls",)),
    Keyword("config-print", "profile.show", "Show the profile's config."),
    Keyword(
        "attach",
        "connect",
        "Attach to a browser that runs.",
        (Argument("endpoint", "endpoint", required=False),),
        (Option("cdp", "endpoint"), Option("endpoint", "endpoint")),
        bare_op="connect",
        bare_fixed={"discover": True},
    ),
    Keyword("detach", "connect", "Let the attached browser go.", fixed={"clear": True}),
)
