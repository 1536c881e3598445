"""The lexicon scripts as a user runs them."""

import json

import numpy as np
import pytest

from crosslingua.io.vectors import WordVectors, write_vectors
from programs import call


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(60, 10)).astype(np.float32)
    words = [f"w{i}" for i in range(60)]
    write_vectors(tmp_path / "a.vec", WordVectors(words, matrix))
    for name, noise in (("b", 0.3), ("c", 2.0)):
        noisy = matrix + noise * rng.normal(size=matrix.shape).astype(np.float32)
        write_vectors(tmp_path / f"{name}.vec", WordVectors(["t" + word for word in words], noisy))
    (tmp_path / "d.txt").write_text("".join(f"w{i} tw{i}\n" for i in range(0, 60, 2)) + "taxi taxi\nw1 foo\n")
    return tmp_path


def induce(folder, arguments: str, ok: bool = True) -> str:
    return call("induce_lexicon.py", "--source", *arguments.split(), folder=folder, ok=ok)


def test_one_cell_is_a_flat_object(files):
    induce(files, "a.vec --target b.vec --dictionary d.txt --retrieval csls --oov muse --out bli.json")
    result = json.loads((files / "bli.json").read_text())
    assert result.keys() >= {"p_at_1", "p_at_5", "p_at_10", "coverage", "n_queries", "signature"}
    assert result["by"] == "induce_lexicon.py"
    assert result["n_queries"] == 30
    assert result["coverage"] == pytest.approx(100 * 30 / 32)
    assert result["p_at_1"] > 80


def test_many_cells_and_scoring_again_from_predictions(files):
    rules = "--oov paper muse --identical kept dropped --dictionary d.txt"
    (files / "plan.csv").write_text("target,out,predictions\nb.vec,b.json,b.tsv\nc.vec,c.json,c.tsv\n")
    induce(files, f"a.vec {rules} --retrieval csls nn --cells plan.csv")
    (files / "again.csv").write_text("predictions,out\nb.tsv,b2.json\nc.tsv,c2.json\n")
    call("score_lexicon.py", *rules.split(), "--cells", "again.csv", folder=files)
    good, bad = (json.loads((files / f"{name}.json").read_text()) for name in "bc")
    assert len(good) == len(bad) == len({row["signature"] for row in good}) == 8
    assert all(one["p_at_1"] > two["p_at_1"] for one, two in zip(good, bad, strict=True))
    for name in "bc":
        again = (files / f"{name}2.json").read_text().replace("score_lexicon.py", "induce_lexicon.py")
        assert again == (files / f"{name}.json").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("a.vec --target b.vec --dictionary d.txt --out o --retrieval cls", "did you mean 'csls'"),
        ("none.vec --target b.vec --dictionary d.txt --out o", "none.vec: no such file"),
        ("b.vec --target a.vec --dictionary d.txt --out o", "no pair of the dictionary"),
    ],
)
def test_errors_are_one_line(files, arguments, message):
    (error,) = induce(files, arguments, ok=False).splitlines()
    assert message in error
    assert not (files / "o").exists()


def test_without_a_dictionary_the_most_frequent_words_are_translated(files):
    out = "--out free.json --predictions free.tsv"
    induce(files, f"a.vec --target b.vec --queries 20 --retrieval csls nn {out}")
    results = json.loads((files / "free.json").read_text())
    assert [result["signature"] for result in results] == ["csls|k=10|vocab=200000", "nn|vocab=200000"]
    for result in results:
        assert result.keys() == {"by", "mean_cosine", "mutual", "n_queries", "signature"}
        assert (result["by"], result["n_queries"]) == ("induce_lexicon.py", 20)
        assert result["mutual"] > 80
    _, *lines = (files / "free.tsv").read_text().splitlines()
    assert len(lines) == 2 * 20 * 10
    assert lines[0].split("\t")[:3] == ["w0", "1", "tw0"]
