"""Runs every operation that needs a browser in Chromium and in Firefox, and compares what happens.

`python -m tests.firefox.sweep` writes the outcome for docs/browsers.md.
"""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docs.generators.browsers import RESULTS, Outcome
from pwtui.browser.launch.firefox import STOCK
from pwtui.protocol.catalog import OperationInfo, catalog
from pwtui.protocol.envelope import Response
from pwtui.recordings.compare import differences
from tests.client import Client, SharedDriver
from tests.site import TestSite

Step = tuple[str, dict[str, Any]]

# What the example of an operation does not say, because its page is another one.
INPUTS: Mapping[str, dict[str, Any]] = {
    "auth.cookies": {"url": "{site}/sweep.html"},
    "cookies.list": {},
    "mouse.click": {"x": 20, "y": 30},
    "mouse.drag": {"fromX": 20, "fromY": 30, "toX": 90, "toY": 30},
    "navigate": {"url": "{site}/form.html"},
    "requests.list": {"filter": "/echo"},
    "tabs.close": {"target": "sweep"},
    "tabs.new": {"url": "{site}/form.html"},
    "tabs.switch": {"target": "sweep"},
    "uncheck": {"selector": "#agreed"},
    "verify.url": {"glob": "**/sweep.html"},
    "wait.url": {"url": "**/sweep.html"},
}
_TWO_PAGES: list[Step] = [("navigate", {"url": "{site}/form.html"})]
_ASK = "void (document.querySelector('#submit').onclick = () => prompt('?'))"
_ALERT: list[Step] = [
    ("page.eval", {"expression": _ASK}),
    ("click", {"selector": "#submit", "waitMs": 2000}),
]
_FOCUS: list[Step] = [("page.eval", {"expression": "document.querySelector('#name').focus()"})]
_COOKIE: list[Step] = [("cookies.set", {"name": "theme", "value": "dark"})]
BEFORE: Mapping[str, list[Step]] = {
    "back": _TWO_PAGES,
    "forward": [*_TWO_PAGES, ("back", {})],
    "cookies.delete": _COOKIE,
    "cookies.get": _COOKIE,
    "cookies.list": _COOKIE,
    "dialog.accept": _ALERT,
    "dialog.dismiss": _ALERT,
    "dialog.show": _ALERT,
    "key.up": [("key.down", {"key": "Shift"})],
    "localstorage.get": [("localstorage.set", {"key": "theme", "value": "dark"})],
    "sessionstorage.get": [("sessionstorage.set", {"key": "draft", "value": "dark"})],
    "mouse.up": [("mouse.down", {})],
    "press": _FOCUS,
    "type": _FOCUS,
    "route.remove": [("route.add", {"pattern": "**/api/user", "status": 404})],
    "state.load": [*_COOKIE, ("state.save", {"output": "state.json"})],
    "trace.stop": [("trace.start", {})],
    "video.stop": [("video.start", {})],
}
# What shows that it had an effect, besides the events of the page.
EFFECTS: Mapping[str, str] = {
    "cookies.set": "document.cookie",
    "emulate.geolocation": "new Promise((done, failed) => navigator.geolocation"
    ".getCurrentPosition(it => done(it.coords.latitude), it => done(it.message)))",
    "emulate.media": "matchMedia('(prefers-color-scheme: dark)').matches",
    "emulate.offline": "navigator.onLine",
    "localstorage.set": "localStorage.theme",
    "mouse.wheel": "new Promise(done => setTimeout(() => done(scrollY > 0), 500))",
    "page.resize": "[innerWidth, innerHeight]",
    "route.add": "fetch('/api/user').then(it => it.status)",
    "sessionstorage.set": "sessionStorage.draft",
    "state.load": "document.cookie",
    "upload": "document.querySelector('#file').files[0].name",
}
UNDO: Mapping[str, Step] = {
    "dialog.show": ("dialog.dismiss", {}),
    "emulate.device": ("emulate.device", {"name": ""}),
    "emulate.geolocation": ("emulate.geolocation", {}),
    "emulate.locale": ("emulate.locale", {"locale": ""}),
    "emulate.media": ("emulate.media", {"colorScheme": "reset"}),
    "emulate.offline": ("emulate.offline", {"offline": False}),
    "emulate.timezone": ("emulate.timezone", {"timezone": ""}),
    "key.down": ("key.up", {"key": "Shift"}),
    "mouse.down": ("mouse.up", {}),
    "route.add": ("route.remove", {}),
    "trace.start": ("trace.stop", {}),
}
SEEN = "({seen: window.seen ?? null, more: await (async () => EXPRESSION)()})"
GEOMETRY = {"x", "y", "width", "height", "box", "snapshot"}
# They need a person, or another program.
NOT_TRIED = {"auth.login", "page.pick"}


