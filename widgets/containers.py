"""Containers that are not drawn, as what is in them covers them: each would draw all its lines."""

from __future__ import annotations

from textual.containers import Horizontal, Vertical
from textual.geometry import Region
from textual.strip import Strip


class Columns(Horizontal):
    def render_lines(self, crop: Region) -> list[Strip]:
        return []


class Rows(Vertical):
    def render_lines(self, crop: Region) -> list[Strip]:
        return []
