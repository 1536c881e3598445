"""Natural language inference: two sentences on who acts on whom. Neither word nor place gives the label away alone.

A premise names three people, A, B and Z: "B is beaten by A, and Z sleeps". Three hypotheses follow, one for each label:

    entailment      A beats B
    contradiction   B beats A: verbs of rivalry and company rank people, and whoever beats is not beaten
    neutral         A beats Z, Z beats A, B beats Z or Z beats B: the premise does not say

The three people are drawn alike and are alike in number. So a premise is as likely, and a hypothesis is as likely,
whatever the label. Every hypothesis holds two of the premise's people and its verb, so lengths do not help.
Premise and hypothesis are active or passive at random, and Z comes first or last. In a language with free order, a case
or an adposition tells who acts; the order of another language does not.
"""

from functools import partial

import numpy as np

from crosslingua.corpora.world.bitext import in_split_by_concepts
from crosslingua.corpora.world.dependencies import alone
from crosslingua.corpora.world.events import (
    CLASS_ID,
    DEFINITE,
    ENTITY_TYPES,
    INDEFINITE,
    TENSE_SHARES,
    Columns,
    Knowledge,
    blank_clauses,
)
from crosslingua.corpora.world.pairs import PairKind, Sampled, pair_blocks
from crosslingua.corpora.world.realise import Language, SentenceEvents, Told
from crosslingua.corpora.world.syntax import COORDINATED

LABELS = ("entailment", "neutral", "contradiction")
ENTAILMENT, NEUTRAL, CONTRADICTION = range(3)
PEOPLE = ("PER", "person")  # classes of nouns; the three of a premise are of one
RANKING, OTHER = ("social", "rival"), ("motion", "state")  # frames of the verb in question, and of the other
P_PLURAL = 0.3  # of people without a name
P_PASSIVE = 0.5  # of premises, and of hypotheses
P_LAST = 0.5  # of premises: they name Z last
# Agent and patient: places in (A, B, Z).
SAID, REVERSED, UNSAID = (0, 1), (1, 0), ((0, 2), (2, 0), (1, 2), (2, 1))


def sample_pairs(world: Knowledge, rng: np.random.Generator, topics: np.ndarray) -> Sampled:
    """Return premises, hypotheses and labels: three rows of each premise, a label each, in any order."""
    people, topics = _people(world, rng, topics)
    n, verbs = len(topics), world.concepts.verbs
    verb, other = (rng.choice(np.concatenate([verbs[f] for f in frames]), n) for frames in (RANKING, OTHER))
    tense = rng.choice(3, n, p=TENSE_SHARES).astype(np.int8)
    main, aside = blank_clauses(rng, topics), blank_clauses(rng, topics)
    for clause, said, role, who in ((main, verb, "subject", 0), (aside, other, "subject", 2)):
        clause["verb"], clause["tense"] = said, tense
        clause.put(role, {name: values[who] for name, values in people.items()})
    main.put("object", {name: values[1] for name, values in people.items()})
    main["passive"], main["free"] = rng.random(n) < P_PASSIVE, np.ones(n, bool)
    last = rng.random(n) < P_LAST
    first = Columns({name: np.where(last, main[name], aside[name]) for name in main})
    second = Columns({name: np.where(last, aside[name], main[name]) for name in main})
    premise = SentenceEvents(first, second, np.full(n, COORDINATED, np.int8))

    row = np.arange(n).repeat(3)
    label = np.argsort(rng.random((n, 3)), axis=1).reshape(-1)
    places = np.array(UNSAID)[rng.integers(0, len(UNSAID), len(row))]
    places[label == ENTAILMENT], places[label == CONTRADICTION] = SAID, REVERSED
    hypothesis = blank_clauses(rng, topics[row])
    hypothesis["verb"], hypothesis["tense"] = verb[row], tense[row]
    hypothesis["passive"], hypothesis["free"] = rng.random(len(row)) < P_PASSIVE, np.ones(len(row), bool)
    for role, place in zip(("subject", "object"), places.T, strict=True):
        hypothesis.put(role, {name: values[place, row] for name, values in people.items()})
    return premise.take(row), alone(hypothesis), label


def _people(world: Knowledge, rng: np.random.Generator, topics: np.ndarray) -> tuple[Columns, np.ndarray]:
    """Return noun phrases ([3, n]) of three different people of one class, and the n topics that have them."""
    classes = rng.choice([CLASS_ID[name] for name in PEOPLE], len(topics))
    head = world.filler[[world.draw_filler(rng, topics, classes) for _ in range(3)]].astype(np.int32)
    rows = np.flatnonzero((head != np.roll(head, 1, axis=0)).all(axis=0))
    classes, named = classes[rows].astype(np.int8), classes[rows] < len(ENTITY_TYPES)
    plural = ~named & (rng.random(len(rows)) < P_PLURAL)
    definite = np.where(named, 0, np.where(plural, DEFINITE, rng.choice((DEFINITE, INDEFINITE), len(rows))))
    alike = {
        "plural": plural, "definite": definite.astype(np.int8), "filler_class": classes,
        "kind": np.where(named, classes + 1, 0).astype(np.int8),
    }  # fmt: skip
    phrases = {name: np.tile(values, (3, 1)) for name, values in alike.items()}
    return Columns(head=head[:, rows], **phrases), topics[rows]


def _of_split(
    language: Language, premise: Told, hypothesis: Told, label: np.ndarray, split: str
) -> np.ndarray:
    return np.flatnonzero(in_split_by_concepts(premise, language, split))


# The hypotheses of a premise follow each other. Splits share no premise, nor one with its people in other places.
NLI = PairKind("nli", "premise\thypothesis\tlabel", LABELS, sample_pairs, _of_split)
nli_blocks = partial(pair_blocks, NLI)
