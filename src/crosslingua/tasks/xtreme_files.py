"""Predictions and gold labels as XTREME's evaluation reads them, a file a task and language.

`test-<language>.tsv` has a label a line, with a blank line behind each sentence of tagging; `test-<language>.json` is
SQuAD's: gold questions, or an object of the answers by question id. They stand in a folder a task (`udpos`, `panx`,
`xnli`, `pawsx`, `xquad`, `mlqa`, `tydiqa`), and these in one of predictions and one of labels: what
`evaluate.py --prediction_folder --label_folder` of google-research/xtreme asks for.
"""

import json
from pathlib import Path
from typing import Literal

from crosslingua.io.atomic import atomic_open
from crosslingua.io.conll import read_conll
from crosslingua.io.decode import decoded_lines
from crosslingua.io.json import read_json
from crosslingua.io.pairs import read_pairs
from crosslingua.tasks.kinds import kind_of

What = Literal["gold", "predicted"]


def export(task: str, source: str | Path, what: What, out: str | Path) -> None:
    """Write a file of gold labels, or of predictions, of `task` in XTREME's layout. Raises InputError if malformed."""
    kind = kind_of(task)
    if kind.form.suffix == "json":
        with atomic_open(out) as stream:
            json.dump(read_json(source), stream, ensure_ascii=False)
        return
    if kind.tagged:
        lines = [tag for sentence in read_conll(source, "plain") for tag in (*sentence.labels, "")]
    elif what == "predicted":
        lines = list(decoded_lines(source))
    else:
        lines = [pair.label for pair in read_pairs(source, kind.pairs, single_label=True)]
    with atomic_open(out) as stream:
        stream.writelines(f"{line}\n" for line in lines)
