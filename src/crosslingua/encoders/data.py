"""The rows of a run: text, bitext and dictionaries from files, as pieces with their special tokens."""

import logging
import re
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from crosslingua.corpora.derived.transliteration import sample_dictionary
from crosslingua.encoders.settings import Settings
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.bitext import read_bitext, read_dictionary
from crosslingua.io.decode import tokenised_lines, tokens_of
from crosslingua.io.tokenizer_files import encode_words, read_tokenizer, special_ids_of
from crosslingua.nn.ragged import Ragged, offsets_of

log = logging.getLogger(__name__)


class Specials(NamedTuple):
    """Tokens with a function of their own, or their ids."""

    start: str | int
    pad: str | int
    end: str | int
    unknown: str | int
    mask: str | int


ROBERTA = Specials("<s>", "<pad>", "</s>", "<unk>", "<mask>")
BERT = Specials("[CLS]", "[PAD]", "[SEP]", "[UNK]", "[MASK]")


def specials_of(vocabulary: Collection[str]) -> Specials | None:
    """Return the set of special tokens that a vocabulary holds, or None."""
    return next((names for names in (ROBERTA, BERT) if all(name in vocabulary for name in names)), None)


# Text as arrays of piece ids, by the tokeniser of a Hugging Face folder.
CHUNK = 10_000  # sentences whose words are encoded in one call
CACHED = 1 << 20  # words remembered, at least


class Pieces:
    """A tokeniser as pre-training needs it: text in, ids out.

    `size` is the number of ids, `specials` the ids of the special tokens. Raises InputError if the folder holds no
    fast tokeniser, a damaged one, or one without the special tokens of RoBERTa or BERT.
    """

    def __init__(self, folder: str | Path):
        path = Path(folder) / "tokenizer.json"
        self._tokenizer = read_tokenizer(folder)
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._never = special_ids_of(self._tokenizer)
        self._words: dict[str, list[int]] = {}
        self.vocabulary: dict[str, int] = self._tokenizer.get_vocab(with_added_tokens=True)
        self.size = max(self.vocabulary.values(), default=-1) + 1
        names = specials_of(self.vocabulary)
        if names is None:
            raise InputError(
                path,
                "has the special tokens neither of RoBERTa nor of BERT",
                remedy="give another tokeniser",
            )
        self.specials = Specials(*(self.vocabulary[name] for name in names))

    def encode(self, lines: Iterable[str]) -> Ragged:
        """Return tokenised sentences as ids, int32, without special tokens; each word alone, as in fine-tuning."""
        pieces, offsets = array("i"), [0]
        lines = iter(lines)
        while chunk := [tokens_of(line) for line in islice(lines, CHUNK)]:
            words = self._known(chunk)
            for sentence in chunk:
                for word in sentence:
                    pieces.extend(words[word])
                offsets.append(len(pieces))
        return Ragged(np.array(pieces, dtype=np.int32), np.array(offsets, dtype=np.int64))

    def _known(self, sentences: Iterable[Sequence[str]]) -> dict[str, list[int]]:
        """Return word -> ids for all words of some sentences, and others."""
        if len(self._words) > CACHED:
            self._words.clear()
        new = list(dict.fromkeys(w for words in sentences for w in words if w not in self._words))
        encoded = encode_words(self._tokenizer, new, self._never)
        self._words.update((word, encoding.ids) for word, encoding in zip(new, encoded, strict=True))
        return self._words


# Instances: the rows that the model reads, packed from sentences or sentence pairs (align_mlm, appendix G.3).
#
# A row of text is `<s> a </s> b </s>`. A row of bitext is `<s> a </s> b </s> </s> A </s> B </s>`, translations in the
# same order. A single pair equals the pair of a Hugging Face tokeniser. Each half of bitext has half the room. The
# paper pads the first half to its full length. Attention skips padding and positions restart in the second half
# (`restart_positions`), so rows without padding are equivalent.


@dataclass(frozen=True)
class Instances:
    """Rows end to end. Row i is `ids[offsets[i]:offsets[i + 1]]`; from `second[i]` on it is in `languages[i, 1]`."""

    ids: np.ndarray  # int32
    offsets: np.ndarray  # (rows + 1,) int64
    second: np.ndarray  # (rows,) int64; of text: the row's length
    languages: np.ndarray  # (rows, 2) int64

    def __len__(self) -> int:
        return len(self.second)

    @property
    def lengths(self) -> np.ndarray:
        """Tokens of each row."""
        return np.diff(self.offsets)


