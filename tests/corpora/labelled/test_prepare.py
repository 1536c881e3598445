"""From files to contract files, the table of splits, and parallel text inside labelled sets."""

import itertools
import json
from collections import Counter
from itertools import chain
from operator import itemgetter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosslingua.corpora.datasets.readers import BITEXT_READERS
from crosslingua.corpora.datasets.registry import load_registry
from crosslingua.corpora.labelled.parallel import read_questions, read_treebank, read_xnli
from crosslingua.corpora.labelled.prepare import (
    formats,
    map_slots,
    read_split,
    spread,
    to_universal,
    write_split,
)
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
from crosslingua.io.conll import TaggedSentence, read_conll
from crosslingua.io.pairs import SentencePair, read_pairs
from crosslingua.io.squad import read_squad
from crosslingua.tasks import kinds
from texts import written

TASKS = {"ner", "pos", "slots", "nli", "paraphrase", "qa"}


def test_a_file_with_other_counts_than_published_is_refused(tmp_path):
    written(tmp_path / "uner" / "de_pud-ud-test.iob2", "1\tBonn\tB-LOC\t-\t-\n")
    with pytest.raises(InputError, match="1 sentences where the published split has 1000"):
        read_split("uner", "ner", "de", "test", tmp_path)
    with pytest.raises(ConfigError, match="uner is no data for pos: it serves ner"):
        read_split("uner", "pos", "de", "test", tmp_path)


def labelled(*labels):
    return Grouped(TaggedSentence(tuple("abc"[: len(labels)]), labels), "")


@pytest.mark.parametrize(("task", "records", "message"), [
    ("ner", [labelled("O", "O"), labelled("O")], "all 2 records have the label no entity"),
    ("nli", [Grouped(SentencePair("a", "b", "neutral"), "a")] * 3, "all 3 records have the label neutral"),
    ("pos", [labelled("X"), labelled("X")], "all 2 records have the label X"),
])  # fmt: skip
def test_placeholder_labels_are_refused_before_anything_is_written(tmp_path, task, records, message):
    with pytest.raises(InputError, match=message):
        write_split(tmp_path / "a", records, task)
    assert not (tmp_path / "a").exists()


def test_unknown_parts_of_speech_are_named_with_their_sentence():
    with pytest.raises(InputError, match=r"part of speech 'NN' has no universal tag, in: a b"):
        to_universal([labelled("NOUN", "NN")], labelled_set("ud-pud"), "de", None)
    with pytest.raises(ConfigError, match="no tag set of uner in de"):
        to_universal([labelled("NOUN")], labelled_set("uner"), "de", None)
    with pytest.raises(ConfigError, match="need the map en-ptb"):
        to_universal([labelled("NN")], labelled_set("conll2003"), "en", None)


def test_slots_are_renamed_or_left_out():
    row = labelled_set("facebook-multilingual")
    (after,) = map_slots([labelled("B-weather/noun", "B-reminder/reference", "B-datetime")], row, "xsid")
    assert after.record.labels == ("O", "B-reference", "B-datetime")
    with pytest.raises(ConfigError, match="no map from the slots of atis to those of 'xsid': there are none"):
        map_slots([], labelled_set("atis"), "xsid")


OUT = ("--out", "out", "--report", "report.json")


def test_the_script_on_a_file_of_ones_own_and_on_wrong_names(script, tmp_path):
    (tmp_path / "mine").write_text("EU NNP B-NP B-ORG\nrejects VBZ B-VP O\n\nPeter NNP B-NP I-PER\n")
    mine = ("prepare_labelled.py", "--format", "conll2003", "--input", "mine", "--language", "en", *OUT)
    script(*mine, "--task", "ner")
    assert [s.labels for s in read_conll(tmp_path / "out")] == [("B-ORG", "O"), ("B-PER",)]
    assert json.loads((tmp_path / "report.json").read_text())["labels"] == {"ORG": 1, "PER": 1}
    script(*mine, "--task", "qa", status=1)
    wrong = ("--dataset", "xquad", "--task", "qa", "--language", "en", "--split", "dev")
    done = script("prepare_labelled.py", *wrong, *OUT, status=1)
    assert done.stderr.strip().endswith("error: xquad has no split 'dev' in en: it has all, train, test")


@given(st.integers(0, 60), st.integers(1, 60))
def test_some_records_are_spread_over_the_whole(size, most):
    rows = spread(size, most)
    assert len(rows) == min(size, most) == len(set(rows))
    assert all(0 <= row < size for row in rows)
    gaps = {after - before for before, after in itertools.pairwise([*rows, size])} if rows else {0}
    assert max(gaps) - min(gaps) <= 1


def test_the_script_on_mirrored_sets(script, tmp_path, mirror):
    for arguments, reader in (
        (("pioner", "ner", "hy", "valid"), read_conll),
        (("xnli-de", "nli", "de", "valid"), lambda path: read_pairs(path, kinds.KINDS["nli"].pairs)),
        (("xquad", "qa", "en", "test"), read_squad),
    ):
        named = zip(("--dataset", "--task", "--language", "--split"), arguments, strict=True)
        script("prepare_labelled.py", *chain(*named), "--data-dir", mirror, *OUT)
        found = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
        size = found.get("sentences", found.get("pairs", found.get("articles")))
        assert len(list(reader(tmp_path / "out"))) == size


