"""The command line, run as a user runs it."""

import json

import numpy as np
import pytest

from crosslingua.io.vectors import WordVectors, read_vectors, write_vectors
from mappers.worlds import rotated
from programs import call


@pytest.fixture
def files(tmp_path):
    """Vectors of two seeds, a dictionary with one pair out of vocabulary, and three shared words."""
    for seed in (1, 2):
        world = rotated(words=120, dimension=8, seed=seed)
        names = {int(row): f"t{i}" for i, row in enumerate(world.permutation)}
        common = np.random.default_rng(seed).standard_normal((3, 8)).astype(np.float32)
        shared = ["xa", "xb", "xc"]
        source, target = [f"s{i}" for i in range(120)], [names[row] for row in range(120)]
        for side, words, matrix in (("source", source, world.source), ("target", target, world.target)):
            space = WordVectors([*shared, *words], np.vstack([common, matrix]))
            write_vectors(tmp_path / f"{side}{seed}.vec", space)
        (tmp_path / f"shared{seed}.txt").write_text("xa\nxb\nxc\n")
    (tmp_path / "train.txt").write_text("".join(f"s{i} t{i}\n" for i in range(60)) + "nowhere t1\n")
    return tmp_path


def test_two_cells_with_shared_words(files):
    (files / "plan.csv").write_text("source,target,seed,shared,out_source,out_target,details\n" + "".join(
        f"source{n}.vec,target{n}.vec,{n},shared{n}.txt,out/s{n}.vec,out/t{n}.vec,out/d{n}.json\n" for n in (1, 2)
    ))  # fmt: skip
    given = ("--mapper", "procrustes", "--dictionary", "train.txt", "--cells", "plan.csv")
    call("align_vectors.py", *given, folder=files)
    for seed in (1, 2):
        source, target = (read_vectors(files / "out" / f"{side}{seed}.vec") for side in "st")
        assert target.matrix.tobytes() == read_vectors(files / f"target{seed}.vec").matrix.tobytes()
        np.testing.assert_array_equal(source["xb"], target["xb"])
        np.testing.assert_allclose(source["s100"], target["t100"], atol=1e-5)
        details = json.loads((files / "out" / f"d{seed}.json").read_text())
        assert details["seed"] == seed
        assert (details["dictionary"]["used"], details["dictionary"]["source_out_of_vocabulary"]) == (60, 1)


ONE = "--source source1.vec --target target1.vec --out-source s.vec --out-target t.vec --mapper"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("procrustes",), "give a dictionary (--dictionary)"),
        (("prokrustes",), "did you mean 'procrustes'"),
        (("procrustes", "--set", "rate=3"), "has no setting 'rate'"),
        (("procrustes", "--dictionary", "absent.txt"), "absent.txt: no such file"),
    ],
)
def test_errors_are_one_line(files, arguments, message):
    (error,) = call("align_vectors.py", *ONE.split(), *arguments, folder=files, ok=False).splitlines()
    assert message in error
    assert not (files / "s.vec").exists()
