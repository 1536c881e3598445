"""The jobs of joint_align, on pairs with a dictionary, without one, and both."""

from itertools import product
from pathlib import Path, PurePath

import pytest

from configurations import XLING_EVAL, Opener, job
from crosslingua.errors import ConfigError
from crosslingua.io.json import read_yaml
from crosslingua.papers.joint_align.experiments import JointAlign
from crosslingua.workflow import lexicon_induction, vectors
from crosslingua.workflow.configuration import open_workflow
from crosslingua.workflow.jobs import Jobs
from crosslingua.workflow.vectors import all_systems
from crosslingua.workflow.workflow import Workflow

EMBEDDINGS = "results/demo/word_embeddings"
SYSTEMS = {
    "procrustes": {"embeddings": "independent", "mapper": "procrustes"},
    "iterative_norm": {"embeddings": "independent", "mapper": "iterative_norm"},
    "muse": {"embeddings": "independent", "mapper": "muse"},
    "muse_seeded": {"embeddings": "independent", "mapper": "muse", "settings": {"initialisation": "dictionary"}},
    "duong": {"embeddings": "duong", "mapper": None},
    "joint": {"embeddings": "joint", "mapper": None},
    "joint_vecmap": {"embeddings": "joint", "mapper": "vecmap"},
    "joint_replace": {"embeddings": "joint_replace", "mapper": None},
    "joint_vr": {"embeddings": "joint_vr", "mapper": None},
    "joint_align_muse": {"embeddings": "joint_vr", "mapper": "muse"},
    "joint_vr_free": {"embeddings": "joint_vr_unsupervised", "mapper": None},
}  # fmt: skip
FREE = ["muse", "joint", "joint_vecmap", "joint_vr_free"]


@pytest.mark.parametrize("scale", ["", "full"])
def test_every_score_of_a_table_is_made_and_those_of_published_settings_stand_beside(
    opened: Opener, scale: str
) -> None:
    w = opened(scale)
    every = JointAlign(w).cells("main")
    found = [cell for cell in every if cell.table in ("table1", "table2")]
    beside = {cell.system for cell in found if "/published." in cell.score}
    searched_at_full = {"duong", "joint_replace", "contrastive"} if scale == "full" else set()
    mapped = {"procrustes", "iterative_norm", "rcsls", "geomm"}
    mapped |= {f"joint_{how}_{name}" for how in ("ar", "align") for name in ("geomm", "rcsls", "procrustes")}
    assert beside == mapped | searched_at_full
    one = next(c for c in found if (c.table, c.system, c.target, c.seed) == ("table2", "joint_vr", "cor", 3))
    assert one.score == f"{w.results}/lexicon_induction/ana-cor.world/unsupervised/joint_vr/seed3.json"
    assert (one.task, one.source, one.where, one.conditions) == (
        "bli", "ana", "identical=dropped", {"dictionary": "world", "supervision": "none", "settings": "selected"},
    )  # fmt: skip
    assert one.metrics == ("p_at_1", "p_at_5", "p_at_10", "coverage", "spelled_alike")
    controlled = {c.score for c in every if c.table == "controls"}
    folders = {str(PurePath(one.score).parent) for one in found}
    assert set(job(w, "cells/joint_align.main").files()) == folders | controlled


def test_rows_say_who_reads_a_dictionary_and_whose_settings_they_have(opened: Opener) -> None:
    cells = [cell for cell in JointAlign(opened()).cells("main") if cell.table == "table1"]
    found = {(c.system, c.conditions["settings"]): c.conditions["supervision"] for c in cells}
    free = (("joint", "published"), ("joint_vr", "selected"), ("vecmap", "published"))
    assert [found[one] for one in free] == ["none"] * 3
    taught = (("rcsls", "published"), ("rcsls", "selected"), ("duong", "selected"))
    assert [found[one] for one in taught] == ["dictionary"] * 3
    assert ("duong", "published") not in found


