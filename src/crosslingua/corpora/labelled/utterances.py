"""Read slot filling in formats other than columns: two parallel files, numbered rows, tab-separated utterances."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence

from crosslingua.corpora.labelled.cleaning import clean_token
from crosslingua.corpora.labelled.entity_types import conll_type
from crosslingua.corpora.labelled.source import Source
from crosslingua.errors import InputError
from crosslingua.io import bio2
from crosslingua.io.conll import TaggedSentence, check_bio2


def _sentence(
    source: Source,
    line: int,
    tokens: Sequence[str],
    labels: Sequence[str],
    counts: Counter[str],
    comments: dict[str, str] | None = None,
    one_line: bool = True,
) -> TaggedSentence:
    """Check one utterance whose tokens stand in line `line`, or begin there (`one_line` false)."""
    if len(tokens) != len(labels):
        raise InputError(source, f"{len(tokens)} tokens but {len(labels)} labels", line=line)
    wrong = bio2.first_error(labels)
    if wrong and not labels[wrong[0]].startswith("I-"):
        raise InputError(source, wrong[1], line=line + (0 if one_line else wrong[0]))
    checked = check_bio2(source, line, labels, counts)
    return TaggedSentence(tuple(map(clean_token, tokens)), tuple(checked), comments or {})


def read_parallel_files(
    tokens: Source, labels: Source, counts: Counter[str], intents: Source | None = None
) -> Iterator[TaggedSentence]:
    """Yield utterances of `seq.in` and `seq.out` (and `label`, the intents), which are line-parallel.

    Tokens are split at runs of white space: SNIPS has double spaces where punctuation was. Raises InputError
    with file and line on unequal numbers of lines, of tokens and labels, on an empty line or wrong tags.
    """
    sides = [list(source.lines()) for source in (tokens, labels, *([intents] if intents else []))]
    lengths = [len(side) for side in sides]
    if len(set(lengths)) > 1:
        raise InputError(
            tokens, f"the files are not line-parallel: {lengths} lines", remedy="fetch them again"
        )
    for (number, text), (_, tags), *rest in zip(*sides, strict=True):
        if not text.strip():
            raise InputError(tokens, "empty line", line=number)
        comments = {"intent": rest[0][1].strip()} if rest else {}
        yield _sentence(tokens, number, text.split(), tags.split(), counts, comments)


def read_numbered(source: Source, counts: Counter[str]) -> Iterator[TaggedSentence]:
    r"""Yield utterances of rows `Sentence: k<TAB>token<TAB>tag` below a header, no blank lines between (ATIS-TR)."""
    lines = source.lines()
    _, header = next(lines, (0, ""))
    if header.split("\t") != ["Sentence #", "Word", "Tag"]:
        raise InputError(source, f"header {header!r} where Sentence #<TAB>Word<TAB>Tag is expected", line=1)
    first, current, rows = 0, "", []
    for number, line in lines:
        cells = line.split("\t")
        if len(cells) != 3 or not all(cell.strip() for cell in cells):
            raise InputError(source, f"{line!r} where sentence<TAB>token<TAB>tag is expected", line=number)
        if cells[0] != current and rows:
            yield _sentence(source, first, *zip(*rows, strict=True), counts, one_line=False)
            rows = []
        first = first if rows else number
        current = cells[0]
        rows.append((cells[1], cells[2]))
    if rows:
        yield _sentence(source, first, *zip(*rows, strict=True), counts, one_line=False)


def read_json_tags(source: Source, counts: Counter[str]) -> Iterator[TaggedSentence]:
    """Yield sentences of JSON lines with `tokens` and `tags` (BasqueGLUE); those without tokens are counted."""
    for number, line in source.lines():
        try:
            row = json.loads(line)
            tokens, tags = row["tokens"], row["tags"]
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                source, f"not a JSON object with tokens and tags: {error}", line=number
            ) from None
        if not tokens:
            counts["empty_sentences"] += 1
            continue
        sentence = _sentence(source, number, tokens, tags, counts)
        for span in bio2.spans(sentence.labels):
            try:
                conll_type(span.type)
            except KeyError:
                raise InputError(source, f"unknown entity type {span.type!r}", line=number) from None
        yield sentence


# MultiATIS (LDC2019T04): id, English utterance and its tags, back-translation, intent, utterance, tags.
# MultiATIS++ (LDC2021T04): id, utterance, tags, intent. The columns used are those of the language itself.
_MULTIATIS = {7: (5, 6, 4), 4: (1, 2, 3)}


def read_multiatis(source: Source, counts: Counter[str]) -> Iterator[TaggedSentence]:
    """Yield the utterances of MultiATIS or MultiATIS++ (told apart by 7 or 4 columns), without a header line.

    The layouts are reconstructed from descriptions: the sets are licensed and could not be looked at.
    """
    for number, line in source.lines():
        cells = line.split("\t")
        if number == 1 and not cells[0].strip().isdigit():
            continue
        if len(cells) not in _MULTIATIS:
            raise InputError(source, f"{len(cells)} columns where 4 or 7 are expected", line=number)
        text, tags, intent = (cells[column].strip() for column in _MULTIATIS[len(cells)])
        if not text:
            raise InputError(source, "empty utterance", line=number)
        yield _sentence(source, number, text.split(), tags.split(), counts, {"intent": intent})
