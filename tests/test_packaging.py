"""What an installation gets: all that the code imports, whichever pip installs it."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from email.parser import Parser
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from pwtui.protocol.extras import missing_extra
from tests.site import TestSite

ROOT = Path(__file__).parents[1]
PRODUCT = ("pwtui", "widgets", "themes")
EXTRAS = {"read", "serve"}

LOAD = """
import importlib, json, sys
before = set(sys.modules)
for name in json.load(sys.stdin):
    importlib.import_module(name)
print(json.dumps(sorted({name.partition(".")[0] for name in set(sys.modules) - before})))
"""


def imported_modules() -> set[str]:
    """The modules of other distributions that the product imports, wherever it does."""
    found: set[str] = set()
    for package in PRODUCT:
        for file in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Import):
                    found.update(each.name for each in node.names)
                elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    found.add(node.module)
    # Only pytest loads its plugin.
    own = {*PRODUCT, *sys.stdlib_module_names, "pytest"}
    return {name for name in found if name.partition(".")[0] not in own}


def distributions_of(modules: set[str]) -> set[str]:
    known = packages_distributions()
    return {canonicalize_name(each) for module in modules for each in known.get(module, ())}


def requirements(name: str, extras: set[str]) -> list[Requirement]:
    needed = [Requirement(line) for line in distribution(name).requires or ()]
    chosen = [{"extra": each} for each in ("", *extras)]
    return [
        each
        for each in needed
        if each.marker is None or any(each.marker.evaluate(extra) for extra in chosen)
    ]


def installed_by_an_old_pip() -> set[str]:
    """All that pwtui brings along.

    To pip 23.2, which comes with Python 3.11 and 3.12, `html_clean` is another extra than
    `html-clean`: it installs an extra only under the very name that its distribution declares.
    """
    found: set[str] = set()
    waiting = [Requirement(f"pwtui[{','.join(EXTRAS)}]")]
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        declared = distribution(name).metadata.get_all("Provides-Extra") or ()
        extras = requirement.extras & set(declared)
        if name not in found or extras:
            found.add(name)
            waiting += requirements(name, extras)
    return found


def test_every_imported_distribution_is_a_direct_dependency() -> None:
    needed = distributions_of({name.partition(".")[0] for name in imported_modules()})

    direct = {canonicalize_name(each.name) for each in requirements("pwtui", EXTRAS)}

    assert needed - direct == set()


def test_an_old_pip_installs_all_that_is_imported() -> None:
    loaded = subprocess.run(
        [sys.executable, "-c", LOAD],
        input=json.dumps(sorted(imported_modules())),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    needed = distributions_of(set(json.loads(loaded.stdout)) - sys.stdlib_module_names)

    assert needed - installed_by_an_old_pip() == set()


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The wheel that is built from the repository, and the one that is built from the sdist."""
    folder = tmp_path_factory.mktemp("dist")

    def build(source: Path, target: str, to: str) -> Path:
        options = ["-t", target, "-d", str(folder / to)]
        command = [sys.executable, "-m", "hatchling", "build", *options]
        subprocess.run(command, cwd=source, capture_output=True, timeout=120, check=True)
        (built,) = (folder / to).iterdir()
        return built

    with tarfile.open(build(ROOT, "sdist", "sdist")) as archive:
        archive.extractall(folder / "source", filter="data")
    (source,) = (folder / "source").iterdir()
    return {"repository": build(ROOT, "wheel", "a"), "sdist": build(source, "wheel", "b")}


