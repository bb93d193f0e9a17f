"""The calls of a generated test, as operations: the other way round from `python_steps`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from pwtui.protocol.locators import is_expression, parse

Found = tuple[str, dict[str, Any]]
Reader = Callable[[list[Any], dict[str, Any]], Found]

_LIST_ITEMS = ".getByRole('listitem')"
_VISIBLE = re.compile(r"\.filter\(\{ visible: true \}\)(?:\.first\(\))?$")
_MEDIA = {
    "color_scheme": "colorScheme",
    "reduced_motion": "reducedMotion",
    "forced_colors": "forcedColors",
    "contrast": "contrast",
    "media": "media",
}


_IS_ESCAPED = re.compile(r"(?:\\.|[^\\.^$*+?{}\[\]|()])*")


class Pattern(str):
    """A text that was given as a regular expression."""

    __slots__ = ()


class NotUnderstood(Exception):
    """The source is not of the kind that we write."""


def _plain(op: str, *fields: str) -> Reader:
    def read(arguments: list[Any], options: dict[str, Any]) -> Found:
        if len(arguments) > len(fields):
            raise NotUnderstood("too many arguments")
        return op, dict(zip(fields, arguments, strict=False)) | options

    return read


def _listed(op: str, field: str) -> Reader:
    def read(arguments: list[Any], options: dict[str, Any]) -> Found:
        (value,) = arguments
        return op, {field: value if isinstance(value, list) else [value]}

    return read


def _typed(op: str) -> Reader:
    def read(arguments: list[Any], options: dict[str, Any]) -> Found:
        delay = {"delayMs": options["delay"]} if "delay" in options else {}
        return op, {"text": arguments[0], **delay}

    return read


def _saved(op: str, field: str) -> Reader:
    def read(arguments: list[Any], options: dict[str, Any]) -> Found:
        full = {"fullPage": True} if options.get("full_page") else {}
        return op, {field: options["path"], **full}

    return read


def _drag(arguments: list[Any], options: dict[str, Any]) -> Found:
    return "drag", {"toSelector": str(arguments[0])}


def _evaluate(arguments: list[Any], options: dict[str, Any]) -> Found:
    more = {"arg": arguments[1]} if len(arguments) > 1 else {}
    return "page.eval", {"expression": arguments[0], **more}


def _wait_time(arguments: list[Any], options: dict[str, Any]) -> Found:
    return "wait", {"condition": str(arguments[0])}


def _wait_url(arguments: list[Any], options: dict[str, Any]) -> Found:
    text = str(arguments[0])
    inner = text.removeprefix("**").removesuffix("**")
    return "wait.url", {"url": inner if text == f"**{inner}**" and "*" not in inner else text}


def _once(arguments: list[Any], options: dict[str, Any]) -> Found:
    event, answer = arguments
    if event != "dialog" or answer[0] not in ("accept", "dismiss"):
        raise NotUnderstood("only dialogs are answered")
    return f"dialog.{answer[0]}", {"text": answer[1][0]} if answer[1] else {}


def _route(arguments: list[Any], options: dict[str, Any]) -> Found:
    pattern, (method, _, answer) = arguments
    if method != "fulfill":
        raise NotUnderstood("only routes that answer are known")
    names = {"content_type": "contentType"}
    return "route.add", {"pattern": pattern} | {names.get(k, k): v for k, v in answer.items()}


def _cookies(arguments: list[Any], options: dict[str, Any]) -> Found:
    ((cookie,),) = arguments
    fields = {name: value for name, value in cookie.items() if isinstance(value, str | int | float)}
    return "cookies.set", fields


def _media(arguments: list[Any], options: dict[str, Any]) -> Found:
    fields = {
        _MEDIA[name]: "reset" if value == "null" else value for name, value in options.items()
    }
    return "emulate.media", fields


def _size(arguments: list[Any], options: dict[str, Any]) -> Found:
    return "page.resize", dict(arguments[0])


def _geolocation(arguments: list[Any], options: dict[str, Any]) -> Found:
    return "emulate.geolocation", dict(arguments[0])


CALLS: dict[str, Reader] = {
    "page.goto": _plain("navigate", "url"),
    "page.go_back": _plain("back"),
    "page.go_forward": _plain("forward"),
    "page.reload": _plain("reload"),
    "page.close": _plain("tabs.close"),
    "page.set_viewport_size": _size,
    "page.screenshot": _saved("screenshot", "output"),
    "page.pdf": _saved("page.pdf", "output"),
    "page.evaluate": _evaluate,
    "page.emulate_media": _media,
    "page.wait_for_timeout": _wait_time,
    "page.wait_for_load_state": _plain("wait", "condition"),
    "page.wait_for_url": _wait_url,
    "page.once": _once,
    "page.keyboard.type": _typed("type"),
    "page.keyboard.press": _plain("press", "key"),
    "page.keyboard.down": _plain("key.down", "key"),
    "page.keyboard.up": _plain("key.up", "key"),
    "page.mouse.move": _plain("mouse.move", "x", "y"),
    "page.mouse.down": _plain("mouse.down"),
    "page.mouse.up": _plain("mouse.up"),
    "page.mouse.wheel": _plain("mouse.wheel", "dx", "dy"),
    "page.mouse.click": _plain("mouse.click", "x", "y"),
    "page.context.add_cookies": _cookies,
    "page.context.route": _route,
    "page.context.unroute": _plain("route.remove", "pattern"),
    "page.context.unroute_all": _plain("route.remove"),
    "page.context.set_offline": _plain("emulate.offline", "offline"),
    "page.context.set_geolocation": _geolocation,
    "page.context.set_storage_state": _plain("state.load", "file"),
    "page.context.storage_state": _saved("state.save", "output"),
    "page.local_storage.set_item": _plain("localstorage.set", "key", "value"),
    "page.local_storage.remove_item": _plain("localstorage.delete", "key"),
    "page.local_storage.clear": _plain("localstorage.clear"),
    "page.session_storage.set_item": _plain("sessionstorage.set", "key", "value"),
    "page.session_storage.remove_item": _plain("sessionstorage.delete", "key"),
    "page.session_storage.clear": _plain("sessionstorage.clear"),
    "locator.click": _plain("click"),
    "locator.dblclick": _plain("dblclick"),
    "locator.hover": _plain("hover"),
    "locator.check": _plain("check"),
    "locator.uncheck": _plain("uncheck"),
    "locator.fill": _plain("fill", "text"),
    "locator.press_sequentially": _typed("type"),
    "locator.press": _plain("press", "key"),
    "locator.select_option": _listed("select", "values"),
    "locator.set_input_files": _listed("upload", "files"),
    "locator.drag_to": _drag,
    "locator.screenshot": _saved("screenshot", "output"),
    "locator.evaluate": _evaluate,
    "locator.wait_for": _plain("wait"),
}


def expectation(subject: str, check: str, arguments: list[Any]) -> Found:
    """What `expect(subject).check(arguments)` verifies."""
    negated = {"negate": True} if check.startswith("not_") else {}
    check = check.removeprefix("not_")
    shown = _VISIBLE.sub("", subject)
    match check, arguments:
        case "to_have_title" | "to_have_url", [Pattern() as pattern]:
            op = f"verify.{check.removeprefix('to_have_')}"
            if _IS_ESCAPED.fullmatch(pattern):
                return op, {"text": re.sub(r"\\(.)", r"\1", pattern), **negated}
            return op, {"regex": str(pattern), **negated}
        case "to_have_title", [str(title)]:
            return "verify.title", {"text": title, "exact": True, **negated}
        case "to_have_url", [str(address)]:
            return "verify.url", {"glob": address, **negated}
        case "to_have_value", [str(value)]:
            return "verify.value", {"selector": subject, "value": value, **negated}
        case "to_be_checked", []:
            return "verify.value", {"selector": subject, "value": "false" if negated else "true"}
        case "to_have_text", [list(items)] if subject.endswith(_LIST_ITEMS):
            selector = plain_selector(subject.removesuffix(_LIST_ITEMS))
            return "verify.list", {"selector": selector, "items": items, "exact": True, **negated}
        case "to_contain_text", [str(item)]:
            return "verify.list", {"selector": subject, "items": [item], **negated}
        case "to_be_visible", []:
            return _visible(subject, shown, negated)
        case "to_have_count", [0] if shown != subject:
            return _visible(subject, shown, {"negate": True})
    raise NotUnderstood(f"expect(...).{check}() is not known")


def _visible(subject: str, shown: str, negated: dict[str, Any]) -> Found:
    steps = parse(shown).steps if is_expression(shown) else ()
    if shown != subject and len(steps) == 1:
        (step,) = steps
        options = dict(step.options)
        if step.method == "getByText":
            return "verify.text", {"text": step.args[0], **options, **negated}
        if step.method == "getByRole" and options.keys() <= {"name", "exact"}:
            return "verify.element", {"role": step.args[0], **options, **negated}
    selector = plain_selector(shown) if negated else subject
    return "verify.element", {"selector": selector, **negated}


def plain_selector(expression: str) -> str:
    """`locator('x')` alone is the selector x."""
    steps = parse(expression).steps if is_expression(expression) else ()
    if len(steps) == 1 and steps[0].method == "locator" and not steps[0].options:
        return str(steps[0].args[0])
    return expression
