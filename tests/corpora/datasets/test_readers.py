"""Every text, bitext and dictionary of the mirror with its counts; formats that the mirror lacks, and bad input."""

import bz2
import gzip
from collections import Counter, defaultdict

import pytest

import texts
from corpora.archives import tarred, zipped
from crosslingua.corpora.datasets.readers import BITEXT_READERS, DICTIONARY_READERS, EXPANDERS, TEXT_READERS
from crosslingua.corpora.datasets.readers.gold_alignment_archive import pairs as gold_pairs
from crosslingua.corpora.datasets.readers.gold_alignment_archive import read as read_gold
from crosslingua.corpora.datasets.readers.mediawiki import paragraphs
from crosslingua.corpora.datasets.readers.muse_annotated import part_of_speech
from crosslingua.corpora.datasets.readers.wikitext_csv import records
from crosslingua.corpora.datasets.registry import load_registry
from crosslingua.corpora.dictionaries import prepare_dictionary
from crosslingua.corpora.labelled.prepare import formats as labelled_formats
from crosslingua.corpora.pipeline import Rules, TextSide
from crosslingua.corpora.text import prepare_text
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.bitext import read_bitext, sources

LINES = TEXT_READERS["lines"]


def written(path, text):
    return str(texts.written(path, text))


def test_every_format_of_the_registry_has_its_reader():
    readers = {
        "text": TEXT_READERS, "bitext": BITEXT_READERS, "dictionary": DICTIONARY_READERS,
        "alignment": {"gold_alignment_archive": read_gold},
    }  # fmt: skip
    for row in load_registry().values():
        if kinds := set(row.tasks) & set(readers):
            unlabelled = any(row.format in readers[kind] for kind in kinds)
            assert unlabelled or row.format in labelled_formats(), row.name


def test_pairs_of_an_archive_that_holds_other_files_besides(tmp_path):
    text = "Go.\tVa !\nHi.\tSalut.\tby somebody\n"
    others = {"x/_about.txt": "about", "__MACOSX/x/._xx.txt": "junk"}
    source, read = [zipped(tmp_path / "xx-eng.zip", others | {"x/xx.txt": text})], BITEXT_READERS["tab_pairs"]
    assert list(read(source, ["en", "fr"])) == [("Go.", "Va !"), ("Hi.", "Salut.")]
    assert list(read(source, ["fr", "en"])) == [("Va !", "Go."), ("Salut.", "Hi.")]
    with pytest.raises(ConfigError, match="pairs are of en and another"):
        list(read(source, ["fr", "de"]))


