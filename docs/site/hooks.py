"""Pages that live at the top of the repository, and a check of what the built pages load."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
TOP_LEVEL = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
}
SOURCE = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]["Source"]
LINK = re.compile(r"(?<=\]\()(?!https?:|#)([^)#\s]+)")
LOADED = re.compile(r'<(?:script|img|iframe|link)[^>]*\s(?:src|href)="(https?:[^"]+)')


def on_config(config: MkDocsConfig) -> None:
    """A link to the repository; with `repo_url`, pages would ask GitHub for its statistics."""
    config.extra["social"] = [{"icon": "fontawesome/brands/git-alt", "link": SOURCE}]


def on_files(files: Files, config: MkDocsConfig, **_: Any) -> Files:
    for source, page in TOP_LEVEL.items():
        text = LINK.sub(lambda found: _on_the_site(found[1]), (ROOT / source).read_text())
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links of docs/*.md that leave the folder lead to the site's copy, or to the repository."""
    above = "../" * (page.file.src_uri.count("/") + 1)
    for source, copy in TOP_LEVEL.items():
        markdown = markdown.replace(f"]({above}{source}", f"]({above[3:]}{copy}")
    return markdown.replace(f"]({above}", f"]({SOURCE}/blob/main/")


def _on_the_site(path: str) -> str:
    if path in TOP_LEVEL:
        return TOP_LEVEL[path]
    if path.startswith("docs/") and (ROOT / path).is_file():
        return path.removeprefix("docs/")
    return f"{SOURCE}/blob/main/{path}"


def on_post_build(config: MkDocsConfig, **_: Any) -> None:
    pages = Path(config.site_dir).rglob("*.html")
    if loaded := {url for page in pages for url in LOADED.findall(page.read_text())}:
        raise PluginError(f"the site loads files from other hosts: {sorted(loaded)}")
