"""Byte-pair encoding (Sennrich et al. 2016) learnt from tokenised text, or copied, as a Hugging Face folder.

A word's last piece ends in `</w>`, as in that paper. Pieces never cross words, so they do not depend on neighbours.
"""

import json
import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from crosslingua.corpora.derived.transliteration import Transliteration
from crosslingua.encoders.data import ROBERTA
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.atomic import atomic_folder
from crosslingua.io.decode import tokenised_lines, tokens_of
from crosslingua.io.tokenizer_files import TOKENIZER_FILES

log = logging.getLogger(__name__)
LONGEST_WORD = 1000  # characters
END_OF_WORD = "</w>"
LARGEST = 10_000_000  # subwords of a vocabulary
PAIRS = "token_pairs.tsv"
Pair = tuple[str, str]
SPACES = r"[ \t]+"  # only these separate words: whatever else a caller calls a word keeps a piece


def count_words(paths: Sequence[str | Path], lowercase: bool = False) -> Counter[str]:
    """Count the words of tokenised text files, without special tokens. Words of more than LONGEST_WORD characters are
    left out: time grows with the square of the length. The log counts long words. InputError without words.
    """
    counts: Counter[str] = Counter()
    left_out = 0
    for path in paths:
        before = counts.total()
        for line in tokenised_lines(path):
            words = tokens_of(line)
            kept = [word for word in words if len(word) <= LONGEST_WORD]
            left_out += len(words) - len(kept)
            counts.update(kept)
        if counts.total() == before:
            raise InputError(path, "no words to learn subwords from")
    if left_out:
        log.warning("%d words of more than %d characters were left out", left_out, LONGEST_WORD)
    for special in ROBERTA:  # WikiText's <unk>: a token of its own, not a word to spell
        del counts[special]
    if not lowercase:
        return counts
    from tokenizers import normalizers

    lower, lowered = normalizers.Lowercase(), Counter()  # as a tokeniser made with `lowercase` reads them
    for word, number in counts.items():
        lowered[lower.normalize_str(word)] += number
    return lowered


def train_bpe(counts: Counter[str], size: int) -> dict[str, Any]:
    """Return the vocabulary (piece -> id) and merges of a byte-pair encoding of at most `size` pieces.

    Every letter of the text is a piece both inside and at the end of words. New words are therefore spelled, not
    unknown. Raises ConfigError if `size` has no room for that.
    """
    from tokenizers import Tokenizer, models, trainers

    letters = {letter for word in counts for letter in word}
    forms = sorted(letters | {letter + END_OF_WORD for letter in letters})
    if size < len(ROBERTA) + len(forms):
        raise ConfigError(
            f"a vocabulary of {size} has no room for {len(letters)} letters, inside and at the end of words, and "
            f"{len(ROBERTA)} special tokens: give {len(ROBERTA) + len(forms)} or more"
        )
    if size > LARGEST:
        raise ConfigError(f"a vocabulary of {size:,}: {LARGEST:,} is the most")
    tokenizer = Tokenizer(models.BPE(unk_token=ROBERTA.unknown, end_of_word_suffix=END_OF_WORD))
    tokenizer.pre_tokenizer = _words()
    first = [*ROBERTA, *forms]  # numbered first; else final letters are, and ties between merges, by chance
    trainer = trainers.BpeTrainer(
        vocab_size=size, special_tokens=first, end_of_word_suffix=END_OF_WORD, show_progress=False
    )
    tokenizer.train_from_iterator(_repeated(counts), trainer)
    model = json.loads(tokenizer.to_str())["model"]
    return {"vocab": model["vocab"], "merges": [tuple(merge) for merge in model["merges"]]}


def _repeated(counts: Counter[str], together: int = 1000) -> Iterable[str]:
    """Yield lines that hold each word as often as it was counted, in an order that depends on the counts only."""
    for word, number in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        for done in range(0, number, together):
            yield " ".join([word] * min(together, number - done))


def _words() -> Any:
    from tokenizers import Regex, pre_tokenizers

    return pre_tokenizers.Split(Regex(SPACES), "removed")


