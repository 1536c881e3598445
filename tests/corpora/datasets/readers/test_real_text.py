"""Every text, bitext, dictionary and gold alignment of the mirror, read with the counts of its README."""

from collections import Counter

import pytest

from crosslingua.corpora.datasets.readers import (
    BITEXT_READERS,
    DICTIONARY_READERS,
    TEXT_READERS,
    gold_alignment_archive,
)
from crosslingua.corpora.datasets.readers.muse_annotated import part_of_speech
from crosslingua.corpora.datasets.readers.wikitext_csv import records
from crosslingua.corpora.datasets.registry import load_registry
from crosslingua.corpora.dictionaries import prepare_dictionary
from crosslingua.io.bitext import read_bitext, sources

LINES = TEXT_READERS["lines"]


def size(lines):
    """Lines and words."""
    counts = [len(line.split()) for line in lines]
    return len(counts), sum(counts)


def words(path):
    return size(LINES(str(path)))


def test_multi30k_task1(mirror):
    folder = mirror / "multi30k-task1"
    for language, number in (("en", 345_020), ("de", 322_383), ("fr", 362_021)):
        assert words(folder / f"train.{language}.gz") == (29_000, number)
    for split, number in (("val", 1014), ("test_2016_flickr", 1000), ("test_2017_flickr", 1000)):
        for other in ("de", "fr"):
            pairs = read_bitext(folder / f"{split}.en.gz", folder / f"{split}.{other}.gz")
            assert len(list(pairs)) == number
    for split, number in (("train", 47), ("val", 1)):
        assert sum(line.count("\u00a0") for line in LINES(str(folder / f"{split}.de.gz"))) == number


@pytest.mark.parametrize(
    ("language", "wanted"),
    [
        ("en", [521_356, 404_067, 338_213, 284_863, 229_698]),
        ("de", [239_845, 256_404, 273_527, 298_057, 323_178]),
    ],
)
def test_multi30k_task2(mirror, language, wanted):
    folder = mirror / "multi30k-task2"
    found = [words(folder / f"train.{number}.{language}.gz") for number in range(1, 6)]
    assert found == [(29_000, number) for number in wanted]


@pytest.mark.parametrize(("member", "number", "words"), [("train", 615, 2_051_910), ("valid", 47, 213_886)])
def test_wikitext_2(mirror, member, number, words):
    entry = load_registry()["wikitext-2"].file("wikitext-2-v1.zip")
    source = f"{mirror / 'wikitext-2' / entry.name}::{entry.members[member]}"
    assert len(list(records(source))) == number
    lines = list(TEXT_READERS["wikitext_csv"](source))
    assert size(lines)[1] == words
    assert not any('""' in line or line.strip() == '"' for line in lines)
    if member == "train":
        assert sum(bool(line.strip()) for line in lines) == 23_767


def test_tatoeba(mirror):
    for code in ("deu", "fra", "spa", "nld", "hin", "tur", "rus"):
        files = [mirror / "tatoeba-v1" / f"tatoeba.{code}-eng.{side}" for side in (code, "eng")]
        pairs = list(read_bitext(*files))
        assert len(pairs) == 1000
        assert all(first.strip() and second.strip() for first, second in pairs)
        assert len({first for first, _ in pairs}) == len({second for _, second in pairs}) == 1000


@pytest.mark.parametrize(
    ("code", "language", "pairs", "english", "other", "distinct"),
    [
        ("deu", "de", 169_813, 1_095_572, 1_101_235, (135_534, 159_223)),
        ("fra", "fr", 167_130, 1_028_095, 1_118_677, (116_830, 158_527)),
        ("spa", "es", 118_964, 750_706, 723_762, (102_904, 113_322)),
        ("nld", "nl", 73_576, 418_813, 436_727, (61_615, 65_760)),
    ],
)
def test_manythings(mirror, code, language, pairs, english, other, distinct):
    source = f"{mirror / 'manythings' / code}-eng.zip"
    found = list(BITEXT_READERS["tab_pairs"]([source], ("en", language)))
    assert len(found) == len(set(found)) == pairs
    sides = list(zip(*found, strict=True))
    assert [size(side)[1] for side in sides] == [english, other]
    assert tuple(len(set(side)) for side in sides) == distinct


def test_newstest_years_are_parallel_across_data_sets(mirror):
    english = {year: mirror / "newstest-ende" / f"newstest{year}.eng" for year in range(2009, 2019)}
    sizes = dict(enumerate((2525, 2489, 3003, 3003, 3000, 3003, 2169, 2999, 3004, 2998), 2009))
    for code, folder, number in (
        ("deu", "ende", 583_063),
        ("fra", "enfr", 439_284 - 69_631),
        ("spa", "enes", 367_659),
    ):
        lines, found = words(mirror / f"newstest-{folder}" / f"news-test2008.{code}")
        assert lines == 2051
        for year in sizes:
            path = mirror / f"newstest-{folder}" / f"newstest{year}.{code}"
            if path.is_file() and (code, year) != ("fra", 2014):
                pairs = list(read_bitext(english[year], path))
                assert len(pairs) == sizes[year]
                found += size(target for _, target in pairs)[1]
        assert found == number
    french = (mirror / "newstest-enfr" / f"newstest2014.{code}" for code in ("eng", "fra"))
    assert len(list(read_bitext(*french))) == 3003


