"""`crosslingua ask`: for two texts, say which strategy to use; give the dictionary and the vectors that follow from it.

The texts become a scale of their own, `ask_SOURCE_TARGET`, which runs joint_align's systems of lexicon induction on
them. Of a dictionary a part is held out, which decides; a person gives one file.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from crosslingua.errors import ConfigError, InputError
from crosslingua.io.atomic import atomic_open
from crosslingua.io.bitext import read_dictionary, split_validation
from crosslingua.io.decode import decoded_lines, tokens_of
from crosslingua.io.json import read_json, write_json
from crosslingua.io.vectors import read_vectors
from crosslingua.lexicon_induction import confidence
from crosslingua.lexicon_induction.bli import gold_translations

HELD_OUT = 0.3  # of the dictionary's source words
LEAST_ENTRIES = 300  # of a dictionary that is split
SMALL, LARGE = 1_000_000, 5_000_000  # words of both texts, below and above which training differs
WITHOUT_DICTIONARY = ("vecmap", "joint", "joint_vr", "joint_align_identity")
FOUND = "answer.md"


@dataclass(frozen=True)
class PairToAsk:
    """Two texts by language, and a dictionary or none; `folder` takes the answer."""

    languages: tuple[str, str]
    texts: tuple[Path, Path]
    dictionary: Path | None
    folder: Path
    seeds: int = 3

    @property
    def scale(self) -> str:
        """The name of the scale."""
        return self.folder.name

    @property
    def pair(self) -> str:
        """The language pair as configurations name it."""
        return "-".join(self.languages)

    @property
    def prepared(self) -> Path:
        """The held-out part of the dictionary, normalised and lower-cased as the texts are."""
        return self.folder / f"corpora/dictionaries/{self.pair}.own/test.txt"


def language_of(text: Path, other: str) -> str:
    """Return the language that a text's name ends in (text.sw, text.sw.gz); `other` where it names none."""
    suffixes = [suffix[1:] for suffix in text.suffixes if suffix not in (".gz", ".txt")]
    named = suffixes[-1].lower() if suffixes else ""
    return named if named.isalpha() and len(named) in (2, 3) else other


def words_of(texts: Sequence[Path]) -> list[int]:
    """Return the number of words of each text. Raises InputError for a text without any."""
    numbers = []
    for text in texts:
        numbers.append(sum(len(tokens_of(line)) for line in decoded_lines(text)))
        if not numbers[-1]:
            raise InputError(text, "has no words", remedy="give plain text, a sentence a line")
    return numbers


def configure(question: PairToAsk) -> Path:
    """Write the configuration, and the parts of the dictionary, into the question's folder; return its file.

    Raises InputError for texts without words and for a dictionary of fewer than LEAST_ENTRIES entries.
    """
    words = sum(words_of(question.texts))
    config: dict[str, Any] = {
        "scale": question.scale,
        "seeds": list(range(1, question.seeds + 1)),
        "pairs": [question.pair],
        "languages": {
            language: {"path": str(path.resolve())}
            for language, path in zip(question.languages, question.texts, strict=True)
        },
        "word_embeddings": {"epoch": 15 if words < SMALL else 10 if words < LARGE else 5},
        "joint_align": {"table3": None},
    }
    if question.dictionary:
        config["joint_align"]["systems"] = {"vecmap": None}  # slow on a small machine; needs no dictionary
        train, test = _split(question.dictionary)
        config["dictionaries"] = {
            name: str(_write(question.folder / "dictionary" / f"{name}.txt", pairs).resolve())
            for name, pairs in (("train", train), ("test", test))
        }
    else:
        config["mappers"] = {"vecmap": {}}
        base = yaml.safe_load(Path("config.yaml").read_text(encoding="utf-8"))["joint_align"]["systems"]
        config["joint_align"]["systems"] = {name: None for name in base if name not in WITHOUT_DICTIONARY}
    path = question.folder / "ask.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_open(path) as stream:
        yaml.safe_dump(config, stream, allow_unicode=True, sort_keys=False)
    return path


def _split(dictionary: Path) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    pairs = read_dictionary(dictionary)
    if len(pairs) < LEAST_ENTRIES:
        remedy = "give more, or leave DICTIONARY away: systems without a dictionary run then"
        raise InputError(dictionary, f"has {len(pairs)} entries, fewer than {LEAST_ENTRIES}", remedy=remedy)
    return split_validation(pairs, HELD_OUT)


