"""The entry point: almost no imports, and the same output as without the daemon."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from pwtui.cli import fast_path as thin
from tests.cli.pw import INSTALLED
from tests.daemon.house import House, eventually, is_running
from tests.daemon.wire import Wire
from tests.site import TestSite
from tests.waiting import LIMIT


def imported(house: House, code: str, *arguments: str) -> set[str]:
    """The modules that a program imports, as the interpreter reports them."""
    command = [sys.executable, "-X", "importtime", "-c", code, *arguments]
    done = subprocess.run(
        command,
        capture_output=True,
        cwd=house.root,
        env=house.environment(),
        check=True,
        timeout=LIMIT,
    )
    lines = [line for line in done.stderr.decode().splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines}


def test_the_fast_path_imports_almost_nothing(warm: House) -> None:
    always = imported(warm, "pass")

    mine = imported(warm, INSTALLED[-1], "exec", "protect.list") - always

    own = {"pwtui", "pwtui.cli", "pwtui.cli.fast_path", "pwtui.daemon", "pwtui.daemon.address"}
    assert own <= mine
    assert mine - own <= {"_socket"}
    assert imported(warm, INSTALLED[-1], "--version") - always == own


@pytest.mark.parametrize(
    "arguments", [("ops",), ("profile", "list"), ("exec", "har.show")], ids=" ".join
)
def test_a_command_without_browser_and_daemon_loads_only_what_it_uses(
    house: House, arguments: tuple[str, ...]
) -> None:
    loaded = imported(house, INSTALLED[-1], *arguments)

    assert "pwtui.engine.executor" in loaded  # it ran here
    for heavy in ("playwright", "textual", "rich", "aiohttp", "psutil", "regex", "watchfiles"):
        assert heavy not in loaded
    unused = {"importlib.metadata", "logging.handlers", "pickle", "pwtui.repl.render"}
    unused |= {f"pwtui.protocol.{each}" for each in ("daemon", "locators", "models", "snapshot")}
    unused |= {"pwtui.keywords.parser", "pwtui.state.relay_records", "pwtui.runtime.target"}
    assert loaded & unused == set()


def test_the_metadata_of_packages_are_still_there_when_they_are_used() -> None:
    code = (
        "from pwtui.cli.lazy_metadata import use_no_plugins_of_pydantic as start; start()\n"
        "import importlib.metadata, sys\n"
        "from importlib.metadata import entry_points\n"
        "assert 'email' not in sys.modules\n"
        "assert importlib.metadata.version('pydantic')\n"
        "assert entry_points(group='console_scripts')\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=LIMIT)


def served(house: House) -> int:
    with Wire(house.socket) as wire:
        count: int = wire.ask("status")["requestsServed"]
        return count


def test_the_exit_code_and_the_streams_are_those_of_the_command(warm: House) -> None:
    before = served(warm)
    fine = warm.thin("exec", "protect.list", "-v")
    failed = warm.thin("exec", "nonsense", "--format", "text")
    wrong = warm.thin("exec", "--nonsense")
    pretty = warm.thin("exec", "protect.list", "--format", "json")

    assert (fine.code, failed.code, wrong.code) == (0, 1, 2)
    assert fine.json["ok"] is True
    assert fine.err.startswith("protect.list: ok in ")
    assert failed.err.startswith("INVALID_INPUT: unknown operation: nonsense\n")
    assert wrong.out == ""
    assert "unknown option --nonsense" in wrong.err
    assert pretty.out.startswith("{\n  ")
    assert served(warm) == before + 3


@pytest.mark.parametrize(
    "text",
    ["süß 日本 \N{GRINNING FACE}", "two\nlines\r\n\ttab", "q\"u\\o/te's", "\x01\x1b[31m\x7f", ""],
)
def test_arguments_arrive_as_they_are(warm: House, text: str) -> None:
    before = served(warm)
    result = warm.thin("exec", "protect.remove", "--input", json.dumps({"pattern": f"a{text}"}))
    raw = warm.thin("exec", "protect.remove", "--input", f'{{"pattern": "{text}"}}')

    assert result.json["inputs"]["pattern"] == f"a{text}"
    assert raw.code == (0 if raw.json["ok"] else 1)
    assert served(warm) > before


@pytest.mark.parametrize(
    "arguments",
    [
        ("protect.remove", "--input", "-"),
        ("protect.remove", "--input", "@/dev/stdin"),
    ],
)
def test_input_from_stdin_is_the_callers_own(warm: House, arguments: tuple[str, ...]) -> None:
    result = warm.thin("exec", *arguments, input=b'{"pattern": "from stdin"}')

    assert result.code == 0, result
    assert result.json["inputs"]["pattern"] == "from stdin"


@pytest.mark.parametrize("arguments", [("--file", "-"), ("--file", "/dev/stdin")])
def test_an_envelope_from_stdin_is_the_callers_own(warm: House, arguments: tuple[str, ...]) -> None:
    envelope = {"op": "protect.remove", "input": {"pattern": "x"}, "requestId": "from stdin"}

    result = warm.thin("exec", *arguments, input=json.dumps(envelope).encode())

    assert result.code == 0, result
    assert result.json["requestId"] == "from stdin"


def test_an_envelope_from_a_process_is_read_by_the_caller(warm: House) -> None:
    envelope = json.dumps({"op": "protect.list", "requestId": "substituted"})
    read_end, write_end = os.pipe()
    with os.fdopen(write_end, "wb") as pipe:
        pipe.write(envelope.encode())

    process = warm.spawn(*INSTALLED, "exec", "--file", f"/dev/fd/{read_end}", pass_fds=(read_end,))
    os.close(read_end)
    out, err = process.communicate(timeout=LIMIT)

    assert process.returncode == 0, (out, err)
    assert json.loads(out)["requestId"] == "substituted"


def test_a_missing_file_delays_no_other_command(warm: House) -> None:
    fifo = warm.folder / "fifo"
    os.mkfifo(fifo)
    waiting = warm.spawn(*INSTALLED, "exec", "--file", fifo)
    try:
        with Wire(warm.socket) as wire:
            for _ in range(30):
                assert wire.ask("status")["ok"]
                with pytest.raises(subprocess.TimeoutExpired):
                    waiting.wait(0.05)
    finally:
        writer = threading.Thread(target=fifo.write_text, args=('{"op": "protect.list"}',))
        writer.start()
        out, _ = waiting.communicate(timeout=LIMIT)
        writer.join(10)
        fifo.unlink()

    assert json.loads(out)["ok"] is True


def test_a_closed_pipe_ends_the_command_without_an_error(warm: House) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)

    process = warm.spawn(*INSTALLED, "ops", stdout=write_end)
    os.close(write_end)
    _, err = process.communicate(timeout=LIMIT)

    assert process.returncode == 128 + signal.SIGPIPE
    assert err == b""


def test_large_output_arrives_whole(warm: House) -> None:
    (warm.root / "large.json").write_text(json.dumps({"pattern": "ü" * 3_000_000}))

    result = warm.thin("exec", "protect.remove", "--input", "@large.json")

    assert result.json["inputs"]["pattern"] == "ü" * 3_000_000


def test_a_profile_without_daemon_does_not_use_it(warm: House) -> None:
    (warm.root / "local.json").write_text(
        '{"op": "protect.list", "runtime": {"overrides": {"useDaemon": false}}}'
    )
    (warm.root / "config.json").write_text('{"defaults": {"useDaemon": false}}')
    warm.thin("profile", "set", "alone", "--file", "config.json")
    before = served(warm)

    by_override = warm.thin("exec", "--file", "local.json")
    by_profile = warm.thin("exec", "protect.list", "--profile", "alone")

    assert by_override.code == by_profile.code == 0
    assert served(warm) == before


def test_ctrl_c_cancels_the_request_and_leaves_the_browser(warm: House, site: TestSite) -> None:
    site.requests.clear()
    envelope = json.dumps({"url": site.url("/hang")})
    process = warm.spawn(*INSTALLED, "exec", "navigate", "--input", envelope)
    eventually(lambda: ("GET", "/hang") in site.requests, "the page loads")
    (browser,) = warm.browsers()

    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=LIMIT)
    with warm.wire() as wire:
        wire.wait_until_running(0)
        after = wire.call("page.text", {"url": site.url("/form.html"), "selector": "h1"})

    assert process.returncode == 130
    assert (out, err) == (b"", b"")
    assert is_running(browser)
    assert after["data"]["text"] == "Form"


def test_ctrl_c_without_the_fast_path_cancels_the_request_too(warm: House, site: TestSite) -> None:
    site.requests.clear()
    process = warm.start("batch")
    assert process.stdin
    process.stdin.write(
        json.dumps({"op": "navigate", "input": {"url": site.url("/hang")}}).encode()
    )
    process.stdin.write(b"\n")
    process.stdin.flush()
    eventually(lambda: ("GET", "/hang") in site.requests, "the page loads")
    (browser,) = warm.browsers()

    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=LIMIT)
    with warm.wire() as wire:
        wire.wait_until_running(0)

    assert process.returncode == 130
    assert err == b""
    assert is_running(browser)


def test_a_deleted_folder_is_reported(warm: House) -> None:
    gone = warm.folder / "gone"
    gone.mkdir()
    code = f"import os; os.chdir({str(gone)!r}); os.rmdir({str(gone)!r}); {INSTALLED[-1]}"

    process = warm.spawn(sys.executable, "-P", "-c", code, "exec", "protect.list")
    _, err = process.communicate(timeout=LIMIT)
    gone.mkdir()
    asked = warm.spawn(sys.executable, "-P", "-c", code, "daemon", "status")
    status, _ = asked.communicate(timeout=LIMIT)

    assert process.returncode == 1
    assert b"the current folder no longer exists" in err
    assert json.loads(status)["data"]["running"] is True


@pytest.mark.parametrize("command", ["exec", "repl"])
def test_output_that_cannot_be_written_is_an_error(warm: House, command: str) -> None:
    arguments = {"exec": ["exec", "protect.list"], "repl": ["repl", "-c", "help"]}[command]
    with open("/dev/full", "wb") as full:  # noqa: PTH123 - a device
        process = warm.spawn(*INSTALLED, *arguments, stdout=full)
        _, err = process.communicate(timeout=LIMIT)

    assert process.returncode == 1
    assert b"write to stdout: No space left on device" in err
    assert b"Traceback" not in err


def test_a_daemon_that_hangs_is_named(house: House) -> None:
    daemon = house.start_daemon()
    daemon.suspend()
    quick = f"from pwtui.cli import fast_path as thin; thin.PATIENCE_SECONDS = 0.2; {INSTALLED[-1]}"

    process = house.spawn(sys.executable, "-P", "-c", quick, "exec", "protect.list")
    out, _ = process.communicate(timeout=LIMIT)

    assert process.returncode == 1
    assert "`pw daemon stop`" in json.loads(out)["error"]["hint"]


@pytest.fixture
def answers(house: House, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bytes]]:
    """Something that listens in place of the daemon and sends these, one to each client."""
    monkeypatch.setenv("PWTUI_RUNTIME_DIR", str(house.runtime_folder))
    house.runtime_folder.mkdir(mode=0o700)
    to_send: list[bytes] = []
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(house.socket))
        listener.listen()

        def serve() -> None:
            while True:
                connection, _ = listener.accept()
                with connection:
                    connection.recv(65536)
                    if not to_send:
                        return
                    connection.sendall(to_send.pop(0))

        thread = threading.Thread(target=serve)
        thread.start()
        yield to_send
        to_send.clear()
        with socket.socket(socket.AF_UNIX) as last:
            last.connect(str(house.socket))
            last.sendall(b"\n")
        thread.join(10)


@pytest.mark.parametrize(
    "answer", [b"-1 0 0\n", b'{"cmd": "run", "ok": false, "error": {}}\n', b"what?\n"]
)
def test_a_daemon_that_does_not_know_the_command_line_is_not_used(
    answers: list[bytes], answer: bytes
) -> None:
    answers.append(answer)

    assert thin._hand_over(["ops"]) is None


def test_a_prompt_without_stdin_ends(warm: House) -> None:
    process = warm.spawn("sh", "-c", 'exec "$@" <&-', "sh", *INSTALLED, "repl")
    _, err = process.communicate(timeout=LIMIT)

    assert process.returncode == 0
    assert b"AttributeError" not in err


def test_a_home_that_is_not_a_folder_is_an_error_with_its_path(house: House) -> None:
    wrong = {"HOME": "/etc/passwd", "XDG_STATE_HOME": ""}
    result = house("exec", "page.title", environment=wrong)

    assert result.code == 1
    assert "cannot use /etc/passwd" in result.json["error"]["message"]
    assert "Traceback" not in result.err
