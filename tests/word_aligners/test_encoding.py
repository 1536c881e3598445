"""Vectors of subwords against plain calls of the model, one sentence at a time."""

import json
import shutil
from itertools import count, islice

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file

from crosslingua.errors import ConfigError, InputError
from crosslingua.word_aligners.encoding import EncoderEmbedding, Layout, Template, buckets, pools
from word_aligners.encoders import INVISIBLE, make_bert, make_pairs, make_t5, make_xlm, make_xlmr

PAIR = (["abc", "d", "efghi"], ["ja", "bc"])
SUBWORDS = (["ab", "##c", "d", "ef", "##gh", "##i"], ["ja", "bc"])


def plain(folder, layer, model_class=None, **arguments):
    """Hidden state `layer` of the whole model."""
    from transformers import AutoModel

    model = (model_class or AutoModel).from_pretrained(folder).eval()
    with torch.no_grad():
        return model(**arguments, output_hidden_states=True).hidden_states[layer][0]


def numbers(embed, *pieces):
    return embed.words.tokenizer.convert_tokens_to_ids(list(pieces))


def vectors(embed, pairs, joint):
    with torch.inference_mode():
        return embed.vectors([embed.units(pair) for pair in pairs], joint)


def test_every_subword_knows_its_word_and_a_word_that_the_tokeniser_drops_keeps_an_unknown_one(bert, caplog):
    embed = EncoderEmbedding.load(str(bert), [1])
    assert [side.words for side in embed.units(PAIR)] == [[0, 0, 1, 2, 2, 2], [0, 1]]
    embed.report()
    assert not caplog.records
    source, _ = embed.units((["ab", INVISIBLE, "cd"], ["ab"]))
    assert (source.words, source.ids) == ([0, 1, 2], numbers(embed, "ab", "[UNK]", "cd"))
    embed.report()
    assert "1 words, such as '\\u200b'" in caplog.text


@pytest.mark.parametrize("layers", [[0], [3], [2, 1]])
def test_sentences_apart(bert, layers):
    """In a batch with longer ones, which is padded."""
    embed = EncoderEmbedding.load(str(bert), layers)
    found = vectors(embed, [PAIR, *make_pairs(5, longest=20)], joint=False)
    for layer, sides in zip(layers, found, strict=True):
        for side, pieces in zip(sides, SUBWORDS, strict=True):
            ids = torch.tensor([numbers(embed, "[CLS]", *pieces, "[SEP]")])
            expected = plain(bert, layer, input_ids=ids)[1:-1]
            torch.testing.assert_close(side[0, : len(pieces)], expected, atol=1e-5, rtol=0)


def test_sentences_jointly(bert):
    """Segments 0 and 1, as BERT was trained."""
    embed = EncoderEmbedding.load(str(bert), [2])
    ((source, target),) = vectors(embed, [*make_pairs(3), PAIR], joint=True)
    ids = torch.tensor([numbers(embed, "[CLS]", *SUBWORDS[0], "[SEP]", *SUBWORDS[1], "[SEP]")])
    state = plain(bert, 2, input_ids=ids, token_type_ids=torch.tensor([[0] * 8 + [1] * 3]))
    torch.testing.assert_close((source[3, :6], target[3, :2]), (state[1:7], state[8:10]), atol=1e-5, rtol=0)


@pytest.mark.parametrize(("make", "argument"), [(make_bert, "token_type_ids"), (make_xlm, "langs")])
def test_language_embeddings(tmp_path, make, argument):
    folder = make(tmp_path, languages=("en", "fr", "de"))
    embed = EncoderEmbedding.load(str(folder), [3], languages=("de", "en"))
    ids = torch.tensor([numbers(embed, "[CLS]", *SUBWORDS[0], "[SEP]", *SUBWORDS[1], "[SEP]")])
    expected = plain(folder, 3, input_ids=ids, **{argument: torch.tensor([[2] * 8 + [0] * 3])})
    ((source, target),) = vectors(embed, [PAIR], joint=True)
    torch.testing.assert_close((source[0], target[0]), (expected[1:7], expected[8:10]), atol=1e-5, rtol=0)
    alone = plain(folder, 3, input_ids=ids[:, :8], **{argument: torch.full((1, 8), 2)})
    torch.testing.assert_close(vectors(embed, [PAIR], joint=False)[0][0][0], alone[1:7], atol=1e-5, rtol=0)
    with pytest.raises(ConfigError, match="no language 'it': it has de, en, fr"):
        EncoderEmbedding.load(str(folder), [3], languages=("it", "en"))
    with pytest.raises(ConfigError, match=r"has language ids: .*\(--languages\) of de, en, fr"):
        EncoderEmbedding.load(str(folder), [3])


