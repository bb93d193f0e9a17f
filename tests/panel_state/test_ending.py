"""Which browsers may be ended: one that a person may use only after a question about that."""

from __future__ import annotations

import random

import pytest

from pwtui.app.actions.sessions import abandoned, can_be_killed, kill_question
from pwtui.operations.session.kill import check_kill
from pwtui.protocol.errors import InvalidInput
from pwtui.protocol.models import SessionData


def anything(chance: random.Random) -> SessionData:
    return SessionData(
        origin=chance.choice(("pwtui", "playwright", "cdp", "pipe", "relay")),
        title=chance.choice(("", "Chrome/156", "assistant")),
        headless=chance.choice((True, False, None)),
        pid=chance.choice((None, chance.randrange(2, 99999))),
        orphan=chance.choice((True, None)),
        idle_seconds=chance.choice((None, 0.0, 59.0, 60.0, chance.uniform(0, 10_000))),
        attached=chance.choice((True, False)),
        programs=chance.choice((None, [], ["node agent.js"])),
    )


def test_of_a_thousand_browsers_none_with_a_window_is_ended_unasked() -> None:
    chance = random.Random(25)
    wrong = []
    for _ in range(1000):
        session, idle = anything(chance), chance.choice((0.0, 60.0, 600.0))
        has_window = session.headless is not True or session.origin == "relay"
        may_end = (
            not has_window
            and session.orphan is True
            and session.origin not in ("pwtui", "relay")
            and session.pid is not None
            and session.idle_seconds is not None
            and session.idle_seconds >= idle
        )
        is_refused = False
        try:
            check_kill(session.pid or 0, session, may_have_user=False)
        except InvalidInput:
            is_refused = True
        warns = "a person may be using it" in kill_question(session)
        is_right = (
            (abandoned([session], idle) == [session]) is may_end
            and warns is has_window
            and is_refused is has_window
            and not (can_be_killed(session) and session.origin in ("pwtui", "relay"))
        )
        if not is_right:
            wrong.append((session, idle))

    assert wrong == []


def test_other_processes_are_refused() -> None:
    with pytest.raises(InvalidInput, match="not a browser"):
        check_kill(1, None, may_have_user=True)
