"""Merges JUnit reports, such as those of several machines."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

from pwtui.protocol.errors import InvalidInput
from pwtui.recordings.report import REPORT_NAME
from pwtui.state.files import read_text

Element = ElementTree.Element
_COUNTS = {"tests": "", "failures": "failure", "errors": "error", "skipped": "skipped"}
"""The numbers of a suite, and the elements of its test cases that they count."""


def merged_reports(paths: Iterable[Path]) -> str:
    """One JUnit report with all test suites.

    Of two suites with the same name, the later one stays: it is the recording's last replay. In
    reports of pytest, where all tests are one suite, the same holds for each test.
    """
    suites: dict[str, Element[str]] = {}
    for path in paths:
        report = _read(path)
        for suite in report.iter("testsuite"):
            name = suite.get("name", "")
            if name in suites and report.get("name") != REPORT_NAME:
                suite = _merged(suites[name], suite)
            suites[name] = suite
    root = Element("testsuites", name=REPORT_NAME)
    for count in _COUNTS:
        root.set(count, str(sum(int(suite.get(count) or 0) for suite in suites.values())))
    root.set("time", f"{sum(float(suite.get('time') or 0) for suite in suites.values()):.3f}")
    root.extend(suites.values())
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _merged(first: Element[str], second: Element[str]) -> Element[str]:
    """The second suite, with the test cases that only the first has."""
    suite = Element("testsuite", {**first.attrib, **second.attrib})
    cases = {
        (case.get("classname"), case.get("name")): case
        for each in (first, second)
        for case in each.iter("testcase")
    }
    suite.extend(cases.values())
    for count, element in _COUNTS.items():
        counted = [case for case in cases.values() if not element or case.find(element) is not None]
        suite.set(count, str(len(counted)))
    suite.set("time", f"{sum(float(case.get('time') or 0) for case in cases.values()):.3f}")
    return suite


def _read(path: Path) -> Element[str]:
    text = read_text(path)
    # Entities, which can make a small file huge, have no place in a report.
    if "<!DOCTYPE" in text:
        raise InvalidInput(f"{path} is not a JUnit report: it has a document type")
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise InvalidInput(f"{path} is not a JUnit report: {error}") from None
    if root.tag not in ("testsuites", "testsuite"):
        raise InvalidInput(f"{path} is not a JUnit report: its element is <{root.tag}>")
    return root