def test_xlm_without_embeddings_of_its_languages(tmp_path):
    """As xlm-mlm-100-1280: it lists languages, which change nothing."""
    folder = make_xlm(tmp_path, languages=("en", "fr"), use_lang_emb=False)
    embed = EncoderEmbedding.load(str(folder), [3])
    ids = torch.tensor([numbers(embed, "[CLS]", *SUBWORDS[0], "[SEP]")])
    found = vectors(embed, [PAIR], joint=False)[0][0][0]
    torch.testing.assert_close(found, plain(folder, 3, input_ids=ids)[1:7], atol=1e-5, rtol=0)


@pytest.mark.parametrize("layer", [1, 3])
def test_encoder_with_a_final_normalisation(tmp_path, layer):
    from transformers import T5EncoderModel

    folder = make_t5(tmp_path)
    embed = EncoderEmbedding.load(str(folder), [layer])
    ids = torch.tensor([numbers(embed, "[CLS]", *SUBWORDS[0], "[SEP]")])
    expected = plain(folder, layer, T5EncoderModel, input_ids=ids)
    found = vectors(embed, [PAIR], joint=False)[0][0][0]
    torch.testing.assert_close(found, expected[1:7], atol=1e-4, rtol=1e-4)


def test_long_sentences_are_windowed(tmp_path):
    """With 12 positions, 10 subwords fit: 14 need two windows, of which each gives the half that it saw best."""
    folder = make_bert(tmp_path, positions=12)
    embed = EncoderEmbedding.load(str(folder), [3])
    words = list("abcdefghijabcd")
    found = vectors(embed, [(words, ["a"])], joint=False)[0][0][0]
    for window, part in ((slice(0, 10), slice(0, 7)), (slice(4, 14), slice(7, 14))):
        ids = torch.tensor([numbers(embed, "[CLS]", *words[window], "[SEP]")])
        expected = plain(folder, 3, input_ids=ids)[1:-1][part.start - window.start : part.stop - window.start]
        torch.testing.assert_close(found[part], expected, atol=1e-5, rtol=0)


def test_long_pairs_are_windowed_together(tmp_path):
    """The windows of both sides show the same stretch: 9 places for 6 and 12 subwords are 3 and 6 of them."""
    folder = make_bert(tmp_path, positions=12)
    embed = EncoderEmbedding.load(str(folder), [3])
    pair = (list("abcdef"), list("abcdefghijab"))
    source, target = vectors(embed, [PAIR, pair], joint=True)[0]
    ids = torch.tensor([numbers(embed, "[CLS]", *pair[0][:3], "[SEP]", *pair[1][:6], "[SEP]")])
    first = plain(folder, 3, input_ids=ids, token_type_ids=torch.tensor([[0] * 5 + [1] * 7]))
    torch.testing.assert_close((source[1, :2], target[1, :4]), (first[1:3], first[5:9]), atol=1e-5, rtol=0)


def test_long_sentences_are_refused_by_choice(tmp_path):
    embed = EncoderEmbedding.load(str(make_bert(tmp_path, positions=12)), [3], over_length="refuse")
    vectors(embed, [(["a"] * 10, ["a"])], joint=False)
    with pytest.raises(ConfigError, match="11 subwords are too long for the encoder, which takes 10"):
        vectors(embed, [(["a"] * 11, ["a"])], joint=False)
    with pytest.raises(ConfigError, match="5 and 5 subwords are too long for the encoder, which takes 9"):
        vectors(embed, [(["a"] * 5, ["a"] * 5)], joint=True)


def test_longest_input_of_xlmr(tmp_path):
    """Its positions start after the padding token's: of 14, two are lost."""
    embed = EncoderEmbedding.load(str(make_xlmr(tmp_path, positions=14)), [1])
    assert embed.alone.limit == 12
    vectors(embed, [(["a"] * 30, ["a"] * 10)], joint=False)


def test_pairs_are_joined_as_the_tokeniser_does(tmp_path):
    """XLM-R has two separators between sentences."""
    folder = make_xlmr(tmp_path)
    embed = EncoderEmbedding.load(str(folder), [1])
    ids = torch.tensor([numbers(embed, "[CLS]", *SUBWORDS[0], "[SEP]", "[SEP]", *SUBWORDS[1], "[SEP]")])
    expected = plain(folder, 1, input_ids=ids)
    ((source, target),) = vectors(embed, [PAIR], joint=True)
    torch.testing.assert_close((source[0], target[0]), (expected[1:7], expected[9:11]), atol=1e-5, rtol=0)


