"""Whether the sources of a configuration are there: data sets, their files and splits, languages, parents."""

import fnmatch
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from filecmp import cmp
from itertools import islice, pairwise
from pathlib import Path
from tarfile import is_tarfile
from zipfile import is_zipfile

from crosslingua.corpora.datasets.readers import BITEXT_READERS
from crosslingua.corpora.derived.files import TRANSFORMS
from crosslingua.corpora.labelled.prepare import formats
from crosslingua.corpora.labelled.splits import labelled_set, load_splits, required_files
from crosslingua.corpora.pipeline import normalise_line
from crosslingua.corpora.tokenise import default_tokeniser
from crosslingua.errors import ConfigError, check_defined, check_given, did_you_mean
from crosslingua.io import decode
from crosslingua.io.bitext import read_dictionary
from crosslingua.tasks.kinds import KINDS
from crosslingua.workflow.sources import (
    PARALLEL,
    PARTS,
    SPLITS,
    WORLD,
    Entry,
    data_files,
    dictionary_files,
    family,
)
from crosslingua.workflow.workflow import LexiconPair, Workflow, pair_languages

BITEXT, GOLD = PARALLEL
LINES = "parallel_lines"  # the format of bitext in two files
WORD, TOKEN = re.compile(r"\w+"), re.compile(r"\w+|[^\w\s]")
FIRST_LINES, FEWEST_WRONG = 5000, 10
LONGEST_LINE = 2**20  # bytes
CLOCKS = 2  # seconds by which the clocks of a disk and of a machine may differ
PLACEHOLDERS = ("{source}", "{target}")  # of paths of dictionaries
TAG_MAPS = ("universal-tagset", "universal_tagset.zip")


def check_sources(w: Workflow) -> None:
    """Raise ConfigError when a source, or a language pair, names something that is not there."""
    check_place()
    check_braces("data.folder", w.data)
    if world := w.config.world:
        check_braces("world.languages", world.languages)
        check_defined("world.text", world.text, family(world), world.languages)
    for name, entry in w.sources.languages.items():
        place = w.sources.place("text", name)
        if "derived_from" in entry:
            _check_derived(w, place, entry)
        elif entry["from"] == PARTS:
            check_defined(place, entry["parts"], w.sources.languages, "the text of languages")
        elif entry["from"] != WORLD:
            _check_files(w, place, entry, "path" if entry["from"] == "file" else "files")
    for name, entry in w.sources.dictionaries.items():
        if entry["from"] != WORLD:
            _check_dictionary(w, w.sources.place("dictionary", name), entry)
    for task in PARALLEL:
        for name, entry in w.sources.sets[task].items():
            _check_parallel(w, task, name, entry)
    for task in KINDS:
        for name, entry in w.sources.sets[task].items():
            if entry.get("from", WORLD) != WORLD:
                _check_labelled(w, w.sources.place(task, name), task, name, entry)
    for source, target in w.pairs:
        check_defined(
            f"pairs: {source}-{target}", (source, target), w.sources.languages, "the text of languages"
        )
        if source == target:
            raise ConfigError(f"pairs: {source}-{target} has the same language twice")


def check_place() -> None:
    """Raise ConfigError for a working folder under whose name Snakemake cannot lock its files."""
    here = str(Path.cwd())
    if found := re.search(
        r"[{]\s*\d\w*\s*[,}]", here
    ):  # by a pattern, in which this is no name of a wildcard
        raise ConfigError(
            f"{here}: Snakemake cannot run below a folder whose name has {found[0]}: rename the folder"
        )


def check_braces(key: str, path: str) -> None:
    """Raise ConfigError for a path with braces, which Snakemake takes for wildcards."""
    if "{" in path:
        raise ConfigError(f"{key}: {path} has braces, which Snakemake cannot read: rename the file or folder")


def check_own_files(w: Workflow) -> None:
    """Raise ConfigError or InputError for a user's file that is missing or cannot be meant. Snakemake would not notice
    a missing file if an earlier file has given results. Only sizes and first lines are read.
    """
    OwnFiles(w).check()


