"""Derive a file of any kind: read its contract, change it, write the same contract."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from tqdm import tqdm

from crosslingua.corpora.derived.derivation import Derivation
from crosslingua.corpora.derived.questions import derive_articles
from crosslingua.corpora.derived.sentence_pairs import derive_pairs
from crosslingua.corpora.derived.tagged import derive_tagged
from crosslingua.corpora.derived.texts import derive_lines, derive_trees
from crosslingua.corpora.derived.words import Splitting
from crosslingua.errors import InputError
from crosslingua.io.atomic import atomic_open
from crosslingua.io.conll import read_conll, write_conll
from crosslingua.io.conllu_trees import Tree, read_conllu, write_conllu
from crosslingua.io.decode import decoded_lines
from crosslingua.io.pairs import read_pairs, write_pairs
from crosslingua.io.squad import questions, read_squad, write_squad
from crosslingua.tasks import kinds
from crosslingua.tasks.kinds import Kind

T = TypeVar("T")


@dataclass(frozen=True)
class Making:
    """How a file is made of another, and what is counted on the way."""

    derivation: Derivation
    splitting: Splitting
    counts: Counter[str]


Job = Callable[[str | Path, str | Path, Making], int]


def derive_file(
    kind: str,
    source: str | Path,
    out: str | Path,
    derivation: Derivation,
    splitting: Splitting = "whitespace",
) -> Counter[str]:
    """Derive a file of a kind of KINDS; return what was counted, `records` among it.

    `splitting` says how words are found in text, pairs and questions; tagged sentences and trees have words.
    Raises InputError as the contracts' readers do.
    """
    making = Making(derivation, splitting, Counter())
    if kind in TEXTS:
        records = TEXTS[kind](source, out, making)
    else:
        record = kinds.kind_of(kind)
        records = kinds.imported(record.form.derive)(record, source, out, making)
    making.counts["records"] = records
    return making.counts


def is_treebank(path: str | Path) -> bool:
    """Whether a file is one of dependency trees, by its name."""
    return ".conllu" in Path(str(path)).name


def _text(source: str | Path, out: str | Path, making: Making) -> int:
    """Derive lines of text; of a treebank, the words of each tree make a line."""
    if is_treebank(source):
        trees = derive_trees(_shown(read_conllu(source), source), making.derivation)
        lines: Iterable[str] = (" ".join(tree.forms) for tree in trees)
    else:
        shown = _shown(decoded_lines(source), source)
        lines = derive_lines(shown, making.derivation, making.splitting)
    with atomic_open(out) as stream:
        for line in lines:
            stream.write(line + "\n")
            making.counts["lines"] += 1
        if not making.counts["lines"]:
            raise InputError(source, "no lines", remedy="the file is empty; make or fetch it again")
    return making.counts["lines"]


def _shown(records: Iterable[T], source: str | Path) -> Iterator[T]:
    """Show progress on standard error, if that is a terminal."""
    return tqdm(
        records, desc=Path(str(source)).name, unit=" lines", unit_scale=True, leave=False, disable=None
    )


def _trees(source: str | Path, out: str | Path, making: Making) -> int:
    trees: Iterable[Tree] = derive_trees(_shown(read_conllu(source), source), making.derivation)
    return write_conllu(out, trees)


def derive_sentences(kind: Kind, source: str | Path, out: str | Path, making: Making) -> int:
    """Derive a file of tagged sentences; return how many there are."""
    sentences = read_conll(source, kind.scheme)
    return write_conll(out, derive_tagged(sentences, making.derivation, kind.scheme, making.counts))


def derive_sentence_pairs(kind: Kind, source: str | Path, out: str | Path, making: Making) -> int:
    """Derive a file of sentence pairs; return how many there are."""
    pairs = read_pairs(source, kind.pairs)
    return write_pairs(out, derive_pairs(pairs, making.derivation, making.splitting), kind.pairs)


def derive_questions(kind: Kind, source: str | Path, out: str | Path, making: Making) -> int:
    """Derive a file of questions; return how many there are."""
    articles = derive_articles(read_squad(source), making.derivation, making.counts, making.splitting)
    write_squad(out, articles)
    return sum(1 for _ in questions(articles))


TEXTS: dict[str, Job] = {"text": _text, "trees": _trees}
KINDS = (*TEXTS, *kinds.KINDS)
