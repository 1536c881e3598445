"""Encoders of several architectures through the one door; our module against transformers'."""

import io
import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from transformers import AutoConfig, AutoModel, AutoModelForMaskedLM, XLMModel

from crosslingua.embedders.encoder import Encoder, Windows, WordEncoder, WordPieces
from crosslingua.embedders.loading import load_encoder
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.conll import TaggedSentence, write_conll
from crosslingua.nn.bert import Bert
from crosslingua.nn.ragged import Ragged
from crosslingua.tasks.settings import FineTuning
from crosslingua.tasks.tuner import Files, Tuner, parse_files
from crosslingua.word_aligners.encoding import EncoderEmbedding
from tiny_encoder import LETTERS, write_encoder
from word_aligners.encoders import make_bert, make_xlm, save_tokeniser, vocabulary

LANGUAGES = ("en", "fr", "de")
TAGGED = [TaggedSentence(("ab", "cdef"), ("A", "B")), TaggedSentence(("ja",), ("A",))]
SIZES = {
    "vocab_size": len(vocabulary()), "hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4,
    "intermediate_size": 48, "max_position_embeddings": 60, "initializer_range": 0.3,
}  # fmt: skip
MODELS = {  # the last without a head
    "bert": (AutoModelForMaskedLM, {"pad_token_id": 0}),
    "roberta": (AutoModelForMaskedLM, {"pad_token_id": 1, "type_vocab_size": 2}),
    "roberta-prelayernorm": (AutoModelForMaskedLM, {"pad_token_id": 1, "type_vocab_size": 2}),
    "xlm-roberta": (AutoModel, {"pad_token_id": 1}),
}
IDS = torch.tensor([[2, 9, 7, 30, 3], [2, 11, 3, 1, 1]])
MASK = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])


def test_an_xlm_that_is_told_no_language_reads_any(tmp_path: Path) -> None:
    encoder = Encoder.load(make_xlm(tmp_path, LANGUAGES)).eval()
    model = XLMModel.from_pretrained(tmp_path).eval()
    with pytest.raises(ConfigError, match="has no language 'nl': it has de, en, fr"):
        encoder.language_id("nl")
    encoder.forget_languages()
    ids = np.array([[2, 7, 30, 3]])
    with torch.inference_mode():
        expected = model(torch.from_numpy(ids), attention_mask=torch.ones(1, 4)).last_hidden_state
        english = model(torch.from_numpy(ids), langs=torch.zeros(1, 4, dtype=torch.long)).last_hidden_state
        # of segments it has none either
        for types in (encoder.language_id("nl"), encoder.language_id("en"), 1):
            assert torch.equal(encoder(ids, np.array([4]), types), expected)
    assert not torch.allclose(expected, english)


@pytest.mark.parametrize("told", [True, False])
def test_a_mixture_needs_an_encoder_that_is_told_no_language(tmp_path: Path, told: bool) -> None:
    encoder = Encoder.load(make_xlm(tmp_path / "xlm", LANGUAGES))
    write_conll(tmp_path / "data", TAGGED)
    own = parse_files([f"pos/mixture={tmp_path / 'data'}"])
    tuner = Tuner(encoder, Files(own, own, own), seed=1)
    settings = FineTuning(epochs=1, batch_size=2, max_length=20, language_ids=told)
    if told:
        with pytest.raises(ConfigError, match="has no language 'mixture'"):
            tuner.tune(("pos", "mixture"), settings)
        return
    model, report = tuner.tune(("pos", "mixture"), settings)
    assert report["settings"]["language_ids"] is False
    assert len(model.predict(model.prepare(TAGGED, "nl"))) == len(TAGGED)
    assert encoder.language_id("de") == 2  # the others that are tuned of it are told


def test_the_two_uses_of_an_encoder_agree(tmp_path: Path) -> None:
    embed = EncoderEmbedding.load(str(make_xlm(tmp_path, LANGUAGES)), [3], languages=("de", "en"))
    encoder = Encoder.load(tmp_path).eval()
    pieces = encoder.tokenizer(["ab", "cd"], is_split_into_words=True)["input_ids"]
    with torch.inference_mode():
        units = embed.units((["ab", "cd"], ["ab"]))
        ((source, _),) = embed.vectors([units], joint=False)
        whole = encoder(np.array([pieces]), np.array([len(pieces)]), encoder.language_id("de"))
    torch.testing.assert_close(source, whole[:, 1:-1], atol=1e-5, rtol=0)


