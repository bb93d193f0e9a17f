"""`pw install`, and the errors that name it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pwtui.protocol.extras import install_command
from tests.cli.pw import Pw

INSTALLER = """
import sys
print(sys.executable, *sys.argv[1:])
sys.exit("firefox" in sys.argv)
"""


def installer(root: Path) -> dict[str, str]:
    """A Playwright that only says how its installer is called; for Firefox it fails."""
    package = root / "fake" / "playwright"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text(INSTALLER)
    return {"PYTHONPATH": str(package.parent), "PATH": ""}


def test_a_browser_is_installed_by_the_python_that_runs_pw(pw: Pw) -> None:
    environment = installer(pw.root)

    chromium = pw("install", environment=environment)
    webkit = pw("install", "webkit", "--with-deps", environment=environment)

    assert (chromium.code, chromium.out) == (0, f"{sys.executable} install chromium\n")
    assert (webkit.code, webkit.out) == (0, f"{sys.executable} install --with-deps webkit\n")


def test_with_json_the_output_of_the_installer_goes_to_stderr(pw: Pw) -> None:
    environment = installer(pw.root)

    chromium = pw("install", "--json", environment=environment)
    firefox = pw("install", "firefox", "--format", "ndjson", environment=environment)

    assert chromium.json == {"target": "chromium", "installed": True}
    assert f"{sys.executable} install chromium" in chromium.err
    assert (firefox.code, firefox.json) == (1, {"target": "firefox", "installed": False})


def test_the_command_that_installs_a_browser_has_a_path_unless_pw_is_on_the_path(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    own = Path(sys.executable).with_name("pw")
    (tmp_path / "pw").symlink_to(own)  # as pipx and uv link it

    monkeypatch.setenv("PATH", str(tmp_path))
    assert install_command("firefox") == "pw install firefox"
    (tmp_path / "pw").unlink()
    assert install_command("firefox") == f"{own} install firefox"


def test_an_installation_that_fails_is_exit_code_one(pw: Pw) -> None:
    assert pw("install", "firefox", environment=installer(pw.root)).code == 1
    assert pw("install", "lynx").code == 2


def test_the_error_about_a_missing_browser_names_a_command_that_works(pw: Pw) -> None:
    pw.without_daemon()
    envelope = '{"op": "tabs.list", "runtime": {"overrides": {"browser": "webkit"}}}'
    environment = {"PLAYWRIGHT_BROWSERS_PATH": str(pw.root)}

    result = pw("exec", "--file", "-", input=envelope.encode(), environment=environment)

    assert result.json["error"]["code"] == "BROWSER_LAUNCH_FAILED"
    assert f"install it with `{install_command('webkit')}`" in result.json["error"]["hint"]
