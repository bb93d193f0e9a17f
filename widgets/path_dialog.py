"""Asks for the path of a file: typed, or chosen from the folder that is named so far."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import ClassVar, NamedTuple

from rich.segment import Segment
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Button, Input

from pwtui.widgets.dialogs import PromptDialog
from pwtui.widgets.line_field import LineField
from pwtui.widgets.row_list import Ink, RowList, sides
from pwtui.widgets.text import plain
from pwtui.widgets.units import memory

MOST_ENTRIES = 5000
UP = ".."


class PathEntry(NamedTuple):
    """A file or a folder."""

    name: str
    is_folder: bool
    size: int = 0


class PathList(RowList[PathEntry], can_focus=False):
    """The entries of a folder; the field above it has the focus."""

    CHOOSE_ON_CLICK = True
    EMPTY_TEXT = "Nothing here has this name."
    DEFAULT_CSS = "PathList { height: 10; margin-top: 1; }"

    def row_key(self, row: PathEntry) -> str:
        return row.name

    def draw(self, row: PathEntry, line: int, cells: int, ink: Ink) -> list[Segment]:
        name = f" {plain(row.name)}{'/' if row.is_folder else ''}"
        left = [Segment(name, ink("list--strong") if row.is_folder else ink())]
        right = [] if row.is_folder else [Segment(f"{memory(row.size)} ", ink("list--muted"))]
        return sides(left, right, cells, ink())


class PathField(LineField):
    """Handles enter in the order of the keys: what is typed after it belongs to another folder."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "screen.accept", "open or accept", id="path.accept"),
    ]


