"""Telling others that something changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Signal(Generic[T]):
    """A list of those who want to know. They are called in the order in which they came."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[T], object]] = []

    def connect(self, listener: Callable[[T], object]) -> None:
        self._listeners.append(listener)

    def disconnect(self, listener: Callable[[T], object]) -> None:
        if listener in self._listeners:
            self._listeners.remove(listener)

    def emit(self, value: T) -> None:
        for listener in list(self._listeners):
            listener(value)
