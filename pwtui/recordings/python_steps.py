"""Each step of a recording as the lines of a test."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from pwtui.recordings.python_text import call, literal, locator

Input = Mapping[str, Any]

_MEDIA = {
    "colorScheme": "color_scheme",
    "reducedMotion": "reduced_motion",
    "forcedColors": "forced_colors",
    "contrast": "contrast",
    "media": "media",
}


class NotInPython(Exception):
    """The step has no counterpart in a test."""


def lines_of(op: str, input: Input) -> list[str]:
    """The lines of a test that do the same, or NotInPython."""
    writer = _WRITERS.get(op)
    if writer is None:
        raise NotInPython("a test has no such step")
    go = [call("page.goto", input["url"])] if "url" in input and op not in _OWN_URL else []
    return go + writer(input)


def _element(input: Input, prefix: str = "", *, guess: str = "page.get_by_text") -> str:
    name = (lambda field: prefix + field[0].upper() + field[1:]) if prefix else str
    owner = "page" if prefix else _scope(input)
    if selector := input.get(name("selector")):
        return locator(selector, owner)
    if words := input.get(name("words")):
        return call(guess.replace("page", owner, 1), words)
    raise NotInPython("it names no element")


def _scope(input: Input) -> str:
    """The part of the page that the element is in."""
    text, role = input.get("within"), input.get("withinRole")
    if text is None and role is None:
        return "page"
    found = call("page.get_by_role", role or "listitem")
    if role is None:
        found = f'{found}.or_(page.get_by_role("row"))'
    return found if text is None else call(f"{found}.filter", has_text=text)


def _has_element(input: Input) -> bool:
    return "selector" in input or "words" in input


def _pointer(method: str) -> Callable[[Input], list[str]]:
    def write(input: Input) -> list[str]:
        options = {"button": input.get("button"), "modifiers": input.get("modifiers")}
        return [call(f"{_element(input)}.{method}", **options)]

    return write


def _ticker(method: str) -> Callable[[Input], list[str]]:
    return lambda it: [call(f"{_element(it, guess='page.get_by_label')}.{method}")]


def _plain(function: str, *fields: str) -> Callable[[Input], list[str]]:
    return lambda it: [call(function, *(it[name] for name in fields if name in it))]


def _fill(input: Input) -> list[str]:
    field = _element(input, guess="page.get_by_label")
    lines = [call(f"{field}.fill", input.get("text", ""))]
    return lines + ([call(f"{field}.press", "Enter")] if input.get("submit") else [])


def _type(input: Input) -> list[str]:
    delay = input.get("delayMs") or None
    if _has_element(input):
        field = _element(input, guess="page.get_by_label")
        lines = [call(f"{field}.press_sequentially", input["text"], delay=delay)]
    else:
        lines = [call("page.keyboard.type", input["text"], delay=delay)]
    return lines + ([call("page.keyboard.press", "Enter")] if input.get("submit") else [])


def _press(input: Input) -> list[str]:
    if _has_element(input):
        return [call(f"{_element(input, guess='page.get_by_label')}.press", input["key"])]
    return [call("page.keyboard.press", input["key"])]


def _select(input: Input) -> list[str]:
    values = input["values"]
    chosen = values[0] if len(values) == 1 else values
    return [call(f"{_element(input, guess='page.get_by_label')}.select_option", chosen)]


def _upload(input: Input) -> list[str]:
    if not _has_element(input):
        raise NotInPython("a test names the file input; give upload a target")
    files = input["files"]
    given = files[0] if len(files) == 1 else files
    return [call(f"{_element(input, guess='page.get_by_label')}.set_input_files", given)]


def _drag(input: Input) -> list[str]:
    return [f"{_element(input)}.drag_to({_element(input, 'to')})"]


def _screenshot(input: Input) -> list[str]:
    path = input.get("output", "screenshot.png")
    if _has_element(input):
        return [call(f"{_element(input)}.screenshot", path=path)]
    return [call("page.screenshot", path=path, full_page=input.get("fullPage"))]


def _evaluate(input: Input) -> list[str]:
    if "expression" not in input:
        raise NotInPython("its source is in a file")
    owner = _element(input) if _has_element(input) else "page"
    more = [input["arg"]] if input.get("arg") is not None else []
    return [call(f"{owner}.evaluate", input["expression"], *more)]


def _wait(input: Input) -> list[str]:
    condition = input["condition"]
    if str(condition).isdecimal():
        return [call("page.wait_for_timeout", int(condition))]
    if condition in ("load", "domcontentloaded", "networkidle"):
        return [call("page.wait_for_load_state", condition)]
    return [call(f"{locator(condition)}.wait_for", state=input.get("state", "attached"))]


def _expect(subject: str, check: str, input: Input, *arguments: str) -> list[str]:
    negated = "not_" if input.get("negate") or input.get("gone") else ""
    return [f"expect({subject}).{negated}{check}({', '.join(arguments)})"]


def _in_no_frame(found: str) -> list[str]:
    """A script looks into every frame; a check that something is absent must not look less far."""
    return [
        "for frame in page.frames:",
        f"    expect({found}.filter(visible=True)).to_have_count(0)",
    ]


def _verify_text(input: Input) -> list[str]:
    negated = input.get("negate") or input.get("gone")
    owner = "frame" if negated else "page"
    found = call(f"{owner}.get_by_text", input["text"], exact=input.get("exact"))
    if negated:
        return _in_no_frame(found)
    return [f"expect({found}.filter(visible=True).first).to_be_visible()"]


def _verify_element(input: Input) -> list[str]:
    negated = bool(input.get("negate"))
    owner = "frame" if negated else "page"
    if "role" in input:
        options = {"name": input.get("name"), "exact": input.get("exact")}
        found = call(f"{owner}.get_by_role", input["role"], **options)
        if not negated:
            return [f"expect({found}.filter(visible=True).first).to_be_visible()"]
        return _in_no_frame(found)
    if negated and "selector" in input:
        return _in_no_frame(locator(input["selector"], owner))
    return _expect(_element(input), "to_be_visible", input)


def _verify_value(input: Input) -> list[str]:
    field = _element(input, guess="page.get_by_label")
    value = str(input["value"])
    if value.lower() in ("true", "false"):
        checked = (value.lower() == "true") != bool(input.get("negate"))
        return [f"expect({field}).{'' if checked else 'not_'}to_be_checked()"]
    return _expect(field, "to_have_value", input, literal(value))


def _verify_list(input: Input) -> list[str]:
    found = _element(input, guess='page.get_by_role("list").and_(page.get_by_label')
    found = f"{found})" if "words" in input and "selector" not in input else found
    if input.get("exact"):
        items = f'{found}.get_by_role("listitem")'
        return _expect(items, "to_have_text", input, literal(input["items"]))
    return [
        line
        for item in input["items"]
        for line in _expect(found, "to_contain_text", input, literal(item), "ignore_case=True")
    ]


def _verify_title(input: Input) -> list[str]:
    text = input["text"]
    title = literal(text) if input.get("exact") else f"re.compile({literal(re.escape(text))})"
    return _expect("page", "to_have_title", input, title)


def _verify_url(input: Input) -> list[str]:
    if "glob" in input:
        return _expect("page", "to_have_url", input, literal(input["glob"]))
    pattern = input["regex"] if "regex" in input else re.escape(input["text"])
    return _expect("page", "to_have_url", input, f"re.compile({literal(pattern)})")


def _wait_url(input: Input) -> list[str]:
    return [
        call(
            "page.wait_for_url", f"**{input['url']}**" if "*" not in input["url"] else input["url"]
        )
    ]


def _dialog(answer: str) -> Callable[[Input], list[str]]:
    def write(input: Input) -> list[str]:
        text = literal(input["text"]) if "text" in input else ""
        return [f'page.once("dialog", lambda dialog: dialog.{answer}({text}))']

    return write


def _route(input: Input) -> list[str]:
    if "status" not in input and "body" not in input:
        raise NotInPython("only routes that answer can be written")
    answer = call(
        "route.fulfill",
        status=input.get("status"),
        body=input.get("body"),
        content_type=input.get("contentType"),
        headers=input.get("headers"),
    )
    return [f"page.context.route({literal(input['pattern'])}, lambda route: {answer})"]


def _unroute(input: Input) -> list[str]:
    if "pattern" in input:
        return [call("page.context.unroute", input["pattern"])]
    return ["page.context.unroute_all()"]


def _cookie(input: Input) -> list[str]:
    cookie = dict(input)
    if "domain" not in cookie and "url" not in cookie:
        return [f'page.context.add_cookies([{literal(cookie)[:-1]}, "url": page.url}}])']
    if "domain" in cookie:
        cookie.setdefault("path", "/")
    return [call("page.context.add_cookies", [cookie])]


def _storage(area: str, method: str, *fields: str) -> Callable[[Input], list[str]]:
    return lambda it: [call(f"page.{area}.{method}", *(it[name] for name in fields))]


def _media(input: Input) -> list[str]:
    options = {}
    for field, name in _MEDIA.items():
        if field in input:
            options[name] = "null" if input[field] in (None, "reset") else input[field]
    return [call("page.emulate_media", **options)]


def _resize(input: Input) -> list[str]:
    size = {"width": input["width"], "height": input["height"]}
    return [call("page.set_viewport_size", size)]


def _geolocation(input: Input) -> list[str]:
    place = {name: input[name] for name in ("latitude", "longitude", "accuracy") if name in input}
    return [
        call("page.context.grant_permissions", ["geolocation"]),
        call("page.context.set_geolocation", place),
    ]


def _new_tab(input: Input) -> list[str]:
    go = [call("page.goto", input["url"])] if "url" in input else []
    return ["page = page.context.new_page()", *go]


_OWN_URL = frozenset(("navigate", "tabs.new", "wait.url", "cookies.set"))

_WRITERS: dict[str, Callable[[Input], list[str]]] = {
    "navigate": _plain("page.goto", "url"),
    "back": _plain("page.go_back"),
    "forward": _plain("page.go_forward"),
    "reload": _plain("page.reload"),
    "click": _pointer("click"),
    "dblclick": _pointer("dblclick"),
    "hover": _pointer("hover"),
    "check": _ticker("check"),
    "uncheck": _ticker("uncheck"),
    "fill": _fill,
    "type": _type,
    "press": _press,
    "select": _select,
    "upload": _upload,
    "drag": _drag,
    "key.down": _plain("page.keyboard.down", "key"),
    "key.up": _plain("page.keyboard.up", "key"),
    "mouse.move": _plain("page.mouse.move", "x", "y"),
    "mouse.down": lambda it: [call("page.mouse.down", button=it.get("button"))],
    "mouse.up": lambda it: [call("page.mouse.up", button=it.get("button"))],
    "mouse.wheel": lambda it: [call("page.mouse.wheel", it.get("dx", 0), it.get("dy", 0))],
    "mouse.click": lambda it: [call("page.mouse.click", it["x"], it["y"], button=it.get("button"))],
    "screenshot": _screenshot,
    "page.pdf": lambda it: [call("page.pdf", path=it.get("output", "page.pdf"))],
    "page.eval": _evaluate,
    "page.resize": _resize,
    "wait": _wait,
    "wait.text": _verify_text,
    "wait.url": _wait_url,
    "verify.text": _verify_text,
    "verify.element": _verify_element,
    "verify.value": _verify_value,
    "verify.list": _verify_list,
    "verify.title": _verify_title,
    "verify.url": _verify_url,
    "dialog.accept": _dialog("accept"),
    "dialog.dismiss": _dialog("dismiss"),
    "route.add": _route,
    "route.remove": _unroute,
    "cookies.set": _cookie,
    "cookies.delete": lambda it: [
        call("page.context.clear_cookies", **{n: it.get(n) for n in ("name", "domain", "path")})
    ],
    "cookies.clear": _plain("page.context.clear_cookies"),
    "localstorage.set": _storage("local_storage", "set_item", "key", "value"),
    "localstorage.delete": _storage("local_storage", "remove_item", "key"),
    "localstorage.clear": _storage("local_storage", "clear"),
    "sessionstorage.set": _storage("session_storage", "set_item", "key", "value"),
    "sessionstorage.delete": _storage("session_storage", "remove_item", "key"),
    "sessionstorage.clear": _storage("session_storage", "clear"),
    "state.save": lambda it: [
        call("page.context.storage_state", path=it.get("output", "state.json"))
    ],
    "state.load": lambda it: [call("page.context.set_storage_state", it["file"])],
    "emulate.offline": lambda it: [call("page.context.set_offline", it["offline"])],
    "emulate.media": _media,
    "emulate.geolocation": _geolocation,
    "tabs.new": _new_tab,
}