TEI = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><p>header</p></teiHeader><text>
<front><p>front</p></front><body><div><head>One</head><p>A <hi>bold</hi>
   line<pb n="2"/> goes on.</p><p> </p><l>Verse</l></div></body><back><p>back</p></back></text></TEI>"""
GNAD = "Web;'Er sagt: \"So; nicht\".'\r\nWeb;Ohne ''Quotes\r\n"
WIKITEXT = '" = Title = \n a ""quoted"" word \n"\nb\n'


@pytest.mark.parametrize(("name", "text", "sentences"), [
    ("tei", TEI, ["One", "A bold line goes on.", "Verse"]),
    ("gnad", GNAD, ['Er sagt: "So; nicht".', "Ohne ''Quotes"]),
    ("wikitext_csv", WIKITEXT, [" = Title = ", ' a "quoted" word ', "", "b"]),
])  # fmt: skip
def test_sentences_of_a_file(tmp_path, name, text, sentences):
    assert list(TEXT_READERS[name](written(tmp_path / "a", text))) == sentences


@pytest.mark.parametrize(("name", "text", "message"), [
    ("tei", TEI[:-9], "not whole XML"),
    ("tei", "<TEI><text><body/></text></TEI>", "no text/body"),
    ("gnad", "'nur text'\n", "a:1: 1 columns"),
    ("wikitext_csv", "a\nb,c\n", "a:2: .*one column, found 2"),
    ("wikitext_csv", 'a\n"b" c\n', "a:2: .*not CSV"),
    ("wikitext_csv", 'a\n"open\nend\n', "a:3: .*not CSV"),
])  # fmt: skip
def test_files_of_another_format(tmp_path, name, text, message):
    with pytest.raises(InputError, match=message):
        list(TEXT_READERS[name](written(tmp_path / "a", text)))


def test_brown_words_end_at_the_last_slash(tmp_path):
    words = {"brown/README": "about", "brown/ca01": "\n\t``/`` 1/2/cd cup/nn ''/'' ./.\n\n"}
    assert list(TEXT_READERS["brown"](zipped(tmp_path / "brown.zip", words))) == ['" 1/2 cup " .']
    with pytest.raises(InputError, match=r"ca01:2: 'end' is no word/tag"):
        list(TEXT_READERS["brown"](zipped(tmp_path / "bad.zip", {"brown/ca01": "\nThe/at end\n"})))


def test_archives_of_opus_and_europarl(tmp_path):
    texts = (("en", "one\ntwo\n"), ("hi", "एक\nदो\n"), ("ids", "1\n2\n"))
    members = {f"OpenSubtitles.en-hi.{end}": text for end, text in texts}
    source = [zipped(tmp_path / "en-hi.txt.zip", {"README": "about"} | members)]
    read = BITEXT_READERS["moses_archive"]
    assert list(read(source, ["en", "hi"])) == [("one", "एक"), ("two", "दो")]
    assert list(read(source, ["hi", "en"])) == [("एक", "one"), ("दो", "two")]
    with pytest.raises(InputError, match=r"0 members end in \.de; it holds README"):
        list(read(source, ["en", "de"]))
    members = {"europarl-v7.de-en.de": "Ja\nNein\n", "europarl-v7.de-en.en": "Yes\n"}
    with pytest.raises(InputError, match=r"europarl-v7.de-en.en: has 1 lines, but .*\.de has 2"):
        list(read([tarred(tmp_path / "de-en.tgz", members)], ["de", "en"]))


WIKIMATRIX = "1.25\tein Haus\ta house\n1.05\tzwei\ttwo\n1.03\tfalsch\twrong\n"


TMX = """<?xml version="1.0"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd" [<!ENTITY a "expanded">]>
<tmx version="1.4"><header srclang="en"/><body>
<tu><tuv xml:lang="EN-us"><seg>Hello <hi>big</hi>
 <bpt i="1">&lt;b&gt;</bpt>world<ept i="1">&lt;/b&gt;</ept> &a;!</seg></tuv><tuv xml:lang="de"><seg>Hallo</seg></tuv>
