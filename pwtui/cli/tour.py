"""`pwtui`: a short batch on the bundled demo site, each request with its response."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from pwtui.cli.context import FAILED, OK, Context
from pwtui.cli.run import run
from pwtui.cli.terminal import RealTerminal
from pwtui.demo import DemoSite
from pwtui.engine.executor import Executor
from pwtui.protocol.envelope import Request
from pwtui.state.workspace import Workspace


def main() -> int:
    return run(_tour, 0)


async def _tour() -> int:
    failures = 0
    with DemoSite() as site, TemporaryDirectory(prefix="pwtui-tour-") as folder:
        terminal = RealTerminal(workspace=Workspace(Path(folder).resolve()))
        terminal.err("A short tour of the v5 protocol on the demo site; see also `pw batch`.\n")
        executor = Executor()
        context = Context(terminal, executor.execute)
        try:
            for request in _requests(site.url):
                terminal.err(f"> {request.model_dump_json(exclude={'schema_version'})}")
                failures += context.show(
                    await executor.execute(request, context.caller(mode="batch"))
                )
        finally:
            await executor.close()
    return FAILED if failures else OK


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
