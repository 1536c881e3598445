"""Debian packages as archives, and the readers of what they hold: help pages and dictionaries of dictd."""

import gzip
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from corpora.archives import packaged
from crosslingua.corpora.datasets.readers import BITEXT_READERS, DICTIONARY_READERS, TEXT_READERS
from crosslingua.corpora.datasets.readers.help_pages import paragraphs
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.decode import decoded_lines, members

HELP = "./usr/share/libreoffice/help"
# `p4` is not translated, `p3` is in English alone, and the second page is in the other half (crc32).
ENGLISH = {
    "a.html": "<h1 id='h1'>Open a file</h1><p id='p1'>Choose <b>File</b>\n - Open.</p><p id='p3'>Only here.</p>"
    "<td id='p4'>CTRL+O</td><p>Nameless.</p>",
    "deep/b.html": "<p id='p1'>Close it.</p>",
}
BASQUE = {
    "a.html": "<h1 id='h1'>Ireki fitxategia</h1><p id='p1'>Hautatu <b>Fitxategia</b> - Ireki.</p><p id='p4'>CTRL+O</p>",
    "deep/b.html": "<p id='p1'>Itxi.</p>",
}


@pytest.fixture
def packages(tmp_path: Path) -> list[str]:
    made = []
    for code, folder, pages in (("en-us", "en-US", ENGLISH), ("eu", "eu", BASQUE)):
        held = {f"{HELP}/{folder}/text/{name}": f"<html><body>{page}" for name, page in pages.items()}
        held |= {f"{HELP}/{folder}-variant/text/a.html": "<p id='p1'>another</p>"}
        made.append(packaged(tmp_path / f"libreoffice-help-{code}_4_7.deb", held))
    return made


def test_a_members_name_reaches_into_a_package(tmp_path: Path) -> None:
    package = packaged(tmp_path / "a.deb", {"./one.txt": "first\nsecond\n", "./two.txt": "odd"})
    assert members(package) == ["./one.txt", "./two.txt"]
    assert list(decoded_lines(f"{package}::./one.txt")) == ["first", "second"]
    listed = subprocess.run(["ar", "t", package], capture_output=True, text=True, check=True).stdout.split()
    assert listed == ["debian-binary", "control.tar.xz", "data.tar.xz"]  # as another program reads it


def test_a_cut_package_and_another_file_are_refused(tmp_path: Path) -> None:
    whole = Path(packaged(tmp_path / "a.deb", {"./one.txt": "text" * 1000})).read_bytes()
    for size in (70, 100, len(whole) - 20):
        (tmp_path / "cut.deb").write_bytes(whole[:size])
        with pytest.raises(InputError, match=r"cut\.deb: truncated or damaged"):
            members(tmp_path / "cut.deb")
    (tmp_path / "text.deb").write_text("no package")
    with pytest.raises(InputError, match="no Debian package"):
        members(tmp_path / "text.deb")


def test_help_pages_are_paragraphs_by_page_and_id(packages: list[str]) -> None:
    english, basque = packages
    assert paragraphs(english) == {
        ("a.html", "h1"): "Open a file", ("a.html", "p1"): "Choose File - Open.", ("a.html", "p3"): "Only here.",
        ("a.html", "p4"): "CTRL+O", ("deep/b.html", "p1"): "Close it.",
    }  # fmt: skip
    counts: Counter[str] = Counter()
    whole = list(TEXT_READERS["help_pages"](basque, "strict", counts))
    assert whole == ["Ireki fitxategia", "Hautatu Fitxategia - Ireki.", "Itxi."]
    assert counts["untranslated"] == 1
    halves = [list(TEXT_READERS[f"help_pages_{half}_half"](basque)) for half in ("first", "second")]
    assert sorted(map(len, halves)) == [1, 2]  # by page, since both sides of a paragraph are in one half
    assert sorted(halves[0] + halves[1]) == sorted(whole)


def test_two_packages_are_parallel_text(packages: list[str]) -> None:
    pairs = list(BITEXT_READERS["help_pages"](packages, ["en", "eu"]))
    assert pairs[0] == ("Open a file", "Ireki fitxategia")
    assert [second for _, second in pairs] == ["Ireki fitxategia", "Hautatu Fitxategia - Ireki.", "Itxi."]
    with pytest.raises(ConfigError, match="two packages; 1 given"):
        list(BITEXT_READERS["help_pages"](packages[:1], ["en", "eu"]))