class PathDialog(PromptDialog):
    """Returns the typed text, in which several paths are separated by commas.

    Down goes to the list, Tab completes the name, Enter opens a folder or accepts a file.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,ctrl+n", "move(1)", "list", key_display="↓", id="path.down"),
        Binding("up,ctrl+p", "move(-1)", "up", show=False, id="path.up"),
        Binding("pagedown", "move_page(1)", "page down", show=False, id="path.page-down"),
        Binding("pageup", "move_page(-1)", "page up", show=False, id="path.page-up"),
        Binding("tab", "complete", "complete name", id="path.complete"),
    ]

    FIELD = PathField

    def __init__(
        self,
        title: str,
        *,
        folder: Path,
        value: str = "",
        suffixes: Collection[str] = (),
        accept: str = "OK",
        saves: bool = False,
        several: bool = False,
        validate: Callable[[str], str | None] | None = None,
    ) -> None:
        """Paths are relative to `folder`; with `suffixes`, only such files are listed.

        With `saves`, the file does not have to exist; with `several`, there may be more.
        `validate` returns what else is wrong with the text.
        """
        what = "paths, with commas" if several else "path"
        super().__init__(
            title,
            value=value,
            placeholder=what,
            accept=accept,
            validate=self._problem_of,
            note=self._note_on,
        )
        self._folder = folder
        self._suffixes = tuple(suffixes)
        self._saves = saves
        self._several = several
        self._other_problem = validate or (lambda _: None)
        self._read: tuple[Path, list[PathEntry]] | None = None
        """The folder that was read last, with its entries."""
        self._found: list[PathEntry] = []
        self._text_in_list = ""
        """When the list was entered; typing leaves it."""
        self._looking = asyncio.Lock()

    def compose_box(self) -> ComposeResult:
        for widget in super().compose_box():
            yield widget
            if isinstance(widget, Input):
                yield PathList()

    @on(events.Mount)
    async def _first_list(self) -> None:
        await self._look()

    @property
    def _list(self) -> PathList:
        return self.query_one(PathList)

    @property
    def _field(self) -> Input:
        return self.query_one(Input)

    @property
    def is_in_list(self) -> bool:
        """Whether Enter chooses from the list."""
        return self._list.has_class("-active")

    def _enter_list(self, wanted: bool) -> None:
        self._list.set_class(wanted and bool(self._found), "-active")
        self._text_in_list = self._field.value

    # -- the text ----------------------------------------------------------------------------------

    def _parts(self) -> tuple[str, str, str]:
        """What is before the last path, its folder, and the beginning of its name."""
        text = self._field.value
        at = text.rfind(",") + 1 if self._several else 0
        at += len(text[at:]) - len(text[at:].lstrip())
        folder, slash, name = text[at:].rpartition("/")
        return text[:at], folder + slash, name

    def paths(self, text: str) -> list[Path]:
        """The paths of a text."""
        whole = self._path(text.strip())
        if not self._several or S_ISREG(_seen(whole).mode):  # its name may contain a comma
            return [whole] if text.strip() else []
        parts = (part.strip() for part in text.split(","))
        return [self._path(part) for part in parts if part]

    def _path(self, text: str) -> Path:
        with suppress(RuntimeError):  # the home of a user who does not exist
            return self._folder / Path(text).expanduser()
        return self._folder / text

    def _problem_of(self, text: str) -> str | None:
        paths = self.paths(text)
        if not paths:
            return "type a path, or choose one below"
        for path in paths:
            mode, problem = _seen(path)
            if problem:
                return problem
            if S_ISDIR(mode):
                return f"{path.name or path}/ is a folder"
            if not self._saves and not S_ISREG(mode):
                return f"no such file: {path.name}"
        return self._other_problem(text)

    def _note_on(self, text: str) -> str:
        path = self.paths(text)[0]
        if not self._saves:
            return ""
        if _seen(path).mode:
            return "the file exists"
        return "" if S_ISDIR(_seen(path.parent).mode) else "new folder"

    def _check(self, show: bool = True) -> bool:
        """Report no problem while the text may still become a path."""
        is_partial = self._field.value.endswith("/") or (bool(self._found) and not self._saves)
        return super()._check(show and not is_partial)

    def _put(self, text: str) -> None:
        """Replace the text, with the cursor at its end."""
        self._text_in_list = self._field.value = text
        self._field.action_end()

    # -- the list ----------------------------------------------------------------------------------

    @on(Input.Changed)
    async def _typed(self) -> None:
        await self._look()

    async def _look(self) -> None:
        """List the folder of the text."""
        async with self._looking:
            _, folder, name = self._parts()
            path, read = self._path(folder), self._read
            if read is None or read[0] != path:
                # A folder of the network may need its time.
                entries = await asyncio.to_thread(entries_of, path, self._suffixes)
                self._read = path, entries
                self._show(path, entries, name)
                self._list.move_to(1 if self.is_in_list else 0)
            else:
                self._show(*read, name)

    def _show(self, path: Path, entries: list[PathEntry], name: str) -> None:
        """List what begins with the name, then what contains it; for a new file, then the rest."""
        wanted = name.lower()
        shown = [each for each in entries if name.startswith(".") or each.name[0] != "."]
        found = [each for each in shown if self._saves or wanted in each.name.lower()]
        found.sort(key=lambda each: _rank(each.name.lower(), wanted))
        if not name and path.parent != path:
            found.insert(0, PathEntry(UP, is_folder=True))
        self._found = found
        self._list.show(found)
        self._enter_list(self.is_in_list and self._field.value == self._text_in_list)

    async def action_move(self, step: int) -> None:
        await self._look()
        if not self.is_in_list:
            self._list.move_to(0)
            self._enter_list(step > 0)
        elif self._list.cursor == 0 and step < 0:
            self._enter_list(False)
        else:
            self._list.action_move(step)

    async def action_move_page(self, pages: float) -> None:
        await self._look()
        self._enter_list(True)
        self._list.action_move_page(pages)

    async def action_complete(self) -> None:
        """Complete the name as far as it is certain, or to the entry under the cursor."""
        await self._look()
        before, folder, name = self._parts()
        entry = self._list.cursor_row if self.is_in_list else None
        found = self._found if entry is None else [entry]
        found = [each for each in found if each.name != UP]
        begins = [each for each in found if each.name.lower().startswith(name.lower())]
        found = begins or ([] if self._saves and entry is None else found)
        common = _common_start([each.name for each in found])
        if len(common) >= max(1, len(name)):
            is_folder = len(found) == 1 and found[0].is_folder
            self._put(before + folder + common + ("/" if is_folder else ""))
        self._enter_list(False)

    @on(PathList.Chosen)
    def _clicked(self, event: PathList.Chosen) -> None:
        event.stop()
        self._choose(event.row)

    def _choose(self, entry: PathEntry) -> None:
        """Open a folder, or accept a file."""
        before, folder, _ = self._parts()
        if entry.name == UP:
            self._put(before + _parent_of(folder))
        else:
            self._put(before + folder + entry.name + ("/" if entry.is_folder else ""))
        if entry.is_folder:
            self._enter_list(True)
        else:
            self._accept_text()

    @on(PathList.Highlighted)
    def _highlighted(self, event: PathList.Highlighted) -> None:
        event.stop()

    @on(Button.Pressed, "#dialog-accept")
    async def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        event.prevent_default()  # of the dialog for any text
        self._enter_list(False)
        await self.action_accept()

    async def action_accept(self) -> None:
        """Choose from the list, list the folder that is named, or accept the text."""
        await self._look()
        paths, entry = self.paths(self._field.value), self._list.cursor_row
        if self.is_in_list and entry is not None:
            self._choose(entry)
        elif self._parts()[2] and paths and S_ISDIR(_seen(paths[-1]).mode):
            self._put(self._field.value + "/")
        else:
            self._accept_text()

    def _accept_text(self) -> None:
        if super()._check():
            self.dismiss(self._field.value)


def _rank(name: str, wanted: str) -> int:
    return 0 if name.startswith(wanted) else 1 if wanted in name else 2


def _common_start(names: list[str]) -> str:
    """What all names begin with."""
    first, last = min(names, default=""), max(names, default="")
    pairs = enumerate(zip(first, last, strict=False))
    return first[: next((at for at, (one, other) in pairs if one != other), len(first))]


class _Seen(NamedTuple):
    mode: int = 0
    """Of what is there; 0 if there is nothing."""
    problem: str = ""
    """Why nothing can be there."""


def _seen(path: Path) -> _Seen:
    try:
        return _Seen(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return _Seen()
    except OSError as error:
        return _Seen(problem=(error.strerror or str(error)).lower())
    except ValueError as error:  # a null byte
        return _Seen(problem=str(error))


def _parent_of(folder: str) -> str:
    """The text of the folder around one: one part less, or one `..` more."""
    path = folder.rstrip("/")
    before, _, last = path.rpartition("/")
    if last in ("", UP, "~", "."):
        if last == "~":
            return f"{Path('~').expanduser().parent}/"
        return "/" if folder.startswith("/") and not path else f"{folder}{UP}/"
    if before:
        return f"{before}/"
    return "/" if folder.startswith("/") else ""


def entries_of(folder: Path, suffixes: Collection[str] = ()) -> list[PathEntry]:
    """The entries of a folder, folders first; nothing of one that cannot be read."""
    found: list[PathEntry] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if len(found) >= MOST_ENTRIES:
                    break
                if (made := _entry_of(entry, suffixes)) is not None:
                    found.append(made)
    except (OSError, ValueError):
        return []
    return sorted(found, key=lambda each: (not each.is_folder, each.name.lower()))


def _entry_of(entry: os.DirEntry[str], suffixes: Collection[str]) -> PathEntry | None:
    try:
        if entry.is_dir():
            return PathEntry(entry.name, is_folder=True)
        if suffixes and not entry.name.lower().endswith(tuple(suffixes)):
            return None
        return PathEntry(entry.name, is_folder=False, size=entry.stat().st_size)
    except OSError:
        return None  # a link to nothing
