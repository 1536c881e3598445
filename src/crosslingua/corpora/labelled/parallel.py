"""Parallel text inside labelled sets: treebanks with an English original, translated inference pairs and questions.

Same signature as the readers of bitext: they stand in for small parallel corpora (mbert_align).
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from crosslingua.corpora.labelled.columns import COLUMN_FORMATS, read_columns
from crosslingua.corpora.labelled.sentence_pairs import PAIR_FORMATS, read_sentence_pairs
from crosslingua.corpora.labelled.source import Source, clean_sentence
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.conllu_trees import read_conllu_tags
from crosslingua.io.squad import questions, read_squad

Pairs = Iterator[tuple[str, str]]


def read_treebank(
    sources: Sequence[str],
    languages: Sequence[str],
    errors: str = "strict",
    counts: Counter[str] | None = None,
) -> Pairs:
    """Yield the sentences of a PUD treebank and their English originals (comments `text`, `text_en`, else
    InputError).
    """
    swap = _english_first(languages)
    for source in sources:
        for _, _, comments in read_conllu_tags(source):
            if not comments.get("text") or not comments.get("text_en"):
                raise InputError(source, f"sentence {comments.get('sent_id', '?')} has no text or no text_en")
            pair = clean_sentence(comments["text"]), clean_sentence(comments["text_en"])
            yield pair[::-1] if swap else pair


def _english_first(languages: Sequence[str]) -> bool:
    if "en" not in languages or len(languages) != 2:
        raise ConfigError(f"these sentences have English originals: en must be one of {', '.join(languages)}")
    return languages[0] == "en"


def read_xnli(
    sources: Sequence[str],
    languages: Sequence[str],
    errors: str = "strict",
    counts: Counter[str] | None = None,
) -> Pairs:
    """Yield the distinct translated sentences of XNLI's own format, which has all languages in one file."""
    return _translated("xnli", sources, languages)


def read_sick(
    sources: Sequence[str],
    languages: Sequence[str],
    errors: str = "strict",
    counts: Counter[str] | None = None,
) -> Pairs:
    """Yield the distinct translated sentences of SICK-NL (nl and en)."""
    return _translated("sick", sources, languages)


def _translated(layout: str, sources: Sequence[str], languages: Sequence[str]) -> Pairs:
    """Yield premises and hypotheses of rows that stand in the same order in both languages, each pair once."""
    for source in sources:
        sides = [
            [
                sentence
                for record in read_sentence_pairs(Source(source), PAIR_FORMATS[layout], Counter(), language)
                for sentence in record.record[:2]
            ]
            for language in languages
        ]
        if len(sides[0]) != len(sides[1]) or not sides[0]:
            sizes = " and ".join(str(len(side)) for side in sides)
            raise InputError(source, f"{sizes} sentences in {' and '.join(languages)}: not parallel")
        yield from dict.fromkeys(zip(*sides, strict=True))


def read_questions(
    sources: Sequence[str],
    languages: Sequence[str],
    errors: str = "strict",
    counts: Counter[str] | None = None,
) -> Pairs:
    """Yield the questions of two SQuAD files with the same identifiers (XQuAD). InputError if those differ."""
    if len(sources) != 2:
        raise ConfigError(f"squad takes two files, one a language; {len(sources)} given")
    one, other = ({q.id: clean_sentence(q.text) for _, q in questions(read_squad(path))} for path in sources)
    if one.keys() != other.keys():
        raise InputError(sources[1], f"its questions are not those of {sources[0]}")
    for identifier, text in one.items():
        yield text, other[identifier]


def read_wikineural(source: str, errors: str = "strict", counts: Counter[str] | None = None) -> Iterator[str]:
    """Yield the sentences of a WikiNEuRal file. InputError as `read_columns`; invalid UTF-8 always is one."""
    return _sentences(source, "wikineural")


def read_conll2003(source: str, errors: str = "strict", counts: Counter[str] | None = None) -> Iterator[str]:
    """Yield the sentences of a CoNLL-2003 file. InputError as `read_columns`; invalid UTF-8 always is one."""
    return _sentences(source, "conll2003")


def _sentences(source: str, layout: str) -> Iterator[str]:
    for sentence in read_columns(Source(source), COLUMN_FORMATS[layout], "ner", "", Counter()):
        yield " ".join(sentence.tokens)
