"""The line with the address, and the tabs."""

from __future__ import annotations

import pytest

from pwtui.widgets.page_bar import TabLabel, fitted, shortened


@pytest.mark.parametrize(
    ("url", "cells", "shown"),
    [
        ("https://a.example/", 30, "https://a.example/"),
        ("https://a.example/a/long/way/to/page", 20, "https://a…ay/to/page"),
        ("https://a.example/a/long/way", 6, "https…"),
        ("https://a.example/", 0, ""),
    ],
)
def test_a_long_url_loses_its_middle(url: str, cells: int, shown: str) -> None:
    assert shortened(url, cells) == shown


@pytest.mark.parametrize("active", [0, 7, 19])
def test_the_active_of_many_tabs_is_among_those_that_have_room(active: int) -> None:
    tabs = tuple(TabLabel(n, f"Tab {n}", is_active=n == active) for n in range(20))

    shown, first, longest = fitted(tabs, 78)

    assert any(tab.is_active for tab in shown)
    assert shown == tabs[first : first + len(shown)]
    assert sum(longest + 4 for _ in shown) <= 78