class OwnFiles:
    """The files that a configuration takes from its user."""

    def __init__(self, w: Workflow):
        self.w, self.sources = w, w.sources
        self.texts: dict[str, list[str]] = {}  # the first lines by language

    def check(self) -> None:
        """Check every file, then what files hold beside others."""
        for place, path in own_files(self.w):
            self._check_file(place, Path(path))
        self._read_texts()
        for task in PARALLEL:
            for name in self.sources.named_from(task, "file"):
                _check_distinct(self.sources.place(task, name), self.sources.sets[task][name]["files"])
        for name in self.sources.named_from(GOLD, "file"):
            self._check_archive(name)
        for name in self.sources.named_from(BITEXT, "file"):
            self._check_bitext(name)
        for pair in self.w.lexicon_pairs.values():
            if not pair.dictionary:
                self._check_words(pair)
            if pair.dictionary and self.sources.origin("dictionary", pair.dictionary) == "file":
                self._check_dictionary(pair)

    def _is_made(self, path: str | Path) -> bool:
        path, w = Path(path), self.w
        return path.is_relative_to(w.results) or (
            path.is_relative_to(w.data) and path.parent.name in w.datasets
        )

    def _check_file(self, place: str, path: Path) -> None:
        """Refuse a file that is missing, empty, or dated in the future: no result would be newer."""
        made = self._is_made(path)
        if not (made or path.is_file()):
            names = re.findall(r"[{]\w*[}]", str(path)) if "dictionar" in place else []
            hints = (did_you_mean(name, PLACEHOLDERS) for name in names)
            raise ConfigError(
                f"{place}: there is no file {path}{next(filter(None, hints), '') or _where(path)}"
            )
        check_braces(place, str(path))
        if made:
            return
        if not path.stat().st_size:
            raise ConfigError(f"{place}: {path} is empty: name another file")
        if path.stat().st_mtime > time.time() + CLOCKS:
            date = f"{datetime.fromtimestamp(path.stat().st_mtime):%Y-%m-%d %H:%M:%S}"
            raise ConfigError(
                f"{place}: {path} is dated in the future ({date}), at which Snakemake stops: touch {path}"
            )

    def _check_archive(self, name: str) -> None:
        """Refuse a gold alignment that is no archive."""
        path, pair = Path(self.sources.sets[GOLD][name]["files"][0]), pair_languages(name)
        try:
            right = self._is_made(path) or is_zipfile(path) or is_tarfile(path)
        except decode.DAMAGE:
            right = False
        if not right:
            raise ConfigError(
                f"{self.sources.place(GOLD, name)}: {path} is no archive, or a damaged one: pack the folder"
                f" {'-'.join(pair)} with test.{pair[0]}, test.{pair[1]} and alignv2.txt as gold.tar.gz"
            )

    def _read_texts(self) -> None:
        """Read the first lines of each text. Refuse a text in one line, or the text of another language."""
        texts = self.texts

        def same(path: str, other: str) -> bool:  # of equal first lines
            another = self.sources.languages[other]["path"]
            return len(texts[other]) < FIRST_LINES or cmp(path, another, shallow=False)

        for name in self.sources.named_from("text", "file"):
            entry, place = self.sources.languages[name], f"{self.sources.place('text', name)}: path"
            if self._is_made(path := entry["path"]):
                continue
            source = f"{path}{decode.SEPARATOR}{entry['member']}" if "member" in entry else path
            is_text, columns = entry.get("format", "lines") == "lines", "column" in entry
            lines = _first_lines(source, is_text=is_text, columns=columns)
            if column := entry.get("column"):
                lines = [line.split("\t")[column - 1] for line in lines if line.count("\t") >= column - 1]
            if lines and not any(map(str.strip, lines)):
                raise ConfigError(f"{place}: {path} is empty: name another file")
            if len(lines) < 2:
                raise ConfigError(f"{place}: {path} is one single line: write one sentence a line")
            if other := next((one for one in texts if texts[one] == lines and same(path, one)), None):
                raise ConfigError(f"{place}: {path} holds the text of {other} too: name the text of {name}")
            texts[name] = lines

    def _check_words(self, pair: LexiconPair) -> None:
        """Refuse texts with too few words for the systems that need no dictionary. A text that goes on is not judged,
        nor one whose words have no spaces between them.
        """
        vectors = self.w.config.word_embeddings
        mappers = {one.mapper for one in self.w.vectors.systems.values() if one}
        least, why = 1, "vectors"
        if "vecmap" in mappers:
            least, why = vectors["dim"] + 1, "vecmap, more than the dimensions of word_embeddings"
        for language in (pair.source, pair.target):
            lines, entry = self.texts.get(language, []), self.sources.languages[language]
            spaced = entry.get("tokeniser") or default_tokeniser(language)
            if not 0 < len(lines) < FIRST_LINES or spaced not in ("moses", "whitespace", "none"):
                continue
            words = Counter(
                token for line in lines for token in TOKEN.findall(decode.lowercase(line, language))
            )
            number = sum(count >= vectors["minCount"] for count in words.values())
            if number < least:
                raise ConfigError(
                    f"{self.sources.place('text', language)}: path: {entry['path']} has {number} words that occur "
                    f"{vectors['minCount']} times or more, and {least} are the least for {why}: give more text"
                )

    def _check_dictionary(self, pair: LexiconPair) -> None:
        """Refuse a dictionary that can't be read, tests training words, is in the other direction, or of which no pair
        has both words in the texts. A text that goes on is not judged.
        """
        entry, place = (
            self.sources.dictionaries[pair.dictionary],
            self.sources.place("dictionary", pair.dictionary),
        )
        here, there = languages = pair.source, pair.target
        paths = {split: dictionary_files(entry, split, languages) for split in ("train", "test")}
        _check_distinct(place, [path for named in paths.values() for path in named])
        for split, path in [(split, path) for split, named in paths.items() for path in named]:
            entries = [] if self._is_made(path) else read_dictionary(path, Counter())
            if not set(languages) <= set(self.texts):
                continue
            sides = [{decode.lowercase(one[side], languages[side]) for one in entries} for side in (0, 1)]
            remedy = f"swap the columns, or write the pair {there}-{here}"
            self._check_direction(f"{place}: {split}: {path}: the pairs", languages, sides, remedy)
            if not entries or any(len(self.texts[one]) == FIRST_LINES for one in languages):
                continue
            source, target = (_folded(" ".join(self.texts[one]), one) for one in languages)
            if not any(_folded(a, here) in source and _folded(b, there) in target for a, b in entries):
                raise ConfigError(
                    f"{place}: {split}: {path}: no pair has both words in the texts of {here} and {there}: name a"
                    " dictionary of their words"
                )

    def _check_bitext(self, name: str) -> None:
        """Refuse two parallel files that are in the other direction."""
        entry, (here, there) = self.sources.sets[BITEXT][name], pair_languages(name)
        if entry.get("format", LINES) != LINES or not {here, there} <= set(self.texts):
            return
        if not any(map(self._is_made, entry["files"])):
            files = zip(entry["files"], (here, there), strict=True)
            sides = [_words(_first_lines(path), language) for path, language in files]
            place = f"{self.sources.place(BITEXT, name)}: {' '.join(entry['files'])}: the files"
            self._check_direction(
                place, (here, there), sides, f"swap the files, or name the pair {there}-{here}"
            )

    def _check_direction(
        self, place: str, languages: tuple[str, str], sides: Sequence[set[str]], remedy: str
    ) -> None:
        """Refuse words of two sides that stand in the other's text, mostly; words of both texts do not count."""
        source, target = (_words(self.texts[one], one) for one in languages)
        first, second = sides
        right = len(first & (source - target)), len(second & (target - source))
        wrong = len(first & (target - source)), len(second & (source - target))
        if sum(wrong) >= FEWEST_WRONG and all(bad > 2 * good for bad, good in zip(wrong, right, strict=True)):
            here, there = languages
            raise ConfigError(
                f"{place} are the wrong way round: {wrong[0]} source words stand in the text of {there} only, "
                f"{right[0]} in the text of {here}: {remedy}"
            )


