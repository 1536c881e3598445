"""What xlm_align asks for: table 2 and figure 2 (`table2_cells`), and all that XTREME tests (`xtreme`)."""

from __future__ import annotations

from crosslingua.cells import Cell
from crosslingua.papers.xlm_align import table2_cells, xtreme
from crosslingua.papers.xlm_align.table2_cells import alignments
from crosslingua.papers.xlm_align.xtreme import encoder_runs, fine_tunings
from crosslingua.workflow import alignment
from crosslingua.workflow.fine_tuning import scores_folder
from crosslingua.workflow.origins import multilingual_origins
from crosslingua.workflow.results import ABLATIONS, MAIN, Drawing, TableRequest, rows_file
from crosslingua.workflow.runs import check_encoders
from crosslingua.workflow.vector_systems import check_systems
from crosslingua.workflow.workflow import Workflow, pair_languages

__all__ = (
    "TARGETS", "alignments", "cells", "check", "drawings", "encoder_runs", "exports", "fine_tunings", "groups",
    "scores", "tables",
)  # fmt: skip
TARGETS = {"aer": MAIN, "xtreme": xtreme.XTREME, "ablations_xlm_align": ABLATIONS}


def check(w: Workflow) -> None:
    """Raise ConfigError when the section names what is not there."""
    check_encoders(w)
    check_systems(w)
    alignment.check_aligners(w)
    table2_cells.check(w)
    xtreme.check(w)


def groups(w: Workflow) -> list[str]:
    """Return the groups of cells."""
    return [MAIN, *xtreme.groups(w)]


def exports(w: Workflow) -> dict[str, list[dict[str, str]]]:
    """Return what XTREME's own evaluation reads, of the group of its name."""
    return {xtreme.XTREME: xtreme.exported(w)} if xtreme.section(w) else {}


def cells(w: Workflow, group: str) -> list[Cell]:
    """Return the cells of a group."""
    return table2_cells.cells(w) if group == MAIN else xtreme.cells(w, group)


def scores(w: Workflow, group: str) -> list[str]:
    """Return the folders of scores."""
    if group != MAIN:
        return [scores_folder(w, "xlm_align", group)]
    return [alignment.scores_folder(w, pair) for pair in table2_cells.gold(w)]


def tables(w: Workflow) -> dict[str, TableRequest]:
    """Return the tables."""
    used = table2_cells.members_by_name(w)
    others = [f"{name}: {member}." for name, member in used.items() if name != member]
    note = " ".join([*others, multilingual_origins(w, used.values())])
    return {"table2": TableRequest(note=note)} | xtreme.tables(w)


def drawings(w: Workflow) -> dict[str, Drawing]:
    """Return figure 2, which needs an encoder, a sentence pair of every gold alignment, and XTREME's heat map."""
    return _alignment_drawings(w) | xtreme.drawings(w)


def _alignment_drawings(w: Workflow) -> dict[str, Drawing]:
    section, encoders = w.config["xlm_align"], table2_cells.encoders(w)
    if not encoders and not alignment.aligners_of(w, "text"):
        return {}
    grids = {f"grid_{pair}": _grid(w, pair) for pair in table2_cells.gold(w)}
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
    if encoders := table2_cells.encoders(w):
        name = encoders[-1]
        inputs["encoder"] = [alignment.trained(w, name, w.encoder_seeds[0])]
        settings |= {"aligner": aligner, "layer": section["encoders"][name]["layer"]}
        settings["aligner_settings"] = alignment.aligner_settings(w, aligner)
        system = f"{aligner}+{name}"
    else:
        first = table2_cells.alignments_of(w, pair)[0]
        inputs["links"], system = [alignment.links_file(w, first)], first.system
    caption = f"Scale {w.config['scale']}, {pair}, line {section['example']}: {system}"
    return Drawing("grid", inputs, settings | {"caption": caption})
