"""Reports of a replay: JUnit XML for machines, one HTML page for people."""

from __future__ import annotations

import html
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote
from xml.etree import ElementTree

from pwtui.protocol.errors import InvalidInput
from pwtui.protocol.printable import printable
from pwtui.recordings.replay import FileResult, StepResult

_MARKS = {"passed": "✓", "failed": "✗", "differs": "≠", "skipped": "·"}

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem;
  color: #1f2430; background: #fff; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.passed { color: #17683a; } .failed, .differs { color: #a11c1c; } .skipped { color: #6b7280; }
ol { list-style: none; padding: 0; } li { padding: .2rem 0; border-bottom: 1px solid #e5e7eb; }
code { font: 13px ui-monospace, monospace; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; background: #faf3f3; padding: .6rem; margin: .3rem 0; }
time { float: right; color: #6b7280; } img { max-width: 100%; border: 1px solid #e5e7eb; }
@media (prefers-color-scheme: dark) { body { color: #e5e7eb; background: #15171c; }
  pre { background: #2a1e1e; } li, img { border-color: #333; } .passed { color: #5cc98a; }
  .failed, .differs { color: #ff8a8a; } }
"""


def check_report(path: Path) -> Path:
    """The path, if its suffix is that of a report."""
    if path.suffix.lower() not in (".xml", ".html"):
        raise InvalidInput(f"--report {path}: a report is .xml (JUnit) or .html")
    return path


def write_report(results: Sequence[FileResult], path: Path) -> str:
    """The report in the format that the file's name says; links start at its folder."""
    folder = path.absolute().parent
    return junit(results, folder) if path.suffix.lower() == ".xml" else page(results, folder)


def junit(results: Sequence[FileResult], folder: Path) -> str:
    """A suite for each file, a case for each step."""
    root = ElementTree.Element("testsuites", name="pw replay")
    total = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
    for result in results:
        cases = [_case(result, number, step, folder) for number, step in enumerate(result.steps, 1)]
        counts = {
            "tests": len(cases) + (result.problem is not None),
            "failures": sum(step.is_bad for step in result.steps),
            "errors": int(result.problem is not None),
            "skipped": result.skipped,
        }
        suite = ElementTree.SubElement(root, "testsuite", name=printable(str(result.path)))
        suite.set("time", f"{result.seconds:.3f}")
        suite.set("timestamp", result.started.strftime("%Y-%m-%dT%H:%M:%S"))
        for name, count in counts.items():
            suite.set(name, str(count))
        if result.problem is not None:
            case = ElementTree.SubElement(suite, "testcase", name="replay", time="0")
            case.set("classname", _class_name(result.path))
            ElementTree.SubElement(case, "error", message=printable(result.problem))
        suite.extend(cases)
        total = {name: total[name] + counts[name] for name in total}
    for name, count in total.items():
        root.set(name, str(count))
    root.set("time", f"{sum(result.seconds for result in results):.3f}")
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _class_name(path: Path) -> str:
    """With its folders: files of the same name are not the same test."""
    parts = [part for part in path.with_suffix("").parts if part not in (path.anchor, "..")]
    return printable(".".join(parts))


def _case(
    result: FileResult, number: int, step: StepResult, folder: Path
) -> ElementTree.Element[str]:
    case = ElementTree.Element("testcase", name=printable(f"{number}. {step.line}"))
    case.set("classname", _class_name(result.path))
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
    parts = [
        f"<!doctype html>\n<html lang='en'><meta charset='utf-8'><title>{title}</title>",
        "<meta name='viewport' content='width=device-width'>",
        f"<style>{_STYLE}</style>",
        f"<h1 class='{'failed' if failed else 'passed'}'>{title} in {seconds:.1f} s</h1>",
    ]
    for result in results:
        parts += _section(result, folder)
    return "\n".join(parts) + "\n"


def _section(result: FileResult, folder: Path) -> Iterator[str]:
    mark = "passed" if result.passed else "failed"
    yield f"<h2 class='{mark}'>{_MARKS[mark]} {_text(str(result.path))}</h2>"
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
        return f"<a href='{target}'><img src='{target}' alt='the page when it failed'></a>"
    return f"<a href='{target}'>{_text(kind)}</a> "


def _text(text: str) -> str:
    return html.escape(printable(text))


def _link(path: str, folder: Path) -> str:
    return os.path.relpath(path, folder)
