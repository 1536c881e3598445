"""Questions as text, as T5 puts SQuAD (Raffel et al. 2020, appendix D): the answer is written.

read:     qa: question: who left ? context: ann left . </s>
written:  ann </s>
"""

from collections.abc import Sequence
from typing import Any

from crosslingua.embedders.text_to_text import TextToText
from crosslingua.tasks.kinds import Kind
from crosslingua.tasks.text_to_text.form import Counted, Row, Spelling
from crosslingua.tasks.training import FineTuning

FIELDS = ("question:", "context:")


class AnswerText:
    """A `TextForm` of questions on a passage, which is cut where it is too long for the model."""

    labels: Sequence[str] = ()

    def __init__(self, kind: Kind, model: TextToText, examples: Sequence[Any], settings: FineTuning):
        task = f"{kind.name}:"
        spelling = Spelling(model, [task, *FIELDS])
        self._before = [spelling[task] + spelling[FIELDS[0]], spelling[FIELDS[1]]]
        self._model, self._settings = model, settings

    def rows(self, examples: Sequence[Any], counted: Counted) -> list[Row]:
        """Return a row a question; the answer to write is the first."""
        asked = self._pieces([one.question for one in examples])
        passages = self._pieces([one.context for one in examples])
        answers = self._pieces([one.answers[0].text if one.answers else "" for one in examples])
        found = []
        for number, (question, passage, answer) in enumerate(zip(asked, passages, answers, strict=True)):
            kept = [*self._before[0], *question[: self._settings.question_length], *self._before[1]]
            room = max(0, self._model.max_length - len(kept) - 1)
            counted.cut += len(passage) > room
            source = [*kept, *passage[:room], self._model.end]
            found.append(Row(number, source, [*answer[: self._settings.answer_length], self._model.end]))
        return found

    def _pieces(self, texts: Sequence[str]) -> list[list[int]]:
        return self._model.tokenizer(list(texts), add_special_tokens=False, verbose=False)["input_ids"]

    def most(self, size: int) -> int:
        """Return the longest answer that is written."""
        return self._settings.answer_length + 1

    def read_back(self, rows: Sequence[Row], written: Sequence[Sequence[int]], counted: Counted) -> list[str]:
        """Return the answers; one that is no text is empty, and equals none."""
        found = [self._model.text(pieces) for pieces in written]
        counted.unparsed += found.count("")
        return found
