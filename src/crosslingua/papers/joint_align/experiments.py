"""The experiments of joint_align: every system on every language pair, tables 1 to 3, figures 1 and 2."""

from collections.abc import Mapping
from typing import Any

from crosslingua.cells import Cell
from crosslingua.errors import ConfigError, check_defined
from crosslingua.papers.joint_align import table3_experiments
from crosslingua.papers.joint_align.answer import ALIGNED, BOTH, JOINT, JOINT_MAPPED
from crosslingua.papers.joint_align.table3_experiments import NER, aligned_encoders, encoder_runs, mixtures
from crosslingua.papers.joint_align.tables import mappers as mappers_of_both
from crosslingua.papers.shared import sentences
from crosslingua.word_embeddings import GRIDS
from crosslingua.workflow import lexicons, translation, vectors
from crosslingua.workflow.fine_tuning import Tuning
from crosslingua.workflow.jobs import In
from crosslingua.workflow.results import ABLATIONS, MAIN, Drawing, TableRequest, rows_file
from crosslingua.workflow.tagging import TaggerRun
from crosslingua.workflow.text import dictionary_folder
from crosslingua.workflow.workflow import LexiconPair, Workflow

__all__ = ("aligned_encoders", "encoder_runs", "mixtures")  # of table 3, and asked for by name
TRANSLATION = "translation"  # the group of figure 2
EARLY = MAIN  # lexicon induction is done long before taggers and translation
REALLOCATED = ("joint_vr", "joint_vr_unsupervised")


def shown(w: Workflow) -> dict[str, list[str]]:
    """Return the further files on the page: chosen settings, reports of reallocation."""
    choices, divisions = [], {kind: [] for kind in REALLOCATED}
    for pair in (*w.lexicon_pairs.values(), *w.curve_pairs.values()):
        own = vectors.systems_of(w, pair)
        choices += [
            vectors.mapper_choice_file(w, name, pair) for name in own if vectors.mapper_grid(w, own[name])
        ]
        trained = dict.fromkeys(one["embeddings"] for one in own.values() if vectors.is_trained(one))
        choices += [path for kind in trained for path in vectors.chosen_settings(w, kind, pair, "")]
        # Figure 1 draws the vectors of `joint_vr`, whether a system reads them or not.
        drawn = ["joint_vr"] if w.config["joint_align"]["figure1"] and pair.dictionary else []
        for kind in {*drawn, *(one["embeddings"] for one in own.values())}.intersection(REALLOCATED):
            divisions[kind].append(vectors.report_file(w, kind, pair))
    return {
        "choices": list(dict.fromkeys(choices)),
        "divisions": list(dict.fromkeys(path for kind in REALLOCATED for path in divisions[kind])),
    }


def explored(w: Workflow) -> dict[str, Any]:
    """Return the files and settings of figure 1, whose words the page lets a reader search; {} without it."""
    if not (drawing := drawings(w).get("figure1")):
        return {}
    return {"inputs": drawing.inputs, "settings": {"languages": drawing.settings["languages"]}}


TARGETS = {"bli": MAIN, "translation": TRANSLATION, "ablations_joint_align": ABLATIONS}
TABLES = {"table1": "identical=kept", "table2": "identical=dropped"}
METRICS = ("p_at_1", "p_at_5", "p_at_10", "coverage", "spelled_alike")
TRANSLATED = ("bleu", "chrf", "degenerate")
WITHOUT_GOLD = ("mean_cosine", "mutual")  # of a pair that has no dictionary, in table 1


def check(w: Workflow) -> None:
    """Raise ConfigError when the section has an unknown name, or no system can run on any pair."""
    vectors.check_systems(w)
    translation.check_translation(w)
    if not w.lexicon_pairs:
        raise ConfigError(
            "pairs: no pair is given, and joint_align compares pairs of languages: name one, as [source-target]"
        )
    if not any(vectors.systems_of(w, pair) for pair in w.lexicon_pairs.values()):
        raise ConfigError(
            "joint_align.systems: all systems need a dictionary, and no pair has one: name files under dictionaries, or"
            " add a system without a dictionary (embeddings: joint, mapper: null)"
        )
    named = w.config["joint_align"]["induced"]
    check_defined("joint_align.induced", named or (), w.config["pairs"], "pairs")
    table3_experiments.check(w)
    if figure := w.config["joint_align"]["figure1"]:
        key = "joint_align.figure1"
        if figure["pair"]:
            named = [pair.name for pair in with_dictionary(w)]
            check_defined(f"{key}.pair", figure["pair"], named, "the pairs with their dictionaries")
        mapped = [name for name, choice in w.systems.items() if choice["mapper"]]
        check_defined(
            f"{key}.refined_by", figure["refined_by"], mapped, "joint_align.systems that have a mapper"
        )


