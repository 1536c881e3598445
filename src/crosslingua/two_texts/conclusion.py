"""The conclusion of a finished run: the answer as a page and as text, the dictionary, and where the vectors are."""

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader

from crosslingua.atlas.cards import STRATEGIES
from crosslingua.errors import ConfigError, InputError
from crosslingua.io.atomic import atomic_open
from crosslingua.io.bitext import read_dictionary
from crosslingua.io.decode import CsvRecords
from crosslingua.io.json import read_json, write_json
from crosslingua.io.vectors import read_vectors
from crosslingua.lexicon_induction import confidence
from crosslingua.lexicon_induction.bli import gold_translations
from crosslingua.statistics.interval import share_interval
from crosslingua.two_texts import parallel
from crosslingua.two_texts.competitors import (
    DESCRIBED,
    GIBBS,
    LINKED,
    Competitor,
    answer_with,
    linked_words,
    with_vectors,
)
from crosslingua.two_texts.cost import MIN_COUNT
from crosslingua.two_texts.lexicon_files import read_lexicon, write_parquet, write_tmx
from crosslingua.two_texts.model_card import write_card
from crosslingua.two_texts.question import EARLIER, LEAST_ENTRIES, NOT_RUN, WITHOUT_DICTIONARY, PairToAsk

if TYPE_CHECKING:
    import pandas as pd

Files = tuple[Path, Path]
Condition = Mapping[str, Any]
FEW_WORDS = 1_000_000  # of a text, below which vectors of all but frequent words are poor
FEW_COVERED = 300  # held-out words
USABLE = 20  # percent of right translations, without copies, below which a dictionary is of no use
DICTIONARY, OF_ALIGNMENT = "dictionary.tsv", "dictionary.alignment.tsv"
TMX, PARQUET = "dictionary.tmx", "dictionary.parquet"
APART = 0.3  # rank correlation of translations' frequencies, below which texts differ in what they are about
NO_DICTIONARY = (
    "No dictionary was given, so nothing can say which strategy is best. The dictionary and the vectors are those of"
    f" “both” ({WITHOUT_DICTIONARY}). To compare the strategies, ask again with a dictionary of {LEAST_ENTRIES} entries"
    " or more, `source target` a line: --dictionary pairs.txt, or DICTIONARY=pairs.txt of make ask."
)


@dataclass(frozen=True)
class Answer:
    """What a question comes to.

    `verdict` is a sentence for each choice of test words, and one on the use of the dictionary. `text` adds what limits
    the answer and where the files are.
    `conditions` are the compared strategies with their intervals. `vectors` are files, the mapped source and target.
    """

    verdict: str
    text: str
    folder: Path
    vectors: Files
    conditions: tuple[Condition, ...]

    @cached_property
    def table(self) -> "pd.DataFrame":
        """The strategies: columns `words` (tested), `strategy`, `system`, `value` (P@1, percent), `low`, `high`."""
        import pandas as pd

        columns = ["words", "strategy", "system", "value", "low", "high"]
        rows = [
            {"words": condition["words"], "strategy": kind, **one}
            for condition in self.conditions
            for kind, one in condition["strategies"].items()
        ]
        return pd.DataFrame(rows, columns=columns)

    @cached_property
    def lexicon(self) -> "pd.DataFrame":
        """The dictionary of all words: the columns of dictionary.tsv, `confidence` NaN where none is known."""
        return read_lexicon(self.folder / DICTIONARY)


