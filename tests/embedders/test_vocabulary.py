"""Vectors of words alone, against transformers."""

from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from crosslingua.embedders import vocabulary
from crosslingua.embedders.encoder import Encoder
from crosslingua.errors import ConfigError
from crosslingua.io.vectors import read_vectors
from texts import written
from tiny_encoder import write_encoder

WORDS = ["cat", "a", "housecat", "house", "dog"]


def test_a_vector_is_the_mean_over_a_words_pieces_as_transformers_compute_it(
    tmp_path: Path, monkeypatch
) -> None:
    folder = write_encoder(tmp_path / "encoder", ["house"])
    monkeypatch.setattr(vocabulary, "BATCH", 2)  # batches of words of several lengths
    found = vocabulary.embed_vocabulary(Encoder.load(folder).eval(), WORDS, "en")
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    assert found.words == WORDS
    for word in WORDS:
        with torch.no_grad():
            states = model(**tokenizer(word, return_tensors="pt")).last_hidden_state[0]
        np.testing.assert_allclose(found[word], states.mean(0).numpy(), atol=1e-6)


def test_an_encoder_with_language_ids_must_have_the_language(tmp_path: Path) -> None:
    encoder = Encoder.load(write_encoder(tmp_path / "encoder", languages=["en", "sw"])).eval()
    one, other = (vocabulary.embed_vocabulary(encoder, WORDS, language).matrix for language in ("en", "sw"))
    assert (one != other).any()
    with pytest.raises(ConfigError, match="no language 'de': it has en, sw"):
        vocabulary.embed_vocabulary(encoder, WORDS, "de")


def test_the_script_embeds_the_most_frequent_words(script, tmp_path: Path) -> None:
    write_encoder(tmp_path / "encoder")
    written(tmp_path / "counts.tsv", "the\t9\ncat\t5\ndog\t3\nowl\t1\n")
    words = ("embed_vocabulary.py", "--encoder", "encoder", "--counts", "counts.tsv", "--language", "en")
    script(*words, "--min-count", 3, "--max-vocabulary", 2, "--out", "out.vec")
    assert read_vectors(tmp_path / "out.vec").words == ["the", "cat"]
    few = script(*words, "--min-count", 10, "--out", "none.vec", status=1)
    assert "counts.tsv: no word occurs 10 times (lower --min-count)" in few.stderr
    assert not (tmp_path / "none.vec").exists()
