"""Reports of a replay: what passed, what failed, and where the pictures are."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from pwtui.protocol.envelope import Artifact, ErrorBody, Request, Response
from pwtui.protocol.errors import InvalidInput
from pwtui.recordings.model import RecordedStep
from pwtui.recordings.replay import FileResult, StepResult
from pwtui.recordings.report import check_report, write_report


def results(folder: Path) -> list[FileResult]:
    request = Request(op="click", input={"selector": "#go"})
    picture = Artifact(type="screenshot", path=str(folder / "pw-replay" / "a b.png"), size_bytes=1)
    failed = Response(
        op="click",
        ok=False,
        error=ErrorBody(code="TIMEOUT", message="<b>late</b>\x1b[31m"),
        artifacts=[picture],
    )
    steps = [
        StepResult(RecordedStep(1, request), "goto /", "passed", 0.5),
        StepResult(RecordedStep(2, request), "click #go", "failed", 1.0, failed),
        StepResult(RecordedStep(3, request), "text h1", "skipped"),
    ]
    return [
        FileResult(Path("shop/login.pw"), steps, seconds=1.5),
        FileResult(Path("shop/empty.pw"), problem="no steps"),
    ]


def test_junit_counts_and_explains(tmp_path: Path) -> None:
    root = ElementTree.fromstring(write_report(results(tmp_path), tmp_path / "junit.xml"))

    counts = {name: root.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "4", "failures": "1", "errors": "1", "skipped": "1"}
    (failure,) = root.iter("failure")
    assert "late" in str(failure.get("message"))
    assert "shop/login.pw:2: click #go" in str(failure.text)
    (attachment,) = root.iter("system-out")
    assert attachment.text == "[[ATTACHMENT|pw-replay/a b.png]]"
    assert {case.get("classname") for case in root.iter("testcase")} == {"shop.login", "shop.empty"}
    (error,) = root.iter("error")
    assert error.get("message") == "no steps"


def test_the_page_escapes_text_and_links_pictures(tmp_path: Path) -> None:
    page = write_report(results(tmp_path), tmp_path / "report.html")

    assert "0 passed, 2 failed in 1.5 s" in page
    assert "&lt;b&gt;late&lt;/b&gt;" in page
    assert "<b>late</b>" not in page
    assert "\x1b" not in page
    assert "<img src='pw-replay/a%20b.png'" in page
    assert "no steps" in page


def test_a_report_has_a_known_suffix() -> None:
    assert check_report(Path("a.XML")) == Path("a.XML")
    with pytest.raises(InvalidInput, match=r"must end in \.xml \(JUnit\) or \.html"):
        check_report(Path("a.txt"))
