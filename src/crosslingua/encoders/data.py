"""The streams of a run: rows of text and of bitext, from files."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from crosslingua.encoders.instances import Instances, concatenate, from_bitext, from_text
from crosslingua.encoders.pieces import Pieces, Sentences
from crosslingua.encoders.settings import Settings
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.bitext import read_bitext
from crosslingua.io.decode import decoded_lines

log = logging.getLogger(__name__)

Files = tuple[str, str]


class Corpus:
    """Encodes text and bitext by language and remembers what it counted. `languages` are numbered in their order."""

    def __init__(self, pieces: Pieces, settings: Settings, languages: Sequence[str]):
        self.pieces, self.settings = pieces, settings
        self.ids = {language: number for number, language in enumerate(languages)}
        self.counts: Counter[str] = Counter()

    def text(self, files: Mapping[str, str]) -> Instances:
        """Return the rows of all languages' text."""
        rows = []
        for language, path in files.items():
            sentences = self.pieces.encode(decoded_lines(path))
            self.counts[f"sentences.{language}"] = len(sentences.lengths)
            rows.append(self._text_rows(sentences, language, path))
        return concatenate(rows)

    def _text_rows(self, sentences: Sentences, language: str, path: str | Path) -> Instances:
        settings = self.settings
        made, left_out = from_text(
            sentences, self.ids[language], self.pieces.specials, settings.max_length, settings.pack
        )
        self._check(made, left_out, path, language)
        return made

    def bitext(self, files: Mapping[str, Files], pack: bool, share: float | None) -> Instances:
        """Return the rows of all pairs' bitext; `share` limits the pairs to that share of a language's sentences."""
        rows = []
        for number, (pair, paths) in enumerate(files.items()):
            languages = languages_of(pair, self.ids)
            lines = list(read_bitext(*paths))
            if share is not None:
                lines = self._sampled(lines, languages, share, number, pair)
            sides = [self.pieces.encode(side) for side in zip(*lines, strict=True)] if lines else []
            if not sides:
                raise InputError(
                    paths[0], "no sentence pairs to train on", remedy="check the file, or parallel_share"
                )
            self.counts[f"pairs.{pair}"] = len(lines)
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
    hyphens = [place for place, letter in enumerate(pair) if letter == "-"]
    splits = [(pair[:place], pair[place + 1 :]) for place in hyphens]
    for split in splits:
        if all(language in known for language in split):
            return split
    raise ConfigError(f"bitext {pair!r}: name two languages of --text, such as {'-'.join(list(known)[:2])}")


def bitext_languages(pairs: Sequence[str]) -> list[str]:
    """Return the languages of bitext for a run without text, split at the first hyphen."""
    return list(dict.fromkeys(name for pair in pairs for name in pair.partition("-")[::2]))
