"""Pairs of sentences: natural language inference and paraphrases, with surface features matched across labels.

The hypothesis is drawn before the label, and then the premise is made from it, so that the hypothesis alone
says nothing of the label. Labels are then matched on word overlap and length, so that neither do these.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from crosslingua.corpora.world.bitext import Quota, in_split, in_split_by_concepts, signatures, told_lines
from crosslingua.corpora.world.dependencies import Trees, alone, parse
from crosslingua.corpora.world.edits import CORE, Editor
from crosslingua.corpora.world.events import Columns, absent, sample_clauses
from crosslingua.corpora.world.realise import CHUNK, Language, Told, World


def unshared_words(first: Told, second: Told) -> np.ndarray:
    """Return how many tokens of each sentence of `first` are not words of the same sentence of `second`."""
    codes = []
    width = int(max(first.form.max(), second.form.max())) + 1
    for told in (first, second):
        row, slot = told.tokens()
        codes.append(row * width + told.form[row, slot])
    missing = ~np.isin(codes[0], codes[1])
    return np.bincount((codes[0] // width)[missing], minlength=len(first.form))


def overlap_cells(first: Told, second: Told) -> np.ndarray:
    """Return a number for each pair: alike for pairs alike in word overlap and length."""
    new_words = np.minimum(unshared_words(second, first), 4)
    left_out = np.minimum(unshared_words(first, second), 4)
    longer = np.clip(first.lengths - second.lengths, -3, 3) + 3
    return (new_words * 5 + left_out) * 7 + longer


def surface_cells(first: Told, second: Told) -> np.ndarray:
    """Return a number for each pair: alike for pairs alike in word overlap, length, beginning and end."""
    begins, ends = _alike(first, second, from_end=False), _alike(first, second, from_end=True)
    return (overlap_cells(first, second) * 2 + begins) * 2 + ends


def _alike(first: Told, second: Told, *, from_end: bool) -> np.ndarray:
    """Return where the first two words, or the last two before the full stop, are the same."""
    words = ([_word_at(told, i, from_end) for i in range(2)] for told in (first, second))
    return np.logical_and.reduce([a == b for a, b in zip(*words, strict=True)])


def _word_at(told: Told, i: int, from_end: bool) -> np.ndarray:
    """Return the form of the word at distance `i` from the beginning or the end (clipped)."""
    row, slot = told.tokens()
    lengths = told.lengths
    position = np.clip(lengths - 2 - i if from_end else i, 0, lengths - 1)
    return told.form[row, slot][np.cumsum(lengths) - lengths + position]


def matched(labels: np.ndarray, cells: np.ndarray, n_labels: int) -> np.ndarray:
    """Return, sorted, rows in which every cell holds every label equally often, the first of each cell and label.

    `labels`: [n] from 0 to n_labels - 1; `cells`: [n] any numbers.
    """
    _, cell = np.unique(cells, return_inverse=True)
    group = cell * n_labels + labels
    counts = np.bincount(group, minlength=(cell.max(initial=-1) + 1) * n_labels).reshape(-1, n_labels)
    order = np.argsort(group, kind="stable")
    rank = np.empty(len(group), dtype=np.int64)
    rank[order] = np.arange(len(group)) - np.concatenate([[0], np.cumsum(counts.reshape(-1))])[group[order]]
    return np.flatnonzero(rank < counts.min(axis=1)[cell])


Sampled = tuple[Columns, Columns, np.ndarray]  # first clauses, second ones, numbers of labels


@dataclass(frozen=True)
class PairKind:
    """How pairs of one kind are made: the columns of their file, the names of the labels, and two functions.

    `sample(editor, rng, topics)` draws pairs; `kept(language, first, second, label, split)` returns the rows that are
    of the split and give no label away.
    """

    name: str
    header: str
    labels: Sequence[str]
    sample: Callable[[Editor, np.random.Generator, np.ndarray], Sampled]
    kept: Callable[[Language, Told, Told, np.ndarray, str], np.ndarray]


def pair_blocks(
    kind: PairKind, world: World, code: str, split: str, pairs: int, trees: Trees | None = None
) -> Iterator[str]:
    """Yield TSV blocks of `pairs` pairs in all, the first with the header; `trees`: where theirs are written."""
    language, shares = world.language(code), world.topics_of(code)
    yield f"{kind.header}\n"
    quota = Quota(pairs, f"{kind.name} {code} {split}")
    for number in quota:
        rng = world.stream(kind.name, code, split, number)
        topics = rng.choice(len(shares), CHUNK, p=shares / shares.sum())
        first, second, label = kind.sample(Editor(world.knowledge, rng), rng, topics)
        rows = quota.take(kind.kept(language, language.tell(first), language.tell(second), label, split))
        if len(rows):
            batches = [batch.take(rows) for batch in (first, second)]
            yield _block(world, code, batches, [kind.labels[i] for i in label[rows]], trees)


def _block(
    world: World, code: str, batches: Sequence[Columns], labels: Sequence[str], trees: Trees | None
) -> str:
    told = [world.language(code).tell(batch) for batch in batches]
    if trees:
        parsed = [parse(world, code, *each) for each in zip(told, map(alone, batches), strict=True)]
        trees.add(world, code, *parsed)
    columns = (told_lines(world, code, each).splitlines() for each in told)
    return "".join("\t".join(row) + "\n" for row in zip(*columns, labels, strict=True))


LABELS = ("entailment", "neutral", "contradiction")
ENTAILMENT, NEUTRAL, CONTRADICTION = range(3)
P_NEGATED = 0.35  # of the hypotheses


def sample_pairs(
    editor: Editor, rng: np.random.Generator, topics: np.ndarray
) -> tuple[Columns, Columns, np.ndarray]:
    """Return premises, hypotheses and labels; pairs of which any label would be impossible are left out."""
    hypothesis = _hypotheses(editor, rng, topics)
    label = rng.integers(0, 3, hypothesis.size)
    premise = hypothesis.copy()
    affirmative = ~hypothesis["negated"]
    # "Not" turns round what follows from what: not an animal, hence not a dog.
    says_more = ((label == ENTAILMENT) & affirmative) | ((label == NEUTRAL) & ~affirmative)
    says_less = ((label == ENTAILMENT) & ~affirmative) | ((label == NEUTRAL) & affirmative)
    place = np.maximum(editor.specialise(premise, says_more), editor.generalise(premise, says_less))
    _contradict(editor, rng, premise, label == CONTRADICTION)
    again = rng.random(hypothesis.size) < 0.5
    negated = premise["negated"].copy()
    editor.specialise(premise, again & ~negated, spare=place)
    editor.generalise(premise, again & negated, spare=place)
    editor.turn_voice(premise, rng.random(hypothesis.size) < 0.3)
    editor.reword(premise, np.ones(hypothesis.size, bool))
    return premise, hypothesis, label


def _hypotheses(editor: Editor, rng: np.random.Generator, topics: np.ndarray) -> Columns:
    """Draw hypotheses that could be entailed, neutral and contradicted alike."""
    batch = sample_clauses(editor.world, rng, topics)
    batch["negated"] = rng.random(batch.size) < P_NEGATED
    for role in CORE:
        editor.generic(
            batch, np.flatnonzero(editor.can_be_generic(batch, role) & (rng.random(batch.size) < 0.3)), role
        )
    can = [
        np.stack([edit.possible for edit in edits(batch)]).any(axis=0) for edits in (editor.more, editor.less)
    ]
    return batch.take(np.flatnonzero(can[0] & can[1]))


def _contradict(editor: Editor, rng: np.random.Generator, premise: Columns, where: np.ndarray) -> None:
    """Say the opposite by antonym or number where that works, else by adding or removing "not"."""
    opposed = editor.oppose(premise, where & (rng.random(premise.size) < 0.6))
    premise["negated"] = premise["negated"] ^ (where & ~opposed)


def _matched_rows(
    language: Language, premise: Told, hypothesis: Told, label: np.ndarray, split: str
) -> np.ndarray:
    """Return the rows of `split` in which overlap, length and negation tell nothing of the label."""
    rows = np.flatnonzero(in_split(hypothesis, language, split))
    return rows[matched(label[rows], surface_cells(premise, hypothesis)[rows], len(LABELS))]


# Labels are equally frequent in each block, and splits share no hypothesis.
NLI = PairKind("nli", "premise\thypothesis\tlabel", LABELS, sample_pairs, _matched_rows)
nli_blocks = partial(pair_blocks, NLI)


# As in PAWS, a first sentence has a paraphrase (other synonyms, another order) and an adversary, which also exchanges
# two phrases, adjectives or numerals. Both share as many words with it and are as long. Every second first sentence is
# exchanged itself, so that neither sentence alone, nor the words of both, tell the label.
# Phrases of a clause that may be exchanged if they are of one kind, and words of phrases.
PHRASES = (("subject", "object"), ("source", "goal"), ("subject", "companion"), ("subject", "recipient"))
WORDS = ("adjective", "numeral")
LEFT_OUT = ("place",)  # time stays: where it stands is free
MAX_WORDS = 8  # of a sentence, with its full stop: what the demo's encoders learn (docs/xtreme.md)
P_REWORDED = 0.9  # of second sentences: other synonyms and order
Exchange = tuple[np.ndarray, Callable[[np.ndarray], None]]  # where it is possible, and what does it


def sample_paraphrases(
    editor: Editor, rng: np.random.Generator, topics: np.ndarray
) -> tuple[Columns, Columns, np.ndarray]:
    """Return first and second sentences and labels: of each first sentence with something to exchange two rows."""
    first = _bare_clauses(editor, rng, topics)
    possible = np.stack([can for can, _ in _exchanges(first)])
    rows = np.flatnonzero(possible.any(axis=0))
    first, possible, n = first.take(rows), possible[:, rows], len(rows)
    choice = np.argmax(rng.random(possible.shape) * possible, axis=0)
    _exchange(first, choice, rng.random(n) < 0.5)
    second = first.copy()
    editor.reword(second, rng.random(n) < P_REWORDED)
    twice = np.arange(n).repeat(2)
    first, second = first.take(twice), second.take(twice)
    label = (np.tile([0, 1], (n, 1)) ^ rng.integers(0, 2, (n, 1))).reshape(-1)
    _exchange(second, choice[twice], label == 0)
    return first, second, label


def _bare_clauses(editor: Editor, rng: np.random.Generator, topics: np.ndarray) -> Columns:
    """Return clauses without what is never exchanged."""
    clauses = sample_clauses(editor.world, rng, topics)
    clauses["adverb"] = np.full_like(clauses["adverb"], -1)
    for role in LEFT_OUT:
        clauses.put(role, absent(clauses.field(role), np.ones(len(topics), bool)))
    return clauses


def _kept_rows(language: Language, first: Told, second: Told, label: np.ndarray, split: str) -> np.ndarray:
    """Return rows of `split` whose twins are short, in other words, and share as many with the first."""
    short = np.maximum(first.lengths, second.lengths) <= MAX_WORDS
    differ = signatures(first, language) != signatures(second, language)
    cells = overlap_cells(first, second)
    alike = (cells[0::2] == cells[1::2]).repeat(2)
    kept = in_split_by_concepts(first, split) & differ & short & alike
    return np.flatnonzero(kept.reshape(-1, 2).all(axis=1).repeat(2))


def _exchange(batch: Columns, choice: np.ndarray, where: np.ndarray) -> None:
    """Make the exchange of number `choice` in the masked clauses."""
    for number, (_, apply) in enumerate(_exchanges(batch)):
        apply(where & (choice == number))


def _exchanges(batch: Columns) -> list[Exchange]:
    found: list[Exchange] = []
    for first, second in PHRASES:
        possible = _nearly_alike(batch, first, second)
        found.append((possible, lambda where, pair=(first, second): batch.swap(*pair, where)))
    for word in WORDS:
        keys = (f"subject.{word}", f"object.{word}")
        possible = (batch[keys[0]] >= 0) & (batch[keys[1]] >= 0) & (batch[keys[0]] != batch[keys[1]])
        found.append((possible, lambda where, keys=keys: _swap_words(batch, keys, where)))
    return found


def _nearly_alike(batch: Columns, first: str, second: str) -> np.ndarray:
    """Return where two phrases could stand for each other: of one class and number, but not the same."""
    same_class = batch[f"{first}.filler_class"] == batch[f"{second}.filler_class"]
    same_number = batch[f"{first}.plural"] == batch[f"{second}.plural"]
    head, other_head = batch[f"{first}.head"], batch[f"{second}.head"]
    return (head >= 0) & (other_head >= 0) & (head != other_head) & same_class & same_number


def _swap_words(batch: Columns, keys: tuple[str, str], where: np.ndarray) -> None:
    first, second = (batch[key].copy() for key in keys)
    batch[keys[0]], batch[keys[1]] = np.where(where, second, first), np.where(where, first, second)


# Label 1 is a paraphrase, 0 an adversary; those of one first sentence follow each other. Splits share no sentence, nor
# one in other words or with something exchanged.
PARAPHRASE = PairKind("paraphrase", "sentence1\tsentence2\tlabel", ("0", "1"), sample_paraphrases, _kept_rows)
paraphrase_blocks = partial(pair_blocks, PARAPHRASE)
