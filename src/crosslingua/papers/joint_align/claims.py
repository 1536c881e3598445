"""What joint_align's statements are tested on: queries answered, shared words, nearness, entities, and translations."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crosslingua.cells import Cell
from crosslingua.errors import InputError
from crosslingua.evidence.evidence import Evidence, Values, numbered
from crosslingua.evidence.participation import SOURCE, unable_taggers, withhold
from crosslingua.io.json import read_json
from crosslingua.lexicon_induction.degenerate import is_marked
from crosslingua.metrics import conditions
from crosslingua.papers.joint_align.answer import answer
from crosslingua.papers.joint_align.controls import CONTROL_KINDS, Standing, standing
from crosslingua.papers.joint_align.convention import leading
from crosslingua.papers.joint_align.tables import FLOORS

__all__ = ["MEASURES", "answer", "evidence"]

# Task: the measure, the system that the paper has ahead there, and the other. Table 3's `align` is Procrustes too.
AHEAD = {
    "alignment_in_lexicons": ("precision", "procrustes", "joint"),
    "alignment_in_entities": ("entities", "align", "joint"),
    "joint_in_translation": ("translation", "joint", "align"),
}


def lead_by_task(found: Mapping[tuple[str, str], Evidence]) -> Evidence:
    """Return, of one pair `all`, how far the system is that the paper has ahead, in the mean over a seed's pairs."""
    lead = Evidence("points of P@1, F1 or BLEU", controlled=True, differences=True)
    for name, (measure, first, second) in AHEAD.items():
        gaps: dict[int, list[float]] = {}
        for systems in found[measure, "all"].values.values():
            ours, theirs = (systems.get(system, {}) for system in (first, second))
            for seed in sorted(ours.keys() & theirs.keys()):
                both = _difference(ours[seed], theirs[seed])  # on the items that both answered
                gaps.setdefault(seed, []).append(float(np.mean(list(both.values()))))
        if not gaps and (told := found[measure, "all"].not_compared((first, second))):
            lead.withhold("all", name, f"({'; '.join(told)})")
        for seed, values in gaps.items():
            lead.add("all", name, seed, {("all", "pairs"): float(np.mean(values))})
    return lead


MAPPERS = ("rcsls", "geomm", "muse")  # the paper's, each of which refines jointly trained vectors
ALIGNMENTS = ("procrustes", "iterative_norm", "rcsls", "geomm", "muse", "vecmap")


def add_refinement_gains(found: Evidence) -> None:
    """Add what refinement gains: `gain_MAPPER` after reallocation, `gain_without_reallocation_MAPPER` without it."""
    found.bounds = (-100, 100)
    for mapper in MAPPERS:
        _add(found, f"gain_{mapper}", (f"joint_align_{mapper}", "joint_vr"), _difference)
        _add(found, f"gain_without_reallocation_{mapper}", (f"joint_ar_{mapper}", "joint"), _difference)


def add_quarters(found: Evidence) -> None:
    """Add a quarter of what each alignment method reaches, `quarter_of_METHOD`."""
    for name in ALIGNMENTS:
        _add(found, f"quarter_of_{name}", (name,), lambda runs: {item: v / 4 for item, v in runs.items()})


def _add(found: Evidence, name: str, made_of: tuple[str, ...], make: Callable[..., Values]) -> None:
    """Add `name` for the pairs and seeds that all its component systems have; a failure of one fails `name`."""
    for pair, systems in found.values.items():
        known = [systems[system] for system in made_of if system in systems]
        if len(known) == len(made_of):
            for seed in sorted(set.intersection(*map(set, known))):
                found.add(pair, name, seed, make(*(values[seed] for values in known)))
    found.failed += [(pair, name, seed) for pair, system, seed in found.failed if system in made_of]
    for (pair, system), reason in list(found.withheld.items()):
        if system in made_of:
            found.withhold(pair, name, f"({system} {reason})")


def _difference(values: Values, base: Values) -> Values:
    return {item: value - base[item] for item, value in values.items() if item in base}


# The gain of refinement on joint training, of static vectors and of an encoder; the gain of tuned vectors.
GAINS = {
    "refinement_static": ("joint_align", "joint"),
    "refinement_contextual": ("mbert_feature_align", "mbert_feature"),
    "tuning_joint": ("joint", "joint_frozen"),
    "tuning_align": ("align", "align_frozen"),
}


