"""Derive a file of any kind: text, dictionaries, tagged data, sentence pairs, questions; the contract stays.

A derived language is an order of words, then a spelling of each. T_trans o T_inv inverts first (section 4).
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

from tqdm import tqdm

from crosslingua.corpora.derived.syntax import Inverted, Order, Permuted, WordRange, inverted, permuted
from crosslingua.corpora.derived.transliteration import Speller, Transliteration
from crosslingua.errors import ConfigError, InputError
from crosslingua.io import conll
from crosslingua.io.atomic import atomic_open
from crosslingua.io.conll import Scheme, Span, TaggedSentence, read_conll, write_conll
from crosslingua.io.conllu_trees import Tree, read_conllu, write_conllu
from crosslingua.io.decode import decoded_lines
from crosslingua.io.pairs import SentencePair, read_pairs, write_pairs
from crosslingua.io.squad import Answer, Article, Paragraph, Question, questions, read_squad, write_squad
from crosslingua.tasks import kinds
from crosslingua.tasks.kinds import Kind


class Derived(NamedTuple):
    """Words of the derived language, and which word of the original each of them is."""

    words: list[str]
    origin: list[int]


class Derivation:
    """Turns words into words of the derived language. `counts` collects the original words' frequencies."""

    def __init__(self, order: Order | None = None, transliteration: Transliteration | None = None):
        self.order = order
        self._spell = Speller(transliteration) if transliteration else None
        self.counts: Counter[str] = Counter()

    def __call__(self, words: Sequence[str], together: Collection[WordRange] = ()) -> Derived:
        """Return the derived words and their origins; spans in `together` are not cut by sentence boundaries."""
        order = self.reordered(words, together)
        return Derived(self.spelled([words[index] for index in order]), order)

    def reordered(self, words: Sequence[str], together: Collection[WordRange] = ()) -> list[int]:
        """Return the new order as indices of `words`."""
        return self.order(words, together) if self.order else list(range(len(words)))

    def spelled(self, words: Sequence[str]) -> list[str]:
        """Return the words in their derived spelling."""
        self.counts.update(words)
        return list(words) if self._spell is None else list(map(self._spell.__getitem__, words))


# Of each transformation of align_mlm: an order of words, and whether the script changes.
TRANSFORMS: dict[str, tuple[str | None, bool]] = {
    "trans": (None, True),
    "inv": ("inversion", False),
    "syn": ("syntax", False),
    "trans_inv": ("inversion", True),
    "trans_syn": ("syntax", True),
}

Splitting = Literal["whitespace", "punctuation"]

# ASCII and Latin-1 punctuation and signs, general, supplemental and CJK punctuation, full-width forms.
_MARKS = (
    r"!-/:-@\[-`{-~\u00a1-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7"
    r"\u2010-\u205e\u20a0-\u20cf\u2190-\u2bff\u2e00-\u2e7f\u3001-\u3003\u3008-\u3020\uff01-\uff0f\uff1a-\uff20"
)
_PATTERNS: dict[str, re.Pattern[str]] = {
    "whitespace": re.compile(r"\S+"),
    # Apostrophes, hyphens, full stops and commas inside a word or number stay: don't, well-known, U.S, 1,000.5
    "punctuation": re.compile(rf"[^\s{_MARKS}]+(?:['’.,\-‐‑][^\s{_MARKS}]+)*|(?!\s)[{_MARKS}]"),
}


class Place(NamedTuple):
    """A word and its characters in the text: start, and the one after its last."""

    word: str
    start: int
    end: int


def places(text: str, splitting: Splitting) -> Iterator[Place]:
    """Yield the words of a text with their places; every character but white space is in exactly one word."""
    if splitting not in _PATTERNS:
        raise ConfigError(f"words are split at whitespace or punctuation, not {splitting!r}")
    for match in _PATTERNS[splitting].finditer(text):
        yield Place(match.group(), match.start(), match.end())