@pytest.mark.parametrize("model_type", ["bert", "mine"])
def test_code_that_comes_with_an_encoder_is_never_run(tmp_path: Path, monkeypatch, model_type: str) -> None:
    """Whatever is typed: transformers asks on a terminal, and reads the answer from standard input."""
    folder, trace = make_bert(tmp_path / "encoder"), tmp_path / "was_run"
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": model_type, "auto_map": {"AutoConfig": "own.Config", "AutoModel": "own.Model"}}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "own.py").write_text(f"open({str(trace)!r}, 'w')\n")
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n" * 4))
    for load in (Encoder.load, lambda folder: EncoderEmbedding.load(folder, [1])):
        with pytest.raises(InputError, match="auto_map\\), which is never run"):
            load(folder)
    assert not trace.exists()


def test_code_that_comes_with_a_tokenizer_is_never_run(tmp_path: Path, monkeypatch) -> None:
    path = make_bert(tmp_path) / "tokenizer_config.json"
    own = {"tokenizer_class": "Own", "auto_map": {"AutoTokenizer": ["own.Own", None]}}
    path.write_text(json.dumps(json.loads(path.read_text()) | own))
    (tmp_path / "own.py").write_text("raise RuntimeError('was run')\n")
    monkeypatch.setattr("builtins.input", lambda prompt="": "y")
    assert Encoder.load(tmp_path).tokenizer(["ab"], is_split_into_words=True)["input_ids"][0] == 2


SENTENCES = [["dogs", "bark"], ["a"], ["cats", "chase", "dogs", "\u200b", "now"]]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory) -> Encoder:
    return Encoder.load(write_encoder(tmp_path_factory.mktemp("encoder"), ["dogs", "now"]))


def test_rows_of_unequal_length_are_padded_and_joined() -> None:
    rows = Ragged.of([[1, 2], [], [3, 4, 5]])
    assert rows.padded(np.array([2, 0, 1]), 9).tolist() == [[3, 4, 5], [1, 2, 9], [9, 9, 9]]
    assert rows.joined(np.array([2, 0, 2])).tolist() == [3, 4, 5, 1, 2, 3, 4, 5]


def test_pieces_are_those_of_the_tokenizer_and_starts_those_of_its_word_ids(encoder: Encoder) -> None:
    found = WordPieces(encoder.tokenizer, 40).encode(SENTENCES)
    for row, sentence in enumerate(SENTENCES):
        expected = encoder.tokenizer(sentence, is_split_into_words=True)
        words = expected.word_ids()
        assert found.ids.padded(np.array([row]), -1)[0].tolist() == expected["input_ids"]
        firsts = [words.index(word) for word in range(len(sentence))]
        assert found.starts.padded(np.array([row]), -1)[0].tolist() == firsts


def test_a_word_without_pieces_becomes_the_unknown_piece(encoder: Encoder) -> None:
    class Silent:  # a tokenizer that removes invisible characters, as sentencepiece's do
        name_or_path, unk_token_id, added_tokens_decoder = "silent", 3, {}

        def __call__(self, words, **options):
            if "return_special_tokens_mask" in options:
                return encoder.tokenizer(words, **options)
            return {"input_ids": [[] if word == ["\u200b"] else [7] for word in words]}

    found = WordPieces(Silent(), 40).encode([["x", "\u200b", "y"]])
    assert found.ids.values.tolist() == [0, 7, 3, 7, 2]
    assert found.starts.values.tolist() == [1, 2, 3]


