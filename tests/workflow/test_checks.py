"""Files that sources name must exist: an error gives the place and the closest name."""

import gzip
import os
import re
import shutil
import tarfile
import time
from contextlib import nullcontext
from functools import reduce
from pathlib import Path

import pytest

from configurations import Opener
from corpora.archives import tarred
from crosslingua.config import merged
from crosslingua.errors import ConfigError, CrosslinguaError
from crosslingua.io.json import read_yaml
from crosslingua.workflow.checks import FIRST_LINES, check_own_files, check_place, own_files, published_inputs
from crosslingua.workflow.configuration import open_workflow
from crosslingua.workflow.workflow import Workflow
from texts import written


@pytest.mark.parametrize(("line", "message"), [
    # that says nothing useful
    ("txet\tsv\tfile\ta.txt", "unknown task 'txet': the tasks are text, derived, .*did you mean 'text'"),
    ("text\tsv\twikipedia", "train, valid and test are empty: nothing is named"),
    ("bitext\tsv-en\tfile\ta.sv\tb.sv", "one line is one text: name its files in one column"),
    ("text\tsv\tfile\ta.txt b.txt", "a text is one file, not 2"),
    ("text\tana\tworld\tx", "data of the generated world are configured under `world`, not in a sheet"),
    # text
    ("text\ten\tweb\tx", "from: 'web' is not defined under the registry of data sets"),
    ("text\ten\twikipdia\tx", "did you mean 'wikipedia'"),
    ("text\ten\twikipedia\tenwiki.xml", "'enwiki.xml' is not defined under data set wikipedia .*did you mean"),
    ("text\tsw\tparts\tsw.books", r"sw\.books"),
    # languages made of another
    ("derived\tx\tana", "the key 'transform' is missing"),
    ("derived\tx\tana\t\t\t\ttransform=tarns", "transform: 'tarns' is not defined .*did you mean 'trans'"),
    ("derived\tx\tanna\t\t\t\ttransform=trans", "'anna' is not defined .*did you mean 'ana'"),
    ("derived\tx\tana_trans\t\t\t\ttransform=inv", "'ana_trans' is derived itself; compose the transforms"),
    ("derived\tx\tana\t\t\t\ttransform=syn", "the key 'order_of' is missing"),
    ("derived\tx\tana\t\t\t\ttransform=trans_syn order_of=ana_trans",
     "order_of: 'ana_trans' is not defined under the treebanks"),
    # dictionaries
    ("dictionary\td\tmuse\ta.txt", "the key 'test' is missing"),
    ("dictionary\td\tmsue\ta.txt\t\tb.txt", "from: 'msue' is not defined .*did you mean 'muse'"),
    # parallel text
    ("bitext\tenglish\ttatoeba-v1\tx", "a pair is named source-target, or source-target.what"),
    ("bitext\tana-ber\ttatoeba\tx", "from: 'tatoeba' is not defined .*did you mean 'tatoeba-v1'"),
    ("bitext\tana-ber\ttatoeba-v1\tx", "'x' is not defined under data set tatoeba-v1"),
    ("gold_alignment\tde-en\tword-alignments\t\t\tx", "'x' is not defined under data set word-alignments"),
    # labelled data
    ("ner\tx\tconll\t\t\ttest", "from: 'conll' is not defined under the labelled data sets .*did you mean"),
    ("ner\tx\tconll2003\t\t\ttest\tlanguage=fr", "conll2003 has no 'fr': it has en"),
    ("ner\tx\tconll2003\t\t\tdev\tlanguage=en", "conll2003 has no split 'dev' in en: it has train, "),
    ("qa\tx\tconll2003\t\t\ttest\tlanguage=en", "conll2003 has no data for qa"),
    ("nli\tx\tfile\t\t\ta.tsv", r"the key 'format' is missing \(from: file\)"),
    ("ner\tx\tfile\ta\t\t\tformat=conl2003", "format: 'conl2003' is not .*formats of ner .*mean 'conll2003'"),
    ("pos\tx\tfile\ta\t\t\tformat=squad", "format: 'squad' is not .*formats of pos .*conll2003, .*conllu"),
    ("qa\tx\tfile\ta\t\t\tformat=conll", r"format: 'conll' is not .*formats of qa \(squad\)"),
    ("bitext\tana-ber\tfile\ta", "parallel_lines takes two files, not 1: name one for each language"),
    ("bitext\tana-ber\tfile\ta\t\t\tformat=tab_pair", "format: 'tab_pair' .*did you mean 'tab_pairs'"),
    ("gold_alignment\tana-ber\tfile\t\t\ta b", "a gold alignment is one archive, not 2 files"),
])  # fmt: skip
def test_a_line_of_a_sheet_that_names_what_is_not_there(opened: Opener, line: str, message: str) -> None:
    task, name, *_ = line.split("\t")
    with pytest.raises(ConfigError, match=rf"own\.tsv:3: {task} {name}: .*{message}"):
        opened(change=opened.with_sheet("# first", line))


