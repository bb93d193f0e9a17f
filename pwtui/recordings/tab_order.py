"""The open tabs at a step of a recording."""

from __future__ import annotations


class TabOrder:
    """Tabs by index, which is permanent; a test only has positions, which change."""

    def __init__(self) -> None:
        self.open = [0]
        self.next = 1
        self._used = [0]
        """Most recently used last; the last is the current tab."""

    @property
    def current(self) -> int | None:
        return self._used[-1] if self._used else None

    @property
    def position(self) -> int:
        """The position of the current tab."""
        return self.open.index(self._used[-1])

    def add(self) -> int:
        """Open a tab and make it current."""
        index, self.next = self.next, self.next + 1
        self.open.append(index)
        self._used.append(index)
        return index

    def use(self, index: int) -> None:
        self._used = [*(each for each in self._used if each != index), index]

    def close(self, index: int) -> None:
        """Close a tab; the most recently used one becomes current."""
        self.open.remove(index)
        self._used = [each for each in self._used if each != index] or self.open[-1:]
