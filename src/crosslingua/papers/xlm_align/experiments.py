"""The experiments of xlm_align: table 2 and figure 2 (word alignment), and XTREME in the group `xtreme`."""

from crosslingua.cells import Cell
from crosslingua.errors import ConfigError, check_defined
from crosslingua.papers.xlm_align import xtreme
from crosslingua.papers.xlm_align.xtreme import encoder_runs, fine_tunings
from crosslingua.workflow import alignment, runs
from crosslingua.workflow.alignment import GOLD, Alignment, aligners_of, score_file
from crosslingua.workflow.labelled import training_bitext
from crosslingua.workflow.results import ABLATIONS, MAIN, Drawing, TableRequest, rows_file
from crosslingua.workflow.sources import WORLD
from crosslingua.workflow.vectors import check_systems
from crosslingua.workflow.workflow import SYSTEMS, LexiconPair, Workflow, pair_languages

# Table 2 and figure 2 have every aligner on every gold alignment. Aligners on vectors run on each of the section's
# `vectors` (systems of word vectors, where they have the language pair) and `encoders`.
METRICS = ("aer", "precision", "recall", "f1")


def gold(w: Workflow) -> list[str]:
    """Return the gold alignments: named ones, or else all of the data sheets and of the language pairs."""
    found = w.sources.sets[GOLD]
    named = w.config["xlm_align"]["gold"]
    return named or [n for n, e in found.items() if e["from"] != WORLD or n in w.config["pairs"]]


def compared_encoders(w: Workflow) -> list[str]:
    """Return the encoders of this scale, without null entries."""
    return [name for name, entry in w.config["xlm_align"]["encoders"].items() if entry]


def members_by_name(w: Workflow) -> dict[str, str]:
    """Return the member of `encoders.multilingual` that stands for each encoder."""
    section = w.config["xlm_align"]["encoders"]
    return {name: section[name].get("member", name) for name in compared_encoders(w)}


def alignments(w: Workflow) -> list[Alignment]:
    """Return all alignments of the gold sets, in the order of the tables."""
    return [one for pair in gold(w) for one in alignments_of(w, pair)]


def alignments_of(w: Workflow, pair: str) -> list[Alignment]:
    """Return the alignments of a gold set; an aligner on text that does not draw has the first seed."""
    on_vectors, vectors, trained = aligners_of(w, "vectors"), lexicon_pair(w, pair), training(w, pair)
    seeded = {aligner: alignment.is_seeded(w, aligner) for aligner in aligners_of(w, "text")}
    found = [
        Alignment(pair, aligner, seed, training=trained, seeded=draws)
        for aligner, draws in seeded.items()
        for seed in (w.seeds if draws else w.seeds[:1])
    ]
    for space in w.config["xlm_align"]["vectors"] if vectors else ():
        found += [Alignment(pair, a, seed, space, vectors=vectors) for a in on_vectors for seed in w.seeds]
    for encoder, member in members_by_name(w).items():
        own = w.config["xlm_align"]["encoders"][encoder]["layer"]  # of table 2
        found += [
            Alignment(pair, aligner, seed, encoder, layer, member=member)
            for aligner in on_vectors
            for layer in sorted({own, *_drawn(w, aligner, encoder)})
            for seed in w.encoder_seeds
        ]
    return found


def _drawn(w: Workflow, aligner: str, encoder: str) -> list[int]:
    """Return the layers of an encoder that figure 2 draws: with its own aligner all, with others none."""
    section = w.config["xlm_align"]
    return section["encoders"][encoder]["layers"] if aligner == section["figure2"] else []


def tables_of(w: Workflow, one: Alignment) -> list[str]:
    """Return the tables that an alignment belongs to."""
    if one.layer is None:
        return ["table2"]
    shown = w.config["xlm_align"]["encoders"][one.space]["layer"] == one.layer
    return ["table2"] * shown + ["fig2"] * (one.layer in _drawn(w, one.aligner, one.space))


def lexicon_pair(w: Workflow, pair: str) -> LexiconPair | None:
    """Return the pair, in either direction, with its first dictionary, whose vectors serve a gold set, or None."""
    source, target = pair_languages(pair)
    for languages in ((source, target), (target, source)):
        for entry in w.lexicon_pairs.values():
            if entry.dictionary and (entry.source, entry.target) == languages:
                return entry
    return None


def training(w: Workflow, pair: str) -> tuple[str, ...]:
    """Return the bitext that aligners on text train on beside a gold set."""
    named = w.config["xlm_align"]["training"].get(pair)
    return tuple(training_bitext(w, pair_languages(pair)) if named is None else named)


def cells(w: Workflow, group: str) -> list[Cell]:
    """Return the cells of a group; of alignments one for each table."""
    if group != MAIN:
        return xtreme.cells(w, group)
    return [
        Cell(
            "xlm_align", table, one.system, "word_alignment", *pair_languages(one.pair), one.seed,
            score_file(w, one), METRICS, conditions=_conditions(one),
        )
        for one in alignments(w)
        for table in tables_of(w, one)
    ]  # fmt: skip