def test_a_byte_level_tokenizer_reads_words_as_in_running_text(tmp_path: Path) -> None:
    from tokenizers import ByteLevelBPETokenizer
    from transformers import RobertaTokenizerFast

    learnt, specials = ByteLevelBPETokenizer(), ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    learnt.train_from_iterator(["the dog sees the cat"] * 50, vocab_size=300, special_tokens=specials)
    learnt.save_model(str(tmp_path))
    tokenizer = RobertaTokenizerFast.from_pretrained(tmp_path)
    running = tokenizer(" the dog")["input_ids"]
    assert running != tokenizer("the dog")["input_ids"]
    assert WordPieces(tokenizer, 40).encode([["the", "dog"]]).ids.values.tolist() == running


def test_each_word_of_a_long_sentence_is_read_where_it_has_most_context(encoder: Encoder) -> None:
    sentence = list("abcdefg")  # a piece each; 6 fit
    found = WordPieces(encoder.tokenizer, 8).encode([["a"], sentence, ["now"]])
    assert (found.divided, found.cut_words) == (1, 0)
    shown = [encoder.tokenizer.decode(found.ids.padded(np.array([row]), -1)[0]) for row in (1, 2)]
    assert shown == ["<s> a b c d e f </s>", "<s> b c d e f g </s>"]
    starts = [row.tolist() for row in np.split(found.starts.values, found.starts.offsets[1:-1])]
    assert starts == [[1], [1, 2, 3, 4], [4, 5, 6], [1]]


@given(sizes=st.lists(st.integers(1, 9), min_size=1, max_size=60), room=st.integers(1, 20))
def test_windows_show_most_around_their_words(encoder: Encoder, sizes: list[int], room: int) -> None:
    """The letter tells the word, so that a window tells which words it holds."""
    sentence = [LETTERS[place % 26] * size for place, size in enumerate(sizes)]
    kept = [min(size, room) for size in sizes]
    ends = np.cumsum([0, *kept])
    found = WordPieces(encoder.tokenizer, room + 2).encode([sentence])
    assert found.starts.values.shape == (len(sizes),)
    assert found.ids.lengths.max() <= room + 2
    bounds = [_stretch(encoder, found, row, ends) for row in range(len(found.ids))]
    for row in range(len(found.ids)):
        for word in range(*found.starts.offsets[row : row + 2]):
            context = [min(ends[word] - a, b - ends[word + 1]) + 0.01 * (b - a) for a, b in bounds]
            assert context[row] == max(context)
    for (_, stop), (start, _) in pairwise(bounds):
        assert start <= stop


