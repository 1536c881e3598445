"""Prepare a bilingual dictionary: read a published format, cut its split, lower-case, hold out validation words."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from crosslingua.corpora.datasets.readers import DICTIONARY_READERS, RANKED
from crosslingua.corpora.pipeline import lowercase, normalise_line
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.bitext import (
    Pair,
    distinct,
    drop_same_surface,
    select_sources,
    some_sources,
    sources,
    split_validation,
    without_zero_width,
)
from crosslingua.io.decode import decode_entities

RANKS = {"train": (0, 5000), "valid": (0, 5000), "test": (5000, 6500)}  # of MUSE (Conneau et al. 2018)


def prepare_dictionary(
    inputs: Sequence[str],
    format: str = "muse",
    split: str | None = None,
    languages: tuple[str, str] = ("", ""),
    lower: bool = False,
    validation_share: float = 0.0,
    seed: int = 0,
    without_same_surface: bool = False,
    exclude: Iterable[Pair] = (),
    half: int | None = None,
    words: int | None = None,
) -> tuple[list[Pair], dict[str, Any]]:
    """Return the pairs of a split, and a report: pairs, sources, and what was dropped by reason.

    Full dictionaries (RANKED) are cut at MUSE's ranks, a file of another format is the split already. `valid` is the
    `validation_share` of the training set's source words, `train` the rest. Pairs whose source word is in `exclude`
    are left out. `half` 0 or 1 takes one half of the source words, which `seed` draws; `words` takes so many.
    `languages` (source, target) matter for the lower case of Turkish only.
    """
    counts: Counter[str] = Counter()
    pairs = [pair for source in inputs for pair in DICTIONARY_READERS[format](source, counts)]
    name = ", ".join(inputs)
    if format in RANKED and split is not None:
        pairs = _ranks(pairs, split, name)
    pairs = _as_in_text(pairs, languages, lower, counts)
    pairs = distinct(pairs, name, counts)
    if half is not None:
        pairs = split_validation(pairs, 0.5, seed)[half]
    if words is not None:
        pairs = some_sources(pairs, words, seed)
    if exclude:
        excluded, before = {source for source, _ in exclude}, len(pairs)
        pairs = [pair for pair in pairs if pair[0] not in excluded]
        counts["excluded"] += before - len(pairs)
    if split in ("train", "valid") and (validation_share or split == "valid"):
        pairs = split_validation(pairs, validation_share, seed)[split == "valid"]
    if without_same_surface:
        pairs = drop_same_surface(pairs, counts)
    if not pairs:
        why = "excluded: source words of the training dictionary, which no test may hold; give the test other words"
        raise InputError(
            name, f"no pair is left; dropped: {dict(counts)}", remedy=why if counts["excluded"] else None
        )
    return _told(pairs, counts)


def divide_dictionary(
    train: Sequence[str],
    test: Sequence[str],
    validation_share: float = 0.0,
    words: int | None = None,
    linked: Sequence[Pair] | None = None,
    **options: Any,
) -> dict[str, tuple[list[Pair], dict[str, Any]]]:
    """Return pairs and report of each split: train, fit and validation of some files, test of others.

    Where `test` names the files of `train`, MUSE's ranks divide full dictionaries; of others, half of the source words
    train, of which `words` are kept. `fit` and `validation` divide `train`; `test` leaves out the source words that
    could train. Where bitext has `linked` words, these train in place of the files', but for the source words of
    `test`. `options` are as above.
    """
    made = {}
    pooled = [*train] == [*test] and options.get("format") not in RANKED
    halves: tuple[int | None, int | None] = (0, 1) if pooled else (None, None)
    fitting = options | {"half": halves[0], "words": words}
    if train:
        made["train"] = prepare_dictionary(train, split="train", **fitting)
    if train and validation_share:
        for name, split in (("fit", "train"), ("validation", "valid")):
            made[name] = prepare_dictionary(train, split=split, validation_share=validation_share, **fitting)
    if test:
        trainable = prepare_dictionary(train, split="train", half=halves[0], **options)[0] if train else ()
        made["test"] = prepare_dictionary(test, split="test", exclude=trainable, half=halves[1], **options)
    if linked is not None:
        tested = {source for source, _ in made["test"][0]} if test else set()
        kept = [pair for pair in linked if pair[0] not in tested]
        if not kept:
            raise InputError(
                ", ".join(test), f"tests each of the {len(linked)} words that the bitext links",
                remedy="give more bitext, or a dictionary that tests other words",
            )  # fmt: skip
        made["train"] = _told(kept, {"excluded": len(linked) - len(kept)})
        if validation_share:
            fit, validation = split_validation(kept, validation_share, options.get("seed", 0))
            made |= {"fit": _told(fit), "validation": _told(validation)}
    return made


def _told(pairs: list[Pair], dropped: Mapping[str, int] | None = None) -> tuple[list[Pair], dict[str, Any]]:
    """Return pairs with their report."""
    return pairs, {"pairs": len(pairs), "sources": len(sources(pairs)), "dropped": dict(dropped or {})}


def _ranks(pairs: list[Pair], split: str, name: str) -> list[Pair]:
    """Return the pairs of MUSE's split. InputError if there are fewer sources than it ends at: it would be another."""
    if split not in RANKS:
        raise ConfigError(f"no split {split!r}: say {', '.join(RANKS)}")
    start, stop = RANKS[split]
    if (number := len(sources(pairs))) < stop:
        raise InputError(
            name, f"{number} source words, but MUSE's {split} set is words {start} to {stop}",
            remedy="give the full dictionary, or the file of the split with --format muse",
        )  # fmt: skip
    return select_sources(pairs, start, stop)


def _as_in_text(
    pairs: list[Pair], languages: tuple[str, str], lower: bool, counts: Counter[str]
) -> list[Pair]:
    """Return the pairs written as in `prepare_text`; other strings count as `counts["not_a_word"]`."""
    made = []
    for pair in pairs:
        bare = (without_zero_width(decode_entities(word, counts), counts) for word in pair)
        words = [normalise_line(word)[0] for word in bare]
        if lower:
            words = [lowercase(word, language) for word, language in zip(words, languages, strict=True)]
        if all(words) and not any(" " in word for word in words):
            made.append((words[0], words[1]))
        else:
            counts["not_a_word"] += 1
    return made
