"""Prepare monolingual and parallel text: read a published format, normalise, tokenise, write with a report."""

import argparse
import logging
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from crosslingua.cli import count_number, thread_number
from crosslingua.corpora.datasets.readers import BITEXT_READERS, EXPANDERS, MARKED_UP, TEXT_READERS
from crosslingua.corpora.pipeline import Record, Rules, Shard, run, shards
from crosslingua.errors import ConfigError, InputError

logger = logging.getLogger(__name__)

Part = tuple[int, int]
SHOWN = ("min_tokens", "max_tokens", "max_ratio", "split_sentences")  # of the rules, in a report


def prepare_text(
    inputs: Sequence[str],
    rules: Rules,
    out: str | Path,
    format: str = "lines",
    part: Part = (1, 1),
    errors: str = "strict",
    column: int | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Write the text of all inputs, one after the other, as one tokenised sentence a line; return the report.

    `part` (k, n) takes the lines k, k + n, … of each input. `column`, from 1, takes one cell of each line. `options`
    are of `pipeline.run`. InputError if an input has no lines, a line too few cells, or nothing is left.
    """
    counts: Counter[str] = Counter()
    read = TEXT_READERS[format]

    def records(source: str) -> Iterator[Record | Shard]:
        if format == "lines" and part == (1, 1) and column is None and (whole := shards(source, errors)):
            yield from whole
            return
        if column is None:
            lines = read(source, errors, counts)
        else:
            named = partial(read, columns=True) if format == "lines" else read
            lines = _column(named(source, errors, counts), column, source)
        for line in _never_empty(islice(lines, part[0] - 1, None, part[1]), source):
            yield (line,)

    rules = replace(rules, expander=format if format in EXPANDERS else None, entities=format not in MARKED_UP)
    report = run(chain.from_iterable(map(records, inputs)), inputs, rules, [out], counts, **options)
    return _completed(report, inputs, rules, out)


def prepare_bitext(
    inputs: Sequence[str],
    rules: Rules,
    outs: Sequence[str | Path],
    format: str = "parallel_lines",
    part: Part = (1, 1),
    errors: str = "strict",
    reader_options: dict[str, Any] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Write sentence pairs as two parallel files; a pair goes or stays as a whole. As `prepare_text` otherwise."""
    counts: Counter[str] = Counter()
    rules = replace(rules, entities=format not in MARKED_UP)
    languages = [side.language for side in rules.sides]
    pairs = BITEXT_READERS[format](inputs, languages, errors, counts, **(reader_options or {}))
    records = _never_empty(islice(pairs, part[0] - 1, None, part[1]), ", ".join(inputs))
    return _completed(run(records, inputs, rules, outs, counts, **options), inputs, rules, *outs)


def parse_part(text: str) -> Part:
    """Parse `2/3` to (2, 3)."""
    number, _, of = text.partition("/")
    if not (re.fullmatch("[0-9]{1,9}/[0-9]{1,9}", text) and 1 <= int(number) <= int(of)):
        raise ConfigError(f"part {text!r}: say K/N, such as 1/2 for every other line from the first")
    return int(number), int(of)


def _column(lines: Iterator[str], column: int, source: str) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        cells = line.split("\t")
        if len(cells) < column:
            raise InputError(source, f"{len(cells)} columns where column {column} is wanted", line=number)
        yield cells[column - 1]


def _never_empty(lines: Iterator, source: str) -> Iterator:
    """Yield the lines; InputError if there are none: an empty file is a failed download, not a corpus."""
    empty = True
    for line in lines:
        empty = False
        yield line
    if empty:
        raise InputError(source, "empty file")


def _completed(
    report: dict[str, Any], inputs: Sequence[str], rules: Rules, *outs: str | Path
) -> dict[str, Any]:
    logger.info("%s: %d lines in, %d out", ", ".join(map(str, outs)), report["lines_in"], report["lines_out"])
    settings = {"tokenisers": [side.tokeniser for side in rules.sides]}
    settings |= {name: getattr(rules, name) for name in SHOWN}
    return {"inputs": [Path(source).name for source in inputs]} | settings | report


def add_text_options(p: argparse.ArgumentParser) -> None:
    """Add the options to a parser."""
    p.add_argument("--lowercase", action="store_true")
    p.add_argument(
        "--punctuation", action="store_true", help="also normalise quotes and dashes, by Moses's rules"
    )
    p.add_argument(
        "--max-tokens", type=count_number, help="tokens; leave out longer sentences (default: keep all)"
    )
    p.add_argument(
        "--dedup", "--deduplicate", dest="dedup", action="store_true", help="keep the first of equals"
    )
    p.add_argument(
        "--part", default="1/1", metavar="K/N", help="only lines K, K + N, K + 2N, … of each input"
    )
    p.add_argument("--take", type=count_number, help="stop after so many sentences (default: take all)")
    p.add_argument("--errors", choices=["strict", "replace"], default="strict", help="on invalid UTF-8")
    p.add_argument("--threads", type=thread_number, default=1, help="processes; without effect on the result")
    p.add_argument("--report", required=True, help="JSON to write")


def reading(args: argparse.Namespace) -> dict[str, Any]:
    """Return the options that `prepare_text` and `prepare_bitext` take unchanged."""
    names = ("errors", "dedup", "take", "threads")
    return {"part": parse_part(args.part), **{name: getattr(args, name) for name in names}}
