"""One function for every format of labelled data: files in, records of a contract file out.

Formats are told apart by the name that the registry of data sets gives them: a row of COLUMN_FORMATS or
PAIR_FORMATS, or one of OTHERS.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from crosslingua.corpora.labelled import utterances
from crosslingua.corpora.labelled.columns import COLUMN_FORMATS, read_columns
from crosslingua.corpora.labelled.sentence_pairs import PAIR_FORMATS, read_sentence_pairs
from crosslingua.corpora.labelled.source import Grouped, Source
from crosslingua.errors import ConfigError, InputError, did_you_mean
from crosslingua.io.conll import TaggedSentence
from crosslingua.io.conllu_trees import read_conllu_tags
from crosslingua.io.squad import Article, Paragraph, read_squad
from crosslingua.tasks.kinds import TAGS, kind_of

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
        return _columns(format_name, sources, request, counts)
    if format_name in PAIR_FORMATS:
        return _pairs(format_name, sources, request, counts)
    if format_name in OTHERS:
        return OTHERS[format_name](sources, request, counts)
    hint = did_you_mean(format_name, formats())
    raise ConfigError(
        f"unknown format {format_name!r} of labelled data: there are {', '.join(formats())}{hint}"
    )


def formats() -> list[str]:
    """Return the names of all formats."""
    return sorted([*COLUMN_FORMATS, *PAIR_FORMATS, *OTHERS])


def _columns(name: str, sources: Sources, request: Request, counts: Counter[str]) -> Iterator[Grouped]:
    layout = COLUMN_FORMATS[name]
    for source in sources:
        place = Source(source, layout.encodings)
        yield from by_tokens(read_columns(place, layout, request.task, request.language, counts))


def by_tokens(sentences: Iterable[TaggedSentence]) -> Iterator[Grouped[TaggedSentence]]:
    """Group tagged sentences by their tokens: repeats of a sentence belong together."""
    for sentence in sentences:
        yield Grouped(sentence, " ".join(sentence.tokens))


def _pairs(name: str, sources: Sources, request: Request, counts: Counter[str]) -> Iterator[Grouped]:
    if request.labels is not None and len(sources) > 1:
        raise ConfigError(f"labels from another set go with one file, not with {', '.join(sources)}")
    for source in sources:
        yield from read_sentence_pairs(
            Source(source), PAIR_FORMATS[name], counts, request.language, request.where, request.labels
        )


def _side_by_side(sources: Sources, request: Request, counts: Counter[str]) -> Iterator[Grouped]:
    if len(sources) not in (2, 3):
        raise ConfigError(
            f"seq_in_out takes the tokens, the tags and, if there are any, the intents: {sources}"
        )
    return by_tokens(
        utterances.read_parallel_files(*map(Source, sources[:2]), counts, *map(Source, sources[2:]))
    )


def _one_after_the_other(reader: Callable[[Source, Counter[str]], Iterator[TaggedSentence]]) -> "Reader":
    def read_all(sources: Sources, request: Request, counts: Counter[str]) -> Iterator[Grouped]:
        for source in sources:
            yield from by_tokens(reader(Source(source), counts))

    return read_all


def _treebanks(sources: Sources, request: Request, counts: Counter[str]) -> Iterator[Grouped]:
    if kind_of(request.task).form is not TAGS:
        raise ConfigError(f"a treebank has no labels for {request.task}")
    for source in sources:
        for forms, tags, comments in read_conllu_tags(source):
            kept = {key: comments[key] for key in ("sent_id",) if comments.get(key)}
            yield Grouped(TaggedSentence(forms, tags, kept), " ".join(forms))


def _squad(sources: Sources, request: Request, counts: Counter[str]) -> Iterator[Grouped]:
    """Yield articles, grouped by their first question: parallel sets have the same identifiers."""
    for source in sources:
        kept = 0
        for article in read_squad(source, counts=counts):
            article = _only(article, request)
            if article.paragraphs:
                kept += 1
                yield Grouped(article, article.paragraphs[0].questions[0].id)
        if not kept:
            raise InputError(source, f"no question where {request.where}")


def _only(article: Article, request: Request) -> Article:
    """Keep the questions whose identifier begins as asked for, as TyDiQA marks languages."""
    if request.where is None:
        return article
    what, start = request.where
    if what != "id_prefix":
        raise ConfigError(f"questions can be chosen by id_prefix, not by {what!r}")
    paragraphs = []
    for paragraph in article.paragraphs:
        chosen = tuple(question for question in paragraph.questions if question.id.startswith(start))
        if chosen:
            paragraphs.append(Paragraph(paragraph.context, chosen))
    return Article(article.title, tuple(paragraphs))


Reader = Callable[[Sources, Request, Counter[str]], Iterator[Grouped]]

OTHERS: Mapping[str, Reader] = {
    "seq_in_out": _side_by_side,
    "numbered_rows": _one_after_the_other(utterances.read_numbered),
    "json_tags": _one_after_the_other(utterances.read_json_tags),
    "multiatis": _one_after_the_other(utterances.read_multiatis),
    "facebook": _one_after_the_other(utterances.read_facebook),
    "conllu": _treebanks,
    "squad": _squad,
}
