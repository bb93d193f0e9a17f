"""Reports of a replay: JUnit XML and HTML."""

from __future__ import annotations

import html
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote
from xml.etree import ElementTree

from pwtui.protocol.errors import InvalidInput
from pwtui.protocol.printable import printable
from pwtui.recordings.replay import FileResult, StepResult

REPORT_NAME = "pw replay"
_MARKS = {"passed": "✓", "failed": "✗", "differs": "≠", "skipped": "·"}


def check_report(path: Path) -> Path:
    """The path, if it has the suffix of a report."""
    if path.suffix.lower() not in (".xml", ".html"):
        raise InvalidInput(f"--report {path}: must end in .xml (JUnit) or .html")
    return path


def write_report(results: Sequence[FileResult], path: Path) -> str:
    """The report in the format of the file's suffix, with links relative to its folder."""
    folder = path.absolute().parent
    return junit(results, folder) if path.suffix.lower() == ".xml" else page(results, folder)


def junit(results: Sequence[FileResult], folder: Path) -> str:
    """One test suite per file, one test case per step."""
    root = ElementTree.Element("testsuites", name=REPORT_NAME)
    total: Counter[str] = Counter()
    for result in results:
        has_problem = result.problem is not None
        counts = {
            "tests": len(result.steps) + has_problem,
            "failures": sum(step.is_bad for step in result.steps),
            "errors": int(has_problem),
            "skipped": result.skipped,
        }
        total.update(counts)
        suite = ElementTree.SubElement(root, "testsuite", name=printable(result.name))
        suite.set("timestamp", result.started.strftime("%Y-%m-%dT%H:%M:%S"))
        _set_numbers(suite, counts, result.seconds)
        if has_problem:
            case = ElementTree.SubElement(suite, "testcase", name="replay", time="0")
            case.set("classname", _class_name(result))
            ElementTree.SubElement(case, "error", message=printable(str(result.problem)))
        suite.extend(
            _case(result, number, step, folder) for number, step in enumerate(result.steps, 1)
        )
    _set_numbers(root, total, sum(result.seconds for result in results))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _set_numbers(
    element: ElementTree.Element[str], counts: Mapping[str, int], seconds: float
) -> None:
    for name, count in counts.items():
        element.set(name, str(count))
    element.set("time", f"{seconds:.3f}")


def _class_name(result: FileResult) -> str:
    """With its folders, because files in different folders may have the same name."""
    path = result.path
    parts = [part for part in path.with_suffix("").parts if part not in (path.anchor, "..")]
    return printable(".".join([*parts, *filter(None, [result.browser])]))


def _case(
    result: FileResult, number: int, step: StepResult, folder: Path
) -> ElementTree.Element[str]:
    case = ElementTree.Element("testcase", name=printable(f"{number}. {step.line}"))
    case.set("classname", _class_name(result))
    case.set("time", f"{step.seconds:.3f}")
    if step.outcome == "skipped":
        ElementTree.SubElement(case, "skipped")
    elif step.is_bad:
        first = step.reason.partition("\n")[0]
        failure = ElementTree.SubElement(case, "failure", type=step.outcome)
        failure.set("message", printable(first))
        failure.text = printable(f"{result.path}:{step.step.line}: {step.line}\n{step.reason}")
        if step.artifacts:
            attachments = [f"[[ATTACHMENT|{_link(each.path, folder)}]]" for each in step.artifacts]
            ElementTree.SubElement(case, "system-out").text = printable("\n".join(attachments))
    return case


def page(results: Sequence[FileResult], folder: Path) -> str:
    failed = sum(not result.passed for result in results)
    seconds = sum(result.seconds for result in results)
    title = f"{len(results) - failed} passed, {failed} failed"
    style = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
    parts = [
        f"<!doctype html>\n<html lang='en'><meta charset='utf-8'><title>{title}</title>",
        "<meta name='viewport' content='width=device-width'>",
        f"<style>{style}</style>",
        f"<h1 class='{'failed' if failed else 'passed'}'>{title} in {seconds:.1f} s</h1>",
    ]
    for result in results:
        parts += _section(result, folder)
    return "\n".join(parts) + "\n"


def _section(result: FileResult, folder: Path) -> Iterator[str]:
    mark = "passed" if result.passed else "failed"
    yield f"<h2 class='{mark}'>{_MARKS[mark]} {_text(result.name)}</h2>"
    if result.problem is not None:
        yield f"<pre>{_text(result.problem)}</pre>"
    yield "<ol>"
    for step in result.steps:
        shown = f"{_MARKS[step.outcome]} <code>{_text(step.line)}</code>"
        yield f"<li class='{step.outcome}'>{shown}<time>{step.seconds:.2f} s</time>"
        if step.is_bad:
            yield f"<pre>{_text(step.reason)}</pre>"
            yield from (_artifact(each.type, _link(each.path, folder)) for each in step.artifacts)
        yield "</li>"
    yield "</ol>"


def _artifact(kind: str, link: str) -> str:
    target = html.escape(quote(link))
    if kind == "screenshot":
        return f"<a href='{target}'><img src='{target}' alt='screenshot of the failure'></a>"
    return f"<a href='{target}'>{_text(kind)}</a> "


def _text(text: str) -> str:
    return html.escape(printable(text))


def _link(path: str, folder: Path) -> str:
    return os.path.relpath(path, folder)