def concatenate(parts: Sequence[Instances]) -> Instances:
    """Put collections of rows one after the other."""
    return Instances(
        np.concatenate([part.ids for part in parts]),
        offsets_of(np.concatenate([part.lengths for part in parts])),
        np.concatenate([part.second for part in parts]),
        np.concatenate([part.languages for part in parts]),
    )


def entropies(rows: Instances) -> dict[str, float]:
    """Return the entropy in nats of a piece, and of a piece given the one before, by the rows' own frequencies.

    A loss above the first has learnt less than word frequencies tell, one above the second less than bigrams.
    """
    ids = rows.ids.astype(np.int64)
    follows = np.ones(len(ids), dtype=bool)
    follows[rows.offsets[:-1]] = False
    before, after = ids[:-1][follows[1:]], ids[1:][follows[1:]]
    pairs = _entropy(before * (ids.max() + 1) + after) - _entropy(before)
    return {"pieces": round(_entropy(ids), 4), "bigrams": round(pairs, 4)}


def _entropy(values: np.ndarray) -> float:
    shares = np.unique(values, return_counts=True)[1] / len(values)
    return float(-(shares * np.log(shares)).sum())


def from_text(
    sentences: Ragged, language: int, specials: Specials, max_length: int, pack: bool
) -> tuple[Instances, int]:
    """Return rows of up to `max_length` tokens, and how many sentences were too long or empty and are left out."""
    kept, left_out = _fitting([sentences], max_length - 2)
    costs = kept[0].lengths + 1
    cuts = _cuts([costs], max_length - 1) if pack else np.arange(len(costs) + 1)
    ids, offsets = _segments(kept[0], cuts, specials.start, specials.end)
    lengths = np.diff(offsets)
    return Instances(ids, offsets, lengths, np.full((len(lengths), 2), language)), left_out


def from_bitext(
    source: Ragged,
    target: Ragged,
    languages: tuple[int, int],
    specials: Specials,
    max_length: int,
    pack: bool,
) -> tuple[Instances, int]:
    """Return rows with either side in half of `max_length` tokens, and how many pairs are left out."""
    room = max_length // 2 - 1
    kept, left_out = _fitting([source, target], room - 1)
    costs = [side.lengths + 1 for side in kept]
    cuts = _cuts(costs, room) if pack else np.arange(len(costs[0]) + 1)
    first, first_offsets = _segments(kept[0], cuts, specials.start, specials.end)
    second, second_offsets = _segments(kept[1], cuts, specials.end, specials.end)
    rows = len(cuts) - 1
    ids = np.empty(len(first) + len(second), dtype=np.int32)
    lengths = np.diff(first_offsets)
    ids[np.arange(len(first)) + np.repeat(second_offsets[:-1], lengths)] = first
    ids[np.arange(len(second)) + np.repeat(first_offsets[1:], np.diff(second_offsets))] = second
    return Instances(ids, first_offsets + second_offsets, lengths, np.tile(languages, (rows, 1))), left_out


def _fitting(sides: Sequence[Ragged], most: int) -> tuple[list[Ragged], int]:
    """Leave out what has an empty or too long side."""
    fits = np.logical_and.reduce([(side.lengths > 0) & (side.lengths <= most) for side in sides])
    if fits.all():
        return list(sides), 0
    rows = np.flatnonzero(fits)
    return [Ragged(s.joined(rows), offsets_of(s.lengths[rows])) for s in sides], int((~fits).sum())


def _cuts(costs: Sequence[np.ndarray], room: int) -> np.ndarray:
    """Return where rows begin (and the end): each takes sentences until one more would exceed `room` on a side."""
    totals = [np.concatenate([[0], np.cumsum(side)]) for side in costs]
    cuts, end = [0], len(costs[0])
    while cuts[-1] < end:
        start = cuts[-1]
        cuts.append(min(int(np.searchsorted(t, t[start] + room, side="right")) - 1 for t in totals))
    return np.array(cuts)