def test_the_curve_is_of_supervised_systems_and_dictionaries_of_every_size(opened: Opener) -> None:
    w = opened()
    found = JointAlign(w).cells("ablations")
    assert {(cell.table, cell.conditions["supervision"]) for cell in found} == {("curve", "dictionary")}
    assert {cell.conditions["share"] for cell in found} == {"0.025", "0.1", "0.3", "0.55"}
    main = {cell.score for cell in JointAlign(w).cells("main")}
    assert {cell.score for cell in found if cell.conditions["share"] == "0.1"} < main
    assert not {cell.score for cell in found if cell.conditions["share"] != "0.1"} & main
    folders = {f"{w.results}/lexicon_induction/{pair.name}/supervised" for pair in w.curve_pairs.values()}
    assert folders < set(job(w, "cells/joint_align.ablations").files())
    assert JointAlign(w).drawings()["curve"].groups == ("ablations",)
    assert JointAlign(opened("real")).groups() == ["main", "ner"]


def test_a_pair_with_two_dictionaries_is_two(opened: Opener) -> None:
    sheet = opened.sheet(XLING_EVAL)
    change = {"pairs": ["en-de", "en-fr", "en-es"], "joint_align": {"controls": None, "table3": None}}
    w = opened("real", change | {"data": {"sheets": ["scales/real.tsv", sheet]}})
    found = {(c.source, c.target, c.conditions["dictionary"]) for c in JointAlign(w).cells("main")}
    two = {("en", target, name) for target in ("de", "fr") for name in ("muse_full", "xling_eval")}
    assert found == two | {("en", "es", "muse_full")}
    both = sum(len(choice.variants()) for choice in all_systems(w).values())
    files = {cell.score for cell in JointAlign(w).cells("main")}
    assert len(files) == 5 * both * len(w.seeds)
    assert {str(PurePath(file).parent) for file in files} == set(job(w, "cells/joint_align.main").files())


def test_figure_1_shows_the_first_pair_unless_another_is_named(opened: Opener) -> None:
    drawings = JointAlign(opened(change={"joint_align": {"translation": {"pairs": 1}}})).drawings()
    assert set(drawings) == {"figure1", "similarity", "hubness", "curve", "figure2"}
    joint, reallocated = f"{EMBEDDINGS}/joint/ana-ber/seed1", f"{EMBEDDINGS}/joint_vr/ana-ber.world/seed1"
    mapped = "results/demo/embedding_alignment/ana-ber.world/joint_align_procrustes/seed1"
    assert drawings["figure1"].inputs == {
        "source": [f"{stage}.source.vec" for stage in (joint, reallocated, mapped)],
        "target": [f"{stage}.target.vec" for stage in (joint, reallocated, mapped)],
        "shared": [f"{stage}.shared.txt" for stage in (joint, reallocated, reallocated)],
        "dictionary": ["results/demo/corpora/dictionaries/ana-ber.world/test.txt"],
    }
    settings = drawings["figure1"].settings
    assert (settings["languages"], settings["words"], settings["pairs"]) == (["ana", "ber"], 600, 8)
    named = opened("real", {"joint_align": {"figure1": {"pair": "en-fr.muse_full"}}})
    measured = ["results/real/hubness/en-fr.muse_full.json"]
    assert JointAlign(named).drawings()["hubness"].inputs == {"measured": measured}
    assert "en-fr.muse_full" in JointAlign(named).drawings()["similarity"].settings["caption"]


def test_evidence_is_what_is_there(opened: Opener) -> None:
    w = opened()
    names = ("ana-ber.world", "ana-cor.world", "ana-dax.world")
    assert JointAlign(w).evidence("main") == {
        "divisions": [f"{EMBEDDINGS}/joint_vr/{name}/division.json" for name in names],
        "similarities": [f"results/demo/similarity/{name}.json" for name in names],
    }
    without = opened(change={"joint_align": {"figure1": None, "translation": {"pairs": 1}}})
    assert JointAlign(without).evidence("main").get("similarities", []) == []
    assert set(JointAlign(without).drawings()) == {"figure2"}
    few = {name: None for name, choice in all_systems(w).items() if choice.embeddings == "joint_vr"}
    plain = opened(change={"joint_align": {"systems": few, "figure1": None, "translation": None}})
    assert not any(JointAlign(plain).evidence("main").values())


