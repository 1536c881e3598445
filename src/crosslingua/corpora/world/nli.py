"""Natural language inference, and what all pairs of sentences share: surface features matched across labels.

The hypothesis is drawn before the label, and then the premise is made from it, so that the hypothesis alone
says nothing of the label. Labels are then matched on word overlap and length, so that neither do these.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from crosslingua.corpora.world.bitext import Quota, in_split, told_lines
from crosslingua.corpora.world.dependencies import Trees, alone, parse
from crosslingua.corpora.world.edits import CORE, Editor
from crosslingua.corpora.world.events import Columns, sample_clauses
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
    cells = overlap_cells(first, second)
    for from_end in (False, True):  # the first two words; the last two before the full stop
        words = ([_word_at(told, i, from_end) for i in range(2)] for told in (first, second))
        cells = cells * 2 + np.logical_and.reduce([a == b for a, b in zip(*words, strict=True)])
    return cells


def _word_at(told: Told, i: int, from_end: bool) -> np.ndarray:
    """Return the form of the word at distance `i` from the beginning or the end (clipped)."""
    lengths = told.lengths
    position = np.clip(lengths - 2 - i if from_end else i, 0, lengths - 1)
    return told.form[told.tokens()][np.cumsum(lengths) - lengths + position]


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
            told = [language.tell(batch) for batch in batches]
            if trees:
                parsed = [parse(world, code, *each) for each in zip(told, map(alone, batches), strict=True)]
                trees.add(world, code, *parsed)
            columns = [told_lines(world, code, each).splitlines() for each in told]
            columns.append([kind.labels[i] for i in label[rows]])
            yield "".join("\t".join(row) + "\n" for row in zip(*columns, strict=True))


LABELS = ("entailment", "neutral", "contradiction")
ENTAILMENT, NEUTRAL, CONTRADICTION = range(3)
P_NEGATED = 0.35  # of the hypotheses


def sample_pairs(editor: Editor, rng: np.random.Generator, topics: np.ndarray) -> Sampled:
    """Return premises, hypotheses and labels; pairs of which any label would be impossible are left out."""
    hypothesis = _hypotheses(editor, rng, topics)
    label = rng.integers(0, 3, hypothesis.size)
    premise = hypothesis.copy()
    affirmative = ~hypothesis["negated"]
    # "Not" turns round what follows from what: not an animal, hence not a dog.
    says_more = ((label == ENTAILMENT) & affirmative) | ((label == NEUTRAL) & ~affirmative)
    says_less = ((label == ENTAILMENT) & ~affirmative) | ((label == NEUTRAL) & affirmative)
    more = editor.change(premise, says_more, editor.more(premise))
    place = np.maximum(more, editor.change(premise, says_less, editor.less(premise)))
    # The opposite, by antonym or number where that works, else by adding or removing "not".
    opposite = label == CONTRADICTION
    outright = opposite & (rng.random(premise.size) < 0.6) & ~premise["negated"]
    opposed = editor.change(premise, outright, editor.other(premise)) >= 0
    negated = premise["negated"] = premise["negated"] ^ (opposite & ~opposed)
    again = rng.random(hypothesis.size) < 0.5
    editor.change(premise, again & ~negated, editor.more(premise), spare=place)
    editor.change(premise, again & negated, editor.less(premise), spare=place)
    editor.turn_voice(premise, rng.random(hypothesis.size) < 0.3)
    editor.reword(premise, np.ones(hypothesis.size, bool))
    return premise, hypothesis, label


def _hypotheses(editor: Editor, rng: np.random.Generator, topics: np.ndarray) -> Columns:
    """Draw hypotheses that could be entailed, neutral and contradicted alike."""
    batch = sample_clauses(editor.world, rng, topics)
    batch["negated"] = rng.random(batch.size) < P_NEGATED
    for role in CORE:
        where = editor.can_be_generic(batch, role) & (rng.random(batch.size) < 0.3)
        editor.generic(role, batch, np.flatnonzero(where))
    more, less = ([edit.possible for edit in edits] for edits in (editor.more(batch), editor.less(batch)))
    return batch.take(np.flatnonzero(np.logical_or.reduce(more) & np.logical_or.reduce(less)))


def _matched_rows(
    language: Language, premise: Told, hypothesis: Told, label: np.ndarray, split: str
) -> np.ndarray:
    """Return the rows of `split` in which overlap, length and negation tell nothing of the label."""
    rows = np.flatnonzero(in_split(hypothesis, language, split))
    return rows[matched(label[rows], surface_cells(premise, hypothesis)[rows], len(LABELS))]


# Labels are equally frequent in each block, and splits share no hypothesis.
NLI = PairKind("nli", "premise\thypothesis\tlabel", LABELS, sample_pairs, _matched_rows)
nli_blocks = partial(pair_blocks, NLI)