def test_no_word_of_one_piece_is_near_an_edge_that_is_not_the_sentences(encoder: Encoder) -> None:
    room, words = 12, 100
    found = WordPieces(encoder.tokenizer, room + 2).encode([["a"] * words])
    lengths = np.repeat(found.ids.lengths - 2, found.starts.lengths)
    left = found.starts.values - 1
    edge = np.minimum(left, lengths - 1 - left)
    ends = np.minimum(np.arange(words), np.arange(words)[::-1])
    assert (edge >= np.minimum(ends, room // 4 - 1)).all()


def _stretch(encoder: Encoder, found: Windows, row: int, ends: np.ndarray) -> tuple[int, int]:
    """Return the pieces of the sentence that a window holds, and check that they are the sentence's."""
    first = found.starts.offsets[row]
    start = int(ends[first] - found.starts.values[first] + 1)
    stop = start + int(found.ids.lengths[row]) - 2
    assert {start, stop} <= set(ends.tolist())
    shown = encoder.tokenizer.convert_ids_to_tokens(found.ids.padded(np.array([row]), -1)[0][1:-1])
    words = np.searchsorted(ends, np.arange(start, stop), side="right") - 1
    assert [piece.removeprefix("##") for piece in shown] == [LETTERS[word % 26] for word in words]
    return start, stop


def test_a_word_longer_than_a_window_keeps_its_first_pieces_and_is_counted(encoder: Encoder) -> None:
    found = WordPieces(encoder.tokenizer, 6).encode([["a", "abcdefgh", "b"]])
    assert (found.cut_words, found.ids.lengths.tolist()) == (1, [3, 6, 3])
    shown = encoder.tokenizer.convert_ids_to_tokens(found.ids.values[3:9])
    assert shown == ["<s>", "a", "##b", "##c", "##d", "</s>"]


def test_the_vector_of_a_word_is_that_of_its_first_piece_whatever_the_batch(encoder: Encoder) -> None:
    embedder = WordEncoder(encoder).eval()
    pieces = embedder.encode(SENTENCES)
    with torch.inference_mode():
        together = embedder(pieces, "en", np.array([1, 0, 2]))
        for place, row in enumerate([1, 0, 2]):
            inputs = encoder.tokenizer(SENTENCES[row], is_split_into_words=True, return_tensors="pt")
            alone = encoder.model(**inputs).last_hidden_state[0]
            words = inputs.word_ids(0)
            expected = torch.stack([alone[words.index(word)] for word in range(len(SENTENCES[row]))])
            assert torch.allclose(together[place, : len(expected)], expected, atol=1e-5)


def test_a_word_of_a_long_sentence_has_the_vector_of_its_window(encoder: Encoder) -> None:
    """50 pieces, of which 38 fit: words 0 to 37, and 12 to 49; from word 25 on the second has more around a word."""
    embedder = WordEncoder(encoder).eval()
    sentence = list("abcdefghij" * 5)
    with torch.inference_mode():
        pieces = embedder.encode([sentence])
        found = embedder(pieces, "en", np.array([0, 1]))
        for row, words, kept in ((0, sentence[:38], slice(0, 25)), (1, sentence[12:], slice(13, 38))):
            alone = embedder(embedder.encode([words]), "en", np.array([0]))[0, kept]
            assert torch.allclose(found[row], alone, atol=1e-5)


def test_language_ids_are_given_as_token_types(tmp_path: Path) -> None:
    encoder = Encoder.load(write_encoder(tmp_path, ["dogs"], languages=["en", "de"])).eval()
    embedder = WordEncoder(encoder)
    pieces = embedder.encode([["dogs"]])
    ids = torch.tensor([[0, encoder.tokenizer.convert_tokens_to_ids("dogs"), 2]])
    with torch.inference_mode():
        for language, number in (("en", 0), ("de", 1)):
            expected = encoder.model(ids, token_type_ids=torch.full_like(ids, number)).last_hidden_state
            assert torch.allclose(embedder(pieces, language, np.array([0])), expected[:, 1:2], atol=1e-6)


def test_a_folder_without_an_encoder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no config\.json"):
        Encoder.load(tmp_path)


def written(folder: Path, name: str, **more: str) -> Path:
    torch.manual_seed(0)
    kind, own = MODELS[name]
    kind.from_config(AutoConfig.for_model(name, **SIZES, **own, **more)).save_pretrained(folder)
    save_tokeniser(folder, 58)
    return folder


@pytest.mark.parametrize("layer", [None, 2])
@pytest.mark.parametrize("name", MODELS)
def test_states_and_gradients_are_those_of_transformers(tmp_path: Path, name: str, layer: int | None) -> None:
    ours, _ = load_encoder(str(written(tmp_path, name)), layer)
    theirs = AutoModel.from_pretrained(tmp_path, add_pooling_layer=False).eval()
    assert isinstance(ours, Bert)
    normalised_once_more = name == "roberta-prelayernorm"  # the last layer's states alone
    assert len(ours.encoder["layer"]) == (3 if layer is None or normalised_once_more else layer)
    inputs = {"input_ids": IDS, "attention_mask": MASK, "output_hidden_states": True}
    places = {"position_ids": torch.tensor([[2, 3, 2, 3, 4]] * 2)}
    types = {} if name == "xlm-roberta" else {"token_type_ids": torch.tensor([[0, 0, 1, 1, 1]] * 2)}
    for more in ({}, types, places):
        found, expected = ours(**inputs, **more), theirs(**inputs, **more)
        for one, other in zip(found.hidden_states, expected.hidden_states, strict=False):
            torch.testing.assert_close(one[MASK.bool()], other[MASK.bool()], atol=1e-5, rtol=1e-5)
    if layer is None:
        assert ours.state_dict().keys() == theirs.state_dict().keys()
        for model in (ours, theirs):
            model(**inputs).last_hidden_state[MASK.bool()].square().sum().backward()
        weights = dict(theirs.named_parameters())
        for key, value in ours.named_parameters():
            torch.testing.assert_close(value.grad, weights[key].grad, atol=1e-3, rtol=1e-3)


@pytest.mark.parametrize("name", MODELS)
def test_what_training_drops_is_what_transformers_drops(tmp_path: Path, name: str) -> None:
    ours, _ = load_encoder(str(written(tmp_path, name)))
    theirs = AutoModel.from_pretrained(tmp_path, add_pooling_layer=False, attn_implementation="sdpa")
    found = []
    for model in (ours.train(), theirs.train()):
        torch.manual_seed(1)
        found.append(model(input_ids=IDS[:1], attention_mask=MASK[:1]).last_hidden_state)
    torch.testing.assert_close(*found, atol=1e-5, rtol=1e-5)
    assert not torch.allclose(found[0], ours.eval()(IDS[:1], MASK[:1]).last_hidden_state, atol=1e-2)


def test_another_activation_is_left_to_transformers(tmp_path: Path) -> None:
    model, _ = load_encoder(str(written(tmp_path, "roberta", hidden_act="relu")))
    assert type(model).__name__ == "RobertaModel"


def test_what_is_saved_loads_in_both(tmp_path: Path) -> None:
    model, tokeniser = load_encoder(str(written(tmp_path / "a", "bert")))
    model.save_pretrained(tmp_path / "b")
    tokeniser.save_pretrained(tmp_path / "b")
    again = Encoder.load(tmp_path / "b")
    theirs = AutoModel.from_pretrained(tmp_path / "b", add_pooling_layer=False).eval()
    with torch.inference_mode():
        found = again(np.array([[2, 7, 3]]), np.array([3]))
        expected = theirs(torch.tensor([[2, 7, 3]])).last_hidden_state
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)


def test_weights_that_are_missing_or_of_another_shape_are_told(tmp_path: Path) -> None:
    path = make_bert(tmp_path) / "model.safetensors"
    weights = load_file(path)
    less = {key: value for key, value in weights.items() if "layer.1.intermediate" not in key}
    other = weights | {"embeddings.LayerNorm.bias": torch.zeros(7)}
    for wrong, message in (
        (less, r"2 weights of the encoder are missing, encoder\.layer\.1\.intermediate\.dense\.bias"),
        (other, r"1 weights have other shapes than config.json says, embeddings\.Layer"),
    ):
        save_file(wrong, path, metadata={"format": "pt"})
        with pytest.raises(InputError, match=message):
            Encoder.load(tmp_path)


def test_transformers_models_are_not_imported_for_it(tmp_path: Path) -> None:
    code = (
        "import sys; from crosslingua.embedders.encoder import Encoder; Encoder.load(sys.argv[1]); "
        "sys.exit(sorted({'sympy', 'sklearn', 'transformers.modeling_utils'} & sys.modules.keys()) or 0)"
    )
    subprocess.run([sys.executable, "-c", code, str(make_bert(tmp_path))], check=True)


@pytest.mark.parametrize("name", MODELS)
def test_the_first_piece_alone_is_that_of_the_whole_last_layer(tmp_path: Path, name: str) -> None:
    """Vectors and gradients, against transformers' whole layer."""
    ours = Encoder.load(written(tmp_path, name)).eval()
    theirs = AutoModel.from_pretrained(tmp_path, add_pooling_layer=False).eval()
    first = 0 if name == "bert" else 2
    positions = np.array([[0, 1, 2, 0, 1], [0, 1, 0, 0, 0]])
    places = torch.from_numpy(positions + first)
    for told, more in ((None, {}), (positions, {"position_ids": places})):
        ours.zero_grad(), theirs.zero_grad()
        expected = theirs(input_ids=IDS, attention_mask=MASK, **more).last_hidden_state[:, 0]
        found = ours.first(IDS.numpy(), MASK.sum(1).numpy(), None, told)
        torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)
        found.square().sum().backward(), expected.square().sum().backward()
        grads = {n: weight.grad for n, weight in theirs.named_parameters() if weight.grad is not None}
        for n, weight in ours.model.named_parameters():
            torch.testing.assert_close(weight.grad, grads[n], atol=1e-4, rtol=1e-4)
