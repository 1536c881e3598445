"""Readers without an encoder, taught in one language, stay far below what can be known in the languages transferred to.

The bar of a task lies 60 % of the way from chance to a supervised reader of the target language. Labels of pairs and
answers follow from what is said, so such a reader has 100 there. In tagging it is the best reader itself, taught in
the target language: what an encoder does not reach is no bar for readers.
"""

from functools import partial
from importlib import import_module

import pytest

from corpora.world.support import parse_conllu
from crosslingua.io.conll import TaggedSentence, write_conll
from crosslingua.tasks.kinds import KINDS
from crosslingua.tasks.shortcuts import shortcut_scores

SOURCE, TARGETS = "ana", ("ber", "cor", "dax")
WAY = 0.6  # from chance to a supervised reader
# Of a task: the kind of its data, training and test sentences, pairs or questions, the variants of both, and chance.
TASKS = {
    "pos": ("pos", 600, 200, {}, {}, 0),
    "ner": ("ner", 1200, 400, {}, {}, 0),
    "slots": ("slots", 1000, 300, {}, {"variant": "translated"}, 0),
    "xquad": ("qa", 1000, 200, {"variant": "short"}, {"variant": "translated"}, 0),
    "mlqa": ("qa", 1000, 200, {"variant": "short"}, {"variant": "long"}, 0),
    "tydiqa": ("qa", 1000, 200, {"variant": "short"}, {"variant": "short"}, 0),
    "independent questions": ("qa", 1000, 200, {}, {}, 0),
    "xnli": ("nli", 2400, 450, {}, {}, 100 / 3),
    "pawsx": ("paraphrase", 1000, 300, {}, {}, 50),
}  # fmt: skip


def put(path, world, kind, code, split, size, options):
    """Write generated data where a reader finds them, once; parts of speech as tokens and tags."""
    if path.exists():
        return str(path)
    module, _, function = KINDS[kind].sentences.partition(":")
    text = "".join(getattr(import_module(module), function)(world, code, split, size, **options))
    path.write_text(text, encoding="utf-8")
    if kind == "pos":
        rows = [
            zip(*((word.form, word.upos) for word in sentence), strict=True)
            for sentence in parse_conllu(text)
        ]
        write_conll(path, (TaggedSentence(*sentence) for sentence in rows))
    return str(path)


@pytest.mark.parametrize("task", TASKS)
def test_readers_stay_below_the_bar_in_transfer(world, tmp_path, task):
    kind, many, few, learnt, asked, chance = TASKS[task]
    made = partial(put, world=world, kind=kind)
    metric = KINDS[kind].metric

    def reached(code, gold):
        train = made(tmp_path / f"{code}.train", code=code, split="train", size=many, options=learnt)
        return shortcut_scores(kind, train, gold)[f"shortcut_{metric}"]

    for code in TARGETS:
        gold = made(tmp_path / f"{code}.test", code=code, split="test", size=few, options=asked)
        best = reached(code, gold) if KINDS[kind].tagged else 100
        assert reached(SOURCE, gold) < chance + WAY * (best - chance), code
