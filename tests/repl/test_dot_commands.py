"""The commands of the prompt that start with a dot, from a pipe."""

from __future__ import annotations

from tests.daemon.house import House


def typed(house: House, *lines: str) -> tuple[list[str], list[str]]:
    """What the lines print to stdout and to stderr."""
    result = house.thin("repl", input="".join(f"{line}\n" for line in lines).encode())
    return result.out.splitlines(), result.err.splitlines()


def test_help_describes_keywords_and_commands(house: House) -> None:
    out, err = typed(house, "?", ".help click", "help record", ".aliases", ".help .nonsense")

    assert out[0].startswith("Navigation ")
    assert any(line.startswith(".save  ") for line in out)
    assert "  click <target> [left|middle|right] [--modifiers MODIFIERS] [--in [ROLE] TEXT]" in out
    assert "  .record [FILE]" in out
    assert ["dc", "dblclick"] in [line.split() for line in out]
    assert err[0].startswith("unknown command: .nonsense")


def test_wrong_commands_are_refused_and_the_next_line_runs(house: House) -> None:
    out, err = typed(
        house, ".sav", ".save now", ".history all", ".replay", ".replay none.pw", ".status"
    )

    assert err[0] == "unknown command: .sav; did you mean .save?"
    assert err[1].startswith(".save: too many arguments")
    assert any(line.startswith("unexpected argument 'all'") for line in err)
    assert any(line.startswith(".replay requires a file") for line in err)
    assert any("none.pw" in line for line in err)
    assert "commands: 0, 5 failed" in out


def test_a_recording_is_paused_and_discarded(house: House) -> None:
    (house.root / "empty.pw").write_text("# nothing\n")
    out, err = typed(
        house,
        ".record a.pw",
        "ops.describe op=click",
        ".replay empty.pw",
        ".pause",
        ".replay empty.pw",
        ".pause",
        ".status",
        ".discard",
        ".quit",
        "ops.list",
    )

    assert any(line.startswith("cannot replay during the recording of ") for line in err)
    assert any(line.endswith("empty.pw has no steps") for line in err)
    assert out.index("paused; .pause resumes") < out.index("recording")
    assert f"recording: {house.root / 'a.pw'} (1 command)" in out
    assert out[-1] == "1 command discarded"
    assert not (house.root / "a.pw").exists()


def test_the_history_is_listed_and_cleared(house: House) -> None:
    out, _ = typed(house, ".status", ".history", ".history clear", ".history")

    assert out[out.index("history cleared") - 1] == ".history"
    assert out[-1] == ".history"


def test_it_reconnects_to_the_daemon(house: House) -> None:
    out, err = typed(house, ".reconnect", "ops.describe op=click")

    daemon = house.daemon()
    assert daemon is not None
    assert out[0].startswith(f"connected to the daemon (pid {daemon.pid}, version ")
    assert (out[1].partition(":")[0], err) == ("click", [])
