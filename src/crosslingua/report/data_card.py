"""The data card: one page on all data of a scale, counted from the files and described by the registry."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from tqdm import tqdm

from crosslingua.corpora.datasets.fetch import expected
from crosslingua.corpora.datasets.registry import (
    PACKAGE,
    DataSet,
    FileSet,
    PackageSource,
    load_registry,
    packaged,
)
from crosslingua.io import conll
from crosslingua.io.atomic import atomic_open
from crosslingua.io.bitext import read_bitext, read_dictionary
from crosslingua.io.conll import TaggedSentence, read_conll
from crosslingua.io.decode import decoded_lines, tokens_of
from crosslingua.io.json import read_json
from crosslingua.io.pairs import read_pairs
from crosslingua.io.pharaoh import read_pharaoh
from crosslingua.io.squad import read_squad
from crosslingua.provenance import sha256
from crosslingua.report import markdown_name, markdown_words
from crosslingua.tasks.kinds import KINDS, Kind

SAMPLES = 3
_KEPT = 48


@dataclass
class Counts:
    """Numbers by name in the order of a table, labels by type, and samples as lines of plain text."""

    numbers: dict[str, int]
    labels: dict[str, int] = field(default_factory=dict)
    samples: tuple[str, ...] = ()


class Samples:
    """Samples spread evenly over a stream of unknown length, the first included; the same for the same stream."""

    def __init__(self) -> None:
        self._kept: list[str] = []
        self._step, self._seen = 1, 0

    def add(self, make: Callable[[], str]) -> None:
        """Offer the next item; `make` gives its text if it is kept."""
        if self._seen % self._step == 0:
            self._kept.append(make())
            if len(self._kept) == _KEPT:
                self._kept, self._step = self._kept[::2], 2 * self._step
        self._seen += 1

    def chosen(self) -> tuple[str, ...]:
        """Return SAMPLES items, or all where there are fewer."""
        last = len(self._kept) - 1
        if last < SAMPLES:
            return tuple(self._kept)
        return tuple(self._kept[i] for i in sorted({round(last * i / SAMPLES) for i in range(SAMPLES)}))


class _Words:
    """Lines, tokens and types of what passes by."""

    def __init__(self) -> None:
        self.lines, self.tokens, self.types = 0, 0, set[str]()

    def add(self, tokens: Sequence[str]) -> None:
        self.lines += 1
        self.tokens += len(tokens)
        self.types.update(tokens)

    @property
    def sizes(self) -> dict[str, int]:
        return {"tokens": self.tokens, "types": len(self.types)}


def count(task: str, files: Sequence[str | Path]) -> Counts:
    """Return the counts of a set's files, in the order of `FileSet.files`. InputError for a broken contract."""
    if task in COUNTERS:
        return COUNTERS[task](files)
    return LABELLED[KINDS[task].form.name](KINDS[task], files)


def _text(files: Sequence[str | Path]) -> Counts:
    words, samples = _Words(), Samples()
    for line in decoded_lines(files[0]):
        words.add(tokens_of(line))
        samples.add(lambda line=line: line)
    return Counts({"sentences": words.lines} | words.sizes, samples=samples.chosen())


def _dictionary(files: Sequence[str | Path]) -> Counts:
    pairs, samples = read_dictionary(files[0]), Samples()
    for source, target in pairs:
        samples.add(lambda source=source, target=target: f"{source} → {target}")
    numbers = {
        "pairs": len(pairs),
        "source words": len({source for source, _ in pairs}),
        "target words": len({target for _, target in pairs}),
        "spelled alike": sum(source == target for source, target in pairs),
    }
    return Counts(numbers, samples=samples.chosen())


def _parallel(files: Sequence[str | Path]) -> Counts:
    sides, samples, lengths = (_Words(), _Words()), Samples(), []
    links = decoded_lines(files[2]) if len(files) > 2 else iter(())
    for pair in read_bitext(files[0], files[1]):
        line = next(links, "")
        tokens = [tokens_of(text) for text in pair]
        for side, found in zip(sides, tokens, strict=True):
            side.add(found)
        lengths.append((len(tokens[0]), len(tokens[1])))
        samples.add(lambda parts=(*pair, line): " ||| ".join(filter(None, parts)))
    numbers = {"pairs": len(lengths)}
    for name, side in zip(("source", "target"), sides, strict=True):
        numbers |= {f"{name} {what}": number for what, number in side.sizes.items()}
    if len(files) > 2:
        read = read_pharaoh(files[2], lengths)
        sure = sum(len(each.sure) for each in read)
        numbers |= {"sure links": sure, "only possible": sum(len(each.possible) for each in read) - sure}
    return Counts(numbers, samples=samples.chosen())