def _first_lines(path: str, *, is_text: bool = True, columns: bool = False) -> list[str]:
    with decode.open_source(path) as stream:
        start = stream.read(LONGEST_LINE)
    if len(start) == LONGEST_LINE and b"\n" not in start and b"\r" not in start:
        return []
    lines = decode.text_lines(path, columns=columns) if is_text else decode.decoded_lines(path)
    return list(islice(lines, FIRST_LINES))


def _check_distinct(place: str, paths: Sequence[str]) -> None:
    for path, other in pairwise(paths):
        if Path(path).is_file() and Path(other).is_file():
            if Path(path).samefile(other):
                raise ConfigError(f"{place}: {path} and {other} are one file: name two")
            if cmp(path, other, shallow=False):
                raise ConfigError(f"{place}: {path} and {other} hold the same: name two different files")


def _folded(text: str, language: str) -> str:
    return decode.lowercase(normalise_line(text)[0], language)


def _words(lines: Iterable[str], language: str) -> set[str]:
    return {word for line in lines for word in WORD.findall(decode.lowercase(line, language))}


def own_files(w: Workflow) -> Iterator[tuple[str, str]]:
    """Yield (where it is named, path) of every file that the configuration or a sheet takes from you."""
    told = w.sources
    for name in told.named_from("text", "file"):
        yield f"{told.place('text', name)}: path", told.languages[name]["path"]
    for name, entry in told.languages.items():
        if "trees" in entry:
            yield f"{told.place('text', name)}: trees", entry["trees"]
    for pair in w.lexicon_pairs.values():
        if pair.dictionary and told.origin("dictionary", pair.dictionary) == "file":
            entry, place = told.dictionaries[pair.dictionary], told.place("dictionary", pair.dictionary)
            for split in ("train", "test"):
                for path in dictionary_files(entry, split, (pair.source, pair.target)):
                    yield f"{place}: {split}", path
    for task in PARALLEL:
        for name in told.named_from(task, "file"):
            entry = told.sets[task][name]
            yield from ((f"{told.place(task, name)}: {entry['use']}", path) for path in entry["files"])
    for task in KINDS:
        for name in told.named_from(task, "file"):
            for split in told.splits(task, name):
                yield f"{told.place(task, name)}: {split}", told.sets[task][name][split]


