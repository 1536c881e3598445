"""Published encoders with no more pieces than a text has: same vectors on that text, and fewer weights to train.

The tokeniser loses the pieces that the text does not use, and the tables of the model lose their rows. Kept pieces stay
in their order. On other text a pruned tokeniser divides words into smaller or unknown pieces.
"""

import json
import logging
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from crosslingua.errors import InputError
from crosslingua.io.atomic import atomic_folder
from crosslingua.io.decode import decoded_lines
from crosslingua.io.json import read_json, write_json
from crosslingua.io.tokenizer_files import (
    TOKENIZER_FILES,
    encode_words,
    read_tokenizer,
    readable_weights,
    special_ids_of,
)

log = logging.getLogger(__name__)

CHUNK = 50_000  # words whose pieces are looked up in one call
AGAIN = "fetch or write the encoder again"
WEIGHTS = "model.safetensors"


def words_of(paths: Iterable[str | Path]) -> set[str]:
    """Return the words between white space in files of text, tables and JSON (all strings of it)."""
    words: set[str] = set()
    for path in paths:
        lines = _strings(read_json(path)) if Path(path).suffix == ".json" else decoded_lines(path)
        for line in lines:
            words.update(line.split())
    return words


def _strings(told: Any) -> Iterator[str]:
    if isinstance(told, str):
        yield told
    elif isinstance(told, dict | list):
        for part in told.values() if isinstance(told, dict) else told:
            yield from _strings(part)


def prune(encoder: str | Path, words: Iterable[str], out: str | Path) -> dict[str, int]:
    """Write `encoder` with the pieces of `words` and its special tokens to the folder `out`; return both counts.

    Raises InputError as `count_pieces` and `keep_pieces`.
    """
    return keep_pieces(encoder, count_pieces(encoder, dict.fromkeys(words, 1)), out)


def count_pieces(encoder: str | Path, words: Mapping[str, int]) -> Counter[int]:
    """Return how often the pieces of an encoder's tokeniser, by id, occur in counted words.

    Raises InputError for a folder without tokenizer.json or safetensors.
    """
    for name, remedy in (("tokenizer.json", "write it with transformers' AutoTokenizer"), (WEIGHTS, "")):
        if not (Path(encoder) / name).is_file():
            raise InputError(encoder, f"no {name} in it, which pruning needs", remedy=remedy or None)
    tokenizer = read_tokenizer(encoder)
    tokenizer.no_truncation()
    specials = special_ids_of(tokenizer)
    found: Counter[int] = Counter()
    remaining = iter(words)
    while chunk := list(islice(remaining, CHUNK)):
        encodings = encode_words(tokenizer, chunk, specials)
        for word, encoding in zip(chunk, encodings, strict=True):
            for piece in encoding.ids:
                found[piece] += words[word]
    return found


def keep_pieces(encoder: str | Path, pieces: Iterable[int], out: str | Path) -> dict[str, int]:
    """Write `encoder` with some pieces, by id, and its special tokens to the folder `out`; return both counts.

    Raises InputError for a tokeniser that is no Unigram, WordPiece or BPE model.
    """
    encoder = Path(encoder)
    told = read_json(encoder / "tokenizer.json", dict)
    kept = {*pieces, *(token["id"] for token in told["added_tokens"])}
    kept |= set(range(_padding(encoder) + 1))  # positions of RoBERTa count from padding's id
    rows = read_json(encoder / "config.json", dict)["vocab_size"]
    if max(kept) >= rows:
        raise InputError(
            encoder / "tokenizer.json", f"has the id {max(kept)}, and vocab_size of config.json is {rows}",
            remedy="the tokeniser and config.json must be of one encoder",
        )  # fmt: skip
    model = told["model"]
    if model["type"] == "BPE":
        kept |= _parts_of_merges(model, kept)
    ids = {old: new for new, old in enumerate(sorted(kept))}
    told["model"] = _pruned_model(model, ids, encoder)
    for token in told["added_tokens"]:
        token["id"] = ids[token["id"]]
    _renumber(told.get("post_processor"), ids)
    with atomic_folder(out, ("config.json", WEIGHTS, *TOKENIZER_FILES)) as folder:
        config, rows = _pruned_config(encoder, ids)
        _write_rows(encoder, folder, rows, list(ids))
        write_json(folder / "config.json", config)
        text = json.dumps(told, ensure_ascii=False)
        (folder / "tokenizer.json").write_text(text, encoding="utf-8")
        for name in ("tokenizer_config.json", "special_tokens_map.json"):
            if (encoder / name).is_file():
                shutil.copyfile(encoder / name, folder / name)
    log.info("%s: %d of %d pieces are kept", encoder, len(ids), rows)
    return {"pieces": len(ids), "of": rows}


