"""Scripts that choose settings, and that follow a choice."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from crosslingua.io.bitext import write_dictionary
from crosslingua.io.json import read_json, write_json
from crosslingua.io.vectors import WordVectors, read_vectors, write_vectors

N, D = 90, 8
PAIRS = [(f"s{i}", f"t{i}") for i in range(N)]


@pytest.fixture
def run(repository: Path, tmp_path: Path):
    """Return a function that runs a script in `tmp_path`."""

    def call(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, repository / "scripts" / script, *arguments]
        return subprocess.run(list(map(str, command)), cwd=tmp_path, capture_output=True, text=True)

    return call


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


def test_one_choice_is_made_with_the_first_vectors_and_followed_by_all(run, tmp_path: Path) -> None:
    write_spaces(tmp_path)
    (tmp_path / "plan.csv").write_text(PLAN)
    shared = ("--mapper", "procrustes", "--dictionary", "fit.txt", "--fit", "fit.txt")
    search = ("--search", "normalise=none|unit,centre,unit", "--validation", "validation.txt")
    done = run("align_vectors.py", *shared, *search, "--cells", "plan.csv")
    assert done.returncode == 0, done.stderr
    choice = read_json(tmp_path / "choice.json")
    assert choice["settings"] == {"normalise": "unit,centre,unit"}
    assert [one["settings"] for one in choice["tried"]] == [{}, {"normalise": "unit,centre,unit"}]
    assert choice["queries"] == 40
    for seed in (1, 2):
        assert read_json(tmp_path / f"d{seed}.json")["settings"] == choice["settings"]
        given = (
            "--mapper",
            "procrustes",
            "--dictionary",
            "fit.txt",
            "--out-source",
            "x.vec",
            "--out-target",
            "y.vec",
        )
        files = ("--source", f"s{seed}.vec", "--target", f"t{seed}.vec", "--seed", seed)
        assert run("align_vectors.py", *given, *files).returncode == 0
        assert (tmp_path / "x.vec").read_bytes() == (tmp_path / f"pa{seed}.vec").read_bytes()
        assert (tmp_path / "x.vec").read_bytes() != (tmp_path / f"a{seed}.vec").read_bytes()


def test_a_search_needs_held_out_pairs(run, tmp_path: Path) -> None:
    write_spaces(tmp_path)
    given = ("--source", "s1.vec", "--target", "t1.vec", "--out-source", "x.vec", "--out-target", "y.vec")
    done = run("align_vectors.py", "--mapper", "procrustes", *given, "--search", "normalise=none|unit")
    assert done.returncode == 1
    assert (
        "--search: name the dictionaries that settings are chosen by, --fit and --validation" in done.stderr
    )


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
    ("kind", "settings", "search", "tried"),
    [
        ("duong", ("dim=8", "epoch=2", "window=2"), ("delta=0.01|0.1", "combine=output|input"), 4),
        ("joint_replace", ("dim=8", "epoch=2", "maxn=0"), ("probability=0.5|1.0",), 2),
    ],
)
def test_training_with_a_dictionary_is_chosen_and_follows_its_choice(
    run, tmp_path: Path, kind: str, settings: tuple, search: tuple, tried: int
) -> None:
    write_texts(tmp_path)
    given = ("--text", "s.txt", "t.txt", "--fit", "fit.txt", "--validation", "validation.txt", "--seed", 1)
    done = run(
        "choose_training.py",
        "--kind",
        kind,
        *given,
        "--set",
        *settings,
        "--search",
        *search,
        "--out",
        "c.json",
    )
    assert done.returncode == 0, done.stderr
    choice = read_json(tmp_path / "c.json")
    assert (choice["kind"], choice["queries"], len(choice["tried"])) == (kind, 10, tried)
    assert all(0 <= one["p_at_1"] <= 100 for one in choice["tried"])
    forced = choice | {"settings": {"dim": "4", "epoch": "1"}}
    write_json(tmp_path / "forced.json", forced)
    if kind == "duong":
        out = ("--dictionary", "fit.txt", "--out", "a.vec", "b.vec")
        done = run("train_duong.py", "--text", "s.txt", "t.txt", *out, "--choice", "forced.json")
    else:
        out = ("--replace", "fit.txt", "--out", "a.vec", "--maxn", 0)
        done = run("train_embeddings.py", "--text", "s.txt", "t.txt", *out, "--choice", "forced.json")
    assert done.returncode == 0, done.stderr
    assert read_vectors(tmp_path / "a.vec").matrix.shape[1] == 4


def test_half_of_a_corpus_is_every_other_line(run, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("a b a b\nc d c d\n" * 30)
    shared = ("--text", "text.txt", "--dim", 4, "--maxn", 0, "--out", "v.vec")
    for lines, words in (("even", {"a", "b"}), ("odd", {"c", "d"})):
        done = run("train_embeddings.py", *shared, "--lines", lines)
        assert done.returncode == 0, done.stderr
        assert set(read_vectors(tmp_path / "v.vec").words) == words


def test_a_control_finds_the_words_of_one_language_again(run, tmp_path: Path) -> None:
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
        done = run("control_mappers.py", "--mapper", "vecmap", *given, "--out", f"{name}.json")
        assert done.returncode == 0, done.stderr
        scores[name] = read_json(tmp_path / f"{name}.json")
    assert scores["same"]["p_at_1"] > 90 > 10 > scores["other"]["p_at_1"]
    assert scores["other"]["signature"].endswith("|map=degenerate")
    assert "degenerate" not in scores["same"]["signature"]
    assert scores["same"]["n_queries"] == 300
