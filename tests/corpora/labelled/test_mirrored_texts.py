"""Mirrored splits with their published counts; pairs and questions: labels across languages, divisions."""

from collections import Counter

import pytest

from corpora.labelled.mirrored import split
from crosslingua.corpora.labelled.prepare import summary
from crosslingua.corpora.labelled.splits import load_splits
from crosslingua.io.conll import TaggedSentence
from crosslingua.io.pairs import SentencePair
from crosslingua.io.squad import questions

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", load_splits())
def test_a_published_split_is_read_with_the_counts_that_its_row_expects(mirror, name):
    """Reading refuses others."""
    row = load_splits()[name]
    if not (mirror / name).is_dir():
        pytest.skip(f"the mirror has no {name}")
    for language, splits in row.languages.items():
        for part in splits:
            records, _ = split(mirror, name, row.tasks[0], language, part)
            assert records, (language, part)
            for record in (one.record for one in records):
                if isinstance(record, SentencePair):
                    assert not any("\u00a0" in text or "\ufeff" in text for text in record), (language, part)
                elif isinstance(record, TaggedSentence):
                    assert all(token.strip() for token in record.tokens), (language, part)


def test_sick_labels_are_those_of_both_languages(mirror):
    totals = Counter()
    for part in ("train", "valid", "test"):
        dutch, english = (split(mirror, "sick-nl", "nli", language, part)[0] for language in ("nl", "en"))
        assert [r.record.label for r in dutch] == [r.record.label for r in english]
        assert dutch[0].record.first != english[0].record.first
        totals.update(record.record.label for record in dutch)
    assert totals == {"neutral": 5595, "entailment": 2821, "contradiction": 1424}


def test_xnli_german_is_divided_by_premise(mirror):
    train, valid = (split(mirror, "xnli-de", "nli", "de", part)[0] for part in ("train", "valid"))
    assert len(train) + len(valid) == 2495
    assert len({r.group for r in train}) + len({r.group for r in valid}) == 832
    assert not {r.record.first for r in train} & {r.record.first for r in valid}
    _, counts = split(mirror, "xnli-de", "nli", "de", "test_without_development")
    assert counts["left_out"] == 6


def test_esxnli_is_divided_by_prompt_alike_in_both_languages(mirror):
    for part, prompts in (("train", 498), ("valid", 83), ("test", 249)):
        spanish, english = (split(mirror, "esxnli", "nli", language, part)[0] for language in ("es", "en"))
        assert [(r.group, r.record.label) for r in spanish] == [(r.group, r.record.label) for r in english]
        assert len({r.group for r in spanish}) == prompts
        assert len(spanish) == 3 * prompts


def rows(mirror, file):
    with (mirror / file).open(encoding="utf-8") as stream:
        return [line.rstrip("\n").split("\t") for line in stream]


@pytest.mark.parametrize("language", ["en", "es", "fr", "tr", "hi"])
def test_xnli_test_files_have_the_labels_of_the_german_one(mirror, language):
    records, _ = split(mirror, "xnli", "nli", language, "test")
    german = [row[2] for row in rows(mirror, "xnli-de/test.txt")]
    assert [record.record.label for record in records] == german
    assert len(records) == 5010
    # independent of the order of rows: negation gives contradictions away in every English test set
    if language == "en":
        never = Counter(r.record.label for r in records if " never " in f" {r.record.second.lower()} ")
        assert never["contradiction"] > 2 * never["entailment"] > 0


def test_english_xnli_trains_on_esxnli_too_and_on_no_premise_of_its_others(mirror):
    train, of_xnli, of_esxnli, valid, test = (
        split(mirror, name, "nli", "en", part)[0]
        for name, part in (
            ("xnli", "train_with_esxnli"), ("xnli", "train"), ("esxnli", "all"), ("xnli", "valid"), ("xnli", "test")
        )
    )  # fmt: skip
    assert train == of_xnli + of_esxnli
    assert len(train) == 1992 + 2490
    premises = {record.record.first for record in train}
    assert premises.isdisjoint(record.record.first for record in (*valid, *test))


def test_xnli_is_divided_alike_in_every_language(mirror):
    groups = {}
    for language in ("en", "es", "fr", "tr", "hi"):
        parts = ("train", "valid", "test")
        train, valid, test = (split(mirror, "xnli", "nli", language, part)[0] for part in parts)
        assert (len(train), len(valid)) == (1992, 498)
        assert not {r.record.first for r in train} & {r.record.first for r in valid}
        groups[language] = [(r.group, r.record.label) for r in valid]
        assert not {r.record[:2] for r in train + valid} & {r.record[:2] for r in test}
    assert all(found == groups["en"] for found in groups.values())


@pytest.mark.parametrize(("language", "dropped"), [("en", 0), ("es", 0), ("fr", 8)])
def test_pawsx_test_files_have_the_labels_of_the_german_one(mirror, language, dropped):
    def beside_german(part):
        german, own = rows(mirror, f"pawsx-de/{part}.tsv")[1:], rows(mirror, f"pawsx/{part}-{language}.tsv")
        return [(de, row) for de, row in zip(german, own, strict=True) if "NS" not in de + row]

    records, counts = split(mirror, "pawsx", "paraphrase", language, "test")
    assert (len(records), counts["unlabelled"]) == (2000 - 32 - dropped, 32)
    assert [record.record.label for record in records] == [german[3] for german, _ in beside_german("test")]
    known = beside_german("dev")  # the rule that test sets are labelled by, where the labels are known
    assert len(known) > 1890
    assert all(german[3] == own[2] for german, own in known)


def test_no_csv_quotes_are_left_in_pawsx(mirror):
    for language, part in (("es", "valid"), ("es", "test"), ("fr", "valid"), ("fr", "test")):
        records, _ = split(mirror, "pawsx", "paraphrase", language, part)
        assert not any('""' in text for record in records for text in record.record[:2])


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


def spelled(record):
    return tuple(token.lower() for token in record.record.tokens)


def letters(words):
    return "".join(letter for letter in "".join(words) if letter.isalnum())


@pytest.mark.parametrize(("name", "task", "least"), [("panx", "ner", 257), ("udpos", "pos", 91)])
def test_no_training_sentence_of_xtreme_is_in_a_test_set(mirror, name, task, least):
    train, counts = split(mirror, name, task, "en", "train_without_tests")
    whole, _ = split(mirror, name, task, "en", "train")
    assert len(train) == len(whole) - counts["left_out"] <= len(whole) - least
    tests = {
        spelled(record)
        for language, splits in load_splits()[name].languages.items()
        for part in splits.keys() - {"train"}
        for record in split(mirror, name, task, language, part)[0]
    }
    kept = set(map(spelled, train))
    assert not kept & tests
    # nothing else was left out than what a test set has, but for case, punctuation and spaces
    assert {letters(words) for words in set(map(spelled, whole)) - kept} <= set(map(letters, tests))