@pytest.mark.parametrize(
    ("name", "empty", "paragraphs", "number"),
    [("eltec-eng", 138, 77_478, 3_528_410), ("eltec-deu", 0, 66_231, 2_892_297)],
)
def test_novels(mirror, name, empty, paragraphs, number):
    found = [line for path in (mirror / name).iterdir() for line in TEXT_READERS["tei"](str(path))]
    assert size(found) == (paragraphs - empty, number)  # the README counts paragraphs without text too
    assert not any("\n" in line or "<" in line[:1] for line in found)


@pytest.mark.parametrize(
    ("reader", "source", "lines", "number", "beginning"),
    [
        ("brown", "brown/brown.zip", 57_340, 1_161_192, "The Fulton County Grand Jury said Friday "),
        ("gnad", "10kgnad/test.csv", 1_028, 378_582, ""),
        ("wikineural", "wikineural/en.val.conllu", 11_590, 267_839, ""),
        ("conll2003", "conll2003/conll2003.zip::conll2003/train.txt", 14_041, 203_621, "EU rejects "),
    ],
)
def test_tagged_and_other_data_as_text(mirror, reader, source, lines, number, beginning):
    found = list(TEXT_READERS[reader](f"{mirror}/{source}"))
    assert size(found) == (lines, number)
    assert found[0].startswith(beginning)
    assert not any("``" in line for line in found)


def test_xling_eval(mirror):
    read = DICTIONARY_READERS["xling_eval"]
    for pair in ("en-de", "en-fr", "en-it", "en-ru", "en-tr", "en-fi", "de-fr"):
        for split, number, distinct in (("train.freq.5k", 5000, 4306), ("test.freq.2k", 2000, 1920)):
            counts = Counter()
            pairs = read(str(mirror / "xling-eval" / f"yacle.{split}.{pair}.tsv"), counts)
            assert len(pairs) + counts["duplicate"] == number  # de-fr repeats pairs
            assert pair == "de-fr" or counts["duplicate"] == 0
            assert len(sources(pairs)) == (distinct if pair == "de-fr" else number)


def test_muse_full_and_its_splits(mirror):
    path = str(mirror / "muse-full" / "en-de.dict")
    pairs = DICTIONARY_READERS["muse_full"](path)
    assert (len(pairs), len(sources(pairs))) == (101_931, 74_655)
    assert sum(source == target for source, target in pairs) == 48_738
    training, report = prepare_dictionary([path], "muse_full", "train")
    assert report == {"pairs": 14_677, "sources": 5000, "dropped": {"duplicate": 0}}
    testing, report = prepare_dictionary([path], "muse_full", "test")
    assert (report["pairs"], report["sources"]) == (3660, 1500)
    assert training + testing == pairs[:18_337]
    rest, _ = prepare_dictionary([path], "muse_full", "train", validation_share=0.1)
    held, report = prepare_dictionary([path], "muse_full", "valid", validation_share=0.1)
    assert report["sources"] == 500
    assert sorted(rest + held) == sorted(training)


def test_muse_annotated(mirror):
    wanted = {
        "en-de": {"n": 1976, "v": 682, "a": 553, "pn": 424, "o": 23, "nw": 117},
        "de-en": {"n": 1352, "v": 480, "a": 346, "pn": 434, "o": 14, "nw": 276},
        "en-es": {"pn": 511, "o": 3883},
        "es-en": {"pn": 474, "o": 1942},
    }
    found: dict = {}
    seen: dict = {}
    counts = Counter()  # the README counts a repeated pair
    for path in (mirror / "muse-annotated").iterdir():
        pair = path.name.split(".")[0]
        pairs = DICTIONARY_READERS["muse_annotated"](str(path), counts)
        found.setdefault(pair, {})[part_of_speech(str(path))] = len(pairs) + counts.pop("duplicate")
        seen.setdefault(pair, set()).update(sources(pairs))
    assert found == wanted
    assert {len(words) for words in seen.values()} == {1500}


@pytest.mark.parametrize(
    ("pair", "number", "sure", "possible", "dropped"),
    [
        # the README counts links before the repairs: those dropped are subtracted here
        ("de-en", 508, 9613 - 1, 921, {"out_of_range": 1}),
        ("en-fr", 447, 4038, 13_400, {}),
        ("ro-en", 199, 5034 - 1, 0, {"repeated_link": 1}),
        ("en-hi", 90, 1409 - 1, 0, {"out_of_range": 1}),
        ("en-cs", 2501, 67_424 - 1, 0, {"out_of_range": 1}),
    ],
)
def test_gold_alignments(mirror, pair, number, sure, possible, dropped):
    archive = mirror / "word-alignments" / "alignment-test-sets.tar.gz"
    counts = Counter()
    sentences, links = gold_alignment_archive.read(archive, pair, counts)
    assert len(sentences) == len(links) == number
    assert sum(len(item.sure) for item in links) == sure
    assert sum(len(item.possible - item.sure) for item in links) == possible
    assert +counts == dropped
    for (first, second), item in zip(sentences, links, strict=True):
        assert "  " not in first + second
        assert all(i < len(first.split()) and j < len(second.split()) for i, j in item.possible)


def test_gold_links_join_words_that_translate_each_other(mirror):
    # Wrong index bases or directions would not align the full stops, nor numbers, with themselves.
    archive = mirror / "word-alignments" / "alignment-test-sets.tar.gz"
    for pair in gold_alignment_archive.pairs(archive):
        sentences, links = gold_alignment_archive.read(archive, pair)
        ends = [
            (len(first.split()) - 1, len(second.split()) - 1) in item.possible
            for (first, second), item in zip(sentences, links, strict=True)
            if first.split()[-1] == second.split()[-1] == "."
        ]
        assert not ends or sum(ends) / len(ends) > 0.9, pair
