"""The cheapest readers of each form of data, on data with known scores."""

import json

import pytest

from crosslingua.tasks.batches import shared_rows
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
    "places": lambda i: (
        f"a{i} b{i} c{i}",
        f"a{i} b{i} c{i}" if i % 2 else f"c{i} b{i} a{i}",
    ),  # only order differs
}


@pytest.mark.parametrize("reason", REASONS)
def test_the_best_reader_of_pairs_is_the_one_that_sees_the_reason(put, reason):
    scores = scored_pairs(put, [(*REASONS[reason](i), LABELS[i % 2]) for i in range(240)])
    assert (scores["shortcut"], scores["shortcut_accuracy"]) == (reason, 100)


def test_no_reader_of_pairs_sees_which_words_go_together(put):
    """The label is whether two different words have numbers whose sum is even."""
    numbers = [(i * 7 % 12, i * i % 13) for i in range(900)]
    rows = [(f"w{one}", f"v{other}", LABELS[(one + other) % 2]) for one, other in numbers]
    assert scored_pairs(put, rows)["shortcut_accuracy"] < 65


@pytest.mark.parametrize("seen", ["suffix", "neighbour", "capital"])
def test_the_linear_reader_tags_words_that_training_has_not(put, seen):
    """No word of the test data stands in training; what tells the tag is `seen`."""

    def told(i):
        name = {"suffix": f"x{i}{'ing' if i % 2 else 'ed'}", "neighbour": f"x{i}"}.get(seen)
        name = name or f"{'X' if i % 2 else 'x'}{i}"
        before = ("the" if i % 2 else "to") if seen == "neighbour" else "so"
        return f"{before}/DET {name}/{'NOUN' if i % 2 else 'VERB'} ./PUNCT"

    train, gold = (tagged(*map(told, some)) for some in (range(100, 200), range(200, 240)))
    scores = shortcut_scores("pos", put("train.conll", train), put("gold.conll", gold))
    assert (scores["shortcut"], scores["shortcut_accuracy"]) == ("linear", 100)


def test_readers_learn_from_a_share_and_see_lower_case_as_taggers_do(put):
    rows = [
        f"go/O {'ABCDE'[i % 5] if i % 2 else 'abcde'[i % 5]}x/{'B-PER' if i % 2 else 'O'}" for i in range(200)
    ]
    train, gold = put("train.conll", tagged(*rows)), put("gold.conll", tagged(*rows[:40]))
    assert shortcut_scores("ner", train, gold)["shortcut_f1"] == 100  # the capital tells
    assert shortcut_scores("ner", train, gold, lowercase=True)["shortcut_f1"] < 70
    one = put("one.conll", tagged("a/B-PER", "b/B-LOC"))
    only = shortcut_scores("ner", one, put("both.conll", tagged("a/B-PER b/B-LOC")), share=0.5)
    assert only["shortcut_f1"] == 50  # one of two sentences was read, and its tag is everywhere


def test_readers_learn_from_the_same_share_as_encoders(put, monkeypatch):
    seen = []
    monkeypatch.setattr("crosslingua.tasks.shortcuts.pair_readers", lambda train: seen.append(train) or [])
    rows = [(f"a{number}", "b", ("neutral", "entailment")[number % 2]) for number in range(20)]
    text = "premise\thypothesis\tlabel\n" + "".join("\t".join(row) + "\n" for row in rows)
    shortcut_scores("nli", put("train.tsv", text), put("gold.tsv", text), share=0.25)
    (learnt,) = seen
    assert [pair.first for pair in learnt] == [f"a{row}" for row in shared_rows(20, 0.25)]


def test_each_score_is_that_of_the_reader_that_has_most_of_it(put, monkeypatch):
    """Of two questions one reader has a whole answer, the other two of three words of both: EM 50, F1 80."""
    context, texts = "Mia met Ann Lee Hill and Tom Roe Fox.", ["Ann Lee Hill", "Tom Roe Fox"]
    qas = [{"id": text[:3], "question": "who?", "answers": [{"text": text, "answer_start": context.index(text)}]}
           for text in texts]  # fmt: skip
    gold = put("gold.json", json.dumps({"data": [{"paragraphs": [{"context": context, "qas": qas}]}]}))
    readers = {"exact": {"Ann": "Ann Lee Hill", "Tom": "met"}, "near": {"Ann": "Ann Lee", "Tom": "Tom Roe"}}
    made = [(name, lambda gold, said=said: said) for name, said in readers.items()]
    monkeypatch.setattr("crosslingua.tasks.shortcuts.question_readers", lambda train: made)
    scores = shortcut_scores("xquad", gold, gold)
    assert scores["shortcut"] == "near"
    assert (scores["shortcut_em"], scores["shortcut_f1"]) == (50, pytest.approx(80))


def test_an_answer_is_found_by_its_place_beside_the_words_of_the_question(put):
    """The answer is the word before `of` and a word that the question has; other words are as long a run."""

    def told(i):
        context = f"a{i} b{i} c{i} of n{i} d{i} e{i} ."
        qas = [
            {
                "id": str(i),
                "question": f"who n{i} ?",
                "answers": [{"text": f"c{i}", "answer_start": context.index("c")}],
            }
        ]
        return {"paragraphs": [{"context": context, "qas": qas}]}

    train, gold = (put(name, json.dumps({"data": [told(i) for i in some]}))
                   for name, some in (("train.json", range(100, 160)), ("gold.json", range(200, 220))))  # fmt: skip
    scores = shortcut_scores("xquad", train, gold)
    assert (scores["shortcut"], scores["shortcut_em"]) == ("places", 100)


def test_an_answer_is_what_the_nearest_sentence_says_more(put):
    context = "Mia sold the red car to Tom Hill. Ben slept in Rome."
    asked = {"Mia sold the red car to who?": "Tom Hill", "Ben slept in what?": "Rome",
             "who slept in Rome?": "Ben"}  # fmt: skip
    qas = [{"id": one, "question": one, "answers": [{"text": text, "answer_start": context.index(text)}]}
           for one, text in asked.items()]  # fmt: skip
    gold = put("gold.json", json.dumps({"data": [{"paragraphs": [{"context": context, "qas": qas}]}]}))
    scores = shortcut_scores("xquad", gold, gold)
    assert (scores["shortcut"], scores["shortcut_em"]) == ("overlap", 100)