@pytest.mark.parametrize("kind", ["bert", "xlm", "xlmr"])
def test_positions_begin_again_for_encoders_trained_so(tmp_path, kind):
    """As in pre-training: `restart_positions` of config.json; the library is told them with their offset."""
    folder = {"bert": make_bert, "xlm": make_xlm, "xlmr": make_xlmr}[kind](tmp_path)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"restart_positions": True}))
    separators = ["[SEP]"] * (2 if kind == "xlmr" else 1)
    embed = EncoderEmbedding.load(str(folder), [1])
    ids = torch.tensor([numbers(embed, "[CLS]", *SUBWORDS[0], *separators, *SUBWORDS[1], "[SEP]")])
    places = torch.tensor([[*range(8), *range(ids.shape[1] - 8)]]) + (2 if kind == "xlmr" else 0)
    types = {"token_type_ids": torch.tensor([[0] * 8 + [1] * 3])} if kind == "bert" else {}
    expected = plain(folder, 1, input_ids=ids, position_ids=places, **types)
    ((source, target),) = vectors(embed, [*make_pairs(3), PAIR], joint=True)
    found = source[3, :6], target[3, :2]
    torch.testing.assert_close(found, (expected[1:7], expected[-3:-1]), atol=1e-5, rtol=0)
    on = plain(folder, 1, input_ids=ids, **types)
    assert (on[-3:-1] - expected[-3:-1]).abs().max() > 1e-3
    alone = plain(folder, 1, input_ids=ids[:, :8])
    torch.testing.assert_close(vectors(embed, [PAIR], joint=False)[0][0][0], alone[1:7], atol=1e-5, rtol=0)


def test_layouts_with_two_separators():
    """The second one belongs to the second sentence, as in pre-training."""
    layout = Layout(Template([[2], [3, 3], [3]], None))
    layout.add([[7, 8], [9]], (5, 6))
    assert (layout.sequences, layout.types) == ([[2, 7, 8, 3, 3, 9, 3]], [[5, 5, 5, 5, 6, 6, 6]])
    windows = Layout(Template([[2], [3, 3], [3]], 9))
    windows.add([[7, 8, 9, 10], [11, 12, 13, 14]], (5, 6))
    assert windows.positions == [[0, 1, 2, 3, 0, 1, 2, 3, 4][: len(row)] for row in windows.sequences]


@pytest.mark.parametrize("value", ["nan", "inf"])
def test_weights_that_are_not_finite(bert, tmp_path, value):
    folder = tmp_path / "diverged"
    shutil.copytree(bert, folder)
    weights = load_file(folder / "model.safetensors")
    weights["encoder.layer.1.output.dense.bias"][3] = float(value)
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    message = r"diverged/model\.safetensors: encoder\.layer\.1\.output\.dense\.bias holds values that are no numbers"
    vectors(EncoderEmbedding.load(str(folder), [1]), [PAIR], False)  # the layers that are read are right
    with pytest.raises(InputError, match=message):
        EncoderEmbedding.load(str(folder), [1, 2])


@pytest.mark.parametrize("joint", [False, True])
def test_vectors_that_are_not_finite(bert, joint):
    embed = EncoderEmbedding.load(str(bert), [1, 2])
    with torch.no_grad():
        embed.encoder.model.encoder.layer[1].output.dense.bias[3] = torch.inf
    with pytest.raises(InputError, match=r"layer 2 has vectors that are not finite"):
        vectors(embed, [PAIR], joint)


def test_damaged_weights_are_named(bert, tmp_path):
    folder = tmp_path / "damaged"
    shutil.copytree(bert, folder)
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(InputError, match=r"damaged/model\.safetensors: truncated or damaged"):
        EncoderEmbedding.load(str(folder), [1])
    path.unlink()
    with pytest.raises(InputError, match=r"damaged: no weights could be loaded: .*model\.safetensors"):
        EncoderEmbedding.load(str(folder), [1])


@pytest.mark.parametrize("device", ["cuda:99", "gpu"])
def test_device_that_is_not_there(bert, device):
    with pytest.raises(ConfigError, match=f"device is {device}, but torch finds none .*say cpu"):
        EncoderEmbedding.load(str(bert), [1], device=device)


def test_bad_encoder(bert, tmp_path):
    with pytest.raises(ConfigError, match=r"layer 9 of .*: it has layers 0 \(embeddings\) to 3"):
        EncoderEmbedding.load(str(bert), [1, 9])
    with pytest.raises(InputError, match="no encoder could be loaded"):
        EncoderEmbedding.load(str(tmp_path), [1])


lengths = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=60)


@given(lengths, st.integers(1, 300))
def test_buckets_hold_all_pairs_once_within_their_size(lengths, tokens):
    divided = buckets(lengths, tokens)
    assert sorted(k for bucket in divided for k in bucket) == list(range(len(lengths)))
    for bucket in divided:
        padded = len(bucket) * sum(max(lengths[k][side] for k in bucket) for side in (0, 1))
        assert padded <= tokens or len(bucket) == 1


def test_pools_are_read_as_needed():
    numbers = count()
    assert list(islice(pools(numbers, 3), 2)) == [[0, 1, 2], [3, 4, 5]]
    assert next(numbers) == 6
    assert list(pools([1, 2, 3], 2)) == [[1, 2], [3]]
