"""What is written is read; what cannot be used is put aside; what is old is deleted."""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from typing import Any, cast

import pytest

from pwtui.history import database, spool, tables
from pwtui.history.database import history_file
from pwtui.history.housekeeping import Housekeeper
from pwtui.history.reader import HistoryReader
from pwtui.history.search import search
from pwtui.history.tables import Observed, State
from pwtui.history.writer import HistoryWriter
from tests.history.support import REQUEST, Kept, finished, response, started
from tests.waiting import LIMIT


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Kept]:
    kept = Kept(tmp_path)
    yield kept
    kept.writer.close()


def ids(kept: Kept) -> list[int]:
    with kept.read() as reader:
        return [entry.id for entry in reader.entries()]


def event(text: str, at: float | None = None) -> Observed:
    data = json.dumps({"event": "console", "text": text})
    return Observed(at or time.time(), "console", "/shop", "default", "key", data)


def test_a_finished_request_is_read_as_it_was_written(kept: Kept) -> None:
    id = kept.add({"navigated": True})
    with kept.read() as reader:
        entry = reader.entry(id)
        request, answer = reader.envelopes(id)
    assert entry is not None
    assert (entry.op, entry.client, entry.pid, entry.workspace) == ("click", "agent", 42, "/shop")
    assert (entry.state, entry.ms, entry.url) == (State.OK, 12.5, "http://shop/cart")
    assert (request, answer) == (REQUEST.decode(), response({"navigated": True}).decode())


def test_a_request_that_acts_is_on_disk_while_it_runs(kept: Kept) -> None:
    number = kept.writer.new_number(1)
    assert kept.writer.begin(number, started(), REQUEST)
    with kept.read() as reader:
        entry = reader.entry(number.id)
        assert entry is not None
        assert entry.state is State.RUNNING
    kept.writer.finish(number, finished(ok=False, code="TIMEOUT"), REQUEST, response())
    with kept.read() as reader:
        entry = reader.entry(number.id)
        assert entry is not None
        assert (entry.state, entry.code) == (State.FAILED, "TIMEOUT")


def test_only_metadata_has_no_envelopes(kept: Kept) -> None:
    number = kept.put(started(), finished(), None, None)
    with kept.read() as reader:
        assert reader.envelopes(number.id) == (None, None)


def test_the_files_are_private(kept: Kept) -> None:
    kept.add()
    files = list(kept.path.parent.iterdir())
    assert len(files) == 4
    assert {stat.S_IMODE(each.stat().st_mode) for each in files} == {0o600}
    assert stat.S_IMODE(kept.path.parent.stat().st_mode) == 0o700


def test_a_request_of_a_process_that_was_killed_is_unfinished(tmp_path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; from tests.history.support import *\n"
        "kept = Kept(Path(sys.argv[1])); kept.add(); kept.writer.take_over()\n"
        "kept.add(); kept.writer.begin(Number(3, 3), started(), REQUEST)\n"
        "os.kill(os.getpid(), 9)"
    )
    killed = subprocess.run(
        [sys.executable, "-c", code, tmp_path],
        env=os.environ | {"PYTHONPATH": "."},
        timeout=LIMIT,
    )
    assert killed.returncode == -9
    kept = Kept(tmp_path)
    with kept.read() as reader:
        states = [entry.state for entry in reader.entries()]
    assert states == [State.OK, State.OK, State.UNFINISHED]
    kept.writer.close()


def test_a_request_of_another_daemon_still_runs(kept: Kept) -> None:
    number = kept.writer.new_number(1)
    assert kept.writer.begin(number, started(), REQUEST)
    with sqlite3.connect(kept.path) as connection:  # a process that is running
        connection.execute("update runs set pid = ?", (os.getppid(),))
    connection.close()
    second = HistoryWriter(kept.path)
    second.open()
    second.close()
    with kept.read() as reader:
        entry = reader.entry(number.id)
    assert entry is not None
    assert entry.state is State.RUNNING


@pytest.mark.parametrize("damage", [b"\0" * 40, b"\n", b"5 0\n{nono", b"4 -1\nnull", b"2\n[]"])
def test_records_after_a_damaged_one_cost_history_only(tmp_path: Path, damage: bytes) -> None:
    kept = Kept(tmp_path)
    kept.add()
    ((file, _),) = spool.spools(kept.path)
    with file.open("ab") as end:
        end.write(damage)
    kept.writer.close()

    kept.writer.open()
    kept.add()

    assert kept.writer.problem is None
    assert ids(kept) == [1, 2]
    kept.writer.close()