def _conditions(one: Alignment) -> dict[str, str]:
    if one.layer is not None:
        return {"layer": str(one.layer)}
    return {} if one.space or one.seeded else {"reads": "text"}


def check(w: Workflow) -> None:
    """Raise ConfigError when the section names an unknown gold set, bitext, system, encoder, model or task."""
    runs.check_encoders(w)
    check_systems(w)
    alignment.check_aligners(w)
    section, sets = w.config["xlm_align"], w.sources.sets
    check_defined("xlm_align.gold", gold(w), sets[GOLD], "gold alignments")
    for pair, names in section["training"].items():
        key = f"xlm_align.training.{pair}"
        check_defined(key, names, sets["bitext"], "bitext")
        for name in names:
            if set(pair_languages(name)) != set(pair_languages(pair)):
                raise ConfigError(f"{key}: {name!r} has other languages")
    check_defined("xlm_align.vectors", section["vectors"], w.systems, SYSTEMS)
    if compared_encoders(w):
        used = members_by_name(w).values()
        check_defined("xlm_align.encoders", used, runs.members(w), "encoders.multilingual.members")
        for name, member in members_by_name(w).items():
            entry, key = section["encoders"][name], f"xlm_align.encoders.{name}"
            runs.check_layers(w, f"{key}.layer", member, [entry["layer"]])
            runs.check_layers(w, f"{key}.layers", member, entry["layers"])
        on_vectors = aligners_of(w, "vectors")
        check_defined("xlm_align.figure2", section["figure2"], on_vectors, "the aligners that read vectors")
    if not gold(w):
        raise ConfigError(
            "xlm_align.gold: neither a data sheet nor `pairs` gives a gold alignment; add one, or leave xlm_align out"
            " of `papers`"
        )
    runs.check_bitext(w, "xlm_align.encoders", members_by_name(w).values())
    if len({pair_languages(pair) for pair in gold(w)}) < len(gold(w)):
        raise ConfigError("xlm_align.gold: two gold sets of one language pair; tables have one column a pair")
    xtreme.check(w)


__all__ = ("encoder_runs", "fine_tunings")  # of XTREME, and asked for by name
TARGETS = {"aer": MAIN, "xtreme": xtreme.XTREME, "ablations_xlm_align": ABLATIONS}


def groups(w: Workflow) -> list[str]:
    """Return the groups of cells."""
    return [MAIN, *xtreme.groups(w)]


def exports(w: Workflow) -> dict[str, list[dict[str, str]]]:
    """Return the exports for XTREME's own evaluation, in the group of its name."""
    return {xtreme.XTREME: xtreme.exported(w)} if xtreme.section(w) else {}


def tables(w: Workflow) -> dict[str, TableRequest]:
    """Return the tables."""
    used = members_by_name(w)
    others = [f"{name}: {member}." for name, member in used.items() if name != member]
    note = " ".join([*others, runs.multilingual_origins(w, used.values())])
    return {"table2": TableRequest(note=note)} | xtreme.tables(w)


def drawings(w: Workflow) -> dict[str, Drawing]:
    """Return figure 2, which needs an encoder, a sentence pair of every gold alignment, and XTREME's heat map."""
    found, names = {}, compared_encoders(w)
    if names:
        scale, aligner = w.config["scale"], w.config["xlm_align"]["figure2"]
        settings = {"caption": f"Scale {scale}, {aligner}; band: deviation over seeds."}
        found["figure2"] = Drawing("figure2", {"rows": [rows_file(w, "xlm_align", MAIN)]}, settings)
    if names or alignment.aligners_of(w, "text"):
        found |= {f"grid_{pair}": _grid(w, pair) for pair in gold(w)}
    return found | xtreme.drawings(w)


def _grid(w: Workflow, pair: str) -> Drawing:
    """Return a sentence pair with the alignment of the last encoder, or else of the first aligner on text."""
    section, aligner = w.config["xlm_align"], w.config["xlm_align"]["figure2"]
    inputs = {side: [path] for side, path in alignment.gold_text(w, pair).items()}
    settings = {"line": section["example"], "languages": list(pair_languages(pair))}
    if names := compared_encoders(w):
        name = names[-1]
        inputs["encoder"] = [alignment.trained(w, name, w.encoder_seeds[0])]
        settings |= {"aligner": aligner, "layer": section["encoders"][name]["layer"]}
        settings["aligner_settings"] = alignment.aligner_settings(w, aligner)
        system = f"{aligner}+{name}"
    else:
        first = alignments_of(w, pair)[0]
        inputs["links"], system = [alignment.links_file(w, first)], first.system
    caption = f"Scale {w.config['scale']}, {pair}, line {section['example']}: {system}"
    return Drawing("grid", inputs, settings | {"caption": caption})
