"""Versions of pwtui."""

from __future__ import annotations

from pwtui import __version__


def is_older(version: str) -> bool:
    """Whether a version is older than this one."""
    return _numbers(version) < _numbers(__version__)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdecimal())
