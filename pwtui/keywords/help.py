"""Help for people, written from the table."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from pwtui.keywords.parser import unknown
from pwtui.keywords.table import ELSEWHERE, GROUPS, aliases, by_name
from pwtui.protocol.keyword import KeywordInfo

_HEADER = """\
# Keywords

This page is written from the table of keywords by `make docs`; `.help` in `pw repl` shows the same.

A line is a keyword, its arguments, and options: `click e5 --modifiers Shift`. Case does not matter
in keywords. What has no keyword is typed by its operation's id: `har.set file=traffic.har`.

**Words.** `'…'` and `"…"` group; in double quotes `\\"`, `\\\\`, `\\n` and `\\t` are escapes.
Brackets keep what is inside them together, so locators and selectors need no quotes. A value is
sent as it was typed: `007` stays `007`, and `""` is an empty text. `--` ends the options. `eval`
and `run-code` take the rest of the line as it is.

**Targets.** A target is

- a ref of the newest snapshot: `e5`, `f2e5`;
- a locator: `getByRole('button', { name: 'Go' })`, in JavaScript's or Python's spelling;
- a CSS, XPath or Playwright selector: `#go`, `//button`, `text=Go`;
- a role and a name: `click button "Save"`;
- else the words that the element shows. To point at something these are tried in turn: its exact
  text, a button's name, a link's, a text field's, a list's, a placeholder, a part of the text. To
  fill: a label, a placeholder, a field's name. To select: a label, a list's name. To check: the
  checkbox in a list item with the words, a label, a checkbox's name. To verify a list: the name of
  a list or table. What the page has first is taken.

`--in TEXT` looks only inside the row, list item, section, dialog or form that shows the text or has
it as its label; of nested ones, the innermost. `--in ROLE TEXT` names its role, and `--in ROLE` is
enough where the page has one: `click Delete --in "Reading list"`, `click Delete --in listitem
Reading`, `click OK --in dialog`.

**Waiting.** At the prompt an action waits 5 seconds for its element, an assertion 5 seconds to
become true; pages, `wait`, and an element that is there but not ready have 30 seconds. A profile's
`timeoutMs` replaces them all.
"""


def overview() -> str:
    """All keywords, a line for each group."""
    width = max(map(len, GROUPS)) + 2
    lines = [
        f"{title:{width}}{' '.join(keyword.name for keyword in keywords)}"
        for title, keywords in GROUPS.items()
    ]
    return "\n".join(lines)


def help_for(name: str) -> str:
    """How one keyword is written, or KeywordError."""
    keyword = by_name().get(name.lower())
    if keyword is None:
        raise unknown(name)
    lines = [keyword.summary, f"  {keyword.usage}"]
    lines += [f"  --{each.name}: {each.help}" for each in keyword.options if each.help]
    if keyword.aliases:
        lines.append(f"  also: {', '.join(keyword.aliases)}")
    lines.append(f"  operation: {keyword.op}")
    return "\n".join(lines)


def alias_list() -> str:
    return "\n".join(f"{alias:20}{name}" for alias, name in sorted(aliases().items()))


def page() -> str:
    parts = [_HEADER]
    for title, keywords in GROUPS.items():
        parts.append(f"## {title}\n")
        parts.append("| keyword | also | | operation |\n|---|---|---|---|")
        parts += [*map(_row, keywords), ""]
    parts.append("## Elsewhere\n")
    parts.append("Keywords of Playwright's own CLI that are done otherwise here:\n")
    parts += [*_elsewhere(), ""]
    return "\n".join(parts)


def _row(keyword: KeywordInfo) -> str:
    usage = keyword.usage.replace("|", "\\|")
    also = ", ".join(f"`{alias}`" for alias in keyword.aliases)
    anchor = keyword.op.replace(".", "")
    return f"| `{usage}` | {also} | {keyword.summary} | [`{keyword.op}`](operations.md#{anchor}) |"


def _elsewhere() -> Iterator[str]:
    for name, instead in sorted(ELSEWHERE.items()):
        yield f"- `{name}`: {instead}"


def main() -> int:
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
