"""Pruned encoders: the same pieces and vectors, bit for bit, on text of the kept pieces."""

import json

import pytest
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import AutoTokenizer, BertConfig, BertForMaskedLM, PreTrainedTokenizerFast

from crosslingua.embedders.loading import load_encoder
from crosslingua.encoders.prune import prune, words_of
from crosslingua.errors import InputError
from encoders.tiny import sentences

LINES = sentences(400, words=120)
SPECIALS = {
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "unk_token": "[UNK]",
    "pad_token": "[PAD]",
    "mask_token": "[MASK]",
}
MODELS = {
    "Unigram": (models.Unigram, trainers.UnigramTrainer, {"unk_token": "[UNK]"}),
    "WordPiece": (models.WordPiece, trainers.WordPieceTrainer, {}),
    "BPE": (models.BPE, trainers.BpeTrainer, {}),
}


def encoder(kind, folder):
    """A BERT with a language-model head, and a tokeniser of a kind."""
    model, trainer, own = MODELS[kind]
    tokeniser = Tokenizer(model() if kind == "Unigram" else model(unk_token="[UNK]"))
    tokeniser.normalizer = normalizers.NFKC()
    tokeniser.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokeniser.train_from_iterator(LINES, trainer(vocab_size=150, special_tokens=names, **own))
    tokeniser.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    fast = PreTrainedTokenizerFast(tokenizer_object=tokeniser, **SPECIALS)
    fast.save_pretrained(folder)
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=len(fast), hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=64, pad_token_id=0,
    )  # fmt: skip
    BertForMaskedLM(config).eval().save_pretrained(folder)
    return folder


@pytest.mark.parametrize("kind", MODELS)
def test_pieces_and_vectors_of_the_text_stay(kind, tmp_path):
    whole, few = encoder(kind, tmp_path / "whole"), LINES[:12]
    counts = prune(whole, {word for line in few for word in line.split()}, tmp_path / "pruned")
    (old, old_words), (new, new_words) = (load_encoder(str(tmp_path / name)) for name in ("whole", "pruned"))
    assert counts == {"pieces": new.config.vocab_size, "of": old.config.vocab_size}
    assert counts["pieces"] < counts["of"]
    for line in few:
        assert new_words.tokenize(line) == old_words.tokenize(line)
        with torch.inference_mode():
            one, other = (
                model(torch.tensor([words(line).input_ids]))
                for model, words in ((old, old_words), (new, new_words))
            )
        assert torch.equal(one.last_hidden_state, other.last_hidden_state)


def test_the_head_keeps_the_rows_of_its_pieces(tmp_path):
    whole = encoder("WordPiece", tmp_path / "whole")
    prune(whole, LINES[0].split(), tmp_path / "pruned")
    scores = []
    for name in ("whole", "pruned"):
        words = AutoTokenizer.from_pretrained(tmp_path / name)
        model = BertForMaskedLM.from_pretrained(tmp_path / name).eval()
        kept = AutoTokenizer.from_pretrained(tmp_path / "pruned").get_vocab()
        rows = [words.get_vocab()[piece] for piece in sorted(kept)]
        with torch.inference_mode():
            scores.append(model(**words(LINES[0], return_tensors="pt")).logits[..., rows])
    torch.testing.assert_close(*scores)


def test_words_are_read_from_text_tables_and_json(tmp_path):
    (tmp_path / "a.conll").write_text("Das\tDET\nHaus\tNOUN\n\n", encoding="utf-8")
    (tmp_path / "b.json").write_text(json.dumps({"data": [{"context": "one two", "n": 3}]}), encoding="utf-8")
    found = words_of([tmp_path / "a.conll", tmp_path / "b.json"])
    assert found == {"Das", "DET", "Haus", "NOUN", "one", "two"}


def test_what_cannot_be_pruned_is_refused(tmp_path):
    with pytest.raises(InputError, match="no tokenizer"):
        prune(tmp_path, ["a"], tmp_path / "out")
    whole = encoder("WordPiece", tmp_path / "whole")
    path = whole / "tokenizer.json"
    told = json.loads(path.read_text())
    vocabulary = {"type": "WordLevel", "vocab": told["model"]["vocab"], "unk_token": "[UNK]"}
    path.write_text(json.dumps(told | {"model": vocabulary}))
    with pytest.raises(InputError, match="type WordLevel"):
        prune(whole, ["a"], tmp_path / "out")
    assert not (tmp_path / "out").exists()