def _tagged(kind: Kind, files: Sequence[str | Path]) -> Counts:
    scheme = kind.scheme
    show = bracketed if scheme == "bio2" else slashed
    words, samples, labels, intents = _Words(), Samples(), Counter[str](), set[str]()
    for sentence in read_conll(files[0], scheme):
        words.add(sentence.tokens)
        found = sentence.labels if scheme == "plain" else [span.type for span in conll.spans(sentence.labels)]
        labels.update(found)
        intents.update(filter(None, [sentence.comments.get("intent")]))
        samples.add(lambda sentence=sentence: show(sentence))
    numbers = {"sentences": words.lines} | words.sizes
    if scheme == "bio2":
        numbers["spans"] = labels.total()
    if intents:
        numbers["intents"] = len(intents)
    return Counts(numbers, dict(sorted(labels.items())), samples.chosen())


def bracketed(sentence: TaggedSentence) -> str:
    """Return a sentence with its spans in brackets, and its intent: `wake [me PER] up  (alarm/set)`."""
    words = list(sentence.tokens)
    for span in conll.spans(sentence.labels):
        words[span.start] = f"[{words[span.start]}"
        words[span.end - 1] += f" {span.type}]"
    intent = sentence.comments.get("intent")
    return " ".join(words) + (f"  ({intent})" if intent else "")


def slashed(sentence: TaggedSentence) -> str:
    """Return a sentence with the label after each token: `it/PRON rains/VERB`."""
    return " ".join(f"{token}/{label}" for token, label in zip(sentence.tokens, sentence.labels, strict=True))


def _pairs(kind: Kind, files: Sequence[str | Path]) -> Counts:
    labels, words, samples = Counter[str](), _Words(), Samples()
    for pair in read_pairs(files[0], kind.pairs):
        labels[pair.label] += 1
        words.add([*pair.first.split(), *pair.second.split()])
        samples.add(lambda pair=pair: f"{pair.label}: {pair.first} ||| {pair.second}")
    numbers = {"pairs": labels.total()} | words.sizes
    return Counts(numbers, dict(sorted(labels.items())), samples.chosen())


def _questions(kind: Kind, files: Sequence[str | Path]) -> Counts:
    articles, samples, words = read_squad(files[0]), Samples(), _Words()
    paragraphs = [paragraph for article in articles for paragraph in article.paragraphs]
    answers = 0
    for paragraph in paragraphs:
        words.add(paragraph.context.split())
        for question in paragraph.questions:
            words.add(question.text.split())
            answers += len(question.answers)
            samples.add(lambda q=question, p=paragraph: f"{q.text} → {q.answers[0].text}  (in: {p.context})")
    numbers = {
        "articles": len(articles),
        "paragraphs": len(paragraphs),
        "questions": sum(len(paragraph.questions) for paragraph in paragraphs),
        "answers": answers,
    }
    return Counts(numbers | words.sizes, samples=samples.chosen())


TOTALS = ("sentences_split", "removed_characters", "replaced_spaces", "replaced_characters")
NO_REPAIRS = ("slots", "no_slots")  # readers count these, too


def flatten(report: Mapping[str, Any]) -> dict[str, int]:
    """Return the numbers of dropped, repaired or removed items of a reader's report by kind, without zeros."""
    totals = {name: report.get(name) for name in TOTALS}
    groups = (report.get("counts", {}), report.get("dropped", {}), totals)
    named = (pair for group in groups for pair in group.items())
    return {name: number for name, number in named if number and name not in NO_REPAIRS}


COUNTERS = {"text": _text, "dictionary": _dictionary, "bitext": _parallel, "gold_alignment": _parallel}
# By the form of a task's data (`tasks.kinds.Form`).
LABELLED = {"spans": _tagged, "tags": _tagged, "pairs": _pairs, "questions": _questions}
TITLES = {
    "text": (
        "Text",
        "One sentence a line, tokens joined by one space: what vectors and encoders are trained on.",
    ),
    "dictionary": ("Dictionaries", "One `source<TAB>target` a line; a word may have several translations."),
    "bitext": ("Parallel text", "Line *i* of one file translates line *i* of the other."),
    "gold_alignment": (
        "Gold word alignments",
        "Parallel text with links, counted from 0: `i-j` a sure link, `ipj` one that is possible only.",
    ),
    **{name: (kind.title, kind.contract) for name, kind in KINDS.items()},
}
REPAIRS = {
    "i_without_b": "I- without B- (made B-)",
    "document_marks": "document marks",
    "missing_sentences": "pairs with a missing sentence",
    "changed_tokens": "utterances whose tokens differ from the text (the text is taken)",
    "repeats": "repeated sentences",
    "left_out": "that occur in the test sets of another set",
    "split_tokens": "slots that cut a token (given all of it)",
    "moved_tokens": "utterances whose tokens were misplaced (found anew)",
}
WIDTH = 150  # characters of a sample that are shown
COLUMNS = 6  # kinds of label, up to which a table has a column for each