def test_measurements_read_every_stage_and_every_system(opened: Opener) -> None:
    w = opened("tiny")
    jobs = Jobs(lexicon_induction.measure_jobs(w))
    similarity, hubness = (jobs[f"measure_{name}/ana-ber.world"] for name in ("similarity", "hubness"))
    told = [(line["seed"], line["stage"]) for line in similarity.lines]
    assert told == list(product((1, 2), ("joint", "reallocated", "refined")))
    shared = "results/tiny/word_embeddings/joint/ana-ber/seed1.shared.txt"
    assert {line["shared"] for line in similarity.lines[:3]} == {shared}
    names = ("source", "target", "shared", "dictionary")
    assert set(similarity.files()) == {line[name] for line in similarity.lines for name in names}
    told = [(line["system"], line["seed"]) for line in hubness.lines]
    assert told == list(product(all_systems(w), (1, 2)))
    read = {line[name] for line in hubness.lines for name in ("source", "target", "mapping")}
    assert set(hubness.files()) == read - {""}
    assert list(lexicon_induction.measure_jobs(opened("tiny", {"joint_align": {"figure1": None}}))) == []


def test_the_page_shows_what_this_configuration_chooses_and_no_system_it_took_out(opened: Opener) -> None:
    few = {"procrustes": None, "joint_ar_geomm": None, "duong": None, "joint_align_procrustes": None}
    own = {"systems": few, "figure1": None, "translation": None, "table3": None}
    change = {"papers": ["joint_align"], "pairs": ["ana-ber"], "joint_align": own}
    whole, less = JointAlign(opened("tiny")).shown(), JointAlign(opened("tiny", change)).shown()
    pair, mapped = "ana-ber.world", "results/tiny/embedding_alignment/ana-ber.world/{}/choice.json"
    gone = {mapped.format(name) for name in few if name != "duong"}
    gone |= {f"results/tiny/word_embeddings/duong/{pair}/choice.json"}
    of_pair = {path for path in set(whole["choices"]) - set(less["choices"]) if f"/{pair}/" in path}
    assert of_pair == gone
    assert mapped.format("geomm") in less["choices"]
    assert f"results/tiny/word_embeddings/joint_replace/{pair}/choice.json" in less["choices"]
    assert "results/tiny/word_embeddings/joint_vr_unsupervised/ana-ber/division.json" in less["divisions"]


@pytest.fixture
def plan(repository: Path, monkeypatch: pytest.MonkeyPatch):
    """Return a function that opens a workflow on own text (aa, bb) and, if asked for, on the world's (ana, ber)."""
    monkeypatch.chdir(repository)

    def opened(systems=SYSTEMS, *, world: bool = False, gamma=(0.8, 0.9)) -> Workflow:
        config = read_yaml("config.yaml")
        config["papers"] = ["joint_align"]
        config["languages"] = {"aa": {"path": "aa.txt"}, "bb": {"path": "bb.txt"}}
        config["pairs"] = ["aa-bb", "ana-ber"] if world else ["aa-bb"]
        config["world"] = config["world"] if world else None
        config["vocabulary_reallocation"]["gamma"] = list(gamma)
        figure1 = config["joint_align"]["figure1"] | {"refined_by": next(iter(systems)), "pair": None}
        none = dict.fromkeys(("controls", "table3", "translation"))
        config["joint_align"] |= {"systems": systems, "figure1": figure1, **none}
        return open_workflow(config)

    return opened


