"""Merges JUnit reports, such as those of several machines."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

from pwtui.protocol.errors import InvalidInput
from pwtui.state.files import read_text

_COUNTS = ("tests", "failures", "errors", "skipped")


def merged_reports(paths: Iterable[Path]) -> str:
    """One JUnit report with the test suites of all; of two with the same name, the later one."""
    suites: dict[str, ElementTree.Element[str]] = {}
    for path in paths:
        for suite in _suites(path):
            suites[suite.get("name", "")] = suite
    root = ElementTree.Element("testsuites", name="pw replay")
    for name in _COUNTS:
        root.set(name, str(sum(int(suite.get(name) or 0) for suite in suites.values())))
    seconds = sum(float(suite.get("time") or 0) for suite in suites.values())
    root.set("time", f"{seconds:.3f}")
    root.extend(suites.values())
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _suites(path: Path) -> list[ElementTree.Element[str]]:
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
    return list(root.iter("testsuite"))
