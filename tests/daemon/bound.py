"""Programs that drive and bind a browser: a script, `playwright cli`, `playwright mcp`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Self

from tests.daemon.house import House
from tests.daemon.support import sandbox_flags
from tests.waiting import LIMIT

SCRIPT = """
import json, sys
from playwright.sync_api import sync_playwright

def run(page, action, *arguments):
    return getattr(page, action)(*arguments)

with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=sys.argv[1])
    page = browser.new_page()
    browser.bind(sys.argv[2], workspace_dir=sys.argv[3])
    print("ready", flush=True)
    for line in sys.stdin:
        words = json.loads(line)
        try:
            result = run(page, *words) if words[0] != "eval" else eval(words[1])
        except Exception as error:
            result = "error: " + str(error).splitlines()[0]
        shown = result if isinstance(result, (str, int, float, list)) else None
        print(json.dumps(shown), flush=True)
"""


class Script:
    """A Python program that does in its browser what the test says."""

    def __init__(self, house: House, executable: Path, name: str = "shopper") -> None:
        self.name = name
        path = house.folder / f"{name}.py"
        path.write_text(SCRIPT)
        self.process = house.spawn(
            *(sys.executable, path, executable, name, house.folder), stdin=subprocess.PIPE
        )
        assert self.process.stdout
        assert self.process.stdout.readline() == b"ready\n"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(LIMIT)

    def begin(self, *words: Any) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(words).encode() + b"\n")
        self.process.stdin.flush()

    def result(self) -> Any:
        assert self.process.stdout
        return json.loads(self.process.stdout.readline())

    def __call__(self, *words: Any) -> Any:
        self.begin(*words)
        return self.result()


def launch_options(executable: Path) -> dict[str, Any]:
    return {
        "browserName": "chromium",
        "launchOptions": {
            "executablePath": str(executable),
            "args": sandbox_flags(),
            "headless": True,
        },
    }


class Cli:
    """A session of `playwright cli`."""

    def __init__(self, house: House, executable: Path, name: str) -> None:
        self.name = name
        self._house = house
        folder = house.root / ".playwright"
        folder.mkdir(exist_ok=True)
        config = {"browser": launch_options(executable)}
        (folder / "cli.config.json").write_text(json.dumps(config))

    def __call__(self, *words: str) -> str:
        command = [sys.executable, "-m", "playwright", "cli", f"-s={self.name}", *words]
        done = subprocess.run(
            command,
            cwd=self._house.root,
            env=self._house.environment(),
            capture_output=True,
            timeout=LIMIT,
        )
        assert done.returncode == 0, (done.stdout, done.stderr)
        return done.stdout.decode()


class Mcp:
    """A client of `playwright mcp`, over its standard input and output."""

    def __init__(self, house: House, executable: Path, name: str) -> None:
        self.name = name
        config = house.folder / "mcp.json"
        config.write_text(json.dumps({"browser": launch_options(executable) | {"isolated": True}}))
        self.process = house.spawn(
            *(sys.executable, "-m", "playwright", "mcp", "--config", config), stdin=subprocess.PIPE
        )
        self._number = 0
        client = {"name": name, "version": "1"}
        self._ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def __call__(self, tool: str, **arguments: Any) -> str:
        result = self._ask("tools/call", name=tool, arguments=arguments)
        return str(result["content"][0]["text"])

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(LIMIT)

    def _ask(self, method: str, **params: Any) -> Any:
        self._number += 1
        self._write({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        assert self.process.stdout
        while True:
            reply = json.loads(self.process.stdout.readline())
            if reply.get("id") == self._number:
                assert "result" in reply, reply
                return reply["result"]

    def _write(self, message: dict[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
