"""Paraphrase identification: pairs of sentences that say the same, or the same words in other places (PAWS)."""

from collections.abc import Callable
from functools import partial

import numpy as np

from crosslingua.corpora.world.bitext import in_split_by_concepts, signatures
from crosslingua.corpora.world.dependencies import alone
from crosslingua.corpora.world.edits import reword
from crosslingua.corpora.world.events import Columns, Knowledge, absent, sample_clauses
from crosslingua.corpora.world.pairs import PairKind, Sampled, pair_blocks
from crosslingua.corpora.world.realise import Language, Told

# As in PAWS, a first sentence has a paraphrase (other synonyms, another order) and an adversary, which also exchanges
# two phrases, adjectives or numerals. Both share as many words with it and are as long. Every second first sentence is
# exchanged itself, so neither sentence alone, nor the words of both, reveal the label. Adverbs and places are never
# exchanged, and left out; a time stays, since where it stands is free. Phrases of a clause that may be exchanged if
# they are of one kind, and words of phrases.
PHRASES = (("subject", "object"), ("source", "goal"), ("subject", "companion"), ("subject", "recipient"))
WORDS = ("adjective", "numeral")
MAX_WORDS = 8  # of a sentence, with its full stop: what the demo's encoders learn (docs/papers/xlm_align.md)
P_REWORDED = 0.9  # of second sentences: other synonyms and order
Exchange = tuple[np.ndarray, Callable[[np.ndarray], None]]  # where it is possible, and what does it


def sample_paraphrases(world: Knowledge, rng: np.random.Generator, topics: np.ndarray) -> Sampled:
    """Return first and second sentences and labels: of each first sentence with something to exchange two rows."""
    first = sample_clauses(world, rng, topics)
    first["adverb"][:] = -1
    first.put("place", absent(first.field("place"), np.ones(len(topics), bool)))
    possible = np.stack([can for can, _ in _exchanges(first)])
    rows = np.flatnonzero(possible.any(axis=0))
    first, possible, n = first.take(rows), possible[:, rows], len(rows)
    choice = np.argmax(rng.random(possible.shape) * possible, axis=0)
    _exchange(first, choice, rng.random(n) < 0.5)
    second = first.copy()
    reword(rng, second, rng.random(n) < P_REWORDED)
    twice = np.arange(n).repeat(2)
    first, second = first.take(twice), second.take(twice)
    label = (np.tile([0, 1], (n, 1)) ^ rng.integers(0, 2, (n, 1))).reshape(-1)
    _exchange(second, choice[twice], label == 0)
    return alone(first), alone(second), label


def _kept_rows(language: Language, first: Told, second: Told, label: np.ndarray, split: str) -> np.ndarray:
    """Return rows of `split` whose twins are short, in other words, and share as many with the first."""
    short = np.maximum(first.lengths, second.lengths) <= MAX_WORDS
    differ = signatures(first, language) != signatures(second, language)
    cells = _overlap_cells(first, second)
    alike = (cells[0::2] == cells[1::2]).repeat(2)
    kept = in_split_by_concepts(first, split) & differ & short & alike
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


def _exchange(batch: Columns, choice: np.ndarray, where: np.ndarray) -> None:
    """Make the exchange of number `choice` in the masked clauses."""
    for number, (_, apply) in enumerate(_exchanges(batch)):
        apply(where & (choice == number))


def _exchanges(batch: Columns) -> list[Exchange]:
    exchanges: list[Exchange] = []
    for first, second in PHRASES:  # of one class and number
        possible = _differ(batch, f"{first}.head", f"{second}.head")
        possible &= batch[f"{first}.filler_class"] == batch[f"{second}.filler_class"]
        possible &= batch[f"{first}.plural"] == batch[f"{second}.plural"]
        exchanges.append((possible, partial(batch.swap, first, second)))
    for word in WORDS:
        keys = (f"subject.{word}", f"object.{word}")
        exchanges.append((_differ(batch, *keys), partial(_swap_words, batch, *keys)))
    return exchanges


def _differ(batch: Columns, first: str, second: str) -> np.ndarray:
    return (batch[first] >= 0) & (batch[second] >= 0) & (batch[first] != batch[second])


def _swap_words(batch: Columns, first: str, second: str, where: np.ndarray) -> None:
    before, after = batch[first], batch[second]
    batch[first], batch[second] = np.where(where, after, before), np.where(where, before, after)


# Label 1 is a paraphrase, 0 an adversary; pairs with one first sentence follow each other. Splits share no sentence,
# nor one in other words or with something exchanged.
PARAPHRASE = PairKind("paraphrase", "sentence1\tsentence2\tlabel", ("0", "1"), sample_paraphrases, _kept_rows)
paraphrase_blocks = partial(pair_blocks, PARAPHRASE)