def _padding(encoder: Path) -> int:
    config = read_json(encoder / "config.json", dict)
    pad, rows = config.get("pad_token_id"), config["vocab_size"]
    if not isinstance(rows, int) or isinstance(rows, bool) or rows < 1:
        raise InputError(
            encoder / "config.json", f"vocab_size is {rows!r:.40}, no whole number", remedy=AGAIN
        )
    if pad is not None and (isinstance(pad, bool) or not isinstance(pad, int) or not 0 <= pad < rows):
        raise InputError(
            encoder / "config.json", f"pad_token_id is {pad!r:.40}, no piece of {rows}", remedy=AGAIN
        )
    return pad or 0


def _pruned_model(model: Mapping[str, Any], ids: Mapping[int, int], encoder: Path) -> dict[str, Any]:
    """Return the model of a tokenizer.json with the pieces `ids` alone, under their new ids."""
    kind, vocabulary = model["type"], model["vocab"]
    if kind == "Unigram":
        kept = [vocabulary[old] for old in ids if old < len(vocabulary)]
        return {**model, "vocab": kept, "unk_id": ids.get(model["unk_id"])}
    if kind not in ("WordPiece", "BPE"):
        raise InputError(encoder / "tokenizer.json", f"pruning knows no tokeniser of type {kind}")
    kept = {piece: ids[old] for piece, old in vocabulary.items() if old in ids}
    if kind == "WordPiece":
        return {**model, "vocab": kept}
    merges = [merge for merge in model["merges"] if {*(pair := _pair(merge)), "".join(pair)} <= kept.keys()]
    return {**model, "vocab": kept, "merges": merges}


def _pair(merge: str | list[str]) -> tuple[str, str]:
    first, second = merge.split(" ") if isinstance(merge, str) else merge
    return first, second


def _parts_of_merges(model: Mapping[str, Any], kept: set[int]) -> set[int]:
    """Return the ids of pieces from which byte-pair encoding makes the kept pieces, and of bytes."""
    vocabulary, made = model["vocab"], defaultdict(list)
    for merge in model["merges"]:
        pair = _pair(merge)
        made["".join(pair)] += pair
    names = {number: piece for piece, number in vocabulary.items()}
    open_, found = [names[number] for number in kept if number in names], set()
    while open_:
        piece = open_.pop()
        if piece in vocabulary and vocabulary[piece] not in found:
            found.add(vocabulary[piece])
            open_ += made[piece]
    return found | {number for piece, number in vocabulary.items() if piece.startswith("<0x")}


def _renumber(processor: Any, ids: Mapping[int, int]) -> None:
    """Give the special tokens of a post-processor their new ids, in place."""
    if processor is None:
        return
    for inner in processor.get("processors", ()):
        _renumber(inner, ids)
    for token in processor.get("special_tokens", {}).values():
        token["ids"] = [ids[old] for old in token["ids"]]
    for name in ("sep", "cls"):
        if name in processor:
            processor[name][1] = ids[processor[name][1]]


def _pruned_config(encoder: Path, ids: Mapping[int, int]) -> tuple[dict[str, Any], int]:
    """Return config.json for the kept pieces, and how many rows the tables had."""
    config = read_json(encoder / "config.json", dict)
    numbers = {
        name: ids[value]
        for name, value in config.items()
        if name.endswith("_token_id") and isinstance(value, int) and value in ids
    }
    return config | numbers | {"vocab_size": len(ids)}, config["vocab_size"]


def _write_rows(encoder: Path, folder: Path, rows: int, kept: list[int]) -> None:
    """Write the weights; of those with a row a piece (embeddings, a head's matrix and bias) the kept rows."""
    from safetensors.torch import load_file, save_file

    with readable_weights(encoder / WEIGHTS):
        weights = load_file(encoder / WEIGHTS)
    if not any(value.ndim and len(value) == rows for value in weights.values()):
        raise InputError(
            encoder / WEIGHTS, f"no weight has {rows} rows, the vocab_size of config.json",
            remedy="the weights and config.json must be of one encoder",
        )  # fmt: skip
    pruned = {
        name: value[kept].contiguous() if value.ndim and value.shape[0] == rows else value
        for name, value in weights.items()
    }
    save_file(pruned, folder / WEIGHTS, metadata={"format": "pt"})
