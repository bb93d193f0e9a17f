"""page.run: Python code of the user, in a separate process."""

from __future__ import annotations

import asyncio

import psutil
import pytest

from pwtui.operations.page import run
from tests.client import Client
from tests.site import TestSite
from tests.waiting import until


def scripts() -> list[psutil.Process]:
    """The processes of scripts that still run."""
    found = []
    for process in psutil.Process().children(recursive=True):
        try:
            if "pwtui.browser.page.python_runner" in process.cmdline():
                found.append(process)
        except psutil.Error:
            continue
    return found


async def test_code_works_on_the_page_that_is_open(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    await client.data("tabs.new", {"url": site.url("/form.html")})
    code = """
await page.fill("#name", "Ada")
print("filled", len(context.pages))
{"title": await page.title(), "tags": {"a"}, "page": page}
"""
    data = await client.data("page.run", {"code": code})
    assert data["printed"] == "filled 2\n"
    assert (data["result"]["title"], data["result"]["tags"]) == ("Form", ["a"])
    await client.data("verify.value", {"selector": "#name", "value": "Ada"})


async def test_code_may_return_and_print(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/form.html")})
    code = "def f():\n    return 1\na = page.title()\nif f():\n    print('out')\n    return a"
    assert await client.data("page.run", {"code": code}) == {"result": "Form", "printed": "out\n"}


async def test_javascript_is_refused_in_one_sentence(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/form.html")})
    error = await client.error("page.run", {"code": "async (page) => await page.title()"})
    assert "page.run takes Python, and the code looks like JavaScript" in error.message


async def test_a_result_that_is_too_large_is_refused(
    client: Client, site: TestSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "LONGEST_LINE", 100_000)
    await client.data("navigate", {"url": site.url("/text.html")})
    error = await client.error("page.run", {"code": "'x' * 1_000_000"})
    assert error.code == "RESULT_TOO_LARGE"


async def test_failure_names_its_line(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    (client.root / "broken.py").write_text("import helper\n\nhelper.fail()\n")
    (client.root / "helper.py").write_text("def fail():\n    raise ValueError('no')\n")
    error = await client.error("page.run", {"file": "broken.py"})
    assert (error.code, error.message) == ("SCRIPT_FAILED", "ValueError in line 3: no")
    assert error.details is not None
    assert "script_process" not in error.details["traceback"]
    error = await client.error("page.run", {"code": "x = 1\ny = (2"})
    assert error.message.startswith("SyntaxError in line 2")
    error = await client.error("page.run", {"code": "print('so far'); import os; os._exit(3)"})
    assert error.code == "SCRIPT_FAILED"
    assert error.details is not None
    assert error.details["printed"] == "so far\n"
    for input in ({}, {"code": "1", "file": "x"}):
        assert (await client.error("page.run", input)).code == "INVALID_INPUT"
    assert (await client.error("page.run", {"file": "nowhere.py"})).code == "IO_ERROR"


async def test_endless_code_is_killed_at_the_timeout(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    error = await client.error(
        "page.run", {"code": "while True: pass"}, overrides={"timeoutMs": 2000}
    )
    assert error.code == "TIMEOUT"
    assert scripts() == []
    task = asyncio.ensure_future(client.send("page.run", {"code": "while True: pass"}))
    await until(scripts, "the code runs")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert scripts() == []
    assert (await client.data("page.text", {"selector": "h1"}))["text"] == "Hello"


@pytest.mark.usefixtures("own_tab")
async def test_dialog_of_the_code_waits_or_is_answered_by_it(
    client: Client, site: TestSite
) -> None:
    await client.data("navigate", {"url": site.url("/dialogs.html")})
    error = await client.error("page.run", {"code": "await page.click('#confirm')"})
    assert error.code == "DIALOG_OPEN"
    await client.data("dialog.accept")
    code = """
async def refuse(dialog):
    await dialog.dismiss()
page.on("dialog", refuse)
await page.click("#confirm")
await page.inner_text("#answer")
"""
    assert (await client.data("page.run", {"code": code}))["result"] == "confirm: false"
