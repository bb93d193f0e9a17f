"""`pwtui`: a short batch on the bundled demo site, each request with its response."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from pwtui.cli.output import complain, show
from pwtui.cli.run import caller, executor, run
from pwtui.demo import DemoSite
from pwtui.protocol.envelope import Request
from pwtui.state.workspace import Workspace


def main() -> int:
    return run(_tour, 0)


async def _tour() -> int:
    complain("A short tour of the v5 protocol on the demo site; try the same with `pw batch`.\n")
    failures = 0
    with DemoSite() as site, TemporaryDirectory(prefix="pwtui-tour-") as folder:
        sender = replace(caller(mode="batch"), workspace=Workspace(Path(folder).resolve()))
        async with executor(0) as running:
            for request in _requests(site.url):
                complain(f"> {request.model_dump_json(exclude={'schema_version'})}")
                response = await running.execute(request, sender)
                failures += not response.ok
                show(response, "json" if sys.stdout.isatty() else "ndjson")
    return 1 if failures else 0


def _requests(url: str) -> Iterator[Request]:
    yield Request(op="navigate", input={"url": url})
    yield Request(op="page.aria", input={"tree": False})
    yield Request(op="fill", input={"selector": "getByRole('searchbox')", "text": "honey"})
    yield Request(op="click", input={"selector": "getByRole('button', { name: 'Search' })"})
    yield Request(op="page.text", input={"selector": "main"})
    yield Request(op="navigate", input={"url": f"{url}login.html"})
    yield Request(op="fill", input={"selector": "input[type=password]", "text": "correct horse"})
    yield Request(op="page.read", input={"url": f"{url}journal.html", "metadata": True})


if __name__ == "__main__":
    sys.exit(main())
