"""The script: a plan of several methods, and calls that cannot be."""

import csv
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from crosslingua.embedders.word_states import Rotations
from crosslingua.encoder_alignment.rotate import solve
from crosslingua.encoder_alignment.signal import Signal
from crosslingua.io.json import read_json
from crosslingua.io.pharaoh import write_pharaoh


@pytest.fixture
def folder(signal: Signal, tmp_path: Path) -> Path:
    """The signal as files; the links go from target to source."""
    for name, side in (("source", signal.text.source), ("target", signal.text.target)):
        (tmp_path / name).write_text("".join(" ".join(sentence) + "\n" for sentence in side))
    write_pharaoh(tmp_path / "links", [[(j, i) for i, j in pair.tolist()] for pair in signal.text.links])
    (tmp_path / "dictionary").write_text("".join(f"{a}\t{b}\n" for a, b in signal.dictionary))
    return tmp_path


@pytest.fixture
def align(script, signal: Signal) -> Callable:
    files = ("--source", "source", "--target", "target", "--languages", "src", "tgt")
    return partial(script, "align_encoder.py", "--encoder", signal.folder, *files)


def test_a_plan_of_all_methods(align: Callable, folder: Path, signal: Signal) -> None:
    lines = [
        ("rotate", "dictionary", "", "a"),
        ("norm_rotate", "parallel", "", "b"),
        ("finetune", "parallel", "direction=tgt_to_src", "c"),
    ]
    with (folder / "plan.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["method", "supervision", "set", "out", "links", "dictionary", "reversed"])
        writer.writerows([*line, "links", "dictionary", "true"] for line in lines)
    align("--cells", "plan.csv")
    for supervision, centred, out in (("dictionary", False, "a"), ("parallel", True, "b")):
        expected = solve(signal.moments(supervision), (1, 2), centred)
        found = Rotations.load(folder / out)
        np.testing.assert_allclose(found.matrices, expected.matrices, atol=1e-3)
        np.testing.assert_allclose(found.source_means, expected.source_means, atol=1e-5)
    report = read_json(folder / "c/alignment.json")
    assert report["settings"]["direction"] == "tgt_to_src"
    assert set(report["sha256"]) == {"source", "target", "links", "dictionary"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--method", "rotate"], "needs --links"),
        (["--method", "rotate", "--supervision", "dictionary"], "needs --dictionary"),
        (["--method", "finetune", "--supervision", "dictionary"], "finetune cannot learn from a dictionary"),
        (["--method", "rotate", "--links", "links", "--set", "lr=1"], "rotate has no settings"),
    ],
)
def test_what_cannot_be_is_refused(align: Callable, folder: Path, options: list[str], message: str) -> None:
    done = align(*options, "--out", "out", status=1)
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (folder / "out").exists()
