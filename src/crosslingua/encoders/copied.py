"""A published encoder that reads a language and its transliterated copy (align_mlm, appendices F and G.1).

The body and the natural pieces stay as published. Each piece has a copy in the derived script with the same score, so a
text and its copy are segmented alike. The vectors of copies are drawn anew: they tell nothing of the natural pieces.
"""

import json
import logging
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from crosslingua.corpora.derived.transliteration import Transliteration
from crosslingua.encoders.folder import COPIES
from crosslingua.encoders.prune import WEIGHTS, count_pieces, keep_pieces
from crosslingua.encoders.tokenizer_training import PAIRS, Pair, pairs_in_use, write_pairs
from crosslingua.errors import InputError
from crosslingua.io.atomic import atomic_folder
from crosslingua.io.json import read_json, write_json
from crosslingua.io.tokenizer_files import TOKENIZER_FILES

log = logging.getLogger(__name__)
FILES = ("config.json", WEIGHTS, *TOKENIZER_FILES)
SPACE = "▁"  # begins a word's first piece in a Unigram vocabulary


def copy_pieces(
    encoder: str | Path,
    words: Mapping[str, int],
    transliteration: Transliteration,
    size: int,
    out: str | Path,
) -> dict[str, int]:
    """Write `encoder` with the pieces of counted words and a copy of each to the folder `out`; return both counts.

    Of the pieces, the `size` most frequent stay, and all single characters. `out` also has token_pairs.tsv,
    piece<TAB>copy. The copies follow the pieces. Raises InputError as `count_pieces` and `keep_pieces`, and for a
    tokeniser that is no Unigram model.
    """
    from tokenizers import Tokenizer

    counts = count_pieces(encoder, words)
    model = read_json(Path(encoder) / "tokenizer.json", dict)["model"]
    if model["type"] != "Unigram":
        raise InputError(
            Path(encoder) / "tokenizer.json",
            f"its model is {model['type']}, and copies are made of Unigram's pieces alone",
            remedy="take an encoder of XLM-R's tokeniser",
        )
    with tempfile.TemporaryDirectory() as folder:
        pruned = Path(folder) / "pruned"
        frequent = sorted(counts, key=lambda piece: (-counts[piece], piece))[:size]
        keep_pieces(encoder, [*frequent, *_single(model["vocab"], words)], pruned)
        told = read_json(pruned / "tokenizer.json", dict)
        pairs = _copies(told, transliteration)
        with atomic_folder(out, FILES) as made:
            for name in TOKENIZER_FILES:
                if (pruned / name).is_file():
                    shutil.copyfile(pruned / name, made / name)
            (made / "tokenizer.json").write_text(json.dumps(told, ensure_ascii=False), encoding="utf-8")
            rows = _add_rows(pruned, made, len(pairs), transliteration.seed)
            config = read_json(pruned / "config.json", dict)
            write_json(made / "config.json", config | {"vocab_size": rows, COPIES: len(pairs)})
            tokenizer = Tokenizer.from_file(str(made / "tokenizer.json"))
            used = (
                pairs_in_use(pairs, words, tokenizer, transliteration) if transliteration.overlap else pairs
            )
            write_pairs(made / PAIRS, used)
    log.info("%s: %d pieces, %d of them copies", out, rows, len(pairs))
    return {"pieces": rows, "copies": len(pairs)}


def _single(vocabulary: list[tuple[str, float]], words: Iterable[str]) -> list[int]:
    """Return the ids of the characters of words, alone and at a word's begin."""
    letters = {letter for word in words for letter in word}
    single = {SPACE, *letters, *(SPACE + letter for letter in letters)}
    return [number for number, (piece, _) in enumerate(vocabulary) if piece in single]


def _copies(told: dict[str, Any], transliteration: Transliteration) -> list[Pair]:
    """Add the copies to the vocabulary of a tokenizer.json, in place; return (piece, copy) in their order.

    Special tokens, the lone mark of a word's begin, and pieces with characters beyond the script have no copy.
    """
    every_word = Transliteration(transliteration.seed, transliteration.script)
    special = {token["content"] for token in told["added_tokens"]}
    vocabulary, pairs, copies = told["model"]["vocab"], [], []
    for piece, score in vocabulary:
        letters = piece.removeprefix(SPACE)
        if not letters or piece in special:
            continue
        spelled = [every_word.word(letter) for letter in letters]
        if all(len(letter) == 1 for letter in spelled):
            copy = piece[: len(piece) - len(letters)] + "".join(spelled)
            copies.append([copy, score])
            pairs.append((piece, copy))
    vocabulary += copies
    return pairs


def _add_rows(source: Path, out: Path, number: int, seed: int) -> int:
    """Write the weights with `number` more pieces and return how many there are; vectors are drawn as those there are
    spread, and a bias is their mean.
    """
    import torch
    from safetensors.torch import load_file, save_file

    weights, rows = load_file(source / WEIGHTS), read_json(source / "config.json", dict)["vocab_size"]
    generator = torch.Generator().manual_seed(seed)
    for name, value in weights.items():
        if value.ndim and len(value) == rows:
            drawn = torch.randn(number, *value.shape[1:], generator=generator) * (
                value.std(0) if value.ndim > 1 else 0
            )
            weights[name] = torch.cat([value, (drawn + value.mean(0)).to(value.dtype)])
    save_file(weights, out / WEIGHTS, metadata={"format": "pt"})
    return rows + number
