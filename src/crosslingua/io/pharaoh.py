"""Word alignments in Pharaoh's format: a line a sentence pair, `i-j` a sure link, `ipj` a possible one, 0-based."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf
from numbers import Integral
from pathlib import Path
from typing import Self

from crosslingua.errors import ConfigError, InputError
from crosslingua.io.atomic import atomic_open
from crosslingua.io.decode import decoded_lines

Link = tuple[int, int]
Lengths = Sequence[tuple[int, int]]
DIGITS = 10  # of a number that is too long for a place or a line
LINK = re.compile(rf"([0-9]{{1,{DIGITS - 1}}})([-p])([0-9]{{1,{DIGITS - 1}}})")


@dataclass(frozen=True)
class Links:
    """The links of a sentence pair, 0-based (source, target). Every sure link is possible too (Och and Ney 2003)."""

    sure: frozenset[Link]
    possible: frozenset[Link]

    def __post_init__(self) -> None:
        if not self.sure <= self.possible:
            raise ValueError("a sure link that is not possible")

    @classmethod
    def of(cls, sure: Iterable[Link], only_possible: Iterable[Link] = ()) -> Self:
        """Make links from sure links and links that are only possible."""
        sure = frozenset(sure)
        return cls(sure, sure | frozenset(only_possible))


def read_pharaoh(
    path: str | Path, lengths: Lengths | None = None, index_base: int = 0, lines: Iterable[str] | None = None
) -> list[Links]:
    """Read one `Links` a line, 0-based whatever the file's `index_base`; a blank line is a pair without links.
    `lengths`, the (source, target) tokens, are checked too; `lines` are the file's, if read before. Raises InputError.
    """
    lines = decoded_lines(path) if lines is None else lines
    result = [_parse(line, path, number, index_base) for number, line in enumerate(lines, 1)]
    if lengths is None:
        return result
    if len(result) != len(lengths):
        raise InputError(path, f"{len(result)} lines of links for {len(lengths)} sentence pairs")
    for number, (links, (rows, columns)) in enumerate(zip(result, lengths, strict=True), 1):
        outside = [link for link in links.possible if link[0] >= rows or link[1] >= columns]
        if outside:
            i, j = (place + index_base for place in min(outside))
            message = f"link {i}-{j} is outside a pair of {rows} and {columns} tokens"
            remedy = f"Pharaoh links count from {index_base}"
            raise InputError(path, message, line=number, remedy=remedy)
    return result


BARS = "|||"


def _links_of(line: str) -> str:
    """Return the links of a line of which a program wrote more: fast_align the score after ` ||| `, or the sentences
    before and the score after; simalign the number of the line, and a tab.
    """
    number, tab, links = line.partition("\t")
    if tab and number.strip().isdecimal():
        return links
    parts = line.split(BARS)
    place = {2: 0, 4: 2}.get(len(parts))
    return line if place is None else parts[place]


def _parse(line: str, path: str | Path, number: int, index_base: int) -> Links:
    kinds: dict[str, set[Link]] = {"-": set(), "p": set()}
    for item in _links_of(line).split():
        match = LINK.fullmatch(item)
        if match is None:
            raise InputError(path, f"{item!r} is no link: expected i-j (sure) or ipj (possible)", line=number)
        link = int(match[1]) - index_base, int(match[3]) - index_base
        if min(link) < 0:
            raise InputError(path, f"link {item} is below the first token, {index_base}", line=number)
        kinds[match[2]].add(link)
    return Links.of(kinds["-"], kinds["p"])


def checked_links(links: Iterable[Link]) -> list[Link]:
    """Return links. Raises ConfigError for one that is no pair of whole numbers from 0."""
    links = [*links] if isinstance(links, Iterable) else [links]
    for link in links:
        if not (
            isinstance(link, tuple)
            and len(link) == 2
            and all(isinstance(i, Integral) and i >= 0 for i in link)
        ):
            raise ConfigError(f"{link!r:.60} is no link: give two word numbers from 0, such as (0, 2)")
    return links


def write_pharaoh(path: str | Path, alignments: Iterable[Links | Iterable[Link]]) -> None:
    """Write a line a pair, links in order; a bare collection of links counts as sure links. Raises ConfigError for one
    that is no pair of whole numbers from 0.
    """
    with atomic_open(path) as stream:
        for links in alignments:
            links = links if isinstance(links, Links) else Links.of(checked_links(links))
            marks = {link: "-" if link in links.sure else "p" for link in links.possible}
            stream.write(" ".join(f"{i}{mark}{j}" for (i, j), mark in sorted(marks.items())) + "\n")


def read_numbered_links(
    path: str | Path,
    lengths: Lengths | None = None,
    index_base: int = 1,
    counts: Counter[str] | None = None,
    lines: Iterable[str] | None = None,
) -> list[Links]:
    """Read gold links of the shared tasks (WPT 2003, 2005), `id i j [S|P]` a line, as 0-based `Links` by sentence pair.

    `lengths` are the (source, target) tokens of each pair. If given, and if all ids are numbers of pairs from 1, an id
    is a line number, so a pair may have no link. Else the k-th distinct id is the k-th pair. A link without a letter,
    or with both, is sure; a sure link is also possible. Links outside `lengths` or below `index_base` are dropped
    (`counts["out_of_range"]`), and so are repeats (`repeated_link`). Raises InputError with file and line on any other
    line, and if ids and pairs differ in number. `lines` as in `read_pharaoh`.
    """
    counts = Counter() if counts is None else counts
    lines = decoded_lines(path) if lines is None else lines
    rows = [_parse_numbered(line, path, n, index_base) for n, line in enumerate(lines, 1) if line.strip()]
    if not rows:
        raise InputError(path, "no links")
    if all(key.isdecimal() and len(key) < DIGITS for key, _, _ in rows):  # also 0001
        rows = [(str(int(key)), link, kind) for key, link, kind in rows]
    ids = list(dict.fromkeys(key for key, _, _ in rows))
    if lengths is not None and {*ids} <= {str(line) for line in range(1, len(lengths) + 1)}:
        ids = [str(line) for line in range(1, len(lengths) + 1)]
    if lengths is not None and len(ids) != len(lengths):
        raise InputError(
            path, f"links of {len(ids)} sentence pairs for {len(lengths)} pairs of text",
            remedy="number the pairs by their lines, from 1, where some have no link",
        )  # fmt: skip
    pair_of = {key: pair for pair, key in enumerate(ids)}
    pairs: list[dict[Link, str]] = [{} for _ in ids]
    for key, link, kind in rows:
        pair = pair_of[key]
        sizes = lengths[pair] if lengths is not None else (inf, inf)
        if min(link) < 0 or link[0] >= sizes[0] or link[1] >= sizes[1]:
            counts["out_of_range"] += 1
            continue
        counts["repeated_link"] += link in pairs[pair]
        pairs[pair][link] = "S" if "S" in (kind, pairs[pair].get(link)) else "P"
    return [Links.of((link for link, kind in links.items() if kind == "S"), links) for links in pairs]


@dataclass(frozen=True)
class LinkFile:
    """The lines of a file of links. It is read once, since it may be a pipe."""

    path: str | Path
    lines: list[str]

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Read a file."""
        return cls(path, list(decoded_lines(path)))

    @property
    def numbered(self) -> bool:
        """Whether the first line is `id i j [S|P]`, not Pharaoh's `i-j`."""
        first = next((line for line in self.lines if line.strip()), "").split()
        return len(first) in (3, 4) and all(map(str.isalnum, first))

    @property
    def index_base(self) -> int:
        """The usual number of the first token in the format: 0 in Pharaoh's, 1 in the numbered one."""
        return int(self.numbered)

    def links(
        self,
        lengths: Lengths | None = None,
        index_base: int | None = None,
        counts: Counter[str] | None = None,
    ) -> list[Links]:
        """Return 0-based `Links`; `index_base` None is the usual one, `counts` are as in `read_numbered_links`."""
        base = self.index_base if index_base is None else index_base
        if self.numbered:
            return read_numbered_links(self.path, lengths, base, counts, self.lines)
        return read_pharaoh(self.path, lengths, base, self.lines)


def _parse_numbered(line: str, path: str | Path, number: int, index_base: int) -> tuple[str, Link, str]:
    key, *fields = line.split()
    kind = fields.pop() if len(fields) == 3 else "S"
    try:
        i, j = (int(field) - index_base for field in fields)
        if kind in ("S", "P"):
            return key, (i, j), kind
    except ValueError:
        pass
    raise InputError(path, f"expected id, two numbers and perhaps S or P, found {line!r}", line=number)
