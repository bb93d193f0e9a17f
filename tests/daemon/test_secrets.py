"""Secrets of many kinds are masked for subscribers and in files."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

from pwtui.app.actions.export import write_ndjson
from pwtui.history.reader import HistoryReader
from pwtui.protocol.secrets import MASK
from pwtui.state.journal import Journal
from pwtui.widgets.log_entry import LogEntry
from tests.daemon.house import House
from tests.daemon.wire import Message
from tests.operations.support import data_url
from tests.site import TestSite

FIELDS = (
    "<input id=otp autocomplete=one-time-code><input id=new autocomplete=new-password>"
    "<input id=card autocomplete=cc-number><input id=csc autocomplete=cc-csc>"
    "<input id=pass type=password><input id=off type=password disabled>"
)
FORM = "{site}/form.html"
SOON = {"timeoutMs": 300}

# What is sent: the operation and its input, where {s} is the secret of the line.
KINDS: list[tuple[str, str, dict[str, Any]]] = [
    ("a password", "fill", {"url": FORM, "selector": "#password", "text": "{s}"}),
    ("a password, typed", "type", {"selector": "#password", "text": "{s}"}),
    ("a password, where the focus is", "type", {"text": "{s}"}),
    ("a password as one key", "press", {"selector": "#password", "key": "{s}"}),
    ("a password that is verified", "verify.value", {"selector": "#password", "value": "{s}"}),
    ("a password for no field", "fill", {"selector": "#nowhere", "text": "{s}"}),
    ("credentials", "navigate", {"url": "http://ada:{s}@{host}/form.html"}),
    ("credentials with an @", "navigate", {"url": "http://ada:x@{s}@{host}/form.html"}),
    ("a token as the user", "navigate", {"url": "http://token0123456789{s}@{host}/form.html"}),
    ("credentials that fail", "navigate", {"url": "http://ada:{s}@127.0.0.1:1/"}),
    ("token", "navigate", {"url": FORM + "?token={s}"}),
    ("access_token", "navigate", {"url": FORM + "?a=1&access_token={s}&b=2"}),
    ("access_token in a fragment", "navigate", {"url": FORM + "#access_token={s}"}),
    ("api_key", "navigate", {"url": FORM + "?api_key={s}"}),
    ("apiKey", "navigate", {"url": FORM + "?apiKey={s}"}),
    ("key", "navigate", {"url": FORM + "?key={s}"}),
    ("client_secret", "navigate", {"url": FORM + "?client_secret={s}"}),
    ("password", "navigate", {"url": FORM + "?password={s}"}),
    ("code", "tabs.new", {"url": FORM + "?code={s}&state=1"}),
    ("sig", "navigate", {"url": FORM + "?sig={s}"}),
    ("X-Amz-Signature", "navigate", {"url": FORM + "?X-Amz-Signature={s}"}),
    ("auth", "wait", {"url": FORM + "?auth={s}", "condition": "load"}),
    ("session", "page.text", {"url": FORM + "?session={s}", "selector": "h1"}),
    ("a header of requests", "route.add", {"pattern": "**/a", "headers": {"Authorization": "{s}"}}),
    ("a cookie header", "route.add", {"pattern": "**/b", "headers": {"Cookie": "sid={s}"}}),
    ("a header in a script", "page.eval", {"expression": "({Authorization: 'Bearer {s}'}) && 1"}),
    ("a cookie", "cookies.set", {"name": "sid", "value": "{s}", "url": "{site}"}),
    ("an item of local storage", "localstorage.set", {"key": "a", "value": "{s}"}),
    ("an item of session storage", "sessionstorage.set", {"key": "a", "value": "{s}"}),
    ("a misspelt operation", "fil", {"selector": "#password", "text": "{s}"}),
    ("a misspelt field", "fill", {"selector": "#password", "txt": "{s}"}),
    ("a one-time code", "fill", {"url": data_url(FIELDS), "selector": "#otp", "text": "{s}"}),
    ("a new password", "fill", {"selector": "#new", "text": "{s}"}),
    ("a card", "fill", {"selector": "#card", "text": "{s}"}),
    ("a card's code", "type", {"selector": "#csc", "text": "{s}"}),
    ("a password for a disabled field", "fill", {"selector": "#off", "text": "{s}"}),
]
# Without a browser, as nothing listens there.
CONNECTS: list[tuple[str, str, dict[str, Any]]] = [
    ("headers of connect", "connect", {"endpoint": "http://h:1", "headers": {"X-Any": "{s}"}}),
    ("credentials of connect", "connect", {"endpoint": "wss://ada:{s}@127.0.0.1:1"}),
    ("a token of connect", "connect", {"endpoint": "ws://127.0.0.1:1/?token={s}"}),
]
LISTS = ("cookies.list", "localstorage.list", "sessionstorage.list", "requests.list", "tabs.list")
# By design: what the browser sent and keeps, and what a profile needs to connect. Only the user
# can read them.
MAY_HOLD = {".har", ".zip", "state.json", "config.json", "cdp.headers"}


def filled(value: Any, **words: str) -> Any:
    if isinstance(value, str):
        for name, word in words.items():
            value = value.replace(f"{{{name}}}", word)
        return value
    return {key: filled(item, **words) for key, item in value.items()}


def test_no_secret_gets_to_subscribers_or_files(house: House, site: TestSite) -> None:
    house.start_daemon()
    host = site.origin.partition("://")[2]
    secrets: dict[str, str] = {}
    answers: list[Message] = []
    with house.wire(client="watch") as watch, house.wire(client="works") as wire:
        watch.ask("subscribe")
        wire.data("har.set", {"file": "traffic.har"})
        wire.data("trace.start")
        for kind, op, input in [*KINDS, *CONNECTS]:
            secret = secrets[kind] = f"zq{len(secrets):02}-Correct_Horse"
            given = filled(input, s=secret, site=site.origin, host=host)
            profile = f"remote{len(secrets)}" if op == "connect" else None
            overrides = SOON if op in ("fill", "press", "verify.value") else None
            answers.append(wire.call(op, given, profile=profile, overrides=overrides))
        # What the page has made itself.
        wire.data("navigate", {"url": site.url("/form.html")})
        made = {"a cookie of the page": "void (document.cookie = 'own=' + {0})"}
        made["an item of the page"] = "localStorage.setItem('own', {0})"
        for kind, code in made.items():
            secrets[kind] = f"zq{len(secrets):02}-Correct_Horse"
            spelt = json.dumps(list(secrets[kind])) + ".join('')"
            wire.data("page.eval", {"expression": code.replace("{0}", spelt)})
        listed = json.dumps([wire.data(op) for op in LISTS])
        wire.data("state.save", {"output": "state.json"})
        for key in "qQ7":
            assert wire.call("press", {"selector": "#password", "key": key})["ok"]
        wire.data("trace.stop", {"output": "trace.zip"})
        assert any(not each["ok"] for each in answers)
        wire.data("session.stop")
        wire.data("protect.add", {"pattern": "the last one"})
        watch.event("response", lambda each: each["request"]["op"] == "protect.add")
        events = [each for each in watch.kept if "event" in each]
    secrets |= {"a misspelt keyword": "zqk-Correct", "a variable": "zqv-Correct"}
    use_keywords(house, site, secrets)
    keep(house, events)

    # The caller gets what it asked for.
    for kind in ("a cookie", "a cookie of the page", "an item of the page"):
        assert secrets[kind] in listed
    seen = {each["request"]["op"] for each in events if each["event"] == "response"}
    assert {op for _, op, _ in KINDS} | set(LISTS) <= seen
    leaks = found_in(json.dumps(events), secrets, "an event")
    leaks += found_in(
        json.dumps([{**each, "data": None} for each in answers]), secrets, "an answer"
    )
    requests = [each["request"] for each in events if "request" in each]
    assert {each["input"]["key"] for each in requests if each["op"] == "press"} == {MASK}
    # The daemon does not know variables: `verify-text` has it as ordinary text.
    known = {kind: secret for kind, secret in secrets.items() if kind != "a variable"}
    held = set()
    for path in house.folder.rglob("*"):
        if not stat.S_ISREG(path.lstat().st_mode) or is_browsers(path):
            continue
        name = path.name if path.name in MAY_HOLD else path.suffix
        expected = known if path.name.startswith("history-") else secrets
        found = found_in(path.read_text(errors="replace"), expected, path.name)
        if name in MAY_HOLD:
            assert path.stat().st_mode & 0o777 == 0o600, path
            held |= {path.name} if found else set()
        else:
            leaks += found
    recorded = recorded_texts(house)
    assert all(op in recorded for _, op, _ in KINDS)
    leaks += found_in(recorded, known, "the history")
    assert leaks == [], "\n".join(leaks)
    assert {"traffic.har", "state.json", "cdp.headers", "config.json"} <= held


def recorded_texts(house: House) -> str:
    """All that the history has: its files are searched too, but some of it is compressed."""
    with HistoryReader(house.folder / "state" / "pwtui" / "history-1.db") as history:
        rows = [
            row
            for table in ("names", "requests", "bodies", "events")
            for row in history.rows(f"select * from {table}")
        ]
        contents = [history.content(id) or b"" for (id,) in history.rows("select id from contents")]
    return repr(rows) + b"".join(contents).decode("utf-8", "replace")


def use_keywords(house: House, site: TestSite, secrets: dict[str, str]) -> None:
    """The prompt, its history and recordings, and a replay with reports that fails."""
    password, token = secrets["a password"], secrets["token"]
    lines = f"""
        fil Password {secrets["a misspelt keyword"]}
        .record kept.ndjson
        goto {site.url(f"/form.html?token={token}")}
        fill Password {password}
        cookie-set sid {secrets["a cookie"]}
        cookie-list
        .save
        .record kept.pw
        click Password
        type {password}
        goto http://ada:{secrets["credentials"]}@127.0.0.1:1/
        .save
    """
    assert house.thin("repl", input=lines.encode()).code == 1
    (house.root / "v.pw").write_text(
        f"goto {site.url('/form.html')}\nfill Password {{{{word}}}}\nverify-text {{{{word}}}}\n"
    )
    replayed = house(
        *("replay", "v.pw", "--report", "r.xml", "--report", "r.html"),
        *("--var", f"word={secrets['a variable']}"),
    )
    assert replayed.code == 1
    assert found_in(replayed.out + replayed.err, secrets, "the output of a replay") == []
    failing = json.dumps({"url": f"http://ada:{secrets['credentials']}@127.0.0.1:1/"})
    shown = house.thin("exec", "navigate", "--input", failing, "-v", "-f", "text")
    assert found_in(shown.out + shown.err, secrets, "an error as text") == []
    listed = house.thin("session", "list", "-f", "text")
    assert found_in(listed.out, secrets, "the list of sessions") == []


def keep(house: House, events: list[Message]) -> None:
    """As the panel does it: its recording, and its two kinds of export."""
    answered = [each for each in events if each["event"] == "response"]
    journal = Journal.start(house.workspace)
    for event in answered:
        journal.write({"request": event["request"], "response": event["response"]})
    journal.close()
    entries = [
        LogEntry(
            n, 0.0, "agent", "default", each["request"]["op"], each["request"], each["response"]
        )
        for n, each in enumerate(answered)
    ]
    write_ndjson(entries, house.root / "requests.ndjson", with_responses=False)
    write_ndjson(entries, house.root / "pairs.ndjson", with_responses=True)
    assert MASK not in (house.root / "requests.ndjson").read_text()


def found_in(text: str, secrets: dict[str, str], where: str) -> list[str]:
    return [f"{kind} in {where}" for kind, secret in secrets.items() if secret in text]


def is_browsers(path: Path) -> bool:
    """Whether it is of a browser's own profile, in a folder that only the user can open."""
    folders = [each for each in path.parents if each.name.startswith(("data-", "playwright_"))]
    return bool(folders)
