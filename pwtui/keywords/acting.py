"""Keywords that do something to a page or its tabs."""

from __future__ import annotations

from pwtui.keywords.arguments import Argument, Keyword, Option, flag, target

TARGET = target()
URL = Argument("url", "url")
BUTTON = Argument("button", "button", required=False, choices=("left", "middle", "right"))
MODIFIERS = Option("modifiers", "modifiers", many=True, help="Keys to hold down; may be repeated.")
SUBMIT = flag("submit")
KEY = Argument("key", "key")
TEXT = Argument("text", "text", rest=True)

NAVIGATION = (
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

ACTIONS = (
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

KEYBOARD_AND_MOUSE = (
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

WAITING = (
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

DIALOGS = (
    Keyword(
        "dialog-accept",
        "dialog.accept",
        "Press OK in the open dialog.",
        (Argument("text", "text", required=False, rest=True),),
    ),
    Keyword("dialog-dismiss", "dialog.dismiss", "Press Cancel in the open dialog."),
)

_TAB = Argument("tab", "target")
TABS = (
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
