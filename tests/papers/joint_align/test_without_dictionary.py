"""Jobs on pairs with a dictionary, without one, and both."""

from pathlib import Path

import pytest

from configurations import Opener, job
from crosslingua.errors import ConfigError
from crosslingua.io.json import read_yaml
from crosslingua.papers.joint_align import experiments
from crosslingua.workflow import lexicons, vectors
from crosslingua.workflow.configuration import open_workflow
from crosslingua.workflow.jobs import Jobs
from crosslingua.workflow.workflow import Workflow

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
        return open_workflow(config, "schemas/config.schema.json")

    return opened


def test_a_pair_without_a_dictionary_has_the_systems_that_need_none(plan) -> None:
    w = plan()
    (pair,) = w.lexicon_pairs.values()
    assert (pair.name, pair.dictionary) == ("aa-bb.none", "")
    found = experiments.cells(w, "main")
    assert list(dict.fromkeys(cell.system for cell in found)) == FREE
    told = {(c.table, c.where, c.metrics, c.conditions["dictionary"]) for c in found}
    assert told == {("table1", "", ("mean_cosine", "mutual"), "none")}
    folder = f"{w.results}/lexicon_induction/{pair.name}/unsupervised"
    assert job(w, "cells/joint_align.main").files() == [f"{folder}/{name}" for name in FREE]
    assert experiments.tables(w).keys() == {"table1"}
    note = experiments.tables(w)["table1"].note
    assert note.startswith("Without a dictionary: aa-bb;")
    assert note.endswith(f": {', '.join(name for name in SYSTEMS if name not in FREE)}.")
    assert experiments.drawings(w) == {}
    assert experiments.evidence(w, "main") == {"divisions": [], "similarities": []}
    induced = Jobs(lexicons.lexicon_jobs(w))
    assert list(induced) == [f"induce_lexicon/aa-bb.none.{name}" for name in FREE]
    assert not any("dictionary" in job.options for job in induced.values())
    (mapped, _) = vectors.mapping_jobs(w)
    assert (mapped.name, mapped.options["dictionary"]) == ("align_vectors/aa-bb.none.muse", None)


def test_reallocation_needs_no_dictionary_where_gamma_is_given(plan) -> None:
    w = plan(gamma=[0.9])
    (pair,) = w.lexicon_pairs.values()
    assert list(vectors.systems_of(w, pair)) == [*FREE[:-1], "joint_vr", "joint_align_muse", FREE[-1]]
    division = Jobs(vectors.division_jobs(w))["divide_vocabulary/joint_vr.aa-bb.none"]
    assert not {"fit", "validation"} & set(division.options)
    (division,) = experiments.evidence(w, "main")["divisions"]
    assert division.endswith("joint_vr/aa-bb.none/division.json")


def test_pairs_with_and_without_a_dictionary_stand_side_by_side(plan) -> None:
    w = plan(world=True)
    assert list(w.lexicon_pairs) == ["aa-bb.none", "ana-ber.world"]
    systems = {name: list(vectors.systems_of(w, pair)) for name, pair in w.lexicon_pairs.items()}
    assert systems == {"aa-bb.none": FREE, "ana-ber.world": list(SYSTEMS)}
    tables = {(cell.target, cell.table) for cell in experiments.cells(w, "main")}
    assert tables == {("bb", "table1"), ("ber", "table1"), ("ber", "table2")}
    assert experiments.figure_pair(w).name == "ana-ber.world"
    similarities = experiments.evidence(w, "main")["similarities"]
    assert all(file.endswith("/ana-ber.world.json") for file in similarities)


def test_only_systems_that_need_a_dictionary_are_refused(plan) -> None:
    with pytest.raises(ConfigError, match="all systems need a dictionary, and no pair has one"):
        plan({"procrustes": SYSTEMS["procrustes"]})


def test_a_system_whose_settings_are_not_searched_is_named(opened: Opener) -> None:
    assert "Not searched" not in experiments.tables(opened())["table1"].note
    said = "Not searched at this scale, settings as in the configuration: joint_replace."
    assert said in experiments.tables(opened("small"))["table1"].note
