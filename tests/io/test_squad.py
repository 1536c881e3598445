"""SQuAD 1.1: the mirrored XQuAD, round trips, wrong offsets and other malformations."""

import json
import re
from collections import Counter

import pytest

from crosslingua.errors import InputError
from crosslingua.io.squad import Answer, Article, Paragraph, Question, questions, read_squad, write_squad
from texts import written

QUESTIONS = (
    Question("q1", "How long?", (Answer("𝟪𝟦0 km", 12), Answer("0 km", 14))),
    Question("q2", "What?", (Answer("Oder", 4),)),
)
ARTICLES = [Article("Rivers", (Paragraph("The Oder is 𝟪𝟦0 km long.", QUESTIONS),))]


@pytest.fixture
def document(tmp_path):
    write_squad(tmp_path / "a.json", ARTICLES)
    return json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))


def test_what_is_written_is_read_again_with_characters_beyond_the_bmp(tmp_path):
    assert write_squad(tmp_path / "a.json", ARTICLES) == 2
    assert read_squad(tmp_path / "a.json") == ARTICLES


@pytest.mark.parametrize("language", ["en", "de", "es"])
def test_xquad(mirror, language):
    articles = read_squad(mirror / "xquad" / f"xquad.{language}.json")
    assert (len(articles), sum(len(article.paragraphs) for article in articles)) == (48, 240)
    assert [len(question.answers) for _, question in questions(articles)] == [1] * 1190


NO_NUMBER = "is no whole number (write the character of"


@pytest.mark.parametrize(
    ("question", "answer", "message"),
    [
        ({}, {"answer_start": 11}, "q1: answer '𝟪𝟦0 km' is not at character 11, where ' 𝟪𝟦0 k' stands"),
        ({"answers": []}, {}, "q1 has no answer"),
        ({"id": "q2"}, {}, "q2 occurs twice"),
        ({"is_impossible": True}, {}, "q1 is impossible"),
        ({"question": None}, {}, "q1 has no text (give it one"),
        ({}, {"answer_start": None}, f"q1: answer_start None {NO_NUMBER}"),
        ({}, {"answer_start": "12"}, f"q1: answer_start '12' {NO_NUMBER}"),
        ({}, {"answer_start": 12.0}, f"q1: answer_start 12.0 {NO_NUMBER}"),
        ({}, {"text": 840}, "q1: text 840 of an answer is no string (write the answer as it"),
    ],
)
def test_malformations_name_the_question(tmp_path, document, question, answer, message):
    """None is a key that is not there."""
    asked = document["data"][0]["paragraphs"][0]["qas"][0]
    for spoiled, change in ((asked["answers"][0], answer), (asked, question)):
        spoiled |= change
        for key in [key for key, value in change.items() if value is None]:
            del spoiled[key]
    path = written(tmp_path / "b.json", json.dumps(document))
    with pytest.raises(InputError) as caught:
        read_squad(path)
    told = str(caught.value)
    assert told.startswith(f"{path}: question {message}")
    assert not re.search("\n|Error", told)


SHAPE = r"not SQuAD 1.1: its JSON has another shape \(put it as"
NO_SQUAD = {
    '{"data": []}': "no questions",
    '{"data": [{"title": "", "paragraphs": []}]}': "no questions",
    "[1, 2]": SHAPE,
    '{"data": [1]}': SHAPE,
    '{"data": [{"paragraphs": [{"context": "a", "qas": null}]}]}': SHAPE,
    '{"data": [{"paragraphs": [{"context": "a", "qas": [{"id": "1", "question": "b", "answers": ["a"]}]}]}]}': SHAPE,
    '{"data": [{"title": ""}]}': r"not SQuAD 1.1: something lacks its key 'paragraphs' \(put it as",
    '{"data": [': "not JSON",
}


