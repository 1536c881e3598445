"""One function for every format of labelled data: files in, records of a contract file out.

Formats are told apart by the name that the registry of data sets gives them.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

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
    hint = did_you_mean(format_name, formats())
    raise ConfigError(
        f"unknown format {format_name!r} of labelled data: there are {', '.join(formats())}{hint}"
    )


def formats() -> list[str]:
    """Return the names of all formats."""
    return sorted([*COLUMN_FORMATS, *PAIR_FORMATS, *UTTERANCES, *OTHERS])


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


def _treebanks(sources: Sources, request: Request, counts: Counter[str]) -> Iterator[Grouped]:
    if kind_of(request.task).form is not TAGS:
        raise ConfigError(f"a treebank has no labels for {request.task}")
    for source in sources:
        for forms, tags, comments in read_conllu_tags(source):
            kept = {key: comments[key] for key in ("sent_id",) if comments.get(key)}
            yield Grouped(TaggedSentence(forms, tags, kept), " ".join(forms))


def _squad(sources: Sources, request: Request, counts: Counter[str]) -> Iterator[Grouped]:
    """Yield articles, grouped by their first question: parallel sets have the same identifiers.

    Only questions whose identifier begins as asked for are kept, as TyDiQA marks languages.
    """
    what, start = request.where or ("id_prefix", "")
    if what != "id_prefix":
        raise ConfigError(f"questions can be chosen by id_prefix, not by {what!r}")
    for source in sources:
        empty = True
        for article in read_squad(source):
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
}  # fmt: skip
