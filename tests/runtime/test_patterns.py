"""Patterns of URLs: parts, globs and regular expressions."""

from __future__ import annotations

import pytest

from pwtui.protocol.errors import InvalidInput
from pwtui.runtime.patterns import part, url_pattern

URL = "https://shop.example/api/v1/orders?page=2"


@pytest.mark.parametrize(
    "pattern",
    [
        "shop.example",
        "orders?page",
        "**/orders*",
        "https://*/api/**",
        "https://{shop,mail}.example/**",
        "**/v1/**/orders?page=2",
        r"/v\d+\/orders/",
    ],
)
def test_a_pattern_matches(pattern: str) -> None:
    assert url_pattern(pattern).is_in(URL)


@pytest.mark.parametrize(
    "pattern",
    ["mail.example", "*/orders*", "https://*.example/*", "https://{a,b}.example/**", r"/^orders/"],
)
def test_a_pattern_does_not_match(pattern: str) -> None:
    assert not url_pattern(pattern).is_in(URL)


def test_the_case_of_a_part_can_be_ignored() -> None:
    assert part("ORDERS", ignore_case=True).is_in(URL)
    assert not part("ORDERS").is_in(URL)


def test_a_wrong_or_slow_expression_is_invalid_input() -> None:
    with pytest.raises(InvalidInput, match="not a regular expression"):
        url_pattern("/(/")
    with pytest.raises(InvalidInput):
        url_pattern("/(a|aa)+$/").is_in("a" * 60 + "b")