@pytest.mark.parametrize(
    "content",
    [b"no spool\n", b"", b"\x00" * 100, b"2\n{}", b'9 0\n["begin"]', b'13\n["look", [1]]'],
)
def test_a_file_that_is_not_a_spool_is_removed(tmp_path: Path, content: bytes) -> None:
    kept = Kept(tmp_path)
    kept.writer.close()
    file = kept.path.with_name(f"{kept.path.name}-run-7-0")
    file.write_bytes(content)
    kept.writer.open()
    kept.add()
    assert ids(kept) == [1]
    assert not file.exists()
    kept.writer.close()


def test_two_daemons_write_to_one_history(kept: Kept) -> None:
    other = HistoryWriter(kept.path)
    other.open()
    for number in range(20):
        kept.add(op=f"first{number}")
        second = other.new_number(number)
        other.begin(second, started(op=f"second{number}"), REQUEST)
        kept.writer.take_over()
        other.finish(second, finished(), REQUEST, response())
    with kept.read() as reader:
        found = [(entry.op, entry.state) for entry in reader.entries()]
    assert len(set(found)) == 40
    assert {state for _, state in found} == {State.OK}
    other.close()


@pytest.mark.parametrize("content", [b"no database" * 1000, b"SQLite format 3\0" + b"x" * 5000])
def test_a_file_that_is_not_a_database_is_put_aside(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "state" / "history-1.db"
    path.parent.mkdir()
    path.write_bytes(content)
    kept = Kept(tmp_path)
    kept.add()
    assert ids(kept) == [1]
    (aside,) = path.parent.glob("*.corrupt-*")
    assert aside.read_bytes() == content
    kept.writer.close()


def test_a_database_of_another_program_is_put_aside(tmp_path: Path) -> None:
    path = tmp_path / "state" / "history-1.db"
    path.parent.mkdir()
    with sqlite3.connect(path) as connection:
        connection.execute("create table theirs(a)")
    connection.close()
    kept = Kept(tmp_path)
    kept.add()
    (aside,) = path.parent.glob("*.corrupt-*")
    with sqlite3.connect(aside) as connection:
        assert connection.execute("select count(*) from theirs").fetchone() == (0,)
    connection.close()
    kept.writer.close()


def test_a_history_that_is_damaged_while_it_is_written_is_put_aside(kept: Kept) -> None:
    for _ in range(200):
        kept.add("x" * 5000)
    house = kept.tidy()
    house._connection.execute("pragma wal_checkpoint(truncate)")
    house.close()
    size = kept.path.stat().st_size
    with kept.path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (size - 4096))
    kept.add()
    kept.writer.take_over()
    assert kept.writer.problem
    assert not kept.writer.is_current()
    kept.writer.reopen()
    assert kept.writer.problem is None
    assert ids(kept)
    assert list(kept.path.parent.glob("*.corrupt-*"))


def test_a_full_disk_costs_history_only(kept: Kept) -> None:
    kept.add()
    connection = kept.writer._connection
    assert connection is not None
    (pages,) = connection.execute("pragma page_count").fetchone()
    connection.execute(f"pragma max_page_count = {pages + 4}")
    for _ in range(30):
        kept.add("x" * 4000)
    kept.writer.take_over()
    assert kept.writer.problem == "database or disk is full"
    connection.execute("pragma max_page_count = 1000000")
    kept.writer.take_over()
    assert kept.writer.problem is None
    assert len(ids(kept)) == 31


