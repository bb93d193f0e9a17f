"""Workflows, compose files and manifests of the documentation: valid, and consistent with pwtui."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from pwtui.cli.parser import parse
from pwtui.pytest_plugin import SETTINGS
from tests.docs.page import ROOT, pages

BLOCK = re.compile(r"^```yaml[^\n]*\n(.*?)^```$", re.M | re.S)
SERVERS = ROOT / "docs" / "how-to" / "many-machines.md"


def documents(path: Path) -> list[dict[str, Any]]:
    """The YAML documents of a page, or of a file."""
    text = path.read_text(encoding="utf-8")
    blocks = BLOCK.findall(text) if path.suffix == ".md" else [text]
    return [each for block in blocks for each in yaml.safe_load_all(block)]


WORKFLOWS = [
    (path, each)
    for path in [*pages(), *(ROOT / ".github" / "workflows").glob("*.yml")]
    for each in documents(path)
    if "jobs" in each
]


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from texts(each)
    elif isinstance(value, str):
        yield value


@pytest.mark.parametrize(("path", "workflow"), WORKFLOWS, ids=lambda it: getattr(it, "name", "…"))
def test_a_workflow_has_what_its_steps_refer_to(path: Path, workflow: dict[str, Any]) -> None:
    jobs = workflow["jobs"]
    for job in jobs.values():
        matrix = job.get("strategy", {}).get("matrix", {})
        used = {name for text in texts(job) for name in re.findall(r"{{ matrix\.(\w+) }}", text)}

        assert job["runs-on"]
        assert used == set(matrix)
        assert {job.get("needs")} - {None} <= set(jobs)
        assert all(("uses" in step) != ("run" in step) for step in job["steps"])


def test_commands_in_yaml_exist() -> None:
    options = {f"--pw-{each.name}" for each in SETTINGS}
    found = []
    for page in pages():
        for text in texts(documents(page)):
            if re.match(r"pw |pipx run --spec pwtui pw ", text):
                command = re.sub(r"\${{.*?}}", "chromium", text).partition("pw ")[2]
                found.append(parse(shlex.split(command.rpartition("pwtui pw ")[2]), {}))
            assert set(re.findall(r"--pw-[\w-]+", text)) <= options

    reference = (SERVERS.parent / "pytest.md").read_text()
    assert set(re.findall(r"`(--pw-[\w-]+)[ `]", reference)) >= options
    assert {each.name_of_command for each in found} >= {"replay", "install", "report"}


def test_the_servers_have_the_version_of_their_client_and_the_service_finds_them() -> None:
    text = SERVERS.read_text()
    images, commands = (
        re.findall(pattern, text)
        for pattern in (r"mcr\.microsoft\.com/playwright:v([\d.]+)-", r"playwright@([\d.]+)")
    )
    compose, deployment, service, job = documents(SERVERS)

    assert set(images) == set(commands)
    assert len(set(images)) == 1
    assert set(compose["services"]["replay"]["depends_on"]) < set(compose["services"])
    pod = deployment["spec"]["template"]
    port = pod["spec"]["containers"][0]["ports"][0]["containerPort"]
    assert service["spec"]["selector"] == pod["metadata"]["labels"]
    assert deployment["spec"]["selector"]["matchLabels"] == pod["metadata"]["labels"]
    assert str(port) in pod["spec"]["containers"][0]["command"]
    address = f"ws://{service['metadata']['name']}:{service['spec']['ports'][0]['port']}/"
    assert any(address in each for each in texts(job))
    shards = int(re.search(r"--num-shards (\d+)", " ".join(texts(job)))[1])  # type: ignore[index]
    assert shards == job["spec"]["completions"]