def _where(path: Path) -> str:
    if path.is_dir():
        return ": that is a folder"
    if path.exists():
        return (
            ": that is a pipe or a device, and files are read more than once: write what it gives into a file"
        )
    folder = "" if path.is_absolute() else f" in {Path.cwd()}"
    if not path.parent.is_dir():
        return f"{folder}, nor a folder {path.parent}"
    there = [str(other) for other in path.parent.iterdir() if other.is_file()]
    return f"{folder}{did_you_mean(path, there)}"


def published_inputs(entry: Entry, name: str, split: str) -> list[tuple[str, str]]:
    """Return the (data set, file) pairs that a published split is read from; maps of tag sets too."""
    if entry.get("from") in (None, WORLD, "file"):
        return []
    files = required_files(entry["from"], entry.get("language", name), entry[split])
    return [*files, TAG_MAPS] if entry.get("universal") else files


def _check_dictionary(w: Workflow, place: str, entry: Entry) -> None:
    check_defined(f"{place}: from", entry["from"], ["file", *w.datasets], "the registry of data sets")
    for split in ("train", "test"):
        check_given(place, entry, split, "what trains and what tests")
        if entry[split] is None:
            raise ConfigError(f"{place}: {split} is null: name the files of both, or of neither")
    if "bitext" in entry:
        named = entry["bitext"].replace("{source}", "*").replace("{target}", "*")
        if not fnmatch.filter(w.sources.sets[BITEXT], named):
            raise ConfigError(f"{place}: bitext={entry['bitext']}: no line of a sheet has such a bitext")


def _check_parallel(w: Workflow, task: str, name: str, entry: Entry) -> None:
    place = w.sources.place(task, name)
    if "-" not in name.partition(".")[0]:
        raise ConfigError(f"{place}: a pair is named source-target, or source-target.what")
    if entry["from"] == WORLD:
        return
    _check_files(w, place, entry, "files")
    if entry["from"] != "file":
        return
    read_as, number = entry.get("format", LINES), len(entry["files"])
    if task == GOLD and number > 1:
        raise ConfigError(f"{place}: a gold alignment is one archive, not {number} files")
    if task == BITEXT:
        check_defined(f"{place}: format", read_as, BITEXT_READERS, "the formats of bitext")
        if read_as == LINES and number != 2:
            raise ConfigError(f"{place}: {LINES} takes two files, not {number}: name one for each language")


def _check_files(w: Workflow, place: str, entry: Entry, key: str) -> None:
    check_given(place, entry, key, f"from: {entry['from']}")
    check_defined(f"{place}: from", entry["from"], ["file", *w.datasets], "the registry of data sets")
    for dataset, file in data_files(entry):
        check_defined(place, [dataset], w.datasets, "the registry of data sets")
        check_defined(place, [file], w.datasets[dataset].files, f"data set {dataset}")


def _check_labelled(w: Workflow, place: str, task: str, name: str, entry: Entry) -> None:
    if entry["from"] == "file":
        check_given(place, entry, "format", "from: file")
        check_defined(f"{place}: format", entry["format"], formats(task), f"the formats of {task}")
        return
    check_defined(f"{place}: from", entry["from"], load_splits(), "the labelled data sets")
    if task not in labelled_set(entry["from"]).tasks:
        raise ConfigError(f"{place}: {entry['from']} has no data for {task}")
    for split in (split for split in SPLITS if split in entry):
        try:
            files = published_inputs(entry, name, split)
        except ConfigError as error:
            raise ConfigError(f"{place}: {error}") from None
        for dataset, file in files:
            check_defined(place, [file], w.datasets[dataset].files, f"data set {dataset}")


def _check_derived(w: Workflow, place: str, entry: Entry) -> None:
    check_given(place, entry, "transform", f"made of {entry['derived_from']}")
    check_defined(f"{place}: transform", entry["transform"], TRANSFORMS, "the transforms")
    parent = entry["derived_from"]
    check_defined(place, parent, w.sources.languages, "the text of languages")
    if "derived_from" in w.sources.languages[parent]:
        raise ConfigError(
            f"{place}: {parent!r} is derived itself; compose the transforms (trans_inv) instead"
        )
    if not entry["transform"].endswith("syn"):
        return
    check_given(place, entry, "order_of", "the language whose word order is taken")
    check_defined(f"{place}: order_of", entry["order_of"], w.sources.treebanks(), "the treebanks")
    if w.sources.origin("text", parent) != WORLD:
        check_given(place, entry, "trees", "a CoNLL-U file of its sentences: this text has no trees")
