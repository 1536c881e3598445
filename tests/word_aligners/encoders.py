"""Tiny encoders with random weights, and sentences in their vocabulary."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
ROLES = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
LETTERS = "abcdefghij"
INVISIBLE = "\u200b"  # which the tokeniser drops


def vocabulary() -> dict[str, int]:
    pieces = [*LETTERS, *(a + b for a in LETTERS for b in LETTERS)]
    return {piece: i for i, piece in enumerate([*SPECIAL, *pieces, *("##" + piece for piece in pieces)])}


def save_tokeniser(folder: Path, positions: int, pair: str = "[CLS] $A [SEP] $B [SEP]") -> None:
    """Save a tokeniser that divides words into pairs of letters."""
    from transformers import PreTrainedTokenizerFast

    tokeniser = Tokenizer(models.WordPiece(vocabulary(), unk_token="[UNK]"))
    tokeniser.normalizer = normalizers.Replace(INVISIBLE, "")
    tokeniser.pre_tokenizer = pre_tokenizers.Whitespace()
    tokeniser.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair=pair, special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    names = dict(zip(ROLES, SPECIAL, strict=True))
    made = PreTrainedTokenizerFast(tokenizer_object=tokeniser, model_max_length=positions, **names)
    made.save_pretrained(folder)


def saved(folder: Path, model_class: Any, config: Any, positions: int = 128, **template: str) -> Path:
    """Save a model with random weights, and its tokeniser."""
    save_tokeniser(folder, positions, **template)
    torch.manual_seed(0)
    model_class(config).save_pretrained(folder)
    return folder


def make_bert(folder: Path, layers: int = 3, positions: int = 128, languages: tuple[str, ...] = ()) -> Path:
    """Save a BERT; with `languages`, one whose token types are languages."""
    from transformers import BertConfig, BertModel

    config = BertConfig(
        vocab_size=len(vocabulary()), hidden_size=32, num_hidden_layers=layers, num_attention_heads=4,
        intermediate_size=64, max_position_embeddings=positions, type_vocab_size=max(2, len(languages)),
        initializer_range=0.3,
    )  # fmt: skip
    if languages:
        config.lang2id = {name: number for number, name in enumerate(languages)}
    return saved(folder, BertModel, config, positions)


def make_xlm(folder: Path, languages: tuple[str, ...] = ("en",), use_lang_emb: bool = True) -> Path:
    """Save an XLM with language embeddings."""
    from transformers import XLMConfig, XLMModel

    config = XLMConfig(
        vocab_size=len(vocabulary()), emb_dim=32, n_layers=3, n_heads=4, n_langs=len(languages),
        max_position_embeddings=128, embed_init_std=0.3, init_std=0.3, pad_index=0,
        lang2id={name: number for number, name in enumerate(languages)}, use_lang_emb=use_lang_emb,
    )  # fmt: skip
    return saved(folder, XLMModel, config)


def make_xlmr(folder: Path, positions: int = 30) -> Path:
    """Save an XLM-R, whose tokeniser does not say how long a sequence may be."""
    from transformers import XLMRobertaConfig, XLMRobertaModel

    config = XLMRobertaConfig(
        vocab_size=len(vocabulary()), hidden_size=32, num_hidden_layers=1, num_attention_heads=4,
        intermediate_size=64, max_position_embeddings=positions, type_vocab_size=1, pad_token_id=1,
    )  # fmt: skip
    return saved(folder, XLMRobertaModel, config, int(1e30), pair="[CLS] $A [SEP] [SEP] $B [SEP]")


def make_t5(folder: Path) -> Path:
    """Save a T5, which normalises what leaves its last layer."""
    from transformers import T5Config, T5Model

    config = T5Config(
        vocab_size=len(vocabulary()), d_model=32, d_kv=8, d_ff=64, num_layers=3, num_heads=4,
        decoder_start_token_id=0,
    )  # fmt: skip
    return saved(folder, T5Model, config)


def make_pairs(number: int, seed: int = 0, longest: int = 9) -> list[tuple[list[str], list[str]]]:
    """Return pairs of random sentences of 1 to `longest` words of 1 to 5 letters."""
    rng = np.random.default_rng(seed)

    def sentence() -> list[str]:
        sizes = rng.integers(1, 6, size=rng.integers(1, longest + 1))
        return ["".join(rng.choice(list(LETTERS), size=size)) for size in sizes]

    return [(sentence(), sentence()) for _ in range(number)]
