from pathlib import Path

import numpy as np
import pytest
import torch

from crosslingua.embedders import embedding_alignment
from crosslingua.embedders.embedding_alignment import alignment_score, score_folder
from crosslingua.embedders.encoder import Encoder
from crosslingua.errors import ConfigError, InputError
from texts import written
from tiny_encoder import write_encoder

WORDS = ["dog", "cat", "sun", "chien", "chat", "soleil"]
PAIRS = "dog\tchien\ncat\tchat\nsun\tsoleil\n"


def brute_force(source: np.ndarray, target: np.ndarray, counterparts: np.ndarray) -> float:
    cosines = ([x @ y / (np.sqrt(x @ x) * np.sqrt(y @ y)) for y in target] for x in source)
    hits = [max(row) == row[place] for row, place in zip(cosines, counterparts, strict=True)]
    return 100 * sum(hits) / len(hits)


def test_the_score_is_that_of_brute_force(monkeypatch) -> None:
    monkeypatch.setattr(embedding_alignment, "BLOCK", 7)
    rng = np.random.default_rng(1)
    target = rng.normal(size=(40, 5)) * rng.uniform(0.1, 9, size=(40, 1))
    counterparts = rng.permutation(40)[:30]
    source = target[counterparts] + rng.normal(size=(30, 5))
    expected = brute_force(source, target, counterparts)
    assert 20 < expected < 95
    assert alignment_score(source, target, counterparts) == pytest.approx(expected)


def set_embeddings(folder: Path, vectors: dict[str, list[float]], types: dict[int, list[float]]) -> None:
    encoder = Encoder.load(folder)
    table, number_of = encoder.model.embeddings, encoder.tokenizer.convert_tokens_to_ids
    rows = [(table.word_embeddings.weight, number_of(word), vector) for word, vector in vectors.items()]
    rows += [(table.token_type_embeddings.weight, number, vector) for number, vector in types.items()]
    with torch.no_grad():
        for weight, number, vector in rows:
            weight[number] = torch.tensor(vector + [0.0] * (32 - len(vector)))
    encoder.model.save_pretrained(folder)


VECTORS = {
    "dog": [1.0, 0, 0], "cat": [0, 1.0, 0], "sun": [0, 0.9, 0.1],
    "chien": [5.0, 1, 0], "chat": [0, 1.0, 0.1], "soleil": [0, 0, 1.0],
}  # fmt: skip


def test_a_folder_is_scored_by_its_token_pairs(tmp_path: Path) -> None:
    folder = write_encoder(tmp_path / "encoder", WORDS)
    set_embeddings(folder, VECTORS, {})
    found = score_folder(folder, written(tmp_path / "pairs.tsv", PAIRS))
    assert found["alignment"] == pytest.approx(200 / 3)  # sun is nearer to chat than to soleil
    assert (found["tokens"], found["derived_vocabulary"]) == (3, 3)
    assert found["signature"] == "cosine|language_ids=none"


def test_language_embeddings_are_added(tmp_path: Path) -> None:
    folder = write_encoder(tmp_path / "encoder", WORDS, languages=["en", "fr"])
    set_embeddings(folder, VECTORS, {0: [0, 0, 0], 1: [0, -0.95, 0]})  # chat loses its second coordinate

    pairs = written(tmp_path / "pairs.tsv", PAIRS)
    found = score_folder(folder, pairs, ["en", "fr"])
    source, target = (np.array([VECTORS[word] for word in words]) for words in (WORDS[:3], WORDS[3:]))
    expected = brute_force(source, target - [0, 0.95, 0], np.arange(3))
    assert found["alignment"] == pytest.approx(expected)
    assert found["signature"] == "cosine|language_ids=added"
    for languages in ((), ("en", "de")):
        with pytest.raises(ConfigError, match="name the natural and the derived language of en, fr"):
            score_folder(folder, pairs, languages)


@pytest.mark.parametrize(("content", "message"), [
    ("dog\tchien\ncow\tvache\n", "pairs.tsv:2: .*no token 'cow'"),
    ("dog\n", "pairs.tsv:1: 1 columns"),
    ("", "no token pairs"),
])  # fmt: skip
def test_wrong_pairs_are_refused(tmp_path: Path, content: str, message: str) -> None:
    folder = write_encoder(tmp_path / "encoder", WORDS)
    with pytest.raises(InputError, match=message):
        score_folder(folder, written(tmp_path / "pairs.tsv", content))
