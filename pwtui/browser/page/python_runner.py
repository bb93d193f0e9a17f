"""The process that runs a user's Python code: it attaches to the browser of the session.

Run as a program. It reads one JSON object from its standard input and writes one JSON object in a
line for everything that is printed, and one for the outcome.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import io
import json
import os
import sys
import traceback
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, BrowserContext, Page, async_playwright

NAME = "<script>"
LONGEST_TRACEBACK = 4000


class Printed(io.TextIOBase):
    """Forwards the output of the script."""

    def __init__(self, out: io.TextIOBase) -> None:
        self._out = out

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        send(self._out, {"printed": text})
        return len(text)


def send(out: io.TextIOBase, message: dict[str, Any]) -> None:
    out.write(json.dumps(message) + "\n")
    out.flush()


def compile_script(source: str, name: str) -> tuple[Any, Any]:
    """The statements, and the last one apart when it is an expression.

    With `return` outside functions they become the body of one, which the last one calls.
    """
    tree = ast.parse(source, name)
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    if _returns(tree):
        function = ast.parse("async def script(): pass\nawait script()", name)
        for node in ast.walk(function):
            if isinstance(node, ast.AsyncFunctionDef):
                node.body = tree.body
        tree = function
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        expression = ast.Expression(tree.body.pop().value)  # type: ignore[attr-defined]
        last = compile(expression, name, "eval", flags=flags)
    return compile(tree, name, "exec", flags=flags), last


def _returns(tree: ast.AST) -> bool:
    inner = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
    return isinstance(tree, ast.Return) or any(
        _returns(child) for child in ast.iter_child_nodes(tree) if not isinstance(child, inner)
    )


async def run(source: str, name: str, names: dict[str, Any]) -> Any:
    statements, last = compile_script(source, name)
    await _finished(eval(statements, names))
    return await _finished(eval(last, names)) if last is not None else None


async def _finished(value: Any) -> Any:
    while inspect.isawaitable(value):
        value = await value
    return value


def failure(error: BaseException, name: str) -> dict[str, Any]:
    """The error and its line in the script, without the frames of this file."""
    shown = traceback.TracebackException.from_exception(error)
    own = [number for number, each in enumerate(shown.stack) if each.filename == name]
    line = shown.stack[own[-1]].lineno if own else None
    message = str(error)
    if isinstance(error, SyntaxError) and error.filename == name:
        line, message = error.lineno, error.msg
    del shown.stack[: own[0] if own else len(shown.stack)]
    return {
        "name": type(error).__name__,
        "message": message,
        "line": line,
        "traceback": "".join(shown.format())[-LONGEST_TRACEBACK:],
    }


def as_json(value: Any) -> Any:
    """The value as JSON; values that JSON cannot represent become text."""
    try:
        return json.loads(json.dumps(value, default=_plain))
    except (TypeError, ValueError, RecursionError):
        return str(value)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, set | frozenset) else str(value)


async def find_page(browser: Browser, target: str) -> tuple[BrowserContext, Page]:
    """The current page of the session, by its target id."""
    pages = [(context, page) for context in browser.contexts for page in context.pages]
    for context, page in pages:
        if len(pages) == 1 or await target_id(context, page) == target:
            return context, page
    raise LookupError("the page is no longer open")


async def target_id(context: BrowserContext, page: Page) -> str:
    session = await context.new_cdp_session(page)
    info = await session.send("Target.getTargetInfo")
    await session.detach()
    return str(info["targetInfo"]["targetId"])


async def main(out: io.TextIOBase) -> None:
    job = json.load(sys.stdin)
    name = job["name"]
    async with async_playwright() as playwright:
        engine = getattr(playwright, job["browser"])
        browser = await engine.connect(job["endpoint"])
        context, page = await find_page(browser, job["target"])
        # Without a listener Playwright would answer every dialog itself.
        context.on("dialog", lambda _: None)
        names = {
            "__name__": "__main__",
            "playwright": playwright,
            "browser": browser,
            "context": context,
            "page": page,
        }
        sys.path.insert(0, str(Path.cwd()))
        sys.stdout = Printed(out)
        try:
            send(out, {"result": as_json(await run(job["source"], name, names))})
        except (Exception, SystemExit) as error:
            send(out, {"error": failure(error, name)})
        # The browser keeps running. An orderly exit would wait for tasks of the script.
        os._exit(0)


if __name__ == "__main__":
    # What the script's own children print must not look like an outcome.
    outcome = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    asyncio.run(main(outcome))
