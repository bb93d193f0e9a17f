"""`pwtui`: opens the control panel."""

from __future__ import annotations

import argparse
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from pwtui import __version__
from pwtui.state.workspace import Workspace


def main() -> int:
    arguments = _parser().parse_args()
    with ExitStack() as stack:
        workspace = Workspace.locate(arguments.workspace)
        first_url = arguments.url
        profile = arguments.profile
        if arguments.demo:
            from pwtui.demo import DemoSite

            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="pwtui-demo-"))
            workspace, profile = Workspace(Path(folder).resolve()), "demo"
            first_url = stack.enter_context(DemoSite()).url
        from pwtui.app.app import PanelApp

        app = PanelApp(workspace, profile, first_url=first_url, ends_session=arguments.demo)
        app.run()
        return app.return_code or 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pwtui", description="The control panel for browser automation."
    )
    parser.add_argument("url", nargs="?", help="a page to open first")
    parser.add_argument("--profile", default="default", metavar="NAME", help="active profile")
    parser.add_argument("--workspace", metavar="DIR", help="folder of the profiles; else here")
    parser.add_argument("--demo", action="store_true", help="open the bundled demo site")
    parser.add_argument("--version", action="version", version=f"pwtui {__version__}")
    return parser


if __name__ == "__main__":
    sys.exit(main())
