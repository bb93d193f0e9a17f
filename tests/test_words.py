"""Code, messages and documentation are in plain technical English: no banned word or phrase."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# A phrase and what to write instead. A space stands for any white space, line break or underscore.
BANNED = {
    "mend(s|ed|ing)?": "fix",
    "somebody|someone": "a user, another program",
    "nobody|no one": "no client, no process",
    "everybody|anybody|anyone": "every client, any program",
    "whoever": "the client that",
    "(goes|go|went|going|gone) on": "continue",
    "(makes?|made) way": "is replaced, exits",
    "told|tells?|telling": "report, send, show, distinguish",
    "gives": "returns, has",
    "(gives?|gave|given|giving) up": "stop, time out",
    "of (its|their|our|your) own": "separate, its own",
    "what (waits|was left|is left)": "queued items, the rest",
    "who (looks|asks|wants|waits)": "the user, the caller",
    "(carry|carries|carried|carrying) out": "run",
    "anew": "again",
    "for ever": "forever",
    "as long as": "while",
    "in sight of": "visible to",
    "of (ours|theirs)": "of pwtui, another",
    "(takes?|took|taken|taking) (it |them )?for": "treats as",
    "to whom": "which",
    "(is|are|was|were) gone": "closed, deleted, has exited",
    "say(s|ing)? so": "report it",
    "strangers?": "another program",
    "(it|this|that|which|what|they) (is|are) no(?! longer| more| need)": "is not a",
}

SUFFIXES = frozenset(".css .html .js .json .md .py .pyi .sh .tcss .toml .txt .yaml .yml".split())

# Not the product's own text: the content of pages, this list, and what make writes.
ALLOWED = (
    "tests/test_words.py",
    "tests/site/pages/",
    "pwtui/demo/site/journal.html",
    "build/",
    "dist/",
)


# A line break may be followed by the mark of a comment.
_SPACE = r"\s+(?:(?:#|//|\*)\s+)?"
_PHRASES = [f"(?P<p{i}>{each.replace(' ', _SPACE)})" for i, each in enumerate(BANNED)]
PATTERN = re.compile(rf"\b(?:{'|'.join(_PHRASES)})\b")


def findings(text: str) -> Iterator[tuple[int, str, str]]:
    """The line, the phrase and the suggestion of each banned phrase."""
    suggestions = list(BANNED.values())
    text = text.lower().replace("_", " ")
    for found in PATTERN.finditer(text):
        start, end = found.span()
        if start and text[start - 1] == text[end : end + 1] and text[end] in "`\"'":
            continue  # a name of the protocol
        index = next(i for i in range(len(BANNED)) if found[f"p{i}"] is not None)
        yield text.count("\n", 0, start) + 1, " ".join(found[0].split()), suggestions[index]


def checked_files() -> Iterator[tuple[str, Path]]:
    """The files of the repository, with their names; links and hidden folders are left out."""
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if not name.startswith((".", "__"))]
        for path in (Path(folder, file) for file in files):
            name = path.relative_to(ROOT).as_posix()
            if path.suffix in SUFFIXES and not name.startswith(ALLOWED):
                yield name, path


def test_no_file_has_a_banned_word() -> None:
    report = [
        f"{name}:{line}: {phrase!r} (write: {suggestion})"
        for name, path in checked_files()
        for line, phrase, suggestion in findings(path.read_text(encoding="utf-8"))
    ]
    assert not report, "\n" + "\n".join(sorted(report))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("first\nThe client is told so", [(2, "told")]),
        ("def test_a_client_is_told_so()", [(1, "told")]),
        ("# It goes\n    # on later", [(1, "goes # on")]),
        ("a process of\nits own", [(1, "of its own")]),
        ("the event `tell`", []),
        ("'tell' is not told", [(1, "told")]),
        ("itself, foretold, recommend, retell", []),
    ],
)
def test_a_phrase_is_found_across_lines_and_in_names(
    text: str, found: list[tuple[int, str]]
) -> None:
    assert [(line, phrase) for line, phrase, _ in findings(text)] == found
