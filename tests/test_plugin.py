"""A package from outside adds a mapper and a paper, without an edit here (examples/plugin)."""

import csv
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from checkout import copy_checkout
from crosslingua.errors import ConfigError
from crosslingua.io.vectors import WordVectors, read_vectors, write_vectors
from crosslingua.registry import Registry

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def installed(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which pip has installed the example."""
    source, folder = (tmp_path_factory.mktemp(name) for name in ("source", "installed"))
    shutil.copytree(repository / "examples/plugin", source / "plugin")
    install = [
        "install",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
        "--target",
        str(folder),
    ]
    subprocess.run([sys.executable, "-m", "pip", *install, str(source / "plugin")], check=True)
    return folder


def call(command: list[str], installed: Path, root: Path) -> str:
    path = os.pathsep.join([str(root / "src"), str(installed)])
    done = subprocess.run(
        [sys.executable, *command],
        cwd=root,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_its_mapper_runs_by_name(installed: Path, repository: Path, tmp_path: Path) -> None:
    """The map is that of numpy's least squares."""
    rng = np.random.default_rng(1)
    source, target = (rng.standard_normal((50, 6)).astype(np.float32) for _ in range(2))
    words = [f"w{n}" for n in range(50)]
    files = {name: str(tmp_path / f"{name}.vec") for name in ("source", "target", "out_source", "out_target")}
    write_vectors(files["source"], WordVectors(words, source))
    write_vectors(files["target"], WordVectors(words, target))
    (tmp_path / "pairs.txt").write_text("".join(f"{word} {word}\n" for word in words[:40]), encoding="utf-8")
    options = [part for name, path in files.items() for part in (f"--{name.replace('_', '-')}", path)]
    options += ["--mapper", "least_squares", "--dictionary", str(tmp_path / "pairs.txt")]
    call(["scripts/align_vectors.py", *options], installed, repository)
    wanted = source @ np.linalg.lstsq(source[:40], target[:40], rcond=None)[0]
    np.testing.assert_allclose(read_vectors(files["out_source"]).matrix, wanted, rtol=1e-4, atol=1e-5)


def test_its_paper_makes_its_table_with_its_mapper(
    installed: Path, repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = copy_checkout(repository, tmp_path_factory.mktemp("plugin")).root
    shutil.copy(repository / "examples/plugin/compared_maps.yaml", root)
    snakemake = ["-m", "snakemake", "--configfile", "compared_maps.yaml", "--cores", "2"]
    call([*snakemake, "compared_maps"], installed, root)
    with (root / "results/compared_maps/metrics.csv").open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert {row["system"] for row in rows} == {"procrustes", "least_squares"}
    assert "least_squares" in (root / "results/compared_maps/tables/compared_maps_table1.md").read_text(
        "utf-8"
    )
    told = call([*snakemake, "--summary", "compared_maps"], installed, root)
    assert "results/compared_maps" in told
    # Its code is an input: after a change of the mapper its map is made again.
    mapper = installed / "crosslingua_plugin/least_squares.py"
    mapper.write_text(mapper.read_text("utf-8") + "\n# changed\n", encoding="utf-8")
    planned = call([*snakemake, "--dry-run", "compared_maps"], installed, root)
    assert "align_vectors" in planned


def test_a_member_with_the_name_of_another_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import EntryPoint

    outside = EntryPoint("ordered", "collections:UserDict", "crosslingua.containers")
    monkeypatch.setattr("crosslingua.registry.entry_points", lambda group: [outside])
    family = Registry("container", {"ordered": "collections:OrderedDict"}, "crosslingua.containers")
    with pytest.raises(ConfigError, match=r"container 'ordered' .*has the name of another"):
        list(family)
