"""Encoders with copied pieces: the natural language is read as before, and its copy is segmented alike."""

import json
from collections import Counter

import pytest
import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import BertConfig, BertForMaskedLM, PreTrainedTokenizerFast

from crosslingua.corpora.derived.transliteration import Transliteration
from crosslingua.embedders.loading import load_encoder
from crosslingua.encoders.copied import copy_pieces
from crosslingua.errors import InputError
from encoders.tiny import sentences

LINES = sentences(400, words=120)
NAMES = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    """A BERT with a language-model head, and a Unigram tokeniser with XLM-R's mark of a word's begin."""
    folder = tmp_path_factory.mktemp("encoder")
    tokeniser = Tokenizer(models.Unigram())
    tokeniser.normalizer, tokeniser.pre_tokenizer = normalizers.NFKC(), pre_tokenizers.Metaspace()
    tokeniser.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(vocab_size=150, special_tokens=NAMES, unk_token="<unk>")
    tokeniser.train_from_iterator(LINES, trainer)
    tokeniser.post_processor = processors.BertProcessing(("</s>", 2), ("<s>", 0))
    roles = ("cls_token", "pad_token", "sep_token", "unk_token", "mask_token")
    PreTrainedTokenizerFast(
        tokenizer_object=tokeniser, **dict(zip(roles, NAMES, strict=True))
    ).save_pretrained(folder)
    torch.manual_seed(1)
    size = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    BertForMaskedLM(BertConfig(vocab_size=150, pad_token_id=1, **size)).eval().save_pretrained(folder)
    return folder


WORDS = Counter(word for line in LINES for word in line.split())
ALL = 10_000  # more pieces than there are


def pairs_of(folder):
    return [tuple(line.split("\t")) for line in (folder / "token_pairs.tsv").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("size", [ALL, 40])
def test_a_text_and_its_copy_have_the_same_pieces_in_order(encoder, size, tmp_path):
    derived = Transliteration(3)
    counts = copy_pieces(encoder, WORDS, derived, size, tmp_path / "out")
    model, tokeniser = load_encoder(str(tmp_path / "out"))
    pairs = dict(pairs_of(tmp_path / "out"))
    assert counts["copies"] == len(pairs)
    assert (
        counts["pieces"]
        == len(tokeniser)
        == model.config.vocab_size
        == len(model.embeddings.word_embeddings.weight)
    )
    for line in LINES[:50]:
        copy = " ".join(derived.word(word) for word in line.split())
        assert tokeniser.tokenize(copy) == [pairs.get(piece, piece) for piece in tokeniser.tokenize(line)]
        assert tokeniser.unk_token_id not in tokeniser(copy).input_ids


def test_the_natural_language_is_read_as_before(encoder, tmp_path):
    copy_pieces(encoder, WORDS, Transliteration(3), ALL, tmp_path / "out")
    (old, old_words), (new, new_words) = (load_encoder(str(folder)) for folder in (encoder, tmp_path / "out"))
    for line in LINES[:5]:
        assert new_words.tokenize(line) == old_words.tokenize(line)
        with torch.inference_mode():
            before = old(torch.tensor([old_words(line).input_ids])).last_hidden_state
            after = new(torch.tensor([new_words(line).input_ids])).last_hidden_state
        assert torch.equal(before, after)


def test_the_language_model_head_scores_the_copies_too(encoder, tmp_path):
    counts = copy_pieces(encoder, WORDS, Transliteration(3), 50, tmp_path / "out")
    head = BertForMaskedLM.from_pretrained(tmp_path / "out")
    assert head.cls.predictions.bias.shape == (counts["pieces"],)


def test_pairs_of_words_that_both_languages_share_are_left_out(encoder, tmp_path):
    for overlap, name in ((0.0, "all"), (0.5, "half"), (1.0, "none")):
        copy_pieces(encoder, WORDS, Transliteration(3, overlap=overlap), ALL, tmp_path / name)
    every, half = {*pairs_of(tmp_path / "all")}, {*pairs_of(tmp_path / "half")}
    assert half < every
    assert half
    assert pairs_of(tmp_path / "none") == []


def test_another_kind_of_tokeniser_is_refused(encoder, tmp_path):
    folder = tmp_path / "bpe"
    folder.mkdir()
    for path in encoder.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    told = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    vocabulary = {piece: number for number, (piece, _) in enumerate(told["model"]["vocab"])}
    told["model"] = {"type": "BPE", "vocab": vocabulary, "merges": [], "unk_token": "<unk>"}
    (folder / "tokenizer.json").write_text(json.dumps(told), encoding="utf-8")
    with pytest.raises(InputError, match=r"its model is BPE.*take an encoder of XLM-R's tokeniser"):
        copy_pieces(folder, WORDS, Transliteration(3), ALL, tmp_path / "out")