def conclude(question: PairToAsk) -> Answer:
    """Write the dictionary and the answer of a finished run into the question's folder; return the answer."""
    aligned = parallel.align(question.aligned) if question.bitext else None
    competing = [*with_vectors(question), *([linked_words(aligned)] if aligned else [])]
    judged, left_out = _judged(question, competing)
    # Where some words are spelt alike, the first condition is of the others: those are found at no cost.
    first = next(iter(judged.values()), None)
    system = mapped = WITHOUT_DICTIONARY
    if first:
        system, mapped = (one["system"] for one in (_leader(first), _leader_with_vectors(first)))
    elif question.dictionary:
        system = mapped = "joint_align_procrustes"
    verdict = [_verdict(*item) for item in judged.items()]
    if not verdict:
        untested = "No system could be tested: no held-out word has a vector."
        verdict = [untested if question.dictionary else NO_DICTIONARY]
    own = next((one for one in competing if one.system == mapped), None)
    files = [own.write_vectors()] if own else spaces(question.folder, mapped)
    vectors = [tuple(map(read_vectors, sides)) for sides in files]
    shapes = [side.matrix.shape for side in vectors[0]]
    lexicon = confidence.induce(vectors)
    limits = _limits(question, lexicon)
    card = write_card(question, mapped, files[0], shapes, own, judged, limits)
    limits += left_out
    other = examples = None
    if aligned:
        limits.append(_told_of_bitext(question, aligned))
        linked = parallel.lexicon_of(aligned.ranked)
        lexicon, other = (linked, None) if system == GIBBS else (lexicon, linked)
        examples = aligned.examples if system == GIBBS else None
    usable = _usable(question, lexicon)
    verdict += [_told_of_use(usable)] if usable else []
    calibrated, told = _calibrated(question, lexicon)
    given = (
        gold_translations([pair for path in question.given for pair in read_dictionary(path)])
        if question.dictionary
        else {}
    )
    counts = question.counts[0]
    sure = calibrated and calibrated.confidence
    confidence.write(question.folder / DICTIONARY, lexicon, sure, given, counts, examples)
    entries = read_lexicon(question.folder / DICTIONARY)
    write_tmx(question.folder / TMX, entries, question.languages)
    more = {"The same as TMX": question.folder / TMX}
    if write_parquet(question.folder / PARQUET, entries):
        more["The same as Parquet"] = question.folder / PARQUET
    if other:
        calibrated, told_of_other = _calibrated(question, other)
        if use := _usable(question, other):
            told_of_other += f" {_told_of_use(use)}"
        sure = calibrated and calibrated.confidence
        told += f" Of word alignment: {told_of_other}"
        more["Dictionary of word alignment"] = path = question.folder / OF_ALIGNMENT
        confidence.write(path, other, sure, given, counts, aligned.examples)
    if question.dictionary:
        limits.append(f"Not run: {NOT_RUN}.")
    places = {
        "Dictionary of all words": question.folder / DICTIONARY,
        **more,
        **dict(zip((f"Vectors of {name} ({mapped})" for name in question.languages), files[0], strict=True)),
        "Model card of the vectors": card,
        "All tables and figures": question.folder / "report.html",
        "This answer": question.folder / "answer.html",
    }  # fmt: skip
    _write_page(question, judged, places, verdict=verdict, limits=limits, told=told)
    record = {"system": system, "conditions": list(judged.values()), "dictionary": usable}
    write_json(question.folder / "recommendation.json", record)
    shutil.rmtree(question.folder / EARLIER, ignore_errors=True)  # there is a new answer
    text = "\n".join([*verdict, *limits, told, *(f"{name}: {path}" for name, path in places.items())])
    return Answer("\n".join(verdict), text, question.folder, files[0], tuple(judged.values()))


def _write_page(
    question: PairToAsk, judged: Mapping[str, Condition], places: Mapping[str, Path], **texts: Any
) -> None:
    """Write answer.html: `texts` are the verdict, the limits, and a sentence on the dictionary."""
    described = [
        told
        for kind, told in DESCRIBED.items()
        if kind in STRATEGIES or any(kind in one["strategies"] for one in judged.values())
    ]
    links = {name: (path, os.path.relpath(path, question.folder)) for name, path in places.items()}
    environment = Environment(loader=PackageLoader("crosslingua.two_texts", "."), autoescape=True)
    page = environment.get_template("answer.html.jinja").render(
        pair=question.pair, strategies=_rows(judged), described=described, places=links, **texts
    )
    with atomic_open(question.folder / "answer.html") as stream:
        stream.write(page)


def spaces(folder: Path, system: str) -> list[Files]:
    """Return the mapped vectors of a system, source and target of each seed, from the plan of lexicon induction."""
    plans = folder / "plans/induce_lexicon"
    rows = [row for plan in sorted(plans.glob("*.csv")) for row in CsvRecords(plan)]
    found = dict.fromkeys(
        (Path(row["source"]), Path(row["target"])) for row in rows if Path(row["out"]).parent.name == system
    )
    if not found:
        raise InputError(plans, f"has no plan of {system}", remedy="run crosslingua ask again")
    return list(found)


def _judged(question: PairToAsk, competing: Sequence[Competitor]) -> tuple[dict[str, Condition], list[str]]:
    """Return the conditions of the answer by their test words, and a sentence on each competitor that is left out."""
    if not question.dictionary:
        return {}, []
    found, left_out = read_json(question.folder / "claims.json", dict).get("answer"), list[str]()
    if competing:
        found, left_out = answer_with(question, competing)
    conditions = found["conditions"] if found else []
    return {each["words"]: each for each in conditions if each["supervision"] == "dictionary"}, left_out


def _leader_with_vectors(condition: Condition) -> Mapping[str, Any]:
    """Return the best system that has vectors."""
    others = [one for kind, one in condition["strategies"].items() if kind != LINKED]
    return max(others, key=lambda one: one["value"])


def _told_of_bitext(question: PairToAsk, aligned: parallel.AlignedText) -> str:
    """Say which parallel text was aligned, and how many words have a translation."""
    own = (
        "Equal lines of the texts agree, so they are taken for translations and"
        if question.bitext == question.texts
        else "In the bitext"
    )
    return f"{own} word alignment competes: {aligned.number:,} sentence pairs, {len(aligned.ranked):,} linked words."


def _leader(condition: Condition) -> Mapping[str, Any]:
    return condition["strategies"][condition["leader"]]


