"""Standing in for the network: requests that are answered, changed or refused here."""

from __future__ import annotations

from typing import Annotated, Self

from playwright.async_api import Error
from pydantic import Field, model_validator

from pwtui.browser.first_line import first_line
from pwtui.browser.session.routes import Rule
from pwtui.operations.framework.declare import Group, Outcome, Run, configures, reads
from pwtui.operations.framework.fields import Data, EchoAs, Input, NoInput
from pwtui.operations.framework.page_call import SessionCall
from pwtui.protocol.errors import InvalidInput
from pwtui.protocol.model import Maybe
from pwtui.protocol.secrets import masked

GROUP = Group.NETWORK

ECHO_LIMIT = 500


ROUTE = ("{pattern}  {effect}", " {status}", "{replaced? (replaced):}")


class RouteInput(Input):
    pattern: str = Field(
        min_length=1, description="Glob of the URLs: * stands for anything but /, ** for anything."
    )
    status: int | None = Field(None, ge=100, le=599, description="Answer with this HTTP status.")
    body: Annotated[str | None, EchoAs(limit=ECHO_LIMIT)] = Field(
        None, description="Answer with this text."
    )
    content_type: str | None = Field(None, description="Answer with this content type.")
    headers: dict[str, str] | None = Field(
        None, description="Headers of the answer; without an answer, to add to the request."
    )
    remove_headers: list[str] | None = Field(
        None, description="Headers to take out of the request."
    )
    abort: bool = Field(False, description="Let the requests fail.")

    @model_validator(mode="after")
    def _one_effect(self) -> Self:
        answers = (self.status, self.body, self.content_type) != (None, None, None)
        if self.abort and (answers or self.headers or self.remove_headers):
            raise ValueError("abort cannot be combined with an answer or headers")
        if answers and self.remove_headers:
            raise ValueError("removeHeaders changes the request, which is not sent when answered")
        return self


class RouteData(Data):
    pattern: str
    effect: str = Field(description="abort, answer, change headers or only count.")
    status: Maybe[int] = None
    content_type: Maybe[str] = None
    headers: Maybe[dict[str, str]] = None
    remove_headers: Maybe[list[str]] = None
    body_bytes: Maybe[int] = None
    hits: int = Field(description="How many requests it met.")


class AddedRouteData(RouteData):
    replaced: bool = Field(description="Whether the pattern had another route.")


@configures(
    "route.add",
    "route pattern --status --body --content-type --header=headers: "
    "--remove-header=removeHeaders --abort",
    example={"pattern": "**/api/user", "status": 404, "body": "gone"},
    outcome=Outcome(ROUTE),
    python="""
        if status or body is not None:
            page.context.route(pattern, lambda route: route.fulfill(
                status=status, body=body, content_type=content_type, headers=headers))
        else: 'only routes that answer can be written'
    """,
)
async def route_add(call: SessionCall, input: RouteInput) -> AddedRouteData:
    """Answer, change or abort the requests that match, in all tabs, until the session ends.

    With status, body or contentType the network is not asked. With headers alone the requests go on
    changed, and with neither they go on as they are and are only counted. Nothing is aborted unless
    abort is true. Of several routes the newest that matches decides.
    """
    rule = Rule(
        pattern=input.pattern,
        abort=input.abort,
        status=input.status,
        body=input.body,
        content_type=input.content_type,
        headers=input.headers or {},
        remove_headers=input.remove_headers or [],
    )
    try:
        replaced = await call.session.routes.add(rule)
    except Error as error:
        if not call.session.alive:
            raise
        raise InvalidInput(
            f"pattern: {input.pattern!r} cannot be used: {first_line(error)}",
            details={"pattern": input.pattern},
        ) from error
    return AddedRouteData(replaced=replaced, **_described(rule).model_dump())


class UnrouteInput(Input):
    pattern: str | None = Field(None, description="Only the route of this pattern.")


class RoutesData(Data):
    routes: list[RouteData]
    count: int


@configures(
    "route.remove",
    "unroute [pattern]",
    example={"pattern": "**/api/user"},
    run=Run(starts_browser=False),
    outcome="removed {count}",
    python="""
        if pattern: page.context.unroute(pattern)
        else: page.context.unroute_all()
    """,
)
async def route_remove(call: SessionCall, input: UnrouteInput) -> RoutesData:
    """Remove a route; without a pattern, all of them."""
    removed = await call.session.routes.remove(input.pattern)
    if input.pattern is not None and not removed:
        known = ", ".join(rule.pattern for rule in call.session.routes.all()) or "none"
        raise InvalidInput(
            f"pattern: there is no route {input.pattern!r}",
            hint=f"known are: {known}",
            details={"pattern": input.pattern},
        )
    return RoutesData(routes=[_described(rule) for rule in removed], count=len(removed))


@reads(
    "route.list",
    "route-list",
    run=Run(starts_browser=False),
    outcome=Outcome(ROUTE, rows="routes", empty="no routes"),
)
async def route_list(call: SessionCall, input: NoInput) -> RoutesData:
    """List the session's routes, the oldest first."""
    rules = call.session.routes.all()
    return RoutesData(routes=[_described(rule) for rule in rules], count=len(rules))


def _described(rule: Rule) -> RouteData:
    changes = bool(rule.headers or rule.remove_headers)
    effects = [("abort", rule.abort), ("answer", rule.answers), ("change headers", changes)]
    return RouteData(
        pattern=rule.pattern,
        effect=next((name for name, holds in effects if holds), "only count"),
        status=rule.status,
        content_type=rule.content_type,
        headers=masked(rule.headers) or None,
        remove_headers=rule.remove_headers or None,
        body_bytes=len(rule.body.encode()) if rule.body is not None else None,
        hits=rule.hits,
    )
