"""Read inference and paraphrase sets: any tab-separated layout, with or without a header, without CSV quoting."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from crosslingua.corpora.labelled.source import Grouped, Source, clean
from crosslingua.errors import InputError, usable
from crosslingua.io.pairs import SentencePair
from crosslingua.tasks.kinds import kind_of


@dataclass(frozen=True)
class PairFormat:
    """The columns of a pair file, by name.

    `header`: the columns that a headerless file has, or None if its first line names them. `group`: the column
    whose values a division keeps together (None: the first sentence). `labels`: spellings of the three or two
    labels; `unlabelled`: labels that mean that there is none (dropped and counted). `missing`: a sentence
    that stands for a missing one (dropped and counted). `language`: the column to filter by language.
    `sentences`: the two columns of a language that has others than `first` and `second`. `json`: JSON lines
    with these keys instead of columns. `quoted`: fields may stand in double quotes, doubled inside. `block`: so
    many rows one after the other are a group, in every language the same.
    """

    kind: str
    first: str
    second: str
    label: str
    header: tuple[str, ...] | None = None
    group: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    unlabelled: frozenset[str] = frozenset()
    missing: str | None = None
    language: str | None = None
    sentences: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    json: bool = False
    quoted: bool = False
    block: int = 0


_NO_LABEL = "\0"
_PREMISES = ("premise", "hypothesis", "label")
_SENTENCES = ("sentence1", "sentence2", "label")
_GOLD = PairFormat("nli", "sentence1", "sentence2", "gold_label", group="promptID")
_MULTINLI = replace(_GOLD, unlabelled=frozenset("-"))  # version 1.0; `-` where the annotators did not agree
_SICK = {"ENTAILMENT": "entailment", "NEUTRAL": "neutral", "CONTRADICTION": "contradiction"}

PAIR_FORMATS: dict[str, PairFormat] = {
    # XNLI's own TSV (19 columns, one file for all languages), also esXNLI. promptID is the premise in every language.
    "xnli": replace(_GOLD, language="language"),
    # premise, hypothesis, label without a header: XGLUE's copy.
    "xglue_nli": PairFormat("nli", *_PREMISES, header=_PREMISES),
    # XTREME's copy: the same, three hypotheses a premise, in the order of all languages; no label in the test files.
    "xtreme_nli": PairFormat("nli", *_PREMISES, header=_PREMISES, block=3),
    # XNLI's machine-translated training sets, which spell a label differently.
    "xnli_translated": PairFormat(
        "nli", "premise", "hypo", "label", labels={"contradictory": "contradiction"}, group="premise"
    ),
    "multinli": _MULTINLI,
    "multinli_jsonl": replace(_MULTINLI, json=True),
    # SICK-NL holds the English original in columns of its own.
    "sick": PairFormat(
        "nli", "sentence_A", "sentence_B", "entailment_label", labels=_SICK,
        sentences={"en": ("sentence_A_original", "sentence_B_original")},
    ),
    # PAWS and PAWS-X; `NS` stands for a missing translation.
    "pawsx": PairFormat("paraphrase", *_SENTENCES, group="id", missing="NS"),
    # XTREME's copy of PAWS-X: no header, CSV quotes in some languages, no label in the test files.
    "xtreme_pawsx": PairFormat("paraphrase", *_SENTENCES, header=_SENTENCES, missing="NS", quoted=True),
}  # fmt: skip


def read_sentence_pairs(
    source: Source,
    layout: PairFormat,
    counts: Counter[str] | None,
    language: str | None = None,
    where: tuple[str, str] | None = None,
    labels: Sequence[str | None] | None = None,
) -> Iterator[Grouped[SentencePair]]:
    """Return the pairs with their groups; `where=(column, value)` keeps only such rows (SICK's `SemEval_set`).

    `labels` are the labels of rows without a column for labels. Counted and dropped: `unlabelled`, `missing_sentences`.
    Other columns, an empty sentence and an unknown label are errors of a pair, as in `usable`. Raises InputError where
    `labels` are of another number of rows.
    """
    wanted = dict([where] if where else [])
    if layout.language and language:
        wanted[layout.language] = language
    first, second = layout.sentences.get(language or "", (layout.first, layout.second))
    used = {first, second, layout.label, *wanted, *([layout.group] if layout.group else [])}
    rows = _rows(source, layout) if labels is None else _labelled(source, layout, labels)

    def make(line: tuple[int, _Row], found: Counter[str]) -> Grouped[SentencePair] | None:
        index, row = line[0], line[1].cells(source, layout)
        if not used <= row.keys():
            absent = ", ".join(sorted(used - row.keys()))
            raise InputError(source, f"no column {absent}: there are {', '.join(row)}", line=line[1].number)
        if any(row[column] != value for column, value in wanted.items()):
            return None
        if row[layout.label] in layout.unlabelled | {_NO_LABEL}:
            found["unlabelled"] += 1
            return None
        sentences = clean(row[first], found), clean(row[second], found)
        pair = SentencePair(*sentences, _label(source, line[1].number, row, layout))
        if not pair.first or not pair.second:
            raise InputError(source, "empty sentence", line=line[1].number)
        if layout.missing in (pair.first, pair.second):
            found["missing_sentences"] += 1
            return None
        group = row[layout.group] if layout.group else pair.first
        return Grouped(pair, str(index // layout.block) if layout.block else group)

    return usable(enumerate(rows), make, counts, "pairs")


def labels_by_row(source: Source, layout: PairFormat) -> list[str | None]:
    """Return the label of every row of a file, for its copies; None where there is none or a sentence is missing."""
    labels: list[str | None] = []
    for line in _rows(source, layout):
        row = line.cells(source, layout)
        sentences = (row[layout.first], row[layout.second])
        absent = row[layout.label] in layout.unlabelled or layout.missing in sentences
        labels.append(None if absent else _label(source, line.number, row, layout))
    return labels


class _Row(NamedTuple):
    """A line of a file, the names of its columns, and its label where it stands in another file."""

    number: int
    line: str
    columns: Sequence[str]
    label: str | None = None

    def cells(self, source: Source, layout: PairFormat) -> dict[str, str]:
        """Return the cells by column. InputError for another number of columns, and where there is no JSON object."""
        if layout.json:
            try:
                return {key: str(value) for key, value in json.loads(self.line).items()}
            except (ValueError, AttributeError) as error:
                raise InputError(source, f"not a JSON object: {error}", line=self.number) from None
        given, expected = self.line.split("\t"), len(self.columns)
        if len(given) != expected:
            raise InputError(source, f"{len(given)} columns where {expected} are expected", line=self.number)
        cells = dict(zip(self.columns, map(_unquoted, given) if layout.quoted else given, strict=True))
        return cells if self.label is None else cells | {layout.label: self.label}


def _labelled(source: Source, layout: PairFormat, labels: Sequence[str | None]) -> Iterator[_Row]:
    """Yield the rows of a file without a column of labels, with these labels; _NO_LABEL for None."""
    header = tuple(column for column in layout.header or () if column != layout.label)
    rows = list(_rows(source, replace(layout, header=header)))
    if len(rows) != len(labels):
        raise InputError(source, f"{len(rows)} rows where there are {len(labels)} labels of the same set")
    for row, label in zip(rows, labels, strict=True):
        yield row._replace(label=_NO_LABEL if label is None else label)


def _rows(source: Source, layout: PairFormat) -> Iterator[_Row]:
    columns: Sequence[str] | None = () if layout.json else layout.header
    for number, line in source.lines():
        if columns is None:
            columns = line.split("\t")
        else:
            yield _Row(number, line, columns)


def _unquoted(cell: str) -> str:
    """Return a CSV field without its quotes, as it is where it has none. A quote inside a bare field is literal."""
    if len(cell) > 1 and cell[0] == cell[-1] == '"':
        return cell[1:-1].replace('""', '"')
    return cell


def _label(source: Source, number: int, row: Mapping[str, str], layout: PairFormat) -> str:
    given = row[layout.label].strip()
    label = layout.labels.get(given, given)
    legal = kind_of(layout.kind).pairs.labels
    if label not in legal:
        raise InputError(source, f"unknown label {given!r}: the labels are {', '.join(legal)}", line=number)
    return label
