"""The command line, run as a user runs it."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from crosslingua.io.vectors import WordVectors, read_vectors, write_vectors
from mappers.worlds import rotated


@pytest.fixture
def files(tmp_path):
    """Vectors of two seeds, a dictionary with one pair out of vocabulary, and three shared words."""
    for seed in (1, 2):
        world = rotated(words=120, dimension=8, seed=seed)
        names = {int(row): f"t{i}" for i, row in enumerate(world.permutation)}
        common = np.random.default_rng(seed).standard_normal((3, 8)).astype(np.float32)
        shared = ["xa", "xb", "xc"]
        source = WordVectors([*shared, *(f"s{i}" for i in range(120))], np.vstack([common, world.source]))
        target = WordVectors(
            [*shared, *(names[row] for row in range(120))], np.vstack([common, world.target])
        )
        write_vectors(tmp_path / f"source{seed}.vec", source)
        write_vectors(tmp_path / f"target{seed}.vec", target)
        (tmp_path / f"shared{seed}.txt").write_text("xa\nxb\nxc\n")
    (tmp_path / "train.txt").write_text("".join(f"s{i} t{i}\n" for i in range(60)) + "nowhere t1\n")
    return tmp_path


def run(repository, folder, *arguments):
    command = [sys.executable, str(repository / "scripts" / "align_vectors.py"), *map(str, arguments)]
    environment = os.environ | {"PYTHONPATH": str(repository / "src")}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def test_two_cells_with_shared_words(repository, files):
    (files / "plan.csv").write_text("source,target,seed,shared,out_source,out_target,details\n" + "".join(
        f"source{n}.vec,target{n}.vec,{n},shared{n}.txt,out/s{n}.vec,out/t{n}.vec,out/d{n}.json\n" for n in (1, 2)
    ))  # fmt: skip
    done = run(
        repository, files, "--mapper", "procrustes", "--dictionary", "train.txt", "--cells", "plan.csv"
    )
    assert done.returncode == 0, done.stderr
    for seed in (1, 2):
        source, target = (read_vectors(files / "out" / f"{side}{seed}.vec") for side in "st")
        assert target.matrix.tobytes() == read_vectors(files / f"target{seed}.vec").matrix.tobytes()
        np.testing.assert_array_equal(source["xb"], target["xb"])
        np.testing.assert_allclose(source["s100"], target["t100"], atol=1e-5)
        details = json.loads((files / "out" / f"d{seed}.json").read_text())
        assert details["seed"] == seed
        assert details["dictionary"]["used"] == 60
        assert details["dictionary"]["source_out_of_vocabulary"] == 1


OUT = ("--out-source", "s.vec", "--out-target", "t.vec")
ONE = ("--source", "source1.vec", "--target", "target1.vec", *OUT)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--mapper", "procrustes", *ONE), "give a dictionary (--dictionary)"),
        (("--mapper", "prokrustes", *ONE), "did you mean 'procrustes'"),
        (("--mapper", "procrustes", *ONE, "--set", "rate=3"), "has no setting 'rate'"),
        (("--mapper", "procrustes", *ONE, "--dictionary", "absent.txt"), "absent.txt: no such file"),
    ],
)
def test_errors_are_one_line(repository, files, arguments, message):
    done = run(repository, files, *arguments)
    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (files / "s.vec").exists()