@dataclass(frozen=True)
class Described:
    """A data set with the content and checksums (path -> SHA-256) of its files, and the reader's repairs."""

    made: FileSet
    counts: Counts
    checksums: Mapping[str, str]
    repairs: Mapping[str, int]


def write_data_card(
    path: str | Path,
    config: Mapping[str, Any],
    sets: Sequence[FileSet],
    corpora: str | Path,
    data: str | Path,
) -> None:
    """Write the page of a scale's `sets`, which lie in `corpora`; fetched files lie in `data`. Errors as `count`."""
    described = [describe(made, Path(corpora)) for made in tqdm(sets, unit="set", disable=None)]
    with atomic_open(path) as stream:
        stream.writelines(line + "\n" for line in page(config, described, load_registry(), Path(data)))


def describe(made: FileSet, corpora: Path) -> Described:
    """Count a data set's files, hash them, and read its report."""
    counts = count(made.task, [corpora / file for file in made.files])
    checksums = {file: sha256(corpora / file) for file in made.files}
    report = read_json(corpora / made.report) if made.report else {}
    return Described(made, counts, checksums, flatten(report))


def page(
    config: Mapping[str, Any], sets: Sequence[Described], registry: Mapping[str, DataSet], data: Path
) -> Iterator[str]:
    """Yield the lines of the page."""
    tasks = {task: list(group) for task, group in groupby(sets, lambda each: each.made.task)}
    used = sorted({dataset for each in sets for dataset, _ in each.made.inputs})
    files = sum(len(each.checksums) for each in sets)
    tokens = sum(
        value for each in sets for name, value in each.counts.numbers.items() if name.endswith("tokens")
    )
    yield from (f"# Data card: scale `{config['scale']}`", "")
    counted = f"{len(sets)} sets in {files} files, {tokens:,} tokens. Every number was counted on the files themselves,"
    yield f"{counted} which stand under `corpora/` beside this page. Samples are cut to one line."
    yield ""
    for task, members in tasks.items():
        title = TITLES[task][0]
        names = dict.fromkeys(each.made.name for each in members)
        yield f"- [{title}](#{anchor(title)}): {', '.join(names)}"
    yield "- [Sources](#sources): where it comes from, licences, citations"
    yield "- [Checksums](#checksums) of every file"
    for task, members in tasks.items():
        yield from _section(task, members)
    yield from _sources(config, sets, [registry[name] for name in used], data)
    yield from ("", "## Checksums", "", "Of what was made; `sha256sum --check` reads these lines.", "")
    yield "```text"
    for each in sets:
        yield from (f"{digest}  corpora/{file}" for file, digest in each.checksums.items())
    yield "```"


def anchor(heading: str) -> str:
    """Return the name under which a heading can be linked to, by GitHub's rule."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Yield a Markdown table; integers are right-aligned, with thousands separated."""
    rows = [list(row) for row in rows]
    numeric = [all(isinstance(row[i], int) or row[i] == "–" for row in rows) for i in range(len(header))]
    yield "| " + " | ".join(map(markdown_name, header)) + " |"
    yield "| " + " | ".join("---:" if right else "---" for right in numeric) + " |"
    for row in rows:
        texts = (f"{cell:,}" if isinstance(cell, int) else markdown_words(str(cell)) for cell in row)
        cells = (text.replace("|", "\\|").replace("\n", " ") for text in texts)
        yield "| " + " | ".join(cells) + " |"


def _section(task: str, members: Sequence[Described]) -> Iterator[str]:
    title, what = TITLES[task]
    yield from ("", f"## {title}", "", what, "")
    numbers = list(dict.fromkeys(name for each in members for name in each.counts.numbers))
    labels = sorted({label for each in members for label in each.counts.labels})
    shown = labels if len(labels) <= COLUMNS else []
    wide = numbers + (shown or ["labels"] * bool(labels))
    split = any(each.made.split for each in members)
    rows = []
    for each in members:
        values = each.counts.numbers | each.counts.labels | {"labels": len(each.counts.labels)}
        lead = [each.made.name, *[each.made.split] * split, _origin_link(each.made)]
        rows.append([*lead, *(values.get(name, "–") for name in wide)])
    yield from table(["set", *["split"] * split, "from", *wide], rows)
    for name, group in groupby(members, lambda each: each.made.name):
        described = list(group)
        yield from ("", f"**{name}**", "")
        yield from _facts(described, with_labels=not shown)
        samples = (" ".join(sample.split()).replace("```", "'''") for sample in described[0].counts.samples)
        cut = (line if len(line) <= WIDTH else line[: WIDTH - 1] + "…" for line in samples)
        yield from ("```text", *cut, "```")