def induced(w: Workflow) -> list[LexiconPair]:
    """Return the pairs of tables 1 and 2; table 3 may have others."""
    named = w.config["joint_align"]["induced"]
    every = w.lexicon_pairs.values()
    return [pair for pair in every if named is None or f"{pair.source}-{pair.target}" in named]


def with_dictionary(w: Workflow) -> list[LexiconPair]:
    """Return the pairs of tables 1 and 2 that have a dictionary."""
    return [pair for pair in induced(w) if pair.dictionary]


def groups(w: Workflow) -> list[str]:
    """Return the groups of cells: the ablations are the dictionary curve."""
    found = {
        MAIN: [*induced(w), *lexicons.controlled(w)],
        NER: table3_experiments.pairs(w),
        TRANSLATION: translation.pairs(w),
        ABLATIONS: w.curve_pairs,
    }
    return [group for group, of in found.items() if of]


def cells(w: Workflow, group: str) -> list[Cell]:
    """Return the cells of a group; a pair without a dictionary is in table 1 only."""
    if group == TRANSLATION:
        return _translated(w)
    if group == ABLATIONS:
        return _curve(w)
    return table3_experiments.cells(w) if group == NER else [*_induced(w), *_controls(w)]


def _induced(w: Workflow) -> list[Cell]:
    return [
        Cell(
            "joint_align", table, system, "bli", pair.source, pair.target, seed,
            lexicons.score_file(w, system, pair, seed, variant),
            METRICS if pair.dictionary else WITHOUT_GOLD, where=where,
            conditions=_conditions(w, pair, choice, variant),
        )
        for pair in induced(w)
        for table, where in (TABLES if pair.dictionary else {"table1": ""}).items()
        for system, choice in vectors.systems_of(w, pair).items()
        for variant in vectors.variants(w, choice)
        for seed in w.seeds
    ]  # fmt: skip


def _controls(w: Workflow) -> list[Cell]:
    if not (controlled := lexicons.controlled(w)):
        return []
    language = lexicons.control_language(w)
    return [
        Cell(
            "joint_align", "controls", system, "bli", language, language, seed,
            lexicons.control_score(w, system, kind, seed), ("p_at_1",),
            conditions={"control": kind, "supervision": "dictionary" if system == lexicons.UPPER_LINE else "none"},
        )
        for system in (*controlled, lexicons.UPPER_LINE)
        for kind in lexicons.control_kinds(w)
        for seed in lexicons.control_seeds(w)
    ]  # fmt: skip


def _translated(w: Workflow) -> list[Cell]:
    """Return a cell for each system, baseline, seed and direction; its scores are of every epoch."""
    return [
        Cell(
            "joint_align", "fig2", name, "translation", *one.languages, seed,
            translation.score_file(w, one, name, seed), TRANSLATED,
        )
        for pair in translation.pairs(w)
        for one in translation.directions(pair)
        for name, seeds in translation.scored(w).items()
        for seed in seeds
    ]  # fmt: skip


def _curve(w: Workflow) -> list[Cell]:
    """Return a cell for each supervised system, seed, and dictionary of the controlled world, small ones first."""
    shares = {name: entry["share"] for name, entry in w.sources.dictionaries.items() if "share" in entry}
    pairs = [
        pair for pair in (*w.lexicon_pairs.values(), *w.curve_pairs.values()) if pair.dictionary in shares
    ]
    return [
        Cell(
            "joint_align", "curve", system, "bli", pair.source, pair.target, seed,
            lexicons.score_file(w, system, pair, seed), ("p_at_1",), where="identical=kept",
            conditions=_conditions(w, pair, choice, vectors.SELECTED) | {"share": str(shares[pair.dictionary])},
        )
        for pair in pairs
        for system, choice in vectors.systems_of(w, pair).items()
        if vectors.needs_dictionary(w, choice)
        for seed in w.seeds
    ]  # fmt: skip


