"""Keywords that read a page, and those that verify it."""

from __future__ import annotations

from pwtui.keywords.arguments import Argument, Keyword, Option, flag, target

TARGET = target()
URL = Argument("url", "url")
TEXT = Argument("text", "text", rest=True)
FILENAME = Option("filename", "output")

LOOKING = (
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
    Keyword("text", "page.text", "Show the text of an element.", (TARGET,)),
    Keyword(
        "html",
        "page.html",
        "Show the HTML of an element, or of the page.",
        (Argument("selector", "selector", required=False, default="html"),),
    ),
    Keyword("read", "page.read", "Show the page's main content, as Markdown."),
    Keyword("title", "page.title", "Show the page's title."),
    Keyword("url", "page.url", "Show the page's URL."),
    Keyword(
        "locator",
        "page.locator",
        "Show a locator that outlives the ref.",
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


ASSERTIONS = (
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
