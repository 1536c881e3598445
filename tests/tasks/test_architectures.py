"""Checkpoints of every architecture of table 1 through every task, from folders to files of predictions."""

from functools import partial
from pathlib import Path

import pytest

from crosslingua.embedders.text_to_text import TextToText
from crosslingua.io.conll import TaggedSentence, write_conll
from crosslingua.io.json import read_json, write_json
from crosslingua.io.pairs import SentencePair, write_pairs
from crosslingua.tasks.fine_tuning import run_cells
from crosslingua.tasks.kinds import KINDS, score
from crosslingua.tasks.tuner import Files, Tuner, load, parse_files
from tiny_encoder import write_text_to_text
from word_aligners.encoders import make_bert, make_xlm, make_xlmr

MAKERS = {
    "mbert": make_bert,
    "xlm": partial(make_xlm, languages=("en", "de")),
    "xlmr": partial(make_xlmr, positions=60),
    "mt5": write_text_to_text,
    "t5": partial(write_text_to_text, kind="t5"),
}
SIZES = {"ner": 2, "pos": 2, "slots": 2, "nli": 3, "paraphrase": 2, "qa": 1}
QUICK = ["learning_rate=1e-3", "epochs=1", "batch_size=4", "max_length=40"]


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    tagged = [TaggedSentence(("ab", "cd"), ("B-PER", "O")), TaggedSentence(("ja",), ("O",))]
    write_conll(folder / "ner", tagged)
    asked = [TaggedSentence(("ab", "cd"), ("B-place", "I-place")), TaggedSentence(("ja",), ("O",))]
    write_conll(folder / "slots", asked)
    write_conll(folder / "pos", [s.__class__(s.tokens, ("NOUN",) * len(s.tokens)) for s in tagged])
    for kind in ("nli", "paraphrase"):
        contract = KINDS[kind].pairs
        write_pairs(folder / kind, [SentencePair("ab cd", "ab", one) for one in contract.labels], contract)
    questions = [{"id": "q", "question": "ab", "answers": [{"text": "cd", "answer_start": 3}]}]
    passage = {"context": "ab cd ja", "qas": questions}
    write_json(folder / "qa", {"version": "1.1", "data": [{"title": "t", "paragraphs": [passage]}]})
    return folder


@pytest.mark.parametrize("name", MAKERS)
def test_every_architecture_learns_and_predicts_every_task(data: Path, tmp_path: Path, name: str) -> None:
    kinds = [kind for kind in KINDS if (data / kind).is_file()]
    assert set(kinds) == set(SIZES)
    encoder = load(MAKERS[name](tmp_path / "encoder"))
    assert isinstance(encoder, TextToText) == (name in ("mt5", "t5"))
    tests = [f"{kind}/{language}={data / kind}" for kind in kinds for language in ("en", "de")]
    train = parse_files(tests[::2])
    run_cells(Tuner(encoder, Files(train, train, parse_files(tests)), 1), QUICK, tmp_path / "out")
    for kind in kinds:
        folder = tmp_path / "out" / kind / "en"
        assert read_json(folder / "training.json")["steps"] == 1
        for language in ("en", "de"):
            path = folder / f"{language}.{KINDS[kind].form.predictions}"
            found = score(kind, data / kind, path)
            assert 0 <= found[KINDS[kind].metric] <= 100
            assert len(found["per_sentence"]) == SIZES[kind]
