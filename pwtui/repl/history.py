"""The history of lines, without secrets."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from prompt_toolkit.history import History

from pwtui.keywords.errors import KeywordError
from pwtui.keywords.parser import find_keyword
from pwtui.keywords.tokenizer import split
from pwtui.protocol.catalog import catalog
from pwtui.protocol.envelope import Response
from pwtui.protocol.secrets import has_mask, mask_text
from pwtui.state.files import PRIVATE_FILE
from pwtui.state.paths import user_state_dir

MAX_LINES = 1000


def history_file() -> Path:
    return user_state_dir() / "repl-history"


def is_secret(line: str, response: Response | None) -> bool:
    """Whether the line must not be stored: it has or may have a secret."""
    if mask_text(line) != line:
        return True
    if response is not None and response.ok:
        return has_mask(response.inputs)
    try:
        words = split(line)
    except KeywordError:
        return True
    keyword, _ = find_keyword(words) if words else (None, [])
    # The arguments of an unknown keyword may be secret.
    return keyword is None or bool(catalog()[keyword.op].secrets)


class KeptHistory(History):
    """Stores lines once they are known to hold no secret, not when they are typed."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    def load_history_strings(self) -> Iterable[str]:
        """Newest first."""
        try:
            lines = self._path.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return []
        return reversed(lines[-MAX_LINES:])

    def append_string(self, string: str) -> None:
        """Does nothing: see `keep`."""

    def store_string(self, string: str) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        with os.fdopen(os.open(self._path, flags, PRIVATE_FILE), "a", encoding="utf-8") as file:
            file.write(string.replace("\n", " ") + "\n")

    def keep(self, line: str) -> None:
        if self.get_strings()[-1:] != [line]:
            try:
                super().append_string(line)
            except OSError:
                return  # the history is optional

    def clear(self) -> None:
        self._loaded_strings.clear()
        self._path.unlink(missing_ok=True)
