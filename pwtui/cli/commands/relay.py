"""`pw relay`: start, stop and inspect the relay, and open a browser for it."""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import time
from typing import Any

from pwtui.browser.launch.find_browser import find_chromium, how_to_install
from pwtui.browser.launch.relay_endpoint import running_relays
from pwtui.cli.actions import Command
from pwtui.cli.context import FAILED, OK, Context
from pwtui.cli.output import print_json
from pwtui.protocol.errors import BrowserLaunchFailed
from pwtui.protocol.printable import one_line
from pwtui.relay import aio, api
from pwtui.relay.api import ExtensionNotConnectedError, RelayServerError, wants_separate_window
from pwtui.relay.launch import close_browser, open_browser, opened_browser, private_extension
from pwtui.state.relay_records import new_relay_token, relay_log_file, relay_token

FOLLOW_SECONDS = 0.5
OPEN_SECONDS = 20.0
# Exit codes of Chromium when another process uses its profile; 21 when headless.
TAKEN_OVER = (0, 21)

_HOW_TO_LOAD = """\
Your private copy of the extension, paired with your relays, is in
  {folder}

Load it once into the browser that you use:
  1. open chrome://extensions and switch on "Developer mode" (top right)
  2. choose "Load unpacked" and the folder above
  3. pin its button to the toolbar, go to a tab, and click it: "on" means that clients may use it

`pw relay open` starts a separate browser that has it already."""


def with_errors(command: Command) -> Command:
    """Print errors of the relay in one line on stderr."""

    async def checked(arguments: argparse.Namespace, context: Context) -> int:
        try:
            return await command(arguments, context)
        except (RelayServerError, BrowserLaunchFailed) as error:
            context.terminal.err(f"pw: {error}")
        return FAILED

    return checked


def serve_relay(arguments: argparse.Namespace) -> int:
    """Run the relay in this terminal until Ctrl+C."""
    from pwtui.relay.serve import run_relay

    window = wants_separate_window(arguments.separate_window)
    return 1 if run_relay(arguments.port, separate_window=window, to_terminal=True) else 0


@with_errors
async def start_command(arguments: argparse.Namespace, context: Context) -> int:
    info = await aio.ensure_persistent_relay(
        port=arguments.port, separate_window=arguments.separate_window
    )
    value = {"started": info.started, "version": info.version, "port": info.port}
    verb = "started" if info.started else "is already running"
    _show(context, value, f"the relay {info.version} {verb} on 127.0.0.1:{info.port}")
    return OK


@with_errors
async def stop_command(arguments: argparse.Namespace, context: Context) -> int:
    """Stop the relay and close the browser that `pw relay open` started."""
    port = arguments.port
    closed = await close_browser(port)
    stopped = await asyncio.to_thread(api.stop_relay, port)
    text = "stopped the relay" if stopped else f"no relay is running on port {port}"
    if closed:
        text += "; closed the browser that `pw relay open` started"
    _show(context, {"stopped": stopped, "browserClosed": closed}, text)
    return OK


@with_errors
async def status_command(arguments: argparse.Namespace, context: Context) -> int:
    port = arguments.port
    if await asyncio.to_thread(api.running_version, port) is None:
        value = {"running": False, "port": port}
        text = f"no relay is running on port {port}; start it with `pw relay start`"
        _show(context, value, text)
        return FAILED
    trace = await _trace(port)
    keys = ("version", "pid", "startedAt", "separateWindow", "extensions", "unpaired")
    value = {"running": True, "port": port, **{key: trace[key] for key in keys}}
    value["clients"] = len(trace["clients"])
    opened = opened_browser(port)
    value["browserPid"] = opened.pid if opened else None
    lines = _status_lines(port, trace)
    if opened:
        lines.append(f"`pw relay open` started process {opened.pid}; `pw relay stop` closes it")
    _show(context, value, "\n".join(lines))
    return OK


@with_errors
async def trace_command(arguments: argparse.Namespace, context: Context) -> int:
    shown = ""
    while True:
        trace = await _trace(arguments.port)
        text = "\n".join(trace_lines(trace))
        if text != shown:
            shown = text
            _show(context, trace, text)
        if not arguments.follow:
            return OK
        await asyncio.sleep(FOLLOW_SECONDS)


async def extension_command(arguments: argparse.Namespace, context: Context) -> int:
    folder = await asyncio.to_thread(private_extension, arguments.port)
    _show(context, {"folder": str(folder)}, _HOW_TO_LOAD.format(folder=folder))
    return OK


@with_errors
async def token_command(arguments: argparse.Namespace, context: Context) -> int:
    if arguments.new:
        new_relay_token()
        for relay in running_relays():
            await asyncio.to_thread(api.ask, relay.port, "/disconnect", {})
    _show(context, {"token": relay_token()}, relay_token())
    return OK


