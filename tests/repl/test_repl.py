"""`pw repl` as people and programs start it: one-shot, from a pipe, at a terminal."""

from __future__ import annotations

import json
import signal

import psutil

from tests.app.terminal import Terminal
from tests.cli.pw import INSTALLED
from tests.daemon.house import House, eventually, kill
from tests.site import TestSite
from tests.waiting import LIMIT


def test_one_shot_commands_share_the_session_and_set_the_exit_code(
    house: House, site: TestSite
) -> None:
    opened = house.thin("repl", "-c", f"goto {site.url('/form.html')}", "-c", "title")
    failed = house.thin("repl", "-c", "clik e5")

    assert (opened.code, opened.out) == (0, f"{site.url('/form.html')}  Form\nForm\n")
    assert failed.code == 1
    assert "did you mean click" in failed.err
    assert house.thin("repl", "--nonsense").code == 2


def test_piped_lines_run_in_order_and_to_the_end(house: House, site: TestSite) -> None:
    lines = f""".help goto
        # what the first keyword REPL got wrong
        .record flow.pw
        GOTO {site.url("/form.html")}
        snapshot
        fill Name 007
        fill Email ""
        fill Password s3cret
        click Missing-element --nonsense
        eval document.querySelector("#name").value + ' ok'
        click Submit
        verify-text name=007
        .save
        .record pairs.ndjson
        .replay flow.pw
        fill Password s3cret
        title
        .pause
        url
        .save
        .status
        .nonsense
        title
    """
    done = house.thin("repl", input=b"\xef\xbb\xbf" + lines.encode())

    assert done.code == 1
    assert "007 ok" in done.out
    assert 'button "Submit" [ref=' in done.out
    assert "###" not in done.out
    assert done.out.endswith("Form\n")
    assert "\ufeff" not in done.err
    assert "has no option --nonsense" in done.err
    assert "unknown command: .nonsense" in done.err
    script = (house.root / "flow.pw").read_text()
    assert script.splitlines()[2:] == [
        f"goto {site.url('/form.html')}",
        "snapshot",
        "fill getByRole('textbox', { name: 'Name' }) 007",
        "fill getByRole('textbox', { name: 'Email' }) \"\"",
        "fill getByRole('textbox', { name: 'Password' }) {{password}}",
        "eval document.querySelector(\"#name\").value + ' ok'",
        "click getByRole('button', { name: 'Submit' })",
        "verify-text name=007",
    ]
    pairs = (house.root / "pairs.ndjson").read_text()
    first, *others = map(json.loads, pairs.splitlines())
    assert (first["op"], first["input"]) == ("navigate", {"url": site.url("/form.html")})
    assert [each["request"]["op"] for each in others] == ["fill", "page.title"]
    assert "cannot replay during the recording of" in done.err
    history = house.folder / "state" / "pwtui" / "repl-history"
    assert "fill Name 007" in history.read_text()
    assert history.stat().st_mode & 0o777 == 0o600
    for kept in (script, pairs, history.read_text()):
        assert "s3cret" not in kept


def test_sessions_are_profiles(house: House, site: TestSite) -> None:
    changed = house.thin("repl", "-s", "other!", "-c", f"goto {site.url('/text.html')}")

    assert changed.err.startswith("warning: profile 'other!' is stored as 'other'")
    assert house.thin("repl", "-s", "é", "-c", "url").code == 1
    assert "/text.html" in house.thin("repl", "-s", "other", "-c", "url").out
    assert "/text.html" not in house.thin("repl", "-c", "url").out
    house.thin("repl", "-s", "other", "-c", "close")


def test_the_prompt_completes_records_cancels_and_reconnects(house: House, site: TestSite) -> None:
    terminal = Terminal(house.folder, width=100, height=45)
    try:
        terminal.start([*INSTALLED, "repl"], house.environment(), house.root)
        terminal.until("pw>")
        terminal.type(f"goto {site.url('/form.html')}\n")
        terminal.until("form.html  Form")

        terminal.type("tit")
        terminal.until("title")  # the ghost of it
        terminal.keys("Tab", "Enter")
        terminal.until("\nForm")
        terminal.type("click Subm")
        terminal.keys("Tab")
        terminal.until('button "Submit"')
        terminal.keys("C-c")
        terminal.paste(
            "fill Name Ada\nverify-value Name Ada\neval (() => {\n  return 6 * 7\n})()\n"
        )
        terminal.keys("Enter")
        terminal.until("\n42")
        terminal.type("eval [1,\n2].length\n")
        terminal.until("\n2\n")
        terminal.type("help goto\n")
        terminal.until("goto <url>")
        terminal.type(".record live.pw\n")
        terminal.until("⏺ pw>")

        daemon = house.daemon()
        assert daemon is not None
        terminal.type("wait 60000\n")
        eventually(lambda: is_busy(house), "the wait runs")
        terminal.keys("C-c")
        terminal.until("CANCELLED")
        terminal.type("url\n")
        terminal.until(f"pw> url\n{site.url('/form.html')}")
        assert house.daemon() == daemon

        kill(daemon)
        terminal.type("title\n")
        terminal.until(" exited")  # before the line was sent, or before it was answered
        terminal.type(".status\n")
        terminal.until("commands: ")
        eventually(lambda: terminal.screen.rstrip().endswith("pw>"), "the prompt after it")
        terminal.keys("C-d")
        assert terminal.exit_code() == 0
        live = (house.root / "live.pw").read_text().splitlines()
        assert live[2] == f"goto {site.url('/form.html')}"
        assert live[-1] in ("url", "title")
    finally:
        terminal.end()


def is_busy(house: House) -> bool:
    with house.wire(client="test") as wire:
        return any(each["op"] == "wait" for each in wire.ask("status")["requestsRunning"])


def test_ctrl_c_without_a_prompt_ends_the_command_and_not_the_browser(
    house: House, site: TestSite
) -> None:
    house.thin("repl", "-c", f"goto {site.url('/form.html')}")
    process = house.start("repl", "-c", "wait 60000", "-c", "title")
    eventually(lambda: is_busy(house), "the wait runs")

    psutil.Process(process.pid).send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=LIMIT)

    assert (process.returncode, out) == (130, b"")
    assert b"Traceback" not in err
    assert house.thin("repl", "-c", "title").out == "Form\n"


def test_no_secret_stays_in_the_history_or_in_a_recording(house: House, site: TestSite) -> None:
    url = site.url("/form.html?token=hunter2").replace("://", "://ada:hunter2@")
    lines = f"""
        fil Password hunter2
        cookie-st session hunter2
        goto http://ada:hunter2@127.0.0.1:1/
        .record kept.ndjson
        goto {url}
        cookie-set sid hunter2
        cookie-list
        press Enter
        .save
    """
    done = house.thin("repl", input=lines.encode())
    history = (house.folder / "state" / "pwtui" / "repl-history").read_text()
    recorded = (house.root / "kept.ndjson").read_text()

    assert "press Enter" in history
    assert "cookie-list" in history
    assert "hunter2" not in history + recorded
    assert "://ada:{{password}}@" in recorded
    assert "?token={{token}}" in recorded
    assert "secrets became variables: replay it with --var password=… --var token=…" in done.out
    assert (house.root / "kept.ndjson").stat().st_mode & 0o777 == 0o600
