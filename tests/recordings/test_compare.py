"""Volatile values are ignored; all other differences are reported."""

from __future__ import annotations

from typing import Any

import pytest

from pwtui.protocol.envelope import Response
from pwtui.recordings.compare import differences


def response(data: dict[str, Any] | None = None, **more: Any) -> Response:
    return Response.model_validate({"op": "x", "ok": True, "data": data, **more})


def reported(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    return [str(each) for each in differences(response(old), response(new))]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"durationMs": 1, "a": [{"pid": 1}]}, {"durationMs": 2, "a": [{"pid": 2}]}),
        ({"url": "http://127.0.0.1:4000/a"}, {"url": "http://127.0.0.1:51234/a"}),
        ({"snapshot": '- button "Go" [ref=e5]'}, {"snapshot": '- button "Go" [ref=f2e7]'}),
        ({"text": "at 2026-01-02T10:11:12Z"}, {"text": "at 2027-05-06 07:08"}),
        ({"message": "saved /tmp/a/b.png"}, {"message": "saved /home/me/b.png"}),
        ({"message": "waited 1500 ms"}, {"message": "waited 2 ms"}),
    ],
)
def test_volatile_values_are_not_compared(old: dict[str, Any], new: dict[str, Any]) -> None:
    assert reported(old, new) == []


def test_other_differences_are_reported_with_their_place() -> None:
    assert reported({"title": "A"}, {"title": "B"}) == ['data.title: was "A", is "B"']
    assert reported({"n": [1, 2]}, {"n": [1]}) == ["data.n.length: was 2, is 1"]
    assert reported({"a": 1}, {}) == ["data.a: was 1, is nothing"]
    assert reported({"s": "x\ny\nz"}, {"s": "x\nq\nz"}) == ['data.s line 2: was "y", is "q"']
    assert reported({"url": "http://a:80/x"}, {"url": "http://a:80/y"}) != []


def test_outcomes_are_compared_first() -> None:
    failed = response(ok=False, error={"code": "TIMEOUT", "message": "took 5 ms"})
    slower = response(ok=False, error={"code": "TIMEOUT", "message": "took 9 ms"})
    other = response(ok=False, error={"code": "IO_ERROR", "message": "took 9 ms"})

    assert differences(failed, slower) == []
    assert [each.where for each in differences(failed, other)] == ["error.code"]
    assert [each.where for each in differences(response(), failed)] == ["ok"]