def words(text: str, splitting: Splitting) -> list[str]:
    """Return the words of a text."""
    if splitting == "whitespace":
        return text.split()
    return [place.word for place in places(text, splitting)]


def derive_articles(
    articles: Iterable[Article],
    derivation: Derivation,
    counts: Counter[str],
    splitting: Splitting = "punctuation",
) -> list[Article]:
    """Return the articles derived.

    An answer is widened to whole words (counted: `answers_widened`). Where its words come apart it is dropped
    (`answers_apart`), and a question without answers too (`questions_dropped`). InputError if nothing is left.
    """
    derived = []
    for article in articles:
        paragraphs = [_paragraph(each, derivation, counts, splitting) for each in article.paragraphs]
        kept = tuple(paragraph for paragraph in paragraphs if paragraph.questions)
        if kept:
            derived.append(Article(article.title, kept))
    if not derived:
        raise InputError("questions", "no answer is left in one piece")
    return derived


def _paragraph(
    paragraph: Paragraph, derivation: Derivation, counts: Counter[str], splitting: Splitting
) -> Paragraph:
    original = list(places(paragraph.context, splitting))
    given = [answer for question in paragraph.questions for answer in question.answers]
    spans = {answer: _span(answer, original, counts) for answer in given}
    context = derivation([place.word for place in original], list(spans.values()))
    starts = list(accumulate((len(word) + 1 for word in context.words), initial=0))
    questions = []
    for question in paragraph.questions:
        answers = [_answer(spans[answer], context, starts) for answer in question.answers]
        kept = tuple(answer for answer in answers if answer is not None)
        counts["answers"] += len(answers)
        counts["answers_apart"] += len(answers) - len(kept)
        counts["questions_dropped"] += not kept
        if kept:
            text = " ".join(derivation(words(question.text, splitting)).words)
            questions.append(Question(question.id, text, kept))
    return Paragraph(" ".join(context.words), tuple(questions))


def _span(answer: Answer, original: Sequence[Place], counts: Counter[str]) -> WordRange:
    """Return the words that an answer's characters touch."""
    end = answer.start + len(answer.text)
    touched = [i for i, place in enumerate(original) if place.start < end and answer.start < place.end]
    if not touched:
        raise InputError("questions", f"answer {answer.text!r} holds no word")
    width = original[touched[-1]].end - original[touched[0]].start
    counts["answers_widened"] += width != len(answer.text.strip())
    return touched[0], touched[-1] + 1


def _answer(span: WordRange, context: Derived, starts: Sequence[int]) -> Answer | None:
    """Return the answer in the derived context, or None if its words stand apart."""
    at = [place for place, old in enumerate(context.origin) if span[0] <= old < span[1]]
    if at[-1] - at[0] + 1 != len(at):
        return None
    return Answer(" ".join(context.words[at[0] : at[-1] + 1]), starts[at[0]])


def derive_tagged(
    sentences: Iterable[TaggedSentence], derivation: Derivation, scheme: Scheme, counts: Counter[str]
) -> Iterator[TaggedSentence]:
    """Yield the sentences derived; labels move with their words, comments stay but `text`.

    Counted: `entities`, and `entities_apart`, each piece of which becomes an entity of its own.
    """
    for sentence in sentences:
        spans = conll.spans(sentence.labels) if scheme == "bio2" else []
        derived = derivation(sentence.tokens, [(start, end) for _, start, end in spans])
        if scheme == "bio2":
            labels = moved_entities(spans, derived.origin, counts)
        else:
            labels = [sentence.labels[index] for index in derived.origin]
        comments = {key: value for key, value in sentence.comments.items() if not key.startswith("text")}
        yield replace(sentence, tokens=tuple(derived.words), labels=tuple(labels), comments=comments)


