"""Which events of sessions a client wants, and what a worker has to publish for all of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pwtui.protocol.addresses import is_bound_key, owner_id
from pwtui.protocol.events import FrameLimits


@dataclass(frozen=True)
class EventFilter:
    """Kinds of events of all sessions, of one profile, or of one session."""

    kinds: frozenset[str] = frozenset()
    profile_id: str | None = None
    session_key: str | None = None
    frames: FrameLimits | None = None

    def matches(self, kind: str, session_key: str) -> bool:
        return kind in self.kinds and self.includes(session_key)

    def concerns(self, profile_id: str) -> bool:
        """Whether sessions of a profile, or a bound browser, may match."""
        wanted = self.profile_id
        if self.session_key is not None:
            wanted = owner_id(self.session_key)
        return bool(self.kinds) and wanted in (None, profile_id)

    @property
    def may_be_bound(self) -> bool:
        """Whether browsers of other programs may match."""
        if self.session_key is not None:
            return is_bound_key(self.session_key)
        return self.profile_id is None

    def includes(self, session_key: str) -> bool:
        if self.session_key is not None:
            return self.session_key == session_key
        return self.profile_id is None or session_key.startswith(f"{self.profile_id}:")


def wanted_of(filters: Iterable[EventFilter], profile_id: str) -> dict[str, Any]:
    """What the worker of a profile has to publish: kinds of all sessions, and of single ones."""
    kinds: set[str] = set()
    sessions: dict[str, set[str]] = {}
    frames: list[FrameLimits] = []
    for each in filters:
        if each.concerns(profile_id):
            of_one = each.session_key
            (kinds if of_one is None else sessions.setdefault(of_one, set())).update(each.kinds)
            frames += [each.frames] if each.frames else []
    limits = FrameLimits.largest(frames)
    return {
        "kinds": sorted(kinds),
        "sessions": {key: sorted(found) for key, found in sorted(sessions.items())},
        "frames": limits.to_wire() if limits else None,
    }


def is_narrower(before: Iterable[EventFilter], after: Iterable[EventFilter]) -> bool:
    """Whether events that were wanted before are not wanted any more."""
    return bool(_parts(before) - _parts(after))


def _parts(filters: Iterable[EventFilter]) -> set[tuple[str | None, str | None, str]]:
    return {(each.profile_id, each.session_key, kind) for each in filters for kind in each.kinds}
