"""word_align.py on text: more training text, lower case, several cells, and vectors for each cell."""

from functools import partial

import numpy as np
import pytest

from crosslingua.io.vectors import WordVectors, write_vectors
from programs import in_a_process

LEXICON = {f"W{k}": f"v{k}" for k in range(12)}
SWAPPED = (1, 0, 3, 2, 5, 4)


@pytest.fixture
def align(script):
    return partial(script, "word_align.py")


@pytest.fixture
def folder(tmp_path):
    """A test pair with neighbours swapped, which only training text explains: in upper case, as the test is not."""
    rng = np.random.default_rng(2)
    sentences = [rng.permutation(list(LEXICON))[:6] for _ in range(150)]
    swapped = [[LEXICON[sentence[k]] for k in SWAPPED] for sentence in sentences]
    for name, text in (("train.s", sentences), ("train.t", swapped)):
        (tmp_path / name).write_text("".join(" ".join(sentence) + "\n" for sentence in text))
    (tmp_path / "test.s").write_text("w1 w2 w3 w4\n")
    (tmp_path / "test.t").write_text("v2 v1 v4 v3\n")
    return tmp_path


CROSSED = "0-1 1-0 2-3 3-2\n"
TEST = ("--source", "test.s", "--target", "test.t")
TRAINING = ("--training-source", "train.s", "--training-target", "train.t")


def test_training_text_and_case(align, folder):
    align("--aligner", "fast_align", *TEST, *TRAINING, "--lowercase", "--out", "links")
    assert (folder / "links").read_text() == CROSSED
    align("--aligner", "fast_align", *TEST, *TRAINING, "--out", "cased")
    assert (folder / "cased").read_text() != CROSSED


@pytest.mark.parametrize("place", ["test", "train"])
def test_over_long_lines_are_named(align, folder, place):
    """In the text that is aligned, or that is trained on besides."""
    with (folder / f"{place}.s").open("a") as source, (folder / f"{place}.t").open("a") as target:
        source.write("w1 " * 60_000 + "\n")
        target.write("v1 " * 60_000 + "\n")
    done = align("--aligner", "fast_align", *TEST, *TRAINING, "--out", "links", status=1)
    line = {"test": 2, "train": 151}[place]
    assert f"error: {place}.s:{line}: a pair of 60000 and 60000 words is too long" in done.stderr
    assert not (folder / "links").exists()


def test_vectors_for_each_cell(align, folder):
    """The second cell's target vectors are of the words one further on."""
    unit = np.eye(4, dtype=np.float32)
    write_vectors(folder / "s.vec", WordVectors([f"w{k}" for k in range(1, 5)], unit))
    write_vectors(folder / "t1.vec", WordVectors([f"v{k}" for k in range(1, 5)], unit))
    write_vectors(folder / "t2.vec", WordVectors([f"v{k}" for k in range(1, 5)], np.roll(unit, 1, axis=0)))
    (folder / "plan.csv").write_text("target_vectors,out\nt1.vec,one\nt2.vec,two\n")
    align("--aligner", "simalign_argmax", *TEST, "--source-vectors", "s.vec", "--cells", "plan.csv")
    assert (folder / "one").read_text() == CROSSED
    assert (folder / "two").read_text() == "0-0 1-3 2-2 3-1\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--aligner", "fast_align", *TRAINING[:2]), "must name equally many files"),
        (("--aligner", "simalign_argmax", *TRAINING), "simalign_argmax does not train"),
    ],
)
def test_options_that_do_not_go_together(align, folder, options, message):
    done = align(*options, *TEST, "--out", "links", status=1)
    assert message in done.stderr
    assert not (folder / "links").exists()


@pytest.mark.parametrize(
    "aligner", ["fast_align", "simalign_argmax --source-vectors s.vec --target-vectors s.vec"]
)
def test_empty_text_is_refused(align, folder, aligner):
    for name in ("empty.s", "empty.t"):
        (folder / name).write_text("")
    (folder / "s.vec").write_text("1 2\nw1 1 0\n")
    files = ("--source", "empty.s", "--target", "empty.t", "--out", "links")
    done = align("--aligner", *aligner.split(), *files, status=1)
    assert "error: empty.s: is empty: there is nothing to align" in done.stderr
    assert not (folder / "links").exists()


def test_out_that_is_a_folder_is_found_before_aligning(align, folder):
    (folder / "links").mkdir()
    files = ("--source", "nothing.s", "--target", "nothing.t", "--out", "links")
    done = align("--aligner", "fast_align", *files, status=1)
    assert "error: links: is a folder" in done.stderr


def test_progress_knows_the_total_of_a_file(align, folder):
    """And not of a pipe, which is read once."""
    common = ("--aligner", "fast_align", "--target", "train.t", "--out", "links")
    assert "150/150" in align(*common, "--source", "train.s").stderr
    text = (folder / "train.s").read_text()
    piped = in_a_process("word_align.py", *common, "--source", "/dev/stdin", folder=folder, input=text)
    assert "150 pairs" in piped.stderr
    assert (folder / "links").read_text().count("\n") == 150
