"""From files to contract files: counts that must fit, placeholders, universal tags, the script."""

import json
from itertools import chain

import pytest

from crosslingua.corpora.labelled.prepare import map_slots, read_split, to_universal, write_split
from crosslingua.corpora.labelled.source import Grouped
from crosslingua.corpora.labelled.splits import labelled_set
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.conll import TaggedSentence, read_conll
from crosslingua.io.pairs import SentencePair, read_pairs
from crosslingua.io.squad import read_squad
from crosslingua.tasks import kinds
from texts import written


def test_a_file_with_other_counts_than_published_is_refused(tmp_path):
    written(tmp_path / "uner" / "de_pud-ud-test.iob2", "1\tBonn\tB-LOC\t-\t-\n")
    with pytest.raises(InputError, match="1 sentences where the published split has 1000"):
        read_split("uner", "ner", "de", "test", tmp_path)
    with pytest.raises(ConfigError, match="uner is no data for pos: it serves ner"):
        read_split("uner", "pos", "de", "test", tmp_path)


def tagged(*labels):
    return Grouped(TaggedSentence(tuple("abc"[: len(labels)]), labels), "")


@pytest.mark.parametrize(
    ("task", "records", "message"),
    [
        ("ner", [tagged("O", "O"), tagged("O")], "all 2 records have the label no entity"),
        (
            "nli",
            [Grouped(SentencePair("a", "b", "neutral"), "a")] * 3,
            "all 3 records have the label neutral",
        ),
        ("pos", [tagged("X"), tagged("X")], "all 2 records have the label X"),
    ],
)
def test_placeholder_labels_are_refused_before_anything_is_written(tmp_path, task, records, message):
    with pytest.raises(InputError, match=message):
        write_split(tmp_path / "a", records, task)
    assert not (tmp_path / "a").exists()


def test_unknown_parts_of_speech_are_named_with_their_sentence():
    with pytest.raises(InputError, match=r"part of speech 'NN' has no universal tag, in: a b"):
        to_universal([tagged("NOUN", "NN")], labelled_set("ud-pud"), "de", None)
    with pytest.raises(ConfigError, match="no tag set of uner in de"):
        to_universal([tagged("NOUN")], labelled_set("uner"), "de", None)
    with pytest.raises(ConfigError, match="need the map en-ptb"):
        to_universal([tagged("NN")], labelled_set("conll2003"), "en", None)


def test_slots_are_renamed_or_left_out():
    row = labelled_set("facebook-multilingual")
    (after,) = map_slots([tagged("B-weather/noun", "B-reminder/reference", "B-datetime")], row, "xsid")
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
