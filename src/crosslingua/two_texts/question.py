"""A question: two texts and perhaps a dictionary. They become a scale of their own, `ask_SOURCE_TARGET`.

The scale runs the systems of the atlas (scales/atlas.yaml) under its settings. Of a dictionary a part is held out,
which decides; a person gives one file.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import yaml

from crosslingua.config import FORMS, NAME
from crosslingua.errors import ConfigError, InputError, plain
from crosslingua.io.atomic import atomic_open
from crosslingua.io.bitext import read_dictionary, split_validation
from crosslingua.io.decode import (
    SUFFIXES,
    TWO_LETTERS,
    ZERO_WIDTH_SPACE,
    decode_entities,
    is_word,
    lowercase,
    text_lines,
    tokens_of,
)
from crosslingua.io.json import read_yaml
from crosslingua.places import suite
from crosslingua.two_texts.codes import CODES

HELD_OUT = 0.3  # of the dictionary's source words
MIN_COUNT = 5  # occurrences of a word that has a vector
LEAST_FREQUENT = 100  # such words of a text
LEAST_ENTRIES = 300  # of a dictionary that is split
LEAST_KNOWN = 100  # of them that stand in the texts
WORD_EPOCHS = 12_000_000  # words read in training vectors, in all passes
FEWEST_EPOCHS, MOST_EPOCHS = 5, 15
WITHOUT_DICTIONARY = "joint_align_identity"  # the system that runs where nothing can judge
NOT_RUN = "duong, which takes long; muse, which takes hours; vecmap, which fails on most pairs of small texts"
LEFT_OUT = ("duong", "vecmap", "iterative_norm")
SEARCHED = ("procrustes", "rcsls", "geomm", "joint_replace", "duong")  # by default, which takes long
ANSWERS = (
    "README.md",
    "answer.html",
    "recommendation.json",
    "dictionary.tsv",
    "dictionary.alignment.tsv",
    "dictionary.tmx",
    "dictionary.parquet",
    "report.html",
)
EARLIER = "earlier"  # the folder of the answers of a run before
ALIKE = 50  # most frequent words of each text, of which
MOST_SHARED = 0.5  # are shared by texts of one language alone
PUNCTUATION = ".,;:!?\"'()[]«»„“”‚‘’…–-"


@dataclass(frozen=True)
class PairToAsk:
    """Two texts by language, and a dictionary or none; `folder` takes the answer.

    `vectors` are the asker's own of both languages. `bitext` is parallel text: two files, or one.
    `encoder` names a published encoder, whose word vectors compete.
    """

    languages: tuple[str, str]
    texts: tuple[Path, Path]
    dictionary: Path | None
    folder: Path
    seeds: int = 3
    vectors: tuple[Path, Path] | None = None
    bitext: tuple[Path, ...] = ()
    encoder: str = ""

    @property
    def pair(self) -> str:
        """The language pair as configurations name it."""
        return "-".join(self.languages)

    @property
    def given(self) -> tuple[Path, Path]:
        """The training and the held-out part of the dictionary, normalised and lower-cased as the texts are."""
        folder = self.folder / f"corpora/dictionaries/{self.pair}.own"
        return folder / "train.txt", folder / "test.txt"

    @property
    def prepared(self) -> Path:
        """The held-out part of the dictionary."""
        return self.given[1]

    @property
    def encoder_words(self) -> tuple[Path, Path]:
        """The files of the encoder's word vectors."""
        return self.folder / "encoder_words/source.vec", self.folder / "encoder_words/target.vec"

    @property
    def aligned(self) -> tuple[Path, Path]:
        """The prepared files of the bitext."""
        return self.folder / "bitext/source.txt", self.folder / "bitext/target.txt"

    @cached_property
    def counts(self) -> tuple[Counter[str], Counter[str]]:
        """How often each word stands in either text, lower-cased, without punctuation at its ends."""
        first, second = map(_counted, self.texts, self.languages)
        return first, second

    @property
    def words(self) -> list[int]:
        """The number of words of each text."""
        return [counts.total() for counts in self.counts]

    @property
    def epochs(self) -> int:
        """Passes over the texts: more for small ones."""
        return max(FEWEST_EPOCHS, min(MOST_EPOCHS, round(WORD_EPOCHS / sum(self.words))))


def language_of(text: Path, other: str) -> str:
    """Return the language that a text's name ends in (text.sw, text.sw.gz); `other` where nothing follows the name.
    Raises ConfigError where something else than the code of a language follows.
    """
    suffixes = [suffix[1:] for suffix in text.suffixes if suffix.lower() not in (*SUFFIXES, ".txt")]
    if not suffixes:
        return other
    named = suffixes[-1].lower()
    if named not in CODES and named not in TWO_LETTERS:
        raise ConfigError(f"{text}: .{suffixes[-1]} is no code of a language: say --languages SOURCE TARGET")
    return named


def check_languages(languages: Sequence[str]) -> None:
    """Raise ConfigError unless two codes differ and are as configurations name languages."""
    for code in languages:
        if not re.fullmatch(NAME, code):
            example = plain(code).strip("_") or "sw"
            raise ConfigError(f"--languages: {code!r}: write {FORMS[NAME]}, for example {example}")
    if len(set(languages)) < len(languages):
        raise ConfigError(f"both texts are {languages[0]}: say --languages SOURCE TARGET")