def test_syntax_needs_a_file_of_trees_of_your_own_text(opened: Opener) -> None:
    def change(options: str) -> dict:
        sheet = opened.with_sheet(f"derived\tx\tsw\t\t\t\ttransform=trans_syn order_of=ber{options}")
        return sheet | {"languages": {"sw": {"path": "sw.txt"}}}

    with pytest.raises(ConfigError, match=r"'trees' is missing.*CoNLL-U file.*this text has no trees"):
        opened(change=change(""))
    w = opened(change=change(" trees=sw.conllu"))
    assert "sw.conllu" in dict(own_files(w)).values()


def test_a_published_split_is_read_from_its_files_and_the_maps_of_its_tags() -> None:
    entry = {"from": "conll2003", "language": "en", "test": "test"}
    files, maps = [("conll2003", "conll2003.zip")], [("universal-tagset", "universal_tagset.zip")]
    assert published_inputs(entry, "xx", "test") == files
    assert published_inputs({**entry, "universal": True}, "xx", "test") == files + maps
    for other in ({"from": "world", "test": 5}, {"from": "file", "test": "a"}, {"derived_from": "ana"}):
        assert published_inputs(other, "xx", "test") == []


def checked(w: Workflow, message: str = "", error: type[CrosslinguaError] = ConfigError) -> None:
    """Check that files are refused with this message; that they are not, without one."""
    with pytest.raises(error, match=message) if message else nullcontext():
        check_own_files(w)


OWN = (
    "text\tsw\tfile\ttext/sw.txt.gz",
    "dictionary\tmine\tfile\td/{source}-{target}.txt\t\td/test.txt",
    "bitext\tana-ber\tfile\tb/ana b/ber",
    "gold_alignment\tana-cor\tfile\t\t\tg.tar.gz",
    "ner\tsw\tfile\tner.txt\t\t\tformat=conll2003",
)
MISSING = {
    "text/sw.txt.gz": r"own\.tsv:2: text sw: path: there is no file text/sw\.txt\.gz",
    "d/ana-ber.txt": r"own\.tsv:3: dictionary mine: train: there is no file d/ana-ber\.txt",
    "d/test.txt": r"own\.tsv:3: dictionary mine: test: there is no file d/test\.txt",
    "b/ber": r"own\.tsv:4: bitext ana-ber: train: there is no file b/ber",
    "g.tar.gz": r"own\.tsv:5: gold_alignment ana-cor: test: there is no file g\.tar\.gz",
    "ner.txt": r"own\.tsv:6: ner sw: train: there is no file ner\.txt",
    "own/my text": r"languages\.xx: path: there is no file .*/own/my text",
}


@pytest.mark.parametrize("missing", ["", *MISSING])
def test_a_file_of_your_own_must_be_there(opened: Opener, missing: str) -> None:
    for name in {"b/ana", *MISSING} - {missing}:
        path = opened.folder / name
        text = f"two words\n{name} it\n".encode()
        written(path, gzip.compress(text) if path.suffix == ".gz" else text)
    if missing != "g.tar.gz":
        tarfile.open("g.tar.gz", "w:gz").close()
    own = {"xx": {"path": str(opened.folder / "own/my text")}}  # absolute, the others are relative
    change = opened.with_sheet(*OWN) | {"languages": own, "pairs": ["ana-ber"]}
    checked(opened(change=change), MISSING.get(missing, ""))


