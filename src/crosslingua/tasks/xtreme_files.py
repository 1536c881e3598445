"""Predictions and gold labels as XTREME's evaluation reads them, a file a task and language.

`test-<language>.tsv` has a label a line, with a blank line after each sentence of tagging. `test-<language>.json` is
SQuAD's JSON with gold questions, or an object of answers by question id. Each task has a folder (`udpos`, `panx`,
`xnli`, `pawsx`, `xquad`, `mlqa`, `tydiqa`) under the folder of predictions and of labels, as `evaluate.py
--prediction_folder --label_folder` of google-research/xtreme requires.
"""

import json
from pathlib import Path
from typing import Literal

from crosslingua.io.atomic import atomic_open
from crosslingua.io.conll import read_conll
from crosslingua.io.json import read_json
from crosslingua.io.pairs import read_pairs
from crosslingua.io.squad import read_squad
from crosslingua.tasks.kinds import kind_of
from crosslingua.tasks.scoring import check_tags, read_answers, read_classes


def export(task: str, source: str | Path, what: Literal["gold", "predicted"], out: str | Path) -> None:
    """Write a file of gold labels, or of predictions, of `task` in XTREME's layout. Raises InputError if malformed or
    empty. The names of tags are not checked: a data set has its own.
    """
    kind = kind_of(task)
    if kind.form.suffix == "json":
        if what == "gold":
            read_squad(source)  # which says what is wrong
        answers = read_answers(source) if what == "predicted" else read_json(source)
        with atomic_open(out) as stream:
            json.dump(answers, stream, ensure_ascii=False)
        return
    if kind.tagged:
        sentences = list(read_conll(source, "plain"))
        if kind.scheme == "bio2":
            check_tags(source, sentences)
        lines = [tag for sentence in sentences for tag in (*sentence.labels, "")]
    elif what == "predicted":
        lines = read_classes(kind, source)
    else:
        lines = [pair.label for pair in read_pairs(source, kind.pairs, single_label=True)]
    with atomic_open(out) as stream:
        stream.writelines(f"{line}\n" for line in lines)
