"""Formats that the mirror lacks, and bad input of all of them, on small files written here."""

import bz2
import gzip
from collections import Counter

import pytest

import texts
from corpora.archives import tarred, zipped
from crosslingua.corpora.datasets.readers import (
    BITEXT_READERS,
    DICTIONARY_READERS,
    EXPANDERS,
    TEXT_READERS,
    gold_alignment_archive,
    mediawiki,
)
from crosslingua.corpora.datasets.registry import load_registry
from crosslingua.corpora.dictionaries import prepare_dictionary
from crosslingua.corpora.labelled.prepare import formats as labelled_formats
from crosslingua.corpora.pipeline import Rules, TextSide
from crosslingua.corpora.text import prepare_text
from crosslingua.errors import ConfigError, InputError


def written(path, text):
    return str(texts.written(path, text))


def test_every_format_of_the_registry_has_its_reader():
    readers = {
        "text": TEXT_READERS,
        "bitext": BITEXT_READERS,
        "dictionary": DICTIONARY_READERS,
        "alignment": {"gold_alignment_archive": gold_alignment_archive.read},
    }
    for row in load_registry().values():
        kinds = set(row.tasks) & set(readers)
        unlabelled = any(row.format in readers[kind] for kind in kinds)
        assert not kinds or unlabelled or row.format in labelled_formats(), row.name


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


@pytest.mark.parametrize(
    ("name", "text", "sentences"),
    [
        ("tei", TEI, ["One", "A bold line goes on.", "Verse"]),
        ("gnad", GNAD, ['Er sagt: "So; nicht".', "Ohne ''Quotes"]),
        ("wikitext_csv", WIKITEXT, [" = Title = ", ' a "quoted" word ', "", "b"]),
    ],
)
def test_sentences_of_a_file(tmp_path, name, text, sentences):
    assert list(TEXT_READERS[name](written(tmp_path / "a", text))) == sentences


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("tei", TEI[:-9], "not whole XML"),
        ("tei", "<TEI><text><body/></text></TEI>", "no text/body"),
        ("gnad", "'nur text'\n", "a:1: 1 columns"),
        ("wikitext_csv", "a\nb,c\n", "a:2: .*one column, found 2"),
        ("wikitext_csv", 'a\n"b" c\n', "a:2: .*not CSV"),
        ("wikitext_csv", 'a\n"open\nend\n', "a:3: .*not CSV"),
    ],
)
def test_files_of_another_format(tmp_path, name, text, message):
    with pytest.raises(InputError, match=message):
        list(TEXT_READERS[name](written(tmp_path / "a", text)))


def test_brown_words_end_at_the_last_slash(tmp_path):
    words = {"brown/README": "about", "brown/ca01": "\n\t``/`` 1/2/cd cup/nn ''/'' ./.\n\n"}
    assert list(TEXT_READERS["brown"](zipped(tmp_path / "brown.zip", words))) == ['" 1/2 cup " .']
    with pytest.raises(InputError, match=r"ca01:2: 'end' is no word/tag"):
        list(TEXT_READERS["brown"](zipped(tmp_path / "bad.zip", {"brown/ca01": "\nThe/at end\n"})))


def test_archives_of_opus_and_europarl(tmp_path):
    members = {"en": "one\ntwo\n", "hi": "एक\nदो\n", "ids": "1\n2\n"}
    members = {f"OpenSubtitles.en-hi.{end}": text for end, text in members.items()}
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


