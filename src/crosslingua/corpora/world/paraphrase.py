"""Paraphrases and their adversaries, as PAWS makes them: the same words, but who did it to whom is exchanged.

Every first sentence has both: a paraphrase, which changes synonyms, order and now and then the voice, and an adversary,
which changes the same and also exchanges two phrases, adjectives or numerals. Both share as many words with it, and are
as long: a first sentence alone says nothing of the label, and a bag of words hardly more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from crosslingua.corpora.world.batch import Columns, exchange
from crosslingua.corpora.world.dependencies import Trees, parse
from crosslingua.corpora.world.edits import Editor
from crosslingua.corpora.world.events import sample_clauses
from crosslingua.corpora.world.grammar import COORDINATED
from crosslingua.corpora.world.matching import overlap_cells
from crosslingua.corpora.world.nli import tsv
from crosslingua.corpora.world.quota import Quota
from crosslingua.corpora.world.sentences import CHUNK, SentenceEvents
from crosslingua.corpora.world.splits import in_split, signatures
from crosslingua.corpora.world.wording import told_lines
from crosslingua.corpora.world.world import World

# Phrases of a clause that may be exchanged if they are of one kind, and words of phrases.
PHRASES = (("subject", "object"), ("source", "goal"), ("subject", "companion"), ("subject", "recipient"))
WORDS = ("adjective", "numeral")
P_COORDINATED = 0.2  # of two clauses
P_VOICE, P_REWORDED, P_ORDER = 0.1, 0.9, 0.3  # of second sentences: other voice, synonyms, order of clauses
Exchange = tuple[np.ndarray, Callable[[np.ndarray], None]]  # where it is possible, and what does it


def paraphrase_blocks(
    world: World, code: str, split: str, pairs: int, *, trees: Trees | None = None
) -> Iterator[str]:
    """Yield TSV blocks of `pairs` pairs in all, the first with the header sentence1, sentence2, label.

    Label 1 is a paraphrase, 0 an adversary; those of one first sentence follow each other, in either order. Splits
    share no first sentence. `trees`: where those of both sentences of each pair are written, if asked.
    """
    language, shares = world.language(code), world.topics_of(code)
    yield "sentence1\tsentence2\tlabel\n"
    quota = Quota(pairs, f"paraphrase {code} {split}")
    for number in quota:
        rng = world.stream("paraphrase", code, split, number)
        topics = rng.choice(len(shares), CHUNK, p=shares / shares.sum())
        first, second, label = sample_pairs(Editor(world.knowledge, rng), rng, topics)
        told = [each.tell(language) for each in (first, second)]
        differ = signatures(told[0], language) != signatures(told[1], language)
        kept = in_split(told[0], language, split) & differ & _twins_alike(overlap_cells(*told))
        rows = quota.take(np.flatnonzero(kept.reshape(-1, 2).all(axis=1).repeat(2)))
        if trees:
            both = zip(told, (first, second), strict=True)
            trees.add(world, code, *(parse(world, code, t.take(rows), drawn.take(rows)) for t, drawn in both))
        yield tsv([told_lines(world, code, each.take(rows)) for each in told], [str(i) for i in label[rows]])


def sample_pairs(
    editor: Editor, rng: np.random.Generator, topics: np.ndarray
) -> tuple[SentenceEvents, SentenceEvents, np.ndarray]:
    """Return first and second sentences and labels: of each first sentence two rows, one a label.

    What has nothing to exchange is left out.
    """
    first, second, possible = _paraphrases(editor, rng, topics)
    n = len(first.link)
    first, second = (each.take(np.repeat(np.arange(n), 2)) for each in (first, second))
    label = (np.tile([0, 1], (n, 1)) ^ rng.integers(0, 2, (n, 1))).reshape(-1)
    choice = np.argmax(rng.random(possible.shape) * possible, axis=0).repeat(2)
    for number, (_, apply) in enumerate(_exchanges(second)):
        apply((label == 0) & (choice == number))
    turned = (rng.random(n) < P_ORDER).repeat(2)
    _turn_round(second, (first.link == COORDINATED) & turned)
    return first, second, label


def _paraphrases(
    editor: Editor, rng: np.random.Generator, topics: np.ndarray
) -> tuple[SentenceEvents, SentenceEvents, np.ndarray]:
    """Return sentences, the same in other words or voice, and which exchanges [kinds, n] are possible in them."""
    a, b = (sample_clauses(editor.world, rng, topics) for _ in range(2))
    link = np.where(rng.random(len(topics)) < P_COORDINATED, COORDINATED, 0).astype(np.int8)
    first = SentenceEvents(a, b, link)
    possible = np.stack([can for can, _ in _exchanges(first)])
    rows = np.flatnonzero(possible.any(axis=0))
    first = first.take(rows)
    second = SentenceEvents(first.a.copy(), first.b.copy(), first.link)
    for clause in (second.a, second.b):
        editor.turn_voice(clause, rng.random(len(rows)) < P_VOICE)
        editor.reword(clause, rng.random(len(rows)) < P_REWORDED)
    return first, second, possible[:, rows]


def _twins_alike(cells: np.ndarray) -> np.ndarray:
    """Return where both rows of a first sentence have the same number in `cells`."""
    return (cells[0::2] == cells[1::2]).repeat(2)


def _exchanges(sentences: SentenceEvents) -> list[Exchange]:
    """Return the exchanges of a sentence: inside either clause, and between the subjects of both."""
    a, b, linked = sentences.a, sentences.b, sentences.link == COORDINATED
    always = np.ones(len(linked), bool)
    found = [*_within(a, always), *_within(b, linked)]
    unlike = (a["verb"] != b["verb"]) | (a["predicate"] != b["predicate"])
    possible = linked & unlike & _alike(a, "subject", b, "subject")
    found.append((possible, lambda where: exchange(a, "subject", b, "subject", where)))
    return found


def _within(batch: Columns, there: np.ndarray) -> list[Exchange]:
    found: list[Exchange] = []
    for first, second in PHRASES:
        possible = there & _alike(batch, first, batch, second)
        found.append((possible, lambda where, pair=(first, second): batch.swap(*pair, where)))
    for word in WORDS:
        keys = (f"subject.{word}", f"object.{word}")
        possible = there & (batch[keys[0]] >= 0) & (batch[keys[1]] >= 0) & (batch[keys[0]] != batch[keys[1]])
        found.append((possible, lambda where, keys=keys: _swap_words(batch, keys, where)))
    return found


def _alike(one: Columns, first: str, other: Columns, second: str) -> np.ndarray:
    """Return where two phrases could stand for each other: of one class and number, but not the same."""
    same_class = one[f"{first}.filler_class"] == other[f"{second}.filler_class"]
    same_number = one[f"{first}.plural"] == other[f"{second}.plural"]
    head, other_head = one[f"{first}.head"], other[f"{second}.head"]
    return (head >= 0) & (other_head >= 0) & (head != other_head) & same_class & same_number


def _swap_words(batch: Columns, keys: tuple[str, str], where: np.ndarray) -> None:
    first, second = (batch[key].copy() for key in keys)
    batch[keys[0]], batch[keys[1]] = np.where(where, second, first), np.where(where, first, second)


def _turn_round(sentences: SentenceEvents, where: np.ndarray) -> None:
    """Tell the masked coordinated clauses in the other order."""
    for name, values in sentences.a.items():
        if name != "variety":
            other = sentences.b[name]
            sentences.a[name], sentences.b[name] = (
                np.where(where, other, values),
                np.where(where, values, other),
            )
