"""An operation is declared once, here: one async function with a typed input and a typed result.

From the declaration come dispatch and validation, `pw ops`, the reference page, the panel's forms
and the REPL's keywords. To add an operation, write one function with `@reads`, `@acts` or
`@configures` in a module of this package.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from functools import cache, cached_property
from importlib import import_module
from typing import Any, NamedTuple, TypeVar, get_type_hints

from pydantic import BaseModel

from pwtui.operations.framework.call import Call
from pwtui.operations.framework.fields import Input
from pwtui.operations.framework.keyword import Keyword
from pwtui.protocol.catalog import (
    Effect,
    Engines,
    NodeMenu,
    OperationInfo,
    Run,
    TargetRules,
    catalog,
)
from pwtui.protocol.errors import InvalidInput, did_you_mean, near_misses
from pwtui.protocol.keyword import Group
from pwtui.protocol.outcome import Outcome

__all__ = ["Effect", "Engines", "Group", "Keyword", "NodeMenu", "Outcome", "Run", "TargetRules"]

F = TypeVar("F", bound=Callable[..., Awaitable[BaseModel]])


class _Declared(NamedTuple):
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
    engines: Engines
    menu: tuple[NodeMenu, ...]
    keywords: tuple[Keyword, ...]
    group: Group
    outcome: Outcome
    python: str


class Operation(_Declared):
    """A declared operation. The annotations of its function say what it needs."""

    @property
    def summary(self) -> str:
        return self.help.partition("\n")[0]

    @property
    def needs_session(self) -> bool:
        return self.call.needs_session

    @property
    def needs_page(self) -> bool:
        return self.call.needs_page

    @property
    def takes_element(self) -> bool:
        return self.input.takes_element

    @cached_property
    def info(self) -> OperationInfo:
        """Its entry in the catalogue."""
        input = self.input.model_json_schema()
        return OperationInfo(
            id=self.id,
            help=self.help,
            effect=self.effect,
            needs_session=self.needs_session,
            needs_page=self.needs_page,
            takes_element=self.takes_element,
            takes_url=self.input.takes_url,
            input=input,
            data=self.data.model_json_schema(mode="serialization"),
            example=self.example,
            target=self.target,
            run=self.run,
            engines=self.engines,
            menu=self.menu,
            keywords=tuple(
                each.info(self.id, self.summary, self.group, input) for each in self.keywords
            ),
            outcome=self.outcome,
            python=self.python,
            module=self.function.__module__,
        )


_declared: dict[str, Operation] = {}


class _Declare:
    """Declares operations with one effect; `pwtui.protocol.catalog` says what the parts mean.

    The help is the function's docstring, and its first line the summary. The module's `GROUP` is
    the section of the keywords.
    """

    def __init__(self, effect: Effect) -> None:
        self._effect = effect

    def __call__(
        self,
        id: str,
        *keywords: Keyword | str,
        example: Mapping[str, Any] | None = None,
        target: TargetRules | None = None,
        run: Run | None = None,
        engines: Engines | None = None,
        menu: tuple[NodeMenu, ...] = (),
        outcome: Outcome | str | None = None,
        python: str = "",
        help: str | None = None,
    ) -> Callable[[F], F]:
        def declare(function: F) -> F:
            if id in _declared:
                raise ValueError(f"operation {id} is declared twice")
            hints = get_type_hints(function)
            call, input = (hints[name] for name in inspect.signature(function).parameters)
            described = help or inspect.getdoc(function) or ""
            if not described:
                raise ValueError(f"operation {id} has no docstring")
            _declared[id] = Operation(
                id=id,
                effect=self._effect,
                help=described,
                input=input,
                data=hints["return"],
                call=call,
                function=function,
                example=example or {},
                target=target or TargetRules(),
                run=run or Run(),
                engines=engines or Engines(),
                menu=menu,
                keywords=tuple(Keyword(k) if isinstance(k, str) else k for k in keywords),
                group=function.__globals__.get("GROUP", Group.SESSION),
                outcome=Outcome((outcome,)) if isinstance(outcome, str) else outcome or Outcome(),
                python=inspect.cleandoc(python),
            )
            return function

        return declare


reads, acts, configures = map(_Declare, Effect)


def find_operation(id: str) -> Operation | None:
    """The operation with this id; imports only its module."""
    if id not in _declared and (info := catalog().get(id)):
        import_module(info.module)
    return _declared.get(id)


def operation_infos() -> Mapping[str, OperationInfo]:
    """All operations: those of the catalogue, and those declared since."""
    new = _declared.keys() - catalog().keys()
    return {**catalog(), **{id: _declared[id].info for id in new}} if new else catalog()


def unknown_operation(op: str) -> InvalidInput:
    close = near_misses(op, operation_infos())
    return InvalidInput(
        f"unknown operation: {op}",
        hint=did_you_mean(close) or "see `ops.list`",
        details={"op": op, "nearMisses": close},
    )


@cache
def operations() -> Mapping[str, Operation]:
    """All operations by id. The first call imports every module of this package."""
    from pkgutil import walk_packages

    package = import_module("pwtui.operations")
    for module in walk_packages(package.__path__, f"{package.__name__}."):
        import_module(module.name)
    return dict(sorted(_declared.items()))