@pytest.mark.parametrize("scale", ["", "full", "paper", "real", "tiny"])
def test_what_is_fetched_or_made_need_not_be_there(opened: Opener, scale: str) -> None:
    check_own_files(opened(scale))
    made = {"sw": {"path": "data/multi30k-task2/train.1.en.gz"}, "xx": {"path": "results/demo/some.txt"}}
    w = opened(change={"languages": made})
    paths = [path for _, path in own_files(w)]
    assert {entry["path"] for entry in made.values()} <= set(paths)
    assert not any(Path(path).is_file() for path in paths)
    assert check_own_files(w) is None


def test_what_is_like_a_missing_file_is_named(opened: Opener) -> None:
    written(Path("text/english.txt.gz"), "")
    for path, message in (
        ("text/english.txt", r"; did you mean 'text/english\.txt\.gz'\?$"),
        ("texts/english.txt", f" in {opened.folder}, nor a folder texts$"),
        ("text", ": that is a folder$"),
    ):
        checked(opened(change={"languages": {"en": {"path": path}}}), message)


TEXTS = {
    "sw": b"watu wengi sana\nmtoto mmoja huyo\nnyumba kubwa yao\n",
    "en": b"many people here\none child there\nbig house\n",
}
OWN_TEXTS = {language: {"path": f"{language}.txt"} for language in TEXTS}
WORDS = [b"watu people", b"wengi many", b"mtoto child", b"nyumba house", b"kubwa big", b"mmoja one"]
TURNED = [b" ".join(reversed(pair.split())) for pair in WORDS]


def own_pair(opened: Opener, **files: bytes) -> Workflow:
    """Return a workflow of two texts and a dictionary, with other files in place of some."""
    for name, content in (TEXTS | {"train": b"\n".join(WORDS), "test": b"huyo there\n"} | files).items():
        Path(f"{name}.txt").write_bytes(content)
    dictionaries = {split: f"{split}.txt" for split in ("train", "test")}
    return opened("own", {"languages": OWN_TEXTS, "dictionaries": dictionaries})


@pytest.mark.parametrize(("files", "message"), [
    ({}, ""),
    ({"en": b""}, "languages.en: path: en.txt is empty: name another"),
    ({"en": b" \n\n \n"}, "languages.en: path: en.txt is empty: name another"),
    ({"test": b""}, "dictionaries: test: test.txt is empty"),
    ({"sw": b"watu wengi sana"}, "languages.sw: path: sw.txt is one single line: write one sentence a line"),
    ({"sw": b"word " * 2**18}, "languages.sw: path: sw.txt is one single line"),
    ({"sw": b"<html>\n<p>watu\n"}, "sw.txt:1: is HTML, not plain text"),
    ({"sw": "ma\u00f1ana\n".encode("latin1") * 2}, "sw.txt:1: invalid UTF-8"),
    ({"train": b"one two three\n" * 2}, "train.txt(:1)?: "),
    ({"en": TEXTS["sw"]}, "languages.en: path: en.txt holds the text of sw too: name the text of en"),
    ({"en": TEXTS["sw"] + TEXTS["en"]}, ""),
])  # fmt: skip
def test_own_files_are_looked_into_before_training(opened: Opener, files: dict, message: str) -> None:
    checked(own_pair(opened, **files), message, CrosslinguaError)


def test_a_text_is_compressed_or_not_whatever_its_name(opened: Opener) -> None:
    for name, content in (("sw.txt.gz", b"a\nb\n"), ("sw.new", gzip.compress(b"a\nb\n"))):
        w = opened(change={"languages": {"sw": {"path": name}}})
        Path(name).write_bytes(content)
        checked(w)


def test_a_file_dated_in_the_future_is_named(opened: Opener) -> None:
    w = own_pair(opened)
    os.utime("sw.txt", (time.time() + 172_800,) * 2)
    checked(w, r"languages.sw: path: sw.txt is dated in the future \(20.*\), .*: touch sw.txt")
    os.utime("sw.txt")
    checked(w)


@pytest.mark.parametrize("name", ["g.txt", "g.tar.gz", "g.zip", "g.tgz"])
def test_a_gold_alignment_that_is_no_archive_is_refused(opened: Opener, name: str) -> None:
    w = opened(change=opened.with_sheet(f"gold_alignment\tsw-en\tfile\t\t\t{name}"))
    text = b"1 1 1 S\n" * 10
    Path(name).write_bytes(gzip.compress(text) if "gz" in name else text)
    told = rf"own\.tsv:2: gold_alignment sw-en: {name} is no archive, .*: pack the folder sw-en with test.sw, test.en"
    checked(w, told)


