"""Mirrored labelled sets of every kind: no training sentence in a test set, files that are there."""

import pytest

from corpora.labelled.mirrored import split
from crosslingua.corpora.labelled.splits import load_splits, required_files


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


def test_every_mirrored_split_names_files_that_are_there(mirror):
    for name, row in load_splits().items():
        folder = mirror / name
        if folder.is_dir():
            for language in row.languages:
                for part in row.splits(language):
                    for dataset, file in required_files(name, language, part):
                        assert (mirror / dataset / file).is_file(), (name, language, part, file)
