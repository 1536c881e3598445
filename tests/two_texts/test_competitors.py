"""Own vectors and word alignment beside the systems of a finished run."""

import csv
import json
import random
from pathlib import Path

import numpy as np
import pytest

from crosslingua.cells import COLUMNS, Cell, cell_line
from crosslingua.errors import InputError
from crosslingua.io.vectors import WordVectors, read_vectors, write_vectors
from crosslingua.lexicon_induction import bli
from crosslingua.two_texts.competitors import lowered
from crosslingua.two_texts.conclusion import conclude
from crosslingua.two_texts.question import PairToAsk
from texts import csv_rows, written
from tiny_encoder import write_encoder

WORDS, HELD = 300, 200  # of a language; held-out words, which come first
SEEDS = (1, 2, 3)
RATES = {"rcsls": 0.3, "joint": 0.1}
STRATEGIES = {"rcsls": "aligned", "joint": "joint"}


@pytest.fixture
def finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PairToAsk:
    """A run with a dictionary in which rcsls is right on three of ten held-out words, and joint on one."""
    monkeypatch.chdir(tmp_path)
    folder, rng = Path("results/ask_sw_en"), np.random.default_rng(1)
    for part, numbers in (("test", range(HELD)), ("train", range(HELD, WORDS))):
        pairs = "".join(f"s{n} t{n}\n" for n in numbers)
        written(folder / f"corpora/dictionaries/sw-en.own/{part}.txt", pairs)
    gold, cells, plan = [(f"s{n}", f"t{n}") for n in range(HELD)], [], "source,target,out\n"
    vectors = WordVectors([f"s{n}" for n in range(WORDS)], rng.normal(size=(WORDS, 8)).astype(np.float32))
    write_vectors(folder / "mapped.vec", vectors)
    for system, rate in RATES.items():
        for seed in SEEDS:
            answers = {s: [(t if rng.random() < rate else "no", 1.0)] for s, t in gold}
            found = bli.Predictions("csls|k=10|vocab=200000", answers)
            path = folder / f"lexicons/{system}/seed{seed}.json"
            scores = [
                bli.score(found, gold, rule, drop_identical=drop)
                for rule in ("paper", "muse")
                for drop in (False, True)
            ]
            written(path, json.dumps(scores))
            plan += f"{folder}/mapped.vec,{folder}/mapped.vec,{path}\n"
            place = {"task": "bli", "source": "sw", "target": "en", "seed": seed, "score": str(path)}
            for table, where in (("table1", "identical=kept"), ("table2", "identical=dropped")):
                conditions = {"dictionary": "own", "supervision": "dictionary"}
                how = {"metrics": ("p_at_1",), "where": where, "conditions": conditions}
                cells.append(Cell("joint_align", table, system, **place, **how))
    written(folder / "plans/induce_lexicon/sw-en.own.csv", plan)
    with (folder / "cells.csv").open("w") as stream:
        writer = csv.DictWriter(stream, COLUMNS)
        writer.writeheader()
        writer.writerows(map(cell_line, cells))
    claims = {"cells": [f"{folder}/cells.csv"], "strategies": STRATEGIES}
    written(folder / "plans/claims/joint_align.json", json.dumps(claims))
    written(folder / "claims.json", "{}")
    draw, sides = random.Random(1), ("s", "t")
    lines = [[draw.randrange(WORDS) for _ in range(6)] for _ in range(900)]
    texts = [
        written(tmp_path / f"text.{side}", "".join(" ".join(f"{side}{n}" for n in x) + "\n" for x in lines))
        for side in sides
    ]
    for side, name in zip(sides, ("source", "target"), strict=True):
        text = "".join(
            " ".join(f"{side}{n}" for n in line[:: 1 if side == "s" else -1]) + "\n" for line in lines
        )
        written(folder / f"bitext/{name}.txt", text)
    pairs = written(tmp_path / "pairs.txt", "the dictionary")
    return PairToAsk(("sw", "en"), (texts[0], texts[1]), pairs, folder)