def moved_entities(spans: Sequence[Span], origin: Sequence[int], counts: Counter[str]) -> list[str]:
    """Return the BIO2 labels of entities whose words have moved as `origin` says."""
    owner = {index: number for number, (_, start, end) in enumerate(spans) for index in range(start, end)}
    labels, before = [], None
    pieces: Counter[int] = Counter()
    for old in origin:
        entity = owner.get(old)
        if entity is None:
            labels.append("O")
        elif entity == before:
            labels.append(f"I-{spans[entity].type}")
        else:
            labels.append(f"B-{spans[entity].type}")
            pieces[entity] += 1
        before = entity
    counts["entities"] += len(spans)
    counts["entities_apart"] += sum(number > 1 for number in pieces.values())
    return labels


def derive_trees(trees: Iterable[Tree], derivation: Derivation) -> Iterator[Tree]:
    """Yield each tree derived: words moved with their tags and heads, and spelled anew."""
    for tree in trees:
        if isinstance(derivation.order, Permuted):
            order = derivation.order.order_of(tree)
        else:
            order = derivation.reordered(tree.forms)
        moved = permuted(tree, order)
        yield replace(moved, forms=tuple(derivation.spelled(moved.forms)))


T = TypeVar("T")


@dataclass(frozen=True)
class Making:
    """How a file is made of another, with counts."""

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
    """Derive a file of a kind of KINDS; return what was counted, `records` among it."""
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
    return ".conllu" in Path(path).name


def _text(source: str | Path, out: str | Path, making: Making) -> int:
    """Derive lines of text, an empty one too; of a treebank, the words of each tree make a line."""
    derivation, order = making.derivation, making.derivation.order
    if is_treebank(source):
        lines = (tree.forms for tree in derive_trees(_shown(read_conllu(source), source), derivation))
    else:
        lines = (words(line, making.splitting) for line in _shown(decoded_lines(source), source))
        if isinstance(order, Inverted):  # a faster way than by indices
            lines = (inverted(line, order.ends) for line in lines)
        elif order:
            lines = ([line[index] for index in order(line, ())] for line in lines)
        lines = map(derivation.spelled, lines)
    with atomic_open(out) as stream:
        for line in lines:
            stream.write(" ".join(line) + "\n")
            making.counts["lines"] += 1
        if not making.counts["lines"]:
            raise InputError(source, "no lines", remedy="the file is empty; make or fetch it again")
    return making.counts["lines"]


def _shown(records: Iterable[T], source: str | Path) -> Iterator[T]:
    """Show progress on standard error, if that is a terminal."""
    return tqdm(records, desc=Path(source).name, unit=" lines", unit_scale=True, leave=False, disable=None)


def _trees(source: str | Path, out: str | Path, making: Making) -> int:
    return write_conllu(out, derive_trees(_shown(read_conllu(source), source), making.derivation))


def derive_sentences(kind: Kind, source: str | Path, out: str | Path, making: Making) -> int:
    """Derive a file of tagged sentences; return how many there are."""
    sentences = read_conll(source, kind.scheme)
    return write_conll(out, derive_tagged(sentences, making.derivation, kind.scheme, making.counts))


def derive_sentence_pairs(kind: Kind, source: str | Path, out: str | Path, making: Making) -> int:
    """Derive a file of sentence pairs; return how many there are."""

    def derived(text: str) -> str:
        return " ".join(making.derivation(words(text, making.splitting)).words)

    pairs = (SentencePair(derived(a), derived(b), label) for a, b, label in read_pairs(source, kind.pairs))
    return write_pairs(out, pairs, kind.pairs)


def derive_questions(kind: Kind, source: str | Path, out: str | Path, making: Making) -> int:
    """Derive a file of questions; return how many there are."""
    articles = derive_articles(read_squad(source), making.derivation, making.counts, making.splitting)
    write_squad(out, articles)
    return sum(1 for _ in questions(articles))


TEXTS: dict[str, Job] = {"text": _text, "trees": _trees}
KINDS = (*TEXTS, *kinds.KINDS)
