"""Labelled data of every format as contract files: read, check, map, drop, divide, write, report.

The registry of data sets names the format.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from crosslingua.corpora.labelled import splits, utterances
from crosslingua.corpora.labelled.columns import COLUMN_FORMATS, read_columns, read_tag_map, tagger
from crosslingua.corpora.labelled.sentence_pairs import PAIR_FORMATS, labels_by_row, read_sentence_pairs
from crosslingua.corpora.labelled.source import Grouped, Source, clean_token
from crosslingua.corpora.labelled.splits import LabelledSet, labelled_set, sources
from crosslingua.errors import ConfigError, InputError, did_you_mean
from crosslingua.io import conll
from crosslingua.io.conll import TaggedSentence, write_conll
from crosslingua.io.conllu_trees import read_conllu_tags
from crosslingua.io.pairs import write_pairs
from crosslingua.io.squad import Article, Paragraph, questions, read_squad, write_squad
from crosslingua.tasks.kinds import QUESTIONS, SPANS, TAGS, kind_of

Sources = Sequence[str]


@dataclass(frozen=True)
class Request:
    """What to read out of the files: a task, a language, and only rows whose column `where[0]` is `where[1]`.

    `labels`: of the rows of sentence pairs whose file holds none; None for a row without one.
    """

    task: str
    language: str
    where: tuple[str, str] | None = None
    labels: Sequence[str | None] | None = None


def read(format_name: str, sources: Sources, request: Request, counts: Counter[str]) -> Iterator[Grouped]:
    """Yield the grouped records of all `sources`: tagged sentences, sentence pairs or articles.

    Sources follow one another, but `seq_in_out` has tokens, tags and intents side by side. Raises ConfigError on an
    unknown format or a task that it cannot serve, and InputError as the readers do.
    """
    if format_name in COLUMN_FORMATS:
        layout = COLUMN_FORMATS[format_name]
        places = (Source(source, layout.encodings) for source in sources)
        sides = (read_columns(place, layout, request.task, request.language, counts) for place in places)
        return by_tokens(chain.from_iterable(sides))
    if format_name in UTTERANCES:
        return by_tokens(s for source in sources for s in UTTERANCES[format_name](Source(source), counts))
    if format_name in PAIR_FORMATS:
        if request.labels is not None and len(sources) > 1:
            raise ConfigError(f"labels from another set go with one file, not with {', '.join(sources)}")
        layout, of_rows = PAIR_FORMATS[format_name], (request.language, request.where, request.labels)
        sides = (read_sentence_pairs(Source(source), layout, counts, *of_rows) for source in sources)
        return chain.from_iterable(sides)
    if format_name in OTHERS:
        return OTHERS[format_name](sources, request, counts)
    names, hint = ", ".join(formats()), did_you_mean(format_name, formats())
    raise ConfigError(f"unknown format {format_name!r} of labelled data: there are {names}{hint}")


def formats(task: str = "") -> list[str]:
    """Return the names of all formats, or of those that serve a task."""
    every = sorted([*COLUMN_FORMATS, *PAIR_FORMATS, *UTTERANCES, *OTHERS])
    return [name for name in every if _serves(name, task)] if task else every


def _serves(name: str, task: str) -> bool:
    if name in COLUMN_FORMATS:
        return COLUMN_FORMATS[name].label_column(task) is not None
    if name in PAIR_FORMATS:
        return PAIR_FORMATS[name].kind == task
    return kind_of(task).form is {"conllu": TAGS, "conllu_written": TAGS, "squad": QUESTIONS}.get(name, SPANS)


def by_tokens(sentences: Iterable[TaggedSentence]) -> Iterator[Grouped[TaggedSentence]]:
    """Group tagged sentences by their tokens: repeats of a sentence belong together."""
    for sentence in sentences:
        yield Grouped(sentence, " ".join(sentence.tokens))


def _side_by_side(sources: Sources, request: Request, counts: Counter[str]) -> Iterator[Grouped]:
    if len(sources) not in (2, 3):
        raise ConfigError(
            f"seq_in_out takes the tokens, the tags and, if there are any, the intents: {sources}"
        )
    tokens, labels, *intents = map(Source, sources)
    return by_tokens(utterances.read_parallel_files(tokens, labels, counts, *intents))


def _treebanks(
    sources: Sources, request: Request, counts: Counter[str], written: bool = False
) -> Iterator[Grouped]:
    if kind_of(request.task).form is not TAGS:
        raise ConfigError(f"a treebank has no labels for {request.task}")
    for source in sources:
        for forms, tags, comments in read_conllu_tags(source, counts, written):
            kept = {key: comments[key] for key in ("sent_id",) if comments.get(key)}
            tokens = tuple(clean_token(form, counts) for form in forms)
            counts["invisible_tokens"] += (hidden := tokens.count(""))
            if hidden == len(tokens):
                counts["empty_sentences"] += 1
                continue
            tokens, tags = zip(*(row for row in zip(tokens, tags, strict=True) if row[0]), strict=True)
            yield Grouped(TaggedSentence(tokens, tags, kept), " ".join(tokens))


def _squad(sources: Sources, request: Request, counts: Counter[str]) -> Iterator[Grouped]:
    """Yield articles, grouped by their first question: parallel sets have the same identifiers."""
    what, start = request.where or ("id_prefix", "")  # TyDiQA marks languages so
    if what != "id_prefix":
        raise ConfigError(f"questions can be chosen by id_prefix, not by {what!r}")
    for source in sources:
        empty = True
        for article in read_squad(source, counts):
            paragraphs = []
            for paragraph in article.paragraphs:
                chosen = tuple(question for question in paragraph.questions if question.id.startswith(start))
                if chosen or request.where is None:
                    paragraphs.append(Paragraph(paragraph.context, chosen))
            if paragraphs:
                empty = False
                yield Grouped(Article(article.title, tuple(paragraphs)), paragraphs[0].questions[0].id)
        if empty:
            raise InputError(source, f"no question where {request.where}")


# Files of a set of utterances follow one another.
UTTERANCES: Mapping[str, Callable[[Source, Counter[str]], Iterator[TaggedSentence]]] = {
    "numbered_rows": utterances.read_numbered,
    "json_tags": utterances.read_json_tags,
    "multiatis": utterances.read_multiatis,
    "facebook": utterances.read_facebook,
}
OTHERS: Mapping[str, Callable[[Sources, Request, Counter[str]], Iterator[Grouped]]] = {
    "seq_in_out": _side_by_side, "conllu": _treebanks, "squad": _squad,
    "conllu_written": partial(_treebanks, written=True),
}  # fmt: skip


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
    rule = row.made.get(split)
    if rule is not None and rule.language == language:
        records, counts = read_split(name, task, language, rule.of, data_dir, seed)
        for other, *place in rule.add:
            added, counted = read_split(other, task, *place, data_dir, seed)
            records, counts = records + added, counts + counted
        others = [read_split(other, task, *place, data_dir, seed)[0] for other, *place in rule.leave_out]
        elsewhere = {splits.folded(record) for other in others for record in other}
        return splits.leave_out(records, splits.folded, elsewhere, counts), counts
    parent = row.parent(language, split)
    records, counts = _read_published(row, task, language, parent or split, data_dir)
    if parent is None:
        return records, counts
    parts = splits.divide(records, lambda record: record.group, row.divisions[parent], seed)
    return parts[split], counts


def _read_published(
    row: LabelledSet, task: str, language: str, split: str, data_dir: str | Path
) -> tuple[list[Grouped], Counter[str]]:
    published = row.published(language, split)
    if published.same_as:
        other, its_language, its_split = published.same_as
        return read_split(other, task, its_language, its_split, data_dir)
    counts: Counter[str] = Counter()
    paths = sources(row.name, published, data_dir)
    labels = None
    if published.labels_of:  # of all rows of another split, None where a row has none
        other, its_language, its_split = published.labels_of
        layout = PAIR_FORMATS[labelled_set(other).format]
        files = sources(other, labelled_set(other).published(its_language, its_split), data_dir)
        labels = [label for path in files for label in labels_by_row(Source(path), layout)]
    records = list(read(row.format, paths, Request(task, language, published.where, labels), counts))
    numbers = summary(records, task) | counts
    for what, number in published.expect.items():
        if numbers.get(what, 0) != number:
            raise InputError(
                paths[0], f"{numbers.get(what, 0)} {what} where the published split has {number}",
                remedy="this is another version of the file, or a damaged one: fetch it again",
            )  # fmt: skip
    if "redirects" in row.drop:
        kept = [record for record in records if not splits.is_redirect(record)]
        counts["redirects"] += len(records) - len(kept)
        records = kept
    if "repeats" in row.drop:
        records = splits.drop_repeats(records, lambda record: record.group, counts)
    return records, counts


def spread(size: int, most: int) -> list[int]:
    """Return the numbers of at most `most` of `size` records, evenly spaced from the first. Parallel sets of one size
    keep the same records.
    """
    return [place * size // most for place in range(most)] if most < size else list(range(size))


def to_universal(
    records: Sequence[Grouped], row: LabelledSet, language: str, maps: str | Path | None
) -> list[Grouped]:
    """Replace parts of speech by the 12 universal tags. ConfigError without their map, InputError on other tags."""
    if language not in row.tag_set:
        raise ConfigError(f"no tag set of {row.name} in {language} is known: add tag_set to its row")
    name = row.tag_set[language]
    mapping = None
    if name != "ud":
        if maps is None:
            raise ConfigError(f"the parts of speech of {row.name} need the map {name}: give --tag-maps")
        mapping = read_tag_map(Source(f"{maps}::universal_tagset/{name}.map"), name)
    universal, retagged = tagger(name, mapping), []
    for sentence, group in records:
        try:
            labels = tuple(map(universal, sentence.labels))
        except KeyError as error:
            shown = " ".join(sentence.tokens)[:80]
            raise InputError(row.name, f"part of speech {error} has no universal tag, in: {shown}") from None
        retagged.append(Grouped(replace(sentence, labels=labels), group))
    return retagged


def map_slots(records: Sequence[Grouped], row: LabelledSet, other: str) -> list[Grouped]:
    """Rename slot types as in another set; types that this set lacks become O. ConfigError without such a map."""
    if other not in row.slot_maps:
        others = ", ".join(row.slot_maps) or "none"
        raise ConfigError(f"no map from the slots of {row.name} to those of {other!r}: there are {others}")
    names, renamed = row.slot_maps[other], []
    for sentence, group in records:
        spans = [span._replace(type=names.get(span.type, span.type)) for span in conll.spans(sentence.labels)]
        labels = conll.from_spans(len(sentence.labels), [span for span in spans if span.type is not None])
        renamed.append(Grouped(replace(sentence, labels=tuple(labels)), group))
    return renamed


def summary(records: Sequence[Grouped], task: str) -> dict[str, Any]:
    """Return counts of a split: sentences, tokens and labels; or pairs and labels; or articles and questions."""
    plain, kind = [record.record for record in records], kind_of(task)
    if kind.tagged:
        counts = {"sentences": len(plain), "tokens": sum(len(sentence.tokens) for sentence in plain)}
        if kind.form is SPANS:
            labels = Counter(span.type for sentence in plain for span in conll.spans(sentence.labels))
            counts["entities"] = labels.total()
        else:
            labels = Counter(tag for sentence in plain for tag in sentence.labels)
    elif kind.pairs:
        counts, labels = {"pairs": len(plain)}, Counter(pair.label for pair in plain)
    else:
        paragraphs = sum(len(article.paragraphs) for article in plain)
        number = sum(1 for _ in questions(plain))
        return {"articles": len(plain), "paragraphs": paragraphs, "questions": number}
    return counts | {"labels": dict(sorted(labels.items()))}


def write_split(path: str | Path, records: Sequence[Grouped], task: str) -> dict[str, Any]:
    """Write the contract file of a task; return the summary. InputError if all labels are one, or no entity."""
    counts, kind, size = summary(records, task), kind_of(task), len(records)
    few = 1 if kind.form is SPANS else 2
    if "labels" in counts and len(counts["labels"]) < few and size > 1:
        shown = ", ".join(counts["labels"]) or "no entity"
        raise InputError(
            path, f"all {size} records have the label {shown}: these look like placeholder labels",
            remedy="public test sets may hold none: use a split with labels",
        )  # fmt: skip
    plain = [record.record for record in records]
    if kind.tagged:
        write_conll(path, plain)
    elif kind.pairs:
        write_pairs(path, plain, kind.pairs)
    else:
        write_squad(path, plain)
    return counts