def _counted(text: Path, language: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    lines = 0
    for line in text_lines(text):
        line = decode_entities(line).replace(ZERO_WIDTH_SPACE, " ")
        words = (word.strip(PUNCTUATION) for word in tokens_of(lowercase(line, language)))
        counts.update(filter(None, words))
        lines += 1
    if not counts:
        raise InputError(text, "has no words", remedy="give plain text, a sentence a line")
    if lines < 2:
        raise InputError(text, "is one single line", remedy="write a sentence a line")
    return counts


def check(question: PairToAsk) -> None:
    """Raise InputError for a pair that cannot be meant: one text twice, a dictionary of other or swapped languages."""
    first, second = question.texts
    if first.samefile(second) or question.counts[0] == question.counts[1]:
        raise InputError(second, f"has the words of {first}", remedy="give a text in each language")
    for path, counts in zip(question.texts, question.counts, strict=True):
        number = sum(count >= MIN_COUNT for count in counts.values())
        if number < LEAST_FREQUENT:
            raise InputError(
                path, f"has {number} words that occur {MIN_COUNT} times or more, and {LEAST_FREQUENT} are the least",
                remedy="give more text: one of 100,000 words is small",
            )  # fmt: skip
    if not question.dictionary:
        return
    pairs = [
        (lowercase(source, question.languages[0]), lowercase(target, question.languages[1]))
        for source, target in read_dictionary(question.dictionary)
    ]
    left, right = question.counts
    known = sum(source in left and target in right for source, target in pairs)
    swapped = sum(target in left and source in right for source, target in pairs)
    if swapped > max(2 * known, LEAST_KNOWN):
        raise InputError(
            question.dictionary, f"is the wrong way round: {known} of its {len(pairs)} pairs stand in the texts,"
            f" {swapped} if source and target change places", remedy="source word first on each line",
        )  # fmt: skip
    remedy = "give more, or leave DICTIONARY away: nothing is compared then"
    if len(pairs) < LEAST_ENTRIES:
        few = f"has {len(pairs)} entries, fewer than {LEAST_ENTRIES}"
        raise InputError(question.dictionary, few, remedy=remedy)
    if known < LEAST_KNOWN:
        few = f"has {known} entries with both words in the texts, fewer than {LEAST_KNOWN}"
        raise InputError(question.dictionary, few, remedy=remedy)


def check_different(question: PairToAsk) -> None:
    """Raise InputError where both texts seem to be of one language: they share most of the words that are frequent.

    Of 1,407 pairs of real texts in two of 20 languages, none shares more than 40 % (Spanish and Portuguese). Of 78
    pairs of texts in one language, on the same subject or not, 39 share half or more.
    """
    first, second = (
        set(islice((word for word, _ in counts.most_common() if is_word(word)), ALIKE))
        for counts in question.counts
    )
    if (shared := len(first & second)) >= MOST_SHARED * ALIKE:
        raise InputError(
            question.texts[1],
            f"seems to be of the language of {question.texts[0]}: {shared} of the {ALIKE} most frequent words agree",
            remedy="give a text in each language; if both are right, say --languages SOURCE TARGET",
        )


def set_earlier_aside(question: PairToAsk) -> None:
    """Move the answers of a run before into a folder `earlier`, so that none stands as the answer of this run."""
    aside = question.folder / EARLIER
    for name in ANSWERS:
        if (path := question.folder / name).exists():
            aside.mkdir(exist_ok=True)
            path.replace(aside / name)


def configure(question: PairToAsk) -> Path:
    """Write the configuration, and the parts of the dictionary, into the question's folder; return its file."""
    config: dict[str, Any] = {
        "scale": question.folder.name,
        "seeds": list(range(1, question.seeds + 1)),
        "pairs": [question.pair],
        "languages": {
            language: {"path": str(path.resolve())}
            for language, path in zip(question.languages, question.texts, strict=True)
        },
        "word_embeddings": {"epoch": question.epochs},
        "vocabulary_reallocation": {"gamma": [0.8]},
        "mappers": {"muse": {"vocabulary_cutoff": 10_000}},
        "joint_align": {
            "table3": None, "figure1": None, "controls": None, "together": True, "search": dict.fromkeys(SEARCHED)
        },
    }  # fmt: skip
    if question.dictionary:
        config["joint_align"]["systems"] = dict.fromkeys(LEFT_OUT)
        parts = split_validation(read_dictionary(question.dictionary), HELD_OUT)
        config["dictionaries"] = {}
        for name, pairs in zip(("train", "test"), parts, strict=True):
            path = question.folder / "dictionary" / f"{name}.txt"
            with atomic_open(path) as stream:
                stream.writelines(f"{source}\t{target}\n" for source, target in pairs)
            config["dictionaries"][name] = str(path.resolve())
    else:
        base = read_yaml(suite("config.yaml"))["joint_align"]["systems"]
        config["joint_align"]["systems"] = dict.fromkeys(set(base) - {WITHOUT_DICTIONARY})
    path = question.folder / "ask.yaml"
    with atomic_open(path) as stream:
        yaml.safe_dump(config, stream, allow_unicode=True)
    return path
