"""Links of the documentation lead to files and headings that exist, also on the package index."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from docs.generators.package_page import with_absolute_links
from tests.docs.page import ROOT, pages

LINK = re.compile(r"\]\(([^)\s]+)\)")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
SOURCE = PROJECT["urls"]["Source"]
REFERENCE = sorted((ROOT / "docs" / "operations").glob("*.md"))
ALL = [*pages(), *REFERENCE, ROOT / "CHANGELOG.md"]


def prose(page: Path) -> str:
    """The text without code."""
    text = re.sub(r"^ *```.*?^ *```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    return re.sub(r"`[^`\n]*`(?!\])", "", text)


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in headings}


@pytest.mark.parametrize("page", ALL, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files_and_headings(page: Path) -> None:
    broken = []
    for link in LINK.findall(prose(page)):
        if link.startswith(("https:", "http:")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.is_file() or (anchor and anchor not in anchors(target)):
            broken.append(link)

    assert broken == []


def test_links_of_the_package_page_are_files_of_the_repository() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    links = LINK.findall(with_absolute_links(readme, SOURCE))

    paths = [re.sub(rf"^{re.escape(SOURCE)}/(blob|raw)/main/", "", link) for link in links]
    assert len(paths) > 20
    assert [path for path in paths if not (ROOT / path).is_file()] == []


def test_only_one_place_names_the_repository() -> None:
    named = {
        (page.name, url)
        for page in [*ALL, *(ROOT / ".github").rglob("*.yml")]
        for url in re.findall(r"https://github\.com/pwtui[\w/.-]*", page.read_text())
    }

    assert named
    assert {each for each in named if not each[1].startswith(SOURCE)} == set()
    assert all(
        url.startswith(SOURCE) for name, url in PROJECT["urls"].items() if name != "Documentation"
    )


def test_every_decision_is_in_the_list_of_decisions() -> None:
    folder = ROOT / "docs" / "decisions"
    listed = set(LINK.findall((folder / "README.md").read_text()))

    assert listed == {each.name for each in folder.glob("0*.md")}
