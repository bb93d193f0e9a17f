"""Masks secrets in everything that is shown to other clients or stored.

An operation declares the inputs that may be secret (`x-secret` in its schema). Other secrets are
recognised by their shape: credentials in URLs, query parameters, headers and members with the usual
names, cookies and stored items.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import Any, Literal

from pwtui.protocol.schema import camel_case, secret_fields

MASK = "••••••"
"""Replaces a secret."""

SecretKind = Literal["text", "key"]

_ENDINGS = """
    token secret password passwd passphrase apikey api-key api_key accesskey access-key access_key
    privatekey private-key private_key authorization credential credentials sessionid session-id
    session_id jwt
""".split()
_HINTS = ("token", "secret", "passw", "passphrase", "key", "authorization", "credential", "session")
_HEADERS = frozenset(("cookie", "set-cookie", "x-auth", "x-csrf"))
_PARAMETERS = frozenset(
    "key code sig signature auth session sid pass pwd pin otp ticket assertion client_assertion "
    "samlresponse x-amz-signature".split()
)
# Patterns are compiled at first use: few commands need them.
# Up to the last @ before the path: a password may contain one. Without a colon it may be a token.
_USERINFO = r"(://[^\s/?#:@\"'<>\\]*:)[^\s/?#\"'<>\\]+(?=@)|(://)[^\s/?#:@\"'<>\\]{16,}(?=@)"
_PARAMETER = r"[?&#;]([\w.%\[\]-]{1,64})=([^&#\s\"'<>\\]+)"
_FIRST_OF_FORM = r"([\w.%\[\]-]{1,64})=([^&#\s\"'<>\\]+)"
# In a URL that is a parameter itself, and maybe so again.
_NESTED_PARAMETER = (
    r"(?i)(%(?:25)*(?:3F|26|23))([\w.-]{1,64})(%(?:25)*3D)"
    r"((?:(?!%(?:25)*(?:26|23))[^&#\s\"'<>\\])+)"
)
# What follows the name of a secret: a value in quotes, also as the second argument of a call, or a
# value without them: of a form, of a form as user[password], of an object in the console (but not a
# variable of a script), or of a header.
_VALUE = (
    r"\\*[\"'`]?\s{0,9}[:=]\s{0,9}(\\*[\"'`])(?P<quoted>(?:(?!\1)(?:[^\\\n]|\\.))+)(?=\1)"
    r"|[\"'`]\s{0,9},\s{0,9}([\"'`])(?P<argument>(?:(?!\3)(?:[^\\\n]|\\.))+)(?=\3)"
    r"|=(?P<assigned>[\w.~+/%-]+)(?=[\s&#;,\"'<>)\]}|]|$)"
    r"|\]=(?P<bracketed>[^\s&#\"'<>\\]+)"
    r"|:\s(?P<logged>[^\s,{}()\"'`]*[^\sA-Za-z_$.,{}()\"'`][^\s,{}()\"'`]*)(?=[,}])"
    r"|\s{0,9}:\s{0,9}(?P<header>[^\s\"',;}]+)"
)
_COOKIES = r"\\*[\"'`]?\s{0,9}[:=]\s{0,9}\\*[\"'`]?([\w!#$%&*+.^|~-]+=[^\n\"'`\\]+)"
_NO_CONDITION = r"(?<![\w.\[@-])[\w.-]*$"  # of a selector: [data-token=x]
_BEFORE_NAME = {
    "quoted": _NO_CONDITION,
    "assigned": _NO_CONDITION,
    "bracketed": r"\w\[[\w.-]*$",
    "argument": r"\(\s{0,9}[\"'`][#.]?[\w.-]*$",
    "logged": r"(?:[{,]\s?[\w.$-]*|(?<![\w-])x-[\w-]*)$",
    "header": r"(?<![\w-])x-[\w-]*$",
}
_AUTHORIZATION = (
    r"(?i)(authorization[\"']?\s*[:=,]\s*[\"']?(?:\w+\s+)?|bearer\s+(?=[\w.~+/=-]{16}))[^\s\"',;}]+"
)
_NAMED_KEY = (
    "Enter|Tab|Escape|Backspace|Delete|Insert|Home|End|Page(Up|Down)|Arrow(Up|Down|Left|Right)"
    "|F[0-9]{1,2}|Shift|Control|Alt|Meta|ControlOrMeta|CapsLock|NumLock|ContextMenu|Pause"
)
_WORD = r"\w+"
_NAME_HINTS = (*_HINTS, "jwt", "cookie", "x-auth", "x-csrf")
_IN_JSON = (*_NAME_HINTS, "pass", "bearer ", '"domain":')
MAX_NAME = 64
_ANY = "utf-8", "surrogatepass"
_PARAMETER_NAME = r"[?&#;]([\w.%\[\]-]{1,64})="
_AFTER_HOST = "[/?#]"
_ANY_SECRET = "any-0123456789-secret"


@lru_cache(maxsize=4096)
def is_secret_name(name: str) -> bool:
    """Whether a header or member of this name holds a secret: password, accessToken, Cookie."""
    name = name.lower().removesuffix("%5d").removesuffix("]")
    return name in _HEADERS or name.endswith(tuple(_ENDINGS))


def is_secret_label(label: str) -> bool:
    """Whether a field with this label is for a secret: `Password *`, `API key (required)`."""
    words = re.findall(_WORD, label)
    return any(is_secret_name("-".join(words[:count])) for count in range(1, len(words) + 1))


@lru_cache(maxsize=4096)
def is_secret_parameter(name: str) -> bool:
    """Whether a query parameter of this name holds a secret: also `code` and `key`."""
    return name.lower() in _PARAMETERS or is_secret_name(name)


def mask_text(text: str) -> str:
    """The text with the secrets in its URLs, parameters, members and headers masked."""
    if "@" in text and "://" in text:
        text = re.sub(_USERINFO, lambda found: f"{found[1] or found[2]}{MASK}", text)
    folded = text.lower()
    if "=" in text:
        text = re.sub(_PARAMETER, _mask_parameter, text)
        if (first := re.match(_FIRST_OF_FORM, text)) and is_secret_name(first[1]):
            text = f"{first[1]}={MASK}{text[first.end() :]}"
    if "%3d" in folded or "%253d" in folded:
        text = re.sub(_NESTED_PARAMETER, _mask_nested, text)
    if any(hint in folded for hint in _NAME_HINTS):
        text = _mask_named(text, _folded(text))
    if "authorization" in folded or "bearer " in folded:
        text = re.sub(_AUTHORIZATION, rf"\g<1>{MASK}", text)
    return text


def _mask_named(text: str, folded: str) -> str:
    """The text with values masked that follow the name of a secret."""
    parts, at = [], 0
    for start, end in sorted(_named_values(text, folded)):
        if start >= at:
            parts += [text[at:start], MASK]
            at = end
    return "".join([*parts, text[at:]])


def _named_values(text: str, folded: str) -> Iterator[tuple[int, int]]:
    """Where the values are. Looking for names first is much faster than one pattern for all."""
    value, cookies = re.compile(_VALUE), re.compile(_COOKIES)
    for name in (*_ENDINGS, *_HEADERS):
        start = folded.find(name)
        while start >= 0:
            end = start + len(name)
            if name.endswith("cookie") and (found := cookies.match(text, end)):
                yield found.span(1)
            elif found := value.match(text, end):
                kind = found.lastgroup or ""
                if re.search(_BEFORE_NAME[kind], folded[max(0, start - MAX_NAME) : start]):
                    yield found.span(kind)
            start = folded.find(name, end)


def masked(value: Any) -> Any:
    """The value with its secrets masked, at any depth."""
    if isinstance(value, str):
        return mask_text(value)
    if isinstance(value, dict):
        shown = {
            key: MASK if isinstance(item, str) and item and is_secret_name(key) else masked(item)
            for key, item in value.items()
        }
        if isinstance(shown.get("value"), str) and _is_named_secret(value):
            shown["value"] = MASK
        return shown
    if isinstance(value, list):
        return [masked(item) for item in value]
    return value


def may_hold_secrets(text: str) -> bool:
    """Whether `masked` may change a value with this JSON: much faster than to mask it."""
    folded = text.lower()
    if any(hint in folded for hint in _IN_JSON) or ("@" in text and "://" in text):
        return True
    if "%3d" in folded or "%253d" in folded:
        return True
    return "=" in text and any(map(is_secret_parameter, _parameter_names(text)))


def _parameter_names(text: str) -> Iterator[str]:
    """The names of URL parameters. Looking for each mark is faster than a pattern for them all."""
    name = re.compile(_PARAMETER_NAME)
    for mark in "?&#;":
        at = text.find(mark)
        while at >= 0:
            if found := name.match(text, at):
                yield found[1]
            at = text.find(mark, at + 1)


def mask_input(
    input: Mapping[str, Any],
    schema: Mapping[str, Any] | None,
    hidden: Collection[str] | None = None,
) -> dict[str, Any]:
    """An operation's input with its secrets masked.

    `hidden` are the fields that are known to be secret. None masks all fields that may be, and also
    unknown fields, as a misspelt name may hold a secret.
    """
    if schema is None:
        return dict.fromkeys(input, MASK)
    fields, known = secret_fields(schema), schema.get("properties", {})
    shown = {}
    for key, value in input.items():
        name = key if key in known else camel_case(key)
        if hidden is not None:
            is_hidden = name in hidden
        elif name in fields:
            is_hidden = holds_secret(fields[name], value)
        else:
            is_hidden = name not in known
        shown[key] = MASK if is_hidden else masked(value)
    return shown


def holds_secret(kind: SecretKind, value: Any) -> bool:
    """Whether the value of a `MayBeSecret` field can be a secret; keys only if they type text."""
    if value is None or value == "":
        return False
    if kind == "text":
        return True
    key = str(value).removeprefix("Shift+")
    return len(key) == 1 or not ("+" in key or re.fullmatch(_NAMED_KEY, key))


def has_mask(value: Any) -> bool:
    """Whether the value contains a mask."""
    return any(MASK in text for text in texts_in(value))


def has_masked_value(value: Any) -> bool:
    """Whether the value has a mask in the place of a secret; six dots alone may be page text."""
    text = json.dumps(value, ensure_ascii=False)
    if MASK not in text:
        return False
    secret = json.loads(text.replace(MASK, _ANY_SECRET))
    return json.dumps(masked(secret)).count(_ANY_SECRET) < text.count(MASK)


def without_secrets(url: str) -> str:
    """The URL without credentials and secret parameters; it can still be opened."""
    if "@" not in url and "=" not in url:
        return url
    scheme, slashes, rest = url.partition("://")
    if slashes:
        host = re.split(_AFTER_HOST, rest, maxsplit=1)[0]
        url = scheme + slashes + rest[host.rfind("@") + 1 :]
    place, hash, fragment = url.partition("#")
    place, mark, query = place.partition("?")
    query, fragment = _without_parameters(query), _without_parameters(fragment)
    return place + (mark and query and mark + query) + (hash and fragment and hash + fragment)


def _without_parameters(query: str) -> str:
    return "&".join(each for each in query.split("&") if MASK not in mask_text(f"?{each}"))


def _mask_parameter(found: re.Match[str]) -> str:
    return f"{found[0][0]}{found[1]}={MASK}" if is_secret_parameter(found[1]) else found[0]


def _folded(text: str) -> str:
    """In lower case, with each character at its place."""
    folded = text.lower()
    return folded if len(folded) == len(text) else text.encode(*_ANY).lower().decode(*_ANY)


def _mask_nested(found: re.Match[str]) -> str:
    mark, name, sign, _ = found.groups()
    return f"{mark}{name}{sign}{MASK}" if is_secret_parameter(name) else found[0]


def _is_named_secret(value: Mapping[str, Any]) -> bool:
    """Whether it is a cookie, a storage item, or a header with a secret name."""
    name = value.get("name")
    is_cookie = isinstance(name, str) and ("domain" in value or is_secret_name(name))
    return is_cookie or isinstance(value.get("key"), str)


def texts_in(value: Any) -> Iterator[str]:
    """All texts of a JSON value, except for the names of fields."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from texts_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts_in(item)
