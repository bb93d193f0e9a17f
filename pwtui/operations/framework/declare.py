"""An operation is declared once, here: one async function with a typed input and a typed result.

From the declaration come dispatch and validation, `pw ops`, the reference page, the panel's forms
and the REPL's keywords. To add an operation, write one function with `@operation` in a module of
this package.
"""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, TypeVar, get_type_hints

from pydantic import BaseModel

from pwtui.operations.framework.call import Call, PageCall, SessionCall
from pwtui.operations.framework.fields import ElementFields, Input, UrlFields

F = TypeVar("F", bound=Callable[..., Awaitable[BaseModel]])


@dataclass(frozen=True, eq=False)
class Operation:
    """A declared operation. What its function is annotated with says what it needs."""

    id: str
    summary: str
    help: str
    input: type[Input]
    data: type[BaseModel]
    call: type[Call]
    run: Callable[[Any, Any], Awaitable[BaseModel]]
    example: Mapping[str, Any]
    interactive: bool
    has_window: bool
    url_may_be_selector: bool
    selector_fallback: str | None
    selector_required: bool
    opens_url: bool
    starts_browser: bool
    remembers: bool
    queued: bool

    @property
    def needs_session(self) -> bool:
        return issubclass(self.call, SessionCall)

    @property
    def needs_page(self) -> bool:
        return issubclass(self.call, PageCall)

    @property
    def takes_url(self) -> bool:
        return issubclass(self.input, UrlFields)

    @property
    def takes_element(self) -> bool:
        return issubclass(self.input, ElementFields)

    @property
    def family(self) -> str:
        return self.id.partition(".")[0]


_declared: dict[str, Operation] = {}


def operation(
    id: str,
    *,
    example: Mapping[str, Any] | None = None,
    interactive: bool = False,
    has_window: bool = False,
    url_may_be_selector: bool = False,
    selector_fallback: str | None = None,
    selector_required: bool = True,
    opens_url: bool = False,
    starts_browser: bool = True,
    remembers: bool = True,
    queued: bool = True,
) -> Callable[[F], F]:
    """Declare an operation.

    interactive: needs a person at the terminal; refused in a batch.
    has_window: needs a visible browser, whatever the profile says.
    url_may_be_selector: `url` alone may hold a selector, told apart by how it looks.
    selector_fallback: used when no selector is given and none is remembered.
    selector_required: without a selector the remembered one is used, else the request is refused.
    opens_url: the function itself goes to the URL, so nobody does before it.
    starts_browser: without a session and a URL one is started; else the request is refused.
    remembers: the page and selector become the profile's last ones.
    queued: waits for the profile's earlier requests; what only looks or ends things does not.
    """

    def declare(function: F) -> F:
        if id in _declared:
            raise ValueError(f"operation {id} is declared twice")
        hints = get_type_hints(function)
        call, input = (hints[name] for name in inspect.signature(function).parameters)
        help = inspect.getdoc(function) or ""
        if not help:
            raise ValueError(f"operation {id} has no docstring")
        _declared[id] = Operation(
            id=id,
            summary=help.partition("\n")[0],
            help=help,
            input=input,
            data=hints["return"],
            call=call,
            run=function,
            example=example or {},
            interactive=interactive,
            has_window=has_window,
            url_may_be_selector=url_may_be_selector,
            selector_fallback=selector_fallback,
            selector_required=selector_required,
            opens_url=opens_url,
            starts_browser=starts_browser,
            remembers=remembers,
            queued=queued,
        )
        return function

    return declare


@cache
def operations() -> Mapping[str, Operation]:
    """All operations by id. The first call imports every module of this package."""
    package = import_module("pwtui.operations")
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        import_module(module.name)
    return dict(sorted(_declared.items()))
