"""What joint_align asks for."""

from __future__ import annotations

import pytest

from configurations import Opener, planned
from crosslingua.errors import ConfigError
from crosslingua.papers.joint_align import cells

EMBEDDINGS = "results/demo/word_embeddings"


@pytest.mark.parametrize(("scale", "systems", "seeds"), [("", 13, 3), ("full", 15, 5)])
def test_every_system_seed_pair_and_table_is_a_cell(
    opened: Opener, scale: str, systems: int, seeds: int
) -> None:
    w = opened(scale)
    found = cells.cells(w, "main")
    assert (
        len(found) == len({(c.table, c.system, c.target, c.seed) for c in found}) == 2 * 3 * systems * seeds
    )
    order = opened.merged("full")["joint_align"]["systems"]
    assert [name for name in order if name in w.systems] == list(dict.fromkeys(cell.system for cell in found))
    one = next(c for c in found if (c.table, c.system, c.target, c.seed) == ("table2", "joint_vr", "cor", 3))
    assert one.score == f"{w.results}/lexicon_induction/ana-cor.world/joint_vr/seed3.json"
    assert (one.task, one.source, one.where, one.conditions) == (
        "bli", "ana", "identical=dropped", {"dictionary": "world"},
    )  # fmt: skip
    assert one.metrics == ("p_at_1", "p_at_5", "p_at_10", "coverage")
    assert set(cells.scores(w, "main")) == {cell.score for cell in found}
    assert cells.groups(w) == ["main"]
    assert set(cells.tables(w)) == {"table1", "table2"}


def test_a_pair_with_two_dictionaries_is_two(opened: Opener) -> None:
    w = opened("small")
    found = {(c.source, c.target, c.conditions["dictionary"]) for c in cells.cells(w, "main")}
    two = {("en", target, name) for target in ("de", "fr") for name in ("muse_full", "xling_eval")}
    assert found == two | {("en", "es", "muse_full")}
    assert len(set(cells.scores(w, "main"))) == 5 * len(w.systems) * len(w.seeds)


def test_another_language_pair_is_one_entry(opened: Opener) -> None:
    before = set(map(str, cells.cells(opened(), "main")))
    change = {"pairs": ["ana-ber", "ana-cor", "ana-dax", "eno-fyr"]}
    more = set(map(str, cells.cells(opened(change=change), "main")))
    assert before < more
    assert len(more) * 3 == len(before) * 4
    assert all("eno" in cell and "fyr" in cell for cell in more - before)


def test_figure_1_shows_the_first_pair_unless_another_is_named(opened: Opener) -> None:
    w = opened()
    drawings = cells.drawings(w)
    assert set(drawings) == {"figure1", "similarity", "hubness"}
    mapped = "results/demo/embedding_alignment/ana-ber.world/joint_align_procrustes"
    assert drawings["figure1"].inputs == {
        "source": [
            f"{EMBEDDINGS}/joint/ana-ber/seed1.source.vec",
            f"{EMBEDDINGS}/joint_vr/ana-ber.world/seed1.source.vec",
            f"{mapped}/seed1.source.vec",
        ],
        "target": [
            f"{EMBEDDINGS}/joint/ana-ber/seed1.target.vec",
            f"{EMBEDDINGS}/joint_vr/ana-ber.world/seed1.target.vec",
            f"{mapped}/seed1.target.vec",
        ],
        "shared": [
            f"{EMBEDDINGS}/joint/ana-ber/seed1.shared.txt",
            *[f"{EMBEDDINGS}/joint_vr/ana-ber.world/seed1.shared.txt"] * 2,
        ],
        "dictionary": ["results/demo/corpora/dictionaries/ana-ber.world/test.txt"],
    }
    settings = drawings["figure1"].settings
    assert (settings["languages"], settings["words"], settings["pairs"]) == (["ana", "ber"], 600, 8)
    named = opened("small", {"joint_align": {"figure1": {"pair": "en-fr.xling_eval"}}})
    assert cells.drawings(named)["hubness"].inputs == {
        "measured": ["results/small/hubness/en-fr.xling_eval.json"]
    }
    assert "en-fr.xling_eval" in cells.drawings(named)["similarity"].settings["caption"]


def test_evidence_is_what_is_there(opened: Opener) -> None:
    w = opened()
    names = ("ana-ber.world", "ana-cor.world", "ana-dax.world")
    assert cells.evidence(w) == {
        "divisions": [f"{EMBEDDINGS}/joint_vr/{name}/division.json" for name in names],
        "similarities": [f"results/demo/similarity/{name}.json" for name in names],
    }
    without = opened(change={"joint_align": {"figure1": None}})
    assert cells.evidence(without).get("similarities", []) == []
    assert cells.drawings(without) == {}
    few = {name: None for name, choice in w.systems.items() if choice["embeddings"] == "joint_vr"}
    plain = opened(change={"joint_align": {"systems": few, "figure1": None}})
    assert not any(cells.evidence(plain).values())


def test_measurements_read_every_stage_and_every_system(opened: Opener) -> None:
    w = opened("tiny")
    pair = w.lexicon_pairs["ana-ber.world"]
    similarity = planned(cells.similarity_plan(w, pair))
    assert [(cell["stage"], cell["seed"]) for cell in similarity] == [
        (stage, seed) for seed in ("1", "2") for stage in ("joint", "reallocated", "refined")
    ]
    assert {cell["shared"] for cell in similarity[:3]} == {
        "results/tiny/word_embeddings/joint/ana-ber/seed1.shared.txt"
    }
    files = {cell[key] for cell in similarity for key in ("source", "target", "shared")}
    assert set(cells.similarity_inputs(w, pair)) == files
    hubness = planned(cells.hubness_plan(w, pair))
    assert [(cell["system"], cell["seed"]) for cell in hubness] == [
        (s, n) for s in w.systems for n in ("1", "2")
    ]
    assert set(cells.hubness_inputs(w, pair)) == {
        cell[side] for cell in hubness for side in ("source", "target")
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"figure1": {"pair": "ana-ber.muse"}}, "figure1.pair: 'ana-ber.muse' is not defined .*ana-ber.world"),
        ({"figure1": {"refined_by": "joint"}}, "figure1.refined_by: 'joint' is not .* that have a mapper"),
        ({"figure1": {"refined_by": "procrute"}}, "figure1.refined_by: 'procrute' is not .*did you mean 'procrustes'"),
        ({"systems": {"rcsls": {"mapper": "rcsl"}}}, "systems.rcsls.mapper: 'rcsl' is not .*did you mean 'rcsls'"),
    ],
)  # fmt: skip
def test_what_is_not_there_is_named(opened: Opener, change: dict, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        opened(change={"joint_align": change})
