"""Screens in tests are painted when a test looks at them."""

from __future__ import annotations

from typing import Any
from weakref import WeakSet

import pytest
from textual._compositor import Compositor


def paint_on_demand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paint the first frame of every screen, then none until the test reads the screen.

    Without a terminal nothing receives the frames, and painting them is a third of a test's time.
    Reading the screen (`screen_cells`) paints it, so that a test sees the newest state.
    """
    paint = Compositor.render_update
    painted: WeakSet[Compositor] = WeakSet()

    def paint_first(compositor: Compositor, full: bool = False, **options: Any) -> Any:
        if full or compositor not in painted:
            painted.add(compositor)
            return paint(compositor, full=full, **options)
        compositor._dirty_regions.clear()
        return None

    monkeypatch.setattr(Compositor, "render_update", paint_first)