def _facts(members: Sequence[Described], *, with_labels: bool) -> Iterator[str]:
    """Yield what was repaired and, where the table has no room for them, how often each label occurs."""
    facts = []
    for each in members:
        split = f"{each.made.split}: " if each.made.split else ""
        if each.repairs:
            found = ", ".join(
                f"{number:,} {REPAIRS.get(what, what.replace('_', ' '))}"
                for what, number in each.repairs.items()
            )
            facts.append(f"- {split}left out or repaired: {found}")
        if with_labels and each.counts.labels:
            ranked = sorted(each.counts.labels.items(), key=lambda item: (-item[1], item[0]))
            facts.append(f"- {split}" + ", ".join(f"{label} {number:,}" for label, number in ranked))
    yield from [*facts, ""] if facts else []


def _origin_link(made: FileSet) -> str:
    entry = made.origin
    if "derived_from" in entry:
        return f"{entry['derived_from']}, {entry['transform']}"
    if entry["from"] == "world":
        variant = f", {entry['variant']}" if "variant" in entry else ""
        return f"[world](#the-controlled-world){variant}"
    if entry["from"] == "file":
        return "your own file"
    if entry["from"] == "parts":
        return ", ".join(entry["parts"])
    wanted = entry.get(made.split)
    split = f", {wanted}" if isinstance(wanted, str) and wanted != made.split and "{" not in wanted else ""
    return f"[{entry['from']}](#{anchor(entry['from'])}){split}"


def _sources(
    config: Mapping[str, Any], sets: Sequence[Described], datasets: Sequence[DataSet], data: Path
) -> Iterator[str]:
    yield from ("", "## Sources")
    if any(each.made.origin.get("from") == "world" for each in sets):
        world = config["world"]
        yield from ("", "### The controlled world", "")
        yield from ("Text that the suite generates, with gold labels: nothing in it is real text.", "")
        file = f"`{world['languages']}` (SHA-256 `{sha256(world['languages'])}`)"
        yield f"- languages: {file}, seed {world['seed']}"
        yield from ("- licence: that of this suite", "- citation: this suite")
    for dataset in datasets:
        files = {file for each in sets for name, file in each.made.inputs if name == dataset.name}
        yield from _published(dataset, sorted(files), data)
    yield from _encoders(config, data)


def _encoders(config: Mapping[str, Any], data: Path) -> Iterator[str]:
    """Yield the published encoders: facts of those in packages, and the names of others."""
    members = config["encoders"]["multilingual"]["members"].items()
    named = {name: one["pretrained"] for name, one in members if one and "pretrained" in one}
    if named:
        yield from ("", "### Published encoders", "")
        yield from (f"- `{name}`: `{source}`" for name, source in named.items())
    for source in dict.fromkeys(named.values()):
        if source.startswith(PACKAGE):
            dataset, file = packaged(PackageSource.of(source.removeprefix(PACKAGE)))
            yield from _published(dataset, [file], data)


def _published(dataset: DataSet, files: Sequence[str], data: Path) -> Iterator[str]:
    yield from ("", f"### {dataset.name}", "", f"{dataset.title}.", "")
    facts = {
        "licence": dataset.licence,
        "citation": dataset.citation,
        "homepage": f"<{dataset.homepage}>",
        "labels as distributed": dataset.label_scheme,
        "stands in for": dataset.stands_in_for,
        "good to know": dataset.note,
    }
    yield from (f"- {name}: {' '.join(value.split())}" for name, value in facts.items() if value)
    yield ""
    rows = []
    for name in files:
        entry = dataset.file(name)
        path = data / dataset.name / name
        size = path.stat().st_size if path.exists() else entry.size
        checksum = expected(path, entry)
        first = "" if entry.sha256 or not checksum else " (of the first fetch, recorded beside the file)"
        rows.append([f"`{name}`", size or "–", f"`{checksum}`{first}" if checksum else "–"])
    yield from table(["file", "bytes", "SHA-256"], rows)
