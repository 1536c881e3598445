"""Read slot filling in formats other than columns: two parallel files, numbered rows, tab-separated utterances."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from crosslingua.corpora.labelled.columns import conll_type
from crosslingua.corpora.labelled.source import Source, clean_token
from crosslingua.errors import InputError, usable
from crosslingua.io import conll
from crosslingua.io.conll import Span, TaggedSentence, check_bio2


def _sentence(
    source: Source,
    line: int,
    tokens: Sequence[str],
    labels: Sequence[str],
    counts: Counter[str],
    comments: dict[str, str] | None = None,
    one_line: bool = True,
) -> TaggedSentence:
    """Check one utterance whose tokens stand in line `line`, or begin there (`one_line` false)."""
    if len(tokens) != len(labels):
        raise InputError(source, f"{len(tokens)} tokens but {len(labels)} labels", line=line)
    wrong = conll.first_error(labels)
    if wrong and not labels[wrong[0]].startswith("I-"):
        raise InputError(source, wrong[1], line=line + (0 if one_line else wrong[0]))
    checked = check_bio2(source, line, labels, counts)
    return TaggedSentence(
        tuple(clean_token(token, counts) for token in tokens), tuple(checked), comments or {}
    )


def read_parallel_files(
    tokens: Source, labels: Source, counts: Counter[str], intents: Source | None = None
) -> Iterator[TaggedSentence]:
    """Return utterances of `seq.in`, `seq.out` and perhaps `label` (intents). InputError unless they are parallel."""
    sides = [list(source.lines()) for source in (tokens, labels, *([intents] if intents else []))]
    sizes = [len(side) for side in sides]
    if len(set(sizes)) > 1:
        raise InputError(tokens, f"the files are not line-parallel: {sizes} lines", remedy="fetch them again")

    def make(lines: tuple[tuple[int, str], ...], found: Counter[str]) -> TaggedSentence:
        (number, text), (_, tags), *rest = lines
        if not text.strip():
            raise InputError(tokens, "empty line", line=number)
        comments = {"intent": rest[0][1].strip()} if rest else {}
        return _sentence(tokens, number, _words(text), _words(tags), found, comments)

    return usable(zip(*sides, strict=True), make, counts, "sentences")


_words = re.compile(r"[^ \t]+").findall  # U+00A0 separates none


def read_numbered(source: Source, counts: Counter[str]) -> Iterator[TaggedSentence]:
    """Return utterances of rows `Sentence: k<TAB>token<TAB>tag` below a header, no blank lines between (ATIS-TR). A row
    of other columns is an InputError: it belongs to no sentence that could be dropped.
    """
    lines = source.lines()
    _, header = next(lines, (0, ""))
    if header.split("\t") != ["Sentence #", "Word", "Tag"]:
        raise InputError(source, f"header {header!r} where Sentence #<TAB>Word<TAB>Tag is expected", line=1)

    def rows() -> Iterator[tuple[int, list[str]]]:
        for number, line in lines:
            cells = line.split("\t")
            if len(cells) != 3 or not all(cell.strip() for cell in cells):
                raise InputError(
                    source, f"{line!r} where sentence<TAB>token<TAB>tag is expected", line=number
                )
            yield number, cells

    def make(rows: list[tuple[int, list[str]]], found: Counter[str]) -> TaggedSentence:
        numbers, cells = zip(*rows, strict=True)
        _, tokens, labels = zip(*cells, strict=True)
        return _sentence(source, numbers[0], tokens, labels, found, one_line=False)

    sentences = (list(group) for _, group in groupby(rows(), key=lambda row: row[1][0]))
    return usable(sentences, make, counts, "sentences")


def read_json_tags(source: Source, counts: Counter[str]) -> Iterator[TaggedSentence]:
    """Return sentences of JSON lines with `tokens` and `tags` (BasqueGLUE); empty sentences are counted."""

    def make(numbered: tuple[int, str], found: Counter[str]) -> TaggedSentence | None:
        number, line = numbered
        try:
            row = json.loads(line)
            tokens, tags = row["tokens"], row["tags"]
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                source, f"not a JSON object with tokens and tags: {error}", line=number
            ) from None
        if not tokens:
            found["empty_sentences"] += 1
            return None
        sentence = _sentence(source, number, tokens, tags, found)
        for span in conll.spans(sentence.labels):
            try:
                conll_type(span.type)
            except KeyError:
                raise InputError(source, f"unknown entity type {span.type!r}", line=number) from None
        return sentence

    return usable(source.lines(), make, counts, "sentences")


# MultiATIS (LDC2019T04): id, English utterance and its tags, back-translation, intent, utterance, tags. MultiATIS++
# (LDC2021T04): id, utterance, tags, intent. The columns of the language itself are used.
_MULTIATIS = {7: (5, 6, 4), 4: (1, 2, 3)}


def read_multiatis(source: Source, counts: Counter[str]) -> Iterator[TaggedSentence]:
    """Return the utterances of MultiATIS or MultiATIS++, whose layouts are reconstructed from descriptions."""

    def make(numbered: tuple[int, str], found: Counter[str]) -> TaggedSentence | None:
        number, cells = numbered[0], numbered[1].split("\t")
        if number == 1 and not cells[0].strip().isdigit():
            return None
        if len(cells) not in _MULTIATIS:
            raise InputError(source, f"{len(cells)} columns where 4 or 7 are expected", line=number)
        text, tags, intent = (cells[column].strip() for column in _MULTIATIS[len(cells)])
        if not text:
            raise InputError(source, "empty utterance", line=number)
        return _sentence(source, number, _words(text), _words(tags), found, {"intent": intent})

    return usable(source.lines(), make, counts, "sentences")


Range = tuple[int, int]  # first character, and the one after the last


def read_facebook(source: Source, counts: Counter[str]) -> Iterator[TaggedSentence]:
    """Return the utterances with their intents in comments; a token has the slot whose characters it overlaps.

    Counted: `slots`, `no_slots`, `split_tokens` (cut by a slot), `moved_tokens` (found again), `changed_tokens`
    (spelled otherwise than in the text), `lost_slots` (in another slot's token), `clipped_slots` (begin before the
    utterance). Other columns, spans outside the utterance, overlapping slots and lost tokens are errors of an
    utterance, as in `usable`.
    """

    def make(numbered: tuple[int, str], found: Counter[str]) -> TaggedSentence:
        number, cells = numbered[0], numbered[1].split("\t")
        if len(cells) != 5:
            raise InputError(source, f"{len(cells)} columns where 5 are expected", line=number)
        intent, slots, text, _, tokenisation = cells
        try:
            ranges = _token_ranges(text, tokenisation, found)
            spans = _slots(slots, text, ranges, found)
            labels = conll.from_spans(len(ranges), spans)
        except ValueError as error:
            raise InputError(source, str(error), line=number) from None
        tokens = tuple(clean_token(text[start:end], found) for start, end in ranges)
        return TaggedSentence(tokens, tuple(labels), {"intent": intent})

    return usable(source.lines(), make, counts, "sentences")


def _token_ranges(text: str, tokenisation: str, counts: Counter[str]) -> list[Range]:
    """Return where the tokens stand. Their text is taken from there: the JSON has them lower-cased."""
    try:
        given = json.loads(tokenisation)["tokenizations"][0]
        tokens = given["tokens"]
        ranges = [(span["start"], span["start"] + span["length"]) for span in given["tokenSpans"]]
    except (ValueError, LookupError, TypeError) as error:
        raise ValueError(f"no tokens and spans in the last column: {error}") from None
    if not tokens or len(tokens) != len(ranges):
        raise ValueError(f"{len(tokens)} tokens with {len(ranges)} spans")
    if _fits(text, ranges):
        # Thai tokens have SARA AM in two code points, a Spanish one `2a` for `2ª`: the text is right.
        counts["changed_tokens"] += any(
            text[a:b].lower() != token for token, (a, b) in zip(tokens, ranges, strict=True)
        )
        return ranges
    counts["moved_tokens"] += 1
    return _search(text, tokens)


def _fits(text: str, ranges: list[Range]) -> bool:
    """Whether the ranges lie in the text, in order, hold no space and leave nothing but spaces out."""
    if any(not text[start:end].strip() or " " in text[start:end] for start, end in ranges):
        return False
    ends = [(0, 0), *ranges, (len(text), len(text))]
    return all(end <= start and not text[end:start].strip() for (_, end), (start, _) in pairwise(ends))


def _search(text: str, tokens: list[str]) -> list[Range]:
    """Find the tokens one after another: in 91 Spanish lines the spans count accented letters as two."""
    lowered, position, ranges = text.lower(), 0, []
    for token in tokens:
        start = lowered.find(token, position)
        if start < 0 or text[position:start].strip():
            raise ValueError(f"token {token!r} is not in the utterance after character {position}")
        position = start + len(token)
        ranges.append((start, position))
    return ranges


def _slots(slots: str, text: str, ranges: list[Range], counts: Counter[str]) -> list[Span]:
    """Return the slots as spans of tokens. A token that two slots reach into belongs to the one with more of it."""
    given = [_slot(slot, text, counts) for slot in filter(None, slots.split(","))]
    owner: dict[int, int] = {}
    for index, token in enumerate(ranges):
        shared = [_overlap(token, (start, end)) for start, end, _ in given]
        if any(shared):
            owner[index] = shared.index(max(shared))
    spans = []
    for number, (start, end, kind) in enumerate(given):
        inside = [index for index, slot in owner.items() if slot == number]
        if not inside and _shares_its_token(start, end, ranges, given):
            counts["lost_slots"] += 1
            continue
        if not inside or inside[-1] - inside[0] != len(inside) - 1:
            raise ValueError(f"slot {start}:{end}:{kind} overlaps another or holds no token")
        counts["split_tokens"] += any(a < start < b or a < end < b for a, b in ranges)
        spans.append(Span(kind, inside[0], inside[-1] + 1))
    counts["slots"] += len(spans)
    counts["no_slots"] += not spans
    return spans


def _shares_its_token(start: int, end: int, ranges: list[Range], given: list[tuple[int, int, str]]) -> bool:
    """Whether a slot lies in one token with others, none of which it overlaps: `7.00and7.15`."""
    inside = any(a <= start and end <= b for a, b in ranges)
    return inside and sum(_overlap((start, end), (a, b)) > 0 for a, b, _ in given) == 1


def _overlap(one: Range, other: Range) -> int:
    """Return how many characters two ranges share."""
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))


def _slot(slot: str, text: str, counts: Counter[str]) -> tuple[int, int, str]:
    start, _, rest = slot.partition(":")
    end, _, kind = rest.partition(":")
    if not (start.removeprefix("-").isdigit() and end.isdigit() and kind):
        raise ValueError(f"slot {slot!r} is not start:end:type")
    counts["clipped_slots"] += start.startswith("-")
    first = max(int(start), 0)
    if not first < int(end) <= len(text):
        raise ValueError(f"slot {slot!r} does not lie in the {len(text)} characters of the utterance")
    return first, int(end), kind
