"""`make docs`: write every file that is generated from the declarations."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from docs.generators import operations
from pwtui.cli.fast_path import HELP_FILE
from pwtui.protocol.catalog import FILE

if __name__ == "__main__":
    FILE.write_text(operations.catalog_text(), encoding="utf-8")
    # These read the catalogue when they are imported.
    browsers, keywords, client_stub, completion, cli, man, wire = (
        import_module(f"docs.generators.{name}")
        for name in ("browsers", "keywords", "client_stub", "completion", "cli", "man", "wire")
    )
    Path(HELP_FILE).write_text(operations.help_text(), encoding="utf-8")
    for folder in (operations.FOLDER, man.FOLDER):
        folder.mkdir(exist_ok=True)
    for path, text in {**operations.pages(), **man.pages()}.items():
        path.write_text(text, encoding="utf-8")
    Path("docs/keywords.md").write_text(keywords.page(), encoding="utf-8")
    cli.FILE.write_text(cli.page(), encoding="utf-8")
    browsers.FILE.write_text(browsers.page(), encoding="utf-8")
    wire.FILE.write_text(wire.page(), encoding="utf-8")
    completion.FILE.write_text(completion.completion_text(), encoding="utf-8")
    client_stub.STUB.write_text(client_stub.stub_text(), encoding="utf-8")
