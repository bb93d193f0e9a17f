"""Makes many screens in one process cheap: few frames, and style sheets parsed once."""

from __future__ import annotations

from typing import Any

import pytest
from textual._compositor import Compositor
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.geometry import Size

EVERY_FRAME = "every_frame"

Painted = tuple[type[object], Size]

_parsed: dict[tuple[object, ...], list[RuleSet]] = {}


def paint_on_demand(monkeypatch: pytest.MonkeyPatch, painted: set[Painted]) -> None:
    """Paint each kind of screen once, then none until the test reads the screen.

    Without a terminal nothing receives the frames, and painting them is a third of a test's time.
    Reading the screen (`screen_cells`) paints it, so that a test sees the newest state.
    """
    paint = Compositor.render_update

    def paint_first(compositor: Compositor, full: bool = False, **options: Any) -> Any:
        kind = (type(compositor.root), compositor.size)
        if full or kind not in painted:
            painted.add(kind)
            return paint(compositor, full=full, **options)
        compositor._dirty_regions.clear()
        return None

    monkeypatch.setattr(Compositor, "render_update", paint_first)


def parse_styles_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all apps of a run share the rules of a style sheet that they have with equal variables.

    Every app reads the styles of all its widgets again; they are the same in almost every test.
    """
    parse = Stylesheet._parse_rules

    def parse_first(sheet: Stylesheet, css: str, **options: Any) -> list[RuleSet]:
        key = (css, frozenset(options.items()), frozenset(sheet._variables.items()))
        if key not in _parsed:
            _parsed[key] = parse(sheet, css, **options)
        return _parsed[key]

    monkeypatch.setattr(Stylesheet, "_parse_rules", parse_first)