def test_wikimatrix_margin_and_direction(tmp_path):
    source = [written(tmp_path / "WikiMatrix.de-en.tsv.gz", gzip.compress(WIKIMATRIX.encode()))]
    read, counts = BITEXT_READERS["wikimatrix"], Counter()
    assert list(read(source, ["de", "en"], counts=counts)) == [("ein Haus", "a house"), ("zwei", "two")]
    assert counts["low_margin"] == 1
    assert list(read(source, ["en", "de"], margin=1.2)) == [("a house", "ein Haus")]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("tab_pairs", "Go.\tVa !\nHi.\n", "a:2: 1 columns where 2 or 3"),
        *(
            ("wikimatrix", f"{WIKIMATRIX}{line}\n", "a:4: expected margin")
            for line in ("1.1\tonly two", "high\ta\tb", "1.1\ta\tb\tc", "")
        ),
    ],
)
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
    path = dump(
        tmp_path,
        PAGE.format("A", 0, "", ARTICLE),
        PAGE.format("Talk:A", 1, "", "chatter"),
        PAGE.format("B", 0, "<redirect title='A' />", "#REDIRECT [[A]]"),
        PAGE.format("C", 0, "", "#WEITERLEITUNG [[A]]"),
        PAGE.format("D", 0, "", "Second article."),
    )
    counts = Counter()
    pages = TEXT_READERS["mediawiki"](str(path), counts=counts)
    assert [line for page in pages for line in EXPANDERS["mediawiki"](page)] == [
        "Bold is a shown text in Paris. End.",
        "A list item with a link &",
        "Category:Shown",
        "rest of it",
        "Second article.",
    ]
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
    assert list(mediawiki.paragraphs(open_text)) == open_text.splitlines()


def test_truncated_dump(tmp_path):
    path = dump(tmp_path, PAGE.format("A", 0, "", "text " * 2000))
    whole = path.read_bytes()
    path.write_bytes(whole[:-30])
    with pytest.raises(InputError, match="truncated or damaged"):
        list(TEXT_READERS["mediawiki"](str(path)))
    path.write_bytes(bz2.compress(bz2.decompress(whole)[:-40]))
    with pytest.raises(InputError, match=r"wiki\.xml\.bz2:\d+: not whole XML"):
        list(TEXT_READERS["mediawiki"](str(path)))


@pytest.mark.parametrize(
    ("name", "file", "line"),
    [
        ("xling_eval", "d.tsv", "one two"),
        ("xling_eval", "d.tsv", "a\tb\tc"),
        ("xling_eval", "d.tsv", "a\t"),
        ("xling_eval", "d.tsv", "a b\tc"),
        ("muse_full", "d.dict", "no separator"),
        ("muse_full", "d.dict", "a b @ c"),
        ("muse_full", "d.dict", " @ c"),
        ("muse_annotated", "en-de.5000-6500.n.txt", "one"),
    ],
)
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
    lines = [f"w{index} t{index}\nw{index} u\n" for index in range(number)]
    return written(tmp_path / "en-xx.txt", "".join(lines))


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
    pairs, report = prepare_dictionary(
        [path], languages=("tr", "de"), lower=True, without_same_surface=True, exclude=seen
    )
    assert pairs == [("ı", "ben"), ("cat", "katze")]
    assert report == {"pairs": 2, "sources": 2, "dropped": {"duplicate": 1, "excluded": 1, "same_surface": 1}}
    odd = written(tmp_path / "odd.txt", "Cafe\u0301 cof\u200bfee\nno\u00a0break x\n\u200b y\n")
    assert prepare_dictionary([odd])[0] == [("Caf\u00e9", "coffee")]
    assert prepare_dictionary([odd])[1]["dropped"]["not_a_word"] == 2
    assert prepare_dictionary([path], swap=True)[0][3] == ("Katze", "Cat")
    with pytest.raises(InputError, match="no pair is left"):
        prepare_dictionary([written(tmp_path / "train.txt", "dog x\n")], exclude=seen)


def test_gold_archive_without_the_pair(tmp_path):
    members = {"test.de": "a b\n", "test.en": "x\n", "align.txt": "1 2 1\n"}
    path = tarred(tmp_path / "a.tar.gz", {f"root/de-en/{name}": text for name, text in members.items()})
    sentences, links = gold_alignment_archive.read(path, "de-en")
    assert (sentences, links[0].sure) == ([("a b", "x")], {(1, 0)})
    with pytest.raises(InputError, match="no pair 'en-de': it holds de-en"):
        gold_alignment_archive.read(path, "en-de")
