"""What the panel remembers, and what the user may set in the config folder."""

from __future__ import annotations

import json
import os
import tomllib
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pwtui.state.files import write_json
from pwtui.state.places import user_config_dir, user_state_dir

DEFAULT_THEME = "harbour"


def themes_folder() -> Path:
    return user_config_dir() / "themes"


def keymap_file() -> Path:
    return user_config_dir() / "keymap.toml"


@dataclass
class Settings:
    """Remembered from one run to the next; a broken file is the same as none."""

    theme: str = DEFAULT_THEME
    splits: dict[str, int] = field(default_factory=dict)
    history: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def load(cls) -> Settings:
        with suppress(OSError, ValueError, TypeError):
            known = json.loads(_file().read_bytes())
            return cls(
                **{key: known[key] for key in ("theme", "splits", "history") if key in known}
            )
        return cls()

    def save(self) -> None:
        with suppress(OSError):
            write_json(
                _file(),
                {"theme": self.theme, "splits": self.splits, "history": self.history[-200:]},
                private=True,
            )


def load_keymap() -> tuple[dict[str, str], list[str]]:
    """The user's keys by binding id (`"tree.fold" = "space,x"`), and what is wrong with them."""
    path = keymap_file()
    try:
        known = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}, []
    except (OSError, ValueError) as error:
        return {}, [f"{path}: {error}"]
    keys = known.get("keys", known)
    good = {str(id): keys_ for id, keys_ in keys.items() if isinstance(keys_, str)}
    problems = [
        f"{path}: {id} must be text" for id, value in keys.items() if not isinstance(value, str)
    ]
    return good, problems


def wants_no_color() -> bool:
    return bool(os.environ.get("NO_COLOR"))


def _file() -> Path:
    return user_state_dir() / "panel.json"
