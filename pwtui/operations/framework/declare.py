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
from functools import cache, cached_property
from importlib import import_module
from typing import Any, TypeVar, get_type_hints

from pydantic import BaseModel

from pwtui.operations.framework.call import Call, PageCall, SessionCall
from pwtui.operations.framework.fields import ElementFields, Input, UrlFields
from pwtui.protocol.catalog import Effect, NodeMenu, OperationInfo, Run, TargetRules

F = TypeVar("F", bound=Callable[..., Awaitable[BaseModel]])


@dataclass(frozen=True, eq=False)
class Operation:
    """A declared operation. What its function is annotated with says what it needs."""

    id: str
    effect: Effect
    help: str
    input: type[Input]
    data: type[BaseModel]
    call: type[Call]
    function: Callable[[Any, Any], Awaitable[BaseModel]]
    example: Mapping[str, Any]
    target: TargetRules
    run: Run
    menu: tuple[NodeMenu, ...]

    @property
    def summary(self) -> str:
        return self.help.partition("\n")[0]

    @property
    def needs_session(self) -> bool:
        return issubclass(self.call, SessionCall)

    @property
    def needs_page(self) -> bool:
        return issubclass(self.call, PageCall)

    @property
    def takes_element(self) -> bool:
        return issubclass(self.input, ElementFields)

    @cached_property
    def info(self) -> OperationInfo:
        """What the catalogue says of it."""
        return OperationInfo(
            id=self.id,
            help=self.help,
            effect=self.effect,
            needs_session=self.needs_session,
            needs_page=self.needs_page,
            takes_element=self.takes_element,
            takes_url=issubclass(self.input, UrlFields),
            input=self.input.model_json_schema(),
            data=self.data.model_json_schema(mode="serialization"),
            example=self.example,
            target=self.target,
            run=self.run,
            menu=self.menu,
        )


_declared: dict[str, Operation] = {}


def operation(
    id: str,
    effect: Effect,
    *,
    example: Mapping[str, Any] | None = None,
    target: TargetRules | None = None,
    run: Run | None = None,
    menu: tuple[NodeMenu, ...] = (),
) -> Callable[[F], F]:
    """Declare an operation; `pwtui.protocol.catalog` says what the parts mean."""

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
            effect=effect,
            help=help,
            input=input,
            data=hints["return"],
            call=call,
            function=function,
            example=example or {},
            target=target or TargetRules(),
            run=run or Run(),
            menu=menu,
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