@with_errors
async def open_command(arguments: argparse.Namespace, context: Context) -> int:
    port = arguments.port
    executable = find_chromium()
    if executable is None:
        raise BrowserLaunchFailed("no Chromium was found", hint=how_to_install("chromium"))
    await aio.ensure_persistent_relay(port=port)
    before = {each["id"] for each in (await _trace(port))["extensions"]}
    browser = open_browser(executable, port, headless=arguments.headless)
    extension = await _new_extension(port, before, browser)
    code = browser.poll()
    if extension is None:
        if code is None:
            await close_browser(port)
        context.terminal.err(f"pw: {executable} {_why_not(code)}")
        return FAILED
    place = {"extension": extension, "url": arguments.url}
    opened = await asyncio.to_thread(api.ask, port, "/open", place, seconds=OPEN_SECONDS)
    pid = browser.pid if code is None else None
    who = f"process {pid} is ready" if pid else "the running browser opened a tab"
    value = {"pid": pid, "port": port, **opened}
    _show(context, value, f"{who} on 127.0.0.1:{port}")
    return OK


def _why_not(code: int | None) -> str:
    if code is not None:
        return f"exited with code {code}; without a display, add --headless"
    return (
        f"started, but its extension did not connect in {OPEN_SECONDS:g} s; Google's own Chrome "
        "does not load extensions from the command line: name a Chromium in PWTUI_BROWSER, or load "
        "it by hand (`pw relay extension`)"
    )


async def _new_extension(
    port: int, before: set[str], browser: subprocess.Popen[bytes]
) -> str | None:
    """The extension of the browser that was just started.

    If a browser with the same profile is running, it opens the tab and the new process exits.
    """
    end = time.monotonic() + OPEN_SECONDS
    while time.monotonic() < end:
        for each in (await _trace(port))["extensions"]:
            if each["id"] not in before:
                return str(each["id"])
        if (code := browser.poll()) is not None:
            return next(iter(before)) if code in TAKEN_OVER and len(before) == 1 else None
        await asyncio.sleep(0.1)
    return None


async def _trace(port: int) -> dict[str, Any]:
    return await asyncio.to_thread(api.ask, port, "/trace")


def _status_lines(port: int, trace: dict[str, Any]) -> list[str]:
    window = ", tabs in a separate window" if trace["separateWindow"] else ""
    lines = [f"relay {trace['version']} on 127.0.0.1:{port}, process {trace['pid']}{window}"]
    lines.append(f"log: {relay_log_file()}")
    for extension in trace["extensions"]:
        lines.append(f"{extension['browser']} ({extension['id']})")
        lines += [f"  {_page_line(page)}" for page in extension["pages"]]
        if not extension["pages"]:
            lines.append("  no tab is attached; click the pwtui button on one")
    if not trace["extensions"]:
        lines.append(str(ExtensionNotConnectedError(port)))
    for each in trace["unpaired"]:
        lines.append(
            one_line(f"refused: {each['browser']} ({each['id']}) is not paired with this relay; ")
            + "if it is yours, load the folder that `pw relay extension` names"
        )
    lines.append(f"clients: {len(trace['clients'])}")
    return lines


def _page_line(page: dict[str, Any]) -> str:
    crashed = " (crashed)" if page["crashed"] else ""
    return one_line(f"{page['title'] or '(no title)'}  {page['url']}{crashed}")


def trace_lines(trace: dict[str, Any]) -> list[str]:
    """The steps of each client with their times, and the missing step."""
    lines = []
    for client in [*trace["past"], *trace["clients"]]:
        state = "connected" if client["connected"] else "refused" if client["refused"] else "left"
        lines.append(one_line(f"client {client['id']}: {state}"))
        lines += _step_lines(client)
        for target in client["targets"]:
            lines.append(one_line(f"    {target['type']} {target['url']}"))
            lines += _step_lines(target)
    for note in trace["notes"]:
        lines.append(one_line(f"{note['level']}: {note['message']}"))
    return lines or ["no client has connected yet"]


def _step_lines(of: dict[str, Any]) -> list[str]:
    lines = [
        f"  {step['number']} {step['step']:<24} {step['atMs']:>9.1f} ms"
        for step in of["steps"]
        if step["atMs"] is not None
    ]
    if missing := of["missing"]:
        lines.append(f"  {missing['number']} {missing['step']:<24}   MISSING: {missing['hint']}")
    return lines


def _show(context: Context, value: dict[str, Any], text: str) -> None:
    if not print_json(context, value):
        context.terminal.out(text)