def _write(path: Path, pairs: Sequence[tuple[str, str]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_open(path) as stream:
        stream.writelines(f"{source}\t{target}\n" for source, target in pairs)
    return path


def conclude(question: PairToAsk) -> str:
    """Write the dictionary and the answer of a finished run into the question's folder; return the answer as text."""
    answer = read_json(question.folder / "claims.json", dict).get("answer") or {"conditions": []}
    judged = {condition["words"]: condition for condition in answer["conditions"]
              if condition["supervision"] == ("dictionary" if question.dictionary else "none")}  # fmt: skip
    system = _chosen(judged, question)
    spaces = _spaces(question.folder, system)
    lexicon = confidence.induce([tuple(read_vectors(path) for path in sides) for sides in spaces])
    calibrated = None
    if question.dictionary:
        gold = gold_translations(read_dictionary(question.prepared))
        covered = sum(word in gold for word in lexicon.words)
        coverage = [f"Coverage: {covered} of {len(gold)} held-out words have a vector. Not run: vecmap."]
        try:
            calibrated = confidence.calibrate(lexicon, gold)
            told = (
                f"Confidence is calibrated on {calibrated.entries} held-out entries: its mean is"
                f" {calibrated.mean:.0f} %, {calibrated.precision:.0f} % are right, and the calibration error is"
                f" {calibrated.error:.0f} points."
            )
        except ConfigError as error:
            told = f"The dictionary has no confidence: {error}."
    else:
        coverage = []
        told = "Without a dictionary no confidence can be calibrated: the column is empty."
    confidence.write(question.folder / "dictionary.tsv", lexicon, calibrated and calibrated.confidence)
    lines = [
        *_recommendation(judged),
        *_limits(question),
        *coverage,
        told,
        *_places(question, system, spaces[0]),
    ]
    text = "\n".join(lines)
    with atomic_open(question.folder / FOUND) as stream:
        stream.write(
            f"# {question.pair}: joint training, alignment, or both?\n\n" + "\n\n".join(lines) + "\n"
        )
    write_json(
        question.folder / "recommendation.json", {"system": system, "conditions": list(judged.values())}
    )
    return text


def _chosen(judged: Mapping[str, Mapping[str, Any]], question: PairToAsk) -> str:
    if "all" in judged:
        return judged["all"]["strategies"][judged["all"]["leader"]]["system"]
    return "joint_align_identity" if not question.dictionary else "joint_align_procrustes"


def _spaces(folder: Path, system: str) -> list[tuple[Path, Path]]:
    """Return the mapped vectors of a system, source and target of each seed, from the plan of lexicon induction."""
    for plan in sorted((folder / "plans/induce_lexicon").glob(f"*.{system}.csv")):
        with plan.open(encoding="utf-8", newline="") as stream:
            sides = [(Path(row["source"]), Path(row["target"])) for row in csv.DictReader(stream)]
        return list(dict.fromkeys(sides))
    raise InputError(
        folder / "plans/induce_lexicon", f"has no plan of {system}", remedy="run crosslingua ask again"
    )


def _recommendation(judged: Mapping[str, Mapping[str, Any]]) -> list[str]:
    if "all" not in judged:
        return ["Without a dictionary nothing can be tested: which strategy is best here is not known."]
    lines = []
    for words, condition in judged.items():
        leader = condition["strategies"][condition["leader"]]
        gaps = ", ".join(
            f"{gap['effect']:+.1f} points [{gap['low']:.1f}, {gap['high']:.1f}] over {gap['over']}"
            for gap in condition["comparisons"]
        )
        of = "all test words" if words == "all" else f"test words {words}"
        if condition["best"] == condition["leader"]:
            verdict = f"use “{condition['leader']}” ({leader['system']})"
        else:
            verdict = f"these texts cannot tell; “{condition['leader']}” ({leader['system']}) leads"
        lines.append(
            f"Of {of}: {verdict}. P@1 {leader['value']:.1f}, {gaps}; {condition['test_words']} words,"
            f" {condition['seeds']} seeds, 95 % intervals."
        )
    return lines


def _limits(question: PairToAsk) -> list[str]:
    """Say how large the texts are."""
    words = words_of(question.texts)
    sizes = ", ".join(
        f"{language} {number:,} words" for language, number in zip(question.languages, words, strict=True)
    )
    return [f"Texts: {sizes}."]


def _places(question: PairToAsk, system: str, space: tuple[Path, Path]) -> list[str]:
    return [
        f"Dictionary of all words: {question.folder / 'dictionary.tsv'}",
        f"Vectors ({system}): {space[0]}, {space[1]}",
        f"Page: {question.folder / 'report.html'}",
    ]
