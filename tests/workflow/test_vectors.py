"""Jobs of word embeddings, mappers and lexicon induction."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from configurations import Opener, planned
from crosslingua.errors import ConfigError
from crosslingua.workflow import vectors
from crosslingua.workflow.workflow import LexiconPair

PAIR = LexiconPair("ana", "ber", "world")
EMBEDDINGS = "results/tiny/word_embeddings"
MAPPED = "results/tiny/embedding_alignment/ana-ber.world"


def test_a_joint_vocabulary_may_be_twice_as_large(opened: Opener) -> None:
    demo, paper = opened(), opened("paper")
    assert vectors.fasttext_options(demo) == demo.config["word_embeddings"]
    assert vectors.fasttext_options(demo, joint=True)["max_vocabulary"] == 400000
    assert vectors.fasttext_options(paper)["dim"] == 300
    assert (vectors.fasttext_options(paper)["minn"], vectors.fasttext_options(demo)["minn"]) == (3, 0)


def test_duong_trains_as_many_dimensions_as_the_others(opened: Opener) -> None:
    told = vectors.duong_options(opened("paper"))
    assert (told["dim"], told["min_count"], told["max_vocabulary"]) == (300, 5, 200000)
    assert (told["window"], told["combine"]) == (48, "output")


def test_joint_training_does_not_know_source_from_target(opened: Opener) -> None:
    w = opened("tiny")
    files = [f"{EMBEDDINGS}/concatenated/ana+ber/seed{seed}.vec" for seed in (1, 2)]
    assert vectors.joint_vectors(w, "ana", "ber") == vectors.joint_vectors(w, "ber", "ana") == files


@pytest.mark.parametrize(
    ("embeddings", "name", "expected"),
    [
        ("independent", "target.vec", "independent/ber/seed2.vec"),
        ("joint", "shared.txt", "joint/ana-ber/seed2.shared.txt"),
        ("joint_vr", "source.vec", "joint_vr/ana-ber.world/seed2.source.vec"),
        ("joint_replace", "source.vec", "joint_replace/ana-ber.world/seed2.source.vec"),
        ("duong", "target.vec", "duong/ana-ber.world/seed2.target.vec"),
    ],
)
def test_spaces_before_a_mapping(opened: Opener, embeddings: str, name: str, expected: str) -> None:
    assert vectors.space(opened("tiny"), embeddings, PAIR, 2, name) == f"{EMBEDDINGS}/{expected}"


def test_a_system_is_judged_by_its_mapping_or_its_space(opened: Opener) -> None:
    w = opened("tiny")
    assert vectors.final(w, "joint", PAIR, 1, "source.vec") == f"{EMBEDDINGS}/joint/ana-ber/seed1.source.vec"
    assert vectors.final(w, "joint_ar", PAIR, 1, "source.vec") == f"{MAPPED}/joint_ar/seed1.source.vec"
    assert vectors.final_vectors(w, "joint_ar", PAIR) == [
        f"{MAPPED}/joint_ar/seed{seed}.{side}.vec" for seed in (1, 2) for side in ("source", "target")
    ]


@pytest.mark.parametrize(
    ("kind", "read", "folder"),
    [
        ("joint", "concatenated/ana+ber", "joint/ana-ber"),
        ("joint_vr", "concatenated/ana+ber", "joint_vr/ana-ber.world"),
        ("joint_replace", "replaced/ana-ber.world", "joint_replace/ana-ber.world"),
    ],
)
def test_dividing_a_joint_vocabulary_is_a_cell_a_seed(
    opened: Opener, kind: str, read: str, folder: str
) -> None:
    place = SimpleNamespace(
        source="ana", target="ber", **({} if kind == "joint" else {"dictionary": "world"})
    )
    cells = planned(vectors.division_plan(opened("tiny"), kind, place))
    assert cells == [
        {
            "vectors": f"{EMBEDDINGS}/{read}/seed{seed}.vec",
            "seed": str(seed),
            "report": f"{EMBEDDINGS}/{folder}/division.json",
            "out_source": f"{EMBEDDINGS}/{folder}/seed{seed}.source.vec",
            "out_target": f"{EMBEDDINGS}/{folder}/seed{seed}.target.vec",
            "out_shared": f"{EMBEDDINGS}/{folder}/seed{seed}.shared.txt",
        }
        for seed in (1, 2)
    ]


def test_gamma_is_chosen_under_a_mapper_with_its_settings(opened: Opener) -> None:
    w = opened("tiny", {"vocabulary_reallocation": {"selection_mapper": "muse"}})
    told = vectors.reallocation_options(w, PAIR)
    assert (told["gamma"], told["selection_mapper"], told["max_vocabulary"]) == ([0.7, 0.9], "muse", 200000)
    dictionary = "results/tiny/corpora/dictionaries/ana-ber.world"
    assert (told["fit"], told["validation"]) == (f"{dictionary}/fit.txt", f"{dictionary}/validation.txt")
    assert {"n_epochs=1", "dis_hidden=128"} <= set(told["set"])
    assert vectors.reallocation_options(opened("paper"), PAIR)["set"] == []
    given = vectors.reallocation_options(opened("tiny", {"vocabulary_reallocation": {"gamma": [0.9]}}), PAIR)
    assert not {"fit", "validation"} & set(given)


def test_what_a_mapping_reads(opened: Opener) -> None:
    w = opened("tiny", {"seeds": [1]})
    independent = [f"{EMBEDDINGS}/independent/{language}/seed1.vec" for language in ("ana", "ber")]
    train = "results/tiny/corpora/dictionaries/ana-ber.world/train.txt"
    assert vectors.mapping_inputs(w, "rcsls", PAIR) == [*independent, train]
    assert vectors.mapping_inputs(w, "muse", PAIR) == independent
    joint = [
        f"{EMBEDDINGS}/joint/ana-ber/seed1.{name}" for name in ("source.vec", "target.vec", "shared.txt")
    ]
    assert vectors.mapping_inputs(w, "joint_ar", PAIR) == [*joint, train]


def test_a_mapping_is_a_cell_a_seed(opened: Opener) -> None:
    w = opened("tiny")
    cells = planned(vectors.mapping_plan(w, "joint_ar", PAIR))
    assert [cell["seed"] for cell in cells] == ["1", "2"]
    assert cells[1] == {
        "source": f"{EMBEDDINGS}/joint/ana-ber/seed2.source.vec",
        "target": f"{EMBEDDINGS}/joint/ana-ber/seed2.target.vec",
        "shared": f"{EMBEDDINGS}/joint/ana-ber/seed2.shared.txt",
        "seed": "2",
        "details": f"{MAPPED}/joint_ar/seed2.details.json",
        "out_source": f"{MAPPED}/joint_ar/seed2.source.vec",
        "out_target": f"{MAPPED}/joint_ar/seed2.target.vec",
    }
    assert [cell["shared"] for cell in planned(vectors.mapping_plan(w, "muse", PAIR))] == ["", ""]


def test_a_systems_settings_win_over_the_mappers(opened: Opener) -> None:
    systems = {"muse": {"settings": {"lr": 9, "n_epochs": None}}}
    w = opened("tiny", {"joint_align": {"systems": systems}})
    told = vectors.mapping_options(w, "muse", PAIR)
    assert (told["mapper"], told["dictionary"]) == ("muse", None)
    assert "lr=9" in told["set"]
    assert not [word for word in told["set"] if word.startswith("n_epochs=")]
    assert "epoch_size=2000" in told["set"]


def test_the_papers_settings_are_the_published_ones(opened: Opener) -> None:
    w = opened("paper")
    for system in ("muse", "vecmap", "joint_align_muse"):
        assert vectors.mapping_options(w, system, PAIR)["set"] == []


def test_modules_of_a_system_are_those_of_its_mapper(opened: Opener) -> None:
    w = opened("tiny")
    assert vectors.system_modules(w, "joint") == []
    assert "crosslingua.mappers.rcsls" in vectors.system_modules(w, "rcsls")
    assert "crosslingua.mappers.rcsls" not in vectors.system_modules(w, "muse")
    assert vectors.mapper_modules(w, "procrustes") == ["crosslingua.mappers.procrustes"]
    wrapped = vectors.system_modules(w, "iterative_norm")
    assert {"crosslingua.mappers.iterative_norm", "crosslingua.mappers.procrustes"} <= set(wrapped)


def test_inducing_a_lexicon_is_a_cell_a_seed(opened: Opener) -> None:
    w = opened("tiny")
    folder = "results/tiny/lexicon_induction/ana-ber.world/joint_ar"
    cells = planned(vectors.lexicon_plan(w, "joint_ar", PAIR))
    assert cells == [
        {
            "source": f"{MAPPED}/joint_ar/seed{seed}.source.vec",
            "target": f"{MAPPED}/joint_ar/seed{seed}.target.vec",
            "out": f"{folder}/seed{seed}.json",
            "predictions": f"{folder}/seed{seed}.predictions.tsv",
        }
        for seed in (1, 2)
    ]
    told = vectors.lexicon_options(w, PAIR)
    own = w.config["lexicon_induction"]
    assert {name: told[name] for name in own} == own
    assert (told["identical"], told["max_vocabulary"]) == (["kept", "dropped"], 200000)
    assert told["dictionary"] == ["results/tiny/corpora/dictionaries/ana-ber.world/test.txt"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"joint_align": {"systems": {"new": {"embeddings": "joint", "mapper": "procrutes"}}}},
            "joint_align.systems.new.mapper: 'procrutes' is not .*did you mean 'procrustes'",
        ),
        ({"mappers": {"museum": {}}}, "mappers.museum: 'museum' is not defined under the mappers"),
        (
            {"vocabulary_reallocation": {"selection_mapper": "none"}},
            "vocabulary_reallocation.selection_mapper: 'none' is not defined",
        ),
    ],
)
def test_a_mapper_that_is_not_there_is_named(opened: Opener, change: dict, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        opened(change=change)


@pytest.mark.parametrize("system", ["joint_rr", "joint"])
def test_figure_1_is_refined_by_a_system_with_a_mapper(opened: Opener, system: str) -> None:
    opened(change={"joint_align": {"figure1": {"refined_by": "joint_ar"}}})
    with pytest.raises(
        ConfigError, match=f"refined_by: '{system}' is not defined under .* that have a mapper"
    ):
        opened(change={"joint_align": {"figure1": {"refined_by": system}}})