def _conditions(w: Workflow, pair: LexiconPair, choice: Mapping[str, Any], variant: str) -> dict[str, str]:
    """Return the conditions of a system: its dictionary, its supervision, and the origin of its settings."""
    chosen = variant == vectors.SELECTED and vectors.is_chosen(w, choice)
    return {
        "dictionary": pair.dictionary or "none",
        "supervision": "dictionary" if vectors.needs_dictionary(w, choice) else "none",
        "settings": "selected" if chosen else "published",
    }


def taggers(w: Workflow) -> dict[str, list[TaggerRun]]:
    """Return the taggers of table 3."""
    return {MAIN: table3_experiments.taggers(w)}


def fine_tunings(w: Workflow) -> dict[str, list[Tuning]]:
    """Return the encoders that are fine-tuned for table 3."""
    return {MAIN: list(table3_experiments.tuned(w).values())}


def tables(w: Workflow) -> dict[str, TableRequest]:
    """Return the tables; pairs without a dictionary have only the first, with a note on missing systems."""
    found = {"answer": TableRequest()} if with_dictionary(w) and mappers_of_both(list(w.systems)) else {}
    if induced(w):
        found["table1"] = TableRequest(note=sentences(_left_out(w), _unsearched(w)))
    if with_dictionary(w):
        found["table2"] = TableRequest()
    if table3_experiments.pairs(w):
        found["table3"] = table3_experiments.request(w)
    if translation.pairs(w):
        found["fig2"] = TableRequest((TRANSLATION,), _begun_with(w))
    if lexicons.controlled(w):
        found["controls"] = TableRequest()
    if w.curve_pairs:
        found["curve"] = TableRequest((ABLATIONS,))
    return found


def _left_out(w: Workflow) -> str:
    pairs = [f"{pair.source}-{pair.target}" for pair in induced(w) if not pair.dictionary]
    needing = [name for name, choice in w.systems.items() if vectors.needs_dictionary(w, choice)]
    if not (pairs and needing):
        return ""
    return f"Without a dictionary: {', '.join(pairs)}; left out there, because they need one: {', '.join(needing)}."


def _unsearched(w: Workflow) -> str:
    """Return a note on systems, trained with a dictionary, whose settings a scale does not search."""
    names = [
        name
        for name, choice in w.systems.items()
        if choice["embeddings"] in GRIDS and not vectors.grid_of(w, choice["embeddings"])
    ]
    told = f"Not searched at this scale, settings as in the configuration: {', '.join(names)}."
    return told if names else ""


def _begun_with(w: Workflow) -> str:
    """Say which vectors the systems of figure 2 begin with, and what they are trained on."""
    begin = ", ".join(f"{name}: {of}" for name, of in translation.trained(w).items())
    halves = "halves of parallel text without a pair in common"
    text = {"halves": halves, "alternating": halves, "texts": "the languages' texts"}
    tested = ", ".join(translation.test_set(w, pair)[1] for pair in translation.pairs(w))
    trained = text[translation.section(w)["text"]]
    return f"Begins with the vectors of: {begin}. Trained on {trained}; tested on {tested}."


def evidence(w: Workflow, group: str) -> dict[str, list[str]]:
    """Return the further evidence for claims: reports of reallocation, and similarity of translations."""
    if group != MAIN:
        return {}
    divided = [
        pair.name
        for pair in induced(w)
        if any(choice["embeddings"] == "joint_vr" for choice in vectors.systems_of(w, pair).values())
    ]
    measured = with_dictionary(w) if w.config["joint_align"]["figure1"] else []
    return {
        "divisions": [f"{vectors.embeddings_folder(w)}/joint_vr/{name}/division.json" for name in divided],
        "similarities": [f"{w.results}/similarity/{pair.name}.json" for pair in measured],
    }


def strategies(w: Workflow) -> dict[str, str]:
    """Return the strategy of each system of lexicon induction; one that trains jointly without a mapper is joint."""
    mapped = {"independent": ALIGNED, **dict.fromkeys(REALLOCATED, BOTH)}
    return {
        name: mapped.get(choice["embeddings"], JOINT_MAPPED) if choice["mapper"] else JOINT
        for name, choice in w.systems.items()
    }


