"""Formats with one token a line and its label in a column (the CoNLL family): columns, types, universal tags."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from crosslingua.corpora.labelled.source import Source, clean, clean_token
from crosslingua.errors import ConfigError, InputError, usable
from crosslingua.io import conll
from crosslingua.io.conll import TaggedSentence, check_bio2
from crosslingua.tasks.kinds import kind_of

DOCUMENT = "-DOCSTART-"
RelabelType = Callable[[str], str | None]  # an entity type -> its new type, or None to make it O


@dataclass(frozen=True)
class ColumnFormat:
    """Which columns of how many hold what; columns count from 0.

    `separator`: "\\t", or None for runs of spaces and tabs. `scheme`: how the label column marks entities.
    `comment`: how lines begin that hold no token. `prefix`: tokens begin with `<language>:`. `outside`: how O
    is spelled. `relabel`: renames entity types (KeyError: unknown type). `labels`: the column of any task's.
    """

    token: int
    columns: tuple[int, ...]
    ner: int | None = None
    pos: int | None = None
    slots: int | None = None
    separator: str | None = "\t"
    scheme: str = "bio2"
    comment: str | None = None
    prefix: bool = False
    outside: str = "O"
    encodings: tuple[str, ...] = ("utf-8",)
    relabel: RelabelType | None = None
    labels: int | None = None

    def label_column(self, task: str) -> int | None:
        """Return the column with the labels of a task; None where there is none."""
        return self.labels if self.labels and kind_of(task).tagged else getattr(self, task, None)


def read_columns(
    source: Source, layout: ColumnFormat, task: str, language: str, counts: Counter[str] | None
) -> Iterator[TaggedSentence]:
    """Yield the sentences with the labels of `task` (`ner`, `pos` or `slots`).

    Counted: `document_marks`, `invisible_tokens`, `empty_sentences` (dropped) and `i_without_b` (made `B-`). Another
    number of columns, a label that is none and an unknown type are errors of a sentence, as in `usable`. InputError
    where every word is `_`.
    """
    column = layout.label_column(task)
    if column is None:
        raise InputError(source, f"this format has no column for {task}")

    def make(block: Block, found: Counter[str]) -> TaggedSentence | None:
        comments, rows = block
        kept = [_cells(source, number, cells, layout, column, language, found) for number, cells in rows]
        tokens = [(number, token, label) for number, token, label in kept if token not in ("", DOCUMENT)]
        found["document_marks"] += sum(token == DOCUMENT for _, token, _ in kept)
        found["invisible_tokens"] += sum(token == "" for _, token, _ in kept)
        if not tokens:
            found["empty_sentences"] += all(token != DOCUMENT for _, token, _ in kept)
            return None
        labels = [label for _, _, label in tokens]
        if kind_of(task).scheme == "bio2":
            labels = _entities(source, tokens[0][0], labels, layout, found)
        return TaggedSentence(tuple(token for _, token, _ in tokens), tuple(labels), comments)

    empty, spelled = True, False
    for sentence in usable(_blocks(source, layout), make, counts, "sentences"):
        empty, spelled = False, spelled or {*sentence.tokens} != {"_"}
        yield sentence
    if not (empty or spelled):
        raise conll.without_text(str(source))


Block = tuple[dict[str, str], list[tuple[int, list[str]]]]


def _blocks(source: Source, layout: ColumnFormat) -> Iterator[Block]:
    comments: dict[str, str] = {}
    rows: list[tuple[int, list[str]]] = []
    split = re.compile(r"[ \t]+").split
    for number, line in source.lines():
        if not line.strip(" \t"):
            if rows:
                yield comments, rows
                comments, rows = {}, []
        elif not rows and _is_comment(line, layout):
            key, equals, value = line.removeprefix(layout.comment).partition(" = ")
            if equals and "\t" not in line:
                comments[key.strip()] = clean(value)
        else:
            cells = split(line.strip(" \t")) if layout.separator is None else line.split(layout.separator)
            rows.append((number, cells))
    if rows:
        yield comments, rows


def _is_comment(line: str, layout: ColumnFormat) -> bool:
    """Whether a line before a sentence holds no token. Where the token comes first, one such as `#` has a tab."""
    marked = layout.comment is not None and line.startswith(layout.comment)
    return marked and (layout.token > 0 or "\t" not in line)


def _cells(
    source: Source,
    number: int,
    cells: list[str],
    layout: ColumnFormat,
    column: int,
    language: str,
    counts: Counter[str],
) -> tuple[int, str, str]:
    if len(cells) not in layout.columns:
        expected = " or ".join(map(str, layout.columns))
        raise InputError(source, f"{len(cells)} columns where {expected} are expected", line=number)
    token, label = cells[layout.token], cells[column].strip()
    if layout.prefix:
        if not token.startswith(f"{language}:"):
            raise InputError(source, f"{token!r} does not begin with {language + ':'!r}", line=number)
        token = token[len(language) + 1 :]
    if not label:
        raise InputError(source, "empty label", line=number)
    return number, clean_token(token, counts), "O" if label == layout.outside else label


def _entities(
    source: Source, first: int, labels: list[str], layout: ColumnFormat, counts: Counter[str]
) -> list[str]:
    # In IOB1 B- stands only between two entities of one type that touch: I- without B- is the rule, no repair.
    labels = check_bio2(source, first, labels, Counter() if layout.scheme == "iob1" else counts)
    if layout.relabel is None:
        return labels
    spans = []
    for span in conll.spans(labels):
        try:
            kind = layout.relabel(span.type)
        except KeyError:
            raise InputError(source, f"unknown entity type {span.type!r}", line=first + span.start) from None
        if kind is not None:
            spans.append(span._replace(type=kind))
    return conll.from_spans(len(labels), spans)


ENTITY_TYPES = ("PER", "LOC", "ORG", "MISC")


# The four types as they are; KeyError on any other.
conll_type = {kind: kind for kind in ENTITY_TYPES}.__getitem__


def germeval(kind: str) -> str | None:
    """GermEval 2014: OTH is MISC; derived words (`LOCderiv`) and parts of compounds (`ORGpart`) are no entities."""
    outer = kind.removesuffix("deriv").removesuffix("part")
    mapped = conll_type("MISC" if outer == "OTH" else outer)
    return mapped if outer == kind else None


LATIN1 = ("utf-8", "latin-1")

COLUMN_FORMATS: dict[str, ColumnFormat] = {
    # CoNLL-2003 English: token POS chunk NER. The shared task's files mark entities in IOB1, common copies in
    # BIO2; reading IOB1 leaves BIO2 as it is.
    "conll2003": ColumnFormat(0, (4,), ner=3, pos=1, separator=None, scheme="iob1", relabel=conll_type),
    # CoNLL-2003 German: token lemma POS chunk NER, IOB1, Latin-1 as distributed.
    "conll2003_german": ColumnFormat(
        0, (5,), ner=4, pos=2, separator=None, scheme="iob1", encodings=LATIN1, relabel=conll_type
    ),
    # CoNLL-2002: token POS NER, BIO2; Latin-1 as distributed, UTF-8 in copies.
    "conll2002": ColumnFormat(0, (3,), ner=2, pos=1, separator=None, encodings=LATIN1, relabel=conll_type),
    # The shared task's own Spanish files, which have no parts of speech.
    "conll2002_no_pos": ColumnFormat(0, (2,), ner=1, separator=None, encodings=LATIN1, relabel=conll_type),
    # GermEval 2014: index token outer inner; nested entities of the inner layer are left out.
    "germeval2014": ColumnFormat(1, (4,), ner=2, comment="#", relabel=germeval),
    # Universal NER: index token tag - annotator.
    "uner": ColumnFormat(1, (5,), ner=2, comment="#", relabel=conll_type),
    # PioNER: token _ _ NER.
    "pioner": ColumnFormat(0, (4,), ner=3, separator=None, relabel=conll_type),
    # WikiANN as divided by Rahimi et al. (2019): `en:token` tag.
    "wikiann": ColumnFormat(0, (2,), ner=1, prefix=True, relabel=conll_type),
    # PAN-X as XTREME writes it: token tag.
    "panx": ColumnFormat(0, (2,), ner=1, relabel=conll_type),
    # Parts of speech as XTREME writes them: token UPOS.
    "udpos": ColumnFormat(0, (2,), pos=1),
    # WikiNEuRal: index token tag.
    "wikineural": ColumnFormat(1, (3,), ner=2, relabel=conll_type),
    # EIEC (Alegria et al. 2004): token tag.
    "eiec": ColumnFormat(0, (2,), ner=1, separator=None, scheme="iob1", encodings=LATIN1, relabel=conll_type),
    # Szeged business news (Szarvas et al. 2006): token tag, I- only, `0` for O, Latin-2.
    "szeged": ColumnFormat(
        0, (2,), ner=1, scheme="iob1", outside="0", encodings=("utf-8", "iso-8859-2"), relabel=conll_type
    ),
    # xSID: index token intent slot, with comments; the intent is taken from them.
    "xsid": ColumnFormat(1, (4,), slots=3, comment="#"),
    # The suite's own contract, so that anyone's data can be brought in.
    "conll": ColumnFormat(0, (2,), labels=1, comment="#"),
}


# The 12 universal tags (Petrov, Das and McDonald 2012). A tag that a published map lacks is an error, never a guess.
UNIVERSAL = ("VERB", "NOUN", "PRON", "ADJ", "ADV", "ADP", "CONJ", "DET", "NUM", "PRT", "X", ".")

# Universal Dependencies' 17 tags; other tags keep their name.
_FROM_UPOS = {
    "AUX": "VERB", "PROPN": "NOUN", "CCONJ": "CONJ", "SCONJ": "CONJ", "PART": "PRT", "PUNCT": ".",
    "SYM": "X", "INTJ": "X",
}  # fmt: skip
UPOS = (*(tag for tag in UNIVERSAL if tag not in ("CONJ", "PRT", ".")), *_FROM_UPOS)

# What the published maps lack of the tags that the shared tasks use.
_ADDED = {"en-ptb": {'"': "."}, "es-cast3lb": {"Ft": "."}}


# The universal tag of a UD tag. KeyError if it is none of UD's 17.
from_upos = {tag: _FROM_UPOS.get(tag, tag) for tag in UPOS}.__getitem__


def read_tag_map(source: Source, name: str) -> dict[str, str]:
    """Read a published map `tag<TAB>universal tag`, and add tags that it lacks. InputError on other lines."""
    mapping = dict(_ADDED.get(name, {}))
    for number, line in source.lines():
        if not line.strip():
            continue
        cells = line.split("\t")
        if len(cells) != 2 or cells[1] not in UNIVERSAL:
            raise InputError(source, f"{line!r} is not tag<TAB>universal tag", line=number)
        mapping[cells[0]] = cells[1]
    if not mapping:
        raise InputError(source, "an empty map", remedy="fetch it again")
    return mapping


def tagger(name: str, mapping: Mapping[str, str] | None = None) -> Callable[[str], str]:
    """Return the function tag -> universal tag of a tag set: `ud`, or a map such as `en-ptb`. Unknown tags: KeyError.

    EAGLES tags (`es-cast3lb`) are looked up by their first two letters, lower-cased and then as they are.
    """
    if name == "ud":
        return from_upos
    if mapping is None:
        raise ConfigError(f"tag set {name!r} needs its published map (universal-tagset: {name}.map)")
    if name == "es-cast3lb":
        return lambda tag: mapping[key] if (key := tag[:2].lower()) in mapping else mapping[tag[:2]]
    return mapping.__getitem__
