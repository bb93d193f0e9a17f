"""Running JavaScript in the page."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Awaitable
from datetime import datetime
from typing import Annotated, Any, Literal
from urllib.parse import ParseResult

from playwright.async_api import Error
from pydantic import AliasChoices, Field

from pwtui.browser.first_line import first_line
from pwtui.browser.page.interruptible import Interrupted, Interruptible
from pwtui.browser.page.scripts import script
from pwtui.browser.session.tab_errors import timed_out, went_elsewhere
from pwtui.operations.framework.declare import Group, Outcome, Run, TargetRules, acts
from pwtui.operations.framework.fields import SECOND_SPELLING, Data, EchoAs
from pwtui.operations.framework.page_call import PageCall
from pwtui.operations.framework.target_fields import ElementInput
from pwtui.protocol.errors import MAX_RESULT_BYTES, InvalidInput, JsEvalFailed, ResultTooLarge
from pwtui.protocol.model import Maybe

GROUP = Group.READING

ECHO_LIMIT = 500
# Common JSON parsers fail at a depth of 200 to 1000.
MAX_DEPTH = 100
_ODD_NUMBERS = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


class EvalInput(ElementInput):
    expression: Annotated[str | None, EchoAs(limit=ECHO_LIMIT)] = Field(
        None, description="An expression, statements, or a function that takes `arg`."
    )
    expression_flag: str | None = Field(
        None,
        description="Overrides `expression`.",
        json_schema_extra=SECOND_SPELLING,
        validation_alias=AliasChoices("expressionFlag", "expression_flag", "expr"),
    )
    file: str | None = Field(None, description="Read the JavaScript from this file instead.")
    arg: Any = Field(None, description="Passed to the JavaScript as `arg`, or to the function.")


class EvalData(Data):
    result: Any = Field(description="The returned value, as JSON.")
    undefined: Maybe[Literal[True]] = Field(None, description="It returned undefined, not null.")
    expression: str


@acts(
    "page.eval",
    "eval|e code=expression! [target]",
    example={"expression": "document.title"},
    target=TargetRules(optional=True),
    outcome=Outcome(("{result:returned}",), empty="{undefined?undefined:null}"),
    run=Run(may_open_tab=True),
    python="""
        if expression: (element or page).evaluate(expression, arg)
        else: 'the JavaScript is in a file'
    """,
)
async def page_eval(call: PageCall, input: EvalInput) -> EvalData:
    """Run JavaScript in the page and return its value; a promise is awaited.

    The JavaScript is an expression, statements, or a function, which is called with the element if
    there is one, else with `arg`. The value of statements is what they return, else that of the
    last one. Values that JSON cannot represent become text: an element its tag, a window its URL.
    A Map becomes an object, a Set a list.
    """
    source = _source(call, input)
    # Written into the script: Playwright takes longer to pass an argument than to run the script.
    limits = {"depth": MAX_DEPTH - 5, "limit": MAX_RESULT_BYTES}
    given = json.dumps({"source": source, "argument": input.arg, **limits})
    run = script("evaluate")
    if call.found is None:
        evaluation: Awaitable[Any] = call.page.evaluate(f"({run})({given})")
    else:
        on_element = f"argument => ({run})({{ ...{given}, argument }})"
        evaluation = call.found.do(
            lambda it: it.evaluate(on_element, timeout=call.deadline.ms),
            "evaluate the expression on",
        )
    outcome = await _in_time(call, evaluation)
    if not isinstance(outcome, dict):
        return EvalData(result=to_json(outcome), expression=source)
    if (size := outcome.get("size")) is not None:
        raise ResultTooLarge.of("page.eval", size, at_least=True)
    if not outcome["ok"]:
        raise JsEvalFailed(
            f"{outcome['name']}: {outcome['message']}",
            details={"name": outcome["name"], "stack": outcome["stack"]},
        )
    return EvalData(
        result=_parsed(outcome["json"]) if "json" in outcome else to_json(outcome["value"]),
        undefined=True if outcome.get("isUndefined") else None,
        expression=source,
    )


async def _in_time(call: PageCall, evaluation: Awaitable[Any]) -> Any:
    """Await an evaluation, which has no timeout in Playwright."""
    navigations = call.tab.navigations
    try:
        with Interruptible(call.deadline):
            return await evaluation
    except Interrupted:
        raise await timed_out(call.tab, call.deadline, "page.eval") from None
    except Error as error:
        if not call.tab.is_usable:
            raise
        if await went_elsewhere(call.tab, navigations):
            raise JsEvalFailed(
                f"the page navigated to {call.tab.url} before the JavaScript finished",
                details={"cause": "navigated", "url": call.tab.url},
            ) from error
        raise JsEvalFailed(
            f"the JavaScript did not finish, or its value cannot be returned: {first_line(error)}"
        ) from error


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:  # the page has its own JSON.stringify
        raise JsEvalFailed(f"the value cannot be returned: it is not JSON: {error}") from error


def _source(call: PageCall, input: EvalInput) -> str:
    if input.file is not None:
        return call.read_text(input.file)
    source = input.expression if input.expression_flag is None else input.expression_flag
    if source is None or not source.strip():
        raise InvalidInput("expression: required when there is no file")
    return source


def to_json(value: Any, around: tuple[int, ...] = ()) -> Any:
    """The JSON form of a JavaScript value; cycles and what JSON cannot represent become text."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else _ODD_NUMBERS[str(value)]
    if isinstance(value, dict | list):
        if id(value) in around:
            return "[Circular]"
        if len(around) == MAX_DEPTH:
            return "[Too deep]"
        around = (*around, id(value))
        if isinstance(value, list):
            return [to_json(item, around) for item in value]
        return {str(key): to_json(item, around) for key, item in value.items()}
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, ParseResult):
        return value.geturl()
    if isinstance(value, re.Pattern):
        return f"/{value.pattern}/"
    if isinstance(value, Error):
        return value.message
    return str(value)
