"""`pwtui`: open the control panel."""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import sys
from contextlib import ExitStack, closing, suppress
from pathlib import Path

from pwtui import __version__
from pwtui.cli.argument_types import port_number
from pwtui.cli.exit_with_server import end_with_server
from pwtui.cli.lazy_metadata import use_no_plugins_of_pydantic
from pwtui.cli.options import add_shared
from pwtui.protocol.errors import PwError
from pwtui.protocol.extras import missing_extra
from pwtui.state.workspace import DEFAULT_PROFILE, Workspace, normalise_profile_name

STOP_SECONDS = 15.0


def main() -> int:
    # Garbage collection would take a fifth of the start; the panel turns it on again.
    gc.disable()
    use_no_plugins_of_pydantic()
    command = parser()
    arguments = command.parse_args()
    try:
        arguments.profile = normalise_profile_name(arguments.profile)
    except PwError as error:
        command.error(str(error))
    if arguments.serve:
        try:
            from pwtui.cli.serve_panel import serve_panel
        except ImportError:
            command.error(str(missing_extra("serve", "--serve")))
        return serve_panel(_for_the_panel(arguments), arguments.port or 0)
    if arguments.port is not None:
        command.error("--port is for --serve")
    if not end_with_server() and not _has_terminal():
        command.error("cannot open the panel: no terminal; use --serve to open it in a web browser")
    with ExitStack() as stack:
        workspace = Workspace.locate(arguments.workspace)
        first_url = arguments.url
        profile = arguments.profile
        if arguments.demo:
            import tempfile

            from pwtui.demo import open_demo

            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="pwtui-demo-"))
            workspace, profile = Workspace(Path(folder).resolve()), "demo"
            first_url = stack.enter_context(closing(open_demo())).url
            # However the panel ends: closing a browser tab presses no key.
            stack.callback(lambda: asyncio.run(_stop_session(workspace, profile)))
        from pwtui.app.app import PanelApp

        read_only = arguments.read_only
        app = PanelApp(workspace, profile, first_url=first_url, read_only=read_only)
        app.run()
        return app.return_code or 0


def _has_terminal() -> bool:
    """Whether stdin (keys) and stderr (the screen) are terminals."""
    return all(each is not None and each.isatty() for each in (sys.stdin, sys.stderr))


def _for_the_panel(arguments: argparse.Namespace) -> list[str]:
    """The arguments of the panel processes of `--serve`."""
    given = [f"--profile={arguments.profile}"]
    given += [f"--workspace={arguments.workspace}"] if arguments.workspace else []
    given += ["--demo"] if arguments.demo else []
    given += ["--read-only"] if arguments.read_only else []
    return [*given, "--", arguments.url] if arguments.url else given


async def _stop_session(workspace: Workspace, profile: str) -> None:
    from pwtui.client.link import DaemonLink
    from pwtui.protocol.envelope import Request
    from pwtui.runtime.caller import Caller

    link = DaemonLink("pwtui")
    caller = Caller(workspace, cwd=Path.cwd(), profile=profile)
    try:
        with suppress(PwError, TimeoutError):
            async with asyncio.timeout(STOP_SECONDS):
                connection = await link.connect(caller, start=False)
                if connection is not None:
                    await connection.request(Request(op="session.stop"))
    finally:
        await link.close()


def parser() -> argparse.ArgumentParser:
    command = argparse.ArgumentParser(
        prog="pwtui", description="The control panel for browser automation."
    )
    command.add_argument("url", nargs="?", metavar="URL", help="page to open first")
    add_shared(command, "profile", "workspace")
    command.set_defaults(profile=os.environ.get("PWTUI_PROFILE") or DEFAULT_PROFILE, workspace=None)
    command.add_argument("--demo", action="store_true", help="open the bundled demo site")
    command.add_argument(
        "--read-only", action="store_true", help="only watch: nothing acts until `V` is pressed"
    )
    command.add_argument("--serve", action="store_true", help="show the panel in a web browser")
    command.add_argument(
        "--port", type=port_number, metavar="N", help="port on 127.0.0.1 for --serve (a free one)"
    )
    command.add_argument("-V", "--version", action="version", version=f"pwtui {__version__}")
    return command


if __name__ == "__main__":
    sys.exit(main())
