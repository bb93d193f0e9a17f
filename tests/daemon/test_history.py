"""What the daemon records, and that it survives the daemon."""

from __future__ import annotations

import json
import random
import threading
import time
from typing import Any

import psutil
import pytest

from pwtui.history.housekeeping import Housekeeper
from pwtui.history.reader import Entry, HistoryReader
from pwtui.history.tables import State
from tests.daemon.house import House, has_ended, kill
from tests.daemon.wire import Message, Wire
from tests.operations.support import data_url
from tests.site import TestSite
from tests.waiting import LIMIT, eventually

PAGE = "<button onclick=\"console.log('bought it')\">Buy</button>"


def reader(house: House) -> HistoryReader:
    return HistoryReader(house.folder / "state" / "pwtui" / "history-1.db")


def entries(house: House) -> list[Entry]:
    with reader(house) as history:
        return list(history.entries())


def pair(house: House, entry: Entry) -> tuple[dict[str, Any], dict[str, Any]]:
    with reader(house) as history:
        request, response = history.envelopes(entry.id)
    return json.loads(request or "null"), json.loads(response or "null")


def set_mode(wire: Wire, profile: str, mode: str) -> None:
    wire.data("profile.set", {"name": profile, "settings": {"history": mode}})


def test_requests_events_trees_and_pictures_are_recorded(warm: House) -> None:
    with (
        warm.wire(client="watcher", profile="shop") as watcher,
        warm.wire(client="agent", profile="shop") as wire,
    ):
        watcher.ask("subscribe", kinds=["network", "snapshot"], profile="shop")
        wire.data("navigate", {"url": data_url(PAGE)})
        wire.data("click", {"selector": "button"})
        wire.data("page.title")
        assert not wire.call("click", {"selector": "#none"}, overrides={"timeoutMs": 50})["ok"]
        found = [each for each in entries(warm) if each.profile == "shop"]
        assert [each.op for each in found] == ["navigate", "click", "page.title", "click"]
        assert [each.state for each in found] == [State.OK] * 3 + [State.FAILED]
        assert {(each.client, each.pid, each.workspace) for each in found} == {
            ("agent", psutil.Process().pid, str(warm.root))
        }
        assert found[3].code == "SELECTOR_NOT_FOUND"
        assert found[1].session == f"{warm.workspace.id}:shop:chromium:headless"
        request, response = pair(warm, found[2])
        assert request["op"] == "page.title"
        assert response["data"]["title"] == "Own page"

        def looked() -> bool:
            last = entries(warm)[-1]
            return last.tree is not None and last.picture is not None

        eventually(looked, "the page was looked at after the last request that acts")
        with reader(warm) as history:
            last = entries(warm)[-1]
            assert b'button "Buy"' in (history.content(last.tree) or b"")
            assert (history.content(last.picture) or b"").startswith(b"\xff\xd8")

        def said() -> list[str]:
            with reader(warm) as history:
                found = history.events(0, time.time(), kinds=["console"])
                return [json.loads(each.data)["text"] for each in found]

        eventually(lambda: "bought it" in said(), "the console message is recorded")
        # What others subscribe to is not recorded; the requests of pages are as they are listed.
        with reader(warm) as history:
            assert not list(history.events(0, time.time(), kinds=["snapshot"]))
            sent = [json.loads(each.data) for each in history.events(0, 2e9, kinds=["network"])]
        assert all("index" in each for each in sent)


def test_a_profile_can_have_only_metadata_or_no_history(warm: House) -> None:
    with warm.wire(client="test") as wire:
        for profile, mode in (("brief", "metadata"), ("none", "off")):
            set_mode(wire, profile, mode)
            wire.data("navigate", {"url": data_url(PAGE)}, profile=profile)
            wire.data("click", {"selector": "button"}, profile=profile)
            assert not wire.call("page.text", {"selector": "("}, profile=profile)["ok"]
        wire.ask("sync")
        found = [each for each in entries(warm) if each.profile in ("brief", "none")]
        assert [(each.profile, each.op) for each in found] == [
            ("brief", "navigate"),
            ("brief", "click"),
            ("brief", "page.text"),
        ]
        assert found[2].code is not None
        assert {each.url for each in found} == {None}
        with reader(warm) as history:
            assert {history.envelopes(each.id) for each in found} == {(None, None)}
        # Full again: from now on.
        set_mode(wire, "brief", "full")
        wire.data("page.title", profile="brief")
        assert pair(warm, entries(warm)[-1])[1]["data"]["title"] == "Own page"


def test_an_open_page_is_not_recorded_any_more_once_its_profile_has_no_history(
    warm: House,
) -> None:
    page = data_url("<script>setInterval(() => console.log('tick'), 50)</script>")

    def messages(profile: str, since: float = 0) -> list[str]:
        with reader(warm) as history:
            events = history.events(since, time.time(), kinds=["console"])
            return [each.data for each in events if each.profile == profile]

    with warm.wire(client="test") as wire:
        wire.data("navigate", {"url": page}, profile="ticks")
        wire.data("navigate", {"url": page}, profile="other")
        eventually(lambda: messages("ticks"), "its messages are recorded")
        set_mode(wire, "ticks", "off")
        changed = time.time()
        eventually(lambda: len(messages("other", changed)) > 10, "another page is recorded")
        assert messages("ticks", changed) == []