def test_a_pair_without_a_dictionary_has_the_systems_that_need_none_and_must_have_one(plan) -> None:
    w = plan()
    (pair,) = w.lexicon_pairs.values()
    assert (pair.name, pair.dictionary) == ("aa-bb.none", "")
    found = JointAlign(w).cells("main")
    assert list(dict.fromkeys(cell.system for cell in found)) == FREE
    told = {(c.table, c.where, c.metrics, c.conditions["dictionary"]) for c in found}
    assert told == {("table1", "", ("mean_cosine", "mutual"), "none")}
    folder = f"{w.results}/lexicon_induction/{pair.name}/unsupervised"
    assert job(w, "cells/joint_align.main").files() == [f"{folder}/{name}" for name in FREE]
    assert JointAlign(w).tables().keys() == {"table1"}
    note = JointAlign(w).tables()["table1"].note
    assert note.startswith("Without a dictionary: aa-bb;")
    assert note.endswith(f": {', '.join(name for name in SYSTEMS if name not in FREE)}.")
    assert JointAlign(w).drawings() == {}
    assert JointAlign(w).evidence("main") == {"divisions": [], "similarities": []}
    induced = Jobs(lexicon_induction.lexicon_jobs(w))
    assert list(induced) == [f"induce_lexicon/aa-bb.none.{name}" for name in FREE]
    assert not any("dictionary" in job.options for job in induced.values())
    (mapped, _) = vectors.mapping_jobs(w)
    assert (mapped.name, mapped.options["dictionary"]) == ("align_vectors/aa-bb.none.muse", None)
    with pytest.raises(ConfigError, match="all systems need a dictionary, and no pair has one"):
        plan({"procrustes": SYSTEMS["procrustes"]})


def test_reallocation_needs_no_dictionary_where_gamma_is_given(plan) -> None:
    w = plan(gamma=[0.9])
    (pair,) = w.lexicon_pairs.values()
    assert list(vectors.systems_of(w, pair)) == [*FREE[:-1], "joint_vr", "joint_align_muse", FREE[-1]]
    division = Jobs(vectors.division_jobs(w))["divide_vocabulary/joint_vr.aa-bb.none"]
    assert not {"fit", "validation"} & set(division.options)
    (division,) = JointAlign(w).evidence("main")["divisions"]
    assert division.endswith("joint_vr/aa-bb.none/division.json")


def test_pairs_with_and_without_a_dictionary_stand_side_by_side(plan) -> None:
    w = plan(world=True)
    assert list(w.lexicon_pairs) == ["aa-bb.none", "ana-ber.world"]
    systems = {name: list(vectors.systems_of(w, pair)) for name, pair in w.lexicon_pairs.items()}
    assert systems == {"aa-bb.none": FREE, "ana-ber.world": list(SYSTEMS)}
    tables = {(cell.target, cell.table) for cell in JointAlign(w).cells("main")}
    assert tables == {("bb", "table1"), ("ber", "table1"), ("ber", "table2")}
    assert JointAlign(w).figure_pair.name == "ana-ber.world"
    similarities = JointAlign(w).evidence("main")["similarities"]
    assert all(file.endswith("/ana-ber.world.json") for file in similarities)


def test_a_system_whose_settings_are_not_searched_is_named(opened: Opener) -> None:
    assert "Not searched" not in JointAlign(opened()).tables()["table1"].note
    said = "Not searched at this scale, settings as in the configuration: joint_replace."
    assert said in JointAlign(opened("real")).tables()["table1"].note


def test_a_strategy_is_told_by_how_vectors_are_trained_and_mapped(opened: Opener) -> None:
    """Refinement without reallocation is a strategy of its own."""
    told = {
        "aligned": {"procrustes", "muse", "vecmap", "iterative_norm", "rcsls", "geomm"},
        "joint": {"duong", "joint", "joint_replace", "joint_vr"},
    }
    for strategy, prefix in (("joint then mapped", "joint_ar_"), ("both", "joint_align_")):
        told[strategy] = {f"{prefix}{name}" for name in ("muse", "geomm", "rcsls", "procrustes")}
    told["both"].add("joint_align_identity")
    told["aligned"] |= {"contrastive", "mini_vec2vec"}
    found = JointAlign(opened("full")).strategies()
    assert {kind: {name for name, own in found.items() if own == kind} for kind in told} == told
