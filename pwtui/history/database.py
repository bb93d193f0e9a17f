"""The database file: its schema, its version, and what happens when it cannot be used."""

from __future__ import annotations

import logging
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from pwtui.history.tables import Tables
from pwtui.state.files import keep_private, make_folder, move_aside
from pwtui.state.paths import user_state_dir

log = logging.getLogger(__name__)

APPLICATION = 0x70775449  # "pwTI", so that no database of another program is used
BUSY_SECONDS = 0.25
MAX_WAL_BYTES = 4 * 1024 * 1024
"""The size of the log, from which it is moved to the database."""

# A name (an operation, a client, a workspace) is stored once. Rows that a filter reads are
# small; the envelopes are in another table, and large ones in `contents`.
_FIRST = """
create table names(id integer primary key, text text not null unique);
create table runs(id integer primary key, pid integer not null, started real not null,
    version text not null);
create table requests(id integer primary key, run integer not null, seq integer not null,
    time real not null, ms real, state integer not null, effect integer not null,
    op integer not null, client integer not null, pid integer, workspace integer not null,
    profile integer not null, session integer, code integer, url text,
    tree integer, picture integer);
create index requests_time on requests(time);
create index requests_open on requests(run) where state = 0;
create index requests_tree on requests(tree) where tree is not null;
create index requests_picture on requests(picture) where picture is not null;
create table bodies(id integer primary key, request text not null, response text,
    content integer);
create index bodies_content on bodies(content) where content is not null;
create table contents(id integer primary key, hash blob not null unique, kind integer not null,
    packed integer not null, time real not null, data blob not null);
create index contents_open on contents(id) where packed = 0;
create table events(id integer primary key, time real not null, kind integer not null,
    workspace integer not null, profile integer not null, session integer not null,
    data text not null);
create index events_time on events(time);
create table marks(name text primary key, value integer not null);
"""
WORDS = "create virtual table words using fts5(text, content='')"
MIGRATIONS: tuple[str, ...] = (_FIRST,)
"""What makes each version of the schema from the one before."""


class NotOurs(Exception):
    """The file is no history of this version."""


def history_file() -> Path:
    """Each version of the schema has its file, so that two versions of pwtui share none."""
    return user_state_dir() / f"history-{len(MIGRATIONS)}.db"


def open_history(path: Path) -> sqlite3.Connection:
    """A connection that writes. A file that cannot be used is moved aside.

    Raises OSError or sqlite3.Error, for example when the disk is full.
    """
    if not path.exists():
        _create(path)
    try:
        return _opened(path)
    except (NotOurs, sqlite3.DatabaseError) as error:
        if isinstance(error, sqlite3.OperationalError):
            raise
        put_aside(path, str(error))
    _create(path)
    return _opened(path)


def read_history(path: Path) -> sqlite3.Connection:
    """A connection that only reads. Raises NotOurs or sqlite3.Error."""
    connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, isolation_level=None)
    try:
        connection.execute("pragma query_only = on")
        _check(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def update_history(path: Path) -> None:
    """Write what daemons have recorded so far. Raises OSError, NotOurs or sqlite3.Error."""
    with closing(_opened(path)) as connection:
        Tables(connection).take_over(path)


def put_aside(path: Path, why: str) -> Path:
    """Rename a file that cannot be used, with what belongs to it."""
    kept = move_aside(path)
    for suffix in ("-wal", "-shm"):
        with suppress(FileNotFoundError):
            path.with_name(path.name + suffix).rename(kept.with_name(kept.name + suffix))
    log.warning("%s cannot be used (%s): it was renamed to %s", path, why, kept.name)
    return kept


def has_words(connection: sqlite3.Connection) -> bool:
    """Whether texts are indexed; a build of SQLite without FTS5 searches them one by one."""
    found = connection.execute("select 1 from sqlite_master where name = 'words'").fetchone()
    return found is not None


def _create(path: Path) -> None:
    """Make the file in one step: two daemons may start at the same time."""
    make_folder(path.parent, private=True)
    new = path.with_name(f".{path.name}.new")
    with suppress(FileNotFoundError):
        new.unlink()
    keep_private(new)
    with closing(sqlite3.connect(new, isolation_level=None)) as connection:
        connection.execute("pragma synchronous = off")
        connection.execute("pragma auto_vacuum = incremental")
        if (older := _older_file(path)) is not None:
            with closing(read_older(older)) as source:
                source.backup(connection)
        connection.execute(f"pragma application_id = {APPLICATION}")
        _migrate(connection)
    with suppress(FileExistsError):
        path.hardlink_to(new)
    new.unlink()


def _older_file(path: Path) -> Path | None:
    """The newest file of an earlier version of the schema."""
    names = (path.with_name(f"history-{n}.db") for n in range(len(MIGRATIONS) - 1, 0, -1))
    return next((each for each in names if each.exists()), None)


def read_older(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)


def _migrate(connection: sqlite3.Connection) -> None:
    version = connection.execute("pragma user_version").fetchone()[0]
    for number, script in enumerate(MIGRATIONS[version:], version + 1):
        connection.executescript(f"begin;{script}pragma user_version = {number};commit;")
        if number == 1:
            with suppress(sqlite3.OperationalError):  # this SQLite has no FTS5
                connection.execute(WORDS)


def _opened(path: Path) -> sqlite3.Connection:
    keep_private(path)
    connection = sqlite3.connect(
        path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        _check(connection)
        connection.execute("pragma journal_mode = wal")
        # The files reach the disk with a checkpoint, which the housekeeping does. A loss of power
        # can cost the newest entries, the end of the process costs none.
        connection.execute("pragma synchronous = normal")
        connection.execute("pragma wal_autocheckpoint = 0")
        connection.execute(f"pragma journal_size_limit = {MAX_WAL_BYTES}")
    except BaseException:
        connection.close()
        raise
    return connection


def _check(connection: sqlite3.Connection) -> None:
    (application,) = connection.execute("pragma application_id").fetchone()
    (version,) = connection.execute("pragma user_version").fetchone()
    if application != APPLICATION or version != len(MIGRATIONS):
        raise NotOurs("it is a database of another program or version")
