"""Natural language inference: premise, hypothesis, and whether the one entails or contradicts the other.

The hypothesis is drawn before the label, and then the premise is made from it, so that the hypothesis alone
says nothing of the label. Labels are then matched on word overlap and length, so that neither do these.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from crosslingua.corpora.world.batch import Columns
from crosslingua.corpora.world.dependencies import Trees
from crosslingua.corpora.world.edits import CORE, Editor
from crosslingua.corpora.world.events import sample_clauses
from crosslingua.corpora.world.matching import matched, surface_cells
from crosslingua.corpora.world.realise import Language, Told
from crosslingua.corpora.world.sentence_pairs import PairKind, pair_blocks
from crosslingua.corpora.world.splits import in_split
from crosslingua.corpora.world.world import World

LABELS = ("entailment", "neutral", "contradiction")
ENTAILMENT, NEUTRAL, CONTRADICTION = range(3)
P_NEGATED = 0.35  # of the hypotheses


def nli_blocks(
    world: World, code: str, split: str, pairs: int, *, trees: Trees | None = None
) -> Iterator[str]:
    """Yield TSV blocks of `pairs` pairs in all, the first with the header premise, hypothesis, label.

    The three labels are equally frequent in each block. Splits share no hypothesis. `trees`: where those of each
    premise and its hypothesis are written, if asked.
    """
    kind = PairKind("nli", "premise\thypothesis\tlabel", LABELS, sample_pairs, _matched_rows)
    return pair_blocks(kind, world, code, split, pairs, trees)


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
