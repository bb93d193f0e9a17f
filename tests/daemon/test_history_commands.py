"""`pw history`, with a daemon and without; exports give the same results on a fresh browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pwtui.demo import DemoSite
from pwtui.protocol.secrets import MASK
from tests.daemon.house import House

PASSWORD = "zq-Correct_Horse"


@pytest.fixture(scope="module")
def shop() -> Iterator[DemoSite]:
    with DemoSite() as site:
        yield site


@pytest.fixture(scope="module")
def bought(shop: DemoSite) -> Iterator[House]:
    """Where a client has logged in, bought something and looked at the cart."""
    with House() as house:
        house.start_daemon()
        with house.wire(client="shopper") as wire:
            wire.data("navigate", {"url": f"{shop.url}login.html"})
            wire.data("fill", {"selector": "#email", "text": "ada@example.com"})
            wire.data("fill", {"selector": "#password", "text": PASSWORD})
            wire.data("click", {"selector": "form button"})
            wire.data("navigate", {"url": f"{shop.url}product.html?id=mug"})
            wire.data("click", {"words": "Add to cart"})
            wire.data("navigate", {"url": f"{shop.url}cart.html"})
            wire.data("page.text", {"selector": "#total"})
            assert not wire.call("click", {"selector": "("})["ok"]
        house.stop_daemon()
        yield house


def run(house: House, *arguments: str) -> Any:
    result = house("history", *arguments, "--json")
    assert result.code == 0, result.err
    return json.loads(result.out)


def total(house: House) -> str:
    (entry,) = run(house, "list", "op:page.text")
    return str(entry["response"]["data"]["text"])


def test_requests_are_listed_without_a_daemon(bought: House) -> None:
    listed = run(bought, "list", "client:shopper")
    assert [each["op"] for each in listed].count("navigate") == 3
    assert run(bought, "list", "is:error")[-1]["op"] == "click"
    shown = run(bought, "show", str(listed[0]["id"]))
    assert shown["request"]["op"] == "navigate"
    assert run(bought, "path")["path"].endswith("history-1.db")
    assert run(bought, "prune")["deleted"] == 0
    rows = {row["name"]: row for row in run(bought, "stats", "--by", "op")}
    assert rows["navigate"]["requests"] == 3
    text = bought("history", "list", "op:fill", "-f", "text")
    assert text.code == 0
    assert "OPERATION" in text.out
    assert bought.daemon() is None


def test_what_is_found_and_written_is_printed_as_text(bought: House) -> None:
    def said(*arguments: str) -> str:
        result = bought("history", *arguments, "-f", "text")
        assert result.code == 0, result.err
        return str(result.out + result.err)

    (id,) = [each["id"] for each in run(bought, "list", "op:page.text")]
    assert "page.text" in said("show", str(id))
    assert said("search", "ada@example.com").splitlines()[0].split() == [
        "ID",
        "TIME",
        "WHERE",
        "TEXT",
    ]
    counted = {line.split()[0]: line.split()[1:3] for line in said("stats").splitlines()}
    assert counted["navigate"] == ["3", "0"]
    assert counted["click"] == ["3", "1"]
    assert "secrets are variables; use it with --var password=…" in said(
        "export", "client:shopper", "-o", "text.pw"
    )
    assert said("report", str(id), "-o", "text.html").startswith("saved /")
    assert said("prune").startswith("deleted 0 requests; ")
    assert said("path").endswith("history-1.db\n")


def test_a_database_that_cannot_be_read_is_reported(bought: House) -> None:
    folder = bought.root / "damaged"
    (folder / "pwtui").mkdir(parents=True)
    (folder / "pwtui" / "history-1.db").write_text("no database")

    result = bought("history", "list", environment={"XDG_STATE_HOME": str(folder)})

    assert (result.code, result.out) == (1, "")
    assert "history-1.db cannot be read" in result.err


def test_a_command_is_the_client_of_its_requests(warm: House) -> None:
    assert warm.thin("-p", "default", "-q", "protect.list").code == 0
    assert warm.thin("--format", "json", "ops", "click").code == 0

    assert [each["client"] for each in run(warm, "list")[:2]] == ["pw protect.list", "pw ops"]


def test_a_search_finds_what_a_page_showed(bought: House) -> None:
    assert run(bought, "search", "ada@example.com")
    assert bought("history", "search", "no such thing", "--json").code == 1


def test_what_does_not_exist_is_reported(bought: House) -> None:
    for arguments in (("show", "9999"), ("export", "9999", "-o", "x.pw"), ("list", "since:x")):
        result = bought("history", *arguments)
        assert result.code == 1, arguments
        assert "Traceback" not in result.err
    assert bought("history", "export", "1", "-o", "x.txt").code == 2


@pytest.mark.parametrize("name", ["x.ndjson", "x.pw"])
def test_an_export_replays_with_the_same_results(bought: House, name: str) -> None:
    report = run(bought, "export", "client:shopper", "-o", name)
    assert report["variables"] == ["password"]
    text = (bought.root / name).read_text()
    assert PASSWORD not in text
    assert MASK not in text
    replayed = bought("replay", name, "--var", f"password={PASSWORD}")
    assert replayed.code == 0, replayed.out + replayed.err


def test_an_export_runs_as_a_batch_with_the_same_results(bought: House, shop: DemoSite) -> None:
    run(bought, "export", "client:shopper", "-o", "y.ndjson")
    lines = (bought.root / "y.ndjson").read_bytes()
    with House() as fresh:
        done = fresh("batch", "--var", f"password={PASSWORD}", input=lines)
        assert done.code == 0, done.err
        responses = [json.loads(line) for line in done.out.splitlines()]
    assert all(each["ok"] for each in responses)
    assert responses[-1]["data"]["text"] == total(bought)


def test_a_test_a_har_and_a_report_are_written(bought: House) -> None:
    for name in ("x.py", "x.har"):
        run(bought, "export", "1..", "-o", name)
    har = json.loads((bought.root / "x.har").read_text())
    assert har["log"]["version"] == "1.2"
    compile((bought.root / "x.py").read_text(), "x.py", "exec")
    run(bought, "report", "client:shopper", "-o", "run.html")
    report = bought.root / "run.html"
    assert PASSWORD not in report.read_text()
    assert Path(report).stat().st_mode & 0o777 == 0o600