def entities(cells: Sequence[Cell]) -> Evidence:
    """Return F1 by pair and system as influence values, an item a sentence; GAINS are differences of two systems.

    A system is withheld whose tagger does not beat its controls in the language of training (table `source`).
    """
    found = Evidence("points of F1")
    for cell in (cell for cell in cells if cell.table == "table3"):
        values = numbered(cell.task, read_json(cell.score)["per_sentence"])
        found.add(f"{cell.source}-{cell.target}", cell.system, cell.seed, values)
    taggers = [cell for cell in cells if cell.table in ("table3", SOURCE)]
    withhold(found, unable_taggers(taggers, FLOORS, lambda cell: (f"{cell.source}-{cell.target}",)))
    for name, compared in GAINS.items():
        _add(found, name, compared, _difference)
    return found


RETRIEVAL = "csls"  # section 4.2
TABLES = {"all": "table1", "different_surface": "table2"}
# What claims name, each with its choices of words.
MEASURES = {
    # P@1 in percent, CSLS, by the leading rule for words out of vocabulary. Of table 1; of table 2; of table 1's
    # queries whose source word is shared before reallocation, or is not; with the curve's largest dictionary
    "precision": ("all", "different_surface", "shared_source", "own_source", "largest_dictionary"),
    "shared_words": ("all",),  # percent of the joint vocabulary
    "closeness": ("all", "not_shared"),  # cosine of translations less that of random pairs
    "entities": ("all",),  # F1 of table 3
    # BLEU of figure 2: of the chosen epoch, and as system@first and system@last of the first and last quarter of epochs
    "translation": ("all",),
    "lead_by_task": ("all",),  # of the system that the paper has ahead in a task: P@1, F1 or BLEU
}


def evidence(cells: Sequence[Cell], inputs: Mapping[str, list[Path]]) -> dict[tuple[str, str], Evidence]:
    """Return the evidence of each measure and choice of words.

    `inputs` are, by pair, `divisions` (division.json) and, if made, `similarities` (of measure_similarity.py).
    """
    similarities = inputs.get("similarities", [])
    found = {
        ("precision", words): precision(cell for cell in cells if cell.table == table)
        for words, table in TABLES.items()
    }
    found["precision", "largest_dictionary"] = precision(with_largest_dictionary(cells))
    unable = standing_of(cells).failed
    for part in found.values():
        exclude(part, unable)
    for words, shared in (("shared_source", True), ("own_source", False)):
        found["precision", words] = by_sharing(found["precision", "all"], similarities, shared=shared)
    add_quarters(found["precision", "different_surface"])
    add_refinement_gains(found["precision", "shared_source"])
    found["translation", "all"] = translation(cell for cell in cells if cell.task == "translation")
    found["shared_words", "all"] = shared_words(inputs.get("divisions", []))
    found["entities", "all"] = entities(cells)
    found["lead_by_task", "all"] = lead_by_task(found)
    for words in ("all", "not_shared"):
        found["closeness", words] = closeness(similarities, words)
    return found


def precision(cells: Iterable[Cell]) -> Evidence:
    """Read P@1 (100 for a query whose first candidate is right, else 0) by the rule for unknown words that leads.

    Runs whose map failed are marked. The evidence is empty where the cells were not scored so. Raises InputError where
    a cell has no ranks.
    """
    cells = list(cells)
    scored = _scored(cells)
    coverage = _coverage(scored)
    rule = leading(coverage)
    chosen = {cell.system for cell in cells if cell.conditions.get("settings") == "selected"}
    found = Evidence("points of P@1", bounds=(0, 100))
    if rule != "paper":
        few = f"as few as {min(coverage):.0f} % of a pair's test words have vectors"
        found.unit += f" by MUSE's rule: {few}"
    for cell, result in scored:
        # Where settings were chosen, a system as published is left out.
        beside = cell.system in chosen and cell.conditions.get("settings") == "published"
        if beside or not _follows(result["signature"], f"oov={rule}"):
            continue
        run = f"{cell.source}-{cell.target}.{cell.conditions['dictionary']}", cell.system, cell.seed
        if not (ranks := result["ranks"]):
            remedy = "run crosslingua induce-lexicon again"
            raise InputError(cell.score, "holds no ranks of queries", remedy=remedy)
        found.add(*run, {(cell.source, word): 100.0 * (rank == 1) for word, rank in ranks.items()})
        if is_marked(result["signature"]):
            found.failed.append(run)
    return found


def leading_rule(cells: Iterable[Cell]) -> str:
    """Return the rule for unknown words by which `precision` reads cells."""
    return leading(_coverage(_scored(cells)))


def _scored(cells: Iterable[Cell]) -> list[tuple[Cell, dict[str, Any]]]:
    return [
        (cell, result)
        for cell in cells
        for result in read_json(cell.score)
        if _follows(result["signature"], RETRIEVAL, cell.where)
    ]