@pytest.mark.parametrize(("name", "other", "message"), [
    ("en.txt", "sw.txt", r"languages\.en: path: en\.txt holds the text of sw too: name the text of en"),
    ("test.txt", "train.txt", r"dictionaries: train\.txt and test.txt are one file: name two"),
])  # fmt: skip
def test_one_file_is_not_two(opened: Opener, name: str, other: str, message: str) -> None:
    w = own_pair(opened)
    Path(name).unlink()
    Path(name).symlink_to(other)
    checked(w, message)


def test_texts_are_compared_as_they_are_read(opened: Opener) -> None:
    own_pair(opened)
    pairs = zip(*(text.splitlines() for text in TEXTS.values()), strict=True)
    Path("both.tsv").write_bytes(b"".join(b"%s\t%s\n" % pair for pair in pairs))
    tarred(Path("both.tgz"), {f"{name}.txt": text.decode() for name, text in TEXTS.items()})
    Path("long.txt").write_bytes(b"watu wengi\n" * FIRST_LINES)
    Path("longer.txt").write_bytes(b"watu wengi\n" * (FIRST_LINES + 1))
    for one, other, same in (
        ("both.tsv\t\t\tcolumn=1", "both.tsv\t\t\tcolumn=2", False),
        ("both.tsv\t\t\tcolumn=1", "both.tsv\t\t\tcolumn=1", True),
        ("both.tgz\t\t\tmember=sw.txt", "both.tgz\t\t\tmember=en.txt", False),
        ("long.txt", "longer.txt", False),
        ("long.txt", "long.txt", True),
    ):
        w = opened(change=opened.with_sheet(f"text\tsw\tfile\t{one}", f"text\ten\tfile\t{other}"))
        checked(w, "own.tsv:3: text en: path: .* holds the text of sw too" if same else "")


def test_a_dictionary_in_the_other_direction_is_refused(opened: Opener) -> None:
    told = "6 source words stand in the text of en only, 0 in the text of sw: swap the columns, or write the pair en-sw"
    place = "dictionaries: train: train.txt: the pairs are the wrong way round"
    checked(own_pair(opened, train=b"\n".join(TURNED)), f"{place}: {told}")
    for unclear in ([*TURNED[:2], b"nyumba house"], [*TURNED[:3], *WORDS[3:]]):
        checked(own_pair(opened, train=b"\n".join(unclear)))


def test_a_dictionary_that_tests_what_it_trains_or_is_of_other_texts_is_refused(opened: Opener) -> None:
    same = b"\n".join(WORDS)
    told = r"dictionaries: train\.txt and test\.txt hold the same: name two"
    checked(own_pair(opened, train=same, test=same), told)
    other = "no pair has both words in the texts of sw and en: name a dictionary"
    checked(own_pair(opened, test=b"watu house-boat\nNiet mens\n"), f"dictionaries: test: test.txt: {other}")
    checked(own_pair(opened, test=b"watu house-boat\nNYUMBA Houses\nMtoto child\n"))
    long = TEXTS["en"] * 2000  # of which the first lines are read
    checked(own_pair(opened, test=b"watu house-boat\n", en=long))


def test_parallel_text_in_the_other_direction_is_refused(opened: Opener) -> None:
    def bitext(files: str, name: str = "sw-en.valid") -> Workflow:
        own_pair(opened)
        return opened(change=opened.with_sheet(f"bitext\t{name}\tfile\t\t{files}") | {"languages": OWN_TEXTS})

    for language, text in TEXTS.items():
        Path(f"lines.{language}").write_bytes(text.upper() + b"more\n")
    told = r"own\.tsv:2: bitext sw-en\.valid: lines.en lines.sw: the files are the wrong way round: 8 source words .*"
    checked(bitext("lines.en lines.sw"), told + "swap the files, or name the pair en-sw")
    checked(bitext("lines.sw lines.en"))
    checked(bitext("lines.en lines.sw", "sw-fr"))  # no text of French


