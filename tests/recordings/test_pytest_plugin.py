"""The pytest plugin: which files are tests, how they run, and what it costs without any."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import psutil
import pytest

from tests.daemon.house import House
from tests.site import TestSite
from tests.waiting import LIMIT, eventually

GOOD = "goto /form.html\nfill Name {{who}}\nclick Submit\nverify-text name={{who}}\n"
BAD = "goto /form.html\nverify-title Nope\nclick Submit\n"
OTHERS_OPTIONS = """
def pytest_addoption(parser):
    parser.addoption("--browser", action="append")
    parser.addoption("--headed", action="store_true")
    parser.addoption("--base-url")

def pytest_configure(config):
    for name in ("playwright", "base_url"):
        config.pluginmanager.register(type(name, (), {})(), name)
"""


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    with House() as shared:
        shared.start_daemon()
        yield shared


def project(root: Path, files: dict[str, str]) -> Path:
    for name, text in {"pytest.ini": "[pytest]", **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def settings(folder: Path) -> list[str]:
    return ["-c", str(folder / "pytest.ini"), f"--rootdir={folder}", "-p", "no:cacheprovider"]


def command(folder: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "pytest", *settings(folder), *arguments]


class Collected(list[str]):
    """A plugin that keeps the ids of the tests."""

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        self += [each.nodeid for each in items]


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Runs of pytest in this process load no other plugin, and begin in the test's folder."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.chdir(tmp_path)


def run_here(folder: Path, *arguments: str) -> list[str]:
    """The ids of the collected tests."""
    found = Collected()
    pytest.main([*settings(folder), "-p", "pwtui.pytest_plugin", *arguments], plugins=[found])
    return found


@pytest.mark.usefixtures("alone")
def test_only_recordings_that_are_wanted_are_collected(tmp_path: Path) -> None:
    step = json.dumps({"request": {"op": "navigate", "input": {"url": "about:blank"}}})
    folder = project(
        tmp_path,
        {
            "recordings/a.pw": "goto about:blank\n",
            "recordings/deep/b.ndjson": f"\n{step}\n",
            "recordings/metrics.ndjson": '{"op": "measure"}\n[1]\n',
            "recordings/notes.txt": "goto about:blank\n",
            "others/c.pw": "goto about:blank\n",
            "others/events.ndjson": f"{step}\n",
        },
    )
    recorded = ["recordings/a.pw::replay", "recordings/deep/b.ndjson::replay"]

    def collected(*arguments: str) -> list[str]:
        return run_here(folder, "--collect-only", *arguments)

    assert collected() == collected("recordings") == recorded
    assert collected("others") == collected("-o", "pw_recordings=") == []
    assert collected("others/c.pw") == ["others/c.pw::replay"]
    assert collected("-o", "pw_recordings=others") == [
        "others/c.pw::replay",
        "others/events.ndjson::replay",
    ]


def test_where_there_is_no_recording_only_the_plugin_is_imported(tmp_path: Path) -> None:
    test = "import sys\ndef test_own(): print([m for m in sys.modules if m.startswith('pwtui')])\n"
    folder = project(tmp_path, {"test_own.py": test, "others/a.pw": ""})

    out = subprocess.run(command(folder, "-s"), cwd=folder, capture_output=True, timeout=LIMIT)

    assert b"['pwtui', 'pwtui.pytest_plugin']" in out.stdout


def test_recordings_are_tests_with_variables_urls_and_browsers(
    house: House, site: TestSite, tmp_path: Path
) -> None:
    settings = (
        "[pytest]\n"
        f"pw_base_url = {site.origin}\n"
        "pw_timeout = 2s\n"
        "pw_var =\n"
        "    who=Ada\n"
        "    unused=2\n"
    )
    folder = project(
        tmp_path,
        {
            "pytest.ini": settings,
            "conftest.py": OTHERS_OPTIONS,
            "recordings/a.pw": GOOD,
            "recordings/b.pw": BAD,
            "recordings/c.pw": "fill Name {{missing}}\n",
            "recordings/d.pw": "run-code 1 + 1\n",
        },
    )

    options = ("-n", "2", "--junitxml=junit.xml", "--browser", "chromium", "--pw-var", "who=s3cret")
    run = house.spawn(*command(folder, str(folder), *options))
    out = run.communicate(timeout=LIMIT)[0].decode()

    assert run.returncode == 1
    cases = list(ElementTree.parse(house.root / "junit.xml").getroot().iter("testcase"))
    failures = {case.get("classname"): case.findtext("failure") or "" for case in cases}
    assert {case.get("name") for case in cases} == {"replay[chromium]"}
    assert failures.pop("recordings.a.pw") == ""
    where, why, *artifacts = failures.pop("recordings.b.pw").splitlines()
    assert where == "recordings/b.pw:2: step 2 of 3: verify-title Nope"
    assert why == "ASSERTION_FAILED: title 'Form' does not have 'Nope' (waited 2000 ms)"
    assert {Path(each.partition(": ")[2]).is_file() for each in artifacts} == {True}
    assert "pw-replay/recordings/b.pw/" in artifacts[0]
    assert "missing variables: missing; set them with --pw-var" in failures.pop("recordings.c.pw")
    assert "if you trust the recording, replay it with" in failures.pop("recordings.d.pw")
    assert "s3cret" not in out + (house.root / "junit.xml").read_text()
    assert "3 failed, 1 passed" in out


@pytest.mark.usefixtures("alone")
def test_settings_that_are_wrong_and_endpoints_that_are_lost_are_reported(
    house: House,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in house.environment().items():
        monkeypatch.setenv(name, value)
    folder = project(tmp_path, {"a.pw": "goto about:blank\n"})

    for option, value, message in (
        ("--pw-browser", "safari", "'safari' is not a browser"),
        ("--pw-timeout", "soon", "--pw-timeout: 'soon' is not a duration"),
        ("--pw-on", "ws://127.0.0.1:9/,ws://127.0.0.1:10/", "no endpoint is left: all were lost"),
    ):
        run_here(folder, "a.pw", option, value)
        assert message in capsys.readouterr().out


def test_ctrl_c_closes_the_browser_of_a_recording(house: House, tmp_path: Path) -> None:
    folder = project(tmp_path, {"a.pw": "goto about:blank\nwait 60000\n"})
    run = house.spawn(*command(folder, str(folder / "a.pw")))
    eventually(house.browsers, "the browser runs")

    psutil.Process(run.pid).send_signal(signal.SIGINT)
    out = run.communicate(timeout=LIMIT)[0].decode()

    assert run.returncode == 2
    assert "KeyboardInterrupt" in out
    eventually(lambda: not house.browsers(), "it is closed")
