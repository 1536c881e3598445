"""Mirrored questions: counts, and divisions by article."""

import pytest

from corpora.labelled.mirrored import split
from crosslingua.corpora.labelled.prepare import summary
from crosslingua.io.squad import questions

QUESTIONS = [
    ("mlqa", "en", "valid", 978, 1148), ("mlqa", "de", "valid", 456, 512), ("mlqa", "es", "valid", 454, 500),
    ("tydiqa-goldp", "en", "train", 3696, 3696), ("tydiqa-goldp", "en", "test", 440, 440),
    ("tydiqa-goldp", "fi", "test", 782, 782), ("tydiqa-goldp", "id", "test", 565, 565),
    ("tydiqa-goldp", "ko", "test", 276, 276), ("tydiqa-goldp", "sw", "test", 499, 499),
]  # fmt: skip


@pytest.mark.parametrize(("name", "language", "part", "paragraphs", "number"), QUESTIONS)
def test_questions(mirror, name, language, part, paragraphs, number):
    records, _ = split(mirror, name, "qa", language, part)
    found = summary(records, "qa")
    assert (found["paragraphs"], found["questions"]) == (paragraphs, number)


def contexts(mirror, name, language, part):
    records, _ = split(mirror, name, "qa", language, part)
    return {paragraph.context for record in records for paragraph in record.record.paragraphs}


def test_contexts_of_training_questions_are_in_no_test_set(mirror):
    train = contexts(mirror, "tydiqa-goldp", "en", "train")
    assert not train & contexts(mirror, "tydiqa-goldp", "en", "test")
    assert not train & contexts(mirror, "xquad", "en", "all")
    assert len(train & contexts(mirror, "mlqa", "en", "valid")) <= 1  # documented


def test_xquad_is_divided_by_article_alike_in_every_language(mirror):
    for part, articles in (("train", 36), ("test", 12)):
        ids = []
        for language in ("en", "de", "es"):
            records, _ = split(mirror, "xquad", "qa", language, part)
            assert len(records) == articles
            ids.append([question.id for _, question in questions([r.record for r in records])])
        assert ids[0] == ids[1] == ids[2]
    everything, _ = split(mirror, "xquad", "qa", "de", "all")
    assert summary(everything, "qa") == {"articles": 48, "paragraphs": 240, "questions": 1190}
