"""Test sentences in published training text are counted and left out; on real files."""

import pytest

from crosslingua.corpora.datasets.readers import BITEXT_READERS, TEXT_READERS
from crosslingua.corpora.pipeline import Rules, TextSide, held_out, sentence_key
from crosslingua.corpora.text import prepare_bitext, prepare_text


def lines(path):
    return list(TEXT_READERS["lines"](str(path)))


@pytest.mark.parametrize(("code", "language", "pairs"), [("spa", "es", 539), ("nld", "nl", 376)])
def test_manythings_without_the_sentences_that_tatoeba_tests(mirror, tmp_path, code, language, pairs):
    tests = [mirror / "tatoeba-v1" / f"tatoeba.{code}-eng.{side}" for side in ("eng", code)]
    source = str(mirror / "manythings" / f"{code}-eng.zip")
    every = list(BITEXT_READERS["tab_pairs"]([source], ("en", language)))
    sides = [lines(path) for path in tests]
    assert len(set(zip(*sides, strict=True)) & set(every)) == pairs  # what is documented of this leak
    rules = Rules(
        (TextSide("en", "whitespace"), TextSide(language, "whitespace")),
        held_out=tuple(held_out([path]) for path in tests),
    )
    outs = [tmp_path / "a", tmp_path / "b"]
    report = prepare_bitext([source], rules, outs, "tab_pairs")
    assert report["dropped"]["held_out"] > pairs
    assert report["lines_out"] == len(every) - report["dropped"]["held_out"]
    for out, side in zip(outs, sides, strict=True):
        assert not {line.lower() for line in lines(out)} & {" ".join(line.split()).lower() for line in side}


def test_news_of_other_years_without_the_published_test_sets(mirror, tmp_path):
    tests = [mirror / "newstest-ende" / "newstest2016.eng", mirror / "newstest-enfr" / "newstest2014.eng"]
    years = [mirror / "newstest-ende" / f"newstest{year}.eng" for year in (2014, 2015)]
    rules = Rules((TextSide("en", "whitespace"),), held_out=(held_out(tests),))
    report = prepare_text(list(map(str, years)), rules, tmp_path / "out")
    shared = set(lines(years[0])) & set(lines(tests[1]))
    assert len(shared) == 1503
    assert report["dropped"]["held_out"] >= 1503
    kept = {sentence_key(line) for line in lines(tmp_path / "out")}
    assert not kept & {sentence_key(line) for path in tests for line in lines(path)}