def test_a_folder_that_cannot_be_written_costs_history_only(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    writer = HistoryWriter(tmp_path / "state" / "history-1.db")
    writer.open()
    writer.add(writer.new_number(1), started(), finished(), REQUEST, response())
    assert writer.problem
    assert writer.lost == 1


def test_a_new_version_continues_with_the_entries_of_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def add(writer: HistoryWriter, op: str) -> None:
        number = writer.new_number(1)
        writer.add(number, started(op=op), finished(), REQUEST, response())

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    old = HistoryWriter(history_file())
    old.open()
    add(old, "navigate")
    old.take_over()
    before = database.MIGRATIONS
    monkeypatch.setattr(database, "MIGRATIONS", (*before, "alter table requests add note text;"))
    new = HistoryWriter(history_file())
    new.open()
    add(new, "click")
    add(old, "fill")
    with HistoryReader() as reader:
        assert [entry.op for entry in reader.entries()] == ["navigate", "click"]
    monkeypatch.setattr(database, "MIGRATIONS", before)
    with HistoryReader() as reader:
        assert [entry.op for entry in reader.entries()] == ["navigate", "fill"]
    old.close()
    new.close()


def test_a_history_that_was_removed_is_begun_again(kept: Kept) -> None:
    kept.add()
    assert kept.writer.is_current()
    for each in kept.path.parent.iterdir():
        each.unlink()
    assert not kept.writer.is_current()
    kept.writer.reopen()
    kept.add(op="fill")
    with kept.read() as reader:
        assert [entry.op for entry in reader.entries()] == ["fill"]


def test_the_same_tree_and_picture_are_stored_once_and_compressed(kept: Kept) -> None:
    tree, picture = '- button "Buy" [ref=e1]\n' * 1000, os.urandom(5000)
    for _ in range(10):
        kept.look(kept.add(), tree, picture)
    kept.tidy().close()
    with kept.read() as reader:
        stored = reader.rows("select sum(length(data)), count(*) from contents").fetchone()
        entry = reader.entry(10)
        assert entry is not None
        assert reader.content(entry.tree) == tree.encode()
        assert reader.content(entry.picture) == picture
    assert stored[1] == 2
    assert stored[0] < 6000


def test_a_long_response_is_read_as_it_was(kept: Kept) -> None:
    data = ["ä" * 100] * 500
    first, second = kept.add(data), kept.add(data)
    kept.tidy().close()
    with kept.read() as reader:
        for id in (first, second):
            assert json.loads(reader.envelopes(id)[1] or "")["data"] == data
        assert reader.rows("select count(*) from contents").fetchone() == (1,)


def test_what_is_older_than_the_retention_is_deleted_with_what_belongs_to_it(kept: Kept) -> None:
    old = time.time() - 20 * 86400
    for number in range(300):
        id = kept.add("x" * 10_000 + str(number), time=old)
        kept.look(id, f"tree {number}", b"picture")
    kept.writer.add_events([event("old", old)] * 250)
    new = kept.add("x" * 10_000 + "7")
    kept.look(new, "tree 7")
    kept.writer.add_events([event("new")])
    kept.tidy().close()
    assert ids(kept) == [new]
    with kept.read() as reader:
        assert reader.rows("select count(*) from contents").fetchone() == (2,)
        assert [json.loads(row.data)["text"] for row in reader.events(0, 2e9)] == ["new"]
        words = "select rowid from words where words match ?"
        assert reader.rows(words, '"tree 8"').fetchall() == []
        assert len(reader.rows(words, '"tree 7"').fetchall()) == 1


def test_the_oldest_are_deleted_when_there_is_too_much(kept: Kept) -> None:
    for number in range(400):
        kept.add(os.urandom(10_000).hex(), time=1000.0 + number)
    last = kept.add()
    house = kept.tidy(mib=2.0, days=1e6)
    assert house.used_bytes() <= 2 * 2**20
    house.close()
    found = ids(kept)
    assert found[-1] == last
    assert 10 < len(found) < 300


def test_requests_are_recorded_during_pruning(kept: Kept) -> None:
    for _ in range(300):
        kept.add(time=time.time() - 20 * 86400)
    house = kept.tidy(days=100)
    house.close()
    house = type(house)(kept.path, kept.writer.lock)
    added = []
    while house.prune():
        added.append(kept.add())
        kept.writer.take_over()
    house.close()
    assert added
    assert ids(kept) == added


def test_rows_that_are_damaged_stop_no_housekeeping(kept: Kept) -> None:
    for number in range(3):
        kept.look(kept.add("x" * 10_000 + str(number), time=1000.0 + number), f"tree {number}")
    kept.writer.add_events([event("old", 1000.0)])
    kept.writer.take_over()
    with sqlite3.connect(kept.path) as connection:
        connection.execute("update bodies set request = '{no' where id = 1")
        connection.execute("update events set data = ?", ("[" * 100_000,))
        connection.execute("update contents set packed = 2, data = x'00' where id < 3")
    connection.close()
    kept.add()
    kept.tidy().close()
    assert ids(kept) == [4]


def test_without_full_text_search_all_else_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "WORDS", "create virtual table words using missing(text)")
    kept = Kept(tmp_path)
    kept.add()
    kept.tidy().close()
    assert ids(kept) == [1]
    kept.writer.close()


