"""Paraphrase identification: pairs of sentences that say the same, or of the same words something else (PAWS)."""

from functools import partial

import numpy as np

from crosslingua.corpora.world.bitext import in_split_by_concepts, signatures
from crosslingua.corpora.world.dependencies import alone
from crosslingua.corpora.world.edits import reword
from crosslingua.corpora.world.events import Columns, Knowledge, absent, sample_clauses
from crosslingua.corpora.world.pairs import PairKind, Sampled, pair_blocks
from crosslingua.corpora.world.realise import Language, Told

# As in PAWS, a first sentence has a paraphrase and an adversary. Both have other synonyms, another order where the
# language is free, and one voice, often the other. In the adversary, agent and patient change places too. Both share
# as many words with the first sentence and are as long. Every second first sentence is exchanged itself, so neither
# sentence alone, nor the words of both, reveal the label. Where the order is free, a case or an adposition tells who
# acts. Adverbs and places are never exchanged, and left out; a time stays, since where it stands is free.
FRAMES_OF_TWO = ("social", "rival", "perceive")  # of verbs whose subject and object may be of one class
MAX_WORDS = 8  # of a sentence, with its full stop: what the demo's encoders learn (docs/papers/xlm_align.md)
P_PASSIVE = 0.5  # of first sentences
P_TURNED = 0.5  # of second sentences: in the other voice


def sample_paraphrases(world: Knowledge, rng: np.random.Generator, topics: np.ndarray) -> Sampled:
    """Return first and second sentences and labels: of each first sentence with something to exchange two rows."""
    verbs = rng.choice(np.concatenate([world.concepts.verbs[name] for name in FRAMES_OF_TWO]), len(topics))
    first = sample_clauses(world, rng, topics, verbs)
    first["adverb"][:] = -1
    first.put("place", absent(first.field("place"), np.ones(len(topics), bool)))
    pronouns = [*world.concepts.function.values()]
    first = first.take(np.flatnonzero(_exchangeable(first) & ~np.isin(first["subject.head"], pronouns)))
    n = first.size
    first["passive"], first["free"] = rng.random(n) < P_PASSIVE, np.ones(n, bool)
    first.swap("subject", "object", rng.random(n) < 0.5)
    second = first.copy()
    reword(rng, second, np.ones(n, bool))
    second["passive"] ^= rng.random(n) < P_TURNED
    twice = np.arange(n).repeat(2)
    first, second = first.take(twice), second.take(twice)
    label = (np.tile([0, 1], (n, 1)) ^ rng.integers(0, 2, (n, 1))).reshape(-1)
    second.swap("subject", "object", label == 0)
    return alone(first), alone(second), label


def _exchangeable(batch: Columns) -> np.ndarray:
    """Return where subject and object differ, are of one class, and are alike in number."""
    ours, theirs = batch.field("subject"), batch.field("object")
    alike = (ours["filler_class"] == theirs["filler_class"]) & (ours["plural"] == theirs["plural"])
    return alike & (ours["head"] >= 0) & (theirs["head"] >= 0) & (ours["head"] != theirs["head"])


def _kept_rows(language: Language, first: Told, second: Told, label: np.ndarray, split: str) -> np.ndarray:
    """Return rows of `split` whose twins are short, in other words, and share as many with the first."""
    short = np.maximum(first.lengths, second.lengths) <= MAX_WORDS
    differ = signatures(first, language) != signatures(second, language)
    cells = _overlap_cells(first, second)
    alike = (cells[0::2] == cells[1::2]).repeat(2)
    kept = in_split_by_concepts(first, language, split) & differ & short & alike
    return np.flatnonzero(kept.reshape(-1, 2).all(axis=1).repeat(2))


def _unshared_words(first: Told, second: Told) -> np.ndarray:
    """Return how many tokens of each sentence of `first` are not words of the same sentence of `second`."""
    codes = []
    width = int(max(first.form.max(), second.form.max())) + 1
    for told in (first, second):
        row, slot = told.tokens()
        codes.append(row * width + told.form[row, slot])
    missing = ~np.isin(codes[0], codes[1])
    return np.bincount((codes[0] // width)[missing], minlength=len(first.form))


def _overlap_cells(first: Told, second: Told) -> np.ndarray:
    """Return a number for each pair: alike for pairs alike in word overlap and length."""
    new_words = np.minimum(_unshared_words(second, first), 4)
    left_out = np.minimum(_unshared_words(first, second), 4)
    longer = np.clip(first.lengths - second.lengths, -3, 3) + 3
    return (new_words * 5 + left_out) * 7 + longer


# Label 1 is a paraphrase, 0 an adversary; pairs with one first sentence follow each other. Splits share no sentence,
# nor one in other words or with something exchanged.
PARAPHRASE = PairKind("paraphrase", "sentence1\tsentence2\tlabel", ("0", "1"), sample_paraphrases, _kept_rows)
paraphrase_blocks = partial(pair_blocks, PARAPHRASE)