@pytest.mark.parametrize("text", NO_SQUAD)
def test_files_of_another_shape_and_without_questions_are_refused(tmp_path, text):
    with pytest.raises(InputError, match=NO_SQUAD[text]):
        read_squad(written(tmp_path / "b.json", text))


def test_neither_wrong_offsets_nor_no_questions_are_written(tmp_path):
    spoiled = [Article("", (Paragraph("ab", (Question("q", "?", (Answer("b", 0),)),)),))]
    with pytest.raises(ValueError, match="question q"):
        write_squad(tmp_path / "e.json", spoiled)
    with pytest.raises(InputError, match="no questions to write"):
        write_squad(tmp_path / "e.json", [])


def asked(tmp_path, context, *answers):
    """Read a file with a question for each answer (text, offset); return the answers and what was counted."""
    qas = [
        {"id": str(n), "question": "?", "answers": [{"text": text, "answer_start": start}]}
        for n, (text, start) in enumerate(answers)
    ]
    text = json.dumps({"data": [{"paragraphs": [{"context": context, "qas": qas}]}]})
    path, counts = written(tmp_path / "b.json", text), Counter()
    found = [question.answers[0] for _, question in questions(read_squad(path, counts=counts))]
    return found, +counts


def test_answers_are_found_near_wrong_offsets_unless_most_are_wrong(tmp_path):
    context = "😀 Rome is old.\r\nRome is big." + " It is." * 20 + " Rome."
    rome = [context.index("Rome"), context.index("Rome", 9), context.rindex("Rome")]
    right = [("old", context.index("old"))] * 8
    found = asked(tmp_path, context, ("Rome", 3), ("big", 0), ("Rome", 20), *right)
    moved = [("Rome", rome[0]), ("big", context.index("big")), ("Rome", rome[1])]
    assert found == ([*moved, *right], {"moved_answers": 3})
    assert asked(tmp_path, context, ("Rome", 80), ("Paris", 3), *right) == (right, {"dropped_answers": 2})
    with pytest.raises(InputError, match="2 of 3 answers are not in their context near answer_start"):
        asked(tmp_path, "Rome is old.", ("Paris", 0), ("new", 0), ("old", 8))


def test_answers_stay_at_their_characters_when_entities_become_characters(tmp_path):
    """Offsets of the raw context, at and behind entities; offsets of the decoded one; an answer inside an entity."""
    context = "R&amp;D of &#39;Rome&#39; &amp;amp; Oslo: fast &copy; free."
    raw = [("R&amp;D", 0), ("Rome", context.index("Rome")), ("Oslo", context.index("Oslo"))]
    found, counts = asked(tmp_path, context, *raw, ("fast &copy; free", context.index("fast")))
    right = [("R&D", 0), ("Rome", 8), ("Oslo", 16), ("fast © free", 22)]
    assert (found, counts) == (right, {"decoded_entities": 7})
    (article,) = read_squad(tmp_path / "b.json", counts=Counter())
    assert article.paragraphs[0].context == "R&D of 'Rome' & Oslo: fast © free."
    assert (
        read_squad(tmp_path / "b.json")[0].paragraphs[0].context == context
    )  # prepared files stay as they are
    found, counts = asked(tmp_path, context, *right, ("amp", 2))
    assert (found, counts) == (right, {"decoded_entities": 5, "moved_answers": 3, "dropped_answers": 1})


def test_entities_of_questions_are_decoded_and_those_of_other_shapes_judged(tmp_path, document):
    document["data"][0]["paragraphs"][0]["qas"][0]["question"] = "Q&amp;A?"
    path = written(tmp_path / "b.json", json.dumps(document))
    asked_first, _ = questions(read_squad(path, counts=Counter()))
    assert asked_first[1].text == "Q&A?"
    document["data"][0]["paragraphs"][0]["qas"][0]["answers"][0]["text"] = 5
    with pytest.raises(InputError, match="text 5 of an answer is no string"):
        read_squad(written(path, json.dumps(document)), counts=Counter())