</tu>
<tu><tuv xml:lang="en"><seg>only English</seg></tuv></tu>
<tu><tuv lang="de"><seg>Tschüss</seg></tuv><tuv lang="en"><seg>Bye</seg></tuv></tu>
</body></tmx>
"""


def test_translation_memories_expand_no_entities(tmp_path):
    path, counts = written(tmp_path / "a.tmx", TMX), Counter()
    read = BITEXT_READERS["tmx"]
    assert list(read([path], ["de", "en"], counts=counts)) == [
        ("Hallo", "Hello big world !"),
        ("Tschüss", "Bye"),
    ]
    assert counts == {"missing_sentences": 1}
    with pytest.raises(InputError, match="no unit has en and fr: it has EN-us, de, en"):
        list(read([path], ["en", "fr"]))
    with pytest.raises(InputError, match=r"a\.tmx:\d: not whole XML"):
        list(read([written(tmp_path / "a.tmx", TMX[:250])], ["en", "de"]))
    with pytest.raises(ConfigError, match="tmx takes one file"):
        list(read([path, path], ["en", "de"]))


def test_wikimatrix_margin_and_direction(tmp_path):
    source = [written(tmp_path / "WikiMatrix.de-en.tsv.gz", gzip.compress(WIKIMATRIX.encode()))]
    read, counts = BITEXT_READERS["wikimatrix"], Counter()
    assert list(read(source, ["de", "en"], counts=counts)) == [("ein Haus", "a house"), ("zwei", "two")]
    assert counts["low_margin"] == 1
    assert list(read(source, ["en", "de"], margin=1.2)) == [("a house", "ein Haus")]


@pytest.mark.parametrize(("name", "text", "message"), [
    ("tab_pairs", "Go.\tVa !\nHi.\n", "a:2: 1 columns where 2 or 3"),
    *[("wikimatrix", f"{WIKIMATRIX}{line}\n", "a:4: expected margin")
      for line in ("1.1\tonly two", "high\ta\tb", "1.1\ta\tb\tc", "")],
])  # fmt: skip
def test_pairs_of_other_columns(tmp_path, name, text, message):
    with pytest.raises(InputError, match=message):
        list(BITEXT_READERS[name]([written(tmp_path / "a", text)], ["en", "de"]))


@pytest.mark.parametrize(
    ("name", "files"), [("parallel_lines", 1), ("parallel_lines", 3), ("moses_archive", 2), ("wikimatrix", 2)]
)
def test_wrong_number_of_files(name, files):
    with pytest.raises(ConfigError, match="takes"):
        list(BITEXT_READERS[name](["f"] * files, ["de", "en"]))


def test_a_field_of_wikitext_may_have_many_lines(tmp_path):
    long = written(tmp_path / "l", '"' + "word \n" * 100_000 + '"\n')
    assert sum(line == "word " for line in TEXT_READERS["wikitext_csv"](long)) == 100_000


PAGE = "<page><title>{}</title><ns>{}</ns>{}<revision><text xml:space='preserve'>{}</text></revision></page>"
ARTICLE = """{{Infobox|name={{nested|x}}|y}}
'''Bold''' is a [[target page|shown text]] in [[Paris]].&lt;ref name=a&gt;A {{cite}} note.&lt;/ref&gt; End&lt;ref name=a
/&gt;.
== Heading ==
* A [[list]] item with a [https://x.example link] &amp;amp; [https://y.example]
{| class=table
| cell || {| inner |}
|}
[[File:a.png|thumb|A [[caption]] here]]
[[Category:Things]][[:Category:Shown]] &lt;!-- hidden
comment --&gt;&lt;br /&gt;rest of it __TOC__
&lt;math&gt;x^2&lt;/math&gt;
"""


def dump(tmp_path, *pages):
    text = "<mediawiki xmlns='http://www.mediawiki.org/xml/export-0.10/'>" + "".join(pages) + "</mediawiki>"
    return texts.written(tmp_path / "wiki.xml.bz2", bz2.compress(text.encode()))


def test_wikipedia_articles(tmp_path):
    pages = (
        ("A", 0, "", ARTICLE), ("Talk:A", 1, "", "chatter"), ("C", 0, "", "#WEITERLEITUNG [[A]]"),
        ("B", 0, "<redirect title='A' />", "#REDIRECT [[A]]"), ("D", 0, "", "Second article."),
    )  # fmt: skip
    path, counts = dump(tmp_path, *[PAGE.format(*page) for page in pages]), Counter()
    pages = TEXT_READERS["mediawiki"](str(path), counts=counts)
    assert [line for page in pages for line in EXPANDERS["mediawiki"](page)] == [
        "Bold is a shown text in Paris. End.", "A list item with a link &", "Category:Shown", "rest of it",
        "Second article.",
    ]  # fmt: skip
    assert counts["pages"] == 2


@pytest.mark.parametrize("threads", [1, 2])
def test_wikipedia_prepared(tmp_path, threads):
    path = dump(tmp_path, *[PAGE.format("A", 0, "", "''One'' [[link]]. Two.\n\n== H ==\nThree.")] * 2)
    rules = Rules((TextSide("en", "moses", True),), split_sentences=True)
    report = prepare_text([str(path)], rules, tmp_path / "out", "mediawiki", threads=threads)
    assert (tmp_path / "out").read_text() == "one link .\ntwo .\nthree .\n" * 2
    assert (report["lines_in"], report["lines_out"]) == (4, 6)


def test_wikipedia_markup_that_is_not_closed_ends():
    open_text = "{{ open [[ text\n} | ] after {|"
    assert list(paragraphs(open_text)) == open_text.splitlines()


def test_truncated_dump(tmp_path):
    path = dump(tmp_path, PAGE.format("A", 0, "", "text " * 2000))
    whole = path.read_bytes()
    path.write_bytes(whole[:-30])
    with pytest.raises(InputError, match="truncated or damaged"):
        list(TEXT_READERS["mediawiki"](str(path)))
    path.write_bytes(bz2.compress(bz2.decompress(whole)[:-40]))
    with pytest.raises(InputError, match=r"wiki\.xml\.bz2:\d+: not whole XML"):
        list(TEXT_READERS["mediawiki"](str(path)))


@pytest.mark.parametrize(("name", "file", "line"), [
    ("xling_eval", "d.tsv", "one two"), ("xling_eval", "d.tsv", "a\tb\tc"), ("xling_eval", "d.tsv", "a\t"),
    ("xling_eval", "d.tsv", "a b\tc"), ("muse_full", "d.dict", "no separator"),
    ("muse_full", "d.dict", "a b @ c"), ("muse_full", "d.dict", " @ c"),
    ("muse_annotated", "en-de.5000-6500.n.txt", "one"),
])  # fmt: skip
def test_malformed_dictionary_lines(tmp_path, name, file, line):
    good = {"muse_full": "Haus @ house"}.get(name, "house\tHaus")
    path = written(tmp_path / file, f"{good}\n{line}\n")
    with pytest.raises(InputError, match=f"{file}:2: expected"):
        DICTIONARY_READERS[name](path)
    with pytest.raises(InputError, match="holds no pairs"):
        DICTIONARY_READERS[name](written(tmp_path / file, ""))


def test_annotated_file_without_its_part(tmp_path):
    with pytest.raises(InputError, match="gives no part of speech"):
        DICTIONARY_READERS["muse_annotated"](written(tmp_path / "en-de.txt", "a\tb\n"))


def ranked(tmp_path, number):
    return written(tmp_path / "en-xx.txt", "".join(f"w{i} t{i}\nw{i} u\n" for i in range(number)))


def test_full_dictionaries_divide_by_rank(tmp_path):
    path = ranked(tmp_path, 6600)
    train, _ = prepare_dictionary([path], "muse_by_rank", "train")
    test, _ = prepare_dictionary([path], "muse_by_rank", "test")
    assert [pair[0] for pair in train[::2]] == [f"w{index}" for index in range(5000)]
    assert [pair[0] for pair in test[::2]] == [f"w{index}" for index in range(5000, 6500)]
    assert len(prepare_dictionary([path], "muse_by_rank")[0]) == 13_200
    with pytest.raises(InputError, match="6400 source words, but MUSE's test set is words 5000 to 6500"):
        prepare_dictionary([ranked(tmp_path, 6400)], "muse_by_rank", "test")
    with pytest.raises(ConfigError, match="no split 'dev'"):
        prepare_dictionary([path], "muse_by_rank", "dev")


def test_options_of_a_dictionary_by_hand(tmp_path):
    path = written(tmp_path / "d.txt", "Hand Hand\nhand hand\nI ben\nCat Katze\nDog Hund\n")
    seen = [("dog", "x")]
    options = {"languages": ("tr", "de"), "lower": True, "without_same_surface": True}
    pairs, report = prepare_dictionary([path], exclude=seen, **options)
    assert pairs == [("ı", "ben"), ("cat", "katze")]
    assert report == {"pairs": 2, "sources": 2, "dropped": {"duplicate": 1, "excluded": 1, "same_surface": 1}}
    odd = written(tmp_path / "odd.txt", "Cafe\u0301 cof\u200bfee\nno\u00a0break x\n\u200b y\n")
    assert prepare_dictionary([odd])[0] == [("Caf\u00e9", "coffee")]
    assert prepare_dictionary([odd])[1]["dropped"]["not_a_word"] == 2
    with pytest.raises(InputError, match="no pair is left"):
        prepare_dictionary([written(tmp_path / "train.txt", "dog x\n")], exclude=seen)


def test_gold_archive_without_the_pair(tmp_path):
    members = {"test.de": "a b\n", "test.en": "x\n", "align.txt": "1 2 1\n"}
    path = tarred(tmp_path / "a.tar.gz", {f"root/de-en/{name}": text for name, text in members.items()})
    sentences, links = read_gold(path, "de-en")
    assert (sentences, links[0].sure) == ([("a b", "x")], {(1, 0)})
    with pytest.raises(InputError, match="no pair 'en-de': it holds de-en"):
        read_gold(path, "en-de")


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


@pytest.mark.parametrize(("language", "wanted"), [
    ("en", [521_356, 404_067, 338_213, 284_863, 229_698]),
    ("de", [239_845, 256_404, 273_527, 298_057, 323_178]),
])  # fmt: skip
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


@pytest.mark.parametrize(("code", "language", "pairs", "english", "other", "distinct"), [
    ("deu", "de", 169_813, 1_095_572, 1_101_235, (135_534, 159_223)),
    ("fra", "fr", 167_130, 1_028_095, 1_118_677, (116_830, 158_527)),
    ("spa", "es", 118_964, 750_706, 723_762, (102_904, 113_322)),
    ("nld", "nl", 73_576, 418_813, 436_727, (61_615, 65_760)),
])  # fmt: skip
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


@pytest.mark.parametrize(("name", "empty", "paragraphs", "number"), [
    ("eltec-eng", 138, 77_478, 3_528_410), ("eltec-deu", 0, 66_231, 2_892_297),
])  # fmt: skip
def test_novels(mirror, name, empty, paragraphs, number):
    found = [line for path in (mirror / name).iterdir() for line in TEXT_READERS["tei"](str(path))]
    assert size(found) == (paragraphs - empty, number)  # the README counts paragraphs without text too
    assert not any("\n" in line or "<" in line[:1] for line in found)


@pytest.mark.parametrize(("reader", "source", "lines", "number", "beginning"), [
    ("brown", "brown/brown.zip", 57_340, 1_161_192, "The Fulton County Grand Jury said Friday "),
    ("gnad", "10kgnad/test.csv", 1_028, 378_582, ""),
    ("wikineural", "wikineural/en.val.conllu", 11_590, 267_839, ""),
    ("conll2003", "conll2003/conll2003.zip::conll2003/train.txt", 14_041, 203_621, "EU rejects "),
])  # fmt: skip
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
    found, seen = defaultdict(dict), defaultdict(set)
    counts = Counter()  # the README counts a repeated pair
    for path in (mirror / "muse-annotated").iterdir():
        pair = path.name.split(".")[0]
        pairs = DICTIONARY_READERS["muse_annotated"](str(path), counts)
        found[pair][part_of_speech(str(path))] = len(pairs) + counts.pop("duplicate")
        seen[pair].update(sources(pairs))
    assert found == wanted
    assert {len(words) for words in seen.values()} == {1500}


@pytest.mark.parametrize(("pair", "number", "sure", "possible", "dropped"), [
    # the README counts links before the repairs: those dropped are subtracted here
    ("de-en", 508, 9613 - 1, 921, {"out_of_range": 1}), ("en-fr", 447, 4038, 13_400, {}),
    ("ro-en", 199, 5034 - 1, 0, {"repeated_link": 1}), ("en-hi", 90, 1409 - 1, 0, {"out_of_range": 1}),
    ("en-cs", 2501, 67_424 - 1, 0, {"out_of_range": 1}),
])  # fmt: skip
def test_gold_alignments(mirror, pair, number, sure, possible, dropped):
    archive = mirror / "word-alignments" / "alignment-test-sets.tar.gz"
    counts = Counter()
    sentences, links = read_gold(archive, pair, counts)
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
    for pair in gold_pairs(archive):
        sentences, links = read_gold(archive, pair)
        ends = [
            (len(first.split()) - 1, len(second.split()) - 1) in item.possible
            for (first, second), item in zip(sentences, links, strict=True)
            if first.split()[-1] == second.split()[-1] == "."
        ]
        assert not ends or sum(ends) / len(ends) > 0.9, pair