def test_every_labelled_set_of_the_registry_has_splits_that_name_its_files_and_members():
    registry = load_registry()
    assert set(load_splits()) == {name for name, row in registry.items() if TASKS & set(row.tasks)}
    for name, row in load_splits().items():
        assert row.format in formats(), name
        assert set(row.tasks) <= set(registry[name].tasks), name
        assert set(row.languages) <= set(registry[name].languages), name
        for language, splits in row.languages.items():
            names = row.splits(language)
            assert len(names) == len(set(names)), (name, language)
            assert all(required_files(name, language, split) for split in names)
            for published in splits.values():
                assert bool(published.files) != bool(published.same_as)
                assert all(path.startswith(f"data/{name}/") for path in sources(name, published, "data"))


@pytest.mark.parametrize(("name", "language", "sizes"), [
    ("conll2003", "en", [14987, 3466, 3684]),
    ("conll2003-german", "de", [12705, 3068, 3160]),
    ("facebook-slots", "es", [3617, 1983, 3043]), ("multiatis", "hi", [600, 893, 893]),
])  # fmt: skip
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


@pytest.mark.parametrize(("names", "message"), [
    (("conll2004", "en", "test"), r"no labelled data set 'conll2004': there are .*conll2003"),
    (("conll2003", "de", "test"), "conll2003 has no 'de': it has en"),
    (("xquad", "en", "dev"), "xquad has no split 'dev' in en: it has all, train, test"),
    (("facebook-multilingual", "es", "valid_without_xsid"), "has no split 'valid_without_xsid' in es"),
])  # fmt: skip
def test_unknown_names_list_what_there_is(names, message):
    with pytest.raises(ConfigError, match=message):
        required_files(*names)


@pytest.mark.parametrize(("tasks", "split", "message"), [
    ("[ner, sums]", "{files: [a]}", "3: toy.tasks.1: 'sums' is not one of"),
    ("[ner]", "{files: [a], same_as: [b, en, test]}", "4: toy.languages.en.all: "),
])  # fmt: skip
def test_bad_tables_are_named_with_their_line(tmp_path, tasks, split, message):
    text = f"toy:\n  format: conll\n  tasks: {tasks}\n  languages: {{en: {{all: {split}}}}}\n"
    with pytest.raises(InputError, match=rf"splits.yaml:{message}"):
        load_splits(written(tmp_path / "splits.yaml", text))


SHARES = {"train": 0.5, "valid": 0.2, "test": 0.3}
first = itemgetter(0)


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


@pytest.mark.parametrize(("shares", "message"), [
    ({"a": 0.5, "b": 0.6}, "sum to 1"), ({"a": 1.5, "b": -0.5}, "sum to 1"),
    ({"a": 0.9, "b": 0.1}, r"part 'b' with share 0\.1 of 2 groups is empty"),
])  # fmt: skip
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


@pytest.mark.parametrize(("layout", "files", "languages", "size"), [
    ("conllu", ["ud-pud/tr_pud-ud-test.conllu"], ("en", "tr"), 1000),
    ("xnli", ["esxnli/esxnli.tsv"], ("en", "es"), 3320),
    ("sick", ["sick-nl/SICK_NL.txt"], ("nl", "en"), None),
    ("squad", ["xquad/xquad.en.json", "xquad/xquad.de.json"], ("en", "de"), 1190),
])  # fmt: skip
def test_mirrored_sets(mirror, layout, files, languages, size):
    sources = [str(mirror / file) for file in files]
    pairs = list(BITEXT_READERS[layout](sources, languages))
    assert size in (None, len(pairs))
    assert all(one and other for one, other in pairs)
    other_way = list(BITEXT_READERS[layout](sources[::-1], languages[::-1]))
    assert [pair[::-1] for pair in other_way] == pairs or {pair[::-1] for pair in other_way} == set(pairs)
    english = " ".join(pair[languages.index("en")] for pair in pairs).lower().split()
    assert english.count("the") + english.count("a") > 0.02 * len(english)


def test_what_is_not_parallel_is_refused(tmp_path):
    path = tmp_path / "a.tsv"
    header = "language\tgold_label\tsentence1\tsentence2\tpromptID\n"
    path.write_text(header + "en\tneutral\tA\tB\t1\nen\tneutral\tC\tD\t2\nes\tneutral\tE\tF\t1\n")
    with pytest.raises(InputError, match="4 and 2 sentences in en and es"):
        list(read_xnli([str(path)], ("en", "es")))
    path.write_text(header + "en\tneutral\tA\tB\t1\nes\tneutral\tA1\tB1\t1\n" * 2)
    assert list(read_xnli([str(path)], ("es", "en"))) == [("A1", "A"), ("B1", "B")]
    path.write_text(header + "en\tneutral\tA\tB\t1\nes\tneutral\tA1\tB1\t1\n" * 9 + "en\tneutral\tA\n")
    with pytest.raises(InputError, match="tsv:20: 3 columns"):  # what one language lost would shift its pairs
        list(read_xnli([str(path)], ("es", "en")))
    with pytest.raises(ConfigError, match="squad takes two files"):
        list(read_questions(["a"], ("en", "de")))
    path.write_text("# text = a\n1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n")
    with pytest.raises(InputError, match=r"sentence \? has no text or no text_en"):
        list(read_treebank([str(path)], ("en", "de")))
    with pytest.raises(ConfigError, match="en must be one of de, tr"):
        list(read_treebank([str(path)], ("de", "tr")))
