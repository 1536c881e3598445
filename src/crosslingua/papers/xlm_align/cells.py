"""What xlm_align asks for: every aligner on every gold alignment, with the vectors that it compares words by; `xtreme`.

Aligners that read text train on it; those that read vectors run on each of the section's `vectors` (systems of
joint_align, where they have the language pair) and `encoders`.
"""

from __future__ import annotations

from crosslingua.cells import Cell
from crosslingua.errors import ConfigError
from crosslingua.names import check_defined
from crosslingua.papers.xlm_align import xtreme
from crosslingua.workflow import alignment
from crosslingua.workflow.alignment import Alignment
from crosslingua.workflow.encoders import encoder_folder
from crosslingua.workflow.fine_tuning import Tuning, scores_folder
from crosslingua.workflow.lineage import alignment_hash
from crosslingua.workflow.origins import multilingual_origins
from crosslingua.workflow.results import MAIN, Drawing, TableRequest, rows_file
from crosslingua.workflow.runs import check_encoders, members
from crosslingua.workflow.vector_systems import check_systems
from crosslingua.workflow.workflow import Workflow, pair_languages

METRICS = ("aer", "precision", "recall", "f1")


def check(w: Workflow) -> None:
    """Raise ConfigError when the section names an aligner, gold alignment, system or encoder that is not there."""
    section = w.config["xlm_align"]
    check_encoders(w)
    check_systems(w)
    alignment.check_alignment(w)
    check_defined("xlm_align.vectors", section["vectors"], w.systems, "joint_align.systems")
    if encoders := alignment.encoders(w):
        check_defined("xlm_align.encoders", encoders, members(w), "encoders.multilingual.members")
        on_vectors = alignment.aligners_of(w, "vectors")
        check_defined("xlm_align.figure2", section["figure2"], on_vectors, "the aligners that read vectors")
    xtreme.check(w)
    if not alignment.gold(w):
        raise ConfigError(
            "xlm_align.gold: neither a data sheet nor `pairs` gives a gold alignment; add one, or leave xlm_align out"
            " of `papers`"
        )
    if len({pair_languages(pair) for pair in alignment.gold(w)}) < len(alignment.gold(w)):
        raise ConfigError("xlm_align.gold: two gold sets of one language pair; tables have one column a pair")


def groups(w: Workflow) -> list[str]:
    """Return the groups of cells."""
    return [MAIN, *xtreme.groups(w)]


def fine_tunings(w: Workflow) -> dict[str, list[Tuning]]:
    """Return the fine-tunings of XTREME."""
    return xtreme.fine_tunings(w)


def cells(w: Workflow, group: str) -> list[Cell]:
    """Return a cell for each alignment and table that it belongs to; of the other groups, XTREME's."""
    if group != MAIN:
        return xtreme.cells(w, group)
    return [
        Cell(
            "xlm_align", table, one.system, "word_alignment", *pair_languages(one.pair), one.seed,
            alignment.score_file(w, one), METRICS, alignment_hash(w, one), conditions=_conditions(one),
        )
        for pair in alignment.gold(w)
        for one in alignment.alignments(w, pair)
        for table in one.tables
    ]  # fmt: skip


def _conditions(one: Alignment) -> dict[str, str]:
    if one.layer is not None:
        return {"layer": str(one.layer)}
    return {} if one.space else {"reads": "text"}


def scores(w: Workflow, group: str) -> list[str]:
    """Return the folders of scores."""
    if group != MAIN:
        return [scores_folder(w, "xlm_align", group)]
    return [alignment.scores_folder(w, pair) for pair in alignment.gold(w)]


def tables(w: Workflow) -> dict[str, TableRequest]:
    """Return the tables."""
    return {"table2": TableRequest(note=multilingual_origins(w, alignment.encoders(w)))} | xtreme.tables(w)


def drawings(w: Workflow) -> dict[str, Drawing]:
    """Return figure 2, which needs an encoder, a sentence pair of every gold alignment, and XTREME's heat map."""
    return _alignment_drawings(w) | xtreme.drawings(w)


def _alignment_drawings(w: Workflow) -> dict[str, Drawing]:
    section, encoders = w.config["xlm_align"], alignment.encoders(w)
    if not encoders and not alignment.aligners_of(w, "text"):
        return {}
    grids = {f"grid_{pair}": _grid(w, pair) for pair in alignment.gold(w)}
    if not encoders:
        return grids
    caption = f"Scale {w.config['scale']}, {section['figure2']}; band: deviation over seeds."
    return {
        "figure2": Drawing("figure2", {"rows": [rows_file(w, "xlm_align", MAIN)]}, {"caption": caption})
    } | grids


def _grid(w: Workflow, pair: str) -> Drawing:
    """Return a sentence pair as the last of the encoders aligns it; without one, as the first aligner on text does."""
    section, aligner = w.config["xlm_align"], w.config["xlm_align"]["figure2"]
    inputs = {side: [path] for side, path in alignment.gold_text(w, pair).items()}
    settings = {"line": section["example"], "languages": list(pair_languages(pair))}
    if encoders := alignment.encoders(w):
        name = encoders[-1]
        inputs["encoder"] = [encoder_folder(w, name, w.encoder_seeds[0])]
        settings |= {"aligner": aligner, "layer": section["encoders"][name]["layer"]}
        settings["aligner_settings"] = alignment.aligner_settings(w, aligner)
        system = f"{aligner}+{name}"
    else:
        first = alignment.alignments(w, pair)[0]
        inputs["links"], system = [alignment.links_file(w, first)], first.system
    caption = f"Scale {w.config['scale']}, {pair}, line {section['example']}: {system}"
    return Drawing("grid", inputs, settings | {"caption": caption})
