"""All keywords. Help, completion and docs/keywords.md are written from this table alone."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from pwtui.keywords.shapes import Argument, Keyword, Option, flag, target

TARGET = target()
URL = Argument("url", "url")
BUTTON = Argument("button", "button", required=False, choices=("left", "middle", "right"))
MODIFIERS = Option("modifiers", "modifiers", many=True, help="Keys to hold down; may be repeated.")
SUBMIT = flag("submit")
KEY = Argument("key", "key")
TEXT = Argument("text", "text", rest=True)
FILENAME = Option("filename", "output")
INDEX = Argument("index", "index", "integer")
FILE = Argument("filename", "file")

_NAVIGATION = (
    Keyword("goto", "navigate", "Go to a URL.", (URL,), aliases=("g", "go", "navigate")),
    Keyword(
        "open",
        "navigate",
        "Start the browser, and go to a URL when one is given.",
        (Argument("url", "url", required=False),),
        (Option("headed", "headful", "flag", op="session.start"),),
        aliases=("o",),
        bare_op="session.start",
    ),
    Keyword("go-back", "back", "Go back in the tab's history.", aliases=("back",)),
    Keyword("go-forward", "forward", "Go forward again.", aliases=("fwd", "forward")),
    Keyword("reload", "reload", "Load the page again.", aliases=("r",)),
)

_ACTIONS = (
    Keyword("click", "click", "Click an element.", (TARGET, BUTTON), (MODIFIERS,), aliases=("c",)),
    Keyword(
        "dblclick",
        "dblclick",
        "Click an element twice.",
        (TARGET, BUTTON),
        (MODIFIERS,),
        aliases=("dc",),
    ),
    Keyword(
        "fill",
        "fill",
        'Put text into a field; "" clears it.',
        (TARGET, TEXT),
        (SUBMIT,),
        aliases=("f",),
    ),
    Keyword("type", "type", "Type text where the focus is.", (TEXT,), (SUBMIT,), aliases=("t",)),
    Keyword(
        "press",
        "press",
        "Press a key or a combination such as Control+A.",
        (KEY, target(required=False)),
        aliases=("p",),
    ),
    Keyword("hover", "hover", "Move the mouse over an element.", (TARGET,), aliases=("h",)),
    Keyword(
        "select",
        "select",
        "Choose options of a list by value or label.",
        (TARGET, Argument("value", "values", many=True)),
        aliases=("sel",),
    ),
    Keyword("check", "check", "Tick a checkbox or radio button.", (TARGET,), aliases=("chk",)),
    Keyword("uncheck", "uncheck", "Untick a checkbox.", (TARGET,), aliases=("unchk",)),
    Keyword(
        "upload",
        "upload",
        "Give files to a file input; without a target, to the chooser that waits.",
        (target(required=False), Argument("file", "files", many=True)),
    ),
    Keyword(
        "drag",
        "drag",
        "Drag an element onto another.",
        (target("start"), target("end", "to")),
    ),
    Keyword(
        "drop",
        "drop",
        "Drop files or data onto an element, as from outside the page.",
        (TARGET,),
        (
            Option("path", "files", many=True, help="A file; may be repeated."),
            Option("data", "data", "pairs", many=True, help="mime=value; may be repeated."),
        ),
    ),
    Keyword(
        "highlight",
        "page.highlight",
        "Draw a box around an element.",
        (target(required=False),),
        (flag("hide"), flag("clear", "hide")),
        aliases=("hl",),
    ),
)

_KEYBOARD_AND_MOUSE = (
    Keyword("keydown", "key.down", "Press a key and hold it.", (KEY,)),
    Keyword("keyup", "key.up", "Let a key go.", (KEY,)),
    Keyword(
        "mousemove",
        "mouse.move",
        "Move the mouse to a point of the view.",
        (Argument("x", "x", "number"), Argument("y", "y", "number")),
    ),
    Keyword("mousedown", "mouse.down", "Press a mouse button and hold it.", (BUTTON,)),
    Keyword("mouseup", "mouse.up", "Let a mouse button go.", (BUTTON,)),
    Keyword(
        "mousewheel",
        "mouse.wheel",
        "Turn the mouse wheel.",
        (Argument("dx", "dx", "number"), Argument("dy", "dy", "number")),
    ),
    Keyword(
        "mouseclick",
        "mouse.click",
        "Click at a point of the view.",
        (Argument("x", "x", "number"), Argument("y", "y", "number"), BUTTON),
    ),
    Keyword(
        "mousedrag",
        "mouse.drag",
        "Drag from one point of the view to another.",
        (
            Argument("from-x", "fromX", "number"),
            Argument("from-y", "fromY", "number"),
            Argument("to-x", "toX", "number"),
            Argument("to-y", "toY", "number"),
        ),
    ),
)

_LOOKING = (
    Keyword(
        "snapshot",
        "page.aria",
        "Show the page as an accessibility tree with refs.",
        options=(Option("depth", "depth", "integer"), flag("boxes")),
        aliases=("s", "snap"),
    ),
    Keyword(
        "screenshot",
        "screenshot",
        "Save a picture of the page, or of one element.",
        (target(required=False),),
        (FILENAME, flag("full-page", "fullPage"), flag("fullPage")),
        aliases=("ss",),
    ),
    Keyword("pdf", "page.pdf", "Save the page as a PDF.", options=(FILENAME,)),
    Keyword(
        "eval",
        "page.eval",
        "Run JavaScript in the page; a quoted function may be followed by an element.",
        (Argument("code", "expression", raw=True), target(required=False)),
        aliases=("e",),
    ),
    Keyword(
        "run-code",
        "page.run",
        "Run Python that uses `page`, Playwright's own.",
        (Argument("code", "code", required=False, raw=True),),
        (Option("filename", "file"),),
    ),
    Keyword(
        "find",
        "page.find",
        "Search the snapshot.",
        (Argument("text", "text", rest=True, required=False),),
        (Option("regex", "regex"), Option("max-results", "maxResults", "integer")),
    ),
    Keyword("text", "page.text", "Tell the text of an element.", (TARGET,)),
    Keyword(
        "html",
        "page.html",
        "Tell the HTML of an element, or of the page.",
        (Argument("selector", "selector", required=False, default="html"),),
    ),
    Keyword("read", "page.read", "Tell the page's main content, as Markdown."),
    Keyword("title", "page.title", "Tell the page's title."),
    Keyword("url", "page.url", "Tell the page's URL."),
    Keyword(
        "locator",
        "page.locator",
        "Tell a locator that outlives the ref.",
        (TARGET,),
        aliases=("generate-locator",),
    ),
    Keyword(
        "console",
        "page.console",
        "List the console's messages.",
        (
            Argument(
                "min-level",
                "level",
                required=False,
                choices=("error", "warning", "info", "debug"),
            ),
        ),
        (flag("clear"),),
        aliases=("con",),
    ),
)

_NEGATED = {"negate": True}
_EXACT = (flag("exact"),)
_ROLE_AND_NAME = (
    Argument("role", "role", "role"),
    Argument("name", "name", required=False, rest=True),
)
_VALUE = (TARGET, Argument("value", "value", rest=True))
_ITEMS = (TARGET, Argument("item", "items", many=True))
_ADDRESS = (Argument("text", "text", required=False),)
_PATTERNS = (
    Option("glob", "glob", help="The whole address, with * and **."),
    Option("regex", "regex", help="A regular expression that is found in it."),
)


def _assertion(
    what: str,
    summary: str,
    negated: str,
    arguments: tuple[Argument, ...],
    options: tuple[Option, ...] = (),
    aliases: tuple[str, ...] = (),
    negated_aliases: tuple[str, ...] = (),
) -> tuple[Keyword, ...]:
    """`verify-…` and `verify-no-…`."""
    op = f"verify.{what}"
    return (
        Keyword(f"verify-{what}", op, summary, arguments, options, aliases=aliases),
        Keyword(
            f"verify-no-{what}",
            op,
            negated,
            arguments,
            options,
            fixed=_NEGATED,
            aliases=negated_aliases,
        ),
    )


_ASSERTIONS = (
    *_assertion(
        "text",
        "The text is visible.",
        "The text is not visible.",
        (TEXT,),
        _EXACT,
        ("vt",),
        ("vnt",),
    ),
    *_assertion(
        "element",
        "An element with this role and name, or this selector, is visible.",
        "No such element is visible.",
        _ROLE_AND_NAME,
        _EXACT,
        ("ve", "verify-visible"),
        ("vne",),
    ),
    *_assertion(
        "value",
        "A field holds this value; a checkbox is true or false.",
        "A field does not hold this value.",
        _VALUE,
        aliases=("vv", "verify-input-value"),
    ),
    *_assertion(
        "list",
        "A list has all these items.",
        "A list has none of these items.",
        _ITEMS,
        _EXACT,
        ("vl",),
    ),
    *_assertion(
        "title",
        "The title contains this text.",
        "The title does not contain this text.",
        (TEXT,),
        _EXACT,
    ),
    *_assertion(
        "url",
        "The address contains this text.",
        "The address does not contain this text.",
        _ADDRESS,
        _PATTERNS,
    ),
)

_WAITING = (
    Keyword(
        "wait",
        "wait",
        "Wait for milliseconds, a load state or a selector.",
        (Argument("condition", "condition", required=False, default="1000"),),
        (Option("state", "state", choices=("attached", "visible", "hidden", "detached")),),
    ),
    Keyword("wait-for-text", "wait.text", "Wait until a text is visible.", (TEXT,)),
    Keyword(
        "wait-for-no-text",
        "wait.text",
        "Wait until a text is gone.",
        (TEXT,),
        fixed={"gone": True},
    ),
    Keyword("wait-for-url", "wait.url", "Wait until the URL matches.", (URL,)),
)

_DIALOGS = (
    Keyword(
        "dialog-accept",
        "dialog.accept",
        "Press OK in the open dialog.",
        (Argument("text", "text", required=False, rest=True),),
    ),
    Keyword("dialog-dismiss", "dialog.dismiss", "Press Cancel in the open dialog."),
)

_TAB = Argument("tab", "target")
_TABS = (
    Keyword("tab-list", "tabs.list", "List the tabs.", aliases=("tl",)),
    Keyword(
        "tab-new",
        "tabs.new",
        "Open a tab.",
        (Argument("url", "url", required=False),),
        aliases=("tn",),
    ),
    Keyword(
        "tab-close",
        "tabs.close",
        "Close a tab; without one, the current.",
        (Argument("tab", "target", required=False),),
        aliases=("tc",),
    ),
    Keyword("tab-select", "tabs.switch", "Make a tab the current one.", (_TAB,), aliases=("ts",)),
)


def _storage(kind: str, shown: str) -> tuple[Keyword, ...]:
    name = kind
    key = Argument("key", "key")
    return (
        Keyword(f"{name}-list", f"{kind}.list", f"List what {shown} holds."),
        Keyword(f"{name}-get", f"{kind}.get", f"Get one value of {shown}.", (key,)),
        Keyword(
            f"{name}-set",
            f"{kind}.set",
            f"Set one value of {shown}.",
            (key, Argument("value", "value", rest=True)),
        ),
        Keyword(f"{name}-delete", f"{kind}.delete", f"Delete one value of {shown}.", (key,)),
        Keyword(f"{name}-clear", f"{kind}.clear", f"Empty {shown}."),
    )


_COOKIE_PLACE = (Option("domain", "domain"), Option("path", "path"))
_STORAGE = (
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


_NETWORK = (
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


_EMULATION = (
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

_CAPTURE = (
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

_SESSION = (
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

GROUPS: Final[Mapping[str, tuple[Keyword, ...]]] = {
    "Navigation": _NAVIGATION,
    "Acting": _ACTIONS,
    "Keyboard and mouse": _KEYBOARD_AND_MOUSE,
    "Looking": _LOOKING,
    "Assertions": _ASSERTIONS,
    "Waiting": _WAITING,
    "Dialogs": _DIALOGS,
    "Tabs": _TABS,
    "Storage": _STORAGE,
    "Network": _NETWORK,
    "Emulation": _EMULATION,
    "Trace and video": _CAPTURE,
    "Session": _SESSION,
}

# Keywords of Playwright's own CLI that are done otherwise here.
ELSEWHERE: Final[Mapping[str, str]] = {
    "close-all": "`pw daemon stop`, or `pw session stop --profile NAME` for one",
    "delete-data": "`pw profile delete NAME`",
    "install": "nothing: there is nothing to install",
    "install-browser": "`playwright install chromium`",
    "kill-all": "`pw daemon stop`",
    "pause-at": "`pw replay --step`",
    "recording-start": "`.record`",
    "recording-stop": "`.save`",
    "resume": "`pw replay --step`",
    "show": "`pwtui`",
    "start-recording": "`.record`",
    "step-over": "`pw replay --step`",
    "stop-recording": "`.save`",
}

KEYWORDS: Final[tuple[Keyword, ...]] = tuple(
    keyword for group in GROUPS.values() for keyword in group
)


@cache
def by_name() -> Mapping[str, Keyword]:
    """Keywords by every name that they have, in lower case."""
    names: dict[str, Keyword] = {}
    for keyword in KEYWORDS:
        for name in (keyword.name, *keyword.aliases):
            if names.setdefault(name.lower(), keyword) is not keyword:
                raise ValueError(f"{name} is the name of two keywords")
    return names


def aliases() -> dict[str, str]:
    """What each alias stands for."""
    return {alias: keyword.name for keyword in KEYWORDS for alias in keyword.aliases}
