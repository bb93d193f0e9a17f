"""What reverses the latest changes of the user, each by requests."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from pwtui.app.storage import deletion, rows_of, setting
from pwtui.app.store import Store
from pwtui.protocol.catalog import Effect, catalog
from pwtui.protocol.envelope import Request, Response
from pwtui.protocol.errors import PwError
from pwtui.protocol.models import SessionData
from pwtui.protocol.secrets import has_mask
from pwtui.state.profiles import Profiles
from pwtui.state.workspace import normalise_profile_name
from pwtui.widgets.storage_list import StorageRow

KEPT = 100

Data: TypeAlias = dict[str, Any]
Look: TypeAlias = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True)
class Reversal:
    """Requests that undo one; they are only sent while `unless` reports no problem."""

    what: str
    requests: tuple[Request, ...]
    unless: Callable[[], Awaitable[str]]
    shows: tuple[str, str] | None = None
    """A profile that is replaced by another one, if it is shown then."""


@dataclass(frozen=True)
class Restoration:
    """Brings something back in the panel alone; reports why it is not possible any more."""

    what: str
    restore: Callable[[], str]


@dataclass(frozen=True)
class Final:
    """An action that cannot be undone."""

    what: str


Record: TypeAlias = Reversal | Restoration | Final


@dataclass(frozen=True)
class Before:
    """What was known before a request."""

    data: Data | None
    shown_profile: str
    session: SessionData | None


class UndoStack:
    """The latest changes, the last one on top."""

    def __init__(self, store: Store, profiles: Profiles, look: Look) -> None:
        self._store = store
        self._profiles = profiles
        self._look = look
        self.records: deque[Record] = deque(maxlen=KEPT)
        self._routes: dict[tuple[str, str], Data] = {}
        """The inputs of the routes that were added here, by profile and pattern."""

    def add(self, record: Record) -> None:
        if not (isinstance(record, Final) and isinstance(self.last, Final)):
            self.records.append(record)
        else:
            self.records[-1] = record  # one message for all of them

    def add_restoration(self, what: str, restore: Callable[[], str]) -> None:
        """Keep how something comes back that was removed in the panel alone."""
        self.add(Restoration(what, restore))

    @property
    def last(self) -> Record | None:
        return self.records[-1] if self.records else None

    async def before(self, request: Request) -> Before:
        """Read what the request is about to change."""
        store = self._store
        session = store.session_of(self._profile_of(request))
        try:
            state = await self._state(request)
        except PwError:
            state = None  # the request will fail, too, or it replaces a file that is damaged
        return Before(state, store.active_profile, session)

    async def after(self, request: Request, response: Response, what: str, before: Before) -> None:
        """Keep how a request that succeeded can be undone."""
        made = await self._reversal(request, response.data or {}, what, before)
        if made is not None:
            self.add(made)
        elif (info := catalog().get(request.op)) is None or (
            info.effect_of(request.input) is Effect.ACTS
        ):
            self.add(Final(what))

    # -- the state of what a request changes -------------------------------------------------------

    async def _state(self, request: Request) -> Data | None:
        family, _, verb = request.op.partition(".")
        match family, verb:
            case "cookies" | "localstorage" | "sessionstorage", "set" | "delete" | "clear":
                return (await self._look(self._to(request, f"{family}.list", {}))).data
            case "profile", "set":
                name = normalise_profile_name(str(request.input.get("name")))
                if self._profiles.exists(name):
                    return self._profiles.load(name).config.model_dump(mode="json")
        return None

    def _profile_of(self, request: Request) -> str:
        return request.profile or self._store.active_profile

    # -- what undoes it ----------------------------------------------------------------------------

    async def _reversal(
        self, request: Request, data: Data, what: str, before: Before
    ) -> Record | None:
        family, _, verb = request.op.partition(".")
        match family, verb:
            case "cookies" | "localstorage" | "sessionstorage", "set" | "delete" | "clear":
                return await self._of_storage(request, what, before)
            case "profile", _:
                return await self._of_profile(request, verb, data, what, before)
            case "route", "add" | "remove":
                return self._of_route(request, data, what, before)
            case "tabs", "close":
                url = str(data["url"])
                inverse = self._to(request, "tabs.new", {} if _is_blank(url) else {"url": url})
                return Reversal(f"{request.op} {url}", (inverse,), self._same(request, before))
            case "tabs", "new":
                inverse = self._to(request, "tabs.close", {"target": data["index"]})
                return Reversal(what, (inverse,), self._same(request, before))
        return None

    async def _of_storage(self, request: Request, what: str, before: Before) -> Record | None:
        after = await self._state(request)
        if before.data is None or after is None or request.input.get("url") is not None:
            return None
        old, new = (
            {row.key: row for row in rows_of(request.op, each)} for each in (before.data, after)
        )
        name = request.input.get("name") or request.input.get("key")

        def changed(one: dict[Any, StorageRow], other: dict[Any, StorageRow]) -> list[StorageRow]:
            rows = [row for key, row in one.items() if other.get(key) != row]
            return [row for row in rows if name in (None, row.name)]

        inverses = [deletion(row) for row in changed(new, old) if row.key not in old]
        inverses += [setting(row, row.value) for row in changed(old, new)]
        origin = before.data.get("origin")

        async def another_page() -> str:
            if problem := await self._same(request, before)():
                return problem
            now = await self._state(request)
            is_there = now is not None and now.get("origin") == origin
            return "" if is_there else f"the page is not of {origin} any more"

        check = self._same(request, before) if origin is None else another_page
        return Reversal(what, tuple(self._to(request, *each) for each in inverses), check)

    async def _of_profile(
        self, request: Request, verb: str, data: Data, what: str, before: Before
    ) -> Record | None:
        name = str(data.get("profile") or "")
        op, shows = "profile.delete", (name, before.shown_profile)
        input: Data = {"name": name}
        match verb:
            case "set":
                after = await self._state(request)
                if before.data is not None:
                    op, input = request.op, {"name": name, "config": before.data}

                async def was_changed() -> str:
                    is_same = await self._state(request) == after
                    return "" if is_same else f"{name} was changed since"

                inverse = self._to(request, op, input)
                return Reversal(what, (inverse,), was_changed, shows)
            case "rename":
                op, input = request.op, {"name": name, "to": data["renamedFrom"]}
                shows = (name, str(data["renamedFrom"]))
            case "delete" if data.get("canRestore"):
                op = "profile.restore"
            case "create" | "copy" | "restore":
                pass
            case _:
                return None
        return Reversal(what, (self._to(request, op, input),), _nothing, shows)

    def _of_route(self, request: Request, data: Data, what: str, before: Before) -> Record | None:
        """From what was sent from here, else from the descriptions of the routes."""
        is_added, inverses = request.op == "route.add", []
        for route in [data] if is_added else data["routes"]:
            pattern = route["pattern"]
            place = self._profile_of(request), pattern
            known = self._routes.pop(place, None)
            if is_added:
                self._routes[place] = request.input
            else:
                known = known or _route_input(route)
            if is_added and not route["replaced"]:
                inverses.append(self._to(request, "route.remove", {"pattern": pattern}))
            elif known is not None:
                inverses.append(self._to(request, "route.add", known))
            else:
                return Final(what)
        return Reversal(what, tuple(inverses), self._same(request, before))

    def _to(self, request: Request, op: str, input: Data) -> Request:
        """A request for the profile of another one."""
        return Request(op=op, input=input, runtime=request.runtime)

    def _same(self, request: Request, before: Before) -> Callable[[], Awaitable[str]]:
        """Whether the session is still the one of before."""

        async def problem() -> str:
            now = self._store.session_of(self._profile_of(request))
            known = before.session
            if now is not None and (known is None or known.created_at == now.created_at):
                return ""
            return "its browser has exited"

        return problem


async def _nothing() -> str:
    return ""


def _is_blank(url: str) -> bool:
    return url in ("", "about:blank")


def _route_input(route: Data) -> Data | None:
    """The input that adds a route again, if its description has all of it."""
    if route.get("bodyBytes") is not None or has_mask(str(route.get("headers") or "")):
        return None
    names = ("pattern", "status", "contentType", "headers", "removeHeaders")
    known = {name: route[name] for name in names if route.get(name) is not None}
    return {**known, "abort": True} if route["effect"] == "abort" else known