def frequent(code: str, number: int, times: int = 5) -> bytes:
    """A text of so many words, each so many times."""
    return b"".join(b"%s%d\n" % (code.encode(), n) for n in range(number)) * times


def test_texts_with_fewer_frequent_words_than_dimensions_are_refused_without_a_dictionary(
    opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = {"dim": 20, "minCount": 5}
    mine = {"languages": OWN_TEXTS, "dictionaries": None, "word_embeddings": sizes}
    for files, message in (
        (
            {"sw": frequent("a", 21), "en": frequent("b", 20)},
            "en: path: en.txt has 20 words .* 5 times or more, and 21",
        ),
        (
            {"sw": frequent("a", 21, 4), "en": frequent("b", 21)},
            "sw: path: sw.txt has 0 words .* least for vecmap",
        ),
        ({"sw": frequent("a", 21), "en": frequent("b", 21)}, ""),
    ):
        for name, content in files.items():
            Path(f"{name}.txt").write_bytes(content)
        checked(opened("own", mine), message)
    Path("en.txt").write_bytes(b"one two\n" * 4)
    monkeypatch.setattr("crosslingua.workflow.checks.FIRST_LINES", 4)
    checked(opened("own", mine), "")  # a text that goes on


@pytest.mark.parametrize(("name", "legal"), [("b{0}", False), ("b{ 1a, x}", False), ("{config[a]}{x}", True)])
def test_a_folder_under_whose_name_snakemake_cannot_lock_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, legal: bool
) -> None:
    (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / name)
    with (
        nullcontext()
        if legal
        else pytest.raises(ConfigError, match=r"below a folder whose name has \{.*rename")
    ):
        check_place()


def test_two_texts_and_a_pair_are_complete(opened: Opener) -> None:
    own_pair(opened, sw=frequent("a", 101), en=frequent("b", 101))
    mine = "scale: mine\npairs: [es-en]\nlanguages: {es: {path: sw.txt}, en: {path: en.txt}}\n"
    Path("mine.yaml").write_text(mine)
    files = ["config.yaml", "scales/own.yaml", "mine.yaml"]
    w = open_workflow(reduce(merged, map(read_yaml, files)), files)
    check_own_files(w)
    assert list(w.lexicon_pairs) == ["es-en.none"]
    assert [path for _, path in own_files(w)] == ["sw.txt", "en.txt"]
    without = r"scales/own.yaml:\d+: pairs: no pair is given, and joint_align compares"
    with pytest.raises(ConfigError, match=without):
        open_workflow(reduce(merged, map(read_yaml, files[:2])), files[:2])


def test_a_misspelt_language_in_the_path_of_a_dictionary_is_named(opened: Opener) -> None:
    own_pair(opened)
    Path("my{x}.txt").write_bytes(b"huyo there\n")
    paths = {"train": "{source}-{taget}.txt", "test": "my{x}.txt"}
    told = r"dictionaries: train: there is no file sw-{taget}\.txt; did you mean '{target}'\?$"
    checked(opened("own", {"languages": OWN_TEXTS, "dictionaries": paths}), told)
    Path("sw-{taget}.txt").write_bytes(b"\n".join(WORDS))
    checked(
        opened("own", {"languages": OWN_TEXTS, "dictionaries": paths}), r"train: sw-{taget}\.txt has braces"
    )


def test_a_path_with_braces_is_refused(opened: Opener, repository: Path) -> None:
    own_pair(opened)
    shutil.copy("sw.txt", "sw{1}.txt")
    shutil.copy(repository / "world.yaml", "my{x}.yaml")
    checked(
        opened("own", {"languages": OWN_TEXTS | {"sw": {"path": "sw{1}.txt"}}}),
        r"sw: path: sw\{1\}\.txt has braces",
    )
    members = {"xlmr": {"pretrained": "my/encoder{1}"}}
    for change, key in (
        ({"data": {"folder": "a{b}/d"}}, "data.folder: a{b}/d"),
        ({"world": {"languages": "my{x}.yaml"}}, "world.languages: my{x}.yaml"),
        ({"encoders": {"multilingual": {"members": members}}}, "members.xlmr.pretrained: my/encoder{1}"),
    ):
        said = re.escape(f"{key} has braces, which Snakemake cannot read: rename the file or folder")
        with pytest.raises(ConfigError, match=said):
            opened(change=change)
