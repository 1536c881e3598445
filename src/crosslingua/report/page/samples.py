"""Samples on the results page: what systems say of a few items that a seed draws, beside what is right."""

import random
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from crosslingua.io.bitext import read_bitext
from crosslingua.io.conll import read_conll
from crosslingua.io.decode import decoded_lines, tokens_of
from crosslingua.io.json import read_json
from crosslingua.io.squad import questions, read_squad
from crosslingua.tasks.kinds import kind_of
from crosslingua.word_aligners.scoring import read_alignment

ITEMS, WORDS = 3, 20  # items a sample, and words of an item at most
GRID = 12  # words of a sentence whose links are shown
RIGHT, WRONG, MISSED = "right", "wrong", "missed"
Told = Mapping[str, Any]


def samples(told: Iterable[Told]) -> list[dict[str, Any]]:
    """Return what the page shows of samples (workflow/samples.py): of each its `kind`, what it is of, and `items`.

    Of files that are not there, nothing is shown.
    """
    found = []
    for each in told:
        if each["kind"] == "translations":
            found += _translations(Path(each["brief"]))
            continue
        systems = {name: path for name, path in each["systems"].items() if Path(path).is_file()}
        if systems and Path(each["gold"]).is_file():
            items = list(KINDS[each["kind"]](each, systems))
            kind = "tagged" if each["kind"] in ("spans", "tags") else each["kind"]
            title = "Word alignment" if kind == "links" else kind_of(each["task"]).title
            found.append(
                {"kind": kind, "title": title, "pair": each["pair"], "seed": each["seed"], "items": items}
            )
    return found


def drawn(seed: int, places: Iterable[int], number: int = ITEMS) -> list[int]:
    """Return that many of the places, by a seed, in order."""
    places = list(places)
    return sorted(random.Random(seed).sample(places, min(number, len(places))))


def _tagged(told: Told, systems: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield sentences as rows of words: (word, label to show, whether right or wrong)."""
    gold = list(read_conll(told["gold"], "plain"))
    said = {name: list(read_conll(path, "plain")) for name, path in systems.items()}
    fits = (
        i for i, sentence in enumerate(gold) if len(sentence.tokens) <= WORDS and {*sentence.labels} != {"O"}
    )
    for place in drawn(told["seed"], fits):
        tokens, labels = gold[place].tokens, gold[place].labels
        rows = {"gold": [(word, _shown(label), "") for word, label in zip(tokens, labels, strict=True)]}
        for name, sentences in said.items():
            rows[name] = [
                (word, "" if label == right else label, _state(label, right))
                for word, label, right in zip(tokens, sentences[place].labels, labels, strict=True)
            ]
        yield {"rows": rows}


def _shown(label: str) -> str:
    return "" if label == "O" else label


def _state(label: str, right: str) -> str:
    if label == right:
        return RIGHT if _shown(label) else ""
    return WRONG if _shown(label) else MISSED


def _asked(told: Told, systems: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield questions with the answers of each system: (text, whether it is one of the right ones)."""
    said = {name: read_json(path, dict) for name, path in systems.items()}
    every = list(questions(read_squad(told["gold"])))
    fits = (i for i, (paragraph, _) in enumerate(every) if len(tokens_of(paragraph.context)) <= 4 * WORDS)
    for place in drawn(told["seed"], fits):
        paragraph, question = every[place]
        right = {answer.text.lower() for answer in question.answers}
        answers = {name: answers[question.id] for name, answers in said.items()}
        rows = {name: (text, RIGHT if text.lower() in right else WRONG) for name, text in answers.items()}
        first = question.answers[0].text
        yield {"context": paragraph.context, "question": question.text, "right": first, "rows": rows}


def _linked(told: Told, systems: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield sentence pairs with a grid for each system: a state for each source word and target word."""
    pairs = [tuple(map(tokens_of, pair)) for pair in read_bitext(told["source"], told["target"])]
    lengths = [(len(source), len(target)) for source, target in pairs]
    gold = read_alignment(told["gold"], lengths)
    said = {name: read_alignment(path, lengths) for name, path in systems.items()}
    fits = (i for i, both in enumerate(lengths) if min(both) > 2 and max(both) <= GRID)
    for place in drawn(told["seed"], fits, 1):
        source, target = pairs[place]
        rows, columns = range(len(source)), range(len(target))
        grids = {
            name: [[_link((i, j), links[place].possible, gold[place]) for j in columns] for i in rows]
            for name, links in said.items()
        }
        yield {"source": source, "target": target, "grids": grids}


def _link(link: tuple[int, int], chosen: frozenset, gold: Any) -> str:
    if link in chosen:
        return RIGHT if link in gold.possible else WRONG
    return MISSED if link in gold.sure else ""


def _translations(brief: Path) -> list[dict[str, Any]]:
    """Return the sample of a direction as rows of words; those of a system that the reference lacks are wrong."""
    told = read_json(brief, dict)
    if not all(Path(path).is_file() for path in told["files"].values()):
        return []
    columns = {
        name: [tokens_of(line.lower()) for line in decoded_lines(path)]
        for name, path in told["files"].items()
    }
    fits = (i for i, words in enumerate(columns["source"]) if told["least"] <= len(words) <= told["most"])
    items = []
    for place in drawn(told["seed"], fits, told["samples"]):
        known = {*columns["reference"][place]}
        rows = {
            name: [
                (word, "", WRONG if name != "source" and word not in known else "") for word in column[place]
            ]
            for name, column in columns.items()
        }
        items.append({"rows": rows})
    title = {"kind": "tagged", "title": "Translation", "pair": told["direction"], "seed": told["seed"]}
    return [title | {"items": items}] if items else []


KINDS = {"spans": _tagged, "tags": _tagged, "questions": _asked, "links": _linked}
