"""Tiny encoders with random weights, and sentences in their vocabulary."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
LETTERS = "abcdefghij"


def make_bert(folder: Path, layers: int = 3, positions: int = 64, languages: tuple[str, ...] = ()) -> Path:
    """Save a BERT whose tokeniser divides words into letter pairs, and drops the invisible U+200B."""
    from transformers import BertConfig, BertModel, BertTokenizerFast

    pieces = [*LETTERS, *(a + b for a in LETTERS for b in LETTERS)]
    vocabulary = [*SPECIAL, *pieces, *("##" + piece for piece in pieces)]
    folder.mkdir(parents=True, exist_ok=True)
    tokeniser = Tokenizer(models.WordPiece({w: i for i, w in enumerate(vocabulary)}, unk_token="[UNK]"))
    tokeniser.normalizer = normalizers.Sequence([normalizers.Replace("\u200b", ""), normalizers.NFC()])
    tokeniser.pre_tokenizer = pre_tokenizers.Whitespace()
    tokeniser.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    from transformers import PreTrainedTokenizerFast

    names = dict(zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), SPECIAL, strict=True))
    PreTrainedTokenizerFast(tokenizer_object=tokeniser, model_max_length=positions, **names).save_pretrained(folder)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=32, num_hidden_layers=layers, num_attention_heads=4,
        intermediate_size=64, max_position_embeddings=positions, type_vocab_size=max(2, len(languages)),
        initializer_range=0.3,
    )  # fmt: skip
    if languages:
        config.lang2id = {name: number for number, name in enumerate(languages)}
    BertModel(config).save_pretrained(folder)
    return folder


def make_pairs(number: int, seed: int = 0, longest: int = 9) -> list[tuple[list[str], list[str]]]:
    """Return pairs of random sentences of 1 to `longest` words of 1 to 5 letters."""
    rng = np.random.default_rng(seed)

    def sentence() -> list[str]:
        sizes = rng.integers(1, 6, size=rng.integers(1, longest + 1))
        return ["".join(rng.choice(list(LETTERS), size=size)) for size in sizes]

    return [(sentence(), sentence()) for _ in range(number)]
