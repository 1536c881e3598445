"""Make a contract file of a split of a labelled data set: read, check, map, drop, divide, write, report."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from crosslingua.corpora.labelled import splits
from crosslingua.corpora.labelled.columns import read_tag_map, tagger
from crosslingua.corpora.labelled.readers import Request, read
from crosslingua.corpora.labelled.sentence_pairs import PAIR_FORMATS, labels_by_row
from crosslingua.corpora.labelled.source import Grouped, Source
from crosslingua.corpora.labelled.splits import LabelledSet, Without, labelled_set, sources
from crosslingua.errors import ConfigError, InputError
from crosslingua.io import conll
from crosslingua.io.conll import TaggedSentence, write_conll
from crosslingua.io.pairs import write_pairs
from crosslingua.io.squad import questions, write_squad
from crosslingua.tasks.kinds import SPANS, kind_of


def read_split(
    name: str, task: str, language: str, split: str, data_dir: str | Path, seed: int = 1
) -> tuple[list[Grouped], Counter[str]]:
    """Return the records of a split and what was counted while reading: repairs, drops, left out.

    A divided split depends on `seed` alone. Raises ConfigError on an unknown set, task, language or split, and
    InputError on malformed files and when the counts differ from the published ones.
    """
    row = labelled_set(name)
    if task not in row.tasks:
        raise ConfigError(f"{name} is no data for {task}: it serves {', '.join(row.tasks)}")
    rule = row.without.get(split)
    if rule is not None and rule.language == language:
        return _read_without(row, rule, task, data_dir, seed)
    parent = row.parent(language, split)
    records, counts = _read_published(row, task, language, parent or split, data_dir)
    if parent is None:
        return records, counts
    parts = splits.divide(records, lambda record: record.group, row.divisions[parent], seed)
    return parts[split], counts


def _read_without(
    row: LabelledSet, rule: Without, task: str, data_dir: str | Path, seed: int
) -> tuple[list[Grouped], Counter[str]]:
    records, counts = read_split(row.name, task, rule.language, rule.of, data_dir, seed)
    elsewhere: set[str] = set()
    for name, language, split in rule.leave_out:
        found, _ = read_split(name, task, language, split, data_dir, seed)
        elsewhere.update(map(splits.folded, found))
    return splits.leave_out(records, splits.folded, elsewhere, counts), counts


def _read_published(
    row: LabelledSet, task: str, language: str, split: str, data_dir: str | Path
) -> tuple[list[Grouped], Counter[str]]:
    published = row.published(language, split)
    if published.same_as:
        other, its_language, its_split = published.same_as
        return read_split(other, task, its_language, its_split, data_dir)
    counts: Counter[str] = Counter()
    paths = sources(row.name, published, data_dir)
    labels = _labels(published.labels_of, data_dir) if published.labels_of else None
    records = list(read(row.format, paths, Request(task, language, published.where, labels), counts))
    _check_counts(paths[0], published.expect, summary(records, task) | counts)
    if "redirects" in row.drop:
        kept = [record for record in records if not splits.is_redirect(record)]
        counts["redirects"] += len(records) - len(kept)
        records = kept
    if "repeats" in row.drop:
        records = splits.drop_repeats(records, lambda record: record.group, counts)
    return records, counts


def _labels(place: tuple[str, str, str], data_dir: str | Path) -> list[str | None]:
    """Return the labels of all rows of a published split, None where a row has none."""
    name, language, split = place
    row = labelled_set(name)
    paths = sources(name, row.published(language, split), data_dir)
    return [label for path in paths for label in labels_by_row(Source(path), PAIR_FORMATS[row.format])]


def _check_counts(path: str, expected: dict[str, int], found: dict[str, Any]) -> None:
    for what, number in expected.items():
        if found.get(what, 0) != number:
            raise InputError(
                path,
                f"{found.get(what, 0)} {what} where the published split has {number}",
                remedy="this is another version of the file, or a damaged one: fetch it again",
            )


def to_universal(
    records: Sequence[Grouped], row: LabelledSet, language: str, maps: str | Path | None
) -> list[Grouped]:
    """Replace parts of speech by the 12 universal tags of `maps`, an archive. ConfigError without a tag set,
    InputError on a tag that the map lacks.
    """
    if language not in row.tag_set:
        raise ConfigError(f"no tag set of {row.name} in {language} is known: add tag_set to its row")
    name = row.tag_set[language]
    mapping = None
    if name != "ud":
        if maps is None:
            raise ConfigError(f"the parts of speech of {row.name} need the map {name}: give --tag-maps")
        mapping = read_tag_map(Source(f"{maps}::universal_tagset/{name}.map"), name)
    universal = tagger(name, mapping)
    return [record._replace(record=_retagged(record.record, universal, row.name)) for record in records]


def _retagged(sentence: TaggedSentence, universal: Callable[[str], str], name: str) -> TaggedSentence:
    try:
        return replace(sentence, labels=tuple(map(universal, sentence.labels)))
    except KeyError as error:
        raise InputError(
            name, f"part of speech {error} has no universal tag, in: {' '.join(sentence.tokens)[:80]}"
        ) from None


def map_slots(records: Sequence[Grouped], row: LabelledSet, other: str) -> list[Grouped]:
    """Rename slot types to those of another set; types that it does not mark become O. ConfigError without such a
    map.
    """
    if other not in row.slot_maps:
        known = ", ".join(row.slot_maps) or "none"
        raise ConfigError(f"no map from the slots of {row.name} to those of {other!r}: there are {known}")
    names = row.slot_maps[other]
    return [record._replace(record=_renamed(record.record, names)) for record in records]


def _renamed(sentence: TaggedSentence, names: Mapping[str, str | None]) -> TaggedSentence:
    spans = [span._replace(type=names.get(span.type, span.type)) for span in conll.spans(sentence.labels)]
    kept = [span for span in spans if span.type is not None]
    return replace(sentence, labels=tuple(conll.from_spans(len(sentence.labels), kept)))


def summary(records: Sequence[Grouped], task: str) -> dict[str, Any]:
    """Return counts of a split: sentences, tokens and labels; or pairs and labels; or articles and questions."""
    if kind_of(task).tagged:
        sentences = [record.record for record in records]
        found = {"sentences": len(sentences), "tokens": sum(len(s.tokens) for s in sentences)}
        if kind_of(task).scheme == "plain":
            return found | {"labels": _sorted(Counter(tag for s in sentences for tag in s.labels))}
        types = Counter(span.type for s in sentences for span in conll.spans(s.labels))
        return found | {"entities": types.total(), "labels": _sorted(types)}
    if kind_of(task).pairs:
        return {"pairs": len(records), "labels": _sorted(Counter(record.record.label for record in records))}
    articles = [record.record for record in records]
    paragraphs = sum(len(article.paragraphs) for article in articles)
    return {
        "articles": len(articles),
        "paragraphs": paragraphs,
        "questions": sum(1 for _ in questions(articles)),
    }


def _sorted(labels: Counter[str]) -> dict[str, int]:
    return dict(sorted(labels.items()))


def check_labels(path: str | Path, found: dict[str, Any], task: str) -> None:
    """Refuse a split whose labels are placeholders: one label for all, or no entity at all. InputError."""
    labels = found.get("labels")
    if labels is None:
        return
    few = 1 if kind_of(task).form is SPANS else 2
    size = found.get("sentences", found.get("pairs", 0))
    if len(labels) < few and size > 1:
        shown = ", ".join(labels) or "no entity"
        raise InputError(
            path, f"all {size} records have the label {shown}: these look like placeholder labels",
            remedy="public test sets may hold none: use a split with labels",
        )  # fmt: skip


def write_split(path: str | Path, records: Sequence[Grouped], task: str) -> dict[str, Any]:
    """Write records as the contract file of their task; return the summary. InputError on placeholder labels."""
    found = summary(records, task)
    check_labels(path, found, task)
    plain = [record.record for record in records]
    record = kind_of(task)
    if record.tagged:
        write_conll(path, plain)
    elif record.pairs:
        write_pairs(path, plain, record.pairs)
    else:
        write_squad(path, plain)
    return found
