"""Encoders of 4 bits a weight: against weights packed by hand, transformers' BERT, and a search of all divisions."""

import itertools

import numpy as np
import pytest
import torch
from transformers import AutoTokenizer, BertModel

from crosslingua.embedders.loading import load_encoder
from crosslingua.encoders.quantised import convert_quantised, read_quantised
from crosslingua.errors import InputError
from encoders import quantised_file as tiny


@pytest.fixture
def whole(tmp_path):
    path = tmp_path / "tiny.bin"
    path.write_bytes(tiny.file_of(tiny.tensors()[0]))
    return path


def test_weights_are_those_that_were_packed(whole):
    read, (_, weights) = read_quantised(whole), tiny.tensors()
    found = read.weights
    assert len(found) == len(weights) == 5 + 16 * tiny.LAYERS
    np.testing.assert_array_equal(found["embeddings.word_embeddings.weight"], weights["emb.word"])
    np.testing.assert_array_equal(found["encoder.layer.1.attention.self.key.weight"], weights["l1.k.w"])
    np.testing.assert_array_equal(found["encoder.layer.1.output.dense.weight"], weights["l1.fo.w"])
    np.testing.assert_array_equal(found["encoder.layer.0.output.LayerNorm.bias"], weights["l0.oln.b"])
    assert read.pieces == tuple(tiny.PIECES)


def test_the_folder_loads_in_transformers_and_here_alike(whole, tmp_path):
    convert_quantised(whole, tmp_path / "out")
    theirs, report = BertModel.from_pretrained(
        tmp_path / "out", add_pooling_layer=False, output_loading_info=True
    )
    assert not report["missing_keys"]
    assert not report["unexpected_keys"]
    ours, tokeniser = load_encoder(str(tmp_path / "out"))
    ids = torch.tensor([tokeniser("ab ba a").input_ids])
    with torch.inference_mode():
        torch.testing.assert_close(
            ours(ids).last_hidden_state, theirs.eval()(ids).last_hidden_state, atol=1e-5, rtol=1e-5
        )


def best_division(word):
    """The division with the highest sum of scores, by trying all."""
    scores = dict(zip(tiny.PIECES[4:-1], tiny.SCORES[4:-1], strict=True))
    text, found = "▁" + word, []
    for cuts in itertools.product([0, 1], repeat=len(text) - 1):
        places = [0, *(i + 1 for i, cut in enumerate(cuts) if cut), len(text)]
        parts = [text[a:b] for a, b in itertools.pairwise(places)]
        if all(part in scores for part in parts):
            found.append((sum(scores[part] for part in parts), parts))
    return max(found)[1]


def test_words_are_divided_into_the_likeliest_pieces(whole, tmp_path):
    convert_quantised(whole, tmp_path / "out")
    tokeniser = AutoTokenizer.from_pretrained(tmp_path / "out")
    for word in ("a", "ab", "ba", "abab", "babba", "aab", "bbb", "abba"):
        assert tokeniser.tokenize(word) == best_division(word), word
    assert tokeniser.tokenize("\ufb01\u200bab\x01a") == ["▁", "fi", *tokeniser.tokenize("aba")]
    pair = tokeniser("ab", "c")
    assert tokeniser.convert_ids_to_tokens(pair.input_ids) == [
        "<s>", *best_division("ab"), "</s>", "</s>", "▁", "<unk>", "</s>",
    ]  # fmt: skip


def without(name):
    packed = dict(tiny.tensors()[0])
    packed.pop(name)
    return packed


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (tiny.file_of(tiny.tensors()[0], magic=b"GGUF"), "no encoder of the package"),
        (tiny.file_of(tiny.tensors()[0])[:-1], "truncated"),
        (tiny.file_of(tiny.tensors()[0])[:60], "truncated"),
        (tiny.file_of(tiny.tensors()[0], pieces=["<unk>", *tiny.PIECES[1:]]), "special pieces"),
        (tiny.file_of(without("l1.fi.w")), "lacks the tensor l1.fi.w"),
        (tiny.file_of(tiny.tensors()[0] | {"l9.q.b": b"\0" * 4}), "holds the tensor 'l9.q.b'"),
        (tiny.file_of(tiny.tensors()[0] | {"l0.q.b": b"\0" * 4}), "l0.q.b"),
    ],
)
def test_a_file_of_another_form_is_refused_and_leaves_nothing(tmp_path, data, message):
    (tmp_path / "bad.bin").write_bytes(data)
    with pytest.raises(InputError, match=message):
        convert_quantised(tmp_path / "bad.bin", tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["bad.bin"]
