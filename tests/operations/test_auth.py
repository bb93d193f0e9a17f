"""auth.*: saved logins, and cookies from an extension."""

from __future__ import annotations

import asyncio
import json
import stat
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from pwtui.protocol.envelope import Response
from pwtui.state.workspace import Workspace
from tests.client import Client
from tests.operations.support import delta, messages
from tests.site import TestSite
from tests.waiting import within


def cookie(name: str, value: str = "1", **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "value": value,
        "domain": "127.0.0.1",
        "path": "/",
        "expires": -1,
        "httpOnly": False,
        "secure": False,
        "sameSite": "Lax",
        **more,
    }


def save_state(path: Path, *cookies: dict[str, Any], origins: tuple[Any, ...] = ()) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"cookies": cookies, "origins": origins}))


async def sent_cookies(client: Client, site: TestSite, **more: Any) -> Any:
    """What the site is sent by the session."""
    await client.data("navigate", {"url": site.url("/cookies/show")}, **more)
    source = "JSON.parse(document.body.innerText)"
    return (await client.data("page.eval", {"expression": source}, **more))["result"]


async def test_cookies_of_the_page_are_listed(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/cookies/set?name=flavour&value=oat")})
    response = await client.send("auth.cookies", {"format": "json"})
    assert response.data is not None
    assert response.data.keys() == {"url", "format", "cookies", "count"}
    assert response.data["format"] == "json"
    found = {each["name"]: each for each in response.data["cookies"]}
    assert found["flavour"].keys() >= {
        "name",
        "value",
        "domain",
        "path",
        "expires",
        "httpOnly",
        "secure",
        "sameSite",
    }
    assert found["flavour"]["value"] == "oat"
    assert response.data["count"] == len(response.data["cookies"])
    assert response.inputs == {"format": "json"}
    assert delta(response) == {"url": response.data["url"]}


async def test_cookies_of_another_host_are_not_listed(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/cookies/set?name=mine&value=1")})
    other = site.url("/text.html").replace("127.0.0.1", "localhost")
    data = await client.data("auth.cookies", {"url": other})
    assert (data["url"], data["count"]) == (other, 0)


async def test_auth_file_of_one_request_does_not_leak(
    client: Client, site: TestSite, tmp_path: Path
) -> None:
    save_state(tmp_path / "login.json", cookie("login", "secret"))
    overrides = {"authFile": str(tmp_path / "login.json")}
    assert (await sent_cookies(client, site, overrides=overrides))["login"] == "secret"
    assert "login" not in await sent_cookies(client, site)
    assert (await sent_cookies(client, site, overrides=overrides))["login"] == "secret"


async def test_auth_file_sets_local_storage(client: Client, site: TestSite, tmp_path: Path) -> None:
    stored = {"origin": site.origin, "localStorage": [{"name": "token", "value": "abc"}]}
    save_state(tmp_path / "login.json", origins=(stored,))
    overrides = {"authFile": str(tmp_path / "login.json")}
    await client.data("navigate", {"url": site.url("/text.html")}, overrides=overrides)
    data = await client.data(
        "page.eval", {"expression": "localStorage.getItem('token')"}, overrides=overrides
    )
    assert data["result"] == "abc"


async def test_auth_file_of_the_profile_is_used(client: Client, site: TestSite) -> None:
    save_state(client.root / "saved" / "login.json", cookie("login", "profile"))
    config = {"defaults": {"authFile": "saved/login.json"}}
    await client.data("profile.set", {"name": "logged-in", "config": config})
    assert (await sent_cookies(client, site, profile="logged-in"))["login"] == "profile"


async def test_auth_folder_of_the_profile_is_used(client: Client, site: TestSite) -> None:
    folder = client.profiles.auth_folder("folder")
    save_state(folder / "a.json", cookie("a"))
    save_state(folder / "b.json", cookie("b"))
    (folder / "broken.json").write_text("{")
    response = await client.send("navigate", {"url": site.url("/cookies/show")}, profile="folder")
    assert any("broken.json" in message for message in messages(response))
    source = "JSON.parse(document.body.innerText)"
    sent = await client.data("page.eval", {"expression": source}, profile="folder")
    assert sent["result"].keys() == {"a", "b"}


@pytest.mark.parametrize("content", [None, "{", "[]", '{"cookies": [{}]}'])
async def test_auth_file_that_cannot_be_used_is_reported(
    client: Client, site: TestSite, tmp_path: Path, content: str | None
) -> None:
    path = tmp_path / "login.json"
    if content is not None:
        path.write_text(content)
    error = await client.error(
        "navigate", {"url": site.url("/text.html")}, overrides={"authFile": str(path)}
    )
    assert error.code == "AUTH_ERROR"
    assert error.details == {"path": str(path)}


@pytest.fixture
def saved(workspace: Workspace) -> Client:
    """A client for operations that start no browser."""
    return Client(workspace.root)


async def test_saved_login_is_shown_without_values(saved: Client) -> None:
    now = time.time()
    stored = {"origin": "https://a.example", "localStorage": [{"name": "k", "value": "v"}]}
    save_state(
        saved.root / "login.json",
        cookie("session", "secret-value"),
        cookie("old", expires=now - 10),
        cookie("minutes", expires=now + 10 * 60 + 30),
        cookie("hours", expires=now + 5 * 3600 + 60),
        cookie("days", expires=now + 12 * 86400 + 60),
        origins=(stored,),
    )
    response = await saved.send("auth.show", {"file": "login.json"})
    assert response.data is not None
    assert response.data == {
        "file": str(saved.root / "login.json"),
        "cookies": [
            {"name": "session", "domain": "127.0.0.1", "expires": "session"},
            {"name": "old", "domain": "127.0.0.1", "expires": "expired"},
            {"name": "minutes", "domain": "127.0.0.1", "expires": "10m"},
            {"name": "hours", "domain": "127.0.0.1", "expires": "5h"},
            {"name": "days", "domain": "127.0.0.1", "expires": "12d"},
        ],
        "cookieCount": 5,
        "origins": [stored],
        "originCount": 1,
    }
    assert "secret-value" not in response.to_json()
    assert response.inputs == {"outputPath": "login.json"}
    assert delta(response) == {}


async def test_bare_name_is_looked_up_in_the_auth_folder_too(saved: Client) -> None:
    path = saved.profiles.auth_folder("default") / "auth.json"
    save_state(path, cookie("a"))
    data = await saved.data("auth.show")
    assert data["file"] == str(path)
    assert data["cookieCount"] == 1


async def test_login_that_was_never_saved_is_an_auth_error(saved: Client) -> None:
    error = await saved.error("auth.show", {"file": "nowhere.json"})
    assert error.code == "AUTH_ERROR"
    assert "auth.login" in str(error.hint)


@dataclass
class Person:
    """A user at the terminal who presses Enter at once."""

    shown: list[str] = field(default_factory=list)
    heard: asyncio.Event = field(default_factory=asyncio.Event)

    def show(self, text: str) -> None:
        self.shown.append(text)
        self.heard.set()

    async def wait_for_enter(self) -> None:
        await asyncio.sleep(0)


class Absent(Person):
    async def wait_for_enter(self) -> None:
        await asyncio.Event().wait()


@asynccontextmanager
async def attached(client: Client) -> AsyncIterator[None]:
    """The default profile drives a separate browser, without a window."""
    await client.data(
        "profile.set", {"name": "default", "config": {"defaults": {"headless": True}}}
    )
    await client.data("connect", {"launch": True})
    try:
        yield
    finally:
        await client.data("connect", {"kill": True})


async def test_only_the_owner_can_read_a_saved_login(
    fresh_client: Callable[[], Client], site: TestSite, tmp_path: Path
) -> None:
    client = fresh_client()
    person = Person()
    async with attached(client):
        url = site.url("/cookies/set?name=login&value=42")
        response = await client.send("auth.login", {"url": url}, mode="exec", conversation=person)
        path = client.profiles.auth_folder("default") / "auth.json"
        assert response.data == {"path": str(path), "cookies": 1, "origins": 0, "url": url}
        assert response.inputs == {"url": url, "outputPath": "auth.json"}
        assert delta(response) == {"url": url, "output": str(path)}
        assert "press Enter" in person.shown[0]
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert json.loads(path.read_text())["cookies"][0]["value"] == "42"
        assert response.artifacts is not None
        assert [artifact.type for artifact in response.artifacts] == ["auth"]
        shown = await client.data("auth.show")
        assert [each["name"] for each in shown["cookies"]] == ["login"]

        elsewhere = str(tmp_path / "elsewhere" / "login.json")
        late = await client.send(
            "auth.login",
            {"output": elsewhere, "timeoutSecs": 0},
            mode="exec",
            conversation=Absent(),
        )
        assert late.ok, late.error
        assert late.data is not None
        assert late.data["path"] == elsewhere
        assert stat.S_IMODE(Path(elsewhere).stat().st_mode) == 0o600
        assert any("without Enter" in message for message in messages(late))

        await client.data("protect.add", {"pattern": "/cookies/"})
        refused = await client.error("auth.login", {"url": url}, mode="exec")
        assert "protected" in refused.message


@dataclass
class Listening:
    port: int
    token: str
    response: asyncio.Task[Response]

    def connect(self, **more: Any) -> connect:
        return connect(f"ws://127.0.0.1:{self.port}", **more)


@asynccontextmanager
async def listening(client: Client, **input: Any) -> AsyncIterator[Listening]:
    person = Person()
    task = asyncio.create_task(
        client.send(
            "auth.listen",
            {"port": 0, "timeoutSecs": 20, **input},
            mode="exec",
            conversation=person,
        )
    )
    try:
        await within(person.heard.wait())
        words = person.shown[0].replace(",", "").split()
        port = int(next(word for word in words if word.startswith("ws://")).rpartition(":")[2])
        yield Listening(port, words[words.index("token") + 1], task)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def ask(connection: ClientConnection, message: Any) -> Any:
    await connection.send(message if isinstance(message, str) else json.dumps(message))
    return json.loads(await within(connection.recv()))


PUSH = {
    "type": "push_cookies",
    "domains": [
        {
            "domain": ".shop.example.com",
            "cookies": [
                {"name": "a", "value": "1", "sameSite": "no_restriction", "secure": True},
                {"name": "b", "value": "2", "sameSite": "strict", "expirationDate": 1e10},
            ],
        }
    ],
}


async def test_pushed_cookies_are_saved_for_the_profile(saved: Client) -> None:
    async with listening(saved, once=True) as server, server.connect() as connection:
        welcome = await ask(connection, {"type": "hello", "token": server.token})
        assert welcome["type"] == "welcome"
        received = await ask(connection, PUSH)
        path = saved.profiles.auth_folder("default") / "shop_example_com.json"
        assert received == {"type": "received", "domains_saved": 1, "paths": [str(path)]}
        response = await server.response
        assert response.data == {
            "listening": False,
            "host": "127.0.0.1",
            "port": server.port,
            "saved": [str(path)],
        }
        assert response.inputs == {"port": 0, "timeoutSecs": 20, "once": True}
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        first, second = json.loads(path.read_text())["cookies"]
        assert (first["domain"], first["sameSite"], first["expires"]) == (
            ".shop.example.com",
            "None",
            -1,
        )
        assert (second["sameSite"], second["expires"]) == ("Strict", 1e10)
        shown = await saved.data("auth.show", {"file": "shop_example_com.json"})
        assert shown["cookieCount"] == 2


@pytest.mark.parametrize("token", ["", "wrong", "schön", None, 5])
async def test_wrong_token_is_rejected(saved: Client, token: object) -> None:
    async with listening(saved) as server, server.connect() as connection:
        answer = await ask(connection, {"type": "hello", "token": token})
        assert answer == {"type": "rejected", "reason": "wrong token"}
        with pytest.raises(ConnectionClosed):
            await within(connection.recv())
    assert not saved.profiles.auth_folder("default").exists()


async def test_cookies_without_a_hello_are_refused(saved: Client) -> None:
    async with listening(saved) as server, server.connect() as known:
        await ask(known, {"type": "hello", "token": server.token})
        async with server.connect() as unpaired:
            answer = await ask(unpaired, PUSH)
            assert answer["type"] == "rejected"
            with pytest.raises(ConnectionClosed):
                await within(unpaired.recv())
    assert not saved.profiles.auth_folder("default").exists()


@pytest.mark.parametrize("origin", ["https://evil.example", "http://127.0.0.1", "null"])
async def test_web_pages_may_not_connect(saved: Client, origin: str) -> None:
    async with listening(saved) as server:
        with pytest.raises(InvalidStatus) as refused:
            async with server.connect(origin=origin):
                pass
        assert refused.value.response.status_code == 403


async def test_extensions_may_connect(saved: Client) -> None:
    async with (
        listening(saved) as server,
        server.connect(origin="chrome-extension://abcdefghij") as connection,
    ):
        answer = await ask(connection, {"type": "hello", "token": server.token})
        assert answer["type"] == "welcome"


@pytest.mark.parametrize(
    "message",
    [
        "not json",
        "[]",
        {"type": "dance"},
        {"type": "push_cookies"},
        {"type": "push_cookies", "domains": [{}]},
        {"type": "push_cookies", "domains": [{"domain": "..", "cookies": []}]},
        {"type": "push_cookies", "domains": [{"domain": "a.example", "cookies": [{}]}]},
        {"type": "push_cookies", "domains": [{"domain": "x" * 5000, "cookies": []}]},
    ],
)
async def test_wrong_message_gets_an_error_and_the_connection_stays_open(
    saved: Client, message: Any
) -> None:
    async with listening(saved) as server, server.connect() as connection:
        await ask(connection, {"type": "hello", "token": server.token})
        assert (await ask(connection, message))["type"] == "error"
        assert (await ask(connection, PUSH))["type"] == "received"


async def test_domain_cannot_leave_the_auth_folder(saved: Client) -> None:
    push = {"type": "push_cookies", "domains": [{"domain": "../../x", "cookies": []}]}
    async with listening(saved) as server, server.connect() as connection:
        await ask(connection, {"type": "hello", "token": server.token})
        received = await ask(connection, push)
        folder = saved.profiles.auth_folder("default")
        assert [Path(path).parent for path in received["paths"]] == [folder]


async def test_listening_ends_after_its_time(saved: Client) -> None:
    response = await saved.send(
        "auth.listen", {"port": 0, "timeoutSecs": 0}, mode="exec", conversation=Person()
    )
    assert response.data is not None
    assert response.data["saved"] == []


async def test_port_that_is_taken_is_an_io_error(saved: Client) -> None:
    async with listening(saved) as server:
        error = await saved.error(
            "auth.listen",
            {"port": server.port, "timeoutSecs": 0},
            mode="exec",
            conversation=Person(),
            profile="other",
        )
    assert error.code == "IO_ERROR"
    assert str(server.port) in error.message
