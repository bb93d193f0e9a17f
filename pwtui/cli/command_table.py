"""The commands of `pw` and their arguments.

The arguments of a command are added when it is used, and its module is imported when it runs:
`pw help` and the daemon, which parses for its clients, should be fast.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from pwtui.cli.actions import (
    Arguments,
    add_action,
    add_foreground,
    add_group,
    add_operation,
    imported,
)
from pwtui.cli.argument_parser import Parser
from pwtui.cli.argument_types import BROWSERS, browser_names, duration, number, port_number
from pwtui.cli.options import (
    COMMON_OPTIONS,
    OUTPUT,
    RUNTIME,
    add_common,
    add_old,
    add_shared,
)
from pwtui.protocol.errors import did_you_mean, near_misses, with_hint

if TYPE_CHECKING:
    from pwtui.cli.context import Context

KEYWORD_LINE = "KEYWORD"
"""The hidden command that runs a keyword line."""


def add_keyword_line(command: Parser) -> None:
    command.words, command.any_option = "words", True
    add_shared(command, "profile", "timeout", *OUTPUT, "artifacts_dir", *COMMON_OPTIONS)
    command.set_defaults(command=imported("keyword_line:keyword_command"))


def _exec(command: Parser) -> None:
    command.words = "fields"
    command.usage = "pw exec [OPTION]... OP [NAME=VALUE | NAME:=JSON]... | --file FILE"
    command.add_argument("op", nargs="?", metavar="OP", help="operation id, see `pw ops`")
    command.add_argument(
        "fields",
        nargs="*",
        metavar="NAME=VALUE",
        help="input field; NAME:=JSON for lists, objects and other JSON",
    )
    source = command.add_mutually_exclusive_group()
    source.add_argument(
        "--input",
        metavar="JSON",
        help="the input as JSON, @FILE, or - for stdin; use - for secrets, `ps` shows arguments",
    )
    source.add_argument("--file", metavar="FILE", help="read the whole request; - for stdin")
    command.add_argument(
        "--events",
        action="store_true",
        help="add the events of the session to the response",
    )
    add_shared(command, *RUNTIME, "artifacts_dir")
    add_common(command, *OUTPUT)
    command.set_defaults(command=imported("execute:exec_command"))


def _batch(command: Parser) -> None:
    command.description = "Read one request per line from stdin, write one response per line."
    add_shared(command, "profile", help="default profile of the requests")
    add_shared(command, "var", "var_file", "artifacts_dir")
    command.add_argument("--fail-fast", action="store_true", help="stop after a failed request")
    add_common(command, *OUTPUT)
    command.set_defaults(command=imported("execute:batch_command"))


def _repl(command: Parser) -> None:
    command.description = (
        "Run keyword lines from a prompt, from -c, or from a pipe. Type .help at the prompt."
    )
    command.add_argument(
        "-c", dest="lines", action="append", default=[], metavar="LINE", help="run it and exit"
    )
    add_shared(command, "profile", "browser", "headed")
    add_old(command, "-s", "--session", dest="profile")
    command.add_argument(
        "--attach-cli",
        action="store_true",
        help="drive a running session of Playwright's own CLI; -p is its name",
    )
    add_common(command, "format", "json")
    command.set_defaults(command=imported("repl:repl_command"))


def _replay(command: Parser) -> None:
    command.add_argument("files", nargs="+", metavar="FILE", help=".pw, .ndjson, .py, or a folder")
    command.add_argument("--step", action="store_true", help="wait for Enter before each step")
    command.add_argument("--keep-going", action="store_true", help="continue after a failed step")
    command.add_argument(
        "--compare", action="store_true", help="report differences from the recorded responses"
    )
    command.add_argument(
        "--report", action="append", default=[], metavar="FILE", help="write .xml (JUnit) or .html"
    )
    command.add_argument(
        "--browser",
        type=browser_names,
        metavar="NAME[,NAME]",
        help="replay in each of these browsers: chromium, firefox, webkit",
    )
    command.add_argument(
        "-j",
        "--jobs",
        type=number(1),
        default=1,
        metavar="N",
        help="replay N recordings at a time, at each endpoint (1)",
    )
    command.add_argument(
        "--on",
        action="append",
        default=[],
        metavar="ENDPOINT",
        help="replay in the browsers at these endpoints: a list, a file, or profiles",
    )
    command.add_argument(
        "--header",
        dest="headers",
        action="append",
        default=[],
        metavar="'NAME: VALUE'",
        help="send this HTTP header to the endpoints",
    )
    command.add_argument(
        "--allow-code",
        action="store_true",
        help="allow run-code, local pages, and files outside the recording's folder",
    )
    add_shared(command, "profile", help="copy the config and saved logins of this profile")
    add_shared(command, "headed", "timeout", "var", "var_file")
    add_shared(command, "artifacts_dir", help="save files of failures in DIR (pw-replay)")
    add_common(command, "format", "json")
    command.set_defaults(command=imported("replay:replay_command"))


def _convert(command: Parser) -> None:
    command.add_argument("source", metavar="IN", help=".pw, .ndjson, or a generated .py")
    command.add_argument("output", nargs="?", metavar="OUT", help="file to write (stdout)")
    command.add_argument("--to", choices=("pw", "ndjson", "pytest"), help="format of the output")
    add_shared(command, "var", "var_file")
    add_common(command, "format", "json")
    command.set_defaults(command=imported("convert:convert_command"))


def _report(group: Parser) -> None:
    actions = add_group(group)
    help = "merge JUnit reports; of two results of a recording, the later one stays"
    merge = add_action(actions, "merge", help, "report:merge_command")
    merge.add_argument("reports", nargs="+", metavar="REPORT", help="JUnit report (.xml)")
    merge.add_argument("-o", "--output", metavar="FILE", help="file to write (stdout)")


def _profile(group: Parser) -> None:
    actions = add_group(group)
    add_operation(actions, "profile.list")
    add_operation(actions, "profile.show", "name")
    add_operation(actions, "profile.create", "name")
    add_operation(actions, "profile.copy", "name", "to")
    add_operation(actions, "profile.rename", "name", "to")
    help = "create a profile, change its settings, or replace its config by a file"
    set = add_action(actions, "set", help, "profile:set_command")
    set.words = "settings"
    set.add_argument("name", metavar="NAME", help="the profile")
    set.add_argument(
        "settings",
        nargs="*",
        metavar="KEY=VALUE",
        help="setting, such as baseUrl=https://example.com; KEY:=JSON for JSON, null removes it",
    )
    set.add_argument("--file", metavar="FILE", help="the whole config as JSON")
    edit = add_action(actions, "edit", "edit the config in $EDITOR", "profile:edit_command")
    edit.add_argument("name", metavar="NAME", help="the profile")
    add_operation(actions, "profile.trust", "name")
    delete = add_operation(actions, "profile.delete", "name", purge="purge")
    delete.add_argument("--purge", action="store_true", help="delete it for good, with its logins")
    add_operation(actions, "profile.restore", "name")


def _session(group: Parser) -> None:
    actions = add_group(group)
    add_operation(actions, "session.list")
    start = add_operation(actions, "session.start", headful="headed")
    add_shared(start, "headed")
    add_old(start, "--headful", dest="headed", action="store_true")
    others = [add_operation(actions, f"session.{name}") for name in ("status", "stop", "clear")]
    for command in (start, *others):
        add_shared(command, "profile")
    for name in ("pause", "resume", "step"):
        add_operation(actions, f"session.{name}", "name")
    kill = add_operation(actions, "session.kill", pids="pids", window="window")
    kill.add_argument(
        "pids", metavar="PID", nargs="+", type=number(1), help="process ids of browsers"
    )
    kill.add_argument("--window", action="store_true", help="also browsers that have a window")


def _watch(command: Parser) -> None:
    from pwtui.protocol.kinds import HAPPENINGS, KINDS, STATES

    def kinds(text: str) -> list[str]:
        names = text.split(",")
        for name in names:
            if name not in KINDS:
                hint = did_you_mean(near_misses(name, KINDS)) or f"use {', '.join(KINDS)}"
                raise argparse.ArgumentTypeError(with_hint(f"{name!r} is not known", hint))
        return names

    command.description = (
        "Print the events of sessions: a line per event on a terminal, NDJSON in a pipe. "
        "Press Ctrl+C to stop."
    )
    which = command.add_mutually_exclusive_group()
    which.add_argument(
        "--session",
        metavar="KEY",
        help="only this session; `pw session list --json` has its key, and the name of another "
        "program's browser will do",
    )
    add_shared(which, "profile", help="only sessions of this profile (all)")
    command.add_argument(
        "--kind",
        type=kinds,
        default=list(HAPPENINGS),
        metavar="KIND,...",
        help=f"only these kinds: {', '.join(KINDS)} (all but {' and '.join(sorted(STATES))})",
    )
    add_common(command, "format", "json")
    command.set_defaults(command=imported("watch:watch_command"))


def _history(group: Parser) -> None:
    actions = add_group(group)

    def add(name: str, help: str) -> Parser:
        return add_action(actions, name, help, f"history:{name}_command", output=("format", "json"))

    def add_filter(command: Parser) -> None:
        command.words = "filter"
        command.add_argument(
            "filter",
            nargs="*",
            metavar="FILTER",
            help="word, op:, client:, profile:, url:, code:, since:2h, until:14:05, id:12..40, "
            "pid:, is:error, is:slow, is:acting, is:unfinished; ! inverts",
        )
        command.add_argument(
            "-a", "--all-workspaces", action="store_true", help="not only of this workspace"
        )

    def add_span(command: Parser, formats: str) -> None:
        command.words = "span"
        command.add_argument(
            "span", nargs="+", metavar="SPAN", help="numbers (12, 12..40), or a filter as for list"
        )
        command.add_argument("-o", "--output", required=True, metavar="FILE", help=formats)

    def add_lines(command: Parser) -> None:
        command.add_argument(
            "-n", "--lines", type=number(0), default=50, help="at most so many of the newest (50)"
        )

    listing = add("list", "list requests")
    add_filter(listing)
    add_lines(listing)
    show = add("show", "show a request, its response and the tree after it")
    show.add_argument("id", type=number(1), metavar="ID", help="number of the request")
    find = add("search", "search requests, responses, trees and events")
    find.words = "text"
    find.add_argument("text", nargs="+", metavar="TEXT", help="words to find")
    add_lines(find)
    stats = add("stats", "count requests and errors, and show how long they took")
    add_filter(stats)
    stats.add_argument(
        "--by", choices=("op", "client", "site"), default="op", help="what to count (op)"
    )
    export = add("export", "write requests to a file that can be replayed, or a HAR")
    add_span(export, "file to write: .ndjson, .pw, .py, .har")
    add_span(add("report", "write an HTML report of requests"), "file to write: .html")
    add("prune", "delete what is too old or too much")
    add("path", "print the path of the database")


def _daemon(group: Parser) -> None:
    actions = add_group(group)
    start = add_operation(actions, "daemon.start")
    add_foreground(start, "pwtui.client.start:serve_in_foreground")
    start.add_argument(
        "--idle-timeout",
        type=duration("s", or_zero=True),
        metavar="DURATION",
        help="shut down after this time without clients: 30m, or seconds (0: never)",
    )
    add_operation(actions, "daemon.stop")
    add_operation(actions, "daemon.status")
    add_action(actions, "restart", "stop and start the daemon", "daemon:restart_command")
    logs = add_action(actions, "logs", "show the daemon's log", "daemon:logs_command", output=())
    logs.add_argument("-n", "--lines", type=number(0), default=50, help="number of lines (50)")
    logs.add_argument("--follow", action="store_true", help="print new lines as they are written")


def _relay(group: Parser) -> None:
    from pwtui.state.relay_records import DEFAULT_PORT

    actions = add_group(group)

    def add(name: str, help: str) -> Parser:
        command = add_action(
            actions, name, help, f"relay:{name}_command", output=("format", "json")
        )
        command.add_argument(
            "--port", type=port_number, default=DEFAULT_PORT, help="port of the relay (%(default)s)"
        )
        return command

    start = add("start", "start the relay, unless it is running")
    start.add_argument(
        "--separate-window",
        action=argparse.BooleanOptionalAction,
        help="open tabs in a separate window",
    )
    add_foreground(start, "pwtui.cli.commands.relay:serve_relay")
    add("stop", "stop the relay and close the browser that `open` started")
    add("status", "show browsers, tabs and clients")
    trace = add("trace", "show the connection progress of each client")
    trace.add_argument("--follow", action="store_true", help="print events as they happen")
    add("extension", "show where the extension is and how to load it")
    open = add("open", "start a browser that has the extension")
    open.add_argument("url", nargs="?", metavar="URL", help="the first page")
    open.add_argument("--headless", action="store_true", help="start it without a window")
    help = "print the access token"
    token = add_action(actions, "token", help, "relay:token_command", output=("format", "json"))
    token.add_argument("--new", action="store_true", help="replace it and disconnect all clients")


def _doctor(command: Parser) -> None:
    command.usage = "pw doctor [OPTION]...\n       pw doctor cdp [OPTION]... URL"
    command.add_argument("--fix", action="store_true", help="fix what can be fixed safely")
    add_common(command, "format", "json")
    command.set_defaults(command=imported("doctor:doctor_command"))
    actions = command.add_subparsers(
        prog="pw doctor", metavar="cdp", dest="action", parser_class=Parser
    )
    help = "show at which of the seven connection steps a CDP endpoint hangs"
    cdp = add_action(
        actions, "cdp", help, "doctor_cdp:doctor_cdp_command", output=("format", "json")
    )
    cdp.add_argument("url", metavar="URL", help="http(s):// or ws(s)://")
    cdp.add_argument(
        "--timeout",
        type=duration("s"),
        default=10.0,
        metavar="DURATION",
        help="how long to wait: 5s, 800ms, or seconds (10)",
    )
    cdp.add_argument(
        "--header",
        dest="headers",
        action="append",
        default=[],
        metavar="'NAME: VALUE'",
        help="send a header, such as Authorization; @FILE reads them from a file",
    )


def _install(command: Parser) -> None:
    command.add_argument(
        "target",
        nargs="?",
        choices=(*BROWSERS, "ffmpeg"),
        default="chromium",
        help="what to install (chromium); ffmpeg is for videos",
    )
    command.add_argument(
        "--with-deps", action="store_true", help="also install the system libraries that it needs"
    )
    add_common(command, "format", "json")
    command.set_defaults(command=imported("install:install_command"))


def _ops(command: Parser) -> None:
    async def run(arguments: Arguments, context: Context) -> int:
        if arguments.op is None:
            return await context.run("ops.list")
        return await context.run("ops.describe", {"op": arguments.op})

    command.add_argument("op", nargs="?", metavar="OP", help="the operation to describe")
    add_common(command, *OUTPUT)
    command.set_defaults(command=run, for_people=True)


def _completion(command: Parser) -> None:
    command.description = "Print a completion script; `pw help completion` shows how to load it."
    command.epilog = (
        'bash: eval "$(pw completion bash)" in ~/.bashrc; '
        'zsh: eval "$(pw completion zsh)" in ~/.zshrc, after compinit; '
        "fish: pw completion fish > ~/.config/fish/completions/pw.fish"
    )
    command.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell")
    command.set_defaults(command=imported("completion:completion_command"))


def _help(command: Parser) -> None:
    command.add_argument("about", nargs="*", metavar="COMMAND", help="command or keyword")


COMMANDS: tuple[tuple[str, str, Callable[[Parser], None]], ...] = (
    ("exec", "run one operation", _exec),
    ("batch", "run requests from stdin, one JSON object per line", _batch),
    ("repl", "drive a browser with keywords, at a prompt or from a pipe", _repl),
    ("replay", "replay recordings, each in a fresh browser", _replay),
    ("report", "merge reports of replays", _report),
    ("convert", "write a recording in another format", _convert),
    ("profile", "list, create, copy, rename and edit profiles", _profile),
    ("session", "list, start, show and stop browsers", _session),
    ("watch", "print the events of sessions as they happen", _watch),
    ("history", "list, search and export what happened", _history),
    ("daemon", "start, stop and inspect the background process", _daemon),
    ("relay", "let Playwright use your own browser through an extension", _relay),
    ("doctor", "diagnose and fix problems", _doctor),
    ("install", "download a browser that Playwright provides", _install),
    ("ops", "list operations, or describe one", _ops),
    ("completion", "print a completion script for bash, zsh or fish", _completion),
    ("help", "show help about a command or keyword", _help),
)
