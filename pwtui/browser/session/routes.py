"""Routes: requests that a session fulfils, changes or aborts."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from playwright.async_api import BrowserContext, Error, Route


@dataclass
class Rule:
    """What happens to the requests that match a pattern."""

    pattern: str
    abort: bool = False
    status: int | None = None
    body: str | None = None
    content_type: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    remove_headers: list[str] = field(default_factory=list)
    hits: int = 0

    @property
    def answers(self) -> bool:
        """Whether it fulfils requests without the network."""
        return not (self.status is None and self.body is None and self.content_type is None)

    async def handle(self, route: Route) -> None:
        self.hits += 1
        # The page may have navigated meanwhile.
        with suppress(Error):
            if self.abort:
                await route.abort()
            elif self.answers:
                await route.fulfill(
                    status=self.status or 200,
                    body=self.body or "",
                    content_type=self.content_type,
                    headers=self.headers or None,
                )
            elif self.headers or self.remove_headers:
                removed = {name.lower() for name in self.remove_headers}
                sent = await route.request.all_headers()
                kept = {name: value for name, value in sent.items() if name not in removed}
                added = {name.lower(): value for name, value in self.headers.items()}
                await route.fallback(headers=kept | added)
            else:
                await route.fallback()


class Routes:
    """The rules of one session; the newest that matches applies."""

    def __init__(self, context: BrowserContext) -> None:
        self._context = context
        self._rules: dict[str, tuple[Rule, Callable[[Route], object]]] = {}

    def all(self) -> list[Rule]:
        return [rule for rule, _ in self._rules.values()]

    async def add(self, rule: Rule) -> bool:
        """Add the rule; returns whether it replaced one with the same pattern."""
        replaced = await self.remove(rule.pattern)
        # Kept: a bound method is another object each time, and unroute compares.
        handler = rule.handle
        await self._context.route(rule.pattern, handler)
        self._rules[rule.pattern] = (rule, handler)
        return bool(replaced)

    async def remove(self, pattern: str | None = None) -> list[Rule]:
        """Remove the rule of this pattern, or all."""
        gone = [known for known in self._rules if pattern in (None, known)]
        removed = []
        for known in gone:
            rule, handler = self._rules.pop(known)
            await self._context.unroute(known, handler)
            removed.append(rule)
        return removed
