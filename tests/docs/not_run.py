"""Commands of the documentation that no test runs as they are printed, each with its reason."""

from __future__ import annotations

import re

_REASONS = {
    r"make\b": "sets up the checkout, or runs these tests",
    r"git clone|source \.venv|uv |uvx|pipx|pip |pre-commit": "changes the reader's machine",
    r"apt-get|docker|ssh |google-chrome": "needs root, a container, another machine or a window",
    r"pwtui\b": "opens the panel; tests/app does",
    r"pw install": "downloads a browser; tests/cli/test_install.py does",
    r"pw daemon (start|restart|stop)": "stops the daemon of the other pages; "
    "tests/daemon/test_lifecycle.py does",
    r"pw daemon logs --follow|pw relay trace --follow|pw watch": "does not end",
    r".*(discover|kill|launch)(\": |:=)true": "finds or ends browsers of other programs, or opens "
    "a window; tests/operations/test_connect.py does",
    r"pw repl --attach-cli": "needs Playwright's CLI; tests/repl/test_playwright_cli.py does",
    r"python - <<'END-OF-TEXT'\nfrom pwtui.relay": "needs a tab that a person attached; "
    "tests/relay/test_api.py does",
    r"python - <<'END-OF-TEXT'\nclass TitleInput": "declares an operation; "
    "tests/test_declared_once.py does",
}


def reason(command: str) -> str | None:
    return next((why for pattern, why in _REASONS.items() if re.match(pattern, command)), None)