@pytest.fixture
def own(tmp_path: Path) -> tuple[Path, Path]:
    """Vectors of half of the held-out words and all others, of which a rotation makes the other language's."""
    rng = np.random.default_rng(2)
    matrix = rng.normal(size=(WORDS, 20)).astype(np.float32)[HELD // 2 :]
    rotation = np.linalg.qr(rng.normal(size=(20, 20)))[0].astype(np.float32)
    paths = tmp_path / "a.vec", tmp_path / "b.vec"
    for path, letter, values in zip(paths, "ST", (matrix, matrix @ rotation), strict=True):
        write_vectors(path, WordVectors([f"{letter}{n}" for n in range(HELD // 2, WORDS)], values))
    return paths


def with_(question: PairToAsk, **more: object) -> PairToAsk:
    return PairToAsk(**{name: getattr(question, name) for name in question.__dataclass_fields__} | more)


def test_own_vectors_compete_and_are_the_answer_where_they_lead(finished: PairToAsk, own) -> None:
    """They know half of the words, and translate them all: 50 % against 30 %."""
    answer = conclude(with_(finished, vectors=own))
    rows = answer.table[answer.table["words"] == "all"].set_index("strategy")
    assert rows.loc["own vectors", "value"] == 50
    assert rows.loc["aligned", "value"] == pytest.approx(30, abs=6)
    assert "use “own vectors” (own_" in answer.verdict
    assert [path.name.split(".")[1] for path in answer.vectors] == ["source", "target"]
    mapped = [read_vectors(path) for path in answer.vectors]
    np.testing.assert_allclose(mapped[0]["s150"], mapped[1]["t150"], atol=1e-2)
    card = (finished.folder / "README.md").read_text()
    assert f"| en | `own_vectors/{answer.vectors[1].name}` | 200 | 20 |" in card
    assert "| all | 50.0 [" in card
    assert "| vectors, sw | `a.vec` |" in card
    assert "Own vectors: yours" in (finished.folder / "answer.html").read_text()
    assert "Word alignment" not in (finished.folder / "answer.html").read_text()


def test_word_alignment_leads_where_the_text_is_parallel(finished: PairToAsk, own) -> None:
    answer = conclude(with_(finished, vectors=own, bitext=finished.texts))
    rows = answer.table[answer.table["words"] == "all"].set_index("strategy")["value"]
    assert rows["word alignment"] > 90
    assert "use “word alignment” (gibbs)" in answer.verdict
    assert answer.vectors[0].parent.name == "own_vectors"  # the best that has any
    assert "they are taken for translations and word alignment competes: 900 sentence pairs" in answer.text
    lexicon = answer.lexicon[answer.lexicon["origin"] == "induced"]
    assert len(answer.lexicon) == WORDS
    assert len(lexicon) == 0  # the dictionary gives every word
    assert not (finished.folder / "dictionary.alignment.tsv").exists()
    check_examples(finished, csv_rows(finished.folder / "dictionary.tsv", "\t"))


def check_examples(question: PairToAsk, rows: list[dict[str, str]]) -> None:
    """Check that each entry's example is a sentence pair with both words, and that most entries have one."""
    pairs = {*zip(*(path.read_text().splitlines() for path in question.aligned), strict=True)}
    shown = [row for row in rows if row["example_source"]]
    assert len(shown) > 0.9 * len(rows)
    for row in shown:
        assert (row["example_source"], row["example_target"]) in pairs
        assert row["source"] in row["example_source"].split()
        assert row["target"] in row["example_target"].split()


def test_the_lexicon_of_word_alignment_stands_beside_where_nothing_is_compared(finished: PairToAsk) -> None:
    plan = f"source,target,out\n{finished.folder}/mapped.vec,{finished.folder}/mapped.vec,joint_align_identity/1.json\n"
    written(finished.folder / "plans/induce_lexicon/sw-en.own.csv", plan)
    answer = conclude(with_(finished, dictionary=None, bitext=(Path("a"), Path("b"))))
    assert "No dictionary was given" in answer.verdict
    rows = csv_rows(finished.folder / "dictionary.alignment.tsv", "\t")
    right = [row["source"][1:] == row["target"][1:] for row in rows]
    assert len(rows) > 0.95 * WORDS
    assert np.mean(right) > 0.9
    assert "Dictionary of word alignment: " in answer.text
    check_examples(finished, rows)
    assert "example_source" not in answer.lexicon  # which is of vectors


def test_vectors_that_know_no_word_are_left_out_and_named(finished: PairToAsk, tmp_path: Path) -> None:
    strange = WordVectors(["x", "y"], np.eye(2, dtype=np.float32))
    write_vectors(tmp_path / "x.vec", strange)
    answer = conclude(with_(finished, vectors=(tmp_path / "x.vec", tmp_path / "x.vec")))
    assert "“aligned” (rcsls)" in answer.verdict
    assert "“own vectors” (own_rcsls) does not compete: " in answer.text


def test_words_that_become_one_in_lower_case_have_the_first_vector() -> None:
    found = lowered(WordVectors(["The", "cat", "the"], np.eye(3, dtype=np.float32)), "en")
    assert found.words == ["the", "cat"]
    np.testing.assert_array_equal(found["the"], [1, 0, 0])


def test_an_encoder_competes_as_it_is_and_mapped(finished: PairToAsk, own) -> None:
    """The second language's vectors are those of the first, so that no map is needed."""
    source = read_vectors(own[0])
    for path, letter in zip(finished.encoder_words, "st", strict=True):
        write_vectors(path, WordVectors([letter + word[1:] for word in source.words], source.matrix))
    answer = conclude(with_(finished, encoder="an encoder"))
    rows = answer.table[answer.table["words"] == "all"].set_index("strategy")
    assert rows.loc["encoder", ["value", "system"]].tolist() == [50, "encoder_unmapped"]
    assert "Encoder: its vectors" in (finished.folder / "answer.html").read_text()
    assert (
        answer.vectors[0].read_text().splitlines()[1:3]
        == finished.encoder_words[0].read_text().splitlines()[1:3]
    )


def test_an_encoder_reads_the_frequent_words_of_both_texts(finished: PairToAsk, tmp_path: Path) -> None:
    from crosslingua.embedders.encoder import Encoder
    from crosslingua.embedders.vocabulary import embed_vocabulary
    from crosslingua.two_texts.encoder_words import frequent, write_encoder_words

    encoder = write_encoder(tmp_path / "encoder")
    write_encoder_words(finished, str(encoder))
    for path, counts in zip(finished.encoder_words, finished.counts, strict=True):
        found = read_vectors(path)
        assert found.words == frequent(counts)
        assert {*found.words} == {word for word, count in counts.items() if count >= 5}
        ordered = [counts[word] for word in found.words]
        assert ordered == sorted(ordered, reverse=True)
        expected = embed_vocabulary(Encoder.load(encoder).eval(), found.words[:3], "en")
        np.testing.assert_allclose(found.matrix[:3], expected.matrix, atol=1e-5)
    assert frequent({"b": 7, "a": 7, "c": 9, "d": 4}) == ["c", "a", "b"]
    with pytest.raises(InputError, match="no encoder"):
        write_encoder_words(finished, str(tmp_path))
