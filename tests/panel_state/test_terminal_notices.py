"""Notifications of the terminal: once each, only while the user is away, and never an escape."""

from __future__ import annotations

import pytest

from pwtui.app.store import DialogView, Store
from pwtui.app.terminal_notices import TerminalNotices, sequence
from pwtui.protocol.models import DialogInfo


@pytest.fixture(autouse=True)
def without_tmux(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TMUX", raising=False)


def test_notices_and_dialogs_are_sent_once_while_the_user_is_away() -> None:
    store, sent, place = Store("default", "/w"), list[str](), {"away": False}
    notices = TerminalNotices(store, lambda: "osc9", lambda: place["away"])
    notices.write = sent.append

    store.notices.add("seen")
    place["away"] = True
    store.notices.add("the daemon exited")
    store.notices.add("the daemon exited")
    store.open_dialog("shop", DialogView(DialogInfo(type="confirm", message="Really?"), tab=0))
    store.page.set_tabs([])

    assert [each for each in sent if "Really" in each] == [
        "\x1b]9;pwtui: shop: confirm Really?\x07"
    ]
    assert not any("seen" in each for each in sent)
    assert sent[0] == "\x1b]9;pwtui: the daemon exited\x07"


def test_page_text_cannot_end_the_sequence() -> None:
    hostile = "a\x07\x1b]0;title\x07;b\nc"

    for kind in ("osc9", "osc777"):
        text = sequence(kind, hostile)
        assert text.count("\x1b") == 1
        assert text.index("\x07") == len(text) - 1
    assert sequence("off", hostile) == ""


def test_tmux_gets_the_sequence_in_an_envelope(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = sequence("osc9", "hello")
    monkeypatch.setenv("TMUX", "/tmp/tmux")

    assert sequence("osc9", "hello") == "\x1bPtmux;\x1b" + plain + "\x1b\\"
