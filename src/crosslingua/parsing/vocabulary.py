"""What the parser sees of a word: itself in lower case, its last three letters, its shape; and the tags it predicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from crosslingua.io.conllu_trees import Tree

UNKNOWN = 0  # also what pads
RARE = 2  # a word or ending of the treebank that occurs less often is unknown
SHAPES = ("", "lower", "capital", "upper", "digit", "other")


def shape(form: str) -> str:
    """Return how a word is written: it tells names, numbers and marks apart."""
    if any(map(str.isdigit, form)):
        return "digit"
    if not any(map(str.isalpha, form)):
        return "other"
    if form.islower():
        return "lower"
    return "upper" if form.isupper() and len(form) > 1 else "capital"


@dataclass(frozen=True)
class TreeVocabulary:
    """Numbers of words, endings, parts of speech and relations: each list's members in their order."""

    words: list[str]
    endings: list[str]
    upos: list[str]
    relations: list[str]

    def __post_init__(self) -> None:
        for field in fields(self):
            numbers = {name: number for number, name in enumerate(getattr(self, field.name))}
            object.__setattr__(self, f"_{field.name}", numbers)

    def features(self, forms: Sequence[str]) -> list[tuple[int, int, int]]:
        """Return (word, ending, shape) of each word, UNKNOWN where it is not in the vocabulary."""
        return [
            (
                self._words.get(form.lower(), UNKNOWN),
                self._endings.get(form.lower()[-3:], UNKNOWN),
                SHAPES.index(shape(form)),
            )
            for form in forms
        ]

    def labels(self, tree: Tree) -> list[tuple[int, int]]:
        """Return the numbers of (part of speech, relation) of each word."""
        relations = map(plain, tree.relations)
        return [(self._upos[u], self._relations[r]) for u, r in zip(tree.upos, relations, strict=True)]

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return asdict(self)


def plain(relation: str) -> str:
    """Return a relation without its language's subtype: `nsubj:pass` is `nsubj`."""
    return relation.partition(":")[0]


def vocabulary_of(trees: Iterable[Tree]) -> TreeVocabulary:
    """Return the vocabulary of a treebank: its tags, and its words and endings that are not rare."""
    words, endings, upos, relations = Counter(), Counter(), set(), set()
    for tree in trees:
        lowered = [form.lower() for form in tree.forms]
        words.update(lowered)
        endings.update(form[-3:] for form in lowered)
        upos.update(tree.upos)
        relations.update(map(plain, tree.relations))
    kept = [sorted(name for name, n in counts.items() if n >= RARE) for counts in (words, endings)]
    return TreeVocabulary(["", *kept[0]], ["", *kept[1]], sorted(upos), sorted(relations))