def _verdict(words: str, condition: Condition) -> str:
    """Say which strategy is ahead on some test words, by how much and how surely."""
    leader = _leader(condition)
    gaps = ", ".join(
        f"{gap['effect']:+.1f} points [{gap['low']:.1f}, {gap['high']:.1f}] over {gap['over']}"
        for gap in condition["comparisons"]
    )
    of = "that the texts cover" if words == "all" else words
    name = f"“{condition['leader']}” ({leader['system']})"
    is_best = condition["best"] == condition["leader"]
    verdict = f"use {name}" if is_best else f"these texts cannot tell; {name} leads"
    one_run = " One run is a look: a verdict takes three." if condition["seeds"] < 3 else ""
    return (
        f"Of test words {of}: {verdict}. P@1 {leader['value']:.1f} %, {gaps}; {condition['test_words']} words,"
        f" {condition['seeds']} runs, 95 % intervals over words and runs.{one_run}"
    )


def _rows(judged: Mapping[str, Condition]) -> list[dict[str, str]]:
    """Return the rows of the table: each strategy's best system on some words."""
    return [
        {"words": words, "strategy": kind, "system": one["system"],
         "value": f"{one['value']:.1f} [{one['low']:.1f}, {one['high']:.1f}]"}
        for words, condition in judged.items() for kind, one in condition["strategies"].items()
    ]  # fmt: skip


def _calibrated(
    question: PairToAsk, lexicon: confidence.InducedLexicon
) -> tuple[confidence.Calibrated | None, str]:
    """Return the confidence of the lexicon's translations, if there is a dictionary, and a sentence on it."""
    if not question.dictionary:
        return None, "Confidence of single translations needs a dictionary: the column is empty."
    try:
        found = confidence.calibrate(lexicon, gold_translations(read_dictionary(question.prepared)))
    except ConfigError as error:
        return None, f"The dictionary has no confidence: {error}."
    told = (
        f"Confidence is calibrated on {found.entries} held-out entries: its mean is {found.mean:.0f} %,"
        f" {found.precision:.0f} % are right, and the calibration error is {found.error:.0f} points."
    )
    return found, told


def _usable(question: PairToAsk, lexicon: confidence.InducedLexicon) -> dict[str, Any] | None:
    """Return whether the lexicon is `usable` as a dictionary, by held-out words; None if none of them tells.

    The record has `right` and `tested` translations that are no copies, and their share as `value` with its 95 %
    interval, `low` and `high` (Clopper and Pearson 1934), in percent.
    """
    if not question.dictionary:
        return None
    right, tested = confidence.right_and_tested(
        lexicon, gold_translations(read_dictionary(question.prepared))
    )
    if not tested:
        return None
    low, high = share_interval(right, tested)
    usable = "yes" if low >= USABLE else "no" if high < USABLE else "open"
    return {
        "usable": usable,
        "right": right,
        "tested": tested,
        "value": 100 * right / tested,
        "low": low,
        "high": high,
    }


def _told_of_use(found: Mapping[str, Any]) -> str:
    """Say whether a lexicon is usable as a dictionary."""
    use = {"yes": "usable", "no": "not usable", "open": "open whether usable"}[found["usable"]]
    return (
        f"As a dictionary: {use}. Of held-out translations that are no copy of their word, {found['value']:.0f} % are"
        f" right [{found['low']:.0f}, {found['high']:.0f}], {found['right']} of {found['tested']};"
        f" a usable dictionary has {USABLE} % or more."
    )


def _limits(question: PairToAsk, lexicon: confidence.InducedLexicon) -> list[str]:
    """Say what limits the answer: the size of the texts, coverage, shared words, and the difference of domains."""
    sizes = " and ".join(
        f"{number:,} words of {name}" for name, number in zip(question.languages, question.words, strict=True)
    )
    lines = [f"Texts: {sizes}, read {question.epochs} times."]
    if min(question.words) < FEW_WORDS:
        lines.append(
            "Size limits the answer: below a million words, vectors of all but frequent words are poor."
        )
    source, target = question.counts
    both = sum(number for word, number in source.items() if target[word] >= MIN_COUNT)
    shared = 100 * both / source.total()
    lines.append(
        f"Shared words: {shared:.0f} % of the source text is words that the target text has {MIN_COUNT} times or more."
    )
    pairs = list(zip(lexicon.words, lexicon.best, strict=True))
    if question.dictionary:
        gold = gold_translations(read_dictionary(question.prepared))
        covered = sum(word in gold for word in lexicon.words)
        lines.append(f"Coverage: {covered} of {len(gold)} held-out words have a vector.")
        if covered < FEW_COVERED:
            lines[-1] += " That is few: a dictionary of the texts' words would say more."
        pairs = [(word, max(sorted(others), key=target.__getitem__)) for word, others in gold.items()]
    counted = [(source[a], target[b]) for a, b in pairs if a != b and source[a] and target[b]]
    if len(counted) >= FEW_COVERED / 10:
        from scipy.stats import spearmanr

        alike = float(spearmanr(*zip(*counted, strict=True)).statistic)
        told, unless = "translations", ""
        if not question.dictionary:
            told, unless = "supposed translations", ", or few are right"
        differ = f" The texts differ in what they are about{unless}." if alike < APART else ""
        lines.append(f"Domains: frequencies of {told} agree with a rank correlation of {alike:.2f}.{differ}")
    return lines
