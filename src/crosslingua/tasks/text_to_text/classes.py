"""Pairs of sentences as text, as T5 puts MNLI (Raffel et al. 2020, appendix D): the label is written.

read:     nli: premise: a dog barks hypothesis: a dog </s>
written:  entailment </s>
"""

from collections.abc import Sequence

from crosslingua.embedders.text_to_text import TextToText
from crosslingua.io.pairs import SentencePair
from crosslingua.tasks.kinds import Kind
from crosslingua.tasks.scores import UNPARSED
from crosslingua.tasks.text_to_text.form import Counted, Row, Spelling
from crosslingua.tasks.training import FineTuning


class ClassText:
    """A `TextForm` of pairs with a label."""

    def __init__(self, kind: Kind, model: TextToText, examples: Sequence[SentencePair], settings: FineTuning):
        self.labels = list(kind.pairs.labels)
        task, *fields = (f"{name}:" for name in (kind.name, *kind.pairs.header[:2]))
        spelling = Spelling(model, [*self.labels, task, *fields])
        self._before = [spelling[task] + spelling[fields[0]], spelling[fields[1]]]
        self._ids = {label: spelling[label] for label in self.labels}
        self._labels = {tuple(ids): label for label, ids in self._ids.items()}
        self._tokenizer, self._end = model.tokenizer, model.end
        self._room = max(0, model.max_length - sum(map(len, self._before)) - 1)

    def rows(self, examples: Sequence[SentencePair], counted: Counted) -> list[Row]:
        """Return a row a pair; of one that is too long the longer sentence loses its end."""
        sides = [self._pieces([getattr(pair, side) for pair in examples]) for side in ("first", "second")]
        found = []
        for number, (pair, first, second) in enumerate(zip(examples, *sides, strict=True)):
            one, other = longest_first(len(first), len(second), self._room)
            counted.cut += (one, other) != (len(first), len(second))
            source = [*self._before[0], *first[:one], *self._before[1], *second[:other], self._end]
            found.append(Row(number, source, [*self._ids[pair.label], self._end]))
        return found

    def _pieces(self, texts: Sequence[str]) -> list[list[int]]:
        return self._tokenizer(list(texts), add_special_tokens=False, verbose=False)["input_ids"]

    def most(self, size: int) -> int:
        """Return the pieces of the longest label."""
        return max(map(len, self._ids.values())) + 1

    def read_back(self, rows: Sequence[Row], written: Sequence[Sequence[int]], counted: Counted) -> list[str]:
        """Return the label of each pair; UNPARSED for what is none."""
        found = [self._labels.get(tuple(pieces), UNPARSED) for pieces in written]
        counted.unparsed += found.count(UNPARSED)
        return found


def longest_first(first: int, second: int, room: int) -> tuple[int, int]:
    """Return the lengths of two sequences that fit into `room`: a piece at a time is taken off the longer."""
    over = first + second - room
    if over <= 0:
        return first, second
    shorter = min(first, second, room // 2)
    longer = room - shorter
    return (shorter, longer) if first < second else (longer, shorter)
