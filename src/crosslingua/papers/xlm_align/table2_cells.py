"""What table 2 and figure 2 ask for: every aligner on every gold alignment, with the vectors that it compares words by.

Plan side, as `cells`. Aligners that read text train on it; those that read vectors run on each of the section's
`vectors` (systems of word vectors, where they have the language pair) and `encoders`.
"""

from __future__ import annotations

from collections.abc import Iterator

from crosslingua.cells import Cell
from crosslingua.errors import ConfigError
from crosslingua.names import check_defined
from crosslingua.workflow.alignment import GOLD, Alignment, aligners_of, score_file
from crosslingua.workflow.labelled import training_bitext
from crosslingua.workflow.lineage import alignment_hash
from crosslingua.workflow.runs import check_bitext, members
from crosslingua.workflow.sources import WORLD
from crosslingua.workflow.workflow import SYSTEMS, LexiconPair, Workflow, pair_languages

METRICS = ("aer", "precision", "recall", "f1")


def gold(w: Workflow) -> list[str]:
    """Return the gold alignments: those named, or else all of the data sheets and those of the language pairs."""
    found = w.sources.sets[GOLD]
    named = w.config["xlm_align"]["gold"]
    return named or [n for n, e in found.items() if e["from"] != WORLD or n in w.config["pairs"]]


def encoders(w: Workflow) -> list[str]:
    """Return the encoders of this scale; an entry that is null is none."""
    return [name for name, entry in w.config["xlm_align"]["encoders"].items() if entry]


def members_by_name(w: Workflow) -> dict[str, str]:
    """Return the member of `encoders.multilingual` that stands for each encoder."""
    section = w.config["xlm_align"]["encoders"]
    return {name: section[name].get("member", name) for name in encoders(w)}


def alignments(w: Workflow) -> list[Alignment]:
    """Return all alignments of the gold sets, in the order of the tables."""
    return [one for pair in gold(w) for one in alignments_of(w, pair)]


def alignments_of(w: Workflow, pair: str) -> list[Alignment]:
    """Return the alignments of a gold set; an aligner on text has the first seed."""
    on_vectors, vectors, trained = aligners_of(w, "vectors"), lexicon_pair(w, pair), training(w, pair)
    found = [Alignment(pair, aligner, w.seeds[0], training=trained) for aligner in aligners_of(w, "text")]
    for space in w.config["xlm_align"]["vectors"] if vectors else ():
        found += [Alignment(pair, a, seed, space, vectors=vectors) for a in on_vectors for seed in w.seeds]
    for encoder in encoders(w):
        found += [one for aligner in on_vectors for one in _on_encoder(w, pair, aligner, encoder)]
    return found


def _on_encoder(w: Workflow, pair: str, aligner: str, encoder: str) -> Iterator[Alignment]:
    """Yield an encoder's alignments: its own layer for table 2, and all `layers` with the aligner of figure 2."""
    layer = w.config["xlm_align"]["encoders"][encoder]["layer"]
    for one in sorted({layer, *_drawn(w, aligner, encoder)}):
        for seed in w.encoder_seeds:
            yield Alignment(pair, aligner, seed, encoder, one, member=members_by_name(w)[encoder])


def _drawn(w: Workflow, aligner: str, encoder: str) -> list[int]:
    section = w.config["xlm_align"]
    return section["encoders"][encoder]["layers"] if aligner == section["figure2"] else []


def tables_of(w: Workflow, one: Alignment) -> list[str]:
    """Return what an alignment belongs to."""
    if one.layer is None:
        return ["table2"]
    shown = w.config["xlm_align"]["encoders"][one.space]["layer"] == one.layer
    return ["table2"] * shown + ["fig2"] * (one.layer in _drawn(w, one.aligner, one.space))


def lexicon_pair(w: Workflow, pair: str) -> LexiconPair | None:
    """Return the pair whose vectors serve a gold set, in whichever direction; None without one.

    It has a dictionary, which any system may need. Of several dictionaries it is the first.
    """
    source, target = pair_languages(pair)
    for languages in ((source, target), (target, source)):
        for entry in w.lexicon_pairs.values():
            if entry.dictionary and (entry.source, entry.target) == languages:
                return entry
    return None


def training(w: Workflow, pair: str) -> tuple[str, ...]:
    """Return the bitext that aligners on text train on beside a gold set."""
    named = w.config["xlm_align"]["training"].get(pair)
    return tuple(named if named is not None else training_bitext(w, pair_languages(pair)))


def cells(w: Workflow) -> list[Cell]:
    """Return a cell for each alignment and table that it belongs to."""
    return [
        Cell(
            "xlm_align", table, one.system, "word_alignment", *pair_languages(one.pair), one.seed,
            score_file(w, one), METRICS, alignment_hash(w, one), conditions=_conditions(one),
        )
        for one in alignments(w)
        for table in tables_of(w, one)
    ]  # fmt: skip


def _conditions(one: Alignment) -> dict[str, str]:
    if one.layer is not None:
        return {"layer": str(one.layer)}
    return {} if one.space else {"reads": "text"}


def check(w: Workflow) -> None:
    """Raise ConfigError when the section names a gold set, bitext, system or encoder that is not there."""
    section, sets = w.config["xlm_align"], w.sources.sets
    check_defined("xlm_align.gold", gold(w), sets[GOLD], "gold alignments")
    for pair, names in section["training"].items():
        key = f"xlm_align.training.{pair}"
        check_defined(key, names, sets["bitext"], "bitext")
        for name in names:
            if set(pair_languages(name)) != set(pair_languages(pair)):
                raise ConfigError(f"{key}: {name!r} has other languages")
    check_defined("xlm_align.vectors", section["vectors"], w.systems, SYSTEMS)
    if encoders(w):
        used = members_by_name(w).values()
        check_defined("xlm_align.encoders", used, members(w), "encoders.multilingual.members")
        on_vectors = aligners_of(w, "vectors")
        check_defined("xlm_align.figure2", section["figure2"], on_vectors, "the aligners that read vectors")
    if not gold(w):
        raise ConfigError(
            "xlm_align.gold: neither a data sheet nor `pairs` gives a gold alignment; add one, or leave xlm_align out"
            " of `papers`"
        )
    check_bitext(w, "xlm_align.encoders", members_by_name(w).values())
    if len({pair_languages(pair) for pair in gold(w)}) < len(gold(w)):
        raise ConfigError("xlm_align.gold: two gold sets of one language pair; tables have one column a pair")