def make_tokenizer(
    vocabulary: dict[str, int], merges: Sequence[tuple[str, str]], lowercase: bool = False
) -> Any:
    """Return a `tokenizers.Tokenizer` that writes `<s> A </s>` and `<s> A </s></s> B </s>`."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, processors

    forms = {"unk_token": ROBERTA.unknown, "end_of_word_suffix": END_OF_WORD, "fuse_unk": True}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=list(merges), **forms))
    if lowercase:
        tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = _words()
    tokenizer.decoder = decoders.BPEDecoder(suffix=END_OF_WORD)
    tokenizer.add_special_tokens([AddedToken(name, special=True, normalized=False) for name in ROBERTA])
    start, end = ROBERTA.start, ROBERTA.end
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{start} $A {end}",
        pair=f"{start} $A {end} {end} $B {end}",
        special_tokens=[(name, vocabulary[name]) for name in (start, end)],
    )
    return tokenizer


def save_tokenizer(out: str | Path, tokenizer: Any, pairs: Iterable[Pair] | None = None) -> None:
    """Write a folder that `AutoTokenizer.from_pretrained` loads, with `token_pairs.tsv` if there are pairs."""
    with atomic_folder(out, TOKENIZER_FILES) as folder:
        write_tokenizer(folder, tokenizer)
        if pairs is not None:
            write_pairs(folder / PAIRS, pairs)


def write_pairs(path: Path, pairs: Iterable[Pair]) -> None:
    """Write pairs, piece<TAB>copy."""
    lines = "".join(f"{piece}\t{copy}\n" for piece, copy in pairs)
    path.write_text(lines, encoding="utf-8", newline="\n")


def write_tokenizer(folder: Path, tokenizer: Any) -> None:
    """Write the files of a tokeniser with RoBERTa's special tokens into a folder that is there."""
    names = {
        "bos_token": ROBERTA.start, "cls_token": ROBERTA.start, "pad_token": ROBERTA.pad,
        "eos_token": ROBERTA.end, "sep_token": ROBERTA.end, "unk_token": ROBERTA.unknown,
        "mask_token": ROBERTA.mask,
    }  # fmt: skip
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_input_names": ["input_ids", "attention_mask"],
        "clean_up_tokenization_spaces": False,
        **names,
    }
    tokenizer.save(str(folder / "tokenizer.json"))
    for name, values in (("tokenizer_config.json", settings), ("special_tokens_map.json", names)):
        (folder / name).write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")


# A tokeniser for a language and its transliterated copy (align_mlm, appendices F and G.1).
#
# The paper copies every token but the special ones. Here the copy of a token is its spelling in the derived script.
# Merges are copied in order, so the copy of a text is segmented like the text.
def copied(bpe: dict[str, Any], transliteration: Transliteration) -> tuple[dict[str, Any], list[Pair]]:
    """Return the encoding of both languages, and the (token, copy) pairs in the order of the vocabulary.

    Ids follow the paper: token k of n becomes token k + n, except special tokens. Characters beyond the script's size
    have no single letter as a copy. Tokens with them are left out, and text with them has unknown pieces in both
    languages.
    """
    every_word = Transliteration(transliteration.seed, transliteration.script)
    spelled = {token: _copy(token, every_word) for token in bpe["vocab"] if token not in ROBERTA}
    pairs = [(token, copy) for token, copy in spelled.items() if copy is not None]
    pairs.sort(key=lambda pair: bpe["vocab"][pair[0]])
    copy_of = dict(pairs)
    names = [*ROBERTA, *copy_of, *copy_of.values()]
    merges = [(a, b) for a, b in bpe["merges"] if a in copy_of and b in copy_of]
    merges += [(copy_of[a], copy_of[b]) for a, b in merges]
    return {"vocab": {name: number for number, name in enumerate(names)}, "merges": merges}, pairs


def _copy(token: str, transliteration: Transliteration) -> str | None:
    letters = token.removesuffix(END_OF_WORD)
    spelled = [transliteration.word(letter) for letter in letters]
    if any(len(letter) != 1 for letter in spelled):
        return None
    return "".join(spelled) + token[len(letters) :]


def pairs_in_use(
    pairs: Sequence[Pair], words: Iterable[str], tokenizer: Any, transliteration: Transliteration
) -> list[Pair]:
    """Return the pairs that differ in text: with overlap, unchanged words use no copies.

    The choice of unchanged words is made word by word (table 7). A token of unchanged words only is shared by both
    languages, and its copy occurs nowhere.
    """
    changed = [word for word in words if not transliteration.keeps(word)]
    encoded = tokenizer.encode_batch_fast(changed, add_special_tokens=False)
    used = {piece for encoding in encoded for piece in encoding.ids}
    return [pair for pair in pairs if tokenizer.token_to_id(pair[0]) in used]
