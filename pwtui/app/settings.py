"""The panel's saved settings, and the files in the user's config folder."""

from __future__ import annotations

import json
import tomllib
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Self

from pwtui.state.files import locked, move_aside, write_json
from pwtui.state.paths import user_config_dir, user_state_dir

DEFAULT_THEME = "harbour"
KEPT_REQUESTS = 200


def themes_folder() -> Path:
    return user_config_dir() / "themes"


def keymap_file() -> Path:
    return user_config_dir() / "keymap.toml"


class PastRequest(NamedTuple):
    """A successful request without secrets and refs, and its workspace."""

    workspace: str
    request: dict[str, Any]


@dataclass
class Remembered:
    """The content of the settings file."""

    theme: str = DEFAULT_THEME
    notifications: str = "off"
    splits: dict[str, int] = field(default_factory=dict)
    history: list[PastRequest] = field(default_factory=list)

    @classmethod
    def read(cls, text: bytes) -> Self:
        """The content of a file; ValueError if the panel does not write such a file."""
        known = json.loads(text)
        match isinstance(known, dict) and {**vars(cls()), **known}:
            case {
                "theme": str(theme),
                "notifications": str(notifications),
                "splits": dict(splits),
                "history": list(history),
            }:
                # Drop the requests of older versions, whose workspace is unknown.
                past = [each for each in history if not (isinstance(each, dict) and "op" in each)]
                is_whole = all(isinstance(each, int) for each in splits.values()) and all(
                    isinstance(each, dict) and each.keys() == set(PastRequest._fields)
                    for each in past
                )
                if is_whole:
                    return cls(theme, notifications, splits, [PastRequest(**each) for each in past])
        raise ValueError("not what the panel writes")

    def to_json(self) -> dict[str, Any]:
        return vars(self) | {"history": [each._asdict() for each in self.history]}


class Settings:
    """Saved between runs; an invalid file is ignored.

    Each change is written at once and merged with the changes of other panels.
    """

    def __init__(self) -> None:
        self.now, self.problem = _read()
        self._pending: deque[Callable[[Remembered], None]] = deque()
        # In a thread: a disk may be slow.
        self._writer = ThreadPoolExecutor(1, "settings")

    def set_theme(self, name: str) -> None:
        if name != self.now.theme:
            self._change(lambda kept: setattr(kept, "theme", name))

    def set_notifications(self, kind: str) -> None:
        self._change(lambda kept: setattr(kept, "notifications", kind))

    def set_split(self, name: str, position: int | None) -> None:
        def change(kept: Remembered) -> None:
            kept.splits.pop(name, None)
            if position is not None:
                kept.splits[name] = position

        self._change(change)

    def remember(self, past: PastRequest) -> None:
        def change(kept: Remembered) -> None:
            others = [each for each in kept.history if each != past]
            kept.history = [*others, past][-KEPT_REQUESTS:]

        self._change(change)

    def close(self) -> None:
        """Wait until all changes are on disk."""
        self._writer.shutdown()

    def _change(self, change: Callable[[Remembered], None]) -> None:
        change(self.now)
        self._pending.append(change)
        self._writer.submit(self._write_pending)

    def _write_pending(self) -> None:
        path = _file()
        with suppress(OSError), locked(path.with_suffix(".lock")):
            kept, problem = _read()
            if problem:
                move_aside(path)
            while self._pending:
                self._pending.popleft()(kept)
            write_json(path, kept.to_json(), private=True)


def _read() -> tuple[Remembered, str]:
    """The content of the file, and why it could not be read."""
    path = _file()
    try:
        return Remembered.read(path.read_bytes()), ""
    except FileNotFoundError:
        return Remembered(), ""
    except (OSError, ValueError, RecursionError) as error:
        return Remembered(), f"{path}: ignored, {_cause(error)}"


def load_keymap() -> tuple[dict[str, str], list[str]]:
    """The user's keys by binding id (`"tree.fold" = "space,x"`), and what is wrong with them."""
    path = keymap_file()
    try:
        known = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}, []
    except (OSError, ValueError, RecursionError) as error:
        return {}, [f"{path}: ignored, {_cause(error)}"]
    keys = known.get("keys", known)
    if not isinstance(keys, dict):
        return {}, [f"{path}: ignored, keys must be a table"]
    good = {id: keys_ for id, keys_ in keys.items() if isinstance(keys_, str) and keys_.strip()}
    problems = [f"{path}: {id} must be the name of a key" for id in keys.keys() - good.keys()]
    return good, sorted(problems)


def _cause(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)


def _file() -> Path:
    return user_state_dir() / "panel.json"