def drawings(w: Workflow) -> dict[str, Drawing]:
    """Return figure 1 and its companions, if requested and a pair has a dictionary, and figure 2."""
    found, figure, scale = {}, w.config["joint_align"]["figure1"], f"Scale {w.config['scale']}"
    if figure and with_dictionary(w):
        if w.curve_pairs:
            rows = {"rows": [rows_file(w, "joint_align", ABLATIONS)]}
            found["curve"] = Drawing("curve", rows, {"caption": scale}, (ABLATIONS,))
        pair = figure_pair(w)
        found["figure1"] = _figure1(w, figure, pair, f"{scale}, {pair.name}")
        for name, text in (
            ("similarity", "test dictionary without pairs of one surface form, all seeds; dashed: means."),
            ("hubness", "neighbours by cosine among the 20,000 most frequent words of either language."),
        ):
            measured = {"measured": [f"{w.results}/{name}/{pair.name}.json"]}
            found[name] = Drawing(name, measured, {"caption": f"{scale}, {pair.name}; {text}"})
    if translation.pairs(w):
        systems = [name for name in translation.trained(w) if name != translation.SUPERVISED]
        settings = {
            "systems": systems,
            "start": {name: f"{translation.WORDS}+{name}" for name in systems},
            "compared": {"supervised": translation.SUPERVISED},
            "caption": f"{scale}; seeds {', '.join(map(str, translation.section(w)['seeds']))}",
        }
        rows = {"rows": [rows_file(w, "joint_align", TRANSLATION)]}
        found["figure2"] = Drawing("figure2", rows, settings, (TRANSLATION,))
    return found


def figure_pair(w: Workflow) -> LexiconPair:
    """Return the pair of the figures."""
    named = w.config["joint_align"]["figure1"]["pair"]
    return w.lexicon_pairs[named] if named else with_dictionary(w)[0]


def stage_files(w: Workflow, stage: str, pair: LexiconPair, seed: int, name: str) -> str:
    """Return a pair's vectors in a stage of figure 1: joint, reallocated, refined."""
    if stage == "refined":
        return vectors.mapped(w, w.config["joint_align"]["figure1"]["refined_by"], pair, seed, name)
    return vectors.space(w, {"joint": "joint", "reallocated": "joint_vr"}[stage], pair, seed, name)


STAGES = ("joint", "reallocated", "refined")


def _figure1(w: Workflow, figure: Mapping[str, Any], pair: LexiconPair, scale: str) -> Drawing:
    seed = w.seeds[0]
    inputs = {
        side: [stage_files(w, stage, pair, seed, f"{side}.vec") for stage in STAGES] for side in vectors.SIDES
    }
    shared = ("joint", "reallocated", "reallocated")
    inputs["shared"] = [stage_files(w, stage, pair, seed, "shared.txt") for stage in shared]
    inputs["dictionary"] = [f"{dictionary_folder(w, pair.name)}/test.txt"]
    settings = {
        "languages": [pair.source, pair.target],
        "words": figure["words_shown"],
        "pairs": figure["labelled_pairs"],
        "caption": f"{scale}, seed {seed}; first two principal components of (a).",
    }
    return Drawing("figure1", inputs, settings)


def similarity(w: Workflow, pair: LexiconPair) -> list[dict[str, Any]]:
    """Return the lines that measure the similarity of translations, one a stage of figure 1 and seed."""
    if not (w.config["joint_align"]["figure1"] and pair in with_dictionary(w)):
        return []
    tested = vectors.dictionary_part(w, pair, "test")
    return [
        {"pair": pair.name, "dictionary": tested, "stage": stage, "seed": seed}
        | {side: In(stage_files(w, stage, pair, seed, f"{side}.vec")) for side in vectors.SIDES}
        | {"shared": In(stage_files(w, "joint", pair, seed, "shared.txt"))}
        for seed in w.seeds
        for stage in STAGES
    ]


def hubness(w: Workflow, pair: LexiconPair) -> list[dict[str, Any]]:
    """Return the lines that measure hubness of the figures' pair, one a system and seed."""
    if not (w.config["joint_align"]["figure1"] and with_dictionary(w)) or pair != figure_pair(w):
        return []
    return [
        {"system": system, "seed": seed}
        | {side: In(vectors.final(w, system, pair, seed, f"{side}.vec")) for side in vectors.SIDES}
        | {"mapping": In(vectors.mapped(w, system, pair, seed, "details.json")) if choice["mapper"] else ""}
        for system, choice in w.systems.items()
        for seed in w.seeds
    ]
