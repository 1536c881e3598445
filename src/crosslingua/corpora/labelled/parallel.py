"""Parallel text inside labelled sets: treebanks with an English original, translated inference pairs and questions.

They stand in for small parallel corpora (mbert_align), and read as strictly whatever is to be done on errors.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from crosslingua.corpora.labelled.columns import COLUMN_FORMATS, read_columns
from crosslingua.corpora.labelled.sentence_pairs import PAIR_FORMATS, read_sentence_pairs
from crosslingua.corpora.labelled.source import Source, clean
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.conllu_trees import read_conllu_tags
from crosslingua.io.squad import questions, read_squad

Pairs = Iterator[tuple[str, str]]


def read_treebank(sources: Sequence[str], languages: Sequence[str], *_: Any) -> Pairs:
    """Yield the sentences of a PUD treebank and their English originals. InputError without `text` or `text_en`."""
    if "en" not in languages or len(languages) != 2:
        raise ConfigError(f"these sentences have English originals: en must be one of {', '.join(languages)}")
    for source in sources:
        for _, _, comments in read_conllu_tags(source):
            if not comments.get("text") or not comments.get("text_en"):
                raise InputError(source, f"sentence {comments.get('sent_id', '?')} has no text or no text_en")
            pair = clean(comments["text"]), clean(comments["text_en"])
            yield pair[::-1] if languages[0] == "en" else pair


def _translated(layout: str, sources: Sequence[str], languages: Sequence[str], *_: Any) -> Pairs:
    """Yield premises and hypotheses of rows that stand in the same order in both languages, each pair once."""
    for source in sources:
        sides = []
        for language in languages:
            records = read_sentence_pairs(Source(source), PAIR_FORMATS[layout], None, language)
            sides.append([sentence for record in records for sentence in record.record[:2]])
        if len(sides[0]) != len(sides[1]) or not sides[0]:
            sizes = " and ".join(str(len(side)) for side in sides)
            raise InputError(source, f"{sizes} sentences in {' and '.join(languages)}: not parallel")
        yield from dict.fromkeys(zip(*sides, strict=True))


read_xnli, read_sick = partial(_translated, "xnli"), partial(_translated, "sick")


def read_questions(sources: Sequence[str], languages: Sequence[str], *_: Any) -> Pairs:
    """Yield the questions of two SQuAD files with the same identifiers (XQuAD). InputError if they differ."""
    if len(sources) != 2:
        raise ConfigError(f"squad takes two files, one a language; {len(sources)} given")
    first, second = ({q.id: clean(q.text) for _, q in questions(read_squad(path))} for path in sources)
    if first.keys() != second.keys():
        raise InputError(sources[1], f"its questions are not those of {sources[0]}")
    for identifier, text in first.items():
        yield text, second[identifier]


def _sentences(layout: str, source: str, *_: Any) -> Iterator[str]:
    """Yield the bare text of tagged sentences. InputError as `read_columns`; invalid UTF-8 always is one."""
    for sentence in read_columns(Source(source), COLUMN_FORMATS[layout], "ner", "", None):
        yield " ".join(sentence.tokens)


read_wikineural, read_conll2003 = partial(_sentences, "wikineural"), partial(_sentences, "conll2003")
