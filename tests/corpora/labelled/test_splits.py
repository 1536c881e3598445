"""The table of splits: every row complete and resolvable; errors of look-ups and of the table itself."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crosslingua.corpora.datasets.registry import load_registry
from crosslingua.corpora.labelled.prepare import formats
from crosslingua.corpora.labelled.source import Grouped
from crosslingua.corpora.labelled.splits import (
    divide,
    drop_repeats,
    folded,
    labelled_set,
    leave_out,
    load_splits,
    required_files,
    sources,
)
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.conll import TaggedSentence
from crosslingua.io.pairs import SentencePair
from texts import written

TASKS = {"ner", "pos", "slots", "nli", "paraphrase", "qa"}


def test_every_labelled_set_of_the_registry_has_splits_that_name_its_files_and_members():
    registry = load_registry()
    assert set(load_splits()) == {name for name, row in registry.items() if TASKS & set(row.tasks)}
    for name, row in load_splits().items():
        assert row.format in formats(), name
        assert set(row.tasks) <= set(registry[name].tasks), name
        assert set(row.languages) <= set(registry[name].languages), name
        for language in row.languages:
            names = row.splits(language)
            assert len(names) == len(set(names)), (name, language)
            for split in names:
                assert required_files(name, language, split)
            for published in row.languages[language].values():
                assert bool(published.files) != bool(published.same_as)
                for path in sources(name, published, "data"):
                    assert path.startswith(f"data/{name}/")


@pytest.mark.parametrize(
    ("name", "language", "sizes"),
    [
        ("conll2003", "en", [14987, 3466, 3684]),
        ("conll2003-german", "de", [12705, 3068, 3160]),
        ("facebook-slots", "es", [3617, 1983, 3043]),
        ("multiatis", "hi", [600, 893, 893]),
    ],
)
def test_published_sizes_of_mbert_align_table_1(name, language, sizes):
    splits = labelled_set(name).languages[language]
    found = [splits[part].expect for part in ("train", "valid", "test")]
    assert [expect["sentences"] + expect.get("document_marks", 0) for expect in found] == sizes


def test_required_files_of_archives_divisions_left_out_sets_labels_and_splits_that_are_another_sets():
    assert required_files("conll2003", "en", "test") == [("conll2003", "conll2003.zip")]
    assert required_files("xnli-de", "de", "valid") == [("xnli-de", "train.txt"), ("xnli-de", "dev.txt")]
    assert required_files("snips", "en", "train_without_xsid") == [
        ("snips", "train.seq.in"), ("snips", "train.seq.out"),
        ("xsid", "en.valid.conll"), ("xsid", "en.test.conll"),
    ]  # fmt: skip
    assert required_files("xnli", "tr", "test") == [("xnli", "test-tr.tsv"), ("xnli-de", "test.txt")]
    assert required_files("xnli", "de", "test") == [("xnli-de", "test.txt")]
    # a part of what is the same as it
    assert required_files("panx", "en", "valid") == [("wikiann-en", "dev")]
    assert ("wikiann-de", "test") in required_files("panx", "en", "train_without_tests")


def test_a_published_split_is_no_part_of_a_division_of_the_same_name():
    assert labelled_set("pawsx").parent("en", "valid") == "development"
    assert labelled_set("pawsx").parent("es", "valid") is None


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("conll2004", "en", "test"), r"no labelled data set 'conll2004': there are .*conll2003"),
        (("conll2003", "de", "test"), "conll2003 has no 'de': it has en"),
        (("xquad", "en", "dev"), "xquad has no split 'dev' in en: it has all, train, test"),
        (("facebook-multilingual", "es", "valid_without_xsid"), "has no split 'valid_without_xsid' in es"),
    ],
)
def test_unknown_names_list_what_there_is(names, message):
    with pytest.raises(ConfigError, match=message):
        required_files(*names)


@pytest.mark.parametrize(
    ("tasks", "split", "message"),
    [
        ("[ner, sums]", "{files: [a]}", "3: toy.tasks.1: 'sums' is not one of"),
        ("[ner]", "{files: [a], same_as: [b, en, test]}", "4: toy.languages.en.all: "),
    ],
)
def test_bad_tables_are_named_with_their_line(tmp_path, tasks, split, message):
    text = f"toy:\n  format: conll\n  tasks: {tasks}\n  languages: {{en: {{all: {split}}}}}\n"
    with pytest.raises(InputError, match=rf"splits.yaml:{message}"):
        load_splits(written(tmp_path / "splits.yaml", text))


# Divisions keep groups whole, depend on nothing but seed and name, and follow the shares; leaving out.


SHARES = {"train": 0.5, "valid": 0.2, "test": 0.3}


def first(item):
    return item[0]


@settings(deadline=None)
@given(
    groups=st.lists(st.text("abcdef", min_size=1, max_size=3), min_size=10, max_size=60, unique=True),
    seed=st.integers(0, 5),
    data=st.data(),
)
def test_groups_stay_whole_and_items_in_order(groups, seed, data):
    items = data.draw(st.permutations([(group, k) for group in groups for k in range(len(group))]))
    parts = divide(items, first, SHARES, seed)
    assert sorted(item for part in parts.values() for item in part) == sorted(items)
    for part in parts.values():
        assert part == [item for item in items if item in set(part)]
    names = [{first(item) for item in part} for part in parts.values()]
    assert sum(map(len, names)) == len(groups)
    for name, share in zip(names, SHARES.values(), strict=True):
        assert abs(len(name) - share * len(groups)) <= 1
    again = divide(sorted(items), first, SHARES, seed)
    assert {key: set(part) for key, part in again.items()} == {key: set(part) for key, part in parts.items()}
    many = [(str(k), 0) for k in range(50)]
    assert divide(many, first, SHARES, seed) != divide(many, first, SHARES, seed + 1)


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        ({"a": 0.5, "b": 0.6}, "sum to 1"),
        ({"a": 1.5, "b": -0.5}, "sum to 1"),
        ({"a": 0.9, "b": 0.1}, r"part 'b' with share 0\.1 of 2 groups is empty"),
    ],
)
def test_shares_sum_to_one_and_leave_no_part_empty(shares, message):
    with pytest.raises(ConfigError, match=message):
        divide([("x", 0), ("y", 0)], first, shares, 1)


def test_repeats_and_what_is_left_out_are_dropped_and_counted():
    counts = Counter()
    assert drop_repeats([("a", 1), ("b", 2), ("a", 3)], first, counts) == [("a", 1), ("b", 2)]
    assert leave_out(iter([1, 2, 3, 2]), lambda x: x, {2}, counts) == [1, 3]
    assert counts == {"repeats": 1, "left_out": 2}


def tagged(*tokens):
    return Grouped(TaggedSentence(tokens, ("O",) * len(tokens)), "")


def test_folding_forgets_case_punctuation_and_tokenisation():
    assert folded(tagged("Is", "it", "Ann's", "?")) == folded(tagged("is", "it", "ann", "'s"))
    assert folded(tagged("Is", "it")) != folded(tagged("Is", "he"))
    assert folded(Grouped(SentencePair("It is.", "x", "neutral"), "")) == "itis"
