"""The data card: one page on all data of a scale, from the files themselves and the registry."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from tqdm import tqdm

from crosslingua.corpora.datasets.checksum import expected, sha256
from crosslingua.corpora.datasets.registry import DataSet, load_registry
from crosslingua.corpora.file_set import FileSet
from crosslingua.io.atomic import atomic_open
from crosslingua.io.json import read_json
from crosslingua.report.data_counts import Counts, count, flatten
from crosslingua.tasks.kinds import KINDS

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
    """A data set with what its files hold, their checksums (path -> SHA-256) and what its reader repaired."""

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
    """Write the page of a scale's `sets`. `corpora` is its folder of data, `data` that of fetched files.

    Raises InputError where a file is missing or breaks its contract.
    """
    described = [describe(made, Path(corpora)) for made in tqdm(sets, unit="set", disable=None)]
    with atomic_open(path) as stream:
        stream.writelines(line + "\n" for line in page(config, described, load_registry(), Path(data)))


def describe(made: FileSet, corpora: Path) -> Described:
    """Count a data set's files, hash them, and read its report."""
    counts = count(made.task, [corpora / file for file in made.files])
    checksums = {file: sha256(corpora / file) for file in made.files}
    report = read_json(corpora / made.report) if made.report else {}
    return Described(made, counts, checksums, dict(flatten(report)))


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
    yield f"# Data card: scale `{config['scale']}`"
    yield ""
    yield (
        f"{len(sets)} sets in {files} files, {tokens:,} tokens. Every number was counted on the files themselves,"
        " which stand under `corpora/` beside this page. Samples are cut to one line."
    )
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
    yield from _checksums(sets)


def anchor(heading: str) -> str:
    """Return the name under which a heading can be linked to, by GitHub's rule."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Yield a Markdown table; integers are right-aligned, with thousands separated."""
    rows = [list(row) for row in rows]
    numeric = [all(isinstance(row[i], int) or row[i] == "–" for row in rows) for i in range(len(header))]
    yield "| " + " | ".join(header) + " |"
    yield "| " + " | ".join("---:" if right else "---" for right in numeric) + " |"
    for row in rows:
        cells = (f"{cell:,}" if isinstance(cell, int) else str(cell).replace("|", "\\|") for cell in row)
        yield "| " + " | ".join(cells) + " |"


def _section(task: str, members: Sequence[Described]) -> Iterator[str]:
    title, what = TITLES[task]
    yield from ("", f"## {title}", "", what, "")
    numbers = list(dict.fromkeys(name for each in members for name in each.counts.numbers))
    labels = sorted({label for each in members for label in each.counts.labels})
    shown = labels if len(labels) <= COLUMNS else []
    wide = [*numbers, *shown] if shown else [*numbers, *(["labels"] if labels else [])]
    split = any(each.made.split for each in members)
    rows = []
    for each in members:
        values = each.counts.numbers | each.counts.labels | {"labels": len(each.counts.labels)}
        lead = [each.made.name, *([each.made.split] if split else []), _origin_link(each.made)]
        rows.append([*lead, *(values.get(name, "–") for name in wide)])
    yield from table(["set", *(["split"] if split else []), "from", *wide], rows)
    for name, group in groupby(members, lambda each: each.made.name):
        yield from _details(name, list(group), with_labels=not shown)


def _details(name: str, members: Sequence[Described], *, with_labels: bool) -> Iterator[str]:
    yield from ("", f"**{name}**", "")
    yield from _facts(members, with_labels=with_labels)
    yield from ("```text", *map(_cut, members[0].counts.samples), "```")


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


def _cut(sample: str) -> str:
    sample = " ".join(sample.split()).replace("```", "'''")
    return sample if len(sample) <= WIDTH else sample[: WIDTH - 1] + "…"


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
        yield from _world(config["world"])
    for dataset in datasets:
        files = {file for each in sets for name, file in each.made.inputs if name == dataset.name}
        yield from _published(dataset, sorted(files), data)


def _world(world: Mapping[str, Any]) -> Iterator[str]:
    languages = world["languages"]
    yield from ("", "### The controlled world", "")
    yield "Text that the suite generates, with gold labels: nothing in it is real text."
    yield ""
    yield f"- languages: `{languages}` (SHA-256 `{sha256(languages)}`), seed {world['seed']}"
    yield "- licence: that of this suite"
    yield "- citation: this suite"


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
        rows.append([f"`{name}`", size or "–", f"`{checksum}`" if checksum else "–"])
    yield from table(["file", "bytes", "SHA-256"], rows)


def _checksums(sets: Sequence[Described]) -> Iterator[str]:
    yield from (
        "",
        "## Checksums",
        "",
        "Of what was made; `sha256sum --check` reads these lines.",
        "",
        "```text",
    )
    for each in sets:
        yield from (f"{digest}  corpora/{file}" for file, digest in each.checksums.items())
    yield "```"
