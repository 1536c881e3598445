"""The sentence-pair contract: round trips without quoting, malformations with their line, placeholder labels."""

import pytest

from crosslingua.errors import InputError
from crosslingua.io.pairs import SentencePair, read_pairs, write_pairs
from crosslingua.tasks.kinds import KINDS
from texts import written

NLI, PARAPHRASE = (KINDS[kind].pairs for kind in ("nli", "paraphrase"))
PAIRS = [
    SentencePair('He said "yes', "He spoke", "entailment"),
    SentencePair("A", 'B ""', "neutral"),
    SentencePair("A", "C\u2028D", "contradiction"),
]


def test_what_is_written_is_read_again(tmp_path):
    path = tmp_path / "nli.tsv"
    assert write_pairs(path, PAIRS, NLI) == 3
    assert list(read_pairs(path, NLI)) == PAIRS
    assert path.read_text(encoding="utf-8").startswith("premise\thypothesis\tlabel\n")
    pairs = [SentencePair("e\u0301", "b", "1"), SentencePair("c", "d", "0")]
    write_pairs(path, pairs, PARAPHRASE)
    assert list(read_pairs(path, PARAPHRASE)) == [SentencePair("é", "b", "1"), pairs[1]]


HEADER = "premise\thypothesis\tlabel"


@pytest.mark.parametrize(
    ("lines", "line", "message"),
    [
        (["a\tb\tneutral"], 1, r"header \('a', 'b', 'neutral'\) where premise<TAB>hypothesis<TAB>label is "),
        ([HEADER, "a\tb"], 2, "2 columns where 3 are expected"),
        ([HEADER, "a\tb\tneutral\tx"], 2, "4 columns"),
        ([HEADER, "a\tb\tneutral", " \tb\tneutral"], 3, "empty premise"),
        ([HEADER, "a\tb\tcontradictory"], 2, "unknown label 'contradictory': the labels are entailment,"),
    ],
)
def test_malformations_are_named_with_their_line(tmp_path, lines, line, message):
    with pytest.raises(InputError, match=rf"^{tmp_path}/a\.tsv:{line}: {message}"):
        list(read_pairs(written(tmp_path / "a.tsv", "\n".join(lines) + "\n"), NLI))


def test_placeholder_labels_are_refused(tmp_path):
    path = written(tmp_path / "a.tsv", f"{HEADER}\n" + "a\tb\tneutral\n" * 5)
    with pytest.raises(InputError, match=r"all 5 labels are 'neutral'.*placeholder"):
        list(read_pairs(path, NLI))
    assert len(list(read_pairs(path, NLI, single_label=True))) == 5


def test_empty_files_are_refused_on_both_sides(tmp_path):
    with pytest.raises(InputError, match="no pairs"):
        list(read_pairs(written(tmp_path / "a.tsv", f"{HEADER}\n"), NLI))
    with pytest.raises(InputError, match="no pairs to write"):
        write_pairs(tmp_path / "b.tsv", [], NLI)
    assert not (tmp_path / "b.tsv").exists()


@pytest.mark.parametrize("pair", [("a\t", "b", "neutral"), ("a", "b\n", "neutral"), ("a", "b", "maybe")])
def test_what_the_format_cannot_hold_is_refused(tmp_path, pair):
    with pytest.raises(ValueError, match="no pair with a label of"):
        write_pairs(tmp_path / "b.tsv", [SentencePair(*pair)], NLI)
