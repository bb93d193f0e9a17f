"""One JUnit report from several."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from pwtui.protocol.errors import InvalidInput
from pwtui.recordings.merge import merged_reports
from pwtui.recordings.report import REPORT_NAME


def suite(name: str, *cases: str, time: float = 1.0, **counts: int) -> str:
    numbers = " ".join(f'{each}="{number}"' for each, number in counts.items())
    return f'<testsuite name="{name}" time="{time}" {numbers}>{"".join(cases)}</testsuite>'


def case(name: str, outcome: str = "", time: float = 0.5) -> str:
    return f'<testcase classname="shop" name="{name}" time="{time}">{outcome}</testcase>'


def merged(folder: Path, *reports: str) -> ElementTree.Element[str]:
    paths = [folder / f"{number}.xml" for number in range(len(reports))]
    for path, report in zip(paths, reports, strict=True):
        path.write_text(report, encoding="utf-8")
    return ElementTree.fromstring(merged_reports(paths))


def counts(element: ElementTree.Element[str]) -> list[str | None]:
    return [element.get(name) for name in ("tests", "failures", "errors", "skipped", "time")]


def test_of_two_replays_of_a_recording_the_later_one_stays(tmp_path: Path) -> None:
    first = suite("cart.pw", case("1 click", "<failure/>"), tests=1, failures=1)
    other = suite("login.pw", case("1 fill"), tests=1, time=0.25)
    again = suite("cart.pw", case("1 click"), case("2 wait"), tests=2, failures=0)

    root = merged(
        tmp_path,
        f'<testsuites name="{REPORT_NAME}">{first}{other}</testsuites>',
        f'<testsuites name="{REPORT_NAME}">{again}</testsuites>',
    )

    assert [each.get("name") for each in root] == ["cart.pw", "login.pw"]
    assert [each.get("name") for each in root[0]] == ["1 click", "2 wait"]
    assert counts(root) == ["3", "0", "0", "0", "1.250"]


def test_reports_of_pytest_are_merged_test_by_test(tmp_path: Path) -> None:
    first = suite("pytest", case("a", "<failure/>"), case("b", "<skipped/>"), tests=2, failures=1)
    second = suite("pytest", case("a"), case("c", "<error/>"), tests=2, errors=1)

    root = merged(tmp_path, f"<testsuites>{first}</testsuites>", second)

    (together,) = root
    assert [each.get("name") for each in together] == ["a", "b", "c"]
    assert together[0].find("failure") is None
    assert counts(together) == counts(root) == ["3", "0", "1", "1", "1.500"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('<!DOCTYPE x [<!ENTITY a "b">]><testsuite/>', "it has a document type"),
        ("<testsuite>", "no element found"),
        ("<html/>", "its element is <html>"),
    ],
)
def test_another_file_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(InvalidInput, match=rf"0\.xml is not a JUnit report: .*{problem}"):
        merged(tmp_path, text)
