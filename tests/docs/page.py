"""The commands, programs and files of a page of the documentation, in the order of the page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

ROOT = Path(__file__).parents[2]

_FENCE = re.compile(r"^( *)```(\w*)(?: title=\"([^\"]+)\")?\n(.*?)^\1```$", re.M | re.S)
_COMMAND = re.compile(r"^\$ ((?:.*<<'EOF'\n(?:.*\n)*?EOF|(?:.*\\\n)*.*))\n((?:(?!\$ ).*\n)*)", re.M)
_PROMPT = re.compile(r"^(?:⏺ )?pw> (.*)\n", re.M)


@dataclass(frozen=True)
class Step:
    """A command, and the output that the page shows; empty if it shows none."""

    line: int
    command: str
    output: str


def steps(page: Path) -> list[Step]:
    text = page.read_text(encoding="utf-8")
    found: list[Step] = []
    blocks = list(_FENCE.finditer(text))
    for block, following in zip_longest(blocks, blocks[1:]):
        indent, language, file, inner = block.groups()
        line = text.count("\n", 0, block.start()) + 1
        code = re.sub(f"^{indent}", "", inner, flags=re.M)
        if file:
            write = f"mkdir -p $(dirname {file}) && cat > {file}"
            found.append(Step(line, _heredoc(write, code), ""))
        elif language == "console":
            found += _commands(code, line)
        elif language == "python":
            output = ""
            if following and not following[2] and not text[block.end() : following.start()].strip():
                output = following[4]
            found.append(Step(line, _heredoc("python -", code), output))
    return found


def _commands(code: str, line: int) -> list[Step]:
    found = []
    for match in _COMMAND.finditer(code):
        command, output = match.groups()
        if typed := _PROMPT.findall(output):
            command = _heredoc(command, "\n".join(typed) + "\n")
            output = _PROMPT.sub("", output)
        found.append(Step(line + 1 + code.count("\n", 0, match.start()), command, output))
    return found


def _heredoc(command: str, text: str) -> str:
    return f"{command} <<'END-OF-TEXT'\n{text}END-OF-TEXT"


def pages() -> list[Path]:
    """All pages that people write; the reference is generated, and its examples are validated."""
    top = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "AGENTS.md")]
    docs = [
        page
        for page in sorted((ROOT / "docs").rglob("*.md"))
        if not {"generators", "operations"} & set(page.relative_to(ROOT).parts)
    ]
    return [page for page in [*top, *docs] if page.exists()]
