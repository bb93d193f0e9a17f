"""The Python API: typed data, errors, and events."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import pwtui
from docs.generators.client_stub import STUB, stub_text
from pwtui.client.data import Data
from pwtui.protocol.catalog import catalog
from pwtui.protocol.errors import ErrorCode, error_of
from pwtui.protocol.events import ConsoleEvent, NetworkEvent
from tests.daemon.house import House
from tests.site import TestSite
from tests.waiting import LIMIT


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    with House() as shared:
        shared.start_daemon()
        yield shared


@pytest.fixture
def user(house: House, monkeypatch: pytest.MonkeyPatch, _private_environment: None) -> House:
    for name, value in house.environment().items():
        monkeypatch.setenv(name, value)
    return house


def test_the_types_of_call_are_current() -> None:
    assert STUB.read_text() == stub_text(), "run `make docs`"


CALLS = """\
import pwtui

with pwtui.connect() as pw:
    title: str = pw.call("page.title").title
    pw.call("click", words="Save", wait_ms=200)
    for event in pw.subscribe("console", "pageError"):
        if event.event == "console":
            print(event.text)
    pw.call("page.titel")  # wrong
    pw.call("click", selektor="#a")  # wrong
    pw.call("click", words=3)  # wrong
    pw.subscribe("consol")  # wrong


async def main() -> None:
    async with pwtui.connect_async() as pw:
        status: int | None = (await pw.call("navigate", url="/")).status
        await pw.call("navigate", uri="/")  # wrong
"""


def test_a_type_checker_finds_wrong_calls(tmp_path: Path) -> None:
    (tmp_path / "calls.py").write_text(CALLS)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-pretty", "calls.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )

    found = {line.split(":")[1] for line in done.stdout.splitlines() if ": error: " in line}
    lines = enumerate(CALLS.splitlines(), 1)
    assert found == {str(number) for number, line in lines if "# wrong" in line}, done.stdout


def test_importing_it_loads_nothing(house: House) -> None:
    code = "import sys, pwtui; print(*(m for m in sys.modules if m.startswith('pwtui.')))"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=LIMIT)

    assert done.stdout == "\n"
    assert set(pwtui.__all__) <= set(dir(pwtui)) | set(pwtui.__all__)
    assert all(getattr(pwtui, name) for name in pwtui.__all__)
    with pytest.raises(AttributeError):
        pwtui.nonsense  # noqa: B018


@pytest.mark.parametrize("code", ErrorCode)
def test_each_error_code_has_its_exception(code: ErrorCode) -> None:
    error = error_of({"code": code, "message": "why", "hint": "do", "details": {"a": 1}})

    assert (error.code, str(error), error.details) == (code, "why; do", {"a": 1})


def test_data_has_attributes_also_within() -> None:
    schema = catalog()["tabs.list"].data
    wire = {"tabs": [{"index": 0, "url": "about:blank", "active": True}], "count": 1}

    data = Data(wire, schema, schema.get("$defs", {}))

    assert data.tabs[0].url == "about:blank"
    assert data.tabs[0].title is None
    assert data.to_wire() == wire
    assert "tabs" in dir(data)
    with pytest.raises(
        AttributeError, match="no field 'tab': this data has count, next_index, tabs"
    ):
        data.tab  # noqa: B018
    assert data.tabs[0] != data
    assert data == Data(dict(wire), schema, schema.get("$defs", {}))
    assert repr(data) == f"Data({wire!r})"
    assert len({data, data.tabs[0], data}) == 2


def test_data_of_a_referenced_type_has_attributes() -> None:
    schema = catalog()["click"].data
    dialog = {"type": "alert", "message": "Hello"}

    data = Data({"dialog": dialog}, schema, schema.get("$defs", {}))

    assert data.dialog.message == "Hello"
    assert data.downloads is None


def test_an_error_is_raised_and_a_batch_stops_there(user: House) -> None:
    with pwtui.connect(workspace=user.root, profile="mine") as pw:
        with pytest.raises(pwtui.errors.InvalidInput, match="unknown operation"):
            pw.batch([("protect.add", {"pattern": "a"}), ("nope", {}), ("protect.add", {})])
        assert pw.call("protect.list").protected == ["a"]
        assert pw.send("nope").ok is False


def test_events_of_another_client_come_without_asyncio(user: House) -> None:
    with pwtui.connect(workspace=user.root) as watcher, pwtui.connect(name="other") as pw:
        events = watcher.events("request", "client")
        pw.call("ops.describe", op="fill")
        seen = [next(events)]
        while seen[-1]["event"] != "request":
            seen.append(next(events))
        events.close()

    assert seen[-1]["client"]["name"] == "other"
    assert seen[-1]["request"]["input"] == {"op": "fill"}


async def test_without_the_daemon_it_runs_in_this_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PWTUI_RUNTIME_DIR", str(tmp_path / "run"))
    async with pwtui.connect_async(workspace=tmp_path, use_daemon=False) as pw:
        listed = await pw.call("profile.list")

    assert listed.profiles == []
    assert not (tmp_path / "run").exists()


def test_events_of_sessions_have_types(user: House, site: TestSite) -> None:
    with pwtui.connect(workspace=user.root, profile="seen") as pw:
        pw.call("navigate", url=site.url("/form.html"))
        events = pw.subscribe("console", "network")
        pw.call("page.eval", expression="console.log('hello'); fetch('/echo').then(() => 1)")
        first, second = next(events), next(events)
        events.close()

    assert isinstance(first, ConsoleEvent)
    assert (first.text, first.tab) == ("hello", 0)
    assert isinstance(second, NetworkEvent)
    assert (second.change, second.url) == ("request", site.url("/echo"))


async def test_a_closed_client_refuses_requests(user: House) -> None:
    async with pwtui.connect_async() as closed:
        assert (await closed.call("ops.describe", op="click")).op == "click"
    with pytest.raises(RuntimeError, match="the client is closed"):
        await closed.call("page.title")
    with pytest.raises(RuntimeError, match="the client is closed"):
        await closed.subscribe("console")


def test_a_closed_client_without_asyncio_refuses_requests(user: House) -> None:
    with pwtui.connect() as closed:
        pass
    with pytest.raises(RuntimeError, match="the client is closed"):
        closed.call("page.title")


def test_a_missing_workspace_is_refused(tmp_path: Path) -> None:
    with pytest.raises(pwtui.errors.InvalidInput, match="none is not a folder"):
        pwtui.connect(workspace=tmp_path / "none")
