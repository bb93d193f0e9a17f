"""Which tabs are open at a step of a recording."""

from __future__ import annotations


class TabOrder:
    """Tabs by their index, which stays; a test knows only their positions, which move."""

    def __init__(self) -> None:
        self.open = [0]
        self.next = 1
        self._used = [0]
        """The current tab last, before it those that were current."""

    @property
    def current(self) -> int | None:
        return self._used[-1] if self._used else None

    @property
    def position(self) -> int:
        """Of the current tab."""
        return self.open.index(self._used[-1])

    def add(self) -> int:
        """A tab opens and becomes the current one."""
        index, self.next = self.next, self.next + 1
        self.open.append(index)
        self._used.append(index)
        return index

    def use(self, index: int) -> None:
        self._used = [*(each for each in self._used if each != index), index]

    def close(self, index: int) -> None:
        """The tab that was current before becomes the current one again."""
        self.open.remove(index)
        self._used = [each for each in self._used if each != index] or self.open[-1:]