def swept() -> list[OperationInfo]:
    return [each for each in catalog().values() if each.needs_session and each.id not in NOT_TRIED]


async def sweep(chromium: Client, firefox: Client, site: TestSite) -> dict[str, Outcome]:
    """The outcome of each operation in Firefox."""
    found: dict[str, Outcome] = {}
    for operation in swept():
        ran = [await _run(client, operation, site) for client in (chromium, firefox)]
        expected, actual = ran
        found[operation.id] = _compared(*expected, *actual)
    return found


async def _run(client: Client, operation: OperationInfo, site: TestSite) -> tuple[Response, Any]:
    """The response, and what the page says about the effect."""

    async def send(op: str, input: Mapping[str, Any]) -> Response:
        written = json.dumps(dict(input)).replace("{site}", site.url().rstrip("/"))
        return await client.send(op, json.loads(written), overrides={"timeoutMs": 10_000})

    opened = await client.data("tabs.new", {"url": site.url("/sweep.html")})
    for step in BEFORE.get(operation.id, ()):
        await send(*step)
    response = await send(operation.id, INPUTS.get(operation.id, operation.example))
    effect = None
    if (response.ok and operation.id not in UNDO) or operation.id in EFFECTS:
        expression = SEEN.replace("EXPRESSION", EFFECTS.get(operation.id, "null"))
        asked = await send("page.eval", {"expression": expression})
        effect = (asked.data or {}).get("result")
    if operation.id in UNDO:
        await send(*UNDO[operation.id])
    for tab in (await client.data("tabs.list"))["tabs"]:
        if tab["index"] >= opened["index"]:
            await client.send("tabs.close", {"target": tab["index"]})
    return response, effect


def _compared(expected: Response, effect: Any, actual: Response, own_effect: Any) -> Outcome:
    if not expected.ok:
        same = actual.error is not None and actual.error.code == expected.error.code  # type: ignore[union-attr]
        return {"outcome": "not tried" if same else "differs"}
    if actual.error is not None:
        return {"outcome": "refused", "why": actual.error.message}
    different = list(dict.fromkeys(_field(each.where) for each in differences(expected, actual)))
    if effect != own_effect:
        different.append("effect")
    return {"outcome": "differs", "in": different} if different else {"outcome": "works"}


def _field(where: str) -> str:
    """The name of a field that differs; one name for all that depends on fonts."""
    name = re.sub(r"\[\d+\]| line \d+", "", where).rpartition(".")[2]
    return "positions and sizes" if name in GEOMETRY else name


async def main() -> None:
    with TestSite() as site, tempfile.TemporaryDirectory() as folder:
        clients = {name: Client(_workspace(Path(folder), name)) for name in ("chromium", "firefox")}
        for name, client in clients.items():
            defaults = {"browser": name, **({"channel": STOCK} if name == "firefox" else {})}
            await client.data("profile.set", {"name": "default", "config": {"defaults": defaults}})
        try:
            operations = await sweep(clients["chromium"], clients["firefox"], site)
            version = (await clients["firefox"].data("session.list"))["sessions"][0]["version"]
        finally:
            for client in clients.values():
                await client.close()
            await SharedDriver.end()
    results = {"firefox": version, "operations": operations}
    RESULTS.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _workspace(folder: Path, name: str) -> Path:
    root = folder / name
    root.mkdir()
    (root / "report.csv").write_text("a,b\n")
    return root


if __name__ == "__main__":
    asyncio.run(main())
