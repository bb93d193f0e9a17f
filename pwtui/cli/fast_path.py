"""The entry point of `pw`: sends the command line to a running daemon, with almost no cost.

It imports only sys, os and _socket. The daemon parses and runs the command and formats its output.
If it cannot (no daemon, another version, a terminal is needed), `pwtui.cli` runs the command.
"""

import os
import sys

from pwtui import __version__
from pwtui.daemon.address import (
    INSTALLATION,
    UnsafeFolder,
    check_private,
    runtime_dir,
    socket_path,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _socket

LOCAL_COMMANDS = frozenset(
    ("batch", "completion", "convert", "daemon", "doctor", "install", "relay", "repl", "replay")
)
"""The commands that need this process. The daemon runs all others, and keyword lines."""
VALUE_OPTIONS = frozenset(("-f", "--format", "-p", "--profile", "--get", "--workspace", "--color"))
"""The options before a command that take the next word."""
ENVIRONMENT = ("PW_WORKSPACE_ROOT", "PWTUI_PROFILE", "PWTUI_FORMAT", "NO_COLOR", "TERM")
"""The variables that change what a command does or prints."""
HELP_FILE = f"{INSTALLATION}/cli/help.txt"
"""The help of the parser, which takes longer to build; `make docs` writes it."""
CHUNK = 65536
SILENT_SECONDS = 0.5
"""How long a browser may take to start before that is reported."""
PATIENCE_SECONDS = 15.0
UNKNOWN_WIDTH = 80
FEW_LINES = 10
"""Output that fits on any screen."""


def main() -> int:
    argv = sys.argv[1:]
    if argv in (["--version"], ["-V"]):
        _write(1, f"pw {__version__}\n".encode())
        return _leave(0)
    if argv in ([], ["--help"], ["-h"], ["help"]):
        with open(HELP_FILE, "rb") as file:  # noqa: PTH123 - pathlib takes longer than we may
            _show(argv, file.read())
        return _leave(0)
    if argv[0] == "__complete":
        from pwtui.cli.completion import complete

        _write(1, complete(argv[1:]))
        return _leave(0)
    name = argv[command_position(argv) :]
    reads_stdin = "-" in argv or "--input=-" in argv or "--file=-" in argv
    is_local = not name or name[0] in LOCAL_COMMANDS or name[:2] == ["profile", "edit"]
    if not is_local and not reads_stdin:
        try:
            code = _hand_over(argv)
        except KeyboardInterrupt:
            # The daemon sees the connection end and cancels the request; the browser lives on.
            return _leave(130)
        if code is not None:
            return _leave(code)
    from pwtui.cli.main import main as whole_main

    code = whole_main(argv, leaves_daemon=True)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # as after a broken pipe
            stream.flush()
    return _leave(code)


def command_position(argv: list[str]) -> int:
    """Where the command stands, after the options before it."""
    position = 0
    while position < len(argv) and argv[position][:1] == "-":
        position += 2 if argv[position] in VALUE_OPTIONS else 1
    return min(position, len(argv))


def _hand_over(argv: list[str]) -> int | None:
    """The exit code, or None when the command must run in this process."""
    try:
        request = _request(argv)
        connection = _connect()
    except (OSError, UnsafeFolder, UnicodeEncodeError):
        return None
    try:
        connection.sendall(request)
    except OSError:
        connection.close()
        return None
    try:
        received = b""
        if os.isatty(2) and "-q" not in argv and "--quiet" not in argv:
            connection.settimeout(SILENT_SECONDS)
        while b"\n" not in received:
            chunk = _receive(connection)
            if not chunk:
                return _lost(argv)
            received += chunk
        head, _, body = received.partition(b"\n")
        code, out_size, err_size = (int(word) for word in head.split())
        if code < 0:
            return None
        parts = [body]
        missing = out_size + err_size - len(body)
        while missing > 0:
            chunk = _receive(connection)
            if not chunk:
                break
            parts.append(chunk)
            missing -= len(chunk)
        output = b"".join(parts)
        _write(2, output[out_size:])
        _show(argv, output[:out_size])
        return code
    except ValueError:
        return None
    except TimeoutError:
        return _lost(argv, "the daemon does not answer", "end it with `pw daemon stop`")
    except OSError:
        return _lost(argv)
    finally:
        connection.close()


def _connect() -> "_socket.socket":
    import _socket

    check_private(runtime_dir())
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    connection.connect(socket_path())
    connection.settimeout(PATIENCE_SECONDS)
    return connection


def _receive(connection: "_socket.socket") -> bytes:
    """What comes next; a request may take long, but the daemon must be there meanwhile."""
    while True:
        try:
            return connection.recv(CHUNK)
        except TimeoutError:
            other = _connect()
            other.sendall(b'{"cmd":"status"}\n')
            status = other.recv(CHUNK)
            other.close()
            if connection.gettimeout() == SILENT_SECONDS:
                connection.settimeout(PATIENCE_SECONDS)
                if b'"sessions": 0,' in status:
                    _write(2, "starting the browser…\n".encode())


def _lost(
    argv: list[str],
    message: str = "the daemon ended before it answered",
    hint: str = "check what was done before you send the request again",
) -> int:
    """Report that the daemon ended during the request, which is not sent again: it may have run."""
    op = argv[1] if argv[:1] == ["exec"] and argv[1:2] and argv[1][:1] != "-" else "unknown"
    message += ": the request may have run"
    _write(
        1,
        (
            f'{{"schemaVersion":5,"op":{_quoted(op)},"ok":false,"error":{{"code":"SESSION_ERROR",'
            f'"message":"{message}","hint":"{hint}","details":{{"cause":"daemonGone"}}}}}}\n'
        ).encode(),
    )
    return 1


def _request(argv: list[str]) -> bytes:
    environment = os.environ
    fields = (
        '{"cmd":"run","version":',
        _quoted(f"{__version__} {INSTALLATION}"),
        ',"cwd":',
        _quoted(os.getcwd()),  # noqa: PTH109 - pathlib takes longer than we may
        ',"environment":{',
        ",".join(
            [
                f"{_quoted(name)}:{_quoted(environment[name])}"
                for name in ENVIRONMENT
                if name in environment
            ]
        ),
        '},"columns":',
        str(terminal_columns()),
        ',"errorsOnTerminal":',
        "true" if os.isatty(2) else "false",
        ',"argv":[',
        ",".join([_quoted(argument) for argument in argv]),
        "]}\n",
    )
    return "".join(fields).encode()


def terminal_columns() -> int:
    """The width of the terminal that stdout is; 0 when it is none."""
    try:
        return os.get_terminal_size(1).columns or UNKNOWN_WIDTH if os.isatty(1) else 0
    except OSError:
        return UNKNOWN_WIDTH


def _quoted(text: str) -> str:
    """A JSON string, without the json module."""
    text = text.replace("\\", "\\\\").replace('"', '\\"')
    if not text.isprintable():
        text = "".join([c if c >= " " else f"\\u{ord(c):04x}" for c in text])
    return f'"{text}"'


def _show(argv: list[str], output: bytes) -> None:
    """Print the output, through a pager when it is longer than the screen."""
    if output.count(b"\n") > FEW_LINES and os.isatty(1) and "--no-pager" not in argv:
        from pwtui.cli.pager import page

        if page(output):
            return
    _write(1, output)


def _write(descriptor: int, data: bytes) -> None:
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except BrokenPipeError:
        _leave(141)
    except OSError as error:
        if descriptor != 2:
            _write(2, f"pw: write to stdout: {error.strerror}\n".encode())
        _leave(1)


def _leave(code: int) -> int:
    """End at once: nothing is left to flush, and an orderly end searches and frees all objects.

    That costs as much as the start here, and a fifth of a command that runs in this process.
    """
    os._exit(code)