def product_files() -> set[str]:
    """The files of the product, by their place in the package."""
    found = {
        file.relative_to(ROOT).as_posix()
        for package in PRODUCT
        for file in (ROOT / package).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    return {name if name.startswith("pwtui/") else f"pwtui/{name}" for name in found}


@pytest.mark.parametrize("source", ["repository", "sdist"])
def test_a_wheel_holds_the_package_and_the_manual_pages(
    wheels: dict[str, Path], source: str
) -> None:
    with zipfile.ZipFile(wheels[source]) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    manual = {name for name in names if ".data/" in name}
    names -= manual

    assert {name.partition(".data/")[2] for name in manual} == {
        "data/share/man/man1/pw.1",
        "data/share/man/man1/pwtui.1",
    }
    assert names == product_files()
    assert {name.partition("/")[0] for name in names} == {"pwtui"}
    assert {"pwtui/widgets/__init__.py", "pwtui/themes/__init__.py"} <= names


@pytest.fixture(scope="module", params=["repository", "sdist"])
def environment(
    wheels: dict[str, Path],
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """A new virtual environment with the wheel; its dependencies are those of this one."""
    folder = tmp_path_factory.mktemp("installed") / "venv"
    venv.create(folder)
    (packages,) = folder.glob("lib/python*/site-packages")
    with zipfile.ZipFile(wheels[request.param]) as wheel:
        wheel.extractall(packages)
    # A path alone: the editable installation that is there is not loaded.
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    return folder


def test_folders_of_the_user_called_widgets_and_themes_break_nothing(
    environment: Path, tmp_path: Path
) -> None:
    for name in ("widgets", "themes"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(f"raise ImportError('the wrong {name}')")
    code = (
        "import importlib, pwtui\n"
        "from pathlib import Path\n"
        "root = Path(pwtui.__file__).parent\n"
        "for file in sorted(root.rglob('*.py')):\n"
        "    name = '.'.join(file.relative_to(root.parent).with_suffix('').parts)\n"
        "    if not name.endswith('__main__'):\n"
        "        importlib.import_module(name)\n"
        "print(root)\n"
    )

    loaded = subprocess.run(
        [environment / "bin" / "python", "-c", code],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert loaded.returncode == 0, loaded.stderr
    assert Path(loaded.stdout.strip()).is_relative_to(environment)


WITHOUT_EXTRAS = """
import sys
sys.modules.update(dict.fromkeys(("trafilatura", "textual_serve", "textual_serve.server")))
"""


def test_the_panel_says_how_to_install_what_serving_it_needs() -> None:
    code = f"{WITHOUT_EXTRAS}\nfrom pwtui.cli.panel import main; sys.exit(main())"

    command = [sys.executable, "-c", code, "--serve"]
    refused = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)

    assert refused.returncode == 2
    assert "--serve needs packages that are not installed" in refused.stderr
    assert f"{sys.executable} -m pip install 'pwtui[serve]'" in refused.stderr


@pytest.mark.parametrize(
    ("prefix", "command"),
    [
        ("/home/ada/.local/share/pipx/venvs/pwtui", "pipx install --force 'pwtui[read]'"),
        ("/home/ada/.local/share/uv/tools/pwtui", "uv tool install 'pwtui[read]'"),
        ("/home/ada/project/.venv", f"{sys.executable} -m pip install 'pwtui[read]'"),
    ],
)
def test_an_extra_is_installed_as_pwtui_was(
    monkeypatch: pytest.MonkeyPatch, prefix: str, command: str
) -> None:
    monkeypatch.setattr(sys, "prefix", prefix)

    error = missing_extra("read", "page.read")

    assert (error.code, error.details) == ("UNSUPPORTED_MODE", {"extra": "read"})
    assert error.hint == f"install them with `{command}`"


@pytest.mark.thorough
@pytest.mark.timeout(900)
def test_the_wheel_works_as_the_pip_that_comes_with_python_installs_it(
    site: TestSite, tmp_path: Path
) -> None:
    def run(*command: str | Path, cwd: Path = tmp_path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=cwd,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
            env=os.environ | {"PWTUI_RUNTIME_DIR": str(tmp_path / "run")},
        )

    python = Path(sys.base_prefix, "bin", f"python3.{sys.version_info.minor}")
    assert run(python, "-m", "venv", tmp_path / "venv").returncode == 0
    bin = tmp_path / "venv" / "bin"
    pip = (bin / "python", "-m", "pip", "--disable-pip-version-check")
    reached = run(*pip, "download", "--no-deps", "-d", tmp_path / "probe", "hatchling")
    if reached.returncode != 0:
        pytest.skip(f"the package index cannot be reached: {reached.stderr.splitlines()[-1]}")

    built = run(*pip, "wheel", "--no-deps", "-w", tmp_path, ROOT)
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("pwtui-*.whl")
    plugins = ("pytest-xdist", "pytest-rerunfailures", "pytest-playwright", "pytest-shard")
    installed = run(*pip, "install", f"{wheel}[{','.join(EXTRAS)}]", *plugins)
    assert installed.returncode == 0, installed.stderr
    page = site.url("/article.html")
    (tmp_path / "recordings").mkdir()
    for name, selector in (("good", "h1"), ("bad", "#missing")):
        steps = f"goto {page}\nverify-element {selector}\n"
        (tmp_path / "recordings" / f"{name}.pw").write_text(steps)
    try:
        for command in (
            ("exec", "page.text", "--input", json.dumps({"url": page, "selector": "h1"})),
            ("exec", "page.read", "--input", json.dumps({"url": page})),
            ("repl", "-c", f"goto {page}"),
        ):
            done = run(bin / "pw", *command)
            assert done.returncode == 0, done
        assert run(bin / "pwtui", "--help").returncode == 0
        options = ("-n", "2", "--reruns", "1", "--browser", "chromium", "--num-shards", "1")
        tested = run(bin / "pytest", "recordings", "--pw-timeout", "2s", *options)
        assert "1 failed, 1 passed, 1 rerun" in tested.stdout, tested
    finally:
        assert run(bin / "pw", "daemon", "stop").returncode == 0


def test_the_package_page_has_absolute_links_and_the_projects_addresses(
    wheels: dict[str, Path],
) -> None:
    with zipfile.ZipFile(wheels["sdist"]) as wheel:
        (name,) = (each for each in wheel.namelist() if each.endswith(".dist-info/METADATA"))
        metadata = Parser().parsestr(wheel.read(name).decode())
    description = metadata.get_payload()

    assert isinstance(description, str)
    assert "](https://github.com/pwtui/pwtui/raw/main/docs/pictures/panel.png)" in description
    assert re.findall(r"\]\((?!https://)[^)]*\)", description) == []
    assert metadata["Author"] == "The pwtui authors"
    urls = metadata.get_all("Project-URL") or []
    assert {each.partition(",")[0] for each in urls} >= {"Source", "Issues", "Documentation"}
