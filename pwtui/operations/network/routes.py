"""Routes: requests that are fulfilled, changed or aborted before they reach the network."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from pwtui.browser.session.routes import Rule
from pwtui.operations.framework.browser_errors import rejected_as
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
        min_length=1, description="Glob of the URLs: * matches anything but /, ** anything."
    )
    status: int | None = Field(None, ge=100, le=599, description="HTTP status of the response.")
    body: Annotated[str | None, EchoAs(limit=ECHO_LIMIT)] = Field(
        None, description="Body of the response."
    )
    content_type: str | None = Field(None, description="Content type of the response.")
    headers: dict[str, str] | None = Field(
        None, description="Headers of the response; without a response, of the request."
    )
    remove_headers: list[str] | None = Field(
        None, description="Headers to remove from the request."
    )
    abort: bool = Field(False, description="Abort the requests.")

    @model_validator(mode="after")
    def _one_effect(self) -> Self:
        answers = (self.status, self.body, self.content_type) != (None, None, None)
        if self.abort and (answers or self.headers or self.remove_headers):
            raise ValueError("abort cannot be combined with a response or headers")
        if answers and self.remove_headers:
            raise ValueError("removeHeaders cannot be combined with a response")
        return self


class RouteData(Data):
    pattern: str
    effect: str = Field(description="abort, answer, change headers or only count.")
    status: Maybe[int] = None
    content_type: Maybe[str] = None
    headers: Maybe[dict[str, str]] = None
    remove_headers: Maybe[list[str]] = None
    body_bytes: Maybe[int] = None
    hits: int = Field(description="Number of matched requests.")


class AddedRouteData(RouteData):
    replaced: bool = Field(description="Whether it replaced a route with this pattern.")


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
        else: 'only routes with a response can be written'
    """,
)
async def route_add(call: SessionCall, input: RouteInput) -> AddedRouteData:
    """Fulfill, change or abort matching requests of all tabs, until the session ends.

    With status, body or contentType the response comes from the route. With headers alone the
    request is sent with these headers, and without any it is only counted. If several routes match,
    the newest applies.
    """
    rule = Rule(**{name: value for name, value in input if value is not None})
    details = {"pattern": input.pattern}
    with rejected_as(
        call,
        lambda why: InvalidInput(f"pattern: invalid {input.pattern!r}: {why}", details=details),
    ):
        replaced = await call.session.routes.add(rule)
    return AddedRouteData(replaced=replaced, **_described(rule).model_dump())


class UnrouteInput(Input):
    pattern: str | None = Field(None, description="Pattern of the route (default: all routes).")


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
    """Remove a route (default: all routes)."""
    removed = await call.session.routes.remove(input.pattern)
    if input.pattern is not None and not removed:
        known = ", ".join(rule.pattern for rule in call.session.routes.all()) or "none"
        raise InvalidInput(
            f"pattern: no route {input.pattern!r}",
            hint=f"known routes: {known}",
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
    """List the session's routes, oldest first."""
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
