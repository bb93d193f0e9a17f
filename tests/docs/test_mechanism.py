"""Commands of a page are found, and outputs that differ are noticed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.compare import is_shown
from tests.docs.not_run import reason
from tests.docs.page import Step, steps

PAGE = """\
```console
$ pw goto https://example.com   # comment
https://example.com/  Example
$ pw batch <<'EOF'
{"op": "ping"}
EOF
$ pw repl
pw> goto /
ok
⏺ pw> .save
saved
```

- in a list:

  ```console
  $ echo 1
  ```

```text title="a/b.pw"
goto /
```

```python
print(1)
```

```
1
```
"""


def test_steps_are_commands_files_and_programs_in_order(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE)

    assert steps(page) == [
        Step(2, "pw goto https://example.com   # comment", "https://example.com/  Example\n"),
        Step(4, 'pw batch <<\'EOF\'\n{"op": "ping"}\nEOF', ""),
        Step(7, "pw repl <<'END-OF-TEXT'\ngoto /\n.save\nEND-OF-TEXT", "ok\nsaved\n"),
        Step(17, "echo 1", ""),
        Step(
            20,
            "mkdir -p $(dirname a/b.pw) && cat > a/b.pw <<'END-OF-TEXT'\ngoto /\nEND-OF-TEXT",
            "",
        ),
        Step(24, "python - <<'END-OF-TEXT'\nprint(1)\nEND-OF-TEXT", "1\n"),
    ]


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("a\n  b\n", "a\n  b\n"),
        ("PASS (1.6 s)\n", "PASS (12.25 s)\n"),
        ("start … end", "start of\nthe end"),
        ('{ "a": 1, "durationMs": 2.5 }', '{\n  "a": 1,\n  "durationMs": 911.3\n}'),
        ("done", "0/5 step\x1b[Kdone"),
        ("ok", "ok\n(2.5 s)\n"),
    ],
)
def test_the_same_output_is_accepted(shown: str, printed: str) -> None:
    assert is_shown(shown, printed)


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("a\n  b\n", "a\n b\n"),
        ("PASS (1.6 s)\n", "FAIL (1.6 s)\n"),
        ("start … end", "start of the end."),
        ('{"a": 1}', '{"a": 2}'),
        ("ok", "ok\nok"),
    ],
)
def test_another_output_is_noticed(shown: str, printed: str) -> None:
    assert not is_shown(shown, printed)


def test_a_command_is_run_unless_there_is_a_reason() -> None:
    assert reason("pw goto https://example.com") is None
    assert reason("pw daemon status") is None
    assert reason("make run") == "sets up the checkout, or runs these tests"