def _coverage(scored: Iterable[tuple[Cell, dict[str, Any]]]) -> list[float]:
    # Of settings as published, too: the table shows them.
    return [result["coverage"] for _, result in scored]


def standing_of(cells: Iterable[Cell]) -> Standing:
    """Return which controls count and which systems fail one, as the table of controls says it."""
    values = [
        (cell.system, CONTROL_KINDS[cell.conditions["control"]], read_json(cell.score)["p_at_1"])
        for cell in cells
        if cell.table == "controls"
    ]
    return standing(pd.DataFrame(values, columns=["system", "column", "value"]))


def exclude(found: Evidence, systems: Iterable[str]) -> None:
    """Withhold systems that fail a control: tables do not rank them either."""
    reason = "fails a control that counts (table of controls)"
    withhold(found, {(pair, system): reason for pair in found.values for system in systems})


def translation(cells: Iterable[Cell]) -> Evidence:
    """Return BLEU by pair and system as influence values, an item a sentence, in the mean over both directions. The
    chosen epoch counts; `align@first` and `align@last` are means over a quarter of the epochs.
    """
    found = Evidence("BLEU", bounds=(0, 100))
    ways: defaultdict[tuple[str, str, int], list[np.ndarray]] = defaultdict(list)
    for cell in cells:
        results = read_json(cell.score)
        by_epoch = {
            conditions(result["signature"]).get("epoch"): np.array(result["per_sentence"])
            for result in (results if isinstance(results, list) else [results])
        }
        pair = "-".join(sorted((cell.source, cell.target)))
        values = {"": by_epoch.pop(None)}
        if by_epoch:
            ordered = [by_epoch[epoch] for epoch in sorted(filter(None, by_epoch), key=int)]
            quarter = max(1, len(ordered) // 4)
            values |= {"@first": np.mean(ordered[:quarter], 0), "@last": np.mean(ordered[-quarter:], 0)}
        for name, bleu in values.items():
            ways[pair, cell.system + name, cell.seed].append(bleu)
    # Both directions, and often all pairs, have the same test sentences.
    for run, both in ways.items():
        found.add(*run, numbered("test", np.mean(both, axis=0)))
    return found


def with_largest_dictionary(cells: Iterable[Cell]) -> list[Cell]:
    """Return the cells of the dictionary curve with the largest dictionary."""
    shares = [(cell, float(cell.conditions["share"])) for cell in cells if cell.table == "curve"]
    most = max((share for _, share in shares), default=0.0)
    return [cell for cell, share in shares if share == most]


def by_sharing(found: Evidence, paths: Iterable[str | Path], *, shared: bool) -> Evidence:
    """Return the part of `found` whose source words were shared, or not, by measure_similarity.py's files."""
    part = replace(
        found,
        values=defaultdict(lambda: defaultdict(dict)),
        failed=list(found.failed),
        withheld=dict(found.withheld),
    )
    for content in map(read_json, paths):
        pair = content["pair"]
        source, entries = content["source"], content["shared_sources"]
        words = {entry["seed"]: {(source, word) for word in entry["words"]} for entry in entries}
        for system, seeds in found.values[pair].items():
            for seed, values in seeds.items():
                if seed in words:
                    kept = {item: v for item, v in values.items() if (item in words[seed]) == shared}
                    part.add(pair, system, seed, kept)
    return part


def shared_words(paths: Iterable[str | Path]) -> Evidence:
    """Read the percentage of a joint vocabulary that both languages hold, before (`joint`) and after reallocation."""
    found = Evidence("% of the joint vocabulary", bounds=(0, 100))
    for path in map(Path, paths):
        pair = path.parent.name
        for entry in read_json(path):
            for system, sizes in (("joint", entry["sizes_before"]), ("reallocated", entry["sizes"])):
                share = 100 * sizes["shared"] / sum(sizes.values())
                found.add(pair, system, entry["seed"], {(pair, "vocabulary"): share})
    return found


def closeness(paths: Iterable[str | Path], words: str) -> Evidence:
    """Read, from measure_similarity.py, how much nearer translations are than other words; `words`: all, not_shared."""
    found = Evidence("cosine, translations less random pairs")
    for content in map(read_json, paths):
        for entry in content["cells"]:
            gaps: defaultdict[str, list[float]] = defaultdict(list)
            for pair in entry["pairs"]:
                if words == "all" or not pair["shared"]:
                    gaps[pair["source"]].append(pair["cosine"] - pair["random"])
            values = {(content["source"], word): float(np.mean(gap)) for word, gap in gaps.items()}
            found.add(content["pair"], entry["stage"], entry["seed"], values)
    return found


def _follows(signature: str, *parts: str) -> bool:
    return set(parts) <= set(signature.split("|"))
