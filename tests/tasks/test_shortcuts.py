"""The cheapest readers of each form of data, on data with known scores."""

import json

import pytest

from crosslingua.tasks.shortcuts import shortcut_scores
from texts import written


@pytest.fixture
def put(tmp_path):
    return lambda name, text: str(written(tmp_path / name, text))


def tagged(*sentences):
    return "".join(one.replace("/", "\t").replace(" ", "\n") + "\n\n" for one in sentences)


def scored_pairs(put, rows):
    """Return the scores on the last third of the rows; readers learn from the others."""
    lines, part = ["\t".join(row) + "\n" for row in rows], len(rows) * 2 // 3
    train, gold = ("premise\thypothesis\tlabel\n" + "".join(some) for some in (lines[:part], lines[part:]))
    return shortcut_scores("nli", put("train.tsv", train), put("gold.tsv", gold))


def test_a_word_gets_its_own_most_frequent_tag_and_another_word_the_commonest(put):
    train = put("train.conll", tagged("run/VERB run/NOUN run/VERB", "dog/NOUN the/DET cat/NOUN"))
    gold = put("gold.conll", tagged("the/DET run/NOUN new/NOUN odd/ADJ"))  # said: DET VERB NOUN NOUN
    scores = shortcut_scores("pos", train, gold)
    assert (scores["shortcut"], scores["shortcut_accuracy"]) == ("words by heart", 50)
    # runs of equal tags: gold DET, NOUN NOUN, ADJ; said DET, VERB, NOUN NOUN: one is right
    assert scores["shortcut_f1"] == pytest.approx(100 / 3)


LABELS = ("entailment", "contradiction")
REASONS = {
    "first sentence": lambda i: (f"w{i % 7} {'sun' if i % 2 else 'rain'}", f"v{i % 5}"),
    "second sentence": lambda i: (f"w{i % 7}", f"v{i % 5} {'sun' if i % 2 else 'rain'}"),
    "changed words": lambda i: (  # a negation in one of the two
        f"a{i} {'not' if i % 4 < 2 else 'yes'}",
        f"b{i} {'not' if i % 4 in (1, 2) else 'yes'}",
    ),
    "counts": lambda i: (f"a{i} b{i}", f"a{i} b{i}" if i % 2 else f"a{i} c{i}"),  # only overlap differs
}


@pytest.mark.parametrize("reason", REASONS)
def test_the_best_reader_of_pairs_is_the_one_that_sees_the_reason(put, reason):
    scores = scored_pairs(put, [(*REASONS[reason](i), LABELS[i % 2]) for i in range(240)])
    assert (scores["shortcut"], scores["shortcut_accuracy"]) == (reason, 100)


def test_no_reader_of_pairs_sees_which_words_go_together(put):
    """The label is whether the second sentence repeats the order of the first."""
    rows = []
    for i in range(600):
        words = [f"w{i * 7 % 11}", f"v{i * 5 % 13}"][:: 1 if i % 4 < 2 else -1]
        rows.append((" ".join(words), " ".join(words[:: 1 if i % 2 else -1]), LABELS[i % 2]))
    assert scored_pairs(put, rows)["shortcut_accuracy"] < 60


def test_an_answer_is_what_the_nearest_sentence_says_more(put):
    context = "Mia sold the red car to Tom Hill. Ben slept in Rome."
    asked = {"Mia sold the red car to who?": "Tom Hill", "Ben slept in what?": "Rome",
             "who slept in Rome?": "Ben"}  # fmt: skip
    qas = [{"id": one, "question": one, "answers": [{"text": text, "answer_start": context.index(text)}]}
           for one, text in asked.items()]  # fmt: skip
    gold = put("gold.json", json.dumps({"data": [{"paragraphs": [{"context": context, "qas": qas}]}]}))
    scores = shortcut_scores("xquad", gold, gold)
    assert (scores["shortcut"], scores["shortcut_em"]) == ("overlap", 100)