def _segments(sentences: Ragged, cuts: np.ndarray, first: int, end: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the ids of `first a </s> b </s>` of all rows, end to end, and where rows begin."""
    ids = np.insert(sentences.values, sentences.offsets[1:], end)
    starts = (sentences.offsets + np.arange(len(sentences.offsets)))[cuts]
    return np.insert(ids, starts[:-1], first), starts + np.arange(len(starts))


Files = tuple[str, str]


class Corpus:
    """Encodes text and bitext by language and keeps counts. `languages` are numbered in their order."""

    def __init__(self, pieces: Pieces, settings: Settings, languages: Sequence[str]):
        self.pieces, self.settings = pieces, settings
        self.ids = {language: number for number, language in enumerate(languages)}
        self.counts: Counter[str] = Counter()

    def text(self, files: Mapping[str, str]) -> Instances:
        """Return the rows of all languages' text."""
        rows = []
        for language, path in files.items():
            sentences = self.pieces.encode(tokenised_lines(path))
            self.counts[f"sentences.{language}"] = len(sentences)
            fit = self.settings.max_length, self.settings.pack
            made, left_out = from_text(sentences, self.ids[language], self.pieces.specials, *fit)
            self._check(made, left_out, path, language)
            rows.append(made)
        return concatenate(rows)

    def bitext(self, files: Mapping[str, Files], pack: bool, share: float | None) -> Instances:
        """Return the rows of all pairs' bitext; `share` limits the pairs to that share of a language's sentences."""
        rows = []
        for number, (pair, paths) in enumerate(files.items()):
            languages = languages_of(pair, self.ids)
            lines = list(read_bitext(*paths))
            if share is not None:
                lines = self._sampled(lines, languages, share, number, pair)
            if not lines:
                raise InputError(
                    paths[0], "no sentence pairs to train on", remedy="check the file, or parallel_share"
                )
            self.counts[f"pairs.{pair}"] = len(lines)
            sides = [self.pieces.encode(side) for side in zip(*lines, strict=True)]
            ids = (self.ids[languages[0]], self.ids[languages[1]])
            made, left_out = from_bitext(*sides, ids, self.pieces.specials, self.settings.max_length, pack)
            self._check(made, left_out, paths[0], pair)
            rows.append(made)
        return concatenate(rows)

    def _sampled(self, lines: list[Any], languages: Files, share: float, number: int, pair: str) -> list[Any]:
        """Return a seeded sample of pairs, as many as `share` of the sentences of a language (their mean)."""
        sentences = [self.counts[f"sentences.{language}"] for language in languages]
        wanted = round(share * sum(sentences) / len(sentences))
        if wanted > len(lines):
            log.warning("%s has %d pairs; parallel_share %s asks for %d", pair, len(lines), share, wanted)
        chosen = np.random.default_rng([0x706169, number]).permutation(len(lines))[:wanted]
        return [lines[row] for row in np.sort(chosen)]

    def _check(self, made: Instances, left_out: int, path: str | Path, name: str) -> None:
        self.counts[f"left_out.{name}"] = left_out
        if left_out:
            log.info(
                "%s: %d sentences are empty or longer than max_length allows, and left out", path, left_out
            )
        if not len(made):
            raise InputError(
                path, "no sentence to train on: all are empty or too long",
                remedy=f"raise max_length, now {self.settings.max_length}",
            )  # fmt: skip


def languages_of(pair: str, known: Mapping[str, int]) -> tuple[str, str]:
    """Return the two languages of `ana-ber`; a hyphen may be part of a known language's name."""
    for hyphen in re.finditer("-", pair):
        split = pair[: hyphen.start()], pair[hyphen.end() :]
        if set(split) <= known.keys():
            return split
    raise ConfigError(f"bitext {pair!r}: name two languages of --text, such as {'-'.join(list(known)[:2])}")


# The bilingual dictionary of DICT-MLM and ALIGN-MLM: pairs of single tokens.


def token_dictionary(path: str | Path, pieces: Pieces, share: float, seed: int) -> np.ndarray:
    """Return a seeded share of a dictionary as ids (pairs, 2).

    The entries are tokens of the vocabulary, as in `token_pairs.tsv`. Raises InputError if no pair is of such tokens.
    """
    pairs = read_dictionary(path)
    found = [ids for pair in pairs if None not in (ids := tuple(map(pieces.vocabulary.get, pair)))]
    if not found:
        raise InputError(path, f"none of its {len(pairs)} pairs are tokens of the vocabulary")
    if len(found) < len(pairs):
        log.info("%s: %d of %d pairs are of single tokens", path, len(found), len(pairs))
    chosen = sample_dictionary(found, share, seed)
    if not chosen:
        raise InputError(
            path, f"a share of {share} of {len(found)} pairs is none", remedy="raise dictionary_share"
        )
    return np.array(chosen, dtype=np.int64)


def translations(dictionary: np.ndarray, vocabulary: int) -> np.ndarray:
    """Return each id's first translation in either direction (vocabulary,), or -1."""
    table = np.full(vocabulary, -1, dtype=np.int64)
    both = np.concatenate([dictionary, dictionary[:, ::-1]])[::-1]
    table[both[:, 0]] = both[:, 1]
    return table