def test_records_of_a_long_spool_are_written_and_its_files_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spool, "LONG_BYTES", 1000)
    kept = Kept(tmp_path)
    for number in range(10):
        kept.add("x" * 200, op=f"op{number}")
    assert len(spool.spools(kept.path)) == 4
    with kept.read() as reader:
        assert [entry.op for entry in reader.entries()] == [f"op{n}" for n in range(10)]
    assert len(spool.spools(kept.path)) == 1
    kept.writer.close()
    assert spool.spools(kept.path) == []


def test_a_record_that_is_not_complete_is_ignored(kept: Kept) -> None:
    kept.add()
    kept.add()
    ((file, _),) = spool.spools(kept.path)
    whole = file.read_bytes()
    file.write_bytes(whole[:-1])
    assert ids(kept) == [1]
    file.write_bytes(whole)
    assert ids(kept) == [1, 2]


def test_no_daemon_begins_to_use_a_spool_that_is_removed(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = kept.path.with_name(f"{kept.path.name}-run-7-0")
    file.write_bytes(b"")
    read = spool.read_records

    def read_meanwhile(path: Path, start: int) -> Iterator[tuple[spool.Record, int]]:
        if path == file:
            with path.open() as same, pytest.raises(BlockingIOError):
                fcntl.flock(same, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return read(path, start)

    monkeypatch.setattr(tables, "read_records", read_meanwhile)
    kept.writer.take_over()
    assert not file.exists()


def test_a_spool_of_another_daemon_is_not_overwritten(kept: Kept) -> None:
    ((file, run),) = spool.spools(kept.path)
    kept.add()
    with pytest.raises(FileExistsError):
        spool.Spool(kept.path, run)
    assert file.stat().st_size
    assert ids(kept) == [1]


def test_two_daemons_prune_the_same_entries(kept: Kept) -> None:
    for number in range(50):
        kept.add(time=1000.0 + number)
    kept.writer.add_events([event("old", 1000.0)] * 50)
    kept.writer.take_over()
    other = Housekeeper(kept.path, Lock())

    class Meanwhile:
        """A lock for which the other one comes first."""

        def __enter__(self) -> None:
            while other.prune():
                pass

        def __exit__(self, *_: object) -> None:
            pass

    house = Housekeeper(kept.path, cast("Any", Meanwhile()))
    while house.prune():
        pass
    house.close()
    other.close()
    assert ids(kept) == [50]
    with kept.read() as reader:
        assert not list(reader.events(0, 2e9))


def test_a_request_that_ends_after_later_ones_were_indexed_is_found(kept: Kept) -> None:
    other = HistoryWriter(kept.path)
    other.open()
    slow = other.new_number(7)
    other.new_number(8)
    acting = other.new_number(9)
    other.begin(acting, started(), REQUEST)
    for number in range(5):
        kept.add(f"fast{number}")
    kept.tidy().close()
    other.add(slow, started(), finished(), REQUEST, response("slowest"))
    other.finish(acting, finished(), REQUEST, response("acted"))
    kept.tidy().close()
    with kept.read() as reader:
        for word in ("slowest", "acted", "fast4"):
            assert len(search(reader, word, 10)) == 1, word
            words = "select count(*) from words where words match ?"
            assert reader.rows(words, word).fetchone() == (1,), word
    other.close()


def test_a_history_that_was_replaced_is_opened_again(kept: Kept) -> None:
    kept.path.rename(kept.path.with_name("aside"))
    other = HistoryWriter(kept.path)
    other.open()
    other.close()
    kept.add(op="fill")
    assert not kept.writer.is_current()
    kept.writer.reopen()
    assert kept.writer.is_current()
    with kept.read() as reader:
        assert [entry.op for entry in reader.entries()] == ["fill"]
