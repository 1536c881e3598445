"""Bilingual dictionaries: the gold translations of words that occur, split by the source word's frequency.

As in MUSE, a source word may have several targets; the most frequent source words train, the next ones test.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace

import numpy as np

from crosslingua.corpora.world.morphology import CASE_ID, CASES, N_FEATURES, noun_feature, verb_feature
from crosslingua.corpora.world.text import word_counts
from crosslingua.corpora.world.world import World

Pair = tuple[str, str]
TRAINABLE = 0.62  # share of the words, the most frequent, that may train
RARER = 4  # of so many words that may not one validates, the others test
MIN_COUNT = 5  # occurrences in the counted sample below which a word is left out
# Feature bundles that any language may leave unmarked: number, and the object case; tense and passive.
_PLAIN_NOUN = {noun_feature(plural, case) for plural in (0, 1) for case in (0, CASE_ID["object"])}
_PLAIN_VERB = {verb_feature(tense, singular, 0, 0) for tense in (0, 1) for singular in (0, 1)}


@dataclass(frozen=True)
class Dictionary:
    """Translation pairs by split, source words from the most to the least frequent."""

    train: list[Pair]
    valid: list[Pair]
    test: list[Pair]


def same_surface(pairs: list[Pair]) -> list[bool]:
    """Mark the pairs whose two words are spelled alike, capitals aside."""
    return [source.lower() == target.lower() for source, target in pairs]


def make_dictionary(
    world: World,
    source: str,
    target: str,
    *,
    lowercase: bool = False,
    share: float | None = None,
    trainable: float = TRAINABLE,
) -> Dictionary:
    """Return the dictionary from `source` to `target`, both languages' words as they occur in text.

    Punctuation, digits and words rarer than MIN_COUNT in the counted sample are left out. Of the source words the share
    `trainable`, the most frequent, may train. A valid source word is taken every few ranks from the rest, so that it
    covers the same frequencies as the test words.

    With `share`, only that share of the source language's word types (those of MIN_COUNT occurrences) trains, the most
    frequent, as MUSE's 5,000 are of 200,000; all of the training words where they are fewer.
    """
    counts, known = word_counts(world, source), word_counts(world, target)
    translations = _translations(world, source, target)
    ranked = [word for word, count in counts.most_common() if count >= MIN_COUNT and word in translations]
    by_source: dict[str, list[str]] = {}
    for word in ranked:
        targets = sorted(
            (t for t in translations[word] if known[t] >= MIN_COUNT), key=lambda t: (-known[t], t)
        )
        if targets:
            key = word.lower() if lowercase else word
            kept = by_source.setdefault(key, [])
            kept += [t for t in (t.lower() if lowercase else t for t in targets) if t not in kept]
    whole = _split(by_source, trainable)
    if share is None:
        return whole
    types = {w.lower() if lowercase else w for w, count in counts.items() if count >= MIN_COUNT}
    most = dict.fromkeys([source for source, _ in whole.train])
    kept = set(list(most)[: max(1, round(share * len(types)))])
    return replace(whole, train=[pair for pair in whole.train if pair[0] in kept])


def _translations(world: World, source: str, target: str) -> dict[str, set[str]]:
    ours, theirs = world.language(source), world.language(target)
    translations: dict[str, set[str]] = defaultdict(set)
    for concept, group in enumerate(world.concepts.group):
        if group in ("punctuation", "year"):
            continue
        for feature in range(N_FEATURES):
            if _comparable(ours.forms.form, theirs.forms.form, world.concepts.pos[concept], concept, feature):
                for mine in np.unique(ours.forms.form[:, concept, feature]):
                    for yours in np.unique(theirs.forms.form[:, concept, feature]):
                        translations[ours.surfaces[mine]].add(theirs.surfaces[yours])
    return translations


def _comparable(ours: np.ndarray, theirs: np.ndarray, pos: str, concept: int, feature: int) -> bool:
    """Whether the two forms with this feature bundle translate each other as words.

    A form that says more than its partner (a case for an adposition, "not", the future) is left out unless
    both languages say it by inflection, or it is the source word that does.
    """
    if pos in ("NOUN", "PROPN", "PRON") and feature < 2 * len(CASES):
        plain = feature // len(CASES) * len(CASES)
        return feature in _PLAIN_NOUN or bool(ours[0, concept, feature] != ours[0, concept, plain])
    if pos in ("VERB", "AUX"):
        bare = verb_feature(0, 0, 0, 0)
        inflected = all(forms[0, concept, feature] != forms[0, concept, bare] for forms in (ours, theirs))
        return feature in _PLAIN_VERB or (inflected and feature % 2 == 0)
    return feature in (0, len(CASES))


def _split(by_source: dict[str, list[str]], trainable: float) -> Dictionary:
    words = list(by_source)
    trained = round(len(words) * trainable)
    rest = words[trained:]
    valid = rest[::RARER]
    test = [word for i, word in enumerate(rest) if i % RARER]
    return Dictionary(
        *([(s, t) for s in part for t in by_source[s]] for part in (words[:trained], valid, test))
    )
