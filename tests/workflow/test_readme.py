"""The README's own commands, from a fresh clone."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from crosslingua.config import check, load_schema
from crosslingua.workflow import pair_name


def run(*command: str, cwd: Path, **variables: str) -> str:
    environment = {
        k: v
        for k, v in os.environ.items()
        if k not in ("PYTHONPATH", "VIRTUAL_ENV", "MAKEFLAGS", "MAKELEVEL")
    }
    done = subprocess.run(
        command, cwd=cwd, env=environment | variables, capture_output=True, text=True, timeout=1800
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.clone
def test_demo_and_test_work_from_a_fresh_clone(repository: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    run("git", "clone", "--quiet", str(repository), str(clone), cwd=tmp_path)
    # One paper of the demo, for time; the tiny scale runs all of them (test_tiny.py).
    demo = ("make", "demo", "TARGETS=joint_align")
    run(*demo, cwd=clone)
    for name in ("claims/joint_align.csv", "tables/joint_align_table1.md", "plots/joint_align_figure1.png"):
        assert (clone / "results/demo" / name).stat().st_size > 0
    assert "Nothing to be done" in run(*demo, cwd=clone)
    assert re.search(r"\d+ passed", run("make", "test", "PYTEST_ARGS=tests/test_registry.py", cwd=clone))
    assert run("git", "status", "--porcelain", cwd=clone) == ""


def test_every_command_of_the_readme_exists(repository: Path) -> None:
    text = (repository / "README.md").read_text()
    targets = set(re.findall(r"(?:`|^)make (\w+)", text, re.MULTILINE))
    assert {"demo", "test", "small"} <= targets
    makefile = (repository / "Makefile").read_text()
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)
    for path in re.findall(r"\]\((?!https?:)([^)#]+)\)", text):
        assert (repository / path).exists(), path


def test_the_example_configuration_is_valid(repository: Path) -> None:
    block = re.search(r"```yaml\n(.*?)```", (repository / "README.md").read_text(), re.DOTALL)
    example = yaml.safe_load(block[1])
    config = yaml.safe_load((repository / "config.yaml").read_text())
    merged = {
        key: value | example.get(key, {}) if isinstance(value, dict) else example.get(key, value)
        for key, value in config.items()
    }
    merged["joint_align"]["figure1"] = config["joint_align"]["figure1"] | example["joint_align"]["figure1"]
    check(merged, load_schema(repository / "schemas/config.schema.yaml"))
    assert pair_name(example["joint_align"]["pairs"][0]) == example["joint_align"]["figure1"]["pair"]


def test_the_readme_is_short(repository: Path) -> None:
    assert len((repository / "README.md").read_text().splitlines()) < 100