def test_packages_of_other_things_are_named(packages: list[str], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no package of help pages"):
        paragraphs(packaged(tmp_path / "other_1.deb", {"./a": ""}))
    with pytest.raises(InputError, match="holds no help pages in /usr/share/libreoffice/help/fi/text/"):
        paragraphs(packaged(tmp_path / "libreoffice-help-fi_1.deb", {"./a": ""}))
    Path(packages[0]).unlink()
    with pytest.raises(InputError, match=r"no libreoffice-help-en-us_\*\.deb beside it"):
        list(TEXT_READERS["help_pages"](packages[1]))


def test_a_page_that_is_no_utf_8_is_refused_at_its_line_or_repaired_and_counted(tmp_path: Path) -> None:
    page = b"<html><body>\n<p id='p1'>caf\xe9</p>"
    package = packaged(tmp_path / "libreoffice-help-en-us_1.deb", {f"{HELP}/en-US/text/a.html": page})
    with pytest.raises(InputError, match=r"a\.html:2: invalid UTF-8"):
        paragraphs(package)
    counts: Counter[str] = Counter()
    assert list(TEXT_READERS["help_pages"](package, "replace", counts)) == ["caf\ufffd"]
    assert counts["replaced_characters"] == 1


def dictionary(path: Path, entries: list[str], index: str = "") -> str:
    """Write a package of dictd. Offsets in the index are in base 64, most significant digit first."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    place, lines = 0, []
    for entry in entries:
        size = len(entry.encode())
        numbers = [letters[n // 64] + letters[n % 64] for n in (place, size)]
        lines.append("\t".join((entry.split()[0], *numbers)) + "\n")
        place += size
    packed = gzip.compress("".join(entries).encode())
    return packaged(path, {"./d/x.index": index or "".join(lines), "./d/x.dict.dz": packed})


def test_dictd_gives_pairs_of_single_words(tmp_path: Path) -> None:
    entries = [
        "00databaseinfo\nMade by hand\n",
        "able /ˈeɪbəl/ <adj>\n1. képes, ügyes\n2. nôi [nyelv (régi)]\n",
        "able seaman /x/\nmatróz\n",
        "kidnap /k/\nI.  <V>  elrabol; b.\nII.  <N> 1.  két szó\n",
        "kilo, kilogram\n  kiló\n",
    ]
    counts: Counter[str] = Counter()
    read = DICTIONARY_READERS["dictd"]
    found = read(dictionary(tmp_path / "dict-freedict-eng-hun_1.deb", entries), counts)
    assert found == [
        ("able", "képes"), ("able", "ügyes"), ("able", "női"), ("kidnap", "elrabol"), ("kilo", "kiló"),
        ("kilogram", "kiló"),
    ]  # fmt: skip
    assert (counts["no_single_word"], counts["repaired"]) == (3, 1)
    # elsewhere `ô` is a letter
    assert ("able", "nôi") in read(dictionary(tmp_path / "dict-freedict-eng-por_1.deb", entries))


def test_a_damaged_dictionary_of_dictd_is_refused_at_its_line(tmp_path: Path) -> None:
    package = dictionary(tmp_path / "a_1.deb", ["able\nképes\n"], index="able\tAA\tAL\nbroken\t?\t?\n")
    with pytest.raises(InputError, match=r"a_1\.deb:2: no line of an index of dictd"):
        DICTIONARY_READERS["dictd"](package)
    with pytest.raises(InputError, match=r"0 members end in \.dict\.dz"):
        DICTIONARY_READERS["dictd"](packaged(tmp_path / "b_1.deb", {"./a": ""}))


def test_the_mirrors_help_pages_and_dictionaries_have_the_sizes_that_were_counted(mirror: Path) -> None:
    """Counts of the mirror's makers, by another program: 35,151 unique pairs of Basque, of spaces and markup alike."""
    folder = mirror / "libreoffice-help"
    names = [next(folder.glob(f"libreoffice-help-{code}_*.deb")) for code in ("en-us", "eu")]
    pairs = list(BITEXT_READERS["help_pages"]([str(name) for name in names], ["en", "eu"]))
    assert len(pairs) == pytest.approx(35_151, rel=0.002)
    package = next((mirror / "freedict").glob("dict-freedict-eng-hun_*.deb"))
    assert ("dog", "kutya") in DICTIONARY_READERS["dictd"](str(package))
