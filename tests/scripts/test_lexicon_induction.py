"""Scripts that choose settings, induce lexicons and measure, as a user runs them."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from crosslingua.io.bitext import write_dictionary
from crosslingua.io.json import read_json, write_json
from crosslingua.io.vectors import WordVectors, read_vectors, write_vectors
from programs import SCRIPTS, call, run_script

N, D = 90, 8
PAIRS = [(f"s{i}", f"t{i}") for i in range(N)]
TEXTS = {
    "en.vec": "3 2\ndog 1 0\ncat 0 1\ntaxi 1 1\n",
    "de.vec": "3 2\nhund 1 0.1\nkatze 0.1 1\ntaxi 1 1\n",
    "1.txt": "taxi\n",  # what the vectors of a seed share
    "2.txt": "taxi\ndog\n",
    "dictionary.txt": "dog hund\ncat katze\ntaxi taxi\n",
}


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write_spaces(folder: Path) -> None:
    """Write a rotated space with an offset, which centring takes away, for two seeds; and dictionaries."""
    random = np.random.default_rng(0)
    rotation, _ = np.linalg.qr(random.normal(size=(D, D)))
    for seed in (1, 2):
        source = random.normal(size=(N, D)).astype(np.float32)
        target = (source @ rotation + 4 * random.normal(size=D)).astype(np.float32)
        write_vectors(folder / f"s{seed}.vec", WordVectors([s for s, _ in PAIRS], source))
        write_vectors(folder / f"t{seed}.vec", WordVectors([t for _, t in PAIRS], target))
    write_dictionary(folder / "fit.txt", PAIRS[:50])
    write_dictionary(folder / "validation.txt", PAIRS[50:])


PLAN = """source,target,seed,out_source,out_target,details,choice,choosing,published_source,published_target
s1.vec,t1.vec,1,a1.vec,b1.vec,d1.json,choice.json,true,pa1.vec,pb1.vec
s2.vec,t2.vec,2,a2.vec,b2.vec,d2.json,choice.json,,pa2.vec,pb2.vec
"""


def test_one_choice_is_made_with_the_first_vectors_and_followed_by_all(tmp_path: Path) -> None:
    write_spaces(tmp_path)
    (tmp_path / "plan.csv").write_text(PLAN)
    shared = ("--mapper", "procrustes", "--dictionary", "fit.txt", "--fit", "fit.txt")
    search = ("--search", "normalise=none|unit,centre,unit", "--validation", "validation.txt")
    call("align_vectors.py", *shared, *search, "--cells", "plan.csv")
    choice = read_json(tmp_path / "choice.json")
    assert choice["settings"] == {"normalise": "unit,centre,unit"}
    assert [one["settings"] for one in choice["tried"]] == [{}, {"normalise": "unit,centre,unit"}]
    assert choice["queries"] == 40
    for seed in (1, 2):
        assert read_json(tmp_path / f"d{seed}.json")["settings"] == choice["settings"]
        files = ("--source", f"s{seed}.vec", "--target", f"t{seed}.vec", "--seed", seed)
        call("align_vectors.py", *shared[:4], *files, "--out-source", "x.vec", "--out-target", "y.vec")
        assert (tmp_path / "x.vec").read_bytes() == (tmp_path / f"pa{seed}.vec").read_bytes()
        assert (tmp_path / "x.vec").read_bytes() != (tmp_path / f"a{seed}.vec").read_bytes()


def test_a_search_needs_held_out_pairs(tmp_path: Path) -> None:
    write_spaces(tmp_path)
    given = ("--source", "s1.vec", "--target", "t1.vec", "--out-source", "x.vec", "--out-target", "y.vec")
    search = ("--mapper", "procrustes", "--search", "normalise=none|unit")
    error = call("align_vectors.py", *given, *search, ok=False)
    assert "--search: name the dictionaries that settings are chosen by, --fit and --validation" in error


def write_texts(folder: Path) -> None:
    """Write two texts of the same random sentences in other words, and a dictionary."""
    random = np.random.default_rng(1)
    topics = random.integers(0, 3, size=400)
    words = [random.integers(10 * topic, 10 * topic + 10, size=6) for topic in topics]
    for name in "st":
        lines = [" ".join(f"{name}{word}" for word in sentence) for sentence in words]
        (folder / f"{name}.txt").write_text("\n".join([*lines, ""]))
    write_dictionary(folder / "fit.txt", PAIRS[:20])
    write_dictionary(folder / "validation.txt", PAIRS[20:30])


@pytest.mark.parametrize(
    ("kind", "setting", "search", "tried", "script", "more"),
    [
        ("duong", "window=2", ("delta=0.01|0.1", "combine=output|input"), 4,
         "train_duong.py", ("--dictionary", "fit.txt", "--out", "a.vec", "b.vec")),
        ("joint_replace", "maxn=0", ("probability=0.5|1.0",), 2,
         "train_embeddings.py", ("--replace", "fit.txt", "--out", "a.vec", "--maxn", 0)),
    ],
)  # fmt: skip
def test_training_with_a_dictionary_follows_its_choice(
    tmp_path: Path, kind: str, setting: str, search: tuple, tried: int, script: str, more: tuple
) -> None:
    write_texts(tmp_path)
    given = ("--text", "s.txt", "t.txt", "--fit", "fit.txt", "--validation", "validation.txt", "--seed", 1)
    searched = ("--set", "dim=8", "epoch=2", setting, "--search", *search)
    call("choose_training.py", "--kind", kind, *given, *searched, "--out", "c.json")
    choice = read_json(tmp_path / "c.json")
    assert (choice["kind"], choice["queries"], len(choice["tried"])) == (kind, 10, tried)
    assert all(0 <= one["p_at_1"] <= 100 for one in choice["tried"])
    write_json(tmp_path / "forced.json", choice | {"settings": {"dim": "4", "epoch": "1"}})
    call(script, "--text", "s.txt", "t.txt", *more, "--choice", "forced.json")
    assert read_vectors(tmp_path / "a.vec").matrix.shape[1] == 4


def test_training_is_compared_on_words_that_all_candidates_know(tmp_path: Path) -> None:
    write_texts(tmp_path)
    write_dictionary(tmp_path / "fit.txt", PAIRS[:4])
    alike = [(f"w{i}", f"w{i}") for i in range(20)]  # without vectors: the paper's rule counts them as right
    given = ("--text", "s.txt", "t.txt", "--fit", "fit.txt", "--validation", "validation.txt")
    searched = ("--set", "dim=8", "epoch=2", "maxn=0", "--search", "probability=0.5|1.0")
    notes = {26: "only these count (MUSE's rule)", 10: "fewer than 20, the first candidate stays"}
    for known, note in notes.items():
        write_dictionary(tmp_path / "validation.txt", PAIRS[4 : 4 + known] + alike)
        call("choose_training.py", "--kind", "joint_replace", *given, *searched, "--out", "c.json")
        choice = read_json(tmp_path / "c.json")
        assert choice["note"] == f"{known} of {known + 20} queries have vectors under every candidate: {note}"
        assert choice["queries"] == (26 if known == 26 else 30)
    assert choice["settings"] == choice["tried"][0]["settings"]


def test_half_of_a_corpus_is_every_other_line(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("a b a b\nc d c d\n" * 30)
    shared = ("--text", "text.txt", "--dim", 4, "--maxn", 0, "--out", "v.vec")
    for lines, words in (("even", {"a", "b"}), ("odd", {"c", "d"})):
        call("train_embeddings.py", *shared, "--lines", lines)
        assert set(read_vectors(tmp_path / "v.vec").words) == words


def test_a_control_finds_the_words_of_one_language_again(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    words = [f"w{i}" for i in range(300)]
    source = random.standard_normal((300, 10)).astype(np.float32) * random.gamma(2, size=10)
    rotation, _ = np.linalg.qr(random.normal(size=(10, 10)))
    order = random.permutation(300)
    for name, matrix in (("same", source @ rotation), ("other", random.standard_normal((300, 10)))):
        target = WordVectors([words[i] for i in order], matrix[order].astype(np.float32))
        write_vectors(tmp_path / f"{name}.vec", target)
    write_vectors(tmp_path / "s.vec", WordVectors(words, source.astype(np.float32)))
    scores = {}
    for name in ("same", "other"):
        given = ("--source", "s.vec", "--target", f"{name}.vec", "--set", "stochastic_interval=5")
        call("control_mappers.py", "--mapper", "vecmap", *given, "--out", f"{name}.json")
        scores[name] = read_json(tmp_path / f"{name}.json")
    assert scores["same"]["p_at_1"] > 90 > 10 > scores["other"]["p_at_1"]
    assert scores["other"]["signature"].endswith("|map=degenerate")
    assert "degenerate" not in scores["same"]["signature"]
    assert scores["same"]["n_queries"] == 300
    # The upper line knows every second word, and is tested on the others.
    for name, least, most in (("same", 100, 100), ("other", 0, 10)):
        given = ("--source", "s.vec", "--target", f"{name}.vec")
        call("control_mappers.py", "--mapper", "procrustes", *given, "--out", "upper.json")
        upper = read_json(tmp_path / "upper.json")
        assert (upper["n_queries"], upper["details"]["dictionary"]["used"]) == (150, 150)
        assert least <= upper["p_at_1"] <= most


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


def induce(arguments: str, ok: bool = True) -> str:
    return call("induce_lexicon.py", "--source", *arguments.split(), ok=ok)


def test_one_cell_is_a_flat_object(files):
    induce("a.vec --target b.vec --dictionary d.txt --retrieval csls --oov muse --out bli.json")
    result = read_json(files / "bli.json")
    assert result.keys() >= {"p_at_1", "p_at_5", "p_at_10", "coverage", "n_queries", "signature"}
    assert (result["by"], result["n_queries"]) == ("induce_lexicon.py", 30)
    assert result["coverage"] == pytest.approx(100 * 30 / 32)
    assert result["p_at_1"] > 80


def test_many_cells_and_scoring_again_from_predictions(files):
    rules = "--oov paper muse --identical kept dropped --dictionary d.txt"
    (files / "plan.csv").write_text("target,out,predictions\nb.vec,b.json,b.tsv\nc.vec,c.json,c.tsv\n")
    induce(f"a.vec {rules} --retrieval csls nn --cells plan.csv")
    (files / "again.csv").write_text("predictions,out\nb.tsv,b2.json\nc.tsv,c2.json\n")
    call("score_lexicon.py", *rules.split(), "--cells", "again.csv")
    good, bad = (read_json(files / f"{name}.json") for name in "bc")
    assert len(good) == len(bad) == len({row["signature"] for row in good}) == 8
    assert all(one["p_at_1"] > two["p_at_1"] for one, two in zip(good, bad, strict=True))
    for name in "bc":
        again = (files / f"{name}2.json").read_text().replace("score_lexicon.py", "induce_lexicon.py")
        assert again == (files / f"{name}.json").read_text()


def test_errors_are_one_line(files):
    for arguments, message in (
        ("a.vec --target b.vec --retrieval cls", "did you mean 'csls'"),
        ("none.vec --target b.vec", "none.vec: no such file"),
        ("b.vec --target a.vec", "no pair of the dictionary"),
    ):
        (error,) = induce(f"{arguments} --dictionary d.txt --out o", ok=False).splitlines()
        assert message in error
        assert not (files / "o").exists()


def test_without_a_dictionary_the_most_frequent_words_are_translated(files):
    out = "--out free.json --predictions free.tsv"
    induce(f"a.vec --target b.vec --queries 20 --retrieval csls nn {out}")
    results = read_json(files / "free.json")
    assert [result["signature"] for result in results] == ["csls|k=10|vocab=200000", "nn|vocab=200000"]
    for result in results:
        assert result.keys() == {"by", "mean_cosine", "mutual", "n_queries", "signature"}
        assert (result["by"], result["n_queries"]) == ("induce_lexicon.py", 20)
        assert result["mutual"] > 80
    _, *lines = (files / "free.tsv").read_text().splitlines()
    assert len(lines) == 2 * 20 * 10
    assert lines[0].split("\t")[:3] == ["w0", "1", "tw0"]


def measure(script: str, cells: list[dict], *options: str, ok: bool = True) -> str:
    for name, text in TEXTS.items():
        Path(name).write_text(text)
    pd.DataFrame(cells).assign(source="en.vec", target="de.vec").to_csv("plan.csv", index=False)
    return call(script, "--cells", "plan.csv", *options, ok=ok)


def test_hubness_of_systems_and_seeds() -> None:
    cells = [{"system": system, "seed": seed} for system in ("joint", "duong") for seed in (1, 2)]
    measure("measure_hubness.py", cells, "--neighbours", "1", "--out", "h.json")
    found = read_json("h.json")
    seeds = {name: [cell["seed"] for cell in each] for name, each in found.items()}
    assert seeds == {"joint": [1, 2], "duong": [1, 2]}
    assert found["joint"][0]["n"] == [1]  # each word is the nearest of one


def test_similarity_of_stages_and_seeds() -> None:
    runs = [(stage, seed) for stage in ("joint", "refined") for seed in (1, 2)]
    cells = [{"stage": stage, "seed": seed, "shared": f"{seed}.txt"} for stage, seed in runs]
    options = ("--dictionary", "dictionary.txt", "--out", "s.json", "--pair", "en-de.muse")
    measure("measure_similarity.py", cells, *options)
    found = read_json("s.json")
    assert (found["pair"], found["source"]) == ("en-de.muse", "en")
    assert [(cell["stage"], cell["seed"]) for cell in found["cells"]] == runs
    assert found["shared_sources"] == [{"seed": 1, "words": ["taxi"]}, {"seed": 2, "words": ["dog", "taxi"]}]
    assert [pair["shared"] for pair in found["cells"][1]["pairs"]] == [True, False]
    Path("upper.txt").write_text("DOG HUND\ntaxi taxi\n")  # one is unknown, one has a single form
    upper = ("--cells", "plan.csv", "--dictionary", "upper.txt", *options[2:])
    told = run_script(SCRIPTS / "measure_similarity.py", *upper)
    assert "s.json: no pair of en-de.muse with two different words" in told.stderr
    assert [cell["pairs"] for cell in read_json("s.json")["cells"]] == [[]] * 4
    both = [cell | {"pair": f"en-{name}.muse"} for cell, name in zip(cells, ("de", "fr"), strict=False)]
    error = measure("measure_similarity.py", both, *options[:-2], ok=False)
    assert "--out s.json: for one pair, not for en-fr.muse too" in error