def test_what_a_killed_daemon_did_is_continued(house: House, site: TestSite) -> None:
    daemon = house.start_daemon()
    with house.wire(client="agent") as wire:
        wire.data("navigate", {"url": data_url(PAGE)})
        wire.request("navigate", {"url": site.url("/slow?ms=60000")})
        eventually(lambda: len(entries(house)) == 2, "the request that acts is on disk")
        kill(daemon)
    assert [each.state for each in entries(house)] == [State.OK, State.RUNNING]
    house.start_daemon()
    with house.wire(client="agent") as wire:
        wire.data("profile.list")
    states = [each.state for each in entries(house)]
    assert states == [State.OK, State.UNFINISHED, State.OK]


def test_all_files_beside_the_history_are_private(house: House) -> None:
    (house.folder / "state" / "pwtui").mkdir(parents=True)
    house.start_daemon()
    with house.wire(client="agent") as wire:
        wire.data("navigate", {"url": data_url(PAGE)})
        assert house.thin("repl", input=b"title\n").code == 0
    house.stop_daemon()
    files = [each for each in (house.folder / "state" / "pwtui").rglob("*") if each.is_file()]
    assert {each.name for each in files} >= {"daemon.log", "history-1.db", "repl-history"}
    modes = {each.name: oct(each.stat().st_mode & 0o777) for each in files}
    assert set(modes.values()) == {"0o600"}, modes


def test_a_history_that_cannot_be_written_costs_no_request(house: House) -> None:
    (house.folder / "state" / "pwtui" / "history-1.db").mkdir(parents=True)
    house.start_daemon()
    with house.wire(client="agent") as wire:
        assert wire.data("profile.list")["profiles"] is not None
        assert "unable to open" in wire.ask("status")["historyProblem"]


def test_what_is_too_much_is_deleted_soon(house: House) -> None:
    house.more_environment["PWTUI_HISTORY_MIB"] = "2"
    house.start_daemon()
    path = house.folder / "state" / "pwtui" / "history-1.db"

    def is_small() -> bool:
        with reader(house):  # which includes what is not in the database yet
            keeper = Housekeeper(path, threading.Lock())
        try:
            return 0 < keeper.used_bytes() < 2 * 2**20
        finally:
            keeper.close()

    with house.wire(client="agent") as wire:
        wire.data("navigate", {"url": data_url(PAGE)})
        for _ in range(2):
            for _ in range(8):
                code = "Array.from({length: 25_000}, () => Math.random()).join()"
                wire.data("page.eval", {"expression": code})
            assert not is_small()
            eventually(is_small, "the oldest are deleted")


@pytest.mark.parametrize("options", [[], ["-q", "-p", "named", "--format=json"]])
def test_a_command_is_recorded_by_its_name(warm: House, options: list[str]) -> None:
    assert warm.thin(*options, "profile", "list").code == 0
    last = entries(warm)[-1]
    assert (last.client, last.op) == ("pw profile", "profile.list")


def test_a_result_that_is_too_long_is_recorded_without_its_data(warm: House) -> None:
    with warm.wire(client="agent", profile="shop") as wire:
        wire.data("navigate", {"url": data_url(PAGE)})
        wire.data("page.eval", {"expression": "'x'.repeat(2_000_000)"})
    _, response = pair(warm, entries(warm)[-1])
    assert response["data"] == {"omittedBytes": pytest.approx(2_000_000, abs=1000)}


@pytest.mark.parametrize("rounds", [5, pytest.param(100, marks=pytest.mark.thorough)])
def test_no_finished_request_is_lost_when_the_daemon_is_killed(house: House, rounds: int) -> None:
    answered: set[str] = set()
    chance = random.Random(rounds)
    for number in range(rounds):
        daemon = house.start_daemon()
        timer = threading.Timer(chance.uniform(0.02, 0.3), daemon.kill)
        with house.wire(client=f"round {number}") as wire:
            timer.start()
            answered |= answered_until_the_end(wire, number)
        timer.join(LIMIT)
        assert has_ended(daemon)
    house.start_daemon()
    kept = {pair(house, entry)[0]["requestId"]: entry.state for entry in entries(house)}
    assert {kept.get(each) for each in answered} == {State.OK}
    assert State.RUNNING not in kept.values()
    assert len(answered) > rounds


def answered_until_the_end(wire: Wire, number: int) -> set[str]:
    """The requests that were answered before the daemon was killed; some act and some read."""
    answered: set[str] = set()
    try:
        for count in range(100_000):
            id = f"{number}-{count}"
            op = ("protect.add", {"pattern": "x"}) if count % 2 else ("profile.list", {})
            request: Message = {"schemaVersion": 5, "requestId": id, "op": op[0], "input": op[1]}
            wire.send(request)
            reply = wire.read()
            if reply is None:
                break
            answered.add(reply["requestId"])
    except OSError:
        pass
    return answered
